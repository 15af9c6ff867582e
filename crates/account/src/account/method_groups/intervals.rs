//! Intervals and variances of sums of leaves whose method groups were sampled.

use std::collections::BTreeMap;

use crate::account::cost::{CountVector, IndexedModel};
use crate::account::entry::{BlockLine, Bundle, Leaf, LeafTotals};
use crate::exact::Femtojoules;
use crate::interval::Interval;
use crate::units::Joules;

use super::MethodGroups;
use super::block_effect_scale::{block_effect_scale_j, root_sum_of_squares};
use super::line_estimates::LineEstimate;

impl MethodGroups {
    /// The 95 % interval of a bundle. A whole group has the estimator's interval, and so has a
    /// whole sampled line; other parts take the block effect for their share of the group. No
    /// part of a group exceeds the group's interval.
    pub(in crate::account) fn interval(
        &self,
        bundle: &Bundle<'_>,
        costs: &IndexedModel<'_>,
    ) -> Option<Interval> {
        let parts = self.parts_by_group(bundle);
        let only = match parts.as_slice() {
            [part] => Some(part),
            _ => None,
        };
        let interval = match only.and_then(|part| self.sampled_interval(part)) {
            Some(interval) => interval,
            None => {
                let variance = self.variance_of(&parts, bundle, costs)?;
                Interval::around(bundle.energy.joules(), variance)
            }
        };
        let most = only.map_or(f64::INFINITY, |part| self.groups[part.group].interval.hi.0);
        Some(Interval { hi: Joules(interval.hi.0.min(most)), ..interval })
    }

    /// Variance of a bundle's error in J^2; `None` where its share of a group is count-based and
    /// has no known error.
    pub(in crate::account) fn variance(
        &self,
        bundle: &Bundle<'_>,
        costs: &IndexedModel<'_>,
    ) -> Option<f64> {
        self.variance_of(&self.parts_by_group(bundle), bundle, costs)
    }

    /// Variance in J^2 of leaves that only count-based costs price, from the block effect.
    pub(in crate::account) fn block_effect_variance(&self, leaves: &[Leaf<'_>]) -> f64 {
        let sampled =
            self.line_estimates.iter().flat_map(|line_estimate| line_estimate.places.values());
        let once_j = sampled.copied().sum::<LeafTotals>().mean_execution_j();
        (self.block_effect_spread * block_effect_scale_j(leaves.iter(), once_j)).powi(2)
    }

    fn variance_of(
        &self,
        parts: &[GroupPart],
        bundle: &Bundle<'_>,
        costs: &IndexedModel<'_>,
    ) -> Option<f64> {
        let of_areas: f64 = parts.iter().map(|part| self.variance_of_part(part)).sum();
        let words = match parts.iter().any(|part| part.is_count_based) {
            false => 0.0,
            true if bundle.unknown > 0 => return None,
            true => costs.variance(&self.count_contrast(bundle))?,
        };
        Some(of_areas + words)
    }

    /// Counts of a bundle less its share of the counts of the sampled estimates: the part that
    /// errors of costs affect, since samples determine the energy of the whole.
    fn count_contrast(&self, bundle: &Bundle<'_>) -> CountVector {
        let mut contrast = bundle.counts.clone();
        for (number, places) in &bundle.line_estimates {
            let line_estimate = &self.line_estimates[*number];
            let share = share_of_line_estimate(energy_of(places), line_estimate);
            line_estimate
                .counts
                .0
                .iter()
                .for_each(|(cost, count)| contrast.add(*cost, -share * count));
        }
        contrast
    }

    /// The bundle's parts by group.
    fn parts_by_group(&self, bundle: &Bundle<'_>) -> Vec<GroupPart> {
        let mut parts: BTreeMap<usize, GroupPart> = BTreeMap::new();
        for (number, places) in &bundle.line_estimates {
            let line_estimate = &self.line_estimates[*number];
            let part =
                parts.entry(line_estimate.group).or_insert(GroupPart::of(line_estimate.group));
            part.add(line_estimate, places, self.block_effect_spread);
        }
        let whole = |part: GroupPart| match part.energy == self.groups[part.group].energy {
            true => GroupPart { within_j2: 0.0, is_count_based: false, ..part },
            false => part,
        };
        parts.into_values().map(whole).collect()
    }

    /// The estimator's interval of a part that is a whole group or a whole line; `None` for
    /// others.
    fn sampled_interval(&self, part: &GroupPart) -> Option<Interval> {
        let group = &self.groups[part.group];
        if part.energy == group.energy {
            return Some(group.interval);
        }
        let (energy, all) = (part.energy.joules().0, group.energy.joules().0);
        let own = part.line?;
        let side = |own: f64, of_group: f64| own.hypot(energy / all * of_group);
        let lo = side(energy - own.lo.0, all - group.interval.lo.0);
        let hi = side(own.hi.0 - energy, group.interval.hi.0 - all);
        Some(Interval { lo: Joules((energy - lo).max(0.0)), hi: Joules(energy + hi) })
    }

    fn variance_of_part(&self, part: &GroupPart) -> f64 {
        let group = &self.groups[part.group];
        let (own, all) = (part.energy.joules().0, group.energy.joules().0);
        if part.energy == group.energy || all <= 0.0 {
            return group.variance_j2;
        }
        (own / all).powi(2) * group.variance_j2 + part.within_j2
    }
}

/// Part of a group that a bundle contains.
struct GroupPart {
    group: usize,
    energy: Femtojoules,
    /// Variance in J^2 of the part, given the group's energy.
    within_j2: f64,
    /// Whether count-based costs alone determine the part's share.
    is_count_based: bool,
    /// Interval of the line where the part is one whole sampled line.
    line: Option<Interval>,
}

impl GroupPart {
    fn of(group: usize) -> Self {
        Self { group, energy: Femtojoules::ZERO, within_j2: 0.0, is_count_based: false, line: None }
    }

