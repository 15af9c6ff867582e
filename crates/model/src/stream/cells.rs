//! Sums over the rows, one cell for each outer and inner fold: in one pass, and every training set
//! of a cross-validation by addition. Cells of the same rows are the same, however the rows were
//! divided and in whatever order they came.

use std::ops::ControlFlow;

use wattline_units::limits::FOLD_SUMS;

use super::super::double_double::DoubleDouble;
use super::super::error::ModelError;
use super::super::estimability::Occurrences;
use super::cell_plan::CellPlan;
use super::products::{LowerTriangle, Precision, SliceBatch};
use crate::table::{PassColumns, RowBlock, RowSource};

/// Sums over the rows of one cell.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CellSums {
    /// `[X y]'[X y]`, weighted; (l + 1) x (l + 1).
    pub products: LowerTriangle,
    /// Number of rows.
    pub rows: u64,
    /// Number of rows with a duration.
    pub durations: u64,
    /// Sum of energies in joules, unweighted.
    pub energy_j: DoubleDouble,
    /// Weighted sum of duration times energy.
    pub duration_energy: DoubleDouble,
    /// Weighted sum of squared durations.
    pub duration_square: DoubleDouble,
}

impl CellSums {
    /// Creates the sums over no rows, for `width` columns.
    pub fn none(width: usize) -> Self {
        Self {
            products: LowerTriangle::zeros(width),
            rows: 0,
            durations: 0,
            energy_j: DoubleDouble::default(),
            duration_energy: DoubleDouble::default(),
            duration_square: DoubleDouble::default(),
        }
    }

    /// Adds the sums over the rows of another cell.
    pub fn add(&mut self, other: &Self) {
        self.products.add(&other.products);
        self.rows += other.rows;
        self.durations += other.durations;
        self.energy_j = self.energy_j.plus(other.energy_j);
        self.duration_energy = self.duration_energy.plus(other.duration_energy);
        self.duration_square = self.duration_square.plus(other.duration_square);
    }
}

/// Refuses cells whose cross products take more memory than allowed.
fn check_sums(cells: usize, l: usize) -> Result<(), ModelError> {
    let of_cell = ((l + 1) * (l + 2) / 2) as u64;
    let remedy = "lower --folds, or name fewer columns with --features";
    FOLD_SUMS.check(of_cell.saturating_mul(cells as u64)).map_err(ModelError::too_large(remedy))
}

/// All cells, and how often each operation occurs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AllCells {
    /// One cell per outer and inner fold.
    pub cells: Vec<CellSums>,
    /// Occurrences in all rows.
    pub occurrences: Occurrences,
    /// Whether the products have all digits.
    pub exact: bool,
}

impl AllCells {
    /// Creates `cells` cells of no rows, for `l` features.
    pub fn none(cells: usize, l: usize) -> Self {
        Self {
            cells: vec![CellSums::none(l + 1); cells],
            occurrences: Occurrences::none(l),
            exact: true,
        }
    }

    /// Sums the rows of a source into cells, in one pass.
    pub fn read(
        rows: &dyn RowSource,
        plan: &CellPlan,
        digits: Precision,
    ) -> Result<Self, ModelError> {
        let l = rows.features().len();
        check_sums(plan.cell_count(), l)?;
        let mut found = Self::none(plan.cell_count(), l);
        let mut filling =
            CellFiller { batch: SliceBatch::new(), order: Vec::new(), ends: Vec::new() };
        let mut problem = None;
        rows.for_each_block(PassColumns::Counts, &mut |block| match filling
            .add(&mut found, plan, block, digits)
        {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                problem = Some(error);
                ControlFlow::Break(())
            }
        })?;
        if let Some(problem) = problem {
            return Err(problem);
        }
        let finite = |cell: &CellSums| (0..=l).all(|j| cell.products.get(j, j).hi.is_finite());
        if !found.cells.iter().all(finite) {
            return Err(not_finite_error(rows));
        }
        Ok(found)
    }

    /// Adds the cells of other rows.
    pub fn join(&mut self, other: &Self) {
        self.cells.iter_mut().zip(&other.cells).for_each(|(cell, other)| cell.add(other));
        self.occurrences.join(&other.occurrences);
        self.exact &= other.exact;
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.cells.iter().map(|cell| cell.rows).sum()
    }

    /// Whether every case has a duration.
    pub(crate) fn have_durations(&self) -> bool {
        self.cells.iter().all(|cell| cell.durations == cell.rows)
    }

    /// Mean energy in joules.
    pub fn mean_j(&self) -> f64 {
        self.cells.iter().map(|cell| cell.energy_j).sum::<DoubleDouble>().hi / self.rows() as f64
    }
}

