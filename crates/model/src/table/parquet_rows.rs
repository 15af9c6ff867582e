//! The rows of a Parquet file of any size, read in blocks: the same columns with the same
//! meaning as in a CSV. Of each column in use a page is held at a time.

use parquet::basic::{ConvertedType, Type as Physical};
use parquet::column::reader::ColumnReader;
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader, RowGroupReader, SerializedFileReader};

use super::cases::Case;
use super::from_csv::{CaseRecord, ColumnChoice, Places, find_columns};
use super::rows::{Block, Rows, RowsError, Take};

/// Rows of a block.
const ROWS: usize = 2048;

/// A Parquet file that can be read again and again.
pub struct ParquetRows<R: ChunkReader + 'static> {
    file: SerializedFileReader<R>,
    places: Places,
    features: Vec<String>,
}

impl From<ParquetError> for RowsError {
    fn from(error: ParquetError) -> Self {
        Self::Read { message: error.to_string() }
    }
}

impl<R: ChunkReader + 'static> ParquetRows<R> {
    /// Reads the schema and finds the columns.
    pub fn new(file: R, choice: &ColumnChoice) -> Result<Self, RowsError> {
        let file = SerializedFileReader::new(file)?;
        let schema = file.metadata().file_metadata().schema_descr_ptr();
        let names = schema.columns().iter().map(|column| column.path().string()).collect();
        let places = find_columns(names, choice)?;
        let repeated = |place: &&usize| schema.column(**place).max_rep_level() > 0;
        if let Some(place) = places.features.iter().find(repeated) {
            let message = format!(
                "column `{}` is a list; leave it out with --features",
                places.names[*place]
            );
            return Err(RowsError::Read { message });
        }
        let features = places.features.iter().map(|place| places.names[*place].clone()).collect();
        Ok(Self { file, places, features })
    }

    fn each(&self, features: &[usize], take: Take<'_>) -> Result<(), RowsError> {
        let mut first = 0;
        for group in 0..self.file.num_row_groups() {
            let group = self.file.get_row_group(group)?;
            let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
            let mut reading = Reading::new(group.as_ref(), &self.places, features)?;
            let end = first + rows;
            while first < end {
                let n = ROWS.min(end - first);
                reading.read(&self.places, first, n)?;
                take(Block { first, cases: &reading.cases, counts: &reading.counts });
                first += n;
            }
        }
        if first == 0 { Err(super::from_csv::TableError::NoRows.into()) } else { Ok(()) }
    }
}

impl<R: ChunkReader + 'static> Rows for ParquetRows<R> {
    fn features(&self) -> &[String] {
        &self.features
    }

    fn each_outline(&self, take: Take<'_>) -> Result<(), RowsError> {
        self.each(&[], take)
    }

    fn each_block(&self, take: Take<'_>) -> Result<(), RowsError> {
        self.each(&self.places.features, take)
    }
}

/// A row group being read.
struct Reading {
    /// Columns about the case, by place.
    about: Vec<(usize, Column)>,
    features: Vec<(usize, Column)>,
    cases: Vec<Case>,
    counts: Vec<f64>,
}

impl Reading {
    fn new(
        group: &dyn RowGroupReader,
        places: &Places,
        features: &[usize],
    ) -> Result<Self, RowsError> {
        let open = |place: usize| Ok((place, Column::new(group, place, &places.names[place])?));
        let about: Result<Vec<_>, RowsError> = places.about().map(open).collect();
        let features: Result<Vec<_>, RowsError> = features.iter().copied().map(open).collect();
        Ok(Self { about: about?, features: features?, cases: Vec::new(), counts: Vec::new() })
    }

    /// The next `n` rows, of which the first is number `first` of the file.
    fn read(&mut self, places: &Places, first: usize, n: usize) -> Result<(), RowsError> {
        let mut texts = Vec::with_capacity(self.about.len());
        for (place, column) in &mut self.about {
            texts.push((*place, column.texts(n)?));
        }
        self.cases.clear();
        for i in 0..n {
            let mut cells = vec![""; places.names.len()];
            texts.iter().for_each(|(place, texts)| cells[*place] = &texts[i]);
            let record = csv::StringRecord::from(cells);
            let row = CaseRecord { places, record: &record, number: first + i + 1 };
            self.cases.push(row.case()?);
        }
        let l = self.features.len();
        self.counts.resize(n * l, 0.0);
        for (j, (place, column)) in self.features.iter_mut().enumerate() {
            for (i, number) in column.numbers(n)?.iter().enumerate() {
                if !number.is_finite() {
                    let name = &places.names[*place];
                    let message = format!(
                        "row {}, column `{name}`: {number} is not a finite number; leave the \
                         column out with --features",
                        first + i + 1
                    );
                    return Err(RowsError::Read { message });
                }
                self.counts[i * l + j] = *number;
            }
        }
        Ok(())
    }
}

