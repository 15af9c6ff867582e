//! What is known of costs before a campaign's cases are looked at: by its microbenchmarks, or by
//! the costs of another device.

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::folder::{CampaignFolder, names, read_text};
use crate::microbenchmarks::MeasuredMicrobenchmarks;
use crate::microbenchmarks::prices::MicrobenchmarkPrices;
use crate::model::{ContextPrice, CostPriors, FitOptions, Model, Penalty, Solver};

/// What microbenchmarks say.
#[derive(Debug, Clone)]
pub struct KnownCosts {
    priors: CostPriors,
    /// What contexts cost beside their operation.
    pub contexts: Vec<ContextPrice>,
    /// The board that they are about, where there were several.
    reference: Option<String>,
}

impl KnownCosts {
    /// Those of microbenchmarks that were measured.
    pub fn of(measured: &MeasuredMicrobenchmarks) -> KnownCosts {
        let MicrobenchmarkPrices { priors, devices, .. } = &measured.prices;
        KnownCosts {
            priors: priors.clone(),
            contexts: measured.prices.contexts(),
            reference: devices.first().map(|factor| factor.device.clone()),
        }
    }

    /// Those that a folder has; none where none were measured.
    ///
    /// # Errors
    /// Its files can't be read.
    pub fn read(folder: &CampaignFolder) -> Result<Option<KnownCosts>, Failure> {
        let path = folder.file(names::MICROBENCHMARKS);
        if !path.is_file() {
            return Ok(None);
        }
        let (priors, contexts) = priors_of(&path, &read_text(&path)?)?;
        let reference = folder.microbenchmarks_reference()?;
        Ok(Some(KnownCosts { priors, contexts, reference }))
    }

    /// Takes them at their word: as strongly as their standard errors say. A strength chosen by
    /// the error of case totals would be far too weak, since totals tell little of single costs
    /// (`docs/models.md`).
    pub fn set(&self, options: &mut FitOptions) {
        options.penalty = Penalty::AsStated;
        options.priors = self.priors.clone();
        options.reference.clone_from(&self.reference);
    }
}

/// Sets what a file says of costs: `microbenchmarks.csv`, as [`KnownCosts::set`], or an older
/// device's `model.json`, whose costs and errors are taken at a strength that the new device's
/// cases choose. Returns what contexts cost beside their operation.
pub fn set_priors(options: &mut FitOptions, path: &Path) -> Result<Vec<ContextPrice>, Failure> {
    let text = read_text(path)?;
    if text.trim_start().starts_with('{') {
        let model = Model::from_json(&text).map_err(|error| Failure::input(path, error))?;
        options.priors = model.as_priors();
        return Ok(model.contexts);
    }
    if options.solver != Solver::Bayes {
        options.penalty = Penalty::AsStated;
    }
    let (priors, contexts) = priors_of(path, &text)?;
    options.priors = priors;
    Ok(contexts)
}

/// The costs of a text, with the covariance of the file beside it, and what contexts cost.
fn priors_of(path: &Path, text: &str) -> Result<(CostPriors, Vec<ContextPrice>), Failure> {
    let bad = |error| Failure::input(path, error);
    let mut priors = CostPriors::from_csv(text).map_err(bad)?;
    let beside = covariance_beside(path);
    if beside.is_file() {
        let bad = |error| Failure::input(&beside, error);
        priors = priors.with_covariance_csv(&read_text(&beside)?).map_err(bad)?;
    }
    Ok((priors, ContextPrice::from_csv(text).map_err(bad)?))
}

/// Where the covariance of a file of priors lies: `microbenchmarks.csv`,
/// `microbenchmarks-covariance.csv`.
fn covariance_beside(priors: &Path) -> PathBuf {
    let stem = priors.file_stem().unwrap_or_default().to_string_lossy();
    priors.with_file_name(format!("{stem}-covariance.csv"))
}
