//! Cell and weight of each case, as the sums over rows need them. Both follow from the case alone,
//! so that it makes no difference in which file, process or order it comes.

use std::ops::ControlFlow;

use twox_hash::XxHash64;
use wattline_units::assumptions::Assumptions;

use super::super::error::ModelError;
use super::super::folds::{FoldOptions, FoldUnit};
use super::super::options::{FitOptions, Penalty, Solver};
use super::super::weights::{Weighting, checked_weight, relative_floor};
use crate::table::{Case, PassColumns, RowBlock, RowSource};

/// Keeps the inner folds from being the outer ones where both have one seed.
const INNER_SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// Rules that give each case its cell and its weight.
pub(super) struct CellPlan {
    outer: Option<FoldOptions>,
    inner: Option<FoldOptions>,
    floor_j: f64,
    weighting: Weighting,
    assumed: Assumptions,
}

impl CellPlan {
    /// Creates the plan of a fit with outer folds, and with inner ones where something is to be
    /// chosen. Reads the cases where weights need the median of their energies.
    pub fn new(
        rows: &dyn RowSource,
        options: &FitOptions,
        outer: Option<FoldOptions>,
        inner: Option<FoldOptions>,
    ) -> Result<Self, ModelError> {
        let floor_j = match (options.weighting, options.relative_floor_j) {
            (Weighting::Relative, None) => relative_floor_of_rows(rows)?,
            (_, known) => known.unwrap_or(0.0),
        };
        Self::with_floor(options, outer, inner, floor_j)
    }

    /// Creates the plan with a known `floor_j`, the energy in joules below which
    /// `Weighting::Relative` takes no case.
    pub(crate) fn with_floor(
        options: &FitOptions,
        outer: Option<FoldOptions>,
        inner: Option<FoldOptions>,
        floor_j: f64,
    ) -> Result<Self, ModelError> {
        if let Some(folds) = outer.filter(|folds| folds.folds < 2) {
            let (option, value) = ("--folds", folds.folds.to_string());
            return Err(ModelError::BadOption { option, value, expected: "at least 2" });
        }
        let (weighting, assumed) = (options.weighting, options.assumed);
        let inner = inner.map(|folds| FoldOptions { seed: folds.seed ^ INNER_SEED, ..folds });
        Ok(Self { outer, inner, floor_j, weighting, assumed })
    }

    /// Number of outer folds; 1 without validation.
    pub fn outer_fold_count(&self) -> usize {
        self.outer.map_or(1, |folds| folds.folds)
    }

    /// Number of inner folds; 1 where nothing is to be chosen.
    pub fn inner_fold_count(&self) -> usize {
        self.inner.map_or(1, |folds| folds.folds)
    }

    /// Number of cells.
    pub fn cell_count(&self) -> usize {
        self.outer_fold_count().saturating_mul(self.inner_fold_count())
    }

    /// The cell of row `i`, `outer * inner folds + inner`.
    pub fn cell(&self, block: &RowBlock, i: usize) -> usize {
        let inner = self.inner.map_or(0, |folds| fold(block, i, folds));
        self.fold(block, i) * self.inner_fold_count() + inner
    }

    /// The outer fold of row `i`.
    pub fn fold(&self, block: &RowBlock, i: usize) -> usize {
        self.outer.map_or(0, |folds| fold(block, i, folds))
    }

    /// Returns the roots of the weights of all rows; `None` where they are all 1. Also refuses what
    /// can't be fitted or judged.
    pub fn roots(&self, block: &RowBlock) -> Result<Option<Vec<f64>>, ModelError> {
        self.check_all(block)?;
        if self.weighting == Weighting::Equal {
            return Ok(None);
        }
        let root = |case: Case| {
            Ok(checked_weight(&case, self.weighting, self.floor_j, &self.assumed)?.sqrt())
        };
        (0..block.rows()).map(|i| root(block.case(i))).collect::<Result<_, _>>().map(Some)
    }

    /// Refuses what can't be fitted or judged.
    pub fn check_all(&self, block: &RowBlock) -> Result<(), ModelError> {
        (0..block.rows()).try_for_each(|i| self.check(block, i))
    }

    fn check(&self, block: &RowBlock, i: usize) -> Result<(), ModelError> {
        let energy_j = block.energies_j[i];
        let not_finite = |column: &str, value: f64| ModelError::NotFinite {
            case: block.name(i),
            column: column.to_owned(),
            value,
        };
        if !energy_j.is_finite() {
            return Err(not_finite("energy_j", energy_j));
        }
        let se = block.energies_se_j.as_ref().and_then(|errors| errors[i]);
        if let Some(se) = se.filter(|se| !se.is_finite()) {
            return Err(not_finite("energy_se_j", se));
        }
        if self.outer.is_some() && energy_j == 0.0 {
            return Err(ModelError::ZeroEnergy { case: block.name(i), wanted: "the NMAE" });
        }
        Ok(())
    }
}

/// Returns the fold of row `i`: by its group, or by its name, or, where cases have none, by its
/// energy.
fn fold(block: &RowBlock, i: usize, folds: FoldOptions) -> usize {
    let name = block.names.as_ref().map_or("", |names| names.get(i));
    let hash = match (folds.unit, name) {
        (FoldUnit::Group, _) => XxHash64::oneshot(folds.seed, block.group(i).as_bytes()),
        (FoldUnit::Case, "") => {
            XxHash64::oneshot(folds.seed, &block.energies_j[i].to_bits().to_le_bytes())
        }
        (FoldUnit::Case, name) => XxHash64::oneshot(folds.seed, name.as_bytes()),
    };
    ((u128::from(hash) * folds.folds as u128) >> 64) as usize
}

fn relative_floor_of_rows(rows: &dyn RowSource) -> Result<f64, ModelError> {
    let mut sizes_j = Vec::new();
    rows.for_each_block(PassColumns::Cases, &mut |block| {
        sizes_j.extend(block.energies_j.iter().map(|energy| energy.abs()));
        ControlFlow::Continue(())
    })?;
    Ok(relative_floor(sizes_j))
}

/// Returns the inner folds of a solver that chooses a strength by them; `None` for others.
pub(super) fn inner_folds(options: &FitOptions) -> Option<FoldOptions> {
    let penalised = matches!(options.solver, Solver::Shrink | Solver::Ridge | Solver::ElasticNet);
    (penalised && options.penalty == Penalty::CrossValidated).then_some(options.inner_folds)
}
