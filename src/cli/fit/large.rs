//! Fits of files too large to hold: read in blocks, several times.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::summary::summary;
use super::{Arguments, Failure, Fitted, Output, progress, write_parts};
use crate::dataset::{ColumnChoice, CsvRows};
use crate::model::{FitOptions, FoldOptions, StreamFit, estimability_csv, fit_rows};

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
    let open = || -> std::io::Result<Box<dyn Read>> {
        Ok(Box::new(BufReader::with_capacity(1 << 20, File::open(path)?)))
    };
    let rows = CsvRows::new(Box::new(open), choice).map_err(|error| Failure::input(path, error))?;
    let StreamFit { model, validation, estimability } = fit_rows(&rows, options, Some(folds))?;
    let validation = validation.expect("folds were asked for");
    let estimability = estimability_csv(&estimability)?;
    let fitted = Fitted { model, validation, estimability };
    let hash = hash_of(path).map_err(|error| Failure::input(path, error))?;
    write_parts(&fitted, output, hash, path, arguments.seed)?;
    progress::result(summary(&fitted.model, &fitted.validation, options.weighting));
    progress::say(format!("written: {}", output.folder().display()));
    Ok(())
}

/// SHA-256 of a file in hexadecimal digits.
fn hash_of(path: &Path) -> std::io::Result<String> {
    let mut hasher = Sha256::new();
    let (mut file, mut part) = (File::open(path)?, vec![0; 1 << 20]);
    loop {
        match file.read(&mut part)? {
            0 => break,
            n => hasher.update(&part[..n]),
        }
    }
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
