//! Estimates of sampled methods from samples and count-based costs (`model::areas`), and the
//! rescaling of the leaves' energies to these estimates. Within a method, lines share the energy
//! by samples where the samples have lines; everything else shares by costs.

mod block_effect_scale;
mod blocks;
mod count_based_costs;
mod grouped_leaves;
mod inlined_edges;
mod intervals;
mod line_estimates;
mod line_samples;
mod method_group;
mod sample_estimates;
mod sampled_case;
mod share_energy;
mod split_energy;

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::account::calls::CallTree;
use crate::account::cost::{CostIndex, IndexedModel};
use crate::account::entry::Leaf;
use crate::assumptions::ASSUMED;
use crate::model::Model;
use crate::model::areas::{AreaFit, BlockEffectTails, SmallArea, estimate_areas};

pub(super) use count_based_costs::CountBasedCosts;
pub use method_group::MethodGroup;
pub use sampled_case::SampledCase;

use grouped_leaves::{GroupedLeaves, SampledNames};
use inlined_edges::{CallPaths, InlinedEdges};
use line_estimates::{LineEstimate, LineEstimates};
use line_samples::LineSamplesByGroup;
use method_group::method_groups;
use sample_estimates::SampleEstimates;
use share_energy::share_energy;

/// Method groups of a scenario with their line estimates and the spreads that their errors come
/// from.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodGroups {
    /// Groups sorted by class and method name.
    pub groups: Vec<MethodGroup>,
    /// Relative SD of the block effect: of blocks' energies about their count-based estimates.
    pub block_effect_sd: f64,
    /// Half the width of a block effect's 95 % interval over 1.96, relative: equal to
    /// `block_effect_sd` for normal effects, larger for long tails.
    block_effect_spread: f64,
    /// Relative SD of the block effect of lines within groups; absent where the samples have no
    /// lines.
    pub line_block_effect_sd: Option<f64>,
    /// Relative SD of a group's samples between runs beyond counting noise, pooled over groups;
    /// absent where no case was sampled twice.
    pub run_spread: Option<f64>,
    /// Relative SD of a session's energy about the mean of its case.
    pub session_spread: Option<f64>,
    /// Relative SD between runs of a line's part of its group, pooled; absent also where the
    /// samples have no lines.
    pub line_run_spread: Option<f64>,
    /// Relative SD between runs of each sampled line's part, by group index and line.
    pub(super) line_run_spreads: BTreeMap<(usize, u32), f64>,
    /// Estimates per line; of a whole group where its samples have no lines.
    line_estimates: Vec<LineEstimate>,
}

