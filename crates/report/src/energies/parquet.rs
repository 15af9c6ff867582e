//! Energy rows as a Parquet file. Every row also has the version of the format, the identifier
//! and number of the rows, and the name of the recording; quantities are decimals, which
//! databases add up exactly. The file's key-value metadata repeats these, with the version of
//! this program.

use std::sync::Arc;

use arrow_array::builder::{Decimal128Builder, MapBuilder, StringBuilder};
use arrow_array::{ArrayRef, Decimal128Array, Int32Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use super::{ColumnValues, EnergyRows, EnergyRowsError, FORMAT};
use crate::atto::{Atto, DECIMAL_PRECISION, DECIMAL_SCALE};

/// Digits of counts, enough for 64 bits.
const COUNT_DIGITS: u8 = 20;

impl EnergyRows {
    /// Writes the bytes of the Parquet file; `recording` is the name in its rows.
    ///
    /// # Errors
    /// The columns are not of one length.
    pub fn to_parquet(&self, recording: &str) -> Result<Vec<u8>, EnergyRowsError> {
        let (part, rows) = (self.part(), self.rows());
        let same = |text: &str| -> ArrayRef {
            Arc::new(StringArray::from_iter_values(std::iter::repeat_n(text, rows)))
        };
        let number = |number: i32| -> ArrayRef { Arc::new(Int32Array::from(vec![number; rows])) };
        let mut columns = vec![
            ("format", number(FORMAT)),
            ("part", same(&part)),
            ("part_rows", number(i32::try_from(rows).unwrap_or(i32::MAX))),
            ("recording", same(recording)),
        ];
        let of_all = columns.len();
        for column in &self.columns {
            columns.push((column.name, array(&column.values)?));
        }
        let field = |(at, (name, array)): (usize, &(&str, ArrayRef))| {
            Field::new(*name, array.data_type().clone(), at >= of_all)
        };
        let fields: Vec<Field> = columns.iter().enumerate().map(field).collect();
        let schema = Arc::new(Schema::new(fields));
        let arrays = columns.into_iter().map(|(_, array)| array).collect();
        let batch = RecordBatch::try_new(Arc::clone(&schema), arrays)?;
        let properties = self.properties(&part);
        let mut writer = ArrowWriter::try_new(Vec::new(), schema, Some(properties))?;
        writer.write(&batch)?;
        Ok(writer.into_inner()?)
    }

    fn properties(&self, part: &str) -> WriterProperties {
        let version = env!("CARGO_PKG_VERSION");
        let pairs = [
            ("wattline:rows", self.kind),
            ("wattline:format", &FORMAT.to_string()),
            ("wattline:part", part),
            ("wattline:version", version),
        ];
        let pairs = pairs.map(|(key, value)| KeyValue::new(key.to_owned(), value.to_owned()));
        WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(format!("wattline version {version}"))
            .set_key_value_metadata(Some(pairs.into()))
            .build()
    }
}

fn array(values: &ColumnValues) -> Result<ArrayRef, ArrowError> {
    let whole = |value: &Option<u64>| value.map(i128::from);
    Ok(match values {
        ColumnValues::Text(values) => Arc::new(StringArray::from_iter(values)),
        ColumnValues::Line(values) => {
            let lines = values.iter().map(|line| line.and_then(|line| i32::try_from(line).ok()));
            Arc::new(Int32Array::from_iter(lines))
        }
        ColumnValues::Count(values) => decimals(values.iter().map(whole), COUNT_DIGITS, 0)?,
        ColumnValues::Exact(values) => {
            let attounits = values.iter().map(|value| value.map(Atto::attounits));
            decimals(attounits, DECIMAL_PRECISION, DECIMAL_SCALE as i8)?
        }
        ColumnValues::ByName(values) => {
            let of = Decimal128Builder::new().with_data_type(exact_type());
            let mut maps = MapBuilder::new(None, StringBuilder::new(), of);
            for map in values {
                for (name, value) in map {
                    maps.keys().append_value(name);
                    maps.values().append_value(value.attounits());
                }
                maps.append(true)?;
            }
            Arc::new(maps.finish())
        }
    })
}

fn exact_type() -> DataType {
    DataType::Decimal128(DECIMAL_PRECISION, DECIMAL_SCALE as i8)
}

fn decimals(
    values: impl Iterator<Item = Option<i128>>,
    precision: u8,
    scale: i8,
) -> Result<ArrayRef, ArrowError> {
    let array = Decimal128Array::from_iter(values);
    Ok(Arc::new(array.with_precision_and_scale(precision, scale)?))
}
