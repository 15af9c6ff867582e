//! The published schema describes what is written.

use serde_json::Value;

use crate::schema::violations;
use crate::table::{ColumnChoice, Table};
use crate::{FitOptions, MODEL_FORMAT, Solver, fit};

const SCHEMA: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/model.schema.json"));

/// Rows of two counts and an energy.
fn table(rows: &str) -> Table {
    let choice = ColumnChoice::default();
    Table::from_csv(format!("op_0,op_1,energy_j\n{rows}"), &choice).unwrap()
}

#[test]
fn models_of_all_solvers_follow_the_schema() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    assert_eq!(schema["properties"]["format"]["const"], MODEL_FORMAT);
    let data = table("1,0,1.0\n2,1,2.6\n1,4,3.1\n3,1,3.4\n5,0,5.1\n2,2,3.0\n");
    let together = table("1,1,1.0\n2,2,2.0\n3,3,3.1\n");
    for solver in Solver::ALL {
        for data in [&data, &together] {
            let Ok(model) = fit(data, &FitOptions::new(solver)) else {
                assert_eq!(solver, Solver::Bayes);
                continue;
            };
            let value: Value = serde_json::from_str(&model.to_json().unwrap()).unwrap();
            assert_eq!(violations(&schema, &value, "model"), [""; 0], "{solver:?}");
        }
    }
}

#[test]
fn the_checker_can_fail() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let found = violations(&schema, &serde_json::json!({"format": 2, "x": 1}), "model");
    assert!(found.iter().any(|f| f.contains("constant")), "{found:?}");
    assert!(found.iter().any(|f| f.contains("model.x")), "{found:?}");
    assert!(found.iter().any(|f| f.contains("model.costs is missing")), "{found:?}");
}
