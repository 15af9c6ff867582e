//! From the costs of forms (an operation in a context) to an application's cost of each
//! operation: the mean over the contexts in which the application executes it.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::model::{Model, ModelError};
use crate::operations::{Mix, split_form};

/// A row of `kernels.csv`: what kernels tell of an operation, or of one of its contexts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KernelPrice {
    /// Catalogue name or library function.
    pub operation: String,
    /// The context; empty for the operation in the application's mix of contexts.
    pub context: String,
    /// Energy of one execution in joules.
    pub cost_j: f64,
    /// Its standard error in joules.
    pub se_j: f64,
    /// The cost by the operation's cost in the application's mix.
    pub relative: f64,
}

/// A form that kernels measured: its index among the model's costs, its context, how
/// often the application executes it.
struct Measured<'m> {
    index: usize,
    context: &'m str,
    executions: f64,
}

/// The prices of every operation whose forms a model of kernels holds. Contexts that no
/// kernel measured are taken to cost the mean of the others, give or take their spread.
pub fn prices(model: &Model, mix: &Mix) -> Vec<KernelPrice> {
    let mut forms: BTreeMap<&str, Vec<Measured<'_>>> = BTreeMap::new();
    for (index, cost) in model.costs.iter().enumerate().filter(|(_, cost)| cost.se_j.is_some()) {
        let (operation, context) = split_form(&cost.operation);
        let executions = mix.count(operation, context);
        forms.entry(operation).or_default().push(Measured { index, context, executions });
    }
    let mut prices = Vec::new();
    for (operation, measured) in forms {
        let mean = mean_price(model, operation, &measured, mix.total(operation));
        let mean_j = mean.cost_j;
        prices.push(mean);
        if measured.len() > 1 && mean_j > 0.0 {
            prices
                .extend(measured.iter().map(|form| context_price(model, operation, form, mean_j)));
        }
    }
    prices
}

fn context_price(model: &Model, operation: &str, form: &Measured<'_>, mean_j: f64) -> KernelPrice {
    let cost = &model.costs[form.index];
    KernelPrice {
        operation: operation.to_owned(),
        context: form.context.to_owned(),
        cost_j: cost.cost_j,
        se_j: cost.se_j.unwrap_or_default(),
        relative: cost.cost_j.max(0.0) / mean_j,
    }
}

/// `kernels.csv`.
///
/// # Errors
/// None in memory; the writer's.
pub fn prices_csv(prices: &[KernelPrice]) -> Result<String, ModelError> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for price in prices {
        writer.serialize(price)?;
    }
    crate::model::text_of(writer)
}

/// The mean over the measured contexts by the application's executions, all alike where
/// it executes none of them.
fn mean_price(model: &Model, operation: &str, forms: &[Measured<'_>], total: f64) -> KernelPrice {
    let known: f64 = forms.iter().map(|form| form.executions).sum();
    let weight = |form: &Measured<'_>| match known > 0.0 {
        true => form.executions / known,
        false => 1.0 / forms.len() as f64,
    };
    let weights: Vec<(usize, f64)> = forms.iter().map(|form| (form.index, weight(form))).collect();
    let cost = |index: usize| model.costs[index].cost_j;
    let cost_j: f64 = weights.iter().map(|(index, weight)| weight * cost(*index)).sum();
    let variance: f64 =
        weights.iter().map(|(index, weight)| weight * (cost(*index) - cost_j).powi(2)).sum();
    let unmeasured = if total > 0.0 { 1.0 - known / total } else { 1.0 };
    let measured_se = model.predict(&weights).se_j.unwrap_or(0.0);
    let se_j = measured_se.hypot(unmeasured * variance.sqrt());
    let (operation, context) = (operation.to_owned(), String::new());
    KernelPrice { operation, context, cost_j, se_j, relative: 1.0 }
}
