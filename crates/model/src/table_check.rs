//! Checks of a table before anything is fitted to it.

use std::collections::BTreeSet;

use super::error::ModelError;
use crate::table::Table;

/// Refuses tables that no solver can use: empty, misshapen, with NaN or infinities,
/// without any count.
pub(crate) fn check_table(table: &Table) -> Result<(), ModelError> {
    let (cases, features) = (table.cases.len(), table.features.len());
    if cases == 0 {
        return Err(ModelError::NoCases);
    }
    if features == 0 {
        return Err(ModelError::NoFeatures);
    }
    if table.counts.len() != cases * features {
        return Err(ModelError::Shape { found: table.counts.len(), cases, features });
    }
    check_names(table)?;
    check_numbers(table)?;
    if table.counts.iter().all(|count| *count == 0.0) {
        return Err(ModelError::NoCounts);
    }
    Ok(())
}

fn check_names(table: &Table) -> Result<(), ModelError> {
    let mut seen = BTreeSet::new();
    match table.features.iter().find(|name| !seen.insert(name.as_str())) {
        Some(name) => Err(ModelError::DuplicateFeature { name: name.clone() }),
        None => Ok(()),
    }
}

fn check_numbers(table: &Table) -> Result<(), ModelError> {
    for (i, case) in table.cases.iter().enumerate() {
        let bad = |column: &str, value: f64| ModelError::NotFinite {
            case: case.name.clone(),
            column: column.to_owned(),
            value,
        };
        if !case.energy_j.is_finite() {
            return Err(bad("energy_j", case.energy_j));
        }
        if let Some(se) = case.energy_se_j.filter(|se| !se.is_finite()) {
            return Err(bad("energy_se_j", se));
        }
        if let Some((j, count)) = table.row(i).iter().enumerate().find(|(_, n)| !n.is_finite()) {
            return Err(bad(&table.features[j], *count));
        }
    }
    Ok(())
}

/// Refuses cases of zero energy, for which `wanted` is not defined.
pub(crate) fn check_energies(table: &Table, wanted: &'static str) -> Result<(), ModelError> {
    match table.cases.iter().find(|case| case.energy_j == 0.0) {
        Some(case) => Err(ModelError::ZeroEnergy { case: case.name.clone(), wanted }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::table;

    #[test]
    fn the_place_of_a_bad_number_is_named() {
        let mut bad = table(&[&[1.0, 2.0], &[3.0, 4.0]], &[1.0, 2.0]);
        bad.counts[3] = f64::NAN;
        let message = check_table(&bad).unwrap_err().to_string();
        assert!(message.contains("`case_1`") && message.contains("`op_1`"), "{message}");
        let mut bad = table(&[&[1.0], &[2.0]], &[1.0, 2.0]);
        bad.cases[0].energy_j = f64::INFINITY;
        let message = check_table(&bad).unwrap_err().to_string();
        assert!(message.contains("energy_j") && message.contains("inf"), "{message}");
    }

    #[test]
    fn tables_without_content_are_refused() {
        assert!(matches!(check_table(&Table::default()), Err(ModelError::NoCases)));
        assert!(matches!(check_table(&table(&[&[]], &[1.0])), Err(ModelError::NoFeatures)));
        assert!(matches!(check_table(&table(&[&[0.0]], &[1.0])), Err(ModelError::NoCounts)));
        let mut misshapen = table(&[&[1.0]], &[1.0]);
        misshapen.counts.push(1.0);
        assert!(matches!(check_table(&misshapen), Err(ModelError::Shape { .. })));
        let mut twice = table(&[&[1.0, 2.0]], &[1.0]);
        twice.features[1] = twice.features[0].clone();
        assert!(matches!(check_table(&twice), Err(ModelError::DuplicateFeature { .. })));
    }

    #[test]
    fn a_case_without_energy_is_named() {
        let flat = table(&[&[1.0], &[1.0]], &[1.0, 0.0]);
        let message = check_energies(&flat, "NMAE").unwrap_err().to_string();
        assert!(message.contains("`case_1`") && message.contains("NMAE"), "{message}");
    }
}
