//! Files and streams with a few other bytes, or without their end: tables or errors, never a
//! panic, and never more memory than the bytes are worth.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::sync::Arc;

use arrow_array::{
    ArrayRef, DictionaryArray, Float64Array, Int32Array, RecordBatch, StringArray, StringViewArray,
    types::Int8Type,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{IpcWriteOptions, StreamWriter};
use bytes::Bytes;
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::*;

const ROWS: usize = 120;

fn parquet(properties: WriterProperties) -> Vec<u8> {
    let schema = "message table { REQUIRED BYTE_ARRAY case (UTF8); OPTIONAL BYTE_ARRAY group \
                  (UTF8); REQUIRED DOUBLE energy_j; REQUIRED INT64 Add; OPTIONAL DOUBLE Mul; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).unwrap();
    for part in (0..ROWS).collect::<Vec<_>>().chunks(50) {
        let mut group = writer.next_row_group().unwrap();
        let texts = |text: &dyn Fn(usize) -> String| -> Vec<ByteArray> {
            part.iter().map(|i| ByteArray::from(text(*i).as_str())).collect()
        };
        let there = vec![1; part.len()];
        let mut column = group.next_column().unwrap().unwrap();
        let names = texts(&|i| format!("case {i}"));
        column.typed::<ByteArrayType>().write_batch(&names, None, None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let groups = texts(&|i| format!("g{}", i % 3));
        column.typed::<ByteArrayType>().write_batch(&groups, Some(&there), None).unwrap();
        column.close().unwrap();
        let numbers: Vec<f64> = part.iter().map(|i| *i as f64 + 0.5).collect();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<DoubleType>().write_batch(&numbers, None, None).unwrap();
        column.close().unwrap();
        let counts: Vec<i64> = part.iter().map(|i| *i as i64 % 7).collect();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<Int64Type>().write_batch(&counts, None, None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<DoubleType>().write_batch(&numbers, Some(&there), None).unwrap();
        column.close().unwrap();
        group.close().unwrap();
    }
    writer.into_inner().unwrap()
}

/// Plain and packed pages of both versions, with dictionaries and without.
fn parquets() -> Vec<Vec<u8>> {
    let packed = Compression::ZSTD(ZstdLevel::try_new(1).unwrap());
    let properties = || WriterProperties::builder();
    let all = [
        properties(),
        properties().set_compression(packed),
        properties().set_compression(Compression::SNAPPY).set_dictionary_enabled(false),
        properties().set_writer_version(WriterVersion::PARQUET_2_0).set_dictionary_enabled(false),
        properties().set_writer_version(WriterVersion::PARQUET_2_0).set_compression(packed),
    ];
    all.into_iter().map(|properties| parquet(properties.build())).collect()
}

fn batch() -> RecordBatch {
    let numbers = || (0..ROWS).map(|i| i as f64 + 0.5);
    let keys = Int32Array::from_iter_values((0..ROWS).map(|i| i as i32 % 3));
    let devices: DictionaryArray<Int8Type> = (0..ROWS).map(|i| ["B1", "B2"][i % 2]).collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("case", Arc::new(StringArray::from_iter_values((0..ROWS).map(|i| format!("case {i}"))))),
        ("group", Arc::new(StringViewArray::from_iter_values((0..ROWS).map(|i| format!("{i}"))))),
        ("device", Arc::new(devices)),
        ("energy_j", Arc::new(Float64Array::from_iter_values(numbers()))),
        ("Add", Arc::new(keys)),
        ("Mul", Arc::new(Float64Array::from_iter(numbers().map(Some)))),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn stream(packed: Option<CompressionType>) -> Vec<u8> {
    let batch = batch();
    let options = IpcWriteOptions::default().try_with_compression(packed).unwrap();
    let mut bytes = Vec::new();
    let mut writer =
        StreamWriter::try_new_with_options(&mut bytes, &batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.write(&batch.slice(10, 30)).unwrap();
    writer.finish().unwrap();
    drop(writer);
    bytes
}

fn streams() -> Vec<Vec<u8>> {
    [None, Some(CompressionType::ZSTD), Some(CompressionType::LZ4_FRAME)].map(stream).to_vec()
}

fn read_parquet(bytes: Vec<u8>) -> Result<Table, TableError> {
    let bytes = Bytes::from(bytes);
    let open = || {
        let bytes = bytes.clone();
        Ok(Box::new(ParquetPart::new(Box::new(move || Ok(bytes.clone())))?) as _)
    };
    let rows = TableRows::new(vec![UnopenedPart::new("a", open)], &ColumnChoice::default())?;
    Table::from_rows(&rows)
}

fn read_stream(bytes: Vec<u8>) -> Result<Table, TableError> {
    let open = || Ok(Box::new(ArrowStreamPart::new(bytes.as_slice())?) as _);
    let rows = TableRows::new(vec![UnopenedPart::new("a", open)], &ColumnChoice::default())?;
    Table::from_rows(&rows)
}

/// Some bytes changed, taken out or doubled, or the end cut off.
fn damaged(bytes: &[u8], random: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..random.random_range(1..5) {
        let at = random.random_range(0..bytes.len());
        match random.random_range(0..20) {
            0 => bytes.truncate(at.max(1)),
            1 => drop(bytes.drain(at..(at + 8).min(bytes.len()))),
            2..8 => bytes[at] ^= 1 << random.random_range(0..8),
            8..12 => bytes[at] = 0xff,
            12..14 => {
                let end = (at + 8).min(bytes.len());
                bytes[at..end].fill(if random.random() { 0x7f } else { 0xff });
            }
            _ => bytes[at] = random.random(),
        }
        if bytes.is_empty() {
            bytes.push(0);
        }
    }
    bytes
}

/// How many of so many damaged files are errors, and how many of those were panics.
fn errors(
    wholes: &[Vec<u8>],
    count: usize,
    read: impl Fn(Vec<u8>) -> Result<Table, TableError>,
) -> (usize, usize) {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let (mut errors, mut panics) = (0, 0);
    for n in 0..count {
        let whole = &wholes[n % wholes.len()];
        if let Err(error) = read(damaged(whole, &mut random)) {
            let text = error.to_string();
            assert!(text.len() < 1000, "{text}");
            errors += 1;
            panics += usize::from(text.contains("the decoder gave up"));
        }
    }
    (errors, panics)
}

#[test]
fn whole_files_and_streams_are_the_same_table() {
    let tables: Vec<Table> =
        parquets().into_iter().map(|bytes| read_parquet(bytes).unwrap()).collect();
    assert!(tables.iter().all(|table| *table == tables[0]));
    assert_eq!((tables[0].cases.len(), tables[0].cases[7].group.as_str()), (ROWS, "g1"));
    let tables: Vec<Table> =
        streams().into_iter().map(|bytes| read_stream(bytes).unwrap()).collect();
    assert!(tables.iter().all(|table| *table == tables[0]));
    let case = &tables[0].cases[ROWS + 1];
    assert_eq!(
        (tables[0].cases.len(), case.name.as_str(), case.device.as_str()),
        (ROWS + 30, "case 11", "B2")
    );
}

#[test]
fn damaged_parquet_is_an_error_and_no_panic() {
    let (errors, panics) = errors(&parquets(), 4000, read_parquet);
    println!("{errors} errors, {panics} panics");
    assert!(errors > 1000, "{errors} errors");
}

#[test]
fn damaged_streams_are_errors_and_no_panics() {
    let (errors, panics) = errors(&streams(), 2000, read_stream);
    println!("{errors} errors, {panics} panics");
    assert!(errors > 500, "{errors} errors");
    // The decoder of this version panics on some: they are caught.
    assert!(panics > 0, "{panics} panics");
}

/// The page header of the first dictionary states more values than it has bytes.
#[test]
fn a_dictionary_that_states_too_many_values_is_refused() {
    let mut bytes = parquet(WriterProperties::builder().build());
    // Field 7 of the page header, a structure; its field 1, 50 values, as zigzag.
    let header = [0x4c, 0x15, 100];
    let at = bytes.windows(3).position(|window| window == header).unwrap();
    bytes[at + 2] = 126;
    let whole = read_parquet(bytes.clone());
    assert!(whole.is_err());
    // Names have five bytes and more, so 63 of them could be there; of numbers there are fewer.
    let at = bytes.windows(3).rposition(|window| window == header).unwrap_or(at);
    bytes[at + 2] = 126;
    let error = read_parquet(bytes).unwrap_err().to_string();
    assert!(error.contains("damaged"), "{error}");
}

/// Texts as differences state how many they are, where a few bytes can be any number of them.
#[test]
fn texts_that_state_more_lengths_than_values_are_refused() {
    let properties = WriterProperties::builder();
    let properties =
        properties.set_writer_version(WriterVersion::PARQUET_2_0).set_dictionary_enabled(false);
    let bytes = parquet(properties.build());
    // Blocks of 128 lengths in 4 parts, and 50 of them.
    let header = [0x80, 0x01, 0x04, 50];
    let places: Vec<usize> =
        (0..bytes.len() - 4).filter(|at| bytes[*at..at + 4] == header).collect();
    assert!(places.len() >= 4, "{places:?}");
    for at in places {
        let mut bytes = bytes.clone();
        bytes[at + 3] = 127;
        let error = read_parquet(bytes);
        // Numbers may be differences as well, and are read one by one.
        if let Err(error) = error {
            assert!(error.to_string().contains("damaged"), "{error}");
        }
    }
    let first = bytes.windows(4).position(|window| window == header).unwrap();
    let mut bytes = bytes;
    bytes[first + 3] = 127;
    let error = read_parquet(bytes).unwrap_err().to_string();
    assert!(error.contains("more lengths of texts than it has values"), "{error}");
}

/// What LZ4 unpacks to is not known before: a buffer with more than it states is refused.
#[test]
fn a_buffer_that_unpacks_to_more_than_it_states_is_refused() {
    let whole = stream(Some(CompressionType::LZ4_FRAME));
    let stated = ((ROWS * size_of::<f64>()) as i64).to_le_bytes();
    let at = whole.windows(8).position(|window| window == stated).unwrap();
    let mut bytes = whole;
    bytes[at..at + 8].copy_from_slice(&8_i64.to_le_bytes());
    let error = read_stream(bytes).unwrap_err().to_string();
    assert!(error.contains("a buffer unpacks to more than it states"), "{error}");
}

/// Lengths of messages and of buffers unpacked are checked before anything is reserved.
#[test]
fn lengths_that_a_stream_states_are_not_believed() {
    let of = |bytes: Vec<u8>| read_stream(bytes).unwrap_err().to_string();
    let mut long = 0xffff_ffff_u32.to_le_bytes().to_vec();
    long.extend(i32::MAX.to_le_bytes());
    assert!(of(long).contains("no length of a description"));
    let mut below = 0xffff_ffff_u32.to_le_bytes().to_vec();
    below.extend((-5_i32).to_le_bytes());
    assert!(of(below).contains("no length of a description"));
    // A length of a body or buffer is eight bytes long, and the only number of its size.
    for (packed, wanted) in
        [(None, "bytes of an Arrow message"), (Some(CompressionType::ZSTD), "Arrow message")]
    {
        let whole = stream(packed);
        let mut refused = 0;
        for at in (0..whole.len() - 8).step_by(8) {
            let mut bytes = whole.clone();
            bytes[at..at + 8].copy_from_slice(&(1_i64 << 50).to_le_bytes());
            if let Err(error) = read_stream(bytes) {
                refused += usize::from(error.to_string().contains(wanted));
            }
        }
        assert!(refused > 0, "{packed:?}");
    }
}

#[test]
fn one_text_of_many_rows_is_not_copied_for_each() {
    let text = "x".repeat(1 << 20);
    let devices: DictionaryArray<Int8Type> = (0..ROWS).map(|_| text.as_str()).collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("device", Arc::new(devices)),
        ("energy_j", Arc::new(Float64Array::from(vec![1.0; ROWS]))),
        ("Add", Arc::new(Float64Array::from(vec![1.0; ROWS]))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut bytes = Vec::new();
    let mut writer = StreamWriter::try_new(&mut bytes, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    let error = read_stream(bytes).unwrap_err().to_string();
    assert!(error.contains("bytes of text in a block of a table"), "{error}");
}
