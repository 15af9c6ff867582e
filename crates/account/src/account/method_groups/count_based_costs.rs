//! Count-based costs of sampled code, before and after an update by its samples.
//!
//! Where case totals contradict microbenchmarks, costs fitted to case totals are biased for
//! single code locations, because they absorb compiler effects. Sampled code is then priced by
//! microbenchmarks, and the samples determine the block effect.

use std::borrow::Cow;

use crate::account::entry::Leaf;
use crate::assumptions::Assumptions;
use crate::model::areas::{AreaCostPrior, AreaFit};
use crate::model::{CovarianceScope, Model};
use crate::operations::FeatureColumn;

/// Most iterations in which the block effect and the microbenchmarks' errors converge.
const ITERATIONS_MAX: usize = 12;

/// Relative change below which an iteration has converged.
const CONVERGED_CHANGE: f64 = 0.02;

/// The costs that price sampled code before the update by samples.
pub(in crate::account) enum CountBasedCosts<'m> {
    /// Costs fitted to the cases.
    Cases(&'m Model),
    /// Costs held to the microbenchmarks, which the cases contradict; and costs fitted to the
    /// cases, which predict whole methods better.
    Microbenchmarks(Box<Model>, &'m Model),
}

impl<'m> CountBasedCosts<'m> {
    /// Chooses the costs for sampled code, and returns them with its leaves as `priced` prices
    /// them.
    pub fn of<'a>(
        model: &'m Model,
        assumed: &Assumptions,
        priced: impl Fn(&Model) -> Vec<Leaf<'a>>,
    ) -> (Self, Vec<Leaf<'a>>) {
        let Some(microbenchmarks) = model.with_microbenchmark_costs() else {
            return (Self::Cases(model), priced(model));
        };
        let alike = shrinkage(assumed.simulated_chip_costs_alike, averaged_locations(model));
        let drawn = shrink_to_mean(&microbenchmarks, &priced(&microbenchmarks), alike);
        let leaves = priced(&drawn);
        (Self::Microbenchmarks(Box::new(drawn), model), leaves)
    }

    /// The model that prices leaves.
    pub fn model(&self) -> &Model {
        match self {
            Self::Cases(model) => model,
            Self::Microbenchmarks(model, _) => model,
        }
    }

    /// The costs that distribute a group's energy over its methods: those fitted to the cases.
    pub fn of_methods(&self) -> &'m Model {
        match self {
            Self::Cases(model) | Self::Microbenchmarks(_, model) => model,
        }
    }

    /// Estimates the groups with `estimate`, and updates the costs by the result. `estimate`
    /// takes a prior of the costs: the count-based costs with all energies times `level`.
    ///
    /// A microbenchmark is a code location itself, and deviates from the mean cost of its
    /// operation like any other. So the block effect also applies to microbenchmarks, less where
    /// one averages several locations.
    pub fn learn(
        self,
        level: f64,
        occurs: &[bool],
        assumed: &Assumptions,
        estimate: impl Fn(&AreaCostPrior) -> Option<AreaFit>,
    ) -> Option<(AreaFit, Cow<'m, Model>)> {
        let (microbenchmarks, cases) = match self {
            Self::Cases(model) => {
                let fit = estimate(&cost_prior(model, level, 0.0))?;
                return Some((fit, Cow::Borrowed(model)));
            }
            Self::Microbenchmarks(microbenchmarks, cases) => (microbenchmarks, cases),
        };
        let supposed = assumed.microbenchmark_misfit;
        let of_mean = 1.0 / averaged_locations(cases).sqrt();
        let at = |misfit: f64| {
            let further = (misfit.powi(2) - supposed.powi(2)).max(0.0);
            estimate(&cost_prior(&microbenchmarks, level, further))
        };
        let mut misfit = supposed;
        let mut fit = at(misfit)?;
        for _ in 0..ITERATIONS_MAX {
            let next = (misfit + (of_mean * fit.block_effect_sd?).max(supposed)) / 2.0;
            if (next / misfit - 1.0).abs() < CONVERGED_CHANGE {
                break;
            }
            misfit = next;
            fit = at(misfit)?;
        }
        let model = updated_model(&microbenchmarks, &fit, occurs);
        Some((fit, Cow::Owned(model)))
    }
}

/// Number of code locations that each contradicted microbenchmark averages.
fn averaged_locations(model: &Model) -> f64 {
    model.of_microbenchmarks.as_ref().map_or(1.0, |microbenchmarks| microbenchmarks.places as f64)
}

/// Factor by which microbenchmarks' costs shrink to the mean cost, for microbenchmarks that
/// average `places` code locations, from `alike`, the factor at one location. It is the ratio of
/// the microbenchmarks' error variance to that plus the costs' variance; averaging divides the
/// former by `places`.
fn shrinkage(alike: f64, places: f64) -> f64 {
    alike / (alike + (1.0 - alike) * places)
}

