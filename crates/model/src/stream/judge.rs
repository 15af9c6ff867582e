//! The last pass: predictions of every round's costs beside the baselines, and the
//! residuals of the final ones.

use faer::{Accum, Mat, MatRef, Par};

use super::super::validation::{CvRow, CvSet};
use super::cells::{Cell, Cells, Method};
use super::outline::Outline;
use crate::table::{Block, Rows, RowsError};

/// Sums of one model over the cases of one set of a round.
#[derive(Debug, Clone, Copy, Default)]
struct Agreement {
    cases: usize,
    relative_error: f64,
    /// Sums of p - m and |m|.
    off: f64,
    size: f64,
    /// Sums of p, m, pp, mm, pm; p predicted, m measured, both less the mean energy.
    sums: [f64; 5],
}

impl Agreement {
    fn add(&mut self, predicted: f64, measured: f64, mean: f64) {
        self.cases += 1;
        self.relative_error += ((predicted - measured) / measured).abs();
        self.off += predicted - measured;
        self.size += measured.abs();
        let (p, m) = (predicted - mean, measured - mean);
        for (sum, term) in self.sums.iter_mut().zip([p, m, p * p, m * m, p * m]) {
            *sum += term;
        }
    }

    fn joined(&self, other: &Self) -> Self {
        let mut sums = self.sums;
        sums.iter_mut().zip(other.sums).for_each(|(sum, other)| *sum += other);
        Self {
            cases: self.cases + other.cases,
            relative_error: self.relative_error + other.relative_error,
            off: self.off + other.off,
            size: self.size + other.size,
            sums,
        }
    }

    /// Pearson's correlation; `None` where one side is constant.
    fn r(&self) -> Option<f64> {
        let n = self.cases as f64;
        let [p, m, pp, mm, pm] = self.sums;
        let (pp_c, mm_c, pm_c) = (pp - p * p / n, mm - m * m / n, pm - p * m / n);
        let constant = |centred: f64, raw: f64| centred <= 1e-12 * raw;
        if self.cases < 2 || constant(pp_c, pp) || constant(mm_c, mm) {
            return None;
        }
        Some((pm_c / (pp_c * mm_c).sqrt()).clamp(-1.0, 1.0))
    }
}

/// A round's predictions: costs, one cost for all, the mean, one power.
pub(super) struct Round {
    /// The solver's costs, length l.
    pub costs: Vec<f64>,
    flat_j: f64,
    mean_j: f64,
    power_w: f64,
}

impl Round {
    /// Costs with the baselines of the same training cells.
    pub fn new(costs: Vec<f64>, training: &[&Cell], method: Method) -> Self {
        let over = |above: f64, below: f64| if below > 0.0 { above / below } else { 0.0 };
        let (mut te, mut tt) = (0.0, 0.0);
        for cell in training {
            let (cell_te, cell_tt) = totals(cell, method);
            (te, tt) = (te + cell_te, tt + cell_tt);
        }
        let sum = |of: fn(&Cell) -> f64| training.iter().map(|cell| of(cell)).sum::<f64>();
        Self {
            costs,
            flat_j: over(te, tt),
            mean_j: over(sum(|cell| cell.energy_j), sum(|cell| cell.rows as f64)),
            power_w: over(sum(|cell| cell.duration_energy), sum(|cell| cell.duration_square)),
        }
    }
}

/// Weighted sums of `t e` and `t^2`, t the total count of a case.
fn totals(cell: &Cell, method: Method) -> (f64, f64) {
    let l = cell.matrix.ncols() - 1;
    if method == Method::Triangle {
        let row = |i: usize| (0..l).map(|j| cell.matrix[(i, j)]).sum::<f64>();
        return (0..=l).fold((0.0, 0.0), |(te, tt), i| {
            (te + row(i) * cell.matrix[(i, l)], tt + row(i) * row(i))
        });
    }
    let te = (0..l).map(|j| cell.matrix[(l, j)]).sum();
    let below: f64 = (0..l).map(|j| (j + 1..l).map(|i| cell.matrix[(i, j)]).sum::<f64>()).sum();
    let diagonal: f64 = (0..l).map(|j| cell.matrix[(j, j)]).sum();
    (te, 2.0 * below + diagonal)
}

