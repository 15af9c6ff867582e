//! How sure sums of leaves are of which samples tell the areas.

use std::collections::BTreeMap;

use crate::account::cost::{CountVector, IndexedModel};
use crate::account::entry::{Bundle, Leaf, Place, Portion};
use crate::exact::Femtojoules;
use crate::interval::Interval;
use crate::units::Joules;

use super::MethodGroups;
use super::line_estimates::LineEstimate;
use super::place_scale::{place_scale, root_sum_of_squares};

impl MethodGroups {
    /// The 95 % interval of a bundle. A whole area has the estimator's own, and so has a whole
    /// line that samples tell; of other parts, the words know their share as badly as they
    /// know areas. No part of an area spends more than it.
    pub(in crate::account) fn interval(
        &self,
        bundle: &Bundle<'_>,
        costs: &IndexedModel<'_>,
    ) -> Option<Interval> {
        let parts = self.parts(bundle);
        let only = match parts.as_slice() {
            [part] => Some(part),
            _ => None,
        };
        let interval = match only.and_then(|part| self.told(part)) {
            Some(interval) => interval,
            None => {
                let variance = self.variance_of(&parts, bundle, costs)?;
                Interval::around(bundle.energy.joules(), variance)
            }
        };
        let most = only.map_or(f64::INFINITY, |part| self.areas[part.area].interval.hi.0);
        Some(Interval { hi: Joules(interval.hi.0.min(most)), ..interval })
    }

    /// Variance of a bundle's error in J^2; `None` where the words say which part it is, and
    /// don't know how well.
    pub(in crate::account) fn variance(
        &self,
        bundle: &Bundle<'_>,
        costs: &IndexedModel<'_>,
    ) -> Option<f64> {
        self.variance_of(&self.parts(bundle), bundle, costs)
    }

    /// Variance of code that only words tell, by its places, in J^2.
    pub(in crate::account) fn variance_of_places(&self, leaves: &[Leaf<'_>]) -> f64 {
        let sampled = self.spots.iter().flat_map(|spot| spot.places.values());
        let once_j = sampled.copied().sum::<Portion>().once_j();
        (self.block_effect_spread * place_scale(leaves.iter(), once_j)).powi(2)
    }

    fn variance_of(
        &self,
        parts: &[AreaPart],
        bundle: &Bundle<'_>,
        costs: &IndexedModel<'_>,
    ) -> Option<f64> {
        let of_areas: f64 = parts.iter().map(|part| self.variance_of_part(part)).sum();
        let words = match parts.iter().any(|part| part.by_words) {
            false => 0.0,
            true if bundle.unknown > 0 => return None,
            true => costs.variance(&self.contrast(bundle))?,
        };
        Some(of_areas + words)
    }

    /// By what a bundle's counts differ from its share of what samples tell: all that the
    /// costs' errors move, since the energy of the whole is not theirs to say.
    fn contrast(&self, bundle: &Bundle<'_>) -> CountVector {
        let mut contrast = bundle.counts.clone();
        for (number, places) in &bundle.spots {
            let spot = &self.spots[*number];
            let share = share_of_spot(energy_of(places), spot);
            spot.counts.0.iter().for_each(|(cost, count)| contrast.add(*cost, -share * count));
        }
        contrast
    }

    /// A bundle's parts of areas.
    fn parts(&self, bundle: &Bundle<'_>) -> Vec<AreaPart> {
        let mut parts: BTreeMap<usize, AreaPart> = BTreeMap::new();
        for (number, places) in &bundle.spots {
            let spot = &self.spots[*number];
            let part = parts.entry(spot.area).or_insert(AreaPart::of(spot.area));
            part.add(spot, places, self.block_effect_spread);
        }
        let whole = |part: AreaPart| match part.energy == self.areas[part.area].energy {
            true => AreaPart { within_j2: 0.0, by_words: false, ..part },
            false => part,
        };
        parts.into_values().map(whole).collect()
    }

    /// The interval of what samples speak of as one: an area, or a line of one.
    fn told(&self, part: &AreaPart) -> Option<Interval> {
        let area = &self.areas[part.area];
        if part.energy == area.energy {
            return Some(area.interval);
        }
        let (energy, all) = (part.energy.joules().0, area.energy.joules().0);
        let own = part.line?;
        let side = |own: f64, of_area: f64| own.hypot(energy / all * of_area);
        let lo = side(energy - own.lo.0, all - area.interval.lo.0);
        let hi = side(own.hi.0 - energy, area.interval.hi.0 - all);
        Some(Interval { lo: Joules((energy - lo).max(0.0)), hi: Joules(energy + hi) })
    }

    fn variance_of_part(&self, part: &AreaPart) -> f64 {
        let area = &self.areas[part.area];
        let (own, all) = (part.energy.joules().0, area.energy.joules().0);
        if part.energy == area.energy || all <= 0.0 {
            return area.variance_j2;
        }
        (own / all).powi(2) * area.variance_j2 + part.within_j2
    }
}

/// What a bundle has of an area.
struct AreaPart {
    area: usize,
    energy: Femtojoules,
    /// Variance of its part of the area in J^2, given the area's energy.
    within_j2: f64,
    /// Whether it is the words that say which part.
    by_words: bool,
    /// The interval of its line, where it is one whole line that samples tell.
    line: Option<Interval>,
}

impl AreaPart {
    fn of(area: usize) -> Self {
        Self { area, energy: Femtojoules::ZERO, within_j2: 0.0, by_words: false, line: None }
    }