/// The microbenchmarks' model with costs shrunk by the factor `alike` towards the mean cost in
/// these leaves, which they price: a microbenchmark covers few code locations, and a compiler
/// removes some operations entirely. Costs of bodies of unknown length are not shrunk.
fn shrink_to_mean(microbenchmarks: &Model, leaves: &[Leaf<'_>], alike: f64) -> Model {
    let mut drawn = vec![false; microbenchmarks.costs.len()];
    let (mut energy, mut executions) = (0.0, 0.0);
    for (cost, leaf) in leaves.iter().filter_map(|leaf| Some((leaf.cost?.0, leaf))) {
        if !FeatureColumn::of(&microbenchmarks.costs[cost].operation).is_body() {
            drawn[cost] = true;
            energy += leaf.energy.joules().0;
            executions += leaf.weighted;
        }
    }
    if executions <= 0.0 {
        return microbenchmarks.clone();
    }
    let cost = |(own, drawn): (f64, bool)| match drawn {
        true => (1.0 - alike) * own + alike * energy / executions,
        false => own,
    };
    let costs: Vec<f64> = costs(microbenchmarks).into_iter().zip(drawn).map(cost).collect();
    microbenchmarks.with_costs(&costs, microbenchmarks.covariance.clone().unwrap_or_default())
}

fn costs(model: &Model) -> Vec<f64> {
    model.costs.iter().map(|cost| cost.cost_j).collect()
}

/// The model with the costs that occur in groups updated by the fit.
fn updated_model(model: &Model, fit: &AreaFit, occurs: &[bool]) -> Model {
    let l = model.costs.len();
    let (before, covariance) = (costs(model), model.covariance.as_deref());
    let learnt = fit.positive_costs();
    let cost = |j: usize| if occurs[j] { learnt[j] } else { before[j] };
    let product = |at: usize| match (occurs[at / l], occurs[at % l]) {
        (true, true) => fit.covariance[at],
        (false, false) => covariance.map_or(0.0, |covariance| covariance[at]),
        _ => 0.0,
    };
    let costs: Vec<f64> = (0..l).map(cost).collect();
    model.with_costs(&costs, (0..l * l).map(product).collect())
}

/// The model's costs times `level`, with their covariance; without one, with each cost's standard
/// error, or the cost itself where it has none. `further` times each cost squared is added to its
/// variance.
fn cost_prior(model: &Model, level: f64, further: f64) -> AreaCostPrior {
    let l = model.costs.len();
    let finite = |value: f64| if value.is_finite() { value } else { 0.0 };
    let mean: Vec<f64> = model.costs.iter().map(|cost| finite(cost.cost_j) * level).collect();
    let own = |j: usize| {
        let se = model.costs[j].se_j.filter(|se| se.is_finite());
        se.map_or(mean[j], |se| se * level).powi(2)
    };
    let all = model.covariance_scope == CovarianceScope::All;
    let whole = model.covariance.as_ref().filter(|s| all && s.iter().all(|v| v.is_finite()));
    let mut covariance: Vec<f64> = match whole {
        Some(covariance) => covariance.iter().map(|entry| entry * level * level).collect(),
        None => (0..l * l).map(|k| if k / l == k % l { own(k / l) } else { 0.0 }).collect(),
    };
    (0..l).for_each(|j| covariance[j * l + j] += further * mean[j].powi(2));
    AreaCostPrior::Normal { mean, covariance }
}

#[cfg(test)]
mod tests {
    use crate::account::profile::Hits;
    use crate::account::sample::{OwnedScenario, block, model, with_relative_error};
    use crate::account::{AccountInput, Accounts, MeasuredEnergies, SampledCase, account};
    use crate::assumptions::{ASSUMED, Assumptions};
    use crate::blocks::BlockId;
    use crate::model::MicrobenchmarkCosts;
    use crate::operations::Dictionary;
    use crate::units::Joules;

    use super::CountBasedCosts;

    const OPERATIONS: [&str; 3] = ["Addition_int_int", "Multi_int_int", "lib:d.B.f"];

    /// `run` has an addition, a multiplication and a call on a line of its own each, and spends
    /// 3 mJ; `other` has an addition and spends 1 mJ. The cases say that additions cost nothing,
    /// microbenchmarks that they cost half of a multiplication, and the call as much as both.
    fn program(of_microbenchmarks: bool) -> OwnedScenario {
        let [addition, multiplication, call] = OPERATIONS;
        let run = ("d.A", "run()");
        let blocks = vec![
            block(
                0,
                run,
                ("", "entry"),
                (2, 4),
                &[(addition, 2, 1), (multiplication, 3, 1), (call, 4, 1)],
            ),
            block(1, ("d.A", "other()"), ("", "entry"), (7, 7), &[(addition, 7, 1)]),
        ];
        let costs = [(addition, 0.0), (multiplication, 3e-6), (call, 3e-6)];
        let mut model = with_relative_error(model(&costs), 0.1);
        let costs_j: Vec<f64> = vec![1e-6, 2e-6, 3e-6];
        let square =
            |at: usize| if at.is_multiple_of(4) { (0.1 * costs_j[at / 4]).powi(2) } else { 0.0 };
        let covariance = (0..9).map(square).collect();
        model.of_microbenchmarks =
            of_microbenchmarks.then_some(MicrobenchmarkCosts { costs_j, covariance, places: 1 });
        OwnedScenario {
            dictionary: Dictionary { blocks },
            executions: (0..2).map(|id| (BlockId(id), 1000)).collect(),
            model,
            measured: MeasuredEnergies { total: Joules(4e-3), ..MeasuredEnergies::default() },
        }
    }

    fn sampled(of_microbenchmarks: bool) -> Accounts {
        let name = |method: &str| ("d.A".to_owned(), method.to_owned());
        let methods = [(name("run()"), 30_000), (name("other()"), 10_000)].into();
        let hits = Hits { methods, ..Hits::default() };
        let cases = [SampledCase::of(Joules(4e-3), vec![hits]).unwrap()];
        account(&AccountInput { samples: &cases, ..program(of_microbenchmarks).scenario() })
    }

    fn line(accounts: &Accounts, line: u32) -> f64 {
        let entry = accounts.lines.iter().find(|entry| entry.key.line == line).unwrap();
        assert!(entry.interval.unwrap().contains(entry.joules()));
        1e3 * entry.joules().0
    }

    /// Methods are the samples'; within `run` the cases' costs let the addition have nothing,
    /// microbenchmarks' an amount of its own.
    #[test]
    fn sampled_code_is_divided_by_microbenchmarks_that_the_cases_contradict() {
        let (cases, microbenchmarks) = (sampled(false), sampled(true));
        assert!(line(&cases, 2) < 1e-9);
        // What costs nothing by the words may have a part of its method all the same.
        let addition = cases.lines.iter().find(|entry| entry.key.line == 2).unwrap();
        assert!(addition.interval.unwrap().hi.0 > 0.3e-3, "{addition:?}");
        assert!(line(&microbenchmarks, 2) > 0.3, "{}", line(&microbenchmarks, 2));
        for accounts in [cases, microbenchmarks] {
            let run: f64 = (2..=4).map(|number| line(&accounts, number)).sum();
            assert!((run - 3.0).abs() < 0.2 && (run + line(&accounts, 7) - 4.0).abs() < 1e-6);
        }
    }

    /// Two methods that samples don't tell apart spend the same by the cases' costs, 3 to 2 by
    /// microbenchmarks'; an addition has a part of its method all the same.
    #[test]
    fn methods_of_one_area_share_by_the_cases() {
        let [addition, multiplication, _] = OPERATIONS;
        let of = |id, method, lines: &[(&str, u32, u32)]| {
            block(id, ("d.A", method), ("", "entry"), (2, 7), lines)
        };
        let blocks = vec![
            of(0, "run()", &[(addition, 2, 1), (multiplication, 3, 1)]),
            of(1, "run(int)", &[(multiplication, 7, 1)]),
        ];
        let sample = OwnedScenario { dictionary: Dictionary { blocks }, ..program(true) };
        let hits =
            Hits { methods: [(("d.A".into(), "run".into()), 40_000)].into(), ..Hits::default() };
        let cases = [SampledCase::of(Joules(4e-3), vec![hits]).unwrap()];
        let accounts = account(&AccountInput { samples: &cases, ..sample.scenario() });
        assert_eq!(accounts.method_groups.as_ref().unwrap().groups.len(), 1);
        for method in &accounts.methods {
            assert!((method.joules().0 / 2e-3 - 1.0).abs() < 1e-6, "{method:?}");
        }
        assert!(line(&accounts, 2) > 0.3);
    }

    /// Without samples the costs that fit the cases best divide all.
    #[test]
    fn without_samples_microbenchmarks_change_nothing() {
        let [one, other] = [false, true]
            .map(|of_microbenchmarks| account(&program(of_microbenchmarks).scenario()));
        assert_eq!(one, other);
    }

    /// One place: half way. The mean of three has a third of the variance, a third of the pull.
    #[test]
    fn microbenchmarks_in_several_places_are_drawn_less() {
        assert_eq!([1.0, 3.0].map(|places| super::shrinkage(0.5, places)), [0.5, 0.25]);
        assert_eq!(super::shrinkage(1.0, 20.0), 1.0);
    }

    /// Additions and multiplications cost (2 x 1 + 2)/3 uJ on average: each is half way there,
    /// and all the way with the assumption doubled; the library's function stays.
    #[test]
    fn microbenchmarks_are_drawn_towards_the_mean_of_operations() {
        let sample = program(true);
        let words = |assumed: &Assumptions| -> Vec<f64> {
            let scenario = sample.scenario();
            let (words, _) =
                CountBasedCosts::of(&sample.model, assumed, |model| scenario.leaves(model));
            words.model().costs.iter().map(|cost| cost.cost_j * 1e6).collect()
        };
        let close = |found: Vec<f64>, expected: [f64; 3]| {
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?}");
        };
        let mean = 4.0 / 3.0;
        close(words(&ASSUMED), [(1.0 + mean) / 2.0, (2.0 + mean) / 2.0, 3.0]);
        let simulated_chip_costs_alike = 2.0 * ASSUMED.simulated_chip_costs_alike;
        let doubled = Assumptions { simulated_chip_costs_alike, ..ASSUMED };
        close(words(&doubled), [mean, mean, 3.0]);
    }
}
