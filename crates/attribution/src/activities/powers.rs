//! Equations -> the power of every state with its interval, by least squares on the mean
//! powers, each weighted with `sqrt(E t)`: confidence in a quantised mean grows with both
//! (Fonseca et al., OSDI 2008, section 2.5).

use super::column_roles::{ColumnRole, find_column_roles};
use super::equations::{Equation, Equations, StateColumns};
use super::remark::{Remark, RemarkKind};
use wattline_model::table::{Case, Table};
use wattline_model::{FitOptions, ModelError, Solver, Weighting, fit};
use wattline_units::format::counted;
use wattline_units::limits::{TABLE_FEATURES, TABLE_NUMBERS};

/// Weights of the equations in the regression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EquationWeights {
    /// `sqrt(E t)`.
    #[default]
    SqrtEnergyTime,
    /// All alike.
    Equal,
}

/// Fitted power in watts with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FittedPower {
    /// Watts above the baseline state.
    pub w: f64,
    /// 95 % interval in watts; none where the equations leave nothing to judge by.
    pub interval_w: Option<(f64, f64)>,
}

/// Fitted powers of all columns and of the constant.
#[derive(Debug, Clone, PartialEq)]
pub struct Powers {
    /// The constant term: what all baselines draw together.
    pub constant: FittedPower,
    /// By column; none for one that has no power of its own.
    pub of: Vec<Option<FittedPower>>,
    /// What each column is to the fit.
    pub roles: Vec<ColumnRole>,
    /// Equations fitted.
    pub equations: usize,
    /// Standard deviation of the residuals in watts, where there are any to spare.
    pub residual_sd_w: Option<f64>,
    /// What was noticed.
    pub remarks: Vec<Remark>,
}

/// Name of the column of the constant term.
const CONSTANT_NAME: &str = "constant";

impl Powers {
    /// Returns the fitted column that gives the power of `column`, itself or its twin, and the
    /// power.
    #[must_use]
    pub fn fitted_column(&self, column: usize) -> Option<(usize, FittedPower)> {
        let at = match self.roles[column] {
            ColumnRole::Fitted => column,
            ColumnRole::SameAs(other) => other,
            ColumnRole::PartOf { .. } | ColumnRole::Unseen => return None,
        };
        self.of[at].map(|power| (at, power))
    }

    /// Returns the name of a column, or the names of all columns that share its power.
    #[must_use]
    pub fn column_name(&self, column: usize, columns: &StateColumns) -> String {
        let twins = self.twins(column);
        let names: Vec<&str> = twins.iter().map(|twin| columns.names[*twin].as_str()).collect();
        names.join(" + ")
    }

    /// Returns the columns that share the power of `column`, itself first.
    #[must_use]
    pub fn twins(&self, column: usize) -> Vec<usize> {
        let others = (0..self.roles.len()).filter(|k| self.roles[*k] == ColumnRole::SameAs(column));
        std::iter::once(column).chain(others).collect()
    }
}

/// Fits the powers of all states to the equations by weighted least squares.
///
/// # Errors
/// No equation with energy and time, or numbers that can't be decomposed.
pub fn fit_powers(
    equations: &Equations,
    columns: &StateColumns,
    weights: EquationWeights,
) -> Result<Powers, ModelError> {
    let (rows, dropped) = weighted_equations(&equations.rows, weights);
    check_size(rows.len(), columns.names.len())?;
    let roles = find_column_roles(&rows, columns.names.len());
    let fitted: Vec<usize> =
        (0..roles.len()).filter(|column| roles[*column] == ColumnRole::Fitted).collect();
    let table = regression_table(&rows, &fitted, columns, weights);
    let weighting = Weighting::Column;
    let model = fit(&table, &FitOptions { weighting, ..FitOptions::new(Solver::Ls) })?;
    let power = |at: usize| {
        let cost = &model.costs[at];
        FittedPower { w: cost.cost_j, interval_w: cost.lo_j.zip(cost.hi_j) }
    };
    let mut of = vec![None; roles.len()];
    for (at, column) in fitted.iter().enumerate() {
        of[*column] = Some(power(at + 1));
    }
    let mut powers = Powers {
        constant: power(0),
        of,
        roles,
        equations: rows.len(),
        residual_sd_w: model.residual_sd_j.filter(|_| rows.len() > fitted.len() + 1),
        remarks: Vec::new(),
    };
    powers.remarks = fit_remarks(&powers, columns, dropped);
    Ok(powers)
}

