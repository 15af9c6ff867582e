//! `wattline fit`: a data set -> costs, cross-validation, estimability.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::dataset::{ColumnChoice, Table};
use crate::model::{
    CostPrior, CrossValidation, FitOptions, FoldOptions, FoldUnit, Model, Provenance, Solver,
    Weighting, cross_validate, cv_csv, estimability, estimability_csv, fit,
};
use crate::toolchain::artifact::hash_of_bytes;

use super::Failure;
use super::output::{Output, read_text};
use super::progress;

/// Files that a fit writes.
pub const FILES: [&str; 3] = ["model.json", "cv.csv", "estimability.csv"];