impl MethodGroups {
    /// Estimates the groups of all leaves from samples and count-based costs, sets each leaf's
    /// `line_estimate`, and rescales the leaves' energies to the estimates; returns the groups
    /// and the model updated by the samples. `None` where no case was sampled, or no sample is in
    /// a method that ran.
    pub(super) fn price<'m>(
        leaves: &mut Vec<Leaf<'_>>,
        cases: &[SampledCase],
        calls: Option<&CallTree>,
        words: CountBasedCosts<'m>,
    ) -> Option<(MethodGroups, Cow<'m, Model>)> {
        let mut grouped = GroupedLeaves::of(leaves, SampledNames::of(cases));
        if let Some(calls) = calls.filter(|_| cases.iter().any(|case| case.hits.hides_inlined)) {
            let seen = SampleEstimates::of(&grouped, cases)?;
            let (groups, expected) = grouped.expected_samples(leaves, seen.samples.iter().sum());
            let paths = CallPaths::of(calls, &groups, &expected);
            let inlined = InlinedEdges::of(
                &paths,
                &grouped.call_edge_samples(cases, &seen.samples),
                &ASSUMED,
            );
            grouped = grouped.with_inlined(leaves, &inlined, &paths);
        }
        let seen = SampleEstimates::of(&grouped, cases)?;
        let counts = grouped.counts_by_group(leaves, words.model().costs.len());
        let counted = counted_energies_j(&counts, &IndexedModel::new(words.model()));
        let of_methods = IndexedModel::new(words.of_methods());
        let level = seen.level(&counted);
        let places: Vec<f64> =
            grouped.block_effect_scales(leaves).iter().map(|scale| scale * level).collect();
        let (fit, model) = fit_groups(&counts, level, &places, &seen, words)?;
        let counted: Vec<f64> = counted.iter().map(|counted| counted * level).collect();
        let groups = method_groups(&grouped, &seen, &counted, &places, &fit);
        // Costs that learnt are at the samples' level.
        let level = match &model {
            Cow::Borrowed(_) => level,
            Cow::Owned(learnt) => {
                let costs = IndexedModel::new(learnt);
                leaves.iter_mut().for_each(|leaf| leaf.reprice(&costs));
                1.0
            }
        };
        let lined = LineSamplesByGroup::of(leaves, &grouped, cases);
        share_energy(leaves, &grouped, &groups, &lined.groups, &of_methods, level);
        let LineEstimates { line_estimates, block_effect_sd } =
            LineEstimates::share_among_lines(leaves, &grouped, &groups, &lined.groups, &ASSUMED);
        let groups = MethodGroups {
            groups,
            block_effect_sd: fit.block_effect_sd?,
            block_effect_spread: fit.block_effect_spread()?,
            line_block_effect_sd: block_effect_sd,
            run_spread: seen.run_spread.map(|spread| spread.common),
            session_spread: cases.iter().find_map(|case| case.session_spread),
            line_run_spread: lined.run_spread,
            line_run_spreads: lined.run_spreads(),
            line_estimates,
        };
        Some((groups, model))
    }

    /// Whether samples determine the energy of an execution of the leaf.
    pub(super) fn is_determined_by_samples(&self, leaf: &Leaf<'_>) -> bool {
        leaf.line_estimate.is_none_or(|line_estimate| {
            self.groups[self.line_estimates[line_estimate].group].is_sample_based
        })
    }
}

/// Count-based energy of each group in joules, from its counts by cost.
fn counted_energies_j(counts: &[Vec<f64>], costs: &IndexedModel<'_>) -> Vec<f64> {
    let price = |(cost, n): (usize, &f64)| match *n == 0.0 {
        true => 0.0,
        false => costs.cost(CostIndex(cost)).0 * n,
    };
    counts.iter().map(|counts| counts.iter().enumerate().map(price).sum()).collect()
}