/// Fills cells block by block, with buffers that are kept.
struct CellFiller {
    batch: SliceBatch,
    /// The rows of a block, cell by cell.
    order: Vec<usize>,
    /// End of each cell's rows.
    ends: Vec<usize>,
}

impl CellFiller {
    fn add(
        &mut self,
        to: &mut AllCells,
        plan: &CellPlan,
        block: &RowBlock,
        digits: Precision,
    ) -> Result<(), ModelError> {
        let roots = plan.roots(block)?;
        self.sort(plan, block);
        let l = to.occurrences.columns();
        let order = &self.order;
        self.batch.fill(block.rows(), l + 1, digits, |j, column| {
            let values = if j < l { block.column(j) } else { &block.energies_j };
            match &roots {
                None => column.extend(order.iter().map(|i| values[*i])),
                Some(roots) => column.extend(order.iter().map(|i| roots[*i] * values[*i])),
            }
        });
        to.exact &= self.batch.exact;
        to.occurrences.add(block);
        let mut start = 0;
        for (cell, end) in to.cells.iter_mut().zip(&self.ends) {
            if start < *end {
                self.batch.add_to(&mut cell.products, start..*end);
                add_cases(cell, block, &order[start..*end], roots.as_deref());
            }
            start = *end;
        }
        Ok(())
    }

    /// Sorts the rows by cell, each cell's in their order.
    fn sort(&mut self, plan: &CellPlan, block: &RowBlock) {
        let cells: Vec<usize> = (0..block.rows()).map(|i| plan.cell(block, i)).collect();
        self.ends.clear();
        self.ends.resize(plan.cell_count(), 0);
        cells.iter().for_each(|cell| self.ends[*cell] += 1);
        let mut end = 0;
        for ends in &mut self.ends {
            end += *ends;
            *ends = end;
        }
        self.order.clear();
        self.order.resize(block.rows(), 0);
        let mut next = self.ends.clone();
        for (i, cell) in cells.iter().enumerate().rev() {
            next[*cell] -= 1;
            self.order[next[*cell]] = i;
        }
    }
}

fn add_cases(cell: &mut CellSums, block: &RowBlock, rows: &[usize], roots: Option<&[f64]>) {
    cell.rows += rows.len() as u64;
    for i in rows {
        let energy_j = block.energies_j[*i];
        cell.energy_j.add(energy_j);
        if let Some(duration_s) = block.duration_s(*i) {
            let weight = roots.map_or(1.0, |roots| roots[*i] * roots[*i]);
            cell.durations += 1;
            let product = DoubleDouble::of(duration_s).times(DoubleDouble::of(energy_j));
            let square = DoubleDouble::of(duration_s).times(DoubleDouble::of(duration_s));
            let weighted = |x: DoubleDouble| x.times(DoubleDouble::of(weight));
            cell.duration_energy = cell.duration_energy.plus(weighted(product));
            cell.duration_square = cell.duration_square.plus(weighted(square));
        }
    }
}

/// Returns the error of the first count that is no number, or one of all counts.
fn not_finite_error(rows: &dyn RowSource) -> ModelError {
    let mut found = None;
    let read = rows.for_each_block(PassColumns::Counts, &mut |block| {
        let Some(at) = block.counts.iter().position(|n| !n.is_finite()) else {
            return ControlFlow::Continue(());
        };
        let (j, i) = (at / block.rows(), at % block.rows());
        let (case, column) = (block.name(i), rows.features()[j].clone());
        found = Some(ModelError::NotFinite { case, column, value: block.counts[at] });
        ControlFlow::Break(())
    });
    let what = "the weighted counts";
    read.err().map(ModelError::from).or(found).unwrap_or(ModelError::Decomposition { what })
}
