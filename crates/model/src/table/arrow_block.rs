//! Batches of Arrow columns, from a Parquet file or from a stream, as blocks.

use std::borrow::Cow;
use std::ops::ControlFlow;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, Float16Type,
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{AnyDictionaryArray, Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};
use wattline_units::foreign::catch_foreign_panic;
use wattline_units::limits::BLOCK_TEXT_BYTES;
use wattline_units::shortened::shortened;

use super::block::{RowBlock, RowTexts, TextColumn};
use super::columns::{ColumnPositions, ColumnType, TableColumn};
use super::error::TableError;
use super::part::PartBlockHandler;
use super::rows::{BLOCK_ROWS, PassColumns};
use crate::linear::run_in_wide_vectors;

/// Converts an Arrow field to a column.
pub(super) fn table_column(field: &Field) -> TableColumn {
    TableColumn { name: field.name().clone(), kind: column_type(field.data_type()) }
}

/// Returns a schema whose texts are references to bytes that rows share.
pub(super) fn with_text_views(schema: &Schema) -> SchemaRef {
    let field = |field: &Field| match field.data_type() {
        DataType::Utf8 => field.clone().with_data_type(DataType::Utf8View),
        DataType::Binary => field.clone().with_data_type(DataType::BinaryView),
        _ => field.clone(),
    };
    let fields: Fields = schema.fields().iter().map(|of| field(of)).collect();
    SchemaRef::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

fn column_type(of: &DataType) -> ColumnType {
    match of {
        DataType::Boolean => ColumnType::Whole,
        whole if whole.is_integer() => ColumnType::Whole,
        real if real.is_floating() || is_decimal(real) => ColumnType::Real,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => ColumnType::Text,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => ColumnType::Text,
        DataType::Dictionary(_, values) => column_type(values),
        DataType::Null => ColumnType::Other("null in every row".to_owned()),
        DataType::Struct(_) => ColumnType::Other("a struct".to_owned()),
        list if list.is_nested() => ColumnType::Other("a list".to_owned()),
        other => ColumnType::Other(format!("of type {other}")),
    }
}

fn is_decimal(of: &DataType) -> bool {
    matches!(
        of,
        DataType::Decimal32(..)
            | DataType::Decimal64(..)
            | DataType::Decimal128(..)
            | DataType::Decimal256(..)
    )
}

/// The columns of a file that a pass reads, in their order in the file.
pub(super) struct ArrowColumns<'p> {
    places: &'p ColumnPositions,
    wanted: PassColumns,
    /// Places, rising.
    pub columns: Vec<usize>,
}

impl<'p> ArrowColumns<'p> {
    pub fn new(places: &'p ColumnPositions, wanted: PassColumns) -> Self {
        let features = places.features.iter().copied().filter(|_| wanted == PassColumns::Counts);
        let about = places.texts().chain(places.numbers());
        let mut columns: Vec<usize> =
            about.chain(features).filter(|place| *place < places.own).collect();
        columns.sort_unstable();
        columns.dedup();
        Self { places, wanted, columns }
    }

    /// Passes the rows of a batch that holds these columns on, block by block; the block's number
    /// is that of its rows in their file.
    pub fn for_each_block(
        &self,
        block: &mut RowBlock,
        batch: &RecordBatch,
        fill: PartBlockHandler<'_>,
    ) -> Result<ControlFlow<()>, TableError> {
        for first in (0..batch.num_rows()).step_by(BLOCK_ROWS) {
            let rows = BLOCK_ROWS.min(batch.num_rows() - first);
            self.fill(block, &batch.slice(first, rows))?;
            if fill(block).is_break() {
                return Ok(ControlFlow::Break(()));
            }
            block.first += block.rows();
        }
        Ok(ControlFlow::Continue(()))
    }

