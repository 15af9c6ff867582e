//! From the costs of forms (an operation in a context) to an application's cost of each operation:
//! the mean over its contexts, weighted by the application's executions.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{ContextPrice, CostPrior, CostPriors, DeviceFactor, Model, ModelError};
use crate::operations::{OperationMix, split_form};

/// The form of a library function that stands for an element that its calls work on.
pub(crate) const PER_ELEMENT: &str = "per element";

/// Assumed number of elements per call in an application, and its standard deviation; the actual
/// number is not counted.
const ELEMENTS: (f64, f64) = (16.0, 32.0);

/// A row of `microbenchmarks.csv`: the cost of an operation by microbenchmarks, or of one of its
/// contexts.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MicrobenchmarkPrice {
    /// Catalogue name or library function.
    pub operation: String,
    /// The context; empty for the operation in the application's mix of contexts.
    pub context: String,
    /// Energy of one execution in joules.
    pub cost_j: f64,
    /// Standard error of `cost_j` in joules.
    pub se_j: f64,
    /// Ratio of the cost to the operation's cost in the application's mix.
    pub relative: f64,
    /// Standard error of `relative`, without the error that both costs share.
    pub relative_se: f64,
    /// Number of code locations in which each microbenchmark was measured.
    pub places: usize,
}

/// A form of an operation that microbenchmarks measured: its index among the model's costs, its
/// context, its executions in the application.
struct MeasuredForm<'m> {
    index: usize,
    context: &'m str,
    executions: f64,
}

/// The costs by microbenchmarks, with the covariance of their errors.
#[derive(Debug, Clone, PartialEq)]
pub struct MicrobenchmarkPrices {
    /// Every operation, and every context that microbenchmarks priced apart.
    pub prices: Vec<MicrobenchmarkPrice>,
    /// The operations' costs in the application's mix as a prior.
    pub priors: CostPriors,
    /// The boards that the microbenchmarks ran on, if several, with their factors; prices are the
    /// first board's.
    pub devices: Vec<DeviceFactor>,
}

impl MicrobenchmarkPrices {
    /// The cost of each context relative to its operation.
    pub fn contexts(&self) -> Vec<ContextPrice> {
        let known = |se: &f64| se.is_finite() && *se >= 0.0;
        let context = |price: &MicrobenchmarkPrice| ContextPrice {
            operation: price.operation.clone(),
            context: price.context.clone(),
            relative: price.relative,
            relative_se: Some(price.relative_se).filter(known),
        };
        self.prices.iter().filter(|price| !price.context.is_empty()).map(context).collect()
    }

    /// The costs, with this number of code locations in which each microbenchmark was measured.
    pub(crate) fn with_places(mut self, places: usize) -> Self {
        self.prices.iter_mut().for_each(|price| price.places = places);
        self.priors.places = places;
        self
    }
}

/// Computes the costs of every operation whose forms a model of microbenchmarks has. Contexts
/// without a microbenchmark are assumed to cost the mean of the others, with their spread as error.
pub fn price_operations(model: &Model, mix: &OperationMix) -> MicrobenchmarkPrices {
    let mut forms: BTreeMap<&str, Vec<MeasuredForm<'_>>> = BTreeMap::new();
    for (index, cost) in model.costs.iter().enumerate().filter(|(_, cost)| cost.se_j.is_some()) {
        let (operation, context) = split_form(&cost.operation);
        let executions = mix.count(operation, context);
        forms.entry(operation).or_default().push(MeasuredForm { index, context, executions });
    }
    let (mut prices, mut priors, mut means) = (Vec::new(), Vec::new(), Vec::new());
    for (operation, measured) in forms {
        let mean = mean_price(model, operation, &measured, mix.total(operation));
        let MicrobenchmarkPrice { cost_j, se_j, .. } = mean;
        priors.push(CostPrior { operation: operation.to_owned(), cost_j, se_j });
        prices.push(mean);
        let weights = weights(&measured);
        if measured.len() > 1 && cost_j > 0.0 {
            let price = |form| context_price(model, operation, form, (cost_j, &weights));
            prices.extend(measured.iter().filter(|form| !form.context.is_empty()).map(price));
        }
        means.push(weights);
    }
    let covariance = model.covariance.as_ref().map(|all| {
        let l = model.costs.len();
        covariance_of_means(&priors, &means, |i, j| all[i * l + j])
    });
    MicrobenchmarkPrices {
        prices,
        priors: CostPriors { covariance, ..priors.into() },
        devices: model.devices.clone(),
    }
}

