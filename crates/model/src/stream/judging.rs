//! Last pass over the rows: predictions by every round's costs beside the baselines, and the
//! residuals of the final costs. Its sums are the same however the rows are divided.

use std::ops::ControlFlow;

use faer::{Accum, Mat, MatRef, Par};
use serde::{Deserialize, Serialize};

use super::super::double_double::{DoubleDouble, DoubleDoubleSums};
use super::super::error::ModelError;
use super::super::linear::run_in_wide_vectors;
use super::super::validation::{CvRow, CvSet};
use super::cell_plan::CellPlan;
use super::cells::{AllCells, CellSums};
use crate::table::{PassColumns, RowBlock, RowSource};

/// Sums of one model over the cases of one fold.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct FoldAgreement {
    pub cases: u64,
    /// Sum of |p - m| / |m|; of p - m; of |m|; and of p, m, pp, mm, pm, both less the mean
    /// energy; p predicted, m measured.
    pub sums: DoubleDoubleSums<8>,
}

impl FoldAgreement {
    #[inline(always)]
    fn add(&mut self, predicted: f64, measured: f64, mean: f64) {
        self.cases += 1;
        let off = predicted - measured;
        let (p, m) = (predicted - mean, measured - mean);
        self.sums.add([(off / measured).abs(), off, measured.abs(), p, m, p * p, m * m, p * m]);
    }

    pub fn joined(&self, other: &Self) -> Self {
        Self { cases: self.cases + other.cases, sums: self.sums.plus(&other.sums) }
    }

    /// Returns Pearson's correlation; `None` where one side is constant.
    fn r(&self) -> Option<f64> {
        let n = DoubleDouble::of(self.cases as f64).inverse();
        let [_, _, _, p, m, pp, mm, pm] = self.sums.to_array();
        let centred = |square: DoubleDouble, a: DoubleDouble, b: DoubleDouble| {
            square.minus(a.times(b).times(n)).hi
        };
        let (pp_c, mm_c, pm_c) = (centred(pp, p, p), centred(mm, m, m), centred(pm, p, m));
        let constant = |centred: f64, raw: DoubleDouble| centred <= 1e-12 * raw.hi;
        if self.cases < 2 || constant(pp_c, pp) || constant(mm_c, mm) {
            return None;
        }
        Some((pm_c / (pp_c * mm_c).sqrt()).clamp(-1.0, 1.0))
    }

    fn row(&self, model: &str, round: usize, set: CvSet) -> CvRow {
        let [relative_error, off, size, ..] = self.sums.to_array();
        CvRow {
            model: model.to_owned(),
            round: round + 1,
            set,
            cases: self.cases as usize,
            r: self.r(),
            nmae: relative_error.hi / self.cases as f64,
            bias: off.hi / size.hi,
        }
    }
}

/// Predictors of one round: costs, one cost for all, the mean, one power.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct RoundPredictors {
    /// The solver's costs in joules, length l.
    pub costs_j: Vec<f64>,
    flat_j: f64,
    mean_j: f64,
    power_w: f64,
}

impl RoundPredictors {
    /// Creates the predictors from costs, with the baselines of the same training cells.
    pub fn new(costs_j: Vec<f64>, training: &[&CellSums]) -> Self {
        let over = |above: f64, below: f64| if below > 0.0 { above / below } else { 0.0 };
        let (mut te, mut tt) = (DoubleDouble::default(), DoubleDouble::default());
        for cell in training {
            let (cell_te, cell_tt) = totals(cell);
            (te, tt) = (te.plus(cell_te), tt.plus(cell_tt));
        }
        let sum = |of: fn(&CellSums) -> DoubleDouble| {
            training.iter().map(|cell| of(cell)).sum::<DoubleDouble>().hi
        };
        Self {
            costs_j,
            flat_j: over(te.hi, tt.hi),
            mean_j: over(sum(|cell| cell.energy_j), sum(|cell| DoubleDouble::of(cell.rows as f64))),
            power_w: over(sum(|cell| cell.duration_energy), sum(|cell| cell.duration_square)),
        }
    }
}

/// Returns the weighted sums of `t e` and `t^2`, t the total count of a case.
fn totals(cell: &CellSums) -> (DoubleDouble, DoubleDouble) {
    let l = cell.products.width - 1;
    let te = (0..l).map(|j| cell.products.get(l, j)).sum();
    let mut tt = DoubleDouble::default();
    for j in 0..l {
        let below: DoubleDouble = (j + 1..l).map(|i| cell.products.get(i, j)).sum();
        tt = tt.plus(below).plus(below).plus(cell.products.get(j, j));
    }
    (te, tt)
}

/// Predictors of all rounds of a cross-validation, and the final costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ValidationRounds {
    /// The solver's name.
    pub solver: String,
    /// Predictors for each fold that is held out; none without validation.
    pub rounds: Vec<RoundPredictors>,
    /// Costs fitted to all cases, length l.
    pub last_j: Vec<f64>,
    /// Mean energy of all cases in joules.
    pub mean_j: f64,
    /// Whether all cases have a duration.
    pub durations: bool,
}

const BASELINES: [&str; 3] = ["flat", "mean", "duration"];

