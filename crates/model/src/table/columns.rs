//! Roles of the columns of a table: energy, group, weight, features.

use std::collections::{BTreeMap, BTreeSet};

use wattline_units::shortened::shortened;

use super::column_units::{ColumnUnits, energy_factor, unit_duration, unit_energy, unit_energy_se};
use super::error::TableError;
use super::features::{nearest_name, parse_feature_list};

/// The columns of `dataset.csv` that are not features.
pub const FIXED_COLUMNS: [&str; 6] =
    ["case", "group", "device", "duration_s", "energy_j", "energy_se_j"];

/// Choice of the columns for each role. Without a name the column of `dataset.csv` is taken, where
/// there is one; a named column must be there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ColumnChoice {
    /// Energy in joules, `--target`. Default `energy_j`.
    pub target: Option<String>,
    /// Groups that folds keep together, `--group`. Default `group`.
    pub group: Option<String>,
    /// Weights, `--weight`. Default none.
    pub weight: Option<String>,
    /// The device. Default `device`.
    pub device: Option<String>,
    /// Features, `--features`: names, `prefix*`, `from..to`, `from..`. Default all other
    /// columns.
    pub features: Option<String>,
    /// Features by their exact names, in this order; goes before `features`.
    pub feature_names: Option<Vec<String>>,
}

/// Type of the values of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnType {
    /// Any type, cell by cell: CSV.
    Any,
    /// Whole numbers, of any width.
    Whole,
    /// Numbers, of any width.
    Real,
    /// Text.
    Text,
    /// Something else, by name.
    Other(String),
}

impl ColumnType {
    /// Returns the type in words.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Any => "any cells",
            Self::Whole => "whole numbers",
            Self::Real => "numbers that need not be whole",
            Self::Text => "text",
            Self::Other(name) => name,
        }
    }
}

/// Name and type of a column of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableColumn {
    /// Name of the column.
    pub name: String,
    /// Type of its values.
    pub kind: ColumnType,
}

/// Positions of the columns in a file. Those from `own` on are not in the file, but the same for
/// all of its rows.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnPositions {
    pub(super) names: Vec<String>,
    pub(super) own: usize,
    pub(super) target: usize,
    pub(super) case: Option<usize>,
    pub(super) group: Option<usize>,
    pub(super) device: Option<usize>,
    pub(super) duration: Option<usize>,
    pub(super) se: Option<usize>,
    pub(super) weight: Option<usize>,
    pub(super) features: Vec<usize>,
    pub(super) units: ColumnUnits,
    /// Columns without a role that are no features either.
    left_out: Vec<usize>,
}

/// Finds the columns among those of a file, and among those that its folders give it.
pub(super) fn find_columns(
    own: Vec<String>,
    constants: &[(String, String)],
    choice: &ColumnChoice,
) -> Result<ColumnPositions, TableError> {
    let mut seen = BTreeSet::new();
    let mut titled = own.iter().filter(|name| !name.is_empty());
    if let Some(name) = titled.find(|name| !seen.insert(name.as_str())) {
        return Err(TableError::TwoColumns { name: name.clone() });
    }
    let (names, own) = with_constants(own, constants);
    let search = ColumnSearch { names: &names, own, choice };
    let found = search.non_feature_columns()?;
    let features = search.features(&found)?;
    let left_out = search.left_out(&found);
    let units = ColumnUnits::of(&names, found.target, found.se, found.duration)?;
    let NonFeatureColumns { target, duration, se, weight, group, device } = found;
    let case = search.position("case");
    let positions = ColumnPositions {
        own,
        target,
        case,
        group,
        device,
        duration,
        se,
        weight,
        features,
        units,
        left_out,
        names,
    };
    positions.check_constants()?;
    Ok(positions)
}

/// Search among the names of a table's columns for those of a choice.
struct ColumnSearch<'a> {
    names: &'a [String],
    /// Position from which on names are those of folders.
    own: usize,
    choice: &'a ColumnChoice,
}

/// Positions of the columns that are no features.
struct NonFeatureColumns {
    target: usize,
    duration: Option<usize>,
    se: Option<usize>,
    weight: Option<usize>,
    group: Option<usize>,
    device: Option<usize>,
}

impl NonFeatureColumns {
    /// Returns the role of a column, if it is one of these.
    fn meaning(&self, index: usize) -> Option<&'static str> {
        let known = [
            (Some(self.target), "the target"),
            (self.duration, "the duration"),
            (self.se, "the target's error"),
            (self.weight, "the weight"),
            (self.group, "the group"),
            (self.device, "the device"),
        ];
        known.into_iter().find(|(at, _)| *at == Some(index)).map(|(_, meaning)| meaning)
    }
}