    fn fill(&self, block: &mut RowBlock, batch: &RecordBatch) -> Result<(), TableError> {
        let first = block.first;
        let cells = |place: usize| {
            let at = self.columns.binary_search(&place).expect("it is one of the columns");
            ArrowCells { places: self.places, place, array: batch.column(at), first }
        };
        let places = self.places;
        for (to, place) in [
            (&mut block.names, places.case),
            (&mut block.groups, places.group),
            (&mut block.devices, places.device),
        ] {
            if let Some(place) = place.filter(|place| *place < places.own) {
                *to = Some(RowTexts::Each(cells(place).texts()?));
            }
        }
        for (to, place) in
            [(&mut block.energies_se_j, places.se), (&mut block.durations_s, places.duration)]
        {
            *to = place.map(|place| cells(place).optional()).transpose()?;
        }
        if let Some(place) = places.weight {
            let mut weights = block.weights.take().unwrap_or_default();
            weights.clear();
            cells(place).numbers("the weight", 0.0, &mut weights)?;
            block.weights = Some(weights);
        }
        let mut energies = std::mem::take(&mut block.energies_j);
        energies.clear();
        cells(places.target).numbers("the target", f64::NEG_INFINITY, &mut energies)?;
        let mut counts = std::mem::take(&mut block.counts);
        counts.clear();
        if self.wanted == PassColumns::Counts {
            for place in &places.features {
                cells(*place).numbers("a feature", f64::NEG_INFINITY, &mut counts)?;
            }
        }
        (block.energies_j, block.counts) = (energies, counts);
        Ok(())
    }
}

/// The values of a column of a batch.
struct ArrowCells<'b> {
    places: &'b ColumnPositions,
    place: usize,
    array: &'b ArrayRef,
    /// Number of the first row in the file.
    first: usize,
}

impl ArrowCells<'_> {
    /// Appends the numbers; all must be there, finite and at least `least`.
    fn numbers(
        &self,
        column_is: &'static str,
        least: f64,
        to: &mut Vec<f64>,
    ) -> Result<(), TableError> {
        let from = to.len();
        let plain = without_dictionary(self.array)?;
        if !append_numbers(&plain, to) {
            return Err(self.unfit_type_error());
        }
        if plain.null_count() > 0
            && let Some(i) = (0..plain.len()).find(|i| plain.is_null(*i))
        {
            return Err(self.cell_error(i, "null".to_owned(), column_is, least));
        }
        let is_bad = |x: &f64| !x.is_finite() || *x < least;
        if has_any(&to[from..], is_bad)
            && let Some(i) = to[from..].iter().position(is_bad)
        {
            return Err(self.cell_error(i, to[from + i].to_string(), column_is, least));
        }
        Ok(())
    }

    /// Returns the numbers, of 0 or more, and `None` for those that are not there.
    fn optional(&self) -> Result<Vec<Option<f64>>, TableError> {
        let plain = without_dictionary(self.array)?;
        let mut numbers = Vec::with_capacity(plain.len());
        if !append_numbers(&plain, &mut numbers) {
            return Err(self.unfit_type_error());
        }
        let optional: Vec<Option<f64>> =
            numbers.iter().enumerate().map(|(i, x)| plain.is_valid(i).then_some(*x)).collect();
        let is_bad = |x: &Option<f64>| x.is_some_and(|x| !x.is_finite() || x < 0.0);
        match optional.iter().position(is_bad) {
            None => Ok(optional),
            Some(i) => Err(self.cell_error(i, numbers[i].to_string(), "", 0.0)),
        }
    }

    /// Returns the texts; empty for what is not there. Numbers are texts, too.
    fn texts(&self) -> Result<TextColumn, TableError> {
        let plain = without_dictionary(self.array)?;
        let mut texts = TextColumn::default();
        let mut text = |text: Option<&str>| texts.push_checked(text.unwrap_or(""));
        match plain.data_type() {
            DataType::Utf8 => plain.as_string::<i32>().iter().try_for_each(text)?,
            DataType::LargeUtf8 => plain.as_string::<i64>().iter().try_for_each(text)?,
            DataType::Utf8View => plain.as_string_view().iter().try_for_each(text)?,
            DataType::Binary => {
                plain.as_binary::<i32>().iter().try_for_each(|x| text(lossy_text(x).as_deref()))?;
            }
            DataType::LargeBinary => {
                plain.as_binary::<i64>().iter().try_for_each(|x| text(lossy_text(x).as_deref()))?;
            }
            DataType::BinaryView => {
                plain.as_binary_view().iter().try_for_each(|x| text(lossy_text(x).as_deref()))?;
            }
            DataType::Int64 => {
                let numbers = plain.as_primitive::<Int64Type>();
                numbers.iter().try_for_each(|x| text(x.map(|x| x.to_string()).as_deref()))?;
            }
            DataType::UInt64 => {
                let numbers = plain.as_primitive::<UInt64Type>();
                numbers.iter().try_for_each(|x| text(x.map(|x| x.to_string()).as_deref()))?;
            }
            _ => {
                let mut numbers = Vec::with_capacity(plain.len());
                if !append_numbers(&plain, &mut numbers) {
                    return Err(self.unfit_type_error());
                }
                numbers.iter().enumerate().try_for_each(|(i, x)| {
                    text(plain.is_valid(i).then(|| x.to_string()).as_deref())
                })?;
            }
        }
        Ok(texts)
    }

    #[cold]
    fn unfit_type_error(&self) -> TableError {
        let column = self.places.names[self.place].clone();
        let is = column_type(self.array.data_type()).name().to_owned();
        TableError::Type { column, is, wanted: "a column of numbers" }
    }

    #[cold]
    fn cell_error(
        &self,
        i: usize,
        found: String,
        column_is: &'static str,
        least: f64,
    ) -> TableError {
        TableError::BadCell {
            row: self.first + i + 1,
            line: None,
            column: self.places.names[self.place].clone(),
            found,
            wanted: if least == 0.0 { "a finite number of 0 or more" } else { "a finite number" },
            column_is,
        }
    }
}

