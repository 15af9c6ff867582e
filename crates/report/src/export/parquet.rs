//! CSV to Parquet: equal columns and rows. A column has whole numbers, numbers or text, depending
//! on its fields; empty fields are null. The file's key-value metadata has the unit of each
//! column with one: `unit:energy_j` is `J`.

use crate::csv_text;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;

/// Error of writing a CSV text as Parquet.
#[derive(Debug, thiserror::Error)]
pub enum CsvToParquetError {
    /// The text isn't a CSV with equally long rows.
    #[error("not a table: {0}")]
    Csv(#[from] csv::Error),
    /// The Parquet writer rejected the columns.
    #[error("can't be written as Parquet: {0}")]
    Parquet(#[from] ParquetError),
}

/// Type of all filled fields of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ColumnKind {
    Whole,
    Number,
    Text,
}

/// Converts a CSV text to the bytes of a Parquet file.
///
/// # Errors The text is not CSV.
pub fn parquet(table: &str) -> Result<Vec<u8>, CsvToParquetError> {
    let mut reader = csv_text::reader(table);
    let names: Vec<String> = reader.headers()?.iter().map(str::to_owned).collect();
    let mut columns: Vec<Vec<String>> = vec![Vec::new(); names.len()];
    for row in reader.records() {
        for (column, field) in columns.iter_mut().zip(&row?) {
            column.push(field.to_owned());
        }
    }
    let sorts: Vec<ColumnKind> = columns.iter().map(|column| column_kind(column)).collect();
    let fields = names.iter().zip(&sorts).map(|(name, sort)| schema_field(name, *sort));
    let fields = fields.collect::<Result<Vec<_>, _>>()?;
    let schema = Type::group_type_builder("table").with_fields(fields).build()?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_key_value_metadata(Some(names.iter().filter_map(|name| unit_of(name)).collect()))
        .build();
    let mut writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    for (column, sort) in columns.iter().zip(sorts) {
        write_column(&mut group, column, sort)?;
    }
    group.close()?;
    Ok(writer.into_inner()?)
}

/// Last words of column names, with the units that they stand for.
const UNITS: [(&str, &str); 15] = [
    ("j", "J"),
    ("uj", "uJ"),
    ("w", "W"),
    ("v", "V"),
    ("a", "A"),
    ("s", "s"),
    ("ms", "ms"),
    ("us", "us"),
    ("ns", "ns"),
    ("hz", "Hz"),
    ("khz", "kHz"),
    ("bytes", "byte"),
    ("c", "Cel"),
    ("share", "1"),
    ("percent", "%"),
];

/// Unit of a column, from the end of its name.
fn unit_of(name: &str) -> Option<KeyValue> {
    let last = name.rsplit('_').next().unwrap_or(name);
    let is_word_alone = last == name && last.len() < 3;
    let unit = UNITS.iter().find(|(end, _)| *end == last && !is_word_alone)?.1;
    Some(KeyValue::new(format!("unit:{name}"), unit.to_string()))
}

fn column_kind(column: &[String]) -> ColumnKind {
    let filled = || column.iter().filter(|field| !field.is_empty());
    if filled().next().is_none() {
        ColumnKind::Text
    } else if filled().all(|field| field.parse::<i64>().is_ok()) {
        ColumnKind::Whole
    } else if filled().all(|field| field.parse::<f64>().is_ok()) {
        ColumnKind::Number
    } else {
        ColumnKind::Text
    }
}

fn schema_field(name: &str, sort: ColumnKind) -> Result<Arc<Type>, ParquetError> {
    let (physical, logical) = match sort {
        ColumnKind::Whole => (Physical::INT64, None),
        ColumnKind::Number => (Physical::DOUBLE, None),
        ColumnKind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
    };
    let field = Type::primitive_type_builder(name, physical)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(logical);
    Ok(Arc::new(field.build()?))
}

fn write_column(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    column: &[String],
    sort: ColumnKind,
) -> Result<(), ParquetError> {
    let levels: Vec<i16> = column.iter().map(|field| i16::from(!field.is_empty())).collect();
    let filled = || column.iter().filter(|field| !field.is_empty());
    let Some(mut writer) = group.next_column()? else { return Ok(()) };
    match sort {
        ColumnKind::Whole => {
            let values: Vec<i64> = filled().filter_map(|field| field.parse().ok()).collect();
            writer.typed::<Int64Type>().write_batch(&values, Some(&levels), None)?;
        }
        ColumnKind::Number => {
            let values: Vec<f64> = filled().filter_map(|field| field.parse().ok()).collect();
            writer.typed::<DoubleType>().write_batch(&values, Some(&levels), None)?;
        }
        ColumnKind::Text => {
            let values: Vec<ByteArray> = filled().map(|f| ByteArray::from(f.as_str())).collect();
            writer.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None)?;
        }
    }
    writer.close()
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader, SerializedFileReader};

    #[test]
    fn the_rows_read_back() {
        let text = "name,n,energy_j,none\na,1,0.5,\n\"b,c\",-2,,\n,3,1e-9,\n";
        let bytes = bytes::Bytes::from(super::parquet(text).unwrap());
        let reader = SerializedFileReader::new(bytes).unwrap();
        let rows: Vec<String> =
            reader.get_row_iter(None).unwrap().map(|row| row.unwrap().to_string()).collect();
        let expected = [
            "{name: \"a\", n: 1, energy_j: 0.5, none: null}",
            "{name: \"b,c\", n: -2, energy_j: null, none: null}",
            "{name: null, n: 3, energy_j: 0.000000001, none: null}",
        ];
        assert_eq!(rows, expected);
        let metadata = reader.metadata().file_metadata().key_value_metadata().unwrap();
        let units: Vec<_> =
            metadata.iter().map(|pair| (&*pair.key, pair.value.as_deref())).collect();
        assert_eq!(units, [("unit:energy_j", Some("J"))]);
        assert!(super::parquet("a,b\n1\n").is_err());
    }

    /// The columns of accounts have the units that are published for them.
    #[test]
    fn names_of_columns_say_their_units() {
        let text = include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../docs/reference/accounts.schema.json"
        ));
        let schema: serde_json::Value = serde_json::from_str(text).unwrap();
        let columns = schema["files"].as_object().unwrap().values();
        for column in columns.flat_map(|columns| columns.as_array().unwrap()) {
            let [name, unit] = ["name", "unit"].map(|key| column[key].as_str().unwrap());
            let found = super::unit_of(name).and_then(|pair| pair.value).unwrap_or_default();
            assert_eq!(found, unit, "{name}");
        }
        assert!(super::unit_of("s").is_none() && super::unit_of("energy").is_none());
    }
}
