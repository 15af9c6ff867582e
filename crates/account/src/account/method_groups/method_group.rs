//! Methods that samples cannot separate, and estimates of their energy.

use crate::account::entry::MethodKey;
use crate::account::matching::MethodSignature;
use crate::exact::Femtojoules;
use crate::interval::Interval;
use crate::model::areas::{
    AreaEstimate, AreaFit, AreaSources, hold_between_sources, weight_of_estimates,
};
use crate::units::Joules;

use super::grouped_leaves::GroupedLeaves;
use super::sample_estimates::SampleEstimates;

/// Largest relative error at which samples count as an estimate of a group: that of four samples.
const LARGEST_RELATIVE_ERROR: f64 = 0.5;

/// Energy estimate of a method, or of methods that samples cannot separate (a class's
/// constructors and field initialisers; overloads, where a sampler names no parameters). Code
/// inlined into the method is part of it where the sampler shows no inlined frames.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodGroup {
    /// The methods of the group.
    pub methods: Vec<MethodKey>,
    /// Samples in these methods.
    pub samples: u64,
    /// Sampling-based estimate.
    pub sampled: Joules,
    /// Count-based estimate before the update by samples; over all groups it adds up to the
    /// sampled energy.
    pub counted: Joules,
    /// Combined estimate, between the two; groups add up to the energy of all their samples.
    pub energy: Femtojoules,
    /// 95 % interval of `energy`.
    pub interval: Interval,
    /// Weight of the sampling-based estimate, 0..1.
    pub weight: f64,
    /// Relative SD of the group's energy in one run about the mean over runs; absent where no
    /// case was sampled twice.
    pub run_spread: Option<f64>,
    /// Relative SD of the group's energy because sessions differ from the mean of their case;
    /// absent also without samples.
    pub session_spread: Option<f64>,
    /// Variance of the error of `energy` in J^2.
    pub(super) variance_j2: f64,
    /// Whether samples determine the energy better than counts. Otherwise `energy` may come from
    /// a single sample or from the residual, and is no estimate of an execution in other runs.
    pub(super) is_sample_based: bool,
}

/// Estimates of all groups; `counted` is in joules at the samples' level, `places` as for
/// [`fit_groups`](super::fit_groups).
pub(super) fn method_groups(
    grouped: &GroupedLeaves,
    seen: &SampleEstimates,
    counted: &[f64],
    places: &[f64],
    fit: &AreaFit,
) -> Vec<MethodGroup> {
    // Relative to what samples say where that is more: then it is words that are far off.
    let is_sample_based = |a: usize| {
        let block_effect_sd = fit.block_effect_sd.unwrap_or(0.0);
        let of_samples = block_effect_sd.min(LARGEST_RELATIVE_ERROR) * seen.direct[a].energy_j;
        f64::max(block_effect_sd * places[a], of_samples).powi(2) >= seen.direct[a].variance_j2
    };
    let sources = seen.direct.iter().zip(counted);
    let sources: Vec<AreaSources> = sources
        .map(|(direct, counted)| AreaSources { direct: *direct, counted_j: *counted })
        .collect();
    let way = weight_of_estimates(&fit.estimates, &sources);
    let estimates = hold_between_sources(&fit.estimates, &sources, way);
    let energies = whole_femtojoules(&estimates.iter().map(|e| e.energy_j).collect::<Vec<_>>());
    let account = |(a, (_, methods)): (usize, &(MethodSignature, Vec<MethodKey>))| {
        let (energy, estimate) = (energies[a], &estimates[a]);
        MethodGroup {
            methods: methods.clone(),
            samples: seen.samples[a],
            sampled: Joules(seen.direct[a].energy_j),
            counted: Joules(counted[a]),
            energy,
            interval: shifted_interval(energy.joules().0, estimate),
            weight: estimate.weight,
            run_spread: seen.spread_of(a),
            session_spread: seen.session_spreads.as_ref().and_then(|spreads| spreads[a]),
            variance_j2: estimate.mse_j2,
            is_sample_based: is_sample_based(a),
        }
    };
    grouped.groups.iter().enumerate().map(account).collect()
}

/// The estimate's 95 % interval, shifted with the energy `energy_j`.
fn shifted_interval(energy_j: f64, estimate: &AreaEstimate) -> Interval {
    let moved = energy_j - estimate.energy_j;
    let lo = (estimate.lo_j + moved).clamp(0.0, energy_j.max(0.0));
    Interval { lo: Joules(lo), hi: Joules((estimate.hi_j + moved).max(energy_j)) }
}

/// Whole femtojoules that add up to the rounded sum: each is the difference of neighbouring
/// rounded partial sums.
fn whole_femtojoules(energies_j: &[f64]) -> Vec<Femtojoules> {
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
