//! Estimability of costs by the cases: rank, condition, and per operation whether its cost is
//! determined, from which operations it is inseparable, and how much its error is inflated by the
//! others.
//!
//! The rank of the counts is at most the number of blocks that ran, so many costs are
//! not determined, whatever a fit says; sums of them often are.

use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wattline_units::csv_text;

use super::design::Design;
use super::double_double::DoubleDouble;
use super::error::ModelError;
use super::linear::{Spectrum, run_in_wide_vectors};
use super::options::FitOptions;
use super::{library::lump_columns, table_check::check_table};
use crate::table::{PassColumns, RowBlock, RowSource, Table};

/// A direction is outside the row space if more than this part of its squared length is.
pub(crate) const OUTSIDE_SQUARED_SHARE: f64 = 1e-8;

/// Elements of the null space's projector below this are rounding.
const ENTANGLED: f64 = 1e-6;

/// Columns are proportional if the cosine between them is this near to 1.
const PARALLEL: f64 = 1e-12;

/// Estimability of the costs of a table: rank, condition, and one entry per operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimability {
    /// Rank of the count matrix as fitted: weighted, columns of length 1.
    pub rank: usize,
    /// Singular values up to this part of the largest count as zero.
    pub tolerance: f64,
    /// Largest over smallest singular value within the rank.
    pub condition: Option<f64>,
    /// The operations, in column order.
    pub operations: Vec<OperationEstimability>,
}

/// Operations below this share of every case's counts are rare: their costs hide in the
/// noise, and a solver without a prior may give them any.
const RARE_SHARE: f64 = 1e-4;

impl Estimability {
    /// Number of operations that ran, but rarely.
    pub fn rare(&self) -> usize {
        let rare =
            |known: &&OperationEstimability| known.cases > 0 && known.largest_share < RARE_SHARE;
        self.operations.iter().filter(rare).count()
    }
}

/// Estimability of the cost of one operation by the cases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OperationEstimability {
    /// Name of the operation.
    pub operation: String,
    /// Cases in which it ran.
    pub cases: usize,
    /// Executions over all cases.
    pub executions: f64,
    /// Whether the cases alone determine its cost.
    pub estimable: bool,
    /// Number, from 1, of the group of operations whose costs the cases determine only
    /// together, if it is in one.
    pub group: Option<usize>,
    /// Variance inflation factor: its error variance over the one it would have alone;
    /// absent if not estimable.
    pub vif: Option<f64>,
    /// The first operation that always runs in the same proportion, if there is one.
    pub proportional_to: Option<String>,
    /// Largest share of the operation in the counts of a case.
    pub largest_share: f64,
}

/// Finds the estimability of the costs of a table, for a fit with these options.
pub fn estimability(table: &Table, options: &FitOptions) -> Result<Estimability, ModelError> {
    options.check()?;
    check_table(table)?;
    let table = lump_columns(table, options.library);
    let design = Design::new(&table, options.weighting, options.assumed)?;
    let spectrum = Spectrum::of(design.x.as_ref(), options.rank_tolerance)?;
    Ok(design_estimability(&Occurrences::of(&table), &design, &spectrum, options.rank_tolerance))
}

/// Occurrences of each operation in the cases, one element per column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Occurrences {
    /// Cases in which it ran.
    pub cases: Vec<u64>,
    /// Executions over all cases.
    pub executions: Vec<DoubleDouble>,
    /// Largest share of a case's counts.
    pub largest_share: Vec<f64>,
}

impl Occurrences {
    /// Creates the occurrences of no row.
    pub fn none(columns: usize) -> Self {
        Self {
            cases: vec![0; columns],
            executions: vec![DoubleDouble::default(); columns],
            largest_share: vec![0.0; columns],
        }
    }

    /// Counts the occurrences in a table.
    pub fn of(table: &Table) -> Self {
        let mut found = Self::none(table.features.len());
        let read = table.for_each_block(PassColumns::Counts, &mut |block| {
            found.add(block);
            ControlFlow::Continue(())
        });
        read.expect("a table is always read");
        found
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.cases.len()
    }

    /// Adds the rows of a block.
    pub fn add(&mut self, block: &RowBlock) {
        let columns = self.columns();
        run_in_wide_vectors(
            #[inline(always)]
            || {
                let mut all = vec![0.0; block.rows()];
                for j in 0..columns {
                    all.iter_mut().zip(block.column(j)).for_each(|(all, n)| *all += n);
                }
                for j in 0..columns {
                    let found = LaneOccurrences::of(block.column(j), &all);
                    self.cases[j] += found.cases.iter().sum::<u64>();
                    self.executions[j].add(found.sums.iter().sum());
                    self.largest_share[j] =
                        found.largest.into_iter().fold(self.largest_share[j], f64::max);
                }
            },
        );
    }

