//! Some consecutive rows of a table, column by column.

use wattline_units::limits::BLOCK_TEXT_BYTES;

use super::cases::Case;
use super::error::TableError;

/// Texts of a column: one for all rows, or one for each.
#[derive(Debug, Clone, PartialEq)]
pub enum RowTexts {
    /// One text for every row.
    One(String),
    /// A text for each row.
    Each(TextColumn),
}

/// Texts of consecutive rows, end to end.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TextColumn {
    text: String,
    ends: Vec<usize>,
}

impl TextColumn {
    /// Adds the text of the next row.
    pub fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(self.text.len());
    }

    /// Adds the text of the next row, from a file.
    ///
    /// # Errors
    /// The text of all rows exceeds the limit.
    pub(super) fn push_checked(&mut self, text: &str) -> Result<(), TableError> {
        let bytes = self.text.len().saturating_add(text.len()) as u64;
        let remedy = "shorten the names of cases, groups and devices";
        BLOCK_TEXT_BYTES.check(bytes).map_err(TableError::too_large(remedy))?;
        self.push(text);
        Ok(())
    }

    /// The text of row `i`.
    pub fn get(&self, i: usize) -> &str {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.text[start..self.ends[i]]
    }

    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }
}

impl RowTexts {
    /// Returns the bytes of the text of so many rows.
    fn bytes(&self, rows: usize) -> u64 {
        match self {
            Self::One(text) => (text.len() as u64).saturating_mul(rows as u64),
            Self::Each(column) => column.text.len() as u64,
        }
    }

    /// The text of row `i`.
    pub fn get(&self, i: usize) -> &str {
        match self {
            Self::One(text) => text,
            Self::Each(column) => column.get(i),
        }
    }
}

/// Rows of a table, n of them. A column that the table doesn't have is `None`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RowBlock {
    /// Number of the first row in the data set, from 0.
    pub first: usize,
    /// Names of the cases; an empty one stands for the row's number.
    pub names: Option<RowTexts>,
    /// Groups, which folds may keep together.
    pub groups: Option<RowTexts>,
    /// Boards that the cases were measured on.
    pub devices: Option<RowTexts>,
    /// Measured energies in joules, length n.
    pub energies_j: Vec<f64>,
    /// Their standard errors in joules.
    pub energies_se_j: Option<Vec<Option<f64>>>,
    /// Lengths of the sessions in seconds.
    pub durations_s: Option<Vec<Option<f64>>>,
    /// The weight column.
    pub weights: Option<Vec<f64>>,
    /// Executions of all features together, where counts were weighed by context.
    pub executions: Option<Vec<Option<f64>>>,
    /// Counts, column by column, n x l; empty where only the cases are wanted.
    pub counts: Vec<f64>,
}

impl RowBlock {
    /// Number of rows n.
    pub fn rows(&self) -> usize {
        self.energies_j.len()
    }

    /// Bytes of the text of all rows.
    pub(super) fn text_bytes(&self) -> u64 {
        let columns = [&self.names, &self.groups, &self.devices];
        columns.into_iter().flatten().map(|texts| texts.bytes(self.rows())).sum()
    }

    /// The counts of feature `j`, length n.
    pub fn column(&self, j: usize) -> &[f64] {
        &self.counts[j * self.rows()..(j + 1) * self.rows()]
    }

    /// The name of the case in row `i`.
    pub fn name(&self, i: usize) -> String {
        match self.names.as_ref().map(|names| names.get(i)) {
            None | Some("") => (self.first + i + 1).to_string(),
            Some(name) => name.to_owned(),
        }
    }

    /// The group of row `i`; empty where there is none.
    pub fn group(&self, i: usize) -> &str {
        self.groups.as_ref().map_or("", |groups| groups.get(i))
    }

    /// The board of row `i`; empty where it isn't known.
    pub fn device(&self, i: usize) -> &str {
        self.devices.as_ref().map_or("", |devices| devices.get(i))
    }

    /// The length of row `i`'s session in seconds.
    pub fn duration_s(&self, i: usize) -> Option<f64> {
        self.durations_s.as_ref()?[i]
    }

    /// Row `i` without its counts.
    pub fn case(&self, i: usize) -> Case {
        Case {
            name: self.name(i),
            group: self.group(i).to_owned(),
            device: self.device(i).to_owned(),
            duration_s: self.duration_s(i),
            energy_j: self.energies_j[i],
            energy_se_j: self.energies_se_j.as_ref().and_then(|errors| errors[i]),
            weight: self.weights.as_ref().map(|weights| weights[i]),
            executions: self.executions.as_ref().and_then(|executions| executions[i]),
        }
    }
}

/// Rows of a tile of [`transpose`]: what fits into the first cache beside its columns.
const TILE: usize = 16;

/// Turns `rows x columns` numbers from row by row to column by column.
pub(super) fn transpose(from: &[f64], columns: usize, to: &mut Vec<f64>) {
    let rows = from.len().checked_div(columns).unwrap_or(0);
    to.resize(from.len(), 0.0);
    for first in (0..rows).step_by(TILE) {
        let last = rows.min(first + TILE);
        for j in 0..columns {
            for i in first..last {
                to[j * rows + i] = from[i * columns + j];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns() {
        let from: Vec<f64> = (0..35 * 3).map(f64::from).collect();
        let mut to = vec![9.0];
        transpose(&from, 3, &mut to);
        assert_eq!((to[0], to[1], to[35], to[104]), (0.0, 3.0, 1.0, 104.0));
        transpose(&[], 3, &mut to);
        assert!(to.is_empty());
    }

    #[test]
    fn a_case_without_a_name_is_its_row() {
        let mut names = TextColumn::default();
        ["x", "", "y z"].into_iter().for_each(|name| names.push(name));
        let names = Some(RowTexts::Each(names));
        let block =
            RowBlock { first: 5, names, energies_j: vec![1.0, 2.0, 3.0], ..RowBlock::default() };
        assert_eq!([0, 1, 2].map(|i| block.name(i)), ["x", "7", "y z"]);
        assert_eq!((block.group(1), block.case(2).energy_j), ("", 3.0));
    }
}
