//! Cross products of weighted rows `[n e]`, one matrix per cell (outer by inner fold):
//! one pass over the rows, and every training set of a cross-validation by addition.

use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, Mat, MatRef, Par};

use super::super::error::ModelError;
use super::super::estimability::Occurrences;
use super::outline::Outline;
use crate::table::{Block, Rows};

/// Rows of a cell that are multiplied at once: enough to be fast, few enough to be small.
const BATCH_ROWS: usize = 384;

/// How a batch of rows is folded into what is known of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// Lower triangle of the cross products: fast, but squares the condition number.
    Products,
    /// The triangle of a QR decomposition: several times slower, and exact.
    Triangle,
}

/// Sums over the rows of one cell.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    /// Lower triangle of `[X y]'[X y]`, or the triangle `R` of `[X y] = QR`; (l+1) x (l+1).
    pub matrix: Mat<f64>,
    /// Number of rows.
    pub rows: usize,
    /// Sum of energies in joules, unweighted.
    pub energy_j: f64,
    /// Weighted sum of duration times energy.
    pub duration_energy: f64,
    /// Weighted sum of squared durations.
    pub duration_square: f64,
}

/// All cells, and how often each operation occurs.
pub(super) struct Cells {
    /// One per outer and inner fold.
    pub cells: Vec<Cell>,
    /// Of all rows.
    pub occurrences: Occurrences,
    /// What the matrices are.
    pub method: Method,
}

impl Cells {
    /// One pass over the rows.
    pub fn read(rows: &dyn Rows, outline: &Outline, method: Method) -> Result<Self, ModelError> {
        let width = rows.features().len() + 1;
        let mut filling: Vec<Filling> =
            (0..outline.cells()).map(|_| Filling::new(width, method)).collect();
        let mut occurrences = Occurrences::none(width - 1);
        let mut problem = None;
        rows.each_block(&mut |block| {
            if problem.is_none() {
                occurrences.add(block.counts);
                problem = add(&mut filling, outline, block).err();
            }
        })?;
        if let Some(problem) = problem {
            return Err(problem);
        }
        let cells: Vec<Cell> = filling.into_iter().map(Filling::finish).collect();
        let finite = |cell: &Cell| (0..width).all(|j| cell.matrix[(j, j)].is_finite());
        if !cells.iter().all(finite) {
            return Err(culprit(rows));
        }
        Ok(Self { cells, occurrences, method })
    }
}

fn add(filling: &mut [Filling], outline: &Outline, block: Block<'_>) -> Result<(), ModelError> {
    let l = filling[0].width - 1;
    for (i, case) in block.cases.iter().enumerate() {
        let root = outline.root_weight(case)?;
        let cell = &mut filling[outline.cell(block.first + i)];
        cell.add(&block.counts[i * l..(i + 1) * l], case.energy_j, root);
        if let Some(duration) = case.duration_s {
            cell.sums.duration_energy += root * root * duration * case.energy_j;
            cell.sums.duration_square += (root * duration).powi(2);
        }
    }
    Ok(())
}

/// The first count that is no number, or the blame on all.
fn culprit(rows: &dyn Rows) -> ModelError {
    let (features, l) = (rows.features(), rows.features().len());
    let mut found = None;
    let read = rows.each_block(&mut |block| {
        if let (None, Some(at)) = (&found, block.counts.iter().position(|n| !n.is_finite())) {
            let (case, column) = (block.cases[at / l].name.clone(), features[at % l].clone());
            found = Some(ModelError::NotFinite { case, column, value: block.counts[at] });
        }
    });
    let what = "the weighted counts";
    read.err().map(ModelError::from).or(found).unwrap_or(ModelError::Decomposition { what })
}

/// A cell being filled.
struct Filling {
    sums: Cell,
    method: Method,
    width: usize,
    batch: Vec<f64>,
}

impl Filling {
    fn new(width: usize, method: Method) -> Self {
        let matrix = Mat::zeros(width, width);
        let sums =
            Cell { matrix, rows: 0, energy_j: 0.0, duration_energy: 0.0, duration_square: 0.0 };
        Self { sums, method, width, batch: Vec::with_capacity(BATCH_ROWS * width) }
    }

    fn add(&mut self, counts: &[f64], energy_j: f64, root: f64) {
        self.sums.rows += 1;
        self.sums.energy_j += energy_j;
        self.batch.extend(counts.iter().map(|count| root * count));
        self.batch.push(root * energy_j);
        if self.batch.len() == BATCH_ROWS * self.width {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let batch =
            MatRef::from_row_major_slice(&self.batch, self.batch.len() / self.width, self.width);
        match self.method {
            Method::Products => add_products(&mut self.sums.matrix, batch),
            Method::Triangle => self.sums.matrix = triangle(&self.sums.matrix, batch),
        }
        self.batch.clear();
    }

    fn finish(mut self) -> Cell {
        if !self.batch.is_empty() {
            self.flush();
        }
        self.sums
    }
}

fn add_products(to: &mut Mat<f64>, batch: MatRef<'_, f64>) {
    let (lower, full) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
    matmul(to, lower, Accum::Add, batch.transpose(), full, batch, full, 1.0, Par::Seq);
}

/// `R` of the rows of `R` and of the batch together.
pub(super) fn triangle(r: &Mat<f64>, batch: MatRef<'_, f64>) -> Mat<f64> {
    let (above, width) = (r.nrows(), r.ncols());
    let stacked = Mat::from_fn(above + batch.nrows(), width, |i, j| {
        if i < above { r[(i, j)] } else { batch[(i - above, j)] }
    });
    let thin = stacked.qr().thin_R().to_owned();
    Mat::from_fn(width, width, |i, j| if i <= j && i < thin.nrows() { thin[(i, j)] } else { 0.0 })
}
