//! The words: what costs say of sampled code, before and after they learn from its samples.
//!
//! Where totals of cases contradict microbenchmarks, costs that fit such totals are wrong for
//! places: what a compiler makes of places is in them. Then sampled code is told by
//! microbenchmarks, and the samples say how far words are off.

use std::borrow::Cow;

use crate::account::entry::Leaf;
use crate::assumptions::Assumptions;
use crate::model::areas::{AreaFit, CostEstimate};
use crate::model::{CovarianceScope, Model};
use crate::operations::FeatureColumn;

/// Turns in which the block effect and what microbenchmarks are off by settle.
const TURNS: usize = 12;

/// Relative change at which they have.
const SETTLED: f64 = 0.02;

/// The costs that sampled code is told by, to begin with.
pub(in crate::account) enum CountBasedCosts<'m> {
    /// Those that fit the cases.
    Cases(&'m Model),
    /// Those that hold to microbenchmarks, which the cases contradict; and those that fit the
    /// cases, which know better what whole methods spend.
    Microbenchmarks(Box<Model>, &'m Model),
}

impl<'m> CountBasedCosts<'m> {
    /// The words about code that was sampled, and its leaves priced by them, as `priced` does.
    pub fn of<'a>(
        model: &'m Model,
        assumed: &Assumptions,
        priced: impl Fn(&Model) -> Vec<Leaf<'a>>,
    ) -> (Self, Vec<Leaf<'a>>) {
        let Some(microbenchmarks) = model.by_microbenchmarks() else {
            return (Self::Cases(model), priced(model));
        };
        let alike = alike_in_places(assumed.simulated_chip_costs_alike, places(model));
        let drawn = drawn_together(&microbenchmarks, &priced(&microbenchmarks), alike);
        let leaves = priced(&drawn);
        (Self::Microbenchmarks(Box::new(drawn), model), leaves)
    }

    /// The price list.
    pub fn model(&self) -> &Model {
        match self {
            Self::Cases(model) => model,
            Self::Microbenchmarks(model, _) => model,
        }
    }

    /// What divides an area among its methods: the costs that fit the cases.
    pub fn of_methods(&self) -> &'m Model {
        match self {
            Self::Cases(model) | Self::Microbenchmarks(_, model) => model,
        }
    }

    /// The areas' estimate, and the words after it. `estimate` takes a belief about the costs,
    /// which is the words' with all energies times `level`.
    ///
    /// A microbenchmark is a place itself: it is as far from what its operation costs on average as
    /// any place is. So the block effect is what microbenchmarks are off by, and of microbenchmarks
    /// that are the mean of several places so much less.
    pub fn learn(
        self,
        level: f64,
        occurs: &[bool],
        assumed: &Assumptions,
        estimate: impl Fn(&CostEstimate) -> Option<AreaFit>,
    ) -> Option<(AreaFit, Cow<'m, Model>)> {
        let (microbenchmarks, cases) = match self {
            Self::Cases(model) => {
                let fit = estimate(&belief(model, level, 0.0))?;
                return Some((fit, Cow::Borrowed(model)));
            }
            Self::Microbenchmarks(microbenchmarks, cases) => (microbenchmarks, cases),
        };
        let supposed = assumed.microbenchmark_misfit;
        let of_mean = 1.0 / places(cases).sqrt();
        let at = |misfit: f64| {
            let further = (misfit.powi(2) - supposed.powi(2)).max(0.0);
            estimate(&belief(&microbenchmarks, level, further))
        };
        let mut misfit = supposed;
        let mut fit = at(misfit)?;
        for _ in 0..TURNS {
            let next = (misfit + (of_mean * fit.block_effect_sd?).max(supposed)) / 2.0;
            if (next / misfit - 1.0).abs() < SETTLED {
                break;
            }
            misfit = next;
            fit = at(misfit)?;
        }
        let model = learnt(&microbenchmarks, &fit, occurs);
        Some((fit, Cow::Owned(model)))
    }
}

/// In how many places the microbenchmarks were measured whose word the cases contradict.
fn places(model: &Model) -> f64 {
    model.of_microbenchmarks.as_ref().map_or(1.0, |microbenchmarks| microbenchmarks.places as f64)
}

/// The part that the mean of all costs has in each of microbenchmarks that were measured in some
/// places, where it is `alike` in what one place says. It is the variance of microbenchmarks'
/// errors by that and the costs' variance, and of a mean over places the first is so much smaller.
fn alike_in_places(alike: f64, places: f64) -> f64 {
    alike / (alike + (1.0 - alike) * places)
}

/// Microbenchmarks' costs drawn towards what operations cost on average in these leaves, which are
/// priced by them, by the part `alike`: each microbenchmark is a few places, and of some a compiler
/// leaves nothing. What stands for a body of unknown length is not drawn.
fn drawn_together(microbenchmarks: &Model, leaves: &[Leaf<'_>], alike: f64) -> Model {
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

/// The model with what samples taught of the costs that occur in areas.
fn learnt(model: &Model, fit: &AreaFit, occurs: &[bool]) -> Model {
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

/// The model's costs with their covariance; without one, each by its own error, or known
/// to its own size where it has none. Each has `further` times its square as variance, more.
fn belief(model: &Model, level: f64, further: f64) -> CostEstimate {
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
    CostEstimate::Normal { mean, covariance }
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
        assert_eq!(accounts.areas.as_ref().unwrap().areas.len(), 1);
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
        assert_eq!([1.0, 3.0].map(|places| super::alike_in_places(0.5, places)), [0.5, 0.25]);
        assert_eq!(super::alike_in_places(1.0, 20.0), 1.0);
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
