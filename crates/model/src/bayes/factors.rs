//! Measurements that differ by factors: the level of each (operation, size, type, device)
//! and the energy of one execution.

use std::collections::BTreeMap;
use wattline_units::csv_text;

use wattline_units::limits::FACTOR_LEVELS;
use wattline_units::shortened::shortened;

use super::super::error::ModelError;

/// A level of a factor.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FactorLevel {
    /// The factor's name (`operation`, `size`, `type`, `device`).
    pub factor: String,
    /// Name of the level.
    pub name: String,
}

/// Measured energies with the factor levels of each.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FactorMeasurements {
    /// Names of the factors, the first being the one that all others qualify.
    pub names: Vec<String>,
    /// All levels, factor after factor, in order of appearance.
    pub levels: Vec<FactorLevel>,
    /// Indices in `levels` of the levels of each measurement, at most one of a factor.
    pub rows: Vec<Vec<usize>>,
    /// Energy of one execution in joules of each measurement.
    pub energies_j: Vec<f64>,
}

fn quoted(text: &str) -> String {
    format!("`{}`", shortened(text))
}

impl FactorMeasurements {
    /// Reads a CSV with a column for each factor (an empty cell: the factor doesn't
    /// apply) and one of energies in joules.
    pub fn from_csv(text: &str, factors: &[String], energy: &str) -> Result<Self, ModelError> {
        let mut reader =
            csv_text::reader_with_settings(csv::ReaderBuilder::new().trim(csv::Trim::All), text);
        let headers = reader.headers()?.clone();
        let column = |name: &str| {
            headers.iter().position(|header| header == name).ok_or_else(|| ModelError::Factor {
                line: 1,
                message: format!("there is no column {}", quoted(name)),
            })
        };
        let columns: Vec<usize> =
            factors.iter().map(|name| column(name)).collect::<Result<_, _>>()?;
        let energy_column = column(energy)?;
        let mut measured = Vec::new();
        for record in reader.records() {
            let record = record?;
            let line = record.position().map_or(0, csv::Position::line);
            let cell = |at: usize| record.get(at).unwrap_or("");
            let energy_j = cell(energy_column).parse::<f64>().ok().filter(|e| e.is_finite());
            let energy_j = energy_j.ok_or_else(|| ModelError::Factor {
                line,
                message: format!(
                    "{} is not a finite number of joules",
                    quoted(cell(energy_column))
                ),
            })?;
            let levels = columns.iter().map(|at| cell(*at)).map(str::to_owned).collect();
            measured.push((levels, energy_j));
        }
        Self::new(factors, &measured)
    }

    /// Builds the measurements from the level of each factor (empty: none) and the energy in joules
    /// of each.
    pub fn new(factors: &[String], measured: &[(Vec<String>, f64)]) -> Result<Self, ModelError> {
        let mut table = Self { names: factors.to_vec(), ..Self::default() };
        let mut places: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for (at, factor) in factors.iter().enumerate() {
            for name in measured.iter().map(|(levels, _)| levels[at].as_str()) {
                let next = table.levels.len();
                if !name.is_empty() && *places.entry((factor, name)).or_insert(next) == next {
                    table
                        .levels
                        .push(FactorLevel { factor: factor.clone(), name: name.to_owned() });
                }
            }
        }
        let remedy = "leave out factors that tell every measurement apart";
        let levels = table.levels.len() as u64;
        FACTOR_LEVELS.check(levels).map_err(ModelError::too_large(remedy))?;
        if measured.is_empty() || table.levels.is_empty() {
            return Err(ModelError::NoCases);
        }
        for (levels, energy_j) in measured {
            let named = factors.iter().zip(levels).filter(|(_, name)| !name.is_empty());
            let place = |(factor, name): (&String, &String)| {
                places.get(&(factor.as_str(), name.as_str())).copied()
            };
            table.rows.push(named.filter_map(place).collect());
            table.energies_j.push(*energy_j);
        }
        Ok(table)
    }

    /// Returns the index of a level in `levels`.
    pub fn place(&self, factor: &str, name: &str) -> Option<usize> {
        self.levels.iter().position(|level| level.factor == factor && level.name == name)
    }

    /// Returns the indices of the levels of every factor.
    pub(crate) fn by_factor(&self) -> Vec<Vec<usize>> {
        let of = |name: &String| {
            (0..self.levels.len()).filter(|at| self.levels[*at].factor == *name).collect()
        };
        self.names.iter().map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_found_in_order_of_appearance() {
        let names = ["operation".to_owned(), "size".to_owned()];
        let text = "size,energy_j,operation\nLoad,1e-8,Add\n,2e-8,Else\nLoad,3e-8,Else\n";
        let found = FactorMeasurements::from_csv(text, &names, "energy_j").unwrap();
        let levels: Vec<&str> = found.levels.iter().map(|level| level.name.as_str()).collect();
        assert_eq!(levels, ["Add", "Else", "Load"]);
        assert_eq!(found.rows, [vec![0, 2], vec![1], vec![1, 2]]);
        assert_eq!(found.by_factor(), [vec![0, 1], vec![2]]);
    }

    #[test]
    fn what_is_missing_is_named() {
        let names = ["operation".to_owned()];
        let message =
            |text| FactorMeasurements::from_csv(text, &names, "energy_j").unwrap_err().to_string();
        assert!(message("operation,e\nAdd,1\n").contains("`energy_j`"));
        assert!(message("operation,energy_j\nAdd,1\nSub,x\n").contains("line 3"));
        assert!(message("operation,energy_j\n").contains("no cases"));
    }
}
