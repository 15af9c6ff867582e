//! Fits of files too large to hold: read in blocks, several times.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use super::{Arguments, DataOrigin, DatasetFacts, Failure, Output, progress, summary};
use crate::model::table::{ColumnChoice, CsvRows, Rows, Table};
use crate::model::{FitOptions, FoldOptions, StreamFit, estimability_csv, fit_rows};
use crate::stage::fit::Fitted;
use crate::toolchain::artifact::hash_of;

/// Files from this size on (256 MB) are not read whole.
const LARGE_BYTES: u64 = 256 << 20;

/// Whether a file is better read in blocks.
pub fn is_large(path: &Path) -> bool {
    path.metadata().is_ok_and(|facts| facts.len() >= LARGE_BYTES)
}

/// Fits without ever holding the file.
pub fn run(
    arguments: &Arguments,
    choice: &ColumnChoice,
    options: &FitOptions,
    folds: FoldOptions,
    output: &Output,
) -> Result<(), Failure> {
    let path = &arguments.dataset;
    if is_parquet(path) {
        return run_on(parquet(path, choice)?.as_ref(), arguments, options, folds, output);
    }
    let open = || -> std::io::Result<Box<dyn Read>> {
        Ok(Box::new(BufReader::with_capacity(1 << 20, File::open(path)?)))
    };
    let rows = CsvRows::new(Box::new(open), choice).map_err(|error| Failure::input(path, error))?;
    run_on(&rows, arguments, options, folds, output)
}

/// Whether a file begins as Parquet files do.
pub fn is_parquet(path: &Path) -> bool {
    let mut first = [0; 4];
    File::open(path).and_then(|mut file| file.read_exact(&mut first)).is_ok() && &first == b"PAR1"
}

/// The whole table of a Parquet file.
pub fn parquet_table(path: &Path, choice: &ColumnChoice) -> Result<Table, Failure> {
    let rows = parquet(path, choice)?;
    Table::from_rows(rows.as_ref()).map_err(|error| Failure::input(path, error))
}

#[cfg(feature = "parquet")]
fn parquet(path: &Path, choice: &ColumnChoice) -> Result<Box<dyn Rows>, Failure> {
    let file = File::open(path).map_err(|error| Failure::input(path, error))?;
    let rows = crate::model::table::ParquetRows::new(file, choice);
    Ok(Box::new(rows.map_err(|error| Failure::input(path, error))?))
}

#[cfg(not(feature = "parquet"))]
fn parquet(path: &Path, _: &ColumnChoice) -> Result<Box<dyn Rows>, Failure> {
    let message = "this wattline was built without Parquet; convert the table to CSV";
    let message = message.to_owned();
    Err(Failure::input(path, crate::model::table::RowsError::Read { message }))
}

fn run_on(
    rows: &dyn Rows,
    arguments: &Arguments,
    options: &FitOptions,
    folds: FoldOptions,
    output: &Output,
) -> Result<(), Failure> {
    let path = &arguments.dataset;
    refuse_boards(rows, path)?;
    let StreamFit { model, validation, estimability } = fit_rows(rows, options, Some(folds))?;
    let validation = validation.expect("folds were asked for");
    let estimability = estimability_csv(&estimability)?;
    let fitted = Fitted { model, validation, estimability };
    let (sha256, facts) = (hash_of(path)?, DatasetFacts::beside(path)?);
    let origin = DataOrigin { sha256: &sha256, facts: &facts, seed: arguments.seed };
    output.write_fit(&fitted, origin)?;
    progress::result(summary(&fitted.model, &fitted.validation, options.weighting));
    progress::say(format!("written: {}", output.folder().display()));
    Ok(())
}

/// Boards as a factor want all cases at once.
fn refuse_boards(rows: &dyn Rows, path: &Path) -> Result<(), Failure> {
    let mut devices = BTreeSet::new();
    rows.each_outline(&mut |block| {
        devices.extend(block.cases.iter().map(|case| case.device.clone()));
    })
    .map_err(|error| Failure::input(path, error))?;
    match devices.len() {
        0 | 1 => Ok(()),
        several => Err(Failure::input(
            path,
            format!(
                "its cases are of {several} boards, which are not told apart in files from \
                 {LARGE_BYTES} bytes on; fit a file for each board"
            ),
        )),
    }
}
