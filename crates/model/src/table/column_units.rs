//! Energies and durations in other units than joules and seconds, by the titles of their columns.

use wattline_units::dialect::{Quantity, TitleError, quantity_column, title_unit};

use super::block::RowBlock;
use super::error::TableError;

/// Factors that convert energies, their errors and durations to joules and seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ColumnUnits {
    pub(super) energy: f64,
    pub(super) se: f64,
    pub(super) duration: f64,
}

/// Nanoseconds of a second, in which units of time are stated.
const SECOND_NS: f64 = 1e9;

impl ColumnUnits {
    pub(super) fn of(
        names: &[String],
        target: usize,
        se: Option<usize>,
        duration: Option<usize>,
    ) -> Result<Self, TableError> {
        let factor = |at: usize| energy_factor(&names[at]);
        let duration = duration.and_then(|at| duration_factor(&names[at]));
        Ok(Self {
            energy: factor(target)?.unwrap_or(1.0),
            se: se.map(factor).transpose()?.flatten().unwrap_or(1.0),
            duration: duration.unwrap_or(1.0),
        })
    }

    /// Converts the figures of a block to joules and seconds.
    pub(super) fn apply(self, block: &mut RowBlock) {
        let scale = |numbers: &mut Option<Vec<Option<f64>>>, factor: f64| {
            if factor != 1.0 {
                let numbers = numbers.iter_mut().flatten().flatten();
                numbers.for_each(|number| *number *= factor);
            }
        };
        scale(&mut block.energies_se_j, self.se);
        scale(&mut block.durations_s, self.duration);
        if self.energy != 1.0 {
            block.energies_j.iter_mut().for_each(|energy| *energy *= self.energy);
        }
    }
}

/// Words of a title, in small letters.
fn title_words(title: &str) -> Vec<String> {
    let parts = title.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    parts.map(str::to_lowercase).collect()
}

/// Returns the joules of the unit in the title of a column of energies, whatever else it says:
/// `Energie (mJ)`, `consumed_mj`.
pub(super) fn energy_factor(title: &str) -> Result<Option<f64>, TitleError> {
    title_unit(title, Quantity::Energy)
}

/// Returns the seconds of the unit in a title that begins with `duration`.
fn duration_factor(title: &str) -> Option<f64> {
    let is_duration = title_words(title).first().is_some_and(|word| word == "duration");
    let factor = is_duration.then(|| title_unit(title, Quantity::Time).ok().flatten()).flatten();
    factor.map(|factor| factor / SECOND_NS)
}

/// Finds the column of energies in a unit that its title names.
pub(super) fn unit_energy(titles: &[&str]) -> Result<Option<usize>, TitleError> {
    let is_error = |title: &str| title_words(title).get(1).is_some_and(|word| word == "se");
    let titles: Vec<&str> =
        titles.iter().map(|title| if is_error(title) { "" } else { *title }).collect();
    let found = quantity_column(&titles, Quantity::Energy)?;
    Ok(found.filter(|column| column.has_unit).map(|column| column.at))
}

/// Finds the column of energies' standard errors in a unit that its title names.
pub(super) fn unit_energy_se(titles: &[&str]) -> Option<usize> {
    let is_error = |title: &&str| {
        let words = title_words(title);
        words.len() == 3
            && words[..2] == ["energy", "se"]
            && title_unit(title, Quantity::Energy).is_ok_and(|unit| unit.is_some())
    };
    titles.iter().position(is_error)
}

/// Finds the column of durations in a unit that its title names.
pub(super) fn unit_duration(titles: &[&str]) -> Option<usize> {
    titles
        .iter()
        .position(|title| title_words(title).len() == 2 && duration_factor(title).is_some())
}

#[cfg(test)]
mod tests {
    use crate::table::{ColumnChoice, RowSource, Table, TableRows};

    fn remarks(text: &str) -> String {
        let rows = TableRows::of_csv(text.as_bytes(), &ColumnChoice::default()).unwrap();
        assert_eq!(rows.features(), ["a"]);
        rows.remarks().unwrap().join("; ")
    }

    /// Names of energy in other languages, chosen by their unit or by the user.
    #[test]
    fn a_unit_counts_whatever_the_title_begins_with() {
        for title in ["Energie (mJ)", "Verbrauch [mJ]", "consumed_mj"] {
            let text = format!("case,{title},a\nx,2500,3\n");
            let choice = ColumnChoice { target: Some(title.into()), ..ColumnChoice::default() };
            let table = Table::from_csv(&text, &choice).unwrap();
            assert_eq!(table.cases[0].energy_j, 2.5, "{title}");
        }
        let choice = ColumnChoice { target: Some("cost".into()), ..ColumnChoice::default() };
        let table = Table::from_csv("case,cost,a\nx,2500,3\n", &choice).unwrap();
        assert_eq!(table.cases[0].energy_j, 2500.0);
    }

    #[test]
    fn energies_and_durations_are_joules_and_seconds() {
        let text = ";case;Energy (mJ);energy_se_uj;duration_ms;a\n0;x;2500,5;100;1500;3\n";
        let table = Table::from_csv(text, &ColumnChoice::default()).unwrap();
        let case = &table.cases[0];
        assert_eq!((case.energy_j, case.duration_s), (2.5005, Some(1.5)));
        assert_eq!(case.energy_se_j, Some(100.0 * 1e-6));
        let told = remarks(text);
        for part in [
            "semicolons between cells, decimal commas in `Energy (mJ)`",
            "`Energy (mJ)` times 0.001 is joules",
            "`duration_ms` times 0.001 is seconds",
            "column 1, which has no title, is no feature",
        ] {
            assert!(told.contains(part), "{told}");
        }
        assert_eq!(remarks("case,energy_j,a\nx,1,2\n"), "");
        assert!(remarks("Unnamed: 0,energy_j,a\n0,1,2\n").contains("numbers rows"));
    }

    #[test]
    fn a_target_that_is_named_is_in_its_own_unit() {
        let named = |target: &str, text: &str| {
            let choice = ColumnChoice { target: Some(target.into()), ..ColumnChoice::default() };
            Table::from_csv(text, &choice).map(|table| table.cases[0].energy_j)
        };
        assert_eq!(named("energy_kwh", "energy_kwh,a\n2,1\n").unwrap(), 7.2e6);
        assert_eq!(named("power", "power,a\n2,1\n").unwrap(), 2.0);
        let error = named("ENERGY_MJ", "ENERGY_MJ,a\n2,1\n").unwrap_err().to_string();
        assert!(error.contains("may be mJ or MJ"), "{error}");
        let several = Table::from_csv("energy_mj,energy_uj,a\n1,2,3\n", &ColumnChoice::default());
        let error = several.unwrap_err().to_string();
        assert!(error.contains("2 columns are of energy"), "{error}");
    }
}
