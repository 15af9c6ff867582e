//! A table from any CSV: which column is the energy, which group, which weight, which
//! are features.

use thiserror::Error;

use super::cases::{Case, Table};
use super::features::{FeaturesError, nearest, select_features};

/// The columns of `dataset.csv` that are not features.
pub const FIXED_COLUMNS: [&str; 6] =
    ["case", "group", "device", "duration_s", "energy_j", "energy_se_j"];

/// Which columns mean what. Without a name the column of `dataset.csv` is taken, where
/// there is one; a named column must be there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ColumnChoice {
    /// Energy in joules, `--target`. Default `energy_j`.
    pub target: Option<String>,
    /// What folds are grouped by, `--group`. Default `group`.
    pub group: Option<String>,
    /// Weights, `--weight`. Default none.
    pub weight: Option<String>,
    /// The device. Default `device`.
    pub device: Option<String>,
    /// Features, `--features`: names, `prefix*`, `from..to`, `from..`. Default all other
    /// columns.
    pub features: Option<String>,
}

/// A CSV that gives no table.
#[derive(Debug, Error)]
pub enum TableError {
    /// Not CSV, or lines of different length.
    #[error("the table can't be read as CSV")]
    Csv(#[from] csv::Error),
    /// A column that was named, or the energy, is not there.
    #[error("there is no column `{name}` ({flag}){}", did_you_mean(nearest))]
    NoColumn {
        /// Its name.
        name: String,
        /// The flag that names it.
        flag: &'static str,
        /// The column that is spelled most like it.
        nearest: Option<String>,
    },
    /// Two columns of the same name.
    #[error("column `{name}` is there twice; rename one of them")]
    TwoColumns {
        /// The name.
        name: String,
    },
    /// The list of features doesn't fit.
    #[error(transparent)]
    Features(#[from] FeaturesError),
    /// A cell that is not a finite number where one is needed.
    #[error(
        "row {row} (line {line}), column `{column}`: {text:?} is not {wanted}{}",
        remedy(column_is)
    )]
    BadCell {
        /// Row without the header, from 1.
        row: usize,
        /// Line of the file, from 1.
        line: u64,
        /// Name of the column.
        column: String,
        /// What the cell holds.
        text: String,
        /// What it should hold.
        wanted: &'static str,
        /// What the column is used as.
        column_is: &'static str,
    },
    /// A header and nothing else.
    #[error("the table has no rows")]
    NoRows,
    /// Nothing to fit.
    #[error("the table has no feature column; name some with --features")]
    NoFeatures,
}

fn did_you_mean(nearest: &Option<String>) -> String {
    nearest.iter().map(|name| format!("; did you mean `{name}`?")).collect()
}

fn remedy(column_is: &str) -> &'static str {
    if column_is == "a feature" { "; leave the column out with --features" } else { "" }
}

/// Where the columns stand.
pub(super) struct Places {
    pub(super) names: Vec<String>,
    target: usize,
    case: Option<usize>,
    group: Option<usize>,
    device: Option<usize>,
    duration: Option<usize>,
    se: Option<usize>,
    weight: Option<usize>,
    pub(super) features: Vec<usize>,
}

impl Table {
    /// Reads a table. Rows without a case name are named by their number.
    pub fn from_csv(text: &str, choice: &ColumnChoice) -> Result<Table, TableError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut reader =
            csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
        let names: Vec<String> = reader.headers()?.iter().map(str::to_string).collect();
        let places = find_columns(names, choice)?;
        let features = places.features.iter().map(|place| places.names[*place].clone()).collect();
        let mut table = Table { features, ..Table::default() };
        for (index, record) in reader.records().enumerate() {
            let record = record?;
            let row = CaseRecord { places: &places, record: &record, number: index + 1 };
            table.cases.push(row.case()?);
            for place in &places.features {
                table.counts.push(row.number(*place, "a feature")?);
            }
        }
        if table.cases.is_empty() {
            return Err(TableError::NoRows);
        }
        Ok(table)
    }
}

