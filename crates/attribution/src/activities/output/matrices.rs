//! Matrices of components and activities, as table 3 of Quanto has them: times, energies, and the
//! powers that the regression gives.

use std::collections::{BTreeMap, BTreeSet};

use wattline_units::csv_text::CsvText;
use wattline_units::file_schema::DeclaredColumn;
use wattline_units::units::{Amperes, Joules, Seconds, Watts};

use super::super::account::Payer;
use super::super::analysis::Analysis;
use super::super::label::Labels;
use super::super::powers::FittedPower;
use super::energies::{EnergyRow, energy_rows};
use super::printed_table::{PrintedTable, figure_or_dash, interval_or_dash};
use super::{TOTAL_NAME, UNEXPLAINED_NAME, optional_field, payer_name, row_name, state_powers};

/// Key of the matrices of times and energies.
pub(super) const NODE_AND_ACTIVITY: [DeclaredColumn; 2] = [
    DeclaredColumn::text("node", "Node"),
    DeclaredColumn::text("activity", "Activity, or (total)"),
];

/// Key of the matrix of powers.
pub(super) const NODE_AND_QUANTITY: [DeclaredColumn; 2] = [
    DeclaredColumn::text("node", "Node"),
    DeclaredColumn::text("quantity", "Quantity, with its unit"),
];

/// Matrix of one node's figures by row and column.
struct Matrix {
    columns: Vec<String>,
    rows: Vec<(String, Vec<Option<f64>>)>,
}

impl Matrix {
    /// Creates a matrix from figures by row and column; with `has_sums` it has sums of rows and
    /// columns.
    fn of(
        analysis: &Analysis,
        labels: &Labels,
        pick: fn(&EnergyRow) -> Option<f64>,
        has_sums: bool,
    ) -> Self {
        let mut cells: BTreeMap<(Payer, usize), f64> = BTreeMap::new();
        let mut columns: BTreeSet<usize> = BTreeSet::new();
        for row in energy_rows(analysis) {
            if let Some(value) = pick(&row) {
                columns.insert(row.row);
                *cells.entry((row.payer, row.row)).or_insert(0.0) += value;
            }
        }
        let payers: BTreeSet<Payer> = cells.keys().map(|(payer, _)| *payer).collect();
        let whole = |row: Vec<Option<f64>>| {
            let sum = has_sums.then(|| row.iter().flatten().sum());
            row.into_iter().chain(sum.map(Some)).collect()
        };
        let of_payer = |payer: &Payer| {
            let row = columns.iter().map(|column| cells.get(&(*payer, *column)).copied());
            (payer_name(*payer, labels), whole(row.collect()))
        };
        let sum = |column: &usize| {
            let of = cells.iter().filter(|((_, at), _)| at == column).map(|(_, value)| value);
            Some(of.sum())
        };
        let mut rows: Vec<_> = payers.iter().map(of_payer).collect();
        rows.push((TOTAL_NAME.to_owned(), whole(columns.iter().map(sum).collect())));
        let names = columns.iter().map(|column| row_name(analysis, *column));
        Self { columns: names.chain(has_sums.then(|| TOTAL_NAME.to_owned())).collect(), rows }
    }

    /// Returns the matrix as a printed table, with this unit.
    fn to_table<T: std::fmt::Display>(&self, caption: &str, unit: fn(f64) -> T) -> PrintedTable {
        let mut table = PrintedTable::new(caption, &["activity"]);
        table.columns.extend(self.columns.iter().cloned());
        let cells =
            |row: &[Option<f64>]| row.iter().map(|cell| figure_or_dash(cell.map(unit))).collect();
        table.rows = self.rows.iter().map(|(name, row)| (name.clone(), cells(row))).collect();
        table
    }
}

/// Returns the seconds by activity and component.
fn time_matrix(analysis: &Analysis, labels: &Labels) -> Matrix {
    Matrix::of(analysis, labels, |row| row.time_s, false)
}

/// Returns the joules by activity and component, with sums; the unexplained energy is a row of its
/// own.
fn energy_matrix(analysis: &Analysis, labels: &Labels) -> Option<Matrix> {
    let account = analysis.account.as_ref()?;
    let mut matrix = Matrix::of(analysis, labels, |row| row.energy_j, true);
    let width = matrix.columns.len();
    let rest = account.split.unattributed_j();
    let mut unexplained = vec![None; width];
    unexplained[width - 1] = Some(rest);
    let before_sums = matrix.rows.len() - 1;
    if let Some(whole) = matrix.rows[before_sums].1.last_mut() {
        *whole = Some(account.split.total_j());
    }
    matrix.rows.insert(before_sums, (UNEXPLAINED_NAME.to_owned(), unexplained));
    Some(matrix)
}