/// Refuses more numbers in the regression's table than may be held in memory.
fn check_size(rows: usize, columns: usize) -> Result<(), ModelError> {
    let remedy = "log fewer components, or for a shorter time";
    let numbers = (rows as u64).saturating_mul(columns as u64);
    TABLE_FEATURES
        .check(columns as u64)
        .and_then(|()| TABLE_NUMBERS.check(numbers))
        .map_err(|exceeded| ModelError::TooLarge { exceeded, remedy })
}

/// Returns the equations with a weight, and the number and total seconds of the others.
fn weighted_equations(
    rows: &[Equation],
    weights: EquationWeights,
) -> (Vec<Equation>, (usize, f64)) {
    let has_weight = |row: &&Equation| {
        row.time_s > 0.0 && (row.energy_j > 0.0 || weights == EquationWeights::Equal)
    };
    let (kept, dropped): (Vec<&Equation>, Vec<&Equation>) = rows.iter().partition(has_weight);
    let time = dropped.iter().map(|row| row.time_s).sum();
    (kept.into_iter().cloned().collect(), (dropped.len(), time))
}

/// Returns the regression's table: mean power of each equation, and the number of components in
/// each state.
fn regression_table(
    rows: &[Equation],
    fitted: &[usize],
    columns: &StateColumns,
    weights: EquationWeights,
) -> Table {
    let names = fitted.iter().map(|column| columns.names[*column].clone());
    let features: Vec<String> = std::iter::once(CONSTANT_NAME.to_owned()).chain(names).collect();
    let mut counts = Vec::with_capacity(rows.len() * features.len());
    let mut cases = Vec::with_capacity(rows.len());
    for (i, row) in rows.iter().enumerate() {
        counts.push(1.0);
        counts.extend(fitted.iter().map(|column| {
            let active = row.active.iter().find(|(at, _)| at == column);
            active.map_or(0.0, |(_, active)| *active)
        }));
        let weight = match weights {
            EquationWeights::SqrtEnergyTime => (row.energy_j * row.time_s).sqrt(),
            EquationWeights::Equal => 1.0,
        };
        cases.push(Case {
            name: format!("equation {}", i + 1),
            group: String::new(),
            device: String::new(),
            duration_s: Some(row.time_s),
            energy_j: row.power_w(),
            energy_se_j: None,
            weight: Some(weight),
            executions: None,
        });
    }
    Table { cases, features, counts }
}

fn fit_remarks(
    powers: &Powers,
    columns: &StateColumns,
    (dropped, time_s): (usize, f64),
) -> Vec<Remark> {
    let name = |column: usize| columns.names[column].as_str();
    let mut remarks = Vec::new();
    for (column, role) in powers.roles.iter().enumerate() {
        let message = match role {
            ColumnRole::Fitted => continue,
            ColumnRole::SameAs(other) => format!(
                "{} and {} are always active together: they can't be told apart and have one \
                 power for both",
                name(*other),
                name(column)
            ),
            ColumnRole::PartOf { columns, constant } => format!(
                "{} can't be told apart from {}: its draw is part of theirs",
                name(column),
                sum_text(columns, *constant, name)
            ),
            ColumnRole::Unseen => {
                format!("{} occurs in no usable interval: no power", name(column))
            }
        };
        remarks.push(Remark::new(RemarkKind::NotTold, message));
    }
    for (column, power) in powers.of.iter().enumerate() {
        if let Some(power) = power.filter(|power| power.w < 0.0) {
            let message = format!(
                "{} has {:.6} W, less than its baseline: the states don't explain the power well",
                name(column),
                power.w
            );
            remarks.push(Remark::new(RemarkKind::NegativePower, message));
        }
    }
    if dropped > 0 {
        let message = format!(
            "{} ({time_s:.6} s in all) drew no measurable energy and {} no weight",
            counted(dropped, "state vector"),
            if dropped == 1 { "has" } else { "have" }
        );
        remarks.push(Remark::new(RemarkKind::Note, message));
    }
    remarks
}

