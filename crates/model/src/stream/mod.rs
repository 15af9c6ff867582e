//! Fits of more rows than memory holds: one pass for the cases, one for the cross
//! products of every fold, one to judge the predictions. All folds and the final fit
//! come from the same cross products, by addition.
//!
//! Cross products square the condition number. Where that would leave fewer than eight
//! digits, the rows are read once more and decomposed (QR, batch by batch).
//!
//! The same fit as [`super::fit`] and [`super::cross_validate`] up to rounding, but for
//! two choices: the floor of `Weighting::Relative` is the one of all cases, and the inner
//! folds are drawn once for all rounds.

mod cells;
mod judge;
mod outline;
mod training;

use self::cells::{Cell, Cells, Method};
use self::judge::{Round, judge, training};
use self::outline::Outline;
use self::training::{Training, is_ill_conditioned};
use super::design::Design;
use super::error::ModelError;
use super::estimability::{Estimability, examine};
use super::fit::{Fitted, assemble};
use super::fitted::Model;
use super::folds::FoldOptions;
use super::linear::Spectrum;
use super::options::{FitOptions, LibraryColumns, Solver};
use super::solver::solve;
use super::validation::CrossValidation;
use crate::table::Rows;

/// A fit with all that is known about it.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamFit {
    /// The costs.
    pub model: Model,
    /// The solver beside the baselines; absent if no folds were asked for.
    pub validation: Option<CrossValidation>,
    /// What the cases can tell.
    pub estimability: Estimability,
}

/// Fits to rows that are read in blocks, and cross-validates if `folds` says how. Needs
/// memory for one block and `(folds * inner folds) * (l + 1)^2` numbers.
pub fn fit_rows(
    rows: &dyn Rows,
    options: &FitOptions,
    folds: Option<FoldOptions>,
) -> Result<StreamFit, ModelError> {
    options.check()?;
    check_columns(rows, options)?;
    let outline = Outline::read(rows, options, folds)?;
    let (cells, design) = whole(rows, &outline, options)?;
    let spectrum = Spectrum::of(design.x.as_ref(), options.rank_tolerance)?;
    let known = examine(&cells.occurrences, &design, &spectrum, options.rank_tolerance);
    let solution = solve(&design, options)?;
    let rounds = match folds {
        Some(_) => rounds(rows.features(), &cells, &outline, options)?,
        None => Vec::new(),
    };
    let last = design.costs(&solution.b);
    let judged = judge(rows, &outline, &rounds, &last, options.solver.name())?;
    let fitted =
        Fitted { design: &design, spectrum: &spectrum, known: &known, solution: &solution };
    let model = assemble(&fitted, judged.squares, options)?;
    let validation = folds.map(|folds| CrossValidation { seed: folds.seed, rows: judged.rows });
    Ok(StreamFit { model, validation, estimability: known })
}

/// The cells and the problem of all of them; decomposed rows where cross products are
/// too coarse.
fn whole(
    rows: &dyn Rows,
    outline: &Outline,
    options: &FitOptions,
) -> Result<(Cells, Design), ModelError> {
    let design = |cells: &Cells| {
        let parts = training(cells, outline, None);
        Training { parts, method: cells.method }.design(
            rows.features(),
            options.weighting,
            options.assumed,
        )
    };
    let coarse = Cells::read(rows, outline, Method::Products)?;
    let found = design(&coarse)?;
    if !found.seen.contains(&true) {
        return Err(ModelError::NoCounts);
    }
    if !is_ill_conditioned(&found) {
        return Ok((coarse, found));
    }
    let fine = Cells::read(rows, outline, Method::Triangle)?;
    let found = design(&fine)?;
    Ok((fine, found))
}

fn rounds(
    features: &[String],
    cells: &Cells,
    outline: &Outline,
    options: &FitOptions,
) -> Result<Vec<Round>, ModelError> {
    let round = |fold: usize| {
        let parts = training(cells, outline, Some(fold));
        let all: Vec<&Cell> = parts.iter().flatten().copied().collect();
        let design = Training { parts, method: cells.method }.design(
            features,
            options.weighting,
            options.assumed,
        )?;
        let options = FitOptions { chains: options.chains.draft(), ..options.clone() };
        let costs = design.costs(&solve(&design, &options)?.b);
        Ok(Round::new(costs, &all, cells.method))
    };
    (0..outline.folds).map(round).collect()
}

fn check_columns(rows: &dyn Rows, options: &FitOptions) -> Result<(), ModelError> {
    let features = rows.features();
    if features.is_empty() {
        return Err(ModelError::NoFeatures);
    }
    let mut seen = std::collections::BTreeSet::new();
    if let Some(name) = features.iter().find(|name| !seen.insert(name.as_str())) {
        return Err(ModelError::DuplicateFeature { name: name.clone() });
    }
    if options.library != LibraryColumns::AsGiven {
        return Err(ModelError::BadOption {
            option: "the choice of library columns",
            value: "the most executed".to_owned(),
            expected: "as given, for rows that are streamed",
        });
    }
    if options.solver == Solver::Stack {
        return Err(ModelError::BadOption {
            option: "--solver",
            value: options.solver.name().to_owned(),
            expected: "a single one for rows that are streamed, which can't be held out twice",
        });
    }
    if let Some(bootstrap) = options.bootstrap {
        return Err(ModelError::BadOption {
            option: "--bootstrap",
            value: bootstrap.replicates.to_string(),
            expected: "0 for rows that are streamed, which can't be drawn again",
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
