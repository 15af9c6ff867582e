//! Budgets in `energy-budgets.toml`: how many joules a scenario, an input, a class or a method
//! may spend above idle.
//!
//! ```toml
//! [scenarios]
//! click-and-move = 70.0
//! [methods]
//! "org.jbox2d.collision.AABB.combine(AABB,AABB)" = 6.0
//! ```
//!
//! A budget is exceeded when the energy and the whole 95 % interval are above it. Unknown keys
//! and names are errors, with the nearest known name.

use std::collections::BTreeMap;

use serde::Deserialize;
use thiserror::Error;

use crate::account::Interval;
use crate::scenario::nearest_of;
use crate::units::Joules;

use super::GateVerdict;

/// Sections in the file's order: key, and the level as in [`super::Subject::level`].
pub(super) const SECTIONS: [(&str, &str); 4] =
    [("scenarios", "scenario"), ("inputs", "input"), ("classes", "class"), ("methods", "method")];

/// Error of an invalid budget file.
#[derive(Debug, Error, PartialEq)]
pub enum BudgetError {
    /// Not TOML, or not a number where joules should stand.
    #[error(
        "line {line}: {message}; a budget is `name = joules` in one of [scenarios], [inputs], [classes], [methods]"
    )]
    Syntax {
        /// Line, from 1.
        line: usize,
        /// What the reader says.
        message: String,
    },
    /// An unknown section.
    #[error("unknown section `{key}`{}", did_you_mean(nearest))]
    UnknownSection {
        /// The key.
        key: String,
        /// The section most like it.
        nearest: Option<String>,
    },
    /// A name that does not exist on the new side.
    #[error("there is no {level} `{name}`{}", did_you_mean(nearest))]
    UnknownName {
        /// `scenario`, `input`, `class`, `method`.
        level: &'static str,
        /// The name.
        name: String,
        /// The name most like it.
        nearest: Option<String>,
    },
    /// Not an amount of energy.
    #[error(
        "the budget of `{name}` is {found}; it must be a positive number of joules, such as 1.5"
    )]
    NotPositive {
        /// The name.
        name: String,
        /// What stands there, as TOML writes it.
        found: String,
    },
}

fn did_you_mean(nearest: &Option<String>) -> String {
    nearest.iter().map(|name| format!("; did you mean `{name}`?")).collect()
}

/// One budget: level, name and limit in joules.
#[derive(Debug, Clone, PartialEq)]
pub struct Budget {
    /// `scenario`, `input`, `class`, `method`.
    pub level: &'static str,
    /// Name as in the comparison's rows.
    pub name: String,
    /// Upper limit of the energy above idle.
    pub joules: Joules,
}

/// All budgets of a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Budgets(pub Vec<Budget>);

/// A budget with the energy and the verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct BudgetRow {
    /// The budget.
    pub budget: Budget,
    /// Energy above idle; absent where it is unknown.
    pub energy: Option<Joules>,
    /// 95 % interval of the energy.
    pub interval: Option<Interval>,
    /// Whether the budget is exceeded; `NoData` without energy or interval.
    pub verdict: GateVerdict,
}

/// Energy and interval by level and name; `None` for a name without a figure.
pub type Spending = BTreeMap<(&'static str, String), Option<(Joules, Option<Interval>)>>;

#[derive(Deserialize)]
#[serde(transparent)]
struct BudgetFile(BTreeMap<String, toml::Value>);

impl Budgets {
    /// Parses the text of a budget file.
    pub fn parse(text: &str) -> Result<Budgets, BudgetError> {
        let file: BudgetFile = toml::from_str(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start).min(text.len());
            let line = text.as_bytes()[..start].iter().filter(|byte| **byte == b'\n').count() + 1;
            BudgetError::Syntax { line, message: error.message().into() }
        })?;
        let mut budgets = Vec::new();
        for (key, section) in file.0 {
            let known = SECTIONS.iter().map(|(section, _)| *section);
            let Some((_, level)) = SECTIONS.iter().find(|(section, _)| *section == key) else {
                let nearest = nearest_of(&key, known);
                return Err(BudgetError::UnknownSection { key, nearest });
            };
            for (name, value) in section.as_table().into_iter().flatten() {
                budgets.push(parse_budget(level, name, value)?);
            }
            if !section.is_table() {
                let message = format!("`{key}` is not a section");
                return Err(BudgetError::Syntax { line: line_of(text, &key), message });
            }
        }
        Ok(Budgets(budgets))
    }

    /// Compares the budgets with the energies in `spending`.
    pub fn check(&self, spending: &Spending) -> Result<Vec<BudgetRow>, BudgetError> {
        self.0.iter().map(|budget| budget.check(spending)).collect()
    }
}