/// What the pass finds.
pub(super) struct Judgement {
    /// Rows of `cv.csv`.
    pub rows: Vec<CvRow>,
    /// Sum of squared residuals of the final costs, in J^2.
    pub squares: f64,
}

const BASELINES: [&str; 3] = ["flat", "mean", "duration"];

/// Predicts every case by every round and by the final costs.
pub(super) fn judge(
    rows: &dyn Rows,
    outline: &Outline,
    rounds: &[Round],
    last: &[f64],
    solver: &str,
) -> Result<Judgement, RowsError> {
    let l = rows.features().len();
    let ones = vec![1.0; l];
    // for the total count, which only the baselines of rounds need
    let total = (!rounds.is_empty()).then_some(ones.as_slice());
    let of_rounds = rounds.iter().map(|round| round.costs.as_slice());
    let columns: Vec<&[f64]> = of_rounds.chain([last]).chain(total).collect();
    let costs = Mat::from_fn(l, columns.len(), |j, k| columns[k][j]);
    let mut tally = Tally::new(rounds.len(), outline.durations);
    rows.each_block(&mut |block| {
        let counts = MatRef::from_row_major_slice(block.counts, block.cases.len(), l);
        let mut predicted = Mat::zeros(block.cases.len(), columns.len());
        faer::linalg::matmul::matmul(&mut predicted, Accum::Replace, counts, &costs, 1.0, Par::Seq);
        tally.add(block, outline, rounds, &predicted);
    })?;
    Ok(Judgement { rows: tally.rows(solver), squares: tally.squares })
}

struct Tally {
    /// By model, round and fold.
    cells: Vec<Agreement>,
    rounds: usize,
    models: usize,
    squares: f64,
}

impl Tally {
    fn new(rounds: usize, durations: bool) -> Self {
        let models = if durations { 4 } else { 3 };
        Self {
            cells: vec![Agreement::default(); models * rounds * rounds],
            rounds,
            models,
            squares: 0.0,
        }
    }

    fn add(&mut self, block: Block<'_>, outline: &Outline, rounds: &[Round], by: &Mat<f64>) {
        for (i, case) in block.cases.iter().enumerate() {
            self.squares += (case.energy_j - by[(i, rounds.len())]).powi(2);
            if rounds.is_empty() {
                continue;
            }
            let total = by[(i, rounds.len() + 1)];
            let fold = outline.fold(block.first + i);
            for (k, round) in rounds.iter().enumerate() {
                let duration = round.power_w * case.duration_s.unwrap_or(0.0);
                let all = [by[(i, k)], round.flat_j * total, round.mean_j, duration];
                for (model, predicted) in all.into_iter().enumerate().take(self.models) {
                    let at = (model * self.rounds + k) * self.rounds + fold;
                    self.cells[at].add(predicted, case.energy_j, outline.mean_j);
                }
            }
        }
    }

    fn rows(&self, solver: &str) -> Vec<CvRow> {
        let names = [&[solver][..], &BASELINES].concat();
        let mut rows = Vec::new();
        for (model, name) in names.into_iter().take(self.models).enumerate() {
            for k in 0..self.rounds {
                let at = (model * self.rounds + k) * self.rounds;
                let folds = &self.cells[at..at + self.rounds];
                let training = (0..self.rounds).filter(|fold| *fold != k);
                let training =
                    training.fold(Agreement::default(), |sum, fold| sum.joined(&folds[fold]));
                rows.push(row(name, k, CvSet::Training, &training));
                rows.push(row(name, k, CvSet::Validation, &folds[k]));
            }
        }
        rows
    }
}

fn row(model: &str, round: usize, set: CvSet, found: &Agreement) -> CvRow {
    CvRow {
        model: model.to_owned(),
        round: round + 1,
        set,
        cases: found.cases,
        r: found.r(),
        nmae: found.relative_error / found.cases as f64,
        bias: found.off / found.size,
    }
}

/// The cells that a round trains on: those of all folds but one (`None`: of all), by
/// inner fold.
pub(super) fn training<'c>(
    cells: &'c Cells,
    outline: &Outline,
    held_out: Option<usize>,
) -> Vec<Vec<&'c Cell>> {
    let inner = outline.inner;
    let kept = |fold: &usize| held_out != Some(*fold);
    (0..inner)
        .map(|part| {
            (0..outline.folds).filter(kept).map(|fold| &cells.cells[fold * inner + part]).collect()
        })
        .collect()
}