impl ColumnSearch<'_> {
    fn position(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|column| column == name)
    }

    fn required(&self, name: &str, flag: &'static str) -> Result<usize, TableError> {
        self.position(name).ok_or_else(|| no_column_error(name, flag, self.names))
    }

    /// Finds the column that a flag names, else the one of the data set, if there is one.
    fn chosen(
        &self,
        name: &Option<String>,
        flag: &'static str,
        default: &str,
    ) -> Result<Option<usize>, TableError> {
        match name {
            Some(name) => self.required(name, flag).map(Some),
            None => Ok(self.position(default)),
        }
    }

    fn non_feature_columns(&self) -> Result<NonFeatureColumns, TableError> {
        let titles: Vec<&str> = self.names[..self.own].iter().map(String::as_str).collect();
        let target = self.target(&titles)?;
        let weight = self.choice.weight.as_ref();
        Ok(NonFeatureColumns {
            target,
            group: self.chosen(&self.choice.group, "--group", "group")?,
            device: self.chosen(&self.choice.device, "--device", "device")?,
            weight: weight.map(|name| self.required(name, "--weight")).transpose()?,
            duration: self.position("duration_s").or_else(|| unit_duration(&titles)),
            se: match self.names[target].as_str() {
                "energy_j" => self.position("energy_se_j"),
                title if energy_factor(title)?.is_some() => unit_energy_se(&titles),
                _ => None,
            },
        })
    }

    fn target(&self, titles: &[&str]) -> Result<usize, TableError> {
        if let Some(name) = &self.choice.target {
            return self.required(name, "--target");
        }
        match self.position("energy_j") {
            Some(at) => Ok(at),
            None => unit_energy(titles)?.map_or_else(|| self.required("energy_j", "--target"), Ok),
        }
    }

    /// Returns the role of a column that is no feature by itself.
    fn meaning(&self, found: &NonFeatureColumns, index: usize) -> Option<&'static str> {
        found.meaning(index).or_else(|| match index {
            _ if FIXED_COLUMNS.contains(&self.names[index].as_str()) => {
                Some("a column of the data set")
            }
            _ if index >= self.own => Some("the name of a folder"),
            _ => None,
        })
    }

    /// Returns the columns without a role: all that could be features.
    fn others(&self, found: &NonFeatureColumns) -> impl Iterator<Item = usize> {
        (0..self.names.len()).filter(|index| self.meaning(found, *index).is_none())
    }

    fn features(&self, found: &NonFeatureColumns) -> Result<Vec<usize>, TableError> {
        let features = match (&self.choice.feature_names, &self.choice.features) {
            (Some(exact), _) => positions_of(exact, self.names)?,
            (None, Some(list)) => {
                parse_feature_list(list, self.names, |index| self.meaning(found, index))?
            }
            (None, None) => {
                self.others(found).filter(|index| !is_index(&self.names[*index])).collect()
            }
        };
        if features.is_empty() { Err(TableError::NoFeatures) } else { Ok(features) }
    }

    /// Returns the columns that number rows, where nobody chose features.
    fn left_out(&self, found: &NonFeatureColumns) -> Vec<usize> {
        if self.choice.feature_names.is_some() || self.choice.features.is_some() {
            return Vec::new();
        }
        self.others(found).filter(|index| is_index(&self.names[*index])).collect()
    }
}

/// Finds the features of a model, in its order. There may be many, so each is looked up.
fn positions_of(features: &[String], names: &[String]) -> Result<Vec<usize>, TableError> {
    let index: BTreeMap<&str, usize> =
        names.iter().enumerate().map(|(place, name)| (name.as_str(), place)).collect();
    let place = |name: &String| {
        let found = index.get(name.as_str()).copied();
        found.ok_or_else(|| no_column_error(name, "a feature of the model", names))
    };
    features.iter().map(place).collect()
}

fn no_column_error(name: &str, flag: &'static str, names: &[String]) -> TableError {
    TableError::NoColumn { name: name.into(), flag, nearest: nearest_name(name, names) }
}

/// Whether a name is that of a column of row numbers, as pandas and R write it.
fn is_index(name: &str) -> bool {
    name.is_empty() || name.starts_with("__index_level_") || name.starts_with("Unnamed: ")
}

/// Returns all names, and how many of them are the file's own.
fn with_constants(mut own: Vec<String>, constants: &[(String, String)]) -> (Vec<String>, usize) {
    let count = own.len();
    let new: Vec<String> = constants
        .iter()
        .map(|(name, _)| name)
        .filter(|name| !own.contains(name))
        .cloned()
        .collect();
    own.extend(new);
    (own, count)
}