pub(super) fn find_columns(
    names: Vec<String>,
    choice: &ColumnChoice,
) -> Result<Places, TableError> {
    for (index, name) in names.iter().enumerate() {
        if names[..index].contains(name) {
            return Err(TableError::TwoColumns { name: name.clone() });
        }
    }
    let place = |name: &str| names.iter().position(|column| column == name);
    let needed = |name: &str, flag: &'static str| {
        place(name).ok_or_else(|| TableError::NoColumn {
            name: name.into(),
            flag,
            nearest: nearest(name, &names),
        })
    };
    let chosen = |name: &Option<String>, flag, default: &str| match name {
        Some(name) => needed(name, flag).map(Some),
        None => Ok(place(default)),
    };
    let target = needed(choice.target.as_deref().unwrap_or("energy_j"), "--target")?;
    let group = chosen(&choice.group, "--group", "group")?;
    let device = chosen(&choice.device, "--device", "device")?;
    let weight = match &choice.weight {
        Some(name) => Some(needed(name, "--weight")?),
        None => None,
    };
    let taken = |index: usize| match index {
        index if index == target => Some("the target"),
        index if Some(index) == weight => Some("the weight"),
        index if Some(index) == group => Some("the group"),
        index if Some(index) == device => Some("the device"),
        index if FIXED_COLUMNS.contains(&names[index].as_str()) => Some("a column of the data set"),
        _ => None,
    };
    let features = match &choice.features {
        Some(list) => select_features(list, &names, taken)?,
        None => (0..names.len()).filter(|index| taken(*index).is_none()).collect(),
    };
    if features.is_empty() {
        return Err(TableError::NoFeatures);
    }
    let se = place("energy_se_j").filter(|_| names[target] == "energy_j");
    let (case, duration) = (place("case"), place("duration_s"));
    Ok(Places { target, case, group, device, duration, se, weight, features, names })
}

impl Places {
    /// The columns that say something about a case, but for its counts.
    #[cfg(feature = "parquet")]
    pub(super) fn about(&self) -> impl Iterator<Item = usize> {
        let optional = [self.case, self.group, self.device, self.duration, self.se, self.weight];
        let mut all: Vec<usize> = optional.into_iter().flatten().chain([self.target]).collect();
        all.sort_unstable();
        all.dedup();
        all.into_iter()
    }
}

/// A case that is being read.
pub(super) struct CaseRecord<'r> {
    pub(super) places: &'r Places,
    pub(super) record: &'r csv::StringRecord,
    pub(super) number: usize,
}