impl ValidationRounds {
    /// Creates the rounds of a fit, with the mean energy of its cells.
    pub fn new(
        solver: &str,
        rounds: Vec<RoundPredictors>,
        last_j: Vec<f64>,
        cells: &AllCells,
    ) -> Self {
        let (mean_j, durations) = (cells.mean_j(), cells.have_durations());
        Self { solver: solver.to_owned(), rounds, last_j, mean_j, durations }
    }

    /// Names of the models that are judged.
    pub fn models(&self) -> Vec<&str> {
        let baselines = if self.durations { 3 } else { 2 };
        [self.solver.as_str()].into_iter().chain(BASELINES.into_iter().take(baselines)).collect()
    }

    /// Returns the costs by which a case is predicted, as columns: the rounds', the final ones,
    /// and, for the total count, ones.
    fn columns(&self) -> Mat<f64> {
        let ones = vec![1.0; self.last_j.len()];
        let of_rounds = self.rounds.iter().map(|round| round.costs_j.as_slice());
        let columns: Vec<&[f64]> =
            of_rounds.chain([self.last_j.as_slice(), ones.as_slice()]).collect();
        Mat::from_fn(ones.len(), columns.len(), |j, k| columns[k][j])
    }
}

/// Sums of a judging pass: agreement of predictions, and squared residuals.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct JudgeTally {
    /// Agreement by model, round and fold.
    pub cells: Vec<FoldAgreement>,
    /// Sum of squared residuals of the final costs, in J^2.
    pub squares: DoubleDouble,
}

impl JudgeTally {
    /// Creates the tally of no rows.
    pub fn none(rounds: &ValidationRounds) -> Self {
        let (models, n) = (rounds.models().len(), rounds.rounds.len());
        Self {
            cells: vec![FoldAgreement::default(); models * n * n],
            squares: DoubleDouble::default(),
        }
    }

    /// Predicts every case by every round and by the final costs.
    pub fn read(
        rows: &dyn RowSource,
        plan: &CellPlan,
        rounds: &ValidationRounds,
    ) -> Result<Self, ModelError> {
        let (mut tally, costs) = (Self::none(rounds), rounds.columns());
        let mut problem = None;
        rows.for_each_block(PassColumns::Counts, &mut |block| {
            // The same cases are refused as in the pass before.
            if let Err(error) = plan.check_all(block) {
                problem = Some(error);
                return ControlFlow::Break(());
            }
            let l = rounds.last_j.len();
            let counts = MatRef::from_column_major_slice(&block.counts, block.rows(), l);
            let mut by = Mat::zeros(block.rows(), costs.ncols());
            faer::linalg::matmul::matmul(&mut by, Accum::Replace, counts, &costs, 1.0, Par::Seq);
            run_in_wide_vectors(
                #[inline(always)]
                || tally.add(block, plan, rounds, &by),
            );
            ControlFlow::Continue(())
        })?;
        problem.map_or(Ok(tally), Err)
    }

    #[inline(always)]
    fn add(&mut self, block: &RowBlock, plan: &CellPlan, rounds: &ValidationRounds, by: &Mat<f64>) {
        let n = rounds.rounds.len();
        let models = rounds.models().len();
        for i in 0..block.rows() {
            let energy_j = block.energies_j[i];
            self.squares.add((energy_j - by[(i, n)]).powi(2));
            if n == 0 {
                continue;
            }
            let total = by[(i, n + 1)];
            let fold = plan.fold(block, i);
            for (k, round) in rounds.rounds.iter().enumerate() {
                let duration = round.power_w * block.duration_s(i).unwrap_or(0.0);
                let all = [by[(i, k)], round.flat_j * total, round.mean_j, duration];
                for (model, predicted) in all.into_iter().enumerate().take(models) {
                    self.cells[(model * n + k) * n + fold].add(predicted, energy_j, rounds.mean_j);
                }
            }
        }
    }

    /// Adds the tally of other rows.
    pub fn join(&mut self, other: &Self) {
        for (cell, other) in self.cells.iter_mut().zip(&other.cells) {
            *cell = cell.joined(other);
        }
        self.squares = self.squares.plus(other.squares);
    }

    /// Returns the rows of `cv.csv`, for models of these names and `n` rounds.
    pub fn rows(&self, models: &[&str], n: usize) -> Vec<CvRow> {
        let mut rows = Vec::new();
        for (model, name) in models.iter().enumerate() {
            for k in 0..n {
                let folds = &self.cells[(model * n + k) * n..][..n];
                let training = (0..n).filter(|fold| *fold != k);
                let training =
                    training.fold(FoldAgreement::default(), |sum, fold| sum.joined(&folds[fold]));
                rows.push(training.row(name, k, CvSet::Training));
                rows.push(folds[k].row(name, k, CvSet::Validation));
            }
        }
        rows
    }
}

/// Returns the cells that a round trains on, by inner fold: those of all folds but one (`None`: of
/// all).
pub(super) fn training_cells<'c>(
    cells: &'c AllCells,
    plan: &CellPlan,
    held_out: Option<usize>,
) -> Vec<Vec<&'c CellSums>> {
    let inner = plan.inner_fold_count();
    let kept = |fold: &usize| held_out != Some(*fold);
    (0..inner)
        .map(|part| {
            let folds = (0..plan.outer_fold_count()).filter(kept);
            folds.map(|fold| &cells.cells[fold * inner + part]).collect()
        })
        .collect()
}