/// A column of a row group.
struct Column {
    name: String,
    reader: ColumnReader,
    /// Definition level of a value that is there.
    full: i16,
    numbers: Vec<f64>,
}

impl Column {
    fn new(group: &dyn RowGroupReader, place: usize, name: &str) -> Result<Self, RowsError> {
        let about = group.metadata().column(place).column_descr();
        let text = about.physical_type() == Physical::BYTE_ARRAY
            && about.converted_type() != ConvertedType::DECIMAL;
        let number = matches!(
            about.physical_type(),
            Physical::BOOLEAN
                | Physical::INT32
                | Physical::INT64
                | Physical::FLOAT
                | Physical::DOUBLE
        );
        if !text && !number {
            return Err(unreadable(name, "neither text nor a plain number"));
        }
        let full = about.max_def_level();
        let reader = group.get_column_reader(place)?;
        Ok(Self { name: name.to_owned(), reader, full, numbers: Vec::new() })
    }

    /// The next `n` values; NaN for those that are not there.
    fn numbers(&mut self, n: usize) -> Result<&[f64], RowsError> {
        let full = self.full;
        let numbers = &mut self.numbers;
        numbers.clear();
        match &mut self.reader {
            ColumnReader::BoolColumnReader(r) => values(r, n, full, |x| {
                numbers.push(x.map_or(f64::NAN, |x| f64::from(u8::from(*x))))
            }),
            ColumnReader::Int32ColumnReader(r) => {
                values(r, n, full, |x| numbers.push(x.map_or(f64::NAN, |x| f64::from(*x))))
            }
            ColumnReader::Int64ColumnReader(r) => {
                values(r, n, full, |x| numbers.push(x.map_or(f64::NAN, |x| *x as f64)))
            }
            ColumnReader::FloatColumnReader(r) => {
                values(r, n, full, |x| numbers.push(x.map_or(f64::NAN, |x| f64::from(*x))))
            }
            ColumnReader::DoubleColumnReader(r) => {
                values(r, n, full, |x| numbers.push(x.copied().unwrap_or(f64::NAN)))
            }
            _ => return Err(unreadable(&self.name, "text where numbers are needed")),
        }?;
        Ok(numbers)
    }

    /// The next `n` values as text, empty for those that are not there.
    fn texts(&mut self, n: usize) -> Result<Vec<String>, RowsError> {
        let full = self.full;
        if let ColumnReader::ByteArrayColumnReader(reader) = &mut self.reader {
            let mut texts = Vec::with_capacity(n);
            values(reader, n, full, |text| {
                let text = text.map(|text| String::from_utf8_lossy(text.data()).into_owned());
                texts.push(text.unwrap_or_default());
            })?;
            return Ok(texts);
        }
        let text = |x: &f64| if x.is_nan() { String::new() } else { x.to_string() };
        Ok(self.numbers(n)?.iter().map(text).collect())
    }
}

fn unreadable(name: &str, what: &str) -> RowsError {
    let message = format!("column `{name}` is {what}; leave it out with --features");
    RowsError::Read { message }
}

/// Hands the next `n` values over in order, `None` for those that are not there.
fn values<T: DataType>(
    reader: &mut parquet::column::reader::ColumnReaderImpl<T>,
    n: usize,
    full: i16,
    mut take: impl FnMut(Option<&T::T>),
) -> Result<(), RowsError> {
    let (mut found, mut levels) = (Vec::with_capacity(n), Vec::with_capacity(n));
    let mut read = 0;
    while read < n {
        let known = if full > 0 { Some(&mut levels) } else { None };
        let (records, ..) = reader.read_records(n - read, known, None, &mut found)?;
        if records == 0 {
            return Err(RowsError::Read { message: "a column ends before its rows".to_owned() });
        }
        read += records;
    }
    if full == 0 {
        found.iter().for_each(|value| take(Some(value)));
        return Ok(());
    }
    let mut found = found.iter();
    levels.iter().for_each(|level| take(if *level == full { found.next() } else { None }));
    Ok(())
}

#[cfg(test)]
#[path = "parquet_tests.rs"]
mod tests;