/// Returns a sum of columns as text, such as `A:on + B:on`.
fn sum_text<'a>(
    columns: &[(usize, f64)],
    constant: f64,
    name: impl Fn(usize) -> &'a str,
) -> String {
    let mut terms = Vec::new();
    if constant.abs() > 1e-6 {
        terms.push("the constant".to_owned());
    }
    terms.extend(columns.iter().map(|(column, _)| name(*column).to_owned()));
    terms.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(names: &[&str]) -> StateColumns {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        StateColumns { names, of: Vec::new(), baselines: Vec::new() }
    }

    fn row(active: &[usize], time_s: f64, power_w: f64) -> Equation {
        let active = active.iter().map(|column| (*column, 1.0)).collect();
        Equation { active, time_s, energy_j: power_w * time_s }
    }

    fn fitted(rows: Vec<Equation>, names: &[&str]) -> Powers {
        let equations = Equations { intervals: rows.len(), rows, left_out: 0 };
        fit_powers(&equations, &columns(names), EquationWeights::SqrtEnergyTime).unwrap()
    }

    #[test]
    fn exact_powers_are_found_exactly() {
        let found = fitted(
            vec![
                row(&[], 1.0, 2.0),
                row(&[0], 2.0, 5.0),
                row(&[1], 1.0, 3.0),
                row(&[0, 1], 0.5, 6.0),
            ],
            &["A:on", "B:on"],
        );
        let w: Vec<f64> = found.of.iter().map(|power| power.unwrap().w).collect();
        assert!((found.constant.w - 2.0).abs() < 1e-9);
        assert!((w[0] - 3.0).abs() < 1e-9 && (w[1] - 1.0).abs() < 1e-9, "{w:?}");
        let (lo, hi) = found.of[0].unwrap().interval_w.unwrap();
        assert!(lo <= w[0] && w[0] <= hi && hi - lo < 1e-6);
    }

    #[test]
    fn the_weights_are_those_of_the_paper() {
        // Two readings of one vector: mean weighted by sqrt(E t), on paper.
        let rows = vec![row(&[], 4.0, 1.0), row(&[], 1.0, 4.0)];
        let found = fitted(rows, &[]);
        let (w1, w2) = (4.0f64, 2.0f64);
        assert!((found.constant.w - (w1 + 4.0 * w2) / (w1 + w2)).abs() < 1e-9);
    }

    #[test]
    fn what_can_not_be_told_apart_is_named_and_has_one_power() {
        let found = fitted(
            vec![row(&[], 1.0, 1.0), row(&[0, 1], 1.0, 4.0), row(&[0, 1], 2.0, 4.0)],
            &["A:on", "B:on", "C:on"],
        );
        assert_eq!((found.fitted_column(1).unwrap().0, found.twins(0)), (0, vec![0, 1]));
        assert!(found.fitted_column(2).is_none());
        let messages: Vec<&str> = found.remarks.iter().map(|r| r.message.as_str()).collect();
        assert!(messages[0].contains("A:on and B:on are always active together"), "{messages:?}");
        assert!(messages[1].contains("C:on occurs in no usable interval"), "{messages:?}");
    }

    #[test]
    fn nothing_to_fit_is_an_error() {
        let nothing = Equations::default();
        assert!(fit_powers(&nothing, &columns(&[]), EquationWeights::SqrtEnergyTime).is_err());
    }
}
