//! Fits of tables too large to hold: read in blocks, several times.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use wattline_units::limits::TABLE_NUMBERS;

use crate::fit::CampaignModel;
use crate::model::table::{PassColumns, RowSource, TableRows};
use crate::model::{FitOptions, FoldOptions, FoldUnit, ModelError, Solver, StreamFit, fit_rows};

use super::tables::TableFiles;
use super::{Arguments, DataOrigin, DatasetFacts, Failure, Output, progress};

/// Size in bytes from which every solver that can reads a table in blocks (16 MB).
const BLOCKS_BYTES: u64 = 16 << 20;

/// Size in bytes from which no table is read whole (256 MB).
const LARGE_BYTES: u64 = 256 << 20;

/// Whether to read a table in blocks: if it is large, or if no option needs it whole.
pub fn is_better_in_blocks(
    tables: &TableFiles,
    arguments: &Arguments,
    options: &FitOptions,
) -> Result<bool, Failure> {
    let needs_whole = arguments.solver.is_none()
        || matches!(options.solver, Solver::Stack | Solver::Bayes)
        // A hash may leave a fold without any of a few groups.
        || options.inner_folds.unit == FoldUnit::Group
        || arguments.bootstrap > 0
        || arguments.learning_curve;
    match tables.is_stream() {
        true => Ok(false),
        false if needs_whole => is_large(tables),
        false => Ok(tables.bytes() >= BLOCKS_BYTES || tables.has_too_many_numbers()?),
    }
}

/// Whether a table is too large to be read whole.
fn is_large(tables: &TableFiles) -> Result<bool, Failure> {
    Ok(tables.bytes() >= LARGE_BYTES || tables.has_too_many_numbers()?)
}

/// Fits a table in blocks, without ever holding all of it.
pub fn run(
    tables: &TableFiles,
    rows: &TableRows<'_>,
    arguments: &Arguments,
    options: &FitOptions,
    folds: FoldOptions,
    output: &Output,
) -> Result<(), Failure> {
    let fitted = fit_rows(rows, options, Some(folds));
    let StreamFit { model, validation, estimability } = fitted.map_err(|error| match error {
        ModelError::Table(error) => tables.failure(&error),
        error => error.into(),
    })?;
    let validation = validation.expect("folds were asked for");
    let estimability = estimability.operations;
    let fitted = CampaignModel { model, validation, estimability };
    let (sha256, facts) = (tables.sha256()?, DatasetFacts::beside(&tables.named)?);
    let origin = DataOrigin { sha256: &sha256, facts: &facts, seed: arguments.seed };
    fitted.write(origin, output)?;
    super::figures::print(arguments, &fitted, options, output);
    progress::say(format!("written: {}", output.folder().display()));
    Ok(())
}

/// Whether the cases are of one board, as fits in blocks need it; an error if they are not, and the
/// table is too large to be read whole.
pub fn are_of_one_board(tables: &TableFiles, rows: &TableRows<'_>) -> Result<bool, Failure> {
    if !rows.have_devices() {
        return Ok(true);
    }
    let mut devices: BTreeSet<String> = BTreeSet::new();
    let read = rows.for_each_block(PassColumns::Cases, &mut |block| {
        for i in 0..block.rows() {
            if !devices.contains(block.device(i)) {
                devices.insert(block.device(i).to_owned());
            }
        }
        if devices.len() > 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    read.map_err(|error| tables.failure(&error))?;
    if devices.len() > 1 && is_large(tables)? {
        let message = format!(
            "its cases are of several boards, which are not told apart in tables from \
             {LARGE_BYTES} bytes on, or of more than {TABLE_NUMBERS}; fit a table for each board"
        );
        return Err(Failure::input(&tables.named, message));
    }
    Ok(devices.len() < 2)
}