/// Whether there is such a number: without a branch for each, and in lanes as wide as they are.
fn has_any(numbers: &[f64], is_such: impl Fn(&f64) -> bool) -> bool {
    run_in_wide_vectors(
        #[inline(always)]
        || numbers.iter().fold(0, |any, x| any | u64::from(is_such(x))) != 0,
    )
}

fn lossy_text(bytes: Option<&[u8]>) -> Option<Cow<'_, str>> {
    bytes.map(String::from_utf8_lossy)
}

/// Returns the values of an array, looked up where it holds numbers of entries of a dictionary.
fn without_dictionary(array: &ArrayRef) -> Result<ArrayRef, TableError> {
    let Some(dictionary) = array.as_any_dictionary_opt() else { return Ok(array.clone()) };
    check_expanded(dictionary)?;
    let take = || arrow_select::take::take(dictionary.values(), dictionary.keys(), None);
    let taken = catch_foreign_panic(take).map_err(|panic| panic.to_string());
    taken
        .and_then(|taken| taken.map_err(|error| error.to_string()))
        .map_err(|message| TableError::Read { message: shortened(&message).into_owned() })
}

/// Refuses a dictionary whose texts, written out for all rows, exceed the limit: many rows may have
/// one long text.
fn check_expanded(dictionary: &dyn AnyDictionaryArray) -> Result<(), TableError> {
    let values = dictionary.values();
    let Some(length) = text_lengths(values).filter(|_| !values.is_empty()) else { return Ok(()) };
    let keys = dictionary.normalized_keys();
    let is_there = |(i, _): &(usize, usize)| dictionary.keys().is_valid(*i);
    let bytes = keys.into_iter().enumerate().filter(is_there).map(|(_, key)| length(key));
    let bytes = bytes.fold(0, u64::saturating_add);
    let remedy = "shorten the names of cases, groups and devices";
    BLOCK_TEXT_BYTES.check(bytes).map_err(TableError::too_large(remedy))
}