/// The covariance of means of forms. The diagonal has the means' own errors, which include the
/// uncertain cost of contexts without a microbenchmark.
fn covariance_of_means(
    priors: &[CostPrior],
    means: &[Vec<(usize, f64)>],
    of_forms: impl Fn(usize, usize) -> f64,
) -> Vec<f64> {
    let product = |a: &[(usize, f64)], b: &[(usize, f64)]| {
        let row =
            |(i, u): &(usize, f64)| b.iter().map(|(j, v)| u * v * of_forms(*i, *j)).sum::<f64>();
        a.iter().map(row).sum::<f64>()
    };
    let entry = |(a, b): (usize, usize)| match a == b {
        true => priors[a].se_j.powi(2),
        false => product(&means[a], &means[b]),
    };
    let k = priors.len();
    (0..k * k).map(|at| entry((at / k, at % k))).collect()
}

/// A context's cost relative to the mean of the contexts, `r = c / mean`, with the error `(dc - r
/// dmean) / mean`.
fn context_price(
    model: &Model,
    operation: &str,
    form: &MeasuredForm<'_>,
    (mean_j, weights): (f64, &[(usize, f64)]),
) -> MicrobenchmarkPrice {
    let cost = &model.costs[form.index];
    let relative = cost.cost_j.max(0.0) / mean_j;
    let mut off: Vec<(usize, f64)> = weights.iter().map(|(j, w)| (*j, -relative * w)).collect();
    off.push((form.index, 1.0));
    let off_j = model.predict(&off).se_j.or(cost.se_j).unwrap_or_default();
    MicrobenchmarkPrice {
        operation: operation.to_owned(),
        context: form.context.to_owned(),
        cost_j: cost.cost_j,
        se_j: cost.se_j.unwrap_or_default(),
        relative,
        relative_se: off_j / mean_j,
        places: 1,
    }
}

/// The text of `microbenchmarks.csv`.
///
/// # Errors
/// None in memory; the writer's.
pub(crate) fn prices_csv(prices: &[MicrobenchmarkPrice]) -> Result<String, ModelError> {
    crate::model::csv_of(prices)
}

/// Weights of forms by their share in the application's mix, and of elements by their number per
/// call.
fn weights(forms: &[MeasuredForm<'_>]) -> Vec<(usize, f64)> {
    let known: f64 = forms.iter().map(|form| form.executions).sum();
    let contexts = forms.iter().filter(|form| form.context != PER_ELEMENT).count();
    let weight = |form: &MeasuredForm<'_>| match form.context {
        PER_ELEMENT => ELEMENTS.0,
        _ if known > 0.0 => form.executions / known,
        _ => 1.0 / contexts as f64,
    };
    forms.iter().map(|form| (form.index, weight(form))).collect()
}

