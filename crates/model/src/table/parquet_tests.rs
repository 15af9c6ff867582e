//! Files written here are read as the same table from CSV would be.

use std::sync::Arc;

use bytes::Bytes;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::*;
use crate::table::{ColumnChoice, RowSource, Table, TableRows, UnopenedPart};

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

fn rows_of<'b>(
    files: Vec<(&str, Bytes)>,
    choice: &ColumnChoice,
) -> Result<TableRows<'b>, TableError> {
    let sources = files.into_iter().map(|(name, bytes)| {
        let open = move || {
            let bytes = bytes.clone();
            Ok(Box::new(ParquetPart::new(Box::new(move || Ok(bytes.clone())))?) as _)
        };
        UnopenedPart::new(name, open)
    });
    TableRows::new(sources.collect(), choice)
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut at = error.source();
    while let Some(error) = at {
        text = format!("{text}: {error}");
        at = error.source();
    }
    text
}

fn message(files: Vec<(&str, Bytes)>, choice: &ColumnChoice) -> String {
    let table = rows_of(files, choice).and_then(|rows| Table::from_rows(&rows));
    chain(&table.unwrap_err())
}

#[test]
fn blocks_hold_what_the_csv_holds() {
    let text: String =
        (0..7000).map(|i| format!("c{i},{}.5,{},{}\n", i, i * 7, i as f64 / 4.0)).collect();
    let csv = Table::from_csv(format!("case,energy_j,Add,Mul\n{text}"), &ColumnChoice::default());
    let csv = csv.unwrap();
    let rows = rows_of(vec![("one", file(7000, |_| false))], &ColumnChoice::default()).unwrap();
    assert_eq!(Table::from_rows(&rows).unwrap(), csv);
    let mut outline = 0;
    rows.for_each_block(PassColumns::Cases, &mut |block| {
        assert!(block.first == outline && block.counts.is_empty());
        outline += block.rows();
        std::ops::ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(outline, 7000);
    let twice = vec![("one", file(7000, |_| false)), ("two", file(10, |_| false))];
    let rows = rows_of(twice, &ColumnChoice::default()).unwrap();
    let both = Table::from_rows(&rows).unwrap();
    assert_eq!((both.cases.len(), &both.counts[14_000..]), (7010, &csv.counts[..20]));
}

#[test]
fn what_is_missing_or_of_no_use_is_named() {
    let default = ColumnChoice::default();
    let one = |file: Bytes| vec![("one", file)];
    let text = message(one(file(5000, |i| i == 4321)), &default);
    assert_eq!(
        text,
        "row 4322, column `Mul`: null is not a finite number; leave the column out with --features"
    );
    let choice = ColumnChoice { features: Some("case".into()), ..ColumnChoice::default() };
    assert!(message(one(file(5, |_| false)), &choice).contains("already used"));
    let choice = ColumnChoice { target: Some("joules".into()), ..ColumnChoice::default() };
    assert!(message(one(file(5, |_| false)), &choice).contains("`joules`"));
    let choice = ColumnChoice { target: Some("case".into()), ..ColumnChoice::default() };
    assert!(message(one(file(5, |_| false)), &choice).contains("column `case` is text"));
    assert!(message(one(file(0, |_| false)), &default).contains("no rows"));
    let text = message(one(Bytes::from_static(b"PAR1 and no more")), &default);
    assert!(text.contains("the footer") && text.contains("cut short"), "{text}");
}

/// A file of one column beside the energy, whose pages are packed so.
fn packed(codec: Compression) -> Bytes {
    let schema = "message table { REQUIRED DOUBLE energy_j; REQUIRED INT64 Add; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = Arc::new(WriterProperties::builder().set_compression(codec).build());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<DoubleType>().write_batch(&[0.5; 100], None, None).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<Int64Type>().write_batch(&[7; 100], None, None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    Bytes::from(writer.into_inner().unwrap())
}

#[test]
fn every_codec_is_read_or_named() {
    let default = ColumnChoice::default();
    for codec in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(Default::default()),
        Compression::BROTLI(Default::default()),
        Compression::LZ4,
        Compression::LZ4_RAW,
        Compression::ZSTD(Default::default()),
    ] {
        let rows = rows_of(vec![("one", packed(codec))], &default).unwrap();
        let table = Table::from_rows(&rows).unwrap();
        assert_eq!((table.cases[99].energy_j, table.row(99)), (0.5, &[7.0][..]), "{codec}");
    }
    // Nobody writes it any more: the number of snappy in the metadata is made that of LZO.
    let mut bytes = packed(Compression::SNAPPY).to_vec();
    let columns = [b"\x18\x08energy_j\x15\x02".as_slice(), b"\x18\x03Add\x15\x02"];
    let is = |at: usize, name: &[u8]| bytes[at..].starts_with(&name[1..]);
    let places: Vec<usize> = (0..bytes.len() - 12)
        .filter(|at| columns.iter().any(|name| is(*at, name)))
        .map(|at| at + bytes[at] as usize + 2)
        .collect();
    assert_eq!(places.len(), 2, "both columns of the footer");
    places.into_iter().for_each(|at| bytes[at] = 0x06);
    let text = message(vec![("one", Bytes::from(bytes))], &default);
    let expected = "row group 1, column `energy_j`: compression by LZO is not read; write the file \
                    anew, with snappy, gzip, brotli,";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn what_the_decoder_lacks_is_no_damage() {
    let error = ParquetError::NYI("Encoding X is not supported".to_owned());
    let text = decoder_error("row group 1".to_owned(), &error).to_string();
    assert!(
        text.contains("is not read; write the file anew") && !text.contains("damaged"),
        "{text}"
    );
    let error = ParquetError::General("the page is 3 bytes short".to_owned());
    assert!(decoder_error("row group 1".to_owned(), &error).to_string().contains("damaged"));
}

/// Bytes that are missing in the middle, or flipped: an error that names file and place.
#[test]
fn damage_is_told_with_its_place() {
    let whole = file(9000, |_| false);
    let default = ColumnChoice::default();
    let with = |bytes: Vec<u8>| vec![("good", whole.clone()), ("bad", Bytes::from(bytes))];
    let mut cut = whole[..4].to_vec();
    cut.extend_from_slice(&whole[whole.len() / 2..]);
    let text = message(with(cut), &default);
    assert!(text.starts_with("bad: ") && text.contains("cut short or damaged"), "{text}");
    let mut flipped = whole.to_vec();
    flipped[4..200].iter_mut().for_each(|byte| *byte ^= 0x55);
    let text = message(with(flipped), &default);
    assert!(text.starts_with("bad: row group 1, column `case`"), "{text}");
}
