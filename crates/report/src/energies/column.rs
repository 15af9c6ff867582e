//! The columns of a partial: text, counts, exact quantities. What is not known is absent.

use std::collections::BTreeMap;

use crate::atto::Atto;

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnergyColumn {
    /// Its name; the unit of a quantity is its last word.
    pub name: &'static str,
    /// A value for each row.
    pub values: Values,
}

/// The values of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Values {
    /// Keys.
    Text(Vec<Option<String>>),
    /// Lines of files.
    Line(Vec<Option<u32>>),
    /// Whole counts.
    Count(Vec<Option<u64>>),
    /// Quantities in whole attounits.
    Exact(Vec<Option<Atto>>),
    /// Quantities by name, which differ between recordings.
    ByName(Vec<BTreeMap<String, Atto>>),
}

impl EnergyColumn {
    /// Of keys.
    pub fn text(name: &'static str, values: impl IntoIterator<Item = Option<String>>) -> Self {
        Self { name, values: Values::Text(values.into_iter().collect()) }
    }

    /// Of lines.
    pub fn line(name: &'static str, values: impl IntoIterator<Item = Option<u32>>) -> Self {
        Self { name, values: Values::Line(values.into_iter().collect()) }
    }

    /// Of counts.
    pub fn count(name: &'static str, values: impl IntoIterator<Item = Option<u64>>) -> Self {
        Self { name, values: Values::Count(values.into_iter().collect()) }
    }

    /// Of quantities.
    pub fn exact(name: &'static str, values: impl IntoIterator<Item = Option<Atto>>) -> Self {
        Self { name, values: Values::Exact(values.into_iter().collect()) }
    }
}

impl Values {
    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Values::Text(values) => values.len(),
            Values::Line(values) => values.len(),
            Values::Count(values) => values.len(),
            Values::Exact(values) => values.len(),
            Values::ByName(values) => values.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
