//! Small tables for the tests of this module.

use crate::dataset::{Case, Table};

/// A table of cases `case_0`, ... (each its own group) and features `op_0`, ...
pub(crate) fn table(rows: &[&[f64]], energies_j: &[f64]) -> Table {
    let cases = energies_j.iter().enumerate().map(|(i, energy_j)| case(i, *energy_j)).collect();
    let l = rows.first().map_or(0, |row| row.len());
    let features = (0..l).map(|j| format!("op_{j}")).collect();
    Table { cases, features, counts: rows.concat() }
}

fn case(i: usize, energy_j: f64) -> Case {
    Case {
        name: format!("case_{i}"),
        group: format!("group_{i}"),
        device: "board".to_owned(),
        duration_s: None,
        energy_j,
        energy_se_j: None,
        weight: None,
        executions: None,
    }
}

/// Fails with both sides unless every pair agrees within `tolerance` of the larger.
pub(crate) fn assert_close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    let size = expected.iter().fold(0.0f64, |size, e| size.max(e.abs()));
    for (f, e) in found.iter().zip(expected) {
        assert!((f - e).abs() <= tolerance * size, "{found:?}\n{expected:?}");
    }
}
