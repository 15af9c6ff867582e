//! Methods that samples don't tell apart, and what is known of their energy.

use crate::account::entry::MethodKey;
use crate::account::matching::MethodSignature;
use crate::exact::Femtojoules;
use crate::interval::Interval;
use crate::model::areas::{AreaEstimate, AreaFit, AreaSources, between_sources, way_from_samples};
use crate::units::Joules;

use super::grouped::Grouped;
use super::sample_estimates::SampleEstimates;

/// The largest relative error with which samples know an area at all: of four samples it is half.
const LEAST_SURE: f64 = 0.5;

/// A method, or methods that samples don't tell apart (a class's constructors and field
/// initialisers; overloads, where a sampler names no parameters), with what compilers put into
/// it where the sampler shows no inlined frames, and what is known of its energy.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodGroup {
    /// The methods.
    pub methods: Vec<MethodKey>,
    /// Samples that fell into them.
    pub samples: u64,
    /// What samples alone say.
    pub sampled: Joules,
    /// What the costs alone say, before they learnt from the samples; all together they say what
    /// the samples do.
    pub counted: Joules,
    /// What both together say, never beyond both; areas add up to the energy of all that was
    /// sampled in them.
    pub energy: Femtojoules,
    /// Its 95 % interval.
    pub interval: Interval,
    /// How much of it is the samples' word, 0..1.
    pub weight: f64,
    /// How far, relative, its energy in a run differs from the mean over runs; absent where no
    /// case was sampled twice.
    pub run_spread: Option<f64>,
    /// The same because sessions of a case have more or less energy than its mean; absent
    /// without samples, too.
    pub session_spread: Option<f64>,
    /// Variance of its error in J^2.
    pub(super) variance_j2: f64,
    /// Whether samples know it better than words do. Of one that they don't its energy may be a
    /// sample's, or its part of what was missing: nothing that an execution in other runs costs.
    pub(super) is_told: bool,
}

/// What is known of each area; `counted` is at the samples' level, and `places` as for [`fitted`].
pub(super) fn accounts(
    grouped: &Grouped,
    seen: &SampleEstimates,
    counted: &[f64],
    places: &[f64],
    fit: &AreaFit,
) -> Vec<MethodGroup> {
    // Relative to what samples say where that is more: then it is words that are far off.
    let is_told = |a: usize| {
        let block_effect_sd = fit.block_effect_sd.unwrap_or(0.0);
        let of_samples = block_effect_sd.min(LEAST_SURE) * seen.direct[a].energy_j;
        f64::max(block_effect_sd * places[a], of_samples).powi(2) >= seen.direct[a].variance_j2
    };
    let sources = seen.direct.iter().zip(counted);
    let sources: Vec<AreaSources> = sources
        .map(|(direct, counted)| AreaSources { direct: *direct, counted_j: *counted })
        .collect();
    let way = way_from_samples(&fit.estimates, &sources);
    let estimates = between_sources(&fit.estimates, &sources, way);
    let energies = whole(&estimates.iter().map(|e| e.energy_j).collect::<Vec<_>>());
    let account = |(a, (_, methods)): (usize, &(MethodSignature, Vec<MethodKey>))| {
        let (energy, estimate) = (energies[a], &estimates[a]);
        MethodGroup {
            methods: methods.clone(),
            samples: seen.samples[a],
            sampled: Joules(seen.direct[a].energy_j),
            counted: Joules(counted[a]),
            energy,
            interval: around(energy.joules().0, estimate),
            weight: estimate.weight,
            run_spread: seen.spread_of(a),
            session_spread: seen.session_spreads.as_ref().and_then(|spreads| spreads[a]),
            variance_j2: estimate.mse_j2,
            is_told: is_told(a),
        }
    };
    grouped.areas.iter().enumerate().map(account).collect()
}

/// The estimate's interval, moved with it when areas were made to add up.
fn around(energy_j: f64, estimate: &AreaEstimate) -> Interval {
    let moved = energy_j - estimate.energy_j;
    let lo = (estimate.lo_j + moved).clamp(0.0, energy_j.max(0.0));
    Interval { lo: Joules(lo), hi: Joules((estimate.hi_j + moved).max(energy_j)) }
}

/// Whole femtojoules that add up to the whole of the sum: each is the step between
/// neighbouring sums, rounded.
fn whole(energies_j: &[f64]) -> Vec<Femtojoules> {
    let mut sum = 0.0;
    let mut before = Femtojoules::ZERO;
    let step = |energy: &f64| {
        sum += energy;
        let now = Femtojoules::from_joules(Joules(sum));
        let step = now - before;
        before = now;
        step
    };
    energies_j.iter().map(step).collect()
}