fn parse_budget(
    level: &'static str,
    name: &str,
    value: &toml::Value,
) -> Result<Budget, BudgetError> {
    let joules = value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64));
    let Some(joules) = joules.filter(|joules| *joules > 0.0 && joules.is_finite()) else {
        return Err(BudgetError::NotPositive { name: name.into(), found: value.to_string() });
    };
    Ok(Budget { level, name: name.into(), joules: Joules(joules) })
}

fn line_of(text: &str, key: &str) -> usize {
    text.lines().position(|line| line.trim_start().starts_with(key)).map_or(1, |i| i + 1)
}

impl Budget {
    fn check(&self, spending: &Spending) -> Result<BudgetRow, BudgetError> {
        let Some(found) = spending.get(&(self.level, self.name.clone())) else {
            let names = spending.keys().filter(|(level, _)| *level == self.level);
            let nearest = nearest_of(&self.name, names.map(|(_, name)| name.as_str()));
            let (level, name) = (self.level, self.name.clone());
            return Err(BudgetError::UnknownName { level, name, nearest });
        };
        let (energy, interval) = (found.map(|f| f.0), found.and_then(|f| f.1));
        let verdict = match (energy, interval) {
            (Some(e), Some(i)) if e > self.joules && i.lo > self.joules => GateVerdict::OverBudget,
            (Some(_), Some(_)) => GateVerdict::Pass,
            _ => GateVerdict::NoData,
        };
        Ok(BudgetRow { budget: self.clone(), energy, interval, verdict })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spending() -> Spending {
        let interval = |lo, hi| Some(Interval { lo: Joules(lo), hi: Joules(hi) });
        BTreeMap::from([
            (("method", "a.A.run()".into()), Some((Joules(6.0), interval(5.5, 6.5)))),
            (("method", "a.A.other()".into()), Some((Joules(6.0), None))),
            (("scenario", "walk".into()), Some((Joules(60.0), interval(59.0, 61.0)))),
        ])
    }

    fn verdicts(text: &str) -> Vec<GateVerdict> {
        let rows = Budgets::parse(text).unwrap().check(&spending()).unwrap();
        rows.into_iter().map(|row| row.verdict).collect()
    }

    #[test]
    fn a_budget_is_exceeded_when_the_interval_agrees() {
        assert_eq!(verdicts("[methods]\n\"a.A.run()\" = 5"), [GateVerdict::OverBudget]);
        assert_eq!(verdicts("[methods]\n\"a.A.run()\" = 5.8"), [GateVerdict::Pass]);
        assert_eq!(verdicts("[scenarios]\nwalk = 70.0"), [GateVerdict::Pass]);
        assert_eq!(verdicts("[methods]\n\"a.A.other()\" = 99"), [GateVerdict::NoData]);
        assert!(verdicts("").is_empty());
    }

    #[test]
    fn what_does_not_exist_is_an_error_that_names_the_nearest() {
        let error = Budgets::parse("[method]\nx = 1").unwrap_err().to_string();
        assert!(error.contains("did you mean `methods`"), "{error}");
        let budgets = Budgets::parse("[methods]\n\"a.A.rum()\" = 1").unwrap();
        let error = budgets.check(&spending()).unwrap_err().to_string();
        assert!(error.contains("did you mean `a.A.run()`"), "{error}");
    }

    #[test]
    fn strange_files_are_errors() {
        for text in
            ["x", "methods = 1", "[methods]\na = \"5\"", "[methods]\na = -1", "[methods]\na = nan"]
        {
            assert!(Budgets::parse(text).is_err(), "{text}");
        }
        let error = Budgets::parse("[methods]\na = \"20 J\"").unwrap_err().to_string();
        assert!(error.starts_with("the budget of `a` is \"20 J\"; it must be a pos"), "{error}");
        let error = Budgets::parse("[methods]\na =").unwrap_err();
        assert!(matches!(error, BudgetError::Syntax { line: 2, .. }), "{error}");
    }
}
