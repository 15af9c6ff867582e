//! Costs known before a campaign's fit, as a prior: from its microbenchmarks, or from another
//! device.

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::folder::{CampaignFolder, names, read_text};
use crate::microbenchmarks::MeasuredMicrobenchmarks;
use crate::microbenchmarks::prices::MicrobenchmarkPrices;
use crate::model::{ContextPrice, CostPriors, FitOptions, Model, Penalty, Solver};

/// The costs of operations and contexts by microbenchmarks, as a prior of the fit.
#[derive(Debug, Clone)]
pub struct KnownCosts {
    priors: CostPriors,
    /// Costs of contexts relative to their operation.
    pub contexts: Vec<ContextPrice>,
    /// The board of these costs, if there were several.
    reference: Option<String>,
}

impl KnownCosts {
    /// The costs by measured microbenchmarks.
    pub fn of(measured: &MeasuredMicrobenchmarks) -> KnownCosts {
        let MicrobenchmarkPrices { priors, devices, .. } = &measured.prices;
        KnownCosts {
            priors: priors.clone(),
            contexts: measured.prices.contexts(),
            reference: devices.first().map(|factor| factor.device.clone()),
        }
    }

    /// Reads the costs by microbenchmarks of a folder; none if none were measured.
    ///
    /// # Errors
    /// A file of the folder can't be read.
    pub fn read(folder: &CampaignFolder) -> Result<Option<KnownCosts>, Failure> {
        let path = folder.file(names::MICROBENCHMARKS);
        if !path.is_file() {
            return Ok(None);
        }
        let (priors, contexts) = priors_of(&path, &read_text(&path)?)?;
        let reference = folder.microbenchmarks_reference()?;
        Ok(Some(KnownCosts { priors, contexts, reference }))
    }

    /// Sets the costs as prior of a fit, with the strength of their standard errors. A strength
    /// chosen by the error of case totals would be far too weak, since totals determine single
    /// costs badly (`docs/internals/models.md`).
    pub fn set_priors(&self, options: &mut FitOptions) {
        options.penalty = Penalty::AsStated;
        options.priors = self.priors.clone();
        options.reference.clone_from(&self.reference);
    }
}

/// Sets the costs of a file as prior of a fit: `microbenchmarks.csv`, as [`KnownCosts::set_priors`]
/// does, or an older device's `model.json`, whose costs and errors get a strength that the new
/// device's cases choose. Returns the costs of contexts relative to their operation.
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

/// Parses the costs in a text, with the covariance in the file beside it, and the costs of
/// contexts.
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

/// Path of the covariance of a file of priors: `microbenchmarks-covariance.csv` beside
/// `microbenchmarks.csv`.
fn covariance_beside(priors: &Path) -> PathBuf {
    let stem = priors.file_stem().unwrap_or_default().to_string_lossy();
    priors.with_file_name(format!("{stem}-covariance.csv"))
}