impl CaseRecord<'_> {
    pub(super) fn case(&self) -> Result<Case, TableError> {
        let places = self.places;
        let text = |place: Option<usize>| place.map_or("", |place| self.cell(place)).to_string();
        let name = match text(places.case) {
            name if name.is_empty() => self.number.to_string(),
            name => name,
        };
        let weight = places.weight.map(|place| self.number_from(place, "the weight", 0.0));
        Ok(Case {
            name,
            group: text(places.group),
            device: text(places.device),
            duration_s: self.optional(places.duration)?,
            energy_j: self.number(places.target, "the target")?,
            energy_se_j: self.optional(places.se)?,
            weight: weight.transpose()?,
            executions: None,
        })
    }

    fn cell(&self, place: usize) -> &str {
        self.record.get(place).unwrap_or("")
    }

    pub(super) fn number(&self, place: usize, column_is: &'static str) -> Result<f64, TableError> {
        self.number_from(place, column_is, f64::NEG_INFINITY)
    }

    /// Absent and empty cells are none; a duration or an error below 0 is refused.
    fn optional(&self, place: Option<usize>) -> Result<Option<f64>, TableError> {
        let filled = place.filter(|place| !self.cell(*place).is_empty());
        filled.map(|place| self.number_from(place, "", 0.0)).transpose()
    }

    fn number_from(
        &self,
        place: usize,
        column_is: &'static str,
        least: f64,
    ) -> Result<f64, TableError> {
        let text = self.cell(place);
        let number = text.parse::<f64>().ok().filter(|x| x.is_finite() && *x >= least);
        let wanted = if least == 0.0 { "a finite number of 0 or more" } else { "a finite number" };
        number.ok_or_else(|| TableError::BadCell {
            row: self.number,
            line: self.record.position().map_or(0, csv::Position::line),
            column: self.places.names[place].clone(),
            text: text.into(),
            wanted,
            column_is,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str = "case,group,device,duration_s,energy_j,energy_se_j,Add,lib:a\n\
        one,n,B1,100,2.5,0.1,10,3\n\
        two,s,B1,,-1,,20,9007199254740993\n";

    fn read(text: &str) -> Result<Table, TableError> {
        Table::from_csv(text, &ColumnChoice::default())
    }

    fn choice(change: impl Fn(&mut ColumnChoice)) -> ColumnChoice {
        let mut choice = ColumnChoice::default();
        change(&mut choice);
        choice
    }

    #[test]
    fn the_data_sets_own_columns_are_the_default() {
        let table = read(TEXT).unwrap();
        assert_eq!(table.features, ["Add", "lib:a"]);
        assert_eq!(table.row(1), [20.0, 9_007_199_254_740_993.0]);
        let case = &table.cases[0];
        assert_eq!((case.name.as_str(), case.group.as_str()), ("one", "n"));
        assert_eq!((case.duration_s, case.energy_se_j), (Some(100.0), Some(0.1)));
        let case = &table.cases[1];
        assert_eq!((case.energy_j, case.duration_s, case.energy_se_j), (-1.0, None, None));
        assert_eq!(read(&format!("\u{feff}{}", TEXT.replace('\n', "\r\n"))).unwrap(), table);
    }

    #[test]
    fn any_csv_can_be_read_by_naming_its_columns() {
        let text = "program,power,w,a,b,note\nx,1.5,2,3,4,hello\ny,2.5,1,5,6,\n";
        let choice = choice(|choice| {
            choice.target = Some("power".into());
            choice.group = Some("program".into());
            choice.weight = Some("w".into());
            choice.features = Some("a..b".into());
        });
        let table = Table::from_csv(text, &choice).unwrap();
        assert_eq!(table.features, ["a", "b"]);
        assert_eq!(table.cases[1].name, "2");
        assert_eq!((table.cases[1].group.as_str(), table.cases[1].weight), ("y", Some(1.0)));
        assert_eq!(table.counts, [3.0, 4.0, 5.0, 6.0]);
    }

    #[test]
    fn what_is_no_number_is_refused_with_its_place() {
        let message = |from: &str, to: &str| read(&TEXT.replace(from, to)).unwrap_err().to_string();
        assert_eq!(
            message(",20,", ",nan,"),
            "row 2 (line 3), column `Add`: \"nan\" is not a finite number; leave the column out \
             with --features"
        );
        assert!(message("2.5", "inf").starts_with("row 1 (line 2), column `energy_j`"));
        assert!(message(",-1,", ",,").contains("column `energy_j`: \"\""));
        assert!(message("0.1", "-0.1").contains("not a finite number of 0 or more"));
        assert!(message(",10,", ",1e999,").contains("column `Add`"));
    }

    #[test]
    fn tables_without_what_is_needed_are_errors() {
        let message = |text: &str| read(text).unwrap_err().to_string();
        let misspelled = message("case,energy,Add\na,1,2\n");
        assert_eq!(misspelled, "there is no column `energy_j` (--target); did you mean `energy`?");
        assert_eq!(
            message("energy_j,a,a\n1,2,3\n"),
            "column `a` is there twice; rename one of them"
        );
        assert_eq!(message("energy_j,a\n"), "the table has no rows");
        assert!(message("energy_j,case\n1,2\n").contains("no feature column"));
        assert!(matches!(read("energy_j,a\n1,2,3\n"), Err(TableError::Csv(_))));
        assert!(read("").is_err());
        let missing = choice(|choice| choice.weight = Some("w".into()));
        let error = Table::from_csv(TEXT, &missing).unwrap_err().to_string();
        assert_eq!(error, "there is no column `w` (--weight)");
    }

    proptest! {
        #[test]
        fn no_text_panics_and_counts_are_finite(text in "[a-c,0-9.\"\n-]{0,80}") {
            let text = format!("case,energy_j,a,b\n{text}");
            if let Ok(table) = Table::from_csv(&text, &ColumnChoice::default()) {
                prop_assert_eq!(table.counts.len(), table.cases.len() * 2);
                prop_assert!(table.counts.iter().all(|count| count.is_finite()));
            }
        }

        #[test]
        fn no_feature_list_panics(list in "[a-c.*, ]{0,20}") {
            let choice = choice(|choice| choice.features = Some(list.clone()));
            let _ = Table::from_csv("energy_j,a,ab,b\n1,2,3,4\n", &choice);
        }
    }

    #[test]
    fn another_target_leaves_the_energy_out() {
        let choice = choice(|choice| choice.target = Some("Add".into()));
        let table = Table::from_csv(TEXT, &choice).unwrap();
        assert_eq!(table.features, ["lib:a"]);
        assert_eq!((table.cases[0].energy_j, table.cases[0].energy_se_j), (10.0, None));
    }
}