/// The estimator's fit and the model after it. `places` are the scales of the groups' block
/// effects in joules, `level` the sampled energy per joule of count-based energy. The level comes
/// from the samples alone: counts inform the ratios of costs only.
fn fit_groups<'m>(
    counts: &[Vec<f64>],
    level: f64,
    places: &[f64],
    seen: &SampleEstimates,
    words: CountBasedCosts<'m>,
) -> Option<(AreaFit, Cow<'m, Model>)> {
    let group = |(a, counts): (usize, &Vec<f64>)| SmallArea {
        counts: counts.clone(),
        scale: places[a].max(seen.grain_j),
        direct: Some(seen.direct[a]),
    };
    let groups: Vec<SmallArea> = counts.iter().enumerate().map(group).collect();
    let l = words.model().costs.len();
    let occurs: Vec<bool> = (0..l).map(|j| counts.iter().any(|of| of[j] != 0.0)).collect();
    // What is put in is finite and of one length, so that only a decomposition that does not
    // converge is left to fail.
    words.learn(level, &occurs, &ASSUMED, |belief| {
        estimate_areas(&groups, belief, BlockEffectTails::Estimated).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::entry::MethodKey;
    use crate::account::profile::Hits;
    use crate::account::{Accounts, Interval, account, sample};
    use crate::blocks::BlockId;
    use crate::exact::Femtojoules;
    use crate::units::Joules;

    fn hits(of: &[(&str, &str, u64)], outside: u64) -> Hits {
        let key = |&(class, method, n): &(&str, &str, u64)| ((class.into(), method.into()), n);
        Hits { methods: of.iter().map(key).collect(), outside, ..Hits::default() }
    }

    fn with(cases: &[SampledCase]) -> (Accounts, Accounts) {
        let sample = sample::awkward();
        let plain = sample.scenario();
        let sampled = crate::account::AccountInput { samples: cases, ..plain };
        (account(&plain), account(&sampled))
    }

    /// Samples by method in proportion to `energy`, `n` of them.
    fn case_of(accounts: &Accounts, n: f64, energy: impl Fn(usize) -> f64) -> SampledCase {
        let all: f64 = (0..accounts.methods.len()).map(&energy).sum();
        let entries = accounts.methods.iter().enumerate();
        let rows: Vec<(&str, &str, u64)> = entries
            .map(|(i, entry)| {
                let count = (n * energy(i) / all).round() as u64;
                (entry.key.class.as_str(), entry.key.method.as_str(), count)
            })
            .collect();
        let energy = Joules(accounts.ledger.above_idle().joules().0);
        SampledCase::of(energy, vec![hits(&rows, 0)]).unwrap()
    }

    /// What is left for the methods: collections have a row of their own.
    fn beside_collections(accounts: &Accounts) -> f64 {
        let gc = accounts.ledger.energy(crate::account::LedgerEntry::Gc);
        assert!(gc > Femtojoules::ZERO);
        (accounts.ledger.above_idle() - gc).joules().0
    }

    #[test]
    fn without_samples_accounts_are_what_they_were() {
        let (plain, sampled) = with(&[]);
        assert_eq!(plain, sampled);
        let elsewhere = SampledCase::of(Joules(1.0), vec![hits(&[], 50)]).unwrap();
        assert_eq!(with(&[elsewhere]).1, plain, "no sample is in a method");
    }

    /// Ten million samples: methods are what the samples say, to the last digit of the sum.
    #[test]
    fn many_samples_make_methods_what_they_say() {
        let (plain, _) = with(&[]);
        let said = |i: usize| 1.0 + (i as f64 * 1.7) % 3.0;
        let (_, sampled) = with(&[case_of(&plain, 1e7, said)]);
        let all: f64 = (0..plain.methods.len()).map(said).sum();
        let inside = sampled.explained_energy().joules().0;
        let whole = beside_collections(&sampled);
        assert!((inside / whole - 1.0).abs() < 1e-5, "all samples are inside: {inside} {whole}");
        for entry in &sampled.methods {
            let place = plain.methods.iter().position(|other| other.key == entry.key).unwrap();
            let expected = said(place) / all * inside;
            // Power may differ by 5 %, so even so many samples leave that much to the words.
            assert!((entry.joules().0 / expected - 1.0).abs() < 0.06, "{entry:?} {expected}");
            let interval = entry.interval.unwrap();
            assert!(interval.contains(entry.joules()) && interval.hi.0 < 1.5 * expected);
        }
    }

    /// The same samples in all, of two runs that are alike and of two that are not.
    #[test]
    fn runs_that_differ_widen_intervals() {
        let (plain, _) = with(&[]);
        let runs = |differ: f64| {
            let run = |sign: f64| {
                let tilted = move |i: usize| if i == 0 { 1.0 + sign * differ } else { 1.0 };
                case_of(&plain, 20_000.0, tilted).hits
            };
            let (_, sampled) = with(&[SampledCase::of(
                plain.ledger.above_idle().joules(),
                vec![run(1.0), run(-1.0)],
            )
            .unwrap()]);
            let widths = sampled.methods.iter().map(|entry| {
                let Interval { lo, hi } = entry.interval.unwrap();
                hi.0 - lo.0
            });
            let width = widths.sum::<f64>();
            let groups = sampled.method_groups.unwrap();
            assert!(groups.groups.iter().all(|group| group.run_spread.is_some()));
            (groups.run_spread.unwrap(), width)
        };
        let ((alike, narrow), (differing, wide)) = (runs(0.0), runs(0.4));
        assert_eq!(alike, 0.0);
        assert!(differing > 0.1 && wide > 1.5 * narrow, "{differing} {wide} {narrow}");
        let groups = with(&[case_of(&plain, 20_000.0, |_| 1.0)]).1.method_groups.unwrap();
        assert!(
            groups.run_spread.is_none() && groups.groups.iter().all(|a| a.run_spread.is_none())
        );
    }

    /// Two cases of the same energy, of which one has all of a method: in one session of each
    /// it is off by a root of two less than the case.
    #[test]
    fn sessions_that_differ_widen_what_a_case_has_alone() {
        let (plain, sampled) = with(&[case_of(&with(&[]).0, 100.0, |_| 1.0)]);
        let groups = sampled.method_groups.unwrap().groups;
        let group = groups.iter().position(|group| group.methods.len() == 1).unwrap();
        let key = &groups[group].methods[0];
        let place = plain.methods.iter().position(|entry| entry.key == *key).unwrap();
        let accounts = |session_spread| {
            let alone = case_of(&plain, 20_000.0, |i| if i == place { 3.0 } else { 1.0 });
            let shared = case_of(&plain, 20_000.0, |i| if i == place { 0.0 } else { 1.0 });
            let of = |case| SampledCase { sessions: 4, session_spread, ..case };
            with(&[of(alone), of(shared)]).1
        };
        let width = |accounts: &Accounts| {
            let Interval { lo, hi } =
                accounts.method_groups.as_ref().unwrap().groups[group].interval;
            hi.0 - lo.0
        };
        let (alike, differing) = (accounts(None), accounts(Some(0.4)));
        let wider = width(&differing) / width(&alike);
        assert!(wider > 1.5, "{wider}");
        let spread =
            |accounts: Accounts| accounts.method_groups.unwrap().groups[group].session_spread;
        let found = spread(differing).unwrap();
        assert!((found / (0.4 / 2f64.sqrt()) - 1.0).abs() < 0.01, "{found}");
        assert_eq!(spread(alike), None);
    }

    #[test]
    fn every_level_adds_up_to_the_last_digit() {
        let (plain, _) = with(&[]);
        for n in [10.0, 333.0, 1e5] {
            let (_, sampled) = with(&[case_of(&plain, n, |i| (i + 1) as f64)]);
            assert!(sampled.ledger.adds_up());
            let explained = sampled.explained_energy();
            let sums = [
                sampled.methods.iter().map(|e| e.energy).sum::<Femtojoules>(),
                sampled.lines.iter().map(|e| e.energy).sum(),
                sampled.operations.iter().map(|e| e.entry.energy).sum(),
                sampled.blocks.iter().map(|e| e.entry.energy).sum(),
                sampled.classes.iter().map(|e| e.energy).sum(),
            ];
            assert_eq!(sums, [explained; 5], "{n} samples");
        }
    }

    /// Blocks are off one by one: of two methods that spend the same, that of sixteen blocks is
    /// off by a quarter of what that of one is.
    #[test]
    fn a_method_of_many_blocks_is_off_by_less() {
        let addition = "Addition_int_int";
        let of = |id, method: &str, n| {
            sample::block(id, ("d.A", method), ("", "entry"), (1, 1), &[(addition, 1, n)])
        };
        let many = (1..17).map(|id| of(id, "many()", 1));
        let blocks = [of(0, "one()", 16)].into_iter().chain(many).collect();
        let dictionary = crate::operations::Dictionary { blocks };
        let executions = (0..17).map(|id| (BlockId(id), 100)).collect();
        let model = sample::model(&[(addition, 1e-9)]);
        let leaves =
            crate::account::entry::leaves(&dictionary, &executions, &IndexedModel::new(&model));
        let grouped = GroupedLeaves::of(&leaves, SampledNames::of(&[]));
        let scales = grouped.block_effect_scales(&leaves);
        let of = |method: &str| {
            let is_it = |(_, methods): &(_, Vec<MethodKey>)| methods[0].method == method;
            scales[grouped.groups.iter().position(is_it).unwrap()]
        };
        assert!((of("one()") / 1.6e-6 - 1.0).abs() < 1e-9, "{scales:?}");
        assert!((of("many()") / 0.4e-6 - 1.0).abs() < 1e-9, "{scales:?}");
    }

    #[test]
    fn samples_elsewhere_are_not_the_applications() {
        let (plain, _) = with(&[]);
        let mut case = case_of(&plain, 1000.0, |_| 1.0);
        case.hits.outside = case.hits.inside();
        let (_, sampled) = with(&[case]);
        let half = sampled.explained_energy().joules().0 / beside_collections(&sampled);
        assert!((half - 0.5).abs() < 1e-9, "{half}");
    }
}