impl ColumnPositions {
    /// Columns that numbers are read from, but for the features.
    pub(super) fn numbers(&self) -> impl Iterator<Item = usize> {
        [Some(self.target), self.duration, self.se, self.weight].into_iter().flatten()
    }

    /// Columns that text is read from.
    pub(super) fn texts(&self) -> impl Iterator<Item = usize> {
        [self.case, self.group, self.device].into_iter().flatten()
    }

    /// Returns remarks for the user on units, and on columns that are left out.
    pub(super) fn remarks(&self) -> Vec<String> {
        let ColumnUnits { energy, se, duration } = self.units;
        let scaled = [
            (Some(self.target), energy, "joules"),
            (self.se, se, "joules"),
            (self.duration, duration, "seconds"),
        ];
        let scaled = scaled.iter().filter(|(_, factor, _)| *factor != 1.0);
        let scaled = scaled.filter_map(|(at, factor, unit)| {
            Some(format!("`{}` times {factor} is {unit}", shortened(&self.names[(*at)?])))
        });
        let left_out = self.left_out.iter().map(|at| match self.names[*at].as_str() {
            "" => format!("column {}, which has no title, is no feature", at + 1),
            name => format!("`{}` numbers rows, and is no feature", shortened(name)),
        });
        scaled.chain(left_out).collect()
    }

    /// Refuses columns of numbers that are names of folders, which are text.
    fn check_constants(&self) -> Result<(), TableError> {
        match self.numbers().find(|place| *place >= self.own) {
            None => Ok(()),
            Some(place) => Err(TableError::Type {
                column: self.names[place].clone(),
                is: "the name of a folder".to_owned(),
                wanted: "a column of numbers",
            }),
        }
    }

    /// Finds the same columns in another file of the table, `first` being the one they were found
    /// in.
    pub(super) fn in_file(
        &self,
        own: Vec<String>,
        constants: &[(String, String)],
        first: &str,
    ) -> Result<ColumnPositions, TableError> {
        let (names, own) = with_constants(own, constants);
        let index: BTreeMap<&str, usize> =
            names.iter().enumerate().map(|(place, name)| (name.as_str(), place)).collect();
        let find = |place: usize| {
            let name = &self.names[place];
            let found = index.get(name.as_str()).copied();
            found.ok_or_else(|| TableError::Lacks { column: name.clone(), first: first.to_owned() })
        };
        let find_any = |place: Option<usize>| place.map(find).transpose();
        let features: Result<Vec<usize>, TableError> =
            self.features.iter().map(|place| find(*place)).collect();
        let places = ColumnPositions {
            target: find(self.target)?,
            case: find_any(self.case)?,
            group: find_any(self.group)?,
            device: find_any(self.device)?,
            duration: find_any(self.duration)?,
            se: find_any(self.se)?,
            weight: find_any(self.weight)?,
            features: features?,
            own,
            names,
            units: self.units,
            left_out: Vec::new(),
        };
        places.check_constants()?;
        Ok(places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(of: &[&str]) -> Vec<String> {
        of.iter().map(|name| name.to_string()).collect()
    }

    #[test]
    fn folders_are_keys_and_never_features() {
        let constants = [("group".to_owned(), "g".to_owned()), ("day".to_owned(), "1".to_owned())];
        let places =
            find_columns(names(&["energy_j", "a"]), &constants, &ColumnChoice::default()).unwrap();
        assert_eq!((places.own, places.group, &places.features), (2, Some(2), &vec![1]));
        let day = ColumnChoice { features: Some("day".into()), ..ColumnChoice::default() };
        let error = find_columns(names(&["energy_j", "a"]), &constants, &day).unwrap_err();
        assert!(error.to_string().contains("the name of a folder"), "{error}");
        let target = ColumnChoice { target: Some("day".into()), ..ColumnChoice::default() };
        let error = find_columns(names(&["energy_j", "a"]), &constants, &target).unwrap_err();
        assert!(error.to_string().contains("`day` is the name of a folder"), "{error}");
    }

    #[test]
    fn columns_are_found_by_name_in_every_file() {
        let first = names(&["energy_j", "a", "b"]);
        let places = find_columns(first, &[], &ColumnChoice::default()).unwrap();
        let other = places.in_file(names(&["b", "extra", "a", "energy_j"]), &[], "one").unwrap();
        assert_eq!((other.target, other.features), (3, vec![2, 0]));
        let error = places.in_file(names(&["b", "energy_j"]), &[], "one").unwrap_err();
        assert!(error.to_string().contains("`a`, which one has"), "{error}");
    }
}