    /// Adds the occurrences in other rows.
    pub fn join(&mut self, other: &Self) {
        self.cases.iter_mut().zip(&other.cases).for_each(|(sum, n)| *sum += n);
        let executions = self.executions.iter_mut().zip(&other.executions);
        executions.for_each(|(sum, n)| *sum = sum.plus(*n));
        let shares = self.largest_share.iter_mut().zip(&other.largest_share);
        shares.for_each(|(largest, share)| *largest = largest.max(*share));
    }
}

const LANES: usize = 8;

/// Occurrences in one column by lane: every eighth row together, so that no sum waits for the one
/// before.
#[derive(Default)]
struct LaneOccurrences {
    cases: [u64; LANES],
    sums: [f64; LANES],
    largest: [f64; LANES],
}

impl LaneOccurrences {
    /// Counts the occurrences in a column of counts; `all` has the total count of each case.
    #[inline(always)]
    fn of(counts: &[f64], all: &[f64]) -> Self {
        let mut found = Self::default();
        let ((counts, last), (all, last_all)) = (counts.as_chunks(), all.as_chunks());
        counts.iter().zip(all).for_each(|(n, all)| found.add(*n, *all));
        // What is missing at the end never ran.
        let filled =
            |rest: &[f64], with| std::array::from_fn(|i| rest.get(i).copied().unwrap_or(with));
        found.add(filled(last, 0.0), filled(last_all, 1.0));
        found
    }

    #[inline(always)]
    fn add(&mut self, counts: [f64; LANES], all: [f64; LANES]) {
        for lane in 0..LANES {
            self.cases[lane] += u64::from(counts[lane] != 0.0);
            self.sums[lane] += counts[lane];
            // A sum of zero or infinity gives no share.
            self.largest[lane] = f64::max(self.largest[lane], counts[lane] / all[lane]);
        }
    }
}

/// Finds the estimability of the costs of a decomposed design.
pub(crate) fn design_estimability(
    occurrences: &Occurrences,
    design: &Design,
    spectrum: &Spectrum,
    tolerance: f64,
) -> Estimability {
    let groups = groups(spectrum);
    let operations = (0..design.columns())
        .map(|j| {
            let estimable = outside(spectrum, j) < OUTSIDE_SQUARED_SHARE;
            OperationEstimability {
                operation: design.features[j].clone(),
                cases: occurrences.cases[j] as usize,
                executions: occurrences.executions[j].hi,
                estimable,
                group: groups[j],
                vif: estimable.then(|| inflation(spectrum, j)),
                proportional_to: proportional_to(design, j).map(|k| design.features[k].clone()),
                largest_share: occurrences.largest_share[j],
            }
        })
        .collect();
    let (rank, condition) = (spectrum.rank(), spectrum.condition());
    Estimability { rank, tolerance, condition, operations }
}

/// Returns the part of unit vector `j` (squared) that is not in the row space.
fn outside(spectrum: &Spectrum, j: usize) -> f64 {
    1.0 - spectrum.v.row(j).iter().map(|v| v * v).sum::<f64>()
}

/// Returns the diagonal element of the inverse of `X'X`, whose own diagonal is 1.
fn inflation(spectrum: &Spectrum, j: usize) -> f64 {
    let terms = spectrum.v.row(j).iter().zip(&spectrum.s).map(|(v, s)| (v / s).powi(2));
    terms.sum()
}

fn proportional_to(design: &Design, j: usize) -> Option<usize> {
    let cosine = |k: usize| {
        design.x.col(j).iter().zip(design.x.col(k).iter()).map(|(a, b)| a * b).sum::<f64>()
    };
    design.seen[j].then(|| (0..j).find(|k| cosine(*k) > 1.0 - PARALLEL))?
}

/// Returns the group of each operation: operations that are joined by directions of the null space,
/// a connected component of its projector `1 - VV'` with two members or more.
fn groups(spectrum: &Spectrum) -> Vec<Option<usize>> {
    let projector = &spectrum.v * spectrum.v.transpose();
    let l = projector.ncols();
    let is_outside: Vec<bool> =
        (0..l).map(|j| outside(spectrum, j) >= OUTSIDE_SQUARED_SHARE).collect();
    let mut is_member = vec![false; l];
    let mut component = vec![None; l];
    let mut found = 0;
    for first in 0..l {
        if is_member[first] || !is_outside[first] {
            continue;
        }
        let mut members = vec![first];
        is_member[first] = true;
        let mut at = 0;
        while let Some(j) = members.get(at).copied() {
            for k in (0..l).filter(|k| *k != j && projector[(j, *k)].abs() > ENTANGLED) {
                if is_outside[k] && !std::mem::replace(&mut is_member[k], true) {
                    members.push(k);
                }
            }
            at += 1;
        }
        if members.len() > 1 {
            found += 1;
            members.into_iter().for_each(|j| component[j] = Some(found));
        }
    }
    component
}