    fn add(
        &mut self,
        spot: &LineEstimate,
        places: &BTreeMap<Place, Portion>,
        block_effect_spread: f64,
    ) {
        let energy = energy_of(places);
        let is_first = self.energy == Femtojoules::ZERO;
        let is_whole = energy == spot.energy;
        self.line = spot.sampled.filter(|_| is_first && is_whole).map(|line| line.interval);
        self.energy += energy;
        let sampled = spot.sampled.map_or(0.0, |line| line.variance_j2);
        if is_whole {
            self.within_j2 += sampled;
            self.by_words |= spot.sampled.is_none();
            return;
        }
        let share = share_of_spot(energy, spot);
        let own = block_effect_spread * contrast_of_places(spot, places, share);
        self.within_j2 += share.powi(2) * sampled + own.powi(2);
        self.by_words = true;
    }
}

/// What places' errors move of a part of a spot, given the spot's energy, in joules, with a
/// place spread of 1: what one place has too much the others have too little. A block is off as
/// one, by what the part has of it less its share of all; within it each line is, by what the
/// part has of the line less its share of the block.
fn contrast_of_places(spot: &LineEstimate, part: &BTreeMap<Place, Portion>, share: f64) -> f64 {
    let once_j = spot.places.values().copied().sum::<Portion>().once_j();
    let usual_j = |portion: &Portion| portion.usual_j(once_j);
    let of_place = |(place, whole): &(&Place, &Portion)| {
        (part.get(*place).map_or(0.0, usual_j), usual_j(whole))
    };
    let of_block = |places: &[(&Place, &Portion)]| {
        let lines: Vec<(f64, f64)> = places.iter().map(of_place).collect();
        let (own, whole) =
            lines.iter().fold((0.0, 0.0), |sum, line| (sum.0 + line.0, sum.1 + line.1));
        let within = own / whole.max(f64::MIN_POSITIVE);
        let of_lines = lines.iter().map(|(own, whole)| own - within * whole);
        root_sum_of_squares(of_lines.chain([own - share * whole]))
    };
    let places: Vec<(&Place, &Portion)> = spot.places.iter().collect();
    root_sum_of_squares(places.chunk_by(|a, b| a.0.0 == b.0.0).map(of_block))
}

fn energy_of(places: &BTreeMap<Place, Portion>) -> Femtojoules {
    places.values().map(|portion| portion.energy).sum()
}

fn share_of_spot(energy: Femtojoules, spot: &LineEstimate) -> f64 {
    let (own, all) = (energy.joules().0, spot.energy.joules().0);
    if all > 0.0 { own / all } else { 1.0 }
}
