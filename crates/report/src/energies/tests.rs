//! What is written reads back, and sums of it are the same in any division and order.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::collections::BTreeMap;

use ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::Decimal128Type;
use arrow_array::{Array, RecordBatch};
use proptest::prelude::*;

use super::*;
use crate::account::{Femtojoules, LedgerEntry, account};
use crate::atto::Atto;
use crate::sample_accounts;

/// The rows of a Parquet file, and its key-value metadata.
fn read(bytes: Vec<u8>) -> (RecordBatch, BTreeMap<String, String>) {
    let builder = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(bytes)).unwrap();
    let pairs = builder.metadata().file_metadata().key_value_metadata().unwrap().iter();
    let pairs = pairs.filter_map(|pair| Some((pair.key.clone(), pair.value.clone()?))).collect();
    (builder.build().unwrap().next().unwrap().unwrap(), pairs)
}

fn texts(batch: &RecordBatch, name: &str) -> Vec<Option<String>> {
    let column = batch.column_by_name(name).unwrap().as_string::<i32>();
    column.iter().map(|text| text.map(str::to_owned)).collect()
}

fn exact(batch: &RecordBatch, name: &str) -> Vec<Option<i128>> {
    let column = batch.column_by_name(name).unwrap().as_primitive::<Decimal128Type>();
    column.iter().collect()
}

/// Sums of a column by the values of another, as SQL has them: what is not known adds nothing.
fn sums<'b>(files: impl IntoIterator<Item = &'b RecordBatch>) -> BTreeMap<Option<String>, i128> {
    let mut sums = BTreeMap::new();
    for file in files {
        for (key, energy) in texts(file, "tenant").into_iter().zip(exact(file, "energy_j")) {
            *sums.entry(key).or_default() += energy.unwrap_or(0);
        }
    }
    sums
}

/// A partial with these energies by tenant.
fn partial(rows: &[(u8, Option<f64>)]) -> EnergyRows {
    let energies = rows.iter().map(|(_, energy)| energy.and_then(Atto::nearest));
    let columns = vec![
        EnergyColumn::text("tenant", rows.iter().map(|(tenant, _)| Some(format!("t{tenant}")))),
        EnergyColumn::exact("energy_j", energies),
    ];
    EnergyRows { kind: "tenants", columns }
}

#[test]
fn every_row_and_the_file_say_what_they_are() {
    let mut partial = partial(&[(1, Some(0.5)), (2, None)]);
    let named = BTreeMap::from([("misses".to_owned(), Atto::nearest(3.0).unwrap())]);
    let values = ColumnValues::ByName(vec![named, BTreeMap::new()]);
    partial.columns.push(EnergyColumn { name: "counters", values });
    partial.columns.push(EnergyColumn::count("switches", [Some(u64::MAX), None]));
    partial.columns.push(EnergyColumn::line("line", [None, Some(7)]));
    let (batch, pairs) = read(partial.to_parquet("a/trace").unwrap());
    assert_eq!(texts(&batch, "recording"), [Some("a/trace".into()), Some("a/trace".into())]);
    assert_eq!(texts(&batch, "part"), [Some(partial.part()), Some(partial.part())]);
    let rows = batch.column_by_name("part_rows").unwrap();
    assert_eq!(rows.as_primitive::<arrow_array::types::Int32Type>().values(), &[2, 2]);
    assert_eq!(exact(&batch, "energy_j"), [Some(500_000_000_000_000_000), None]);
    assert_eq!(exact(&batch, "switches"), [Some(i128::from(u64::MAX)), None]);
    let format = arrow_schema::DataType::Decimal128(38, 18);
    assert_eq!(batch.column_by_name("energy_j").unwrap().data_type(), &format);
    let maps = batch.column_by_name("counters").unwrap().as_map();
    assert_eq!((maps.value_length(0), maps.value_length(1)), (1, 0));
    let found =
        ["rows", "format", "part", "version"].map(|key| &*pairs[&format!("wattline:{key}")]);
    assert_eq!(found, ["tenants", "1", &partial.part(), env!("CARGO_PKG_VERSION")]);
}

#[test]
fn a_part_is_known_by_its_rows_alone() {
    let one = partial(&[(1, Some(0.5))]);
    assert_eq!(one.part(), partial(&[(1, Some(0.5))]).part());
    assert_ne!(one.part(), partial(&[(1, Some(0.5000000000000001))]).part());
    assert_ne!(one.part(), partial(&[(1, None)]).part());
    let again = |name| one.to_parquet(name).unwrap();
    assert_eq!(again("a"), again("a"), "the same bytes");
    assert_ne!(again("a"), again("b"));
}

#[test]
fn levels_of_accounts_add_up_and_so_does_the_ledger() {
    let accounts = account(&sample_accounts::awkward().scenario());
    let (batch, _) = read(of_accounts(&accounts).unwrap().to_parquet("campaign").unwrap());
    let mut levels: BTreeMap<Option<String>, i128> = BTreeMap::new();
    for (level, energy) in texts(&batch, "level").into_iter().zip(exact(&batch, "energy_j")) {
        *levels.entry(level).or_default() += energy.unwrap();
    }
    let attojoules = |energy: Femtojoules| Atto::of_energy(energy).unwrap().attounits();
    let measured = attojoules(accounts.ledger.energy(LedgerEntry::Measured));
    let above_idle = attojoules(accounts.ledger.above_idle());
    let level = |name: &str, energy| (Some(name.to_owned()), energy);
    let levels_above_idle = ["operation", "block", "line", "method"];
    let levels_above_idle = levels_above_idle.map(|name| level(name, above_idle));
    let expected = levels_above_idle.into_iter().chain([level("ledger", measured)]).collect();
    assert_eq!(levels, expected);
}

proptest! {
    #[test]
    fn sums_are_the_same_in_any_division_and_order(
        recordings in proptest::collection::vec(
            proptest::collection::vec((0..5_u8, proptest::option::of(-1e6..1e9_f64)), 1..8),
            1..12,
        ).prop_shuffle(),
        parts in 1..5_usize,
    ) {
        let whole: Vec<(u8, Option<f64>)> = recordings.concat();
        let (whole, _) = read(partial(&whole).to_parquet("all").unwrap());
        let files: Vec<RecordBatch> = recordings
            .iter()
            .map(|rows| read(partial(rows).to_parquet("one").unwrap()).0)
            .collect();
        let mut of_parts: BTreeMap<Option<String>, i128> = BTreeMap::new();
        for part in 0..parts {
            for (tenant, sum) in sums(files.iter().skip(part).step_by(parts)) {
                *of_parts.entry(tenant).or_default() += sum;
            }
        }
        prop_assert_eq!(&of_parts, &sums(&files));
        prop_assert_eq!(of_parts, sums([&whole]));
    }
}