/// The text of `estimability.csv`.
pub fn estimability_csv(operations: &[OperationEstimability]) -> Result<String, ModelError> {
    super::csv_of(operations)
}

/// Reads `estimability.csv`.
///
/// # Errors
/// It is no such table.
pub fn estimability_rows(text: &str) -> Result<Vec<OperationEstimability>, csv::Error> {
    csv_text::reader(text).deserialize().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Solver;
    use crate::testing::table;

    fn examined(rows: &[&[f64]]) -> Estimability {
        let energies = vec![1.0; rows.len()];
        estimability(&table(rows, &energies), &FitOptions::new(Solver::Ls)).unwrap()
    }

    /// Columns 0 and 1 in proportion 1:2; 2 alone; 3 never; 4 and 5 and 6 joined by
    /// x4 + x5 = x6.
    #[test]
    fn groups_follow_the_null_space() {
        let found = examined(&[
            &[1.0, 2.0, 1.0, 0.0, 1.0, 0.0, 1.0],
            &[2.0, 4.0, 0.0, 0.0, 0.0, 1.0, 1.0],
            &[0.0, 0.0, 3.0, 0.0, 1.0, 1.0, 2.0],
            &[1.0, 2.0, 1.0, 0.0, 2.0, 5.0, 7.0],
            &[5.0, 10.0, 1.0, 0.0, 0.0, 0.0, 0.0],
        ]);
        assert_eq!(found.rank, 4);
        let groups: Vec<Option<usize>> = found.operations.iter().map(|o| o.group).collect();
        assert_eq!(groups, [Some(1), Some(1), None, None, Some(2), Some(2), Some(2)]);
        let estimable: Vec<bool> = found.operations.iter().map(|o| o.estimable).collect();
        assert_eq!(estimable, [false, false, true, false, false, false, false]);
        assert_eq!(found.operations[1].proportional_to.as_deref(), Some("op_0"));
        assert_eq!((found.operations[3].cases, found.operations[1].executions), (0, 18.0));
    }

    /// Two columns at 60 degrees: VIF = 1 / (1 - cos^2) = 4/3, condition sqrt(3).
    #[test]
    fn inflation_and_condition_on_paper() {
        let half = 0.75f64.sqrt();
        let found = examined(&[&[1.0, 0.5], &[0.0, half]]);
        assert!((found.operations[0].vif.unwrap() - 4.0 / 3.0).abs() < 1e-12);
        assert!((found.condition.unwrap() - 3f64.sqrt()).abs() < 1e-12);
    }

    /// 1 of 20 001 executions is rare, 1 of 2 is not; what never ran is absent.
    #[test]
    fn rare_operations_are_counted() {
        let found = examined(&[&[20_000.0, 1.0, 0.0, 0.0], &[1.0, 0.0, 1.0, 0.0]]);
        assert_eq!(found.rare(), 1);
        assert_eq!(found.operations[2].largest_share, 0.5);
    }

    /// More cases than lanes, and a last lane that is not full.
    #[test]
    fn all_cases_are_found() {
        let rows: Vec<[f64; 2]> = (0..21).map(|i| [f64::from(i), 20.0]).collect();
        let rows: Vec<&[f64]> = rows.iter().map(|row| row.as_slice()).collect();
        let found = &examined(&rows).operations[0];
        assert_eq!((found.cases, found.executions, found.largest_share), (20, 210.0, 0.5));
    }

    #[test]
    fn the_csv_leaves_absent_values_empty() {
        let found = examined(&[&[2.0, 0.0]]);
        let text = estimability_csv(&found.operations).unwrap();
        insta::assert_snapshot!(text, @r"
        operation,cases,executions,estimable,group,vif,proportional_to,largest_share
        op_0,1,2.0,true,,1.0,,1.0
        op_1,0,0.0,false,,,,0.0
        ");
    }

    #[test]
    fn rows_come_back_from_their_file() {
        let found = examined(&[&[1.0, 2.0, 0.0], &[2.0, 4.0, 1.0]]).operations;
        let read = estimability_rows(&estimability_csv(&found).unwrap()).unwrap();
        assert_eq!(read, found);
        assert!(estimability_rows("operation,cases\nNot,3\n").is_err());
    }
}
