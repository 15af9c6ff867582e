//! Files written here are read as the same table from CSV would be.

use std::sync::Arc;

use bytes::Bytes;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::super::cases::Table;
use super::*;

/// `rows` rows in groups of 3000: case, energy, an integer count, a number that may be
/// missing.
fn file(rows: usize, missing: impl Fn(usize) -> bool) -> Bytes {
    let schema = "message table { REQUIRED BYTE_ARRAY case (UTF8); REQUIRED DOUBLE energy_j; \
                  REQUIRED INT64 Add; OPTIONAL DOUBLE Mul; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties).unwrap();
    let all: Vec<usize> = (0..rows).collect();
    for part in all.chunks(3000) {
        let mut group = writer.next_row_group().unwrap();
        let names: Vec<ByteArray> =
            part.iter().map(|i| ByteArray::from(format!("c{i}").as_str())).collect();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<ByteArrayType>().write_batch(&names, None, None).unwrap();
        column.close().unwrap();
        let energies: Vec<f64> = part.iter().map(|i| *i as f64 + 0.5).collect();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<DoubleType>().write_batch(&energies, None, None).unwrap();
        column.close().unwrap();
        let counts: Vec<i64> = part.iter().map(|i| *i as i64 * 7).collect();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<Int64Type>().write_batch(&counts, None, None).unwrap();
        column.close().unwrap();
        let there: Vec<f64> =
            part.iter().filter(|i| !missing(**i)).map(|i| *i as f64 / 4.0).collect();
        let levels: Vec<i16> = part.iter().map(|i| i16::from(!missing(*i))).collect();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<DoubleType>().write_batch(&there, Some(&levels), None).unwrap();
        column.close().unwrap();
        group.close().unwrap();
    }
    Bytes::from(writer.into_inner().unwrap())
}

#[test]
fn blocks_hold_what_the_csv_holds() {
    let text: String =
        (0..7000).map(|i| format!("c{i},{}.5,{},{}\n", i, i * 7, i as f64 / 4.0)).collect();
    let csv = Table::from_csv(&format!("case,energy_j,Add,Mul\n{text}"), &ColumnChoice::default());
    let rows = ParquetRows::new(file(7000, |_| false), &ColumnChoice::default()).unwrap();
    assert_eq!(Table::from_rows(&rows).unwrap(), csv.unwrap());
    let mut outline = 0;
    rows.each_outline(&mut |block| {
        assert!(block.first == outline && block.counts.is_empty());
        outline += block.cases.len();
    })
    .unwrap();
    assert_eq!(outline, 7000);
}

#[test]
fn what_is_missing_or_of_no_use_is_named() {
    let message = |rows: Result<ParquetRows<Bytes>, RowsError>| {
        rows.and_then(|rows| Table::from_rows(&rows)).unwrap_err().to_string()
    };
    let gap = ParquetRows::new(file(5000, |i| i == 4321), &ColumnChoice::default());
    let text = message(gap);
    assert!(text.contains("row 4322") && text.contains("`Mul`"), "{text}");
    let choice = ColumnChoice { features: Some("case".into()), ..ColumnChoice::default() };
    assert!(message(ParquetRows::new(file(5, |_| false), &choice)).contains("already used"));
    let choice = ColumnChoice { target: Some("joules".into()), ..ColumnChoice::default() };
    assert!(message(ParquetRows::new(file(5, |_| false), &choice)).contains("`joules`"));
    assert!(
        message(ParquetRows::new(file(0, |_| false), &ColumnChoice::default())).contains("no rows")
    );
    let broken =
        ParquetRows::new(Bytes::from_static(b"PAR1 and no more"), &ColumnChoice::default());
    assert!(broken.is_err());
}
