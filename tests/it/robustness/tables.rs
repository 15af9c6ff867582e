//! Fuzz targets: tables as CSV, Parquet and Arrow's stream format, of any bytes.

use std::sync::{Arc, OnceLock};

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{IpcWriteOptions, StreamWriter};
use bolero::TypeGenerator;
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use wattline::model::table::{
    ArrowStreamPart, ColumnChoice, CsvPart, ParquetPart, Table, TableError, TableRows, UnopenedPart,
};

use super::fuzz::{Edit, duration};

/// What is done to a file. Numbers are taken modulo what they choose from.
#[derive(Debug, TypeGenerator)]
struct Mutation {
    seed: u8,
    #[generator(bolero::produce::<Vec<Edit>>().with().len(1usize..6))]
    edits: Vec<Edit>,
}

impl Mutation {
    fn bytes(&self, seeds: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = seeds[usize::from(self.seed) % seeds.len()].clone();
        self.edits.iter().for_each(|edit| edit.apply(&mut bytes, seeds));
        bytes
    }
}

fn batch() -> RecordBatch {
    let numbers = |factor: f64| -> ArrayRef {
        Arc::new(Float64Array::from_iter_values((0..60).map(|i| factor * f64::from(i % 13 + 1))))
    };
    let names = StringArray::from_iter_values((0..60).map(|i| format!("case {i}")));
    let columns: Vec<(&str, ArrayRef)> =
        vec![("case", Arc::new(names)), ("energy_j", numbers(2.0)), ("Add", numbers(1.0))];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn parquets() -> &'static [Vec<u8>] {
    static SEEDS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    SEEDS.get_or_init(|| {
        let batch = batch();
        let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        vec![writer.into_inner().unwrap()]
    })
}

fn streams() -> &'static [Vec<u8>] {
    static SEEDS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    SEEDS.get_or_init(|| {
        let stream = |packed| {
            let (batch, mut bytes) = (batch(), Vec::new());
            let options = IpcWriteOptions::default().try_with_compression(packed).unwrap();
            let mut writer =
                StreamWriter::try_new_with_options(&mut bytes, &batch.schema(), options).unwrap();
            writer.write(&batch).unwrap();
            writer.finish().unwrap();
            drop(writer);
            bytes
        };
        vec![stream(None), stream(Some(CompressionType::ZSTD))]
    })
}

/// A table has a count for each case and feature, and an error few words.
fn checked(table: Result<Table, TableError>) {
    match table {
        Ok(table) => assert_eq!(table.counts.len(), table.cases.len() * table.features.len()),
        Err(error) => assert!((1..2000).contains(&error.to_string().len()), "{error}"),
    }
}

fn table(source: UnopenedPart<'_>) -> Result<Table, TableError> {
    Table::from_rows(&TableRows::new(vec![source], &ColumnChoice::default())?)
}

#[test]
fn csv_is_read_whatever_it_is() {
    let seeds = [
        b"case,group,device,duration_s,energy_j,energy_se_j,Add,lib:a\none,n,B1,1,2.5,0.1,1,3\n"
            .to_vec(),
        b"\"energy_j\",\"a \"\"b\",c\r\n1e3,\"2\",3\r\n-1,nan,\r\n".to_vec(),
    ];
    let target = bolero::check!().with_type::<Mutation>().with_test_time(duration());
    target.for_each(|mutation| {
        let bytes = mutation.bytes(&seeds);
        let open = || {
            let open = || -> std::io::Result<Box<dyn std::io::Read>> {
                Ok(Box::new(std::io::Cursor::new(bytes.clone())))
            };
            Ok(Box::new(CsvPart::new(Box::new(open))) as _)
        };
        checked(table(UnopenedPart::new("a", open)));
    });
}

#[test]
fn parquet_is_read_whatever_it_is() {
    let target = bolero::check!().with_type::<Mutation>().with_test_time(duration());
    target.for_each(|mutation| {
        let bytes = Bytes::from(mutation.bytes(parquets()));
        let open = || {
            let bytes = bytes.clone();
            Ok(Box::new(ParquetPart::new(Box::new(move || Ok(bytes.clone())))?) as _)
        };
        checked(table(UnopenedPart::new("a", open)));
    });
}

#[test]
fn arrow_streams_are_read_whatever_they_are() {
    let target = bolero::check!().with_type::<Mutation>().with_test_time(duration());
    target.for_each(|mutation| {
        let bytes = mutation.bytes(streams());
        let open = || Ok(Box::new(ArrowStreamPart::new(bytes.as_slice())?) as _);
        checked(table(UnopenedPart::new("a", open)));
    });
}