/// Returns a function for the bytes of each text of an array; `None` where it holds none.
fn text_lengths(values: &ArrayRef) -> Option<Box<dyn Fn(usize) -> u64 + '_>> {
    // A view begins with its length.
    let of_view = |view: u128| u64::from(view as u32);
    let difference = |from: i64, to: i64| u64::try_from(to.saturating_sub(from)).unwrap_or(0);
    Some(match values.data_type() {
        DataType::Utf8 => {
            let ends = values.as_string::<i32>().value_offsets();
            Box::new(move |i| difference(i64::from(ends[i]), i64::from(ends[i + 1])))
        }
        DataType::Binary => {
            let ends = values.as_binary::<i32>().value_offsets();
            Box::new(move |i| difference(i64::from(ends[i]), i64::from(ends[i + 1])))
        }
        DataType::LargeUtf8 => {
            let ends = values.as_string::<i64>().value_offsets();
            Box::new(move |i| difference(ends[i], ends[i + 1]))
        }
        DataType::LargeBinary => {
            let ends = values.as_binary::<i64>().value_offsets();
            Box::new(move |i| difference(ends[i], ends[i + 1]))
        }
        DataType::Utf8View => {
            let views = values.as_string_view().views();
            Box::new(move |i| of_view(views[i]))
        }
        DataType::BinaryView => {
            let views = values.as_binary_view().views();
            Box::new(move |i| of_view(views[i]))
        }
        _ => return None,
    })
}

/// Appends the numbers of an array, anything for those that are not there; returns `false` where it
/// holds none.
fn append_numbers(array: &ArrayRef, to: &mut Vec<f64>) -> bool {
    match array.data_type() {
        DataType::Int8 => extend_numbers::<Int8Type>(array, to, f64::from),
        DataType::Int16 => extend_numbers::<Int16Type>(array, to, f64::from),
        DataType::Int32 => extend_numbers::<Int32Type>(array, to, f64::from),
        DataType::Int64 => extend_numbers::<Int64Type>(array, to, |x| x as f64),
        DataType::UInt8 => extend_numbers::<UInt8Type>(array, to, f64::from),
        DataType::UInt16 => extend_numbers::<UInt16Type>(array, to, f64::from),
        DataType::UInt32 => extend_numbers::<UInt32Type>(array, to, f64::from),
        DataType::UInt64 => extend_numbers::<UInt64Type>(array, to, |x| x as f64),
        DataType::Float16 => extend_numbers::<Float16Type>(array, to, |x| x.to_f64()),
        DataType::Float32 => extend_numbers::<Float32Type>(array, to, f64::from),
        DataType::Float64 => extend_numbers::<Float64Type>(array, to, |x| x),
        // A division by a power of ten that is exact is rounded once.
        DataType::Decimal32(_, scale) => {
            let unit = 10f64.powi(i32::from(*scale));
            extend_numbers::<Decimal32Type>(array, to, |x| f64::from(x) / unit);
        }
        DataType::Decimal64(_, scale) => {
            let unit = 10f64.powi(i32::from(*scale));
            extend_numbers::<Decimal64Type>(array, to, |x| x as f64 / unit);
        }
        DataType::Decimal128(_, scale) => {
            let unit = 10f64.powi(i32::from(*scale));
            extend_numbers::<Decimal128Type>(array, to, |x| x as f64 / unit);
        }
        DataType::Decimal256(_, scale) => {
            let unit = 10f64.powi(i32::from(*scale));
            extend_numbers::<Decimal256Type>(array, to, |x| {
                x.to_string().parse::<f64>().unwrap_or(f64::NAN) / unit
            });
        }
        DataType::Boolean => {
            let values = array.as_boolean().values();
            to.extend(values.iter().map(|x| f64::from(u8::from(x))));
        }
        _ => return false,
    }
    true
}

fn extend_numbers<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    to: &mut Vec<f64>,
    number: impl Fn(T::Native) -> f64,
) {
    let values = array.as_primitive::<T>().values();
    run_in_wide_vectors(
        #[inline(always)]
        || to.extend(values.iter().map(|x| number(*x))),
    );
}
