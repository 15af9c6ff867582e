//! Columns of an energy table: text, counts, exact quantities. Unknown values are absent.

use std::collections::BTreeMap;

use crate::atto::Atto;

/// A column: name and a value for each row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnergyColumn {
    /// Name, which ends with the unit of a quantity.
    pub name: &'static str,
    /// A value for each row.
    pub values: ColumnValues,
}

/// Values of a column, row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnValues {
    /// Text keys.
    Text(Vec<Option<String>>),
    /// Line numbers in files.
    Line(Vec<Option<u32>>),
    /// Whole counts.
    Count(Vec<Option<u64>>),
    /// Quantities in whole attounits: exact under addition.
    Exact(Vec<Option<Atto>>),
    /// Quantities by name; the names differ between recordings.
    ByName(Vec<BTreeMap<String, Atto>>),
}

impl EnergyColumn {
    /// Column of text keys.
    pub fn text(name: &'static str, values: impl IntoIterator<Item = Option<String>>) -> Self {
        Self { name, values: ColumnValues::Text(values.into_iter().collect()) }
    }

    /// Column of line numbers.
    pub fn line(name: &'static str, values: impl IntoIterator<Item = Option<u32>>) -> Self {
        Self { name, values: ColumnValues::Line(values.into_iter().collect()) }
    }

    /// Column of whole counts.
    pub fn count(name: &'static str, values: impl IntoIterator<Item = Option<u64>>) -> Self {
        Self { name, values: ColumnValues::Count(values.into_iter().collect()) }
    }

    /// Column of exact quantities.
    pub fn exact(name: &'static str, values: impl IntoIterator<Item = Option<Atto>>) -> Self {
        Self { name, values: ColumnValues::Exact(values.into_iter().collect()) }
    }
}

impl ColumnValues {
    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            ColumnValues::Text(values) => values.len(),
            ColumnValues::Line(values) => values.len(),
            ColumnValues::Count(values) => values.len(),
            ColumnValues::Exact(values) => values.len(),
            ColumnValues::ByName(values) => values.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