/// Returns `time-matrix.csv`: seconds, a row for each activity, a column for each component.
#[must_use]
pub fn time_matrix_csv(analyses: &[Analysis], labels: &Labels) -> String {
    matrices_csv(
        NODE_AND_ACTIVITY,
        analyses.iter().map(|analysis| (analysis, time_matrix(analysis, labels))),
    )
}

/// Returns `energy-matrix.csv`: joules, with the sums of table 3(c) below and those of 3(d) at the
/// end.
#[must_use]
pub fn energy_matrix_csv(analyses: &[Analysis], labels: &Labels) -> String {
    let known = |analysis| energy_matrix(analysis, labels).map(|matrix| (analysis, matrix));
    matrices_csv(NODE_AND_ACTIVITY, analyses.iter().filter_map(known))
}

/// Returns `power-matrix.csv`: the fitted powers, a column for each state.
#[must_use]
pub fn power_matrix_csv(analyses: &[Analysis]) -> String {
    let of = |analysis| power_matrix(analysis).map(|matrix| (analysis, matrix));
    matrices_csv(NODE_AND_QUANTITY, analyses.iter().filter_map(of))
}

/// Returns the fitted powers in watts with their intervals, and currents in amperes where the
/// supply is known.
fn power_matrix(analysis: &Analysis) -> Option<Matrix> {
    let all = state_powers_with_constant(analysis)?;
    let row = |name: &str, pick: &dyn Fn(FittedPower) -> Option<f64>| {
        (name.to_owned(), all.iter().map(|(_, power)| power.and_then(pick)).collect())
    };
    let rows = vec![
        row("power_w", &|power| Some(power.w)),
        row("power_lo_w", &|power| power.interval_w.map(|interval| interval.0)),
        row("power_hi_w", &|power| power.interval_w.map(|interval| interval.1)),
        row("current_a", &|power| analysis.log.current_a(Some(power.w))),
    ];
    Some(Matrix { columns: all.iter().map(|(name, _)| name.clone()).collect(), rows })
}

/// Returns the powers of all states, the constant last.
fn state_powers_with_constant(analysis: &Analysis) -> Option<Vec<(String, Option<FittedPower>)>> {
    let constant = analysis.powers.as_ref()?.constant;
    let states = state_powers(analysis).into_iter();
    Some(states.chain([("(constant)".to_owned(), Some(constant))]).collect())
}

/// Returns the matrices of all nodes as one CSV table; columns with one name become one.
fn matrices_csv<'a>(
    key: [DeclaredColumn; 2],
    all: impl Iterator<Item = (&'a Analysis, Matrix)>,
) -> String {
    let all: Vec<(&Analysis, Matrix)> = all.collect();
    let mut columns: Vec<&str> = Vec::new();
    for name in all.iter().flat_map(|(_, matrix)| &matrix.columns) {
        if !columns.contains(&name.as_str()) {
            columns.push(name);
        }
    }
    // The sums stand last, whichever node has more columns.
    columns.sort_by_key(|name| (*name == TOTAL_NAME, *name == "(constant)"));
    let mut lines =
        CsvText::new(DeclaredColumn::names(key).into_iter().chain(columns.iter().copied()));
    for (analysis, matrix) in &all {
        for (name, row) in &matrix.rows {
            let cell = |column: &&str| {
                let at = matrix.columns.iter().position(|known| known == column);
                optional_field(at.and_then(|at| row[at]))
            };
            let names = [analysis.log.node.clone(), name.clone()];
            lines.row(names.into_iter().chain(columns.iter().map(cell)));
        }
    }
    lines.text()
}

/// Returns all matrices of a node as printed tables.
pub(super) fn matrix_tables(analysis: &Analysis, labels: &Labels) -> Vec<PrintedTable> {
    let times = time_matrix(analysis, labels).to_table("time by component and activity", Seconds);
    let energies = energy_matrix(analysis, labels)
        .map(|matrix| matrix.to_table("energy by component and activity", Joules));
    let powers = state_powers_with_constant(analysis).map(|all| power_table(analysis, &all));
    [Some(times), powers, energies].into_iter().flatten().collect()
}

/// Returns the fitted powers as a printed table, a column for each state.
fn power_table(analysis: &Analysis, all: &[(String, Option<FittedPower>)]) -> PrintedTable {
    let mut table = PrintedTable::new("result of the regression", &[""]);
    table.columns.extend(all.iter().map(|(name, _)| name.clone()));
    let row = |cell: &dyn Fn(FittedPower) -> String| -> Vec<String> {
        all.iter().map(|(_, power)| figure_or_dash(power.map(cell))).collect()
    };
    if analysis.log.supply_v.is_some() {
        let current = |power: FittedPower| analysis.log.current_a(Some(power.w)).map(Amperes);
        table.rows.push(("current".into(), row(&|power| figure_or_dash(current(power)))));
    }
    table.rows.push(("power".into(), row(&|power| Watts(power.w).to_string())));
    table
        .rows
        .push(("95 % interval".into(), row(&|power| interval_or_dash(power.interval_w, Watts))));
    table
}