/// The mean over the measured contexts by the application's executions, all alike where
/// it executes none of them.
fn mean_price(
    model: &Model,
    operation: &str,
    forms: &[MeasuredForm<'_>],
    total: f64,
) -> MicrobenchmarkPrice {
    let known: f64 = forms.iter().map(|form| form.executions).sum();
    let weights = weights(forms);
    let cost = |index: usize| model.costs[index].cost_j;
    let cost_j: f64 = weights.iter().map(|(index, weight)| weight * cost(*index)).sum();
    let (elements, contexts): (Vec<_>, Vec<_>) =
        forms.iter().zip(&weights).partition(|(form, _)| form.context == PER_ELEMENT);
    let element_j: f64 = elements.iter().map(|(form, _)| cost(form.index)).sum();
    let call_j = cost_j - ELEMENTS.0 * element_j;
    let variance: f64 = contexts
        .iter()
        .map(|(form, (_, weight))| weight * (cost(form.index) - call_j).powi(2))
        .sum();
    let unmeasured = if total > 0.0 { 1.0 - known / total } else { 1.0 };
    let measured_se = model.predict(&weights).se_j.unwrap_or(0.0);
    let se_j = measured_se.hypot(unmeasured * variance.sqrt()).hypot(ELEMENTS.1 * element_j);
    let (operation, context) = (operation.to_owned(), String::new());
    MicrobenchmarkPrice {
        operation,
        context,
        cost_j,
        se_j,
        relative: 1.0,
        relative_se: 0.0,
        places: 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Cost;

    /// Forms with independent standard errors of 1 nJ.
    fn model(forms: &[(&str, f64)]) -> Model {
        let mut model = Model::of_prices("shrink", forms.iter().copied());
        let n = forms.len();
        model.covariance =
            Some((0..n * n).map(|i| if i % (n + 1) == 0 { 1e-18 } else { 0.0 }).collect());
        for Cost { se_j, estimable, .. } in &mut model.costs {
            (*se_j, *estimable) = (Some(1e-9), true);
        }
        model
    }

    fn mix(forms: &[(&str, &str, u64)]) -> OperationMix {
        let mut mix = OperationMix::default();
        for (operation, context, count) in forms {
            mix.0.entry((*operation).into()).or_default().insert((*context).into(), *count);
        }
        mix
    }

    /// 3 reads of 60 nJ and 1 write of 20 nJ: 50 nJ on average, with a standard error of
    /// sqrt(9 + 1) / 4 nJ; a read is 1.2 of it, a write 0.4.
    #[test]
    fn an_operation_costs_the_mean_of_its_contexts_in_the_application() {
        let model = model(&[("Not [read]", 60e-9), ("Not [write]", 20e-9), ("And", 7e-9)]);
        let MicrobenchmarkPrices { prices, priors, .. } =
            price_operations(&model, &mix(&[("Not", "read", 3), ("Not", "write", 1)]));
        let text = prices_csv(&prices).unwrap();
        let found: Vec<_> =
            prices.iter().map(|p| (p.operation.as_str(), p.context.as_str())).collect();
        assert_eq!(found, [("And", ""), ("Not", ""), ("Not", "read"), ("Not", "write")], "{text}");
        let close = |found: f64, expected: f64| (found / expected - 1.0).abs() < 1e-9;
        assert!(close(prices[1].cost_j, 50e-9) && close(prices[1].se_j, 10f64.sqrt() / 4.0 * 1e-9));
        assert!(close(prices[2].relative, 1.2) && close(prices[3].relative, 0.4));
        // Independent forms: operations are, too.
        let variance = 0.625e-18;
        assert!(close(priors.covariance.as_ref().unwrap()[3], variance), "{priors:?}");
        assert_eq!(priors.covariance.unwrap()[1], 0.0);
        // Reads: (1 - 0.9) d read - 0.3 d write, by 50; writes: 0.9 d write - 0.3 d read.
        assert!(close(prices[2].relative_se, 0.1f64.sqrt() / 50.0));
        assert!(close(prices[3].relative_se, 0.9f64.sqrt() / 50.0));
    }

    /// Half of the executions are in a context without a microbenchmark: the spread of the known
    /// ones (20 nJ about 40 nJ) counts half.
    #[test]
    fn contexts_without_a_microbenchmark_make_the_mean_unsure() {
        let model = model(&[("Not [read]", 60e-9), ("Not [write]", 20e-9)]);
        let mix = mix(&[("Not", "read", 1), ("Not", "write", 1), ("Not", "update", 2)]);
        let price = &price_operations(&model, &mix).prices[0];
        let expected = (0.5e-18_f64 + 1e-16).sqrt();
        assert!((price.cost_j - 40e-9).abs() < 1e-18 && (price.se_j / expected - 1.0).abs() < 1e-9);
    }

    /// A call of 100 nJ and 2 nJ an element: 16 elements are taken, give or take 32.
    #[test]
    fn a_call_costs_what_its_elements_cost_too() {
        let model = model(&[("lib:A.fill", 100e-9), ("lib:A.fill [per element]", 2e-9)]);
        for mix in [mix(&[("lib:A.fill", "", 5)]), OperationMix::default()] {
            let prices = price_operations(&model, &mix).prices;
            let measured = 1e-9_f64.hypot(16e-9);
            assert!((prices[0].cost_j - 132e-9).abs() < 1e-18);
            assert!((prices[0].se_j / measured.hypot(64e-9) - 1.0).abs() < 1e-9);
            assert_eq!((prices[1].context.as_str(), prices[1].cost_j), (PER_ELEMENT, 2e-9));
            assert_eq!(prices.len(), 2, "an operation without a context has one row");
        }
    }
}
