//! Figures of a fit: its summary as text, or as one JSON object.

use serde_json::{Value, json};

use crate::cli::answer::path_text;
use crate::fit::{CampaignModel, summary};
use crate::model::{FitOptions, Model};
use crate::report::validation_figures;

use super::{Arguments, Output};

/// Prints the summary of a fit.
pub fn print(arguments: &Arguments, fitted: &CampaignModel, options: &FitOptions, output: &Output) {
    let CampaignModel { model, validation, .. } = fitted;
    let mut figures = model_figures(model);
    figures["weights"] = json!(options.weighting.name());
    figures["validation"] = Value::Array(validation_figures(&validation.rows));
    figures["verdict"] = json!(validation.verdict().map(|verdict| verdict.to_string()));
    figures["folder"] = json!(path_text(output.folder()));
    arguments.format.print("fit", &figures, || summary(model, validation, options.weighting));
}

/// Figures of a model: size, rank, estimability and diagnostics.
pub fn model_figures(model: &Model) -> Value {
    let estimable = model.costs.iter().filter(|cost| cost.estimable).count();
    json!({
        "solver": model.solver,
        "chosen": model.choice.as_ref().map(|choice| choice.predictor()),
        "cases": model.diagnostics.get("cases"),
        "features": model.costs.len(),
        "rank": model.rank,
        "estimable_costs": estimable,
        "costs_with_interval": model.costs.iter().filter(|cost| cost.se_j.is_some()).count(),
        "condition_number": model.condition,
        "residual_sd_j": model.residual_sd_j,
        "diagnostics": model.diagnostics,
        "devices": model.devices,
    })
}
