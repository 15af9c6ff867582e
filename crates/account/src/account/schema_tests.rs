//! The published columns are those that are written.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::account::calls::{CallTree, call_accounts, call_tables};
use crate::account::profile::Hits;
use crate::account::{AccountInput, SampledCase, account, sample, table};

const SCHEMA: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/accounts.schema.json"));

/// What is wrong with one field.
fn is_wrong(kind: &str, field: &str) -> bool {
    let (kind, optional) = kind.strip_suffix('?').map_or((kind, false), |kind| (kind, true));
    if field.is_empty() {
        return !optional;
    }
    match kind {
        "integer" => field.parse::<i64>().is_err(),
        "number" => field.parse::<f64>().is_err(),
        "boolean" => field.parse::<bool>().is_err(),
        "string" => false,
        other => panic!("{other} is no type"),
    }
}

#[test]
fn tables_have_the_published_columns() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let files = schema["files"].as_object().unwrap();
    for sample in [sample::awkward(), sample::program_1()] {
        let plain = account(&sample.scenario());
        let seen = &plain.methods[0].key;
        let methods = BTreeMap::from([((seen.class.clone(), seen.method.clone()), 40)]);
        let hits = Hits { methods, ..Hits::default() };
        let energy = plain.ledger.above_idle().joules();
        let cases = [SampledCase::of(energy, vec![hits]).unwrap()];
        let scenario = AccountInput { samples: &cases, ..sample.scenario() };
        let accounts = account(&scenario);
        let mut written: Vec<(&str, String)> =
            table::tables(&accounts).into_iter().map(|file| (file.name, file.text)).collect();
        written.push(("ledger.csv", table::ledger_csv(&accounts)));
        let calls = call_accounts(&scenario, &accounts, &CallTree::default());
        let by_calls = call_tables(&calls, &accounts);
        written.extend(by_calls.into_iter().map(|file| (file.name, file.text)));
        assert_eq!(written.len(), files.len());
        for (name, text) in written {
            let columns = files[name].as_array().unwrap();
            let mut reader = csv::Reader::from_reader(text.as_bytes());
            let names: Vec<&str> = columns.iter().map(|c| c["name"].as_str().unwrap()).collect();
            assert_eq!(reader.headers().unwrap().iter().collect::<Vec<_>>(), names, "{name}");
            for row in reader.records().map(Result::unwrap) {
                for (column, field) in columns.iter().zip(&row) {
                    let kind = column["type"].as_str().unwrap();
                    assert!(!is_wrong(kind, field), "{name} {column}: {field:?}");
                }
            }
        }
    }
}

#[test]
fn the_check_can_fail() {
    assert!(is_wrong("integer", "") && is_wrong("integer?", "0.5") && is_wrong("number", "x"));
}
