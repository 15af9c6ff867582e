//! A window's energy, shared among its tenants.

use std::collections::BTreeMap;

use crate::{Capacity, Split};

use super::basis::SharingBasis;
use super::names::TenantId;
use super::options::{EnergySource, StreamOptions};
use super::view::WindowView;
use super::window::{TenantTally, TumblingWindow};

type TenantTallies = BTreeMap<TenantId, TenantTally>;

/// Returns the view of a window between two times, its energy shared among the tenants by what they
/// used.
pub(super) fn share_window(
    options: &StreamOptions,
    meters: usize,
    (start_ns, end_ns): (u64, u64),
    mut tallies: TenantTallies,
    window: &TumblingWindow,
) -> WindowView {
    let weights = tenant_weights(options, &tallies, window.is_counted);
    let sum: f64 = weights.values().sum();
    let basis = match (sum > 0.0, options.energy, window.is_counted) {
        (false, ..) => SharingBasis::Nothing,
        (true, EnergySource::Modelled { .. }, _) => SharingBasis::Modelled,
        (true, _, true) => options.cycles,
        (true, _, false) => SharingBasis::CpuTime,
    };
    let split = |energy_j: f64| {
        // What ran without a name has weight, and no row but `unattributed`.
        let known = weights.iter().filter(|(tenant, _)| **tenant != TenantId::NOBODY);
        let known = known.map(|(tenant, weight)| (*tenant, *weight));
        // Weights and energies are finite and at least 0 by construction; anything else
        // belongs to nobody.
        let split = Split::by_weight(energy_j, known, Capacity::Total(sum));
        split.unwrap_or_else(|_| Split::unattributed(energy_j))
    };
    let seconds = end_ns.saturating_sub(start_ns) as f64 * 1e-9;
    let energy_j = match options.energy {
        EnergySource::Meters => window.is_metered.then_some(window.energy_j),
        EnergySource::Stated { idle_w, busy_w } => {
            Some((idle_w + (busy_w - idle_w) * busy_share(&tallies)) * seconds)
        }
        EnergySource::Modelled { joules_per_count, .. } => Some(sum * joules_per_count),
        EnergySource::None => None,
    };
    tallies.values_mut().for_each(|tally| tally.is_priced = energy_j.is_some());
    let metered_s = window.metered_ns * 1e-9 / meters.max(1) as f64;
    WindowView {
        start_ns,
        end_ns,
        windows: 1,
        metered_s: window.is_metered.then_some(metered_s),
        shares: split(1.0),
        energy: energy_j.map(split),
        before_log: None,
        after_log: None,
        tallies,
        bases: [(basis, 1)].into(),
    }
}

/// Returns the weight of each tenant: the modelled energy, or the cycles, or CPU time where no
/// cycles were counted.
fn tenant_weights(
    options: &StreamOptions,
    tallies: &TenantTallies,
    is_counted: bool,
) -> BTreeMap<TenantId, f64> {
    let weight = |(tenant, tally): (&TenantId, &TenantTally)| {
        let of_time = if *tenant == TenantId::IDLE { options.idle_weight } else { 1.0 };
        let weight = match options.energy {
            EnergySource::Modelled { counter, .. } => tally.others[counter],
            _ if is_counted => tally.cycles,
            _ => tally.cpu_ns * of_time,
        };
        (*tenant, weight)
    };
    tallies.iter().map(weight).collect()
}

/// Returns the share of all CPU time in which a tenant other than idle ran.
fn busy_share(tallies: &TenantTallies) -> f64 {
    let all: f64 = tallies.values().map(|tally| tally.cpu_ns).sum();
    let idle = tallies.get(&TenantId::IDLE).map_or(0.0, |tally| tally.cpu_ns);
    if all > 0.0 { (all - idle) / all } else { 0.0 }
}
