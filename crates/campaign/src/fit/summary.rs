//! The summary of a fit for a paper: size of the problem, its estimability, how the costs were
//! found, how well they predict held-out cases.

use crate::format::counted;
use crate::model::{BASELINES, CrossValidation, CvSet, Model, Weighting, devices_text};

/// The summary as lines of text.
pub fn summary(model: &Model, validation: &CrossValidation, weighting: Weighting) -> String {
    let estimable = model.costs.iter().filter(|cost| cost.estimable).count();
    let cases = model.diagnostics.get("cases").copied().unwrap_or(0.0);
    let mut lines = vec![format!(
        "{}: {} x {}, rank {}, {} estimable from the cases alone",
        model.solver,
        counted(cases, "case"),
        counted(model.costs.len(), "feature"),
        model.rank,
        counted(estimable, "cost")
    )];
    lines.push(how(model, weighting));
    lines.extend(rare(model));
    lines.extend(model.choice.as_ref().map(|_| choice_text(model)));
    lines.extend(devices_text(&model.devices));
    let known = model.costs.iter().filter(|cost| cost.se_j.is_some()).count();
    let costs = counted(model.costs.len(), "cost");
    lines.push(format!("  95 % intervals for {known} of {costs}"));
    for name in [model.solver.as_str()].into_iter().chain(BASELINES) {
        if let Some(mean) = validation.mean(name, CvSet::Validation) {
            let r = mean.r.map_or("none".to_string(), |r| format!("{r:.4}"));
            lines.push(format!("  {name:<12} validation NMAE {:6.2} %, r {r}", mean.nmae * 100.0));
        }
    }
    lines.extend(validation.verdict().map(|verdict| verdict.to_string()));
    lines.join("\n")
}

/// Lines about the chosen solver, the reason, and the results of the candidates; empty for a solver
/// that the user named.
pub(crate) fn choice_text(model: &Model) -> String {
    let Some(choice) = &model.choice else { return String::new() };
    let mut lines = vec![format!("  chosen: {}: {}", choice.predictor(), choice.why)];
    if model.case_costs_j.is_some() {
        lines.push(
            "    for whole cases; operations, lines and methods keep the costs of shrink, since \
             microbenchmarks tell more of them than totals of cases do"
                .to_owned(),
        );
    }
    lines.push(format!(
        "    chosen by errors in {} folds of all cases; those to quote are in the validation, whose \
         cases the choice does not see",
        choice.folds
    ));
    for candidate in &choice.candidates {
        let se = candidate.nmae_se.map_or(String::new(), |se| format!(" +- {:.2}", 100.0 * se));
        lines.push(format!(
            "    {:<10} weight {:.3}, NMAE {:6.2}{se} %",
            candidate.name,
            candidate.weight,
            100.0 * candidate.nmae
        ));
    }
    lines.join("\n")
}

/// A line about operations too rare to have costs of their own, and how the solver treats them;
/// none without such operations.
fn rare(model: &Model) -> Option<String> {
    let rare = model.diagnostics.get("rare_operations").filter(|rare| **rare > 0.0)?;
    let fate = match model.solver.as_str() {
        "ls" | "gd" | "nnls" => "their costs may be anything: prefer --solver shrink",
        "stack" => "held within the largest share that a case had of them",
        _ => "drawn to what is believed of them",
    };
    let rare = counted(rare, "operation");
    Some(format!("  {rare} below 0.01 % of every case's counts, {fate}"))
}

/// Text about weights, condition and noise, with remarks of the solver.
fn how(model: &Model, weighting: Weighting) -> String {
    let mut parts = vec![format!("weights {}", weighting.name())];
    parts.extend(model.condition.map(|condition| format!("condition number {condition:.2e}")));
    parts.extend(model.residual_sd_j.map(|sd| format!("residual sd {sd:.3e} J")));
    for (name, said) in [
        ("penalty", "penalty"),
        ("prior_strength", "prior strength"),
        ("microbenchmark_priors", "costs known beforehand"),
        ("microbenchmark_misfit", "microbenchmarks off by, relative"),
        ("bootstrap_replicates", "bootstrap fits"),
        ("restarts", "restarts"),
        ("restarts_objective_apart", "which end apart in J by"),
        ("restarts_costs_apart", "in scaled costs by"),
        ("rhat_max", "largest R-hat"),
        ("ess_bulk_min", "least bulk ESS"),
        ("ess_tail_min", "least tail ESS"),
    ] {
        if let Some(value) = model.diagnostics.get(name).filter(|value| **value != 0.0) {
            parts.push(format!("{said} {}", short(*value)));
        }
    }
    format!("  {}", parts.join(", "))
}

fn short(value: f64) -> String {
    if value.fract() == 0.0 && value < 1e9 {
        return value.to_string();
    }
    if (0.01..1e4).contains(&value) { format!("{value:.4}") } else { format!("{value:.2e}") }
}
