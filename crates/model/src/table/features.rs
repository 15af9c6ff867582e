//! The language of `--features`: names, `prefix*`, `from..to` and `from..`, separated by
//! commas. Ranges go by the order of the columns and hold both ends.

use std::collections::BTreeSet;

use thiserror::Error;
use wattline_units::shortened::shortened;

/// A list of features that doesn't fit the columns.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
pub enum FeaturesError {
    /// A name that is no column.
    #[error("--features: there is no column `{}`{}", shortened(name), hint(nearest))]
    NoColumn {
        /// The name as written.
        name: String,
        /// The column that is spelled most like it.
        nearest: Option<String>,
    },
    /// A prefix that no column has, or a range without a column.
    #[error("--features: `{text}` takes no column")]
    Empty {
        /// The part of the list.
        text: String,
    },
    /// A range whose end stands before its start.
    #[error("--features: `{text}` ends before it begins; ranges go by the order of the columns")]
    Reversed {
        /// The part of the list.
        text: String,
    },
    /// A feature that is already the target, a key or a weight.
    #[error("--features: column `{}` is already used as {used_as}", shortened(name))]
    Taken {
        /// The column.
        name: String,
        /// Role of the column.
        used_as: &'static str,
    },
}

fn hint(nearest: &Option<String>) -> String {
    nearest.iter().map(|name| format!("; did you mean `{}`?", shortened(name))).collect()
}

/// Returns the indices of the columns that a list selects, in the order of the list, each once.
/// `taken` gives the role that a column has already: such a column is an error by name and is
/// passed over in prefixes and ranges.
pub(crate) fn parse_feature_list(
    list: &str,
    columns: &[String],
    taken: impl Fn(usize) -> Option<&'static str>,
) -> Result<Vec<usize>, FeaturesError> {
    let mut seen = BTreeSet::new();
    let mut chosen = Vec::new();
    for part in list.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let found: Vec<usize> = match part_columns(part, columns)? {
            ListPart::Name(index) => {
                if let Some(used_as) = taken(index) {
                    return Err(FeaturesError::Taken { name: part.into(), used_as });
                }
                vec![index]
            }
            ListPart::Many(found) => found.into_iter().filter(|i| taken(*i).is_none()).collect(),
        };
        if found.is_empty() {
            return Err(FeaturesError::Empty { text: part.into() });
        }
        chosen.extend(found.into_iter().filter(|index| seen.insert(*index)));
    }
    if chosen.is_empty() {
        return Err(FeaturesError::Empty { text: list.into() });
    }
    Ok(chosen)
}

enum ListPart {
    Name(usize),
    Many(Vec<usize>),
}

fn part_columns(part: &str, columns: &[String]) -> Result<ListPart, FeaturesError> {
    if let Some(index) = columns.iter().position(|name| name == part) {
        return Ok(ListPart::Name(index));
    }
    if let Some(prefix) = part.strip_suffix('*') {
        let takes = |index: &usize| columns[*index].starts_with(prefix);
        return Ok(ListPart::Many((0..columns.len()).filter(takes).collect()));
    }
    let Some((from, to)) = part.split_once("..") else {
        return column_index(part, columns).map(ListPart::Name);
    };
    let first = column_index(from.trim(), columns)?;
    let last = match to.trim() {
        "" => columns.len() - 1,
        to => column_index(to, columns)?,
    };
    if last < first {
        return Err(FeaturesError::Reversed { text: part.into() });
    }
    Ok(ListPart::Many((first..=last).collect()))
}

fn column_index(name: &str, columns: &[String]) -> Result<usize, FeaturesError> {
    let found = columns.iter().position(|column| column == name);
    found.ok_or_else(|| FeaturesError::NoColumn {
        name: name.into(),
        nearest: nearest_name(name, columns),
    })
}

/// Returns the column that is spelled most like a name, if any is near.
pub(super) fn nearest_name(name: &str, columns: &[String]) -> Option<String> {
    let scored = columns.iter().map(|column| (strsim::jaro_winkler(name, column), column));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(a.1)))?;
    (best.0 > 0.7).then(|| best.1.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(list: &str) -> Result<Vec<String>, FeaturesError> {
        let columns = ["case", "energy_j", "Add_int", "Add_long", "If", "lib:a", "lib:b"];
        let columns = columns.map(str::to_string);
        let taken = |index: usize| (index < 2).then_some("a key");
        let chosen = parse_feature_list(list, &columns, taken)?;
        Ok(chosen.into_iter().map(|index| columns[index].clone()).collect())
    }

    #[test]
    fn names_prefixes_and_ranges_take_columns() {
        assert_eq!(check("If").unwrap(), ["If"]);
        assert_eq!(check("lib:*, If").unwrap(), ["lib:a", "lib:b", "If"]);
        assert_eq!(check("Add_long..lib:a").unwrap(), ["Add_long", "If", "lib:a"]);
        assert_eq!(check("lib:a..").unwrap(), ["lib:a", "lib:b"]);
        assert_eq!(check("Add_int..If,Add*").unwrap(), ["Add_int", "Add_long", "If"]);
        assert_eq!(check("case..Add_int").unwrap(), ["Add_int"]);
        assert_eq!(check("*").unwrap().len(), 5);
    }

    #[test]
    fn what_takes_nothing_is_an_error() {
        let message = |list: &str| check(list).unwrap_err().to_string();
        let expected = "--features: there is no column `Add_itn`; did you mean `Add_int`?";
        assert_eq!(message("Add_itn"), expected);
        assert_eq!(message("zzz"), "--features: there is no column `zzz`");
        assert_eq!(message("Sub*"), "--features: `Sub*` takes no column");
        assert!(message("If..Add_int").contains("ends before it begins"));
        assert_eq!(message("energy_j"), "--features: column `energy_j` is already used as a key");
        assert_eq!(message(" , "), "--features: ` , ` takes no column");
        assert!(message("..If").contains("no column ``"));
    }
}