    fn add(
        &mut self,
        line_estimate: &LineEstimate,
        places: &BTreeMap<BlockLine, LeafTotals>,
        block_effect_spread: f64,
    ) {
        let energy = energy_of(places);
        let is_first = self.energy == Femtojoules::ZERO;
        let is_whole = energy == line_estimate.energy;
        self.line =
            line_estimate.sampled.filter(|_| is_first && is_whole).map(|line| line.interval);
        self.energy += energy;
        let sampled = line_estimate.sampled.map_or(0.0, |line| line.variance_j2);
        if is_whole {
            self.within_j2 += sampled;
            self.is_count_based |= line_estimate.sampled.is_none();
            return;
        }
        let share = share_of_line_estimate(energy, line_estimate);
        let own = block_effect_spread * block_effect_contrast(line_estimate, places, share);
        self.within_j2 += share.powi(2) * sampled + own.powi(2);
        self.is_count_based = true;
    }
}

/// Error in joules of a part of a line estimate, given the estimate's energy, for a block effect
/// SD of 1. A block deviates as a whole, by its part's share less the part's share of all; within
/// it each line deviates, by its part's share less that of the block.
fn block_effect_contrast(
    line_estimate: &LineEstimate,
    part: &BTreeMap<BlockLine, LeafTotals>,
    share: f64,
) -> f64 {
    let once_j = line_estimate.places.values().copied().sum::<LeafTotals>().mean_execution_j();
    let usual_j = |portion: &LeafTotals| portion.typical_j(once_j);
    let of_place = |(place, whole): &(&BlockLine, &LeafTotals)| {
        (part.get(*place).map_or(0.0, usual_j), usual_j(whole))
    };
    let of_block = |places: &[(&BlockLine, &LeafTotals)]| {
        let lines: Vec<(f64, f64)> = places.iter().map(of_place).collect();
        let (own, whole) =
            lines.iter().fold((0.0, 0.0), |sum, line| (sum.0 + line.0, sum.1 + line.1));
        let within = own / whole.max(f64::MIN_POSITIVE);
        let of_lines = lines.iter().map(|(own, whole)| own - within * whole);
        root_sum_of_squares(of_lines.chain([own - share * whole]))
    };
    let places: Vec<(&BlockLine, &LeafTotals)> = line_estimate.places.iter().collect();
    root_sum_of_squares(places.chunk_by(|a, b| a.0.0 == b.0.0).map(of_block))
}

fn energy_of(places: &BTreeMap<BlockLine, LeafTotals>) -> Femtojoules {
    places.values().map(|portion| portion.energy).sum()
}

fn share_of_line_estimate(energy: Femtojoules, line_estimate: &LineEstimate) -> f64 {
    let (own, all) = (energy.joules().0, line_estimate.energy.joules().0);
    if all > 0.0 { own / all } else { 1.0 }
}
