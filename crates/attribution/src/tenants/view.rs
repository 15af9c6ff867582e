//! What tenants used and what it cost: of one window, or of many.

use std::collections::BTreeMap;

use crate::Split;

use super::basis::SharingBasis;
use super::names::TenantId;
use super::outside_log::OutsideEnergy;
use super::window::TenantTally;

/// View of one or more consecutive windows: what tenants used, and the energy shared among them.
#[derive(Debug, Clone, PartialEq)]
pub struct WindowView {
    /// Begin, in ns of the log's clock.
    pub start_ns: u64,
    /// End.
    pub end_ns: u64,
    /// How many windows it holds.
    pub windows: u64,
    /// The seconds of it that a meter covers; `None` without a meter.
    pub metered_s: Option<f64>,
    /// What was metered before the log's first record: a row of its own.
    pub before_log: Option<OutsideLog>,
    /// What was metered after the log's last record: a row of its own.
    pub after_log: Option<OutsideLog>,
    pub(super) tallies: BTreeMap<TenantId, TenantTally>,
    pub(super) energy: Option<Split<TenantId>>,
    /// A unit shared per window.
    pub(super) shares: Split<TenantId>,
    pub(super) bases: BTreeMap<SharingBasis, u64>,
}

/// Energy that was metered before the log's first record or after its last.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct OutsideLog {
    /// Joules.
    pub energy_j: f64,
    /// For how long it was metered, in seconds.
    pub seconds: f64,
}

impl OutsideLog {
    /// Returns the sum of both; `None` if there is neither.
    fn sum_of_both(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        let sum = |one: Self, other: Self| Self {
            energy_j: one.energy_j + other.energy_j,
            seconds: one.seconds + other.seconds,
        };
        one.zip(other).map(|(one, other)| sum(one, other)).or(one).or(other)
    }
}

/// Resources and energy of a tenant in a view, or those without a known tenant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TenantUse {
    /// Whose; `None` for what is unattributed.
    pub tenant: Option<TenantId>,
    /// Seconds of CPU time.
    pub cpu_s: f64,
    /// Unhalted cycles; `None` where none were counted.
    pub cycles: Option<f64>,
    /// Other counters.
    pub others: [f64; super::record::OTHER_COUNTERS],
    /// Switches away from it.
    pub switches: u64,
    /// Joules; `None` if no meter covers a window of it.
    pub energy_j: Option<f64>,
    /// Its part of the energy, or of the weights where there is no meter.
    pub share: f64,
}

impl WindowView {
    /// Creates a view of no window.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            start_ns: 0,
            end_ns: 0,
            windows: 0,
            metered_s: None,
            before_log: None,
            after_log: None,
            tallies: BTreeMap::new(),
            energy: None,
            shares: Split::default(),
            bases: BTreeMap::new(),
        }
    }

    /// Adds the windows of another view.
    pub fn add(&mut self, other: &Self) {
        // The log's own time is that of the view, unless it has none.
        if self.windows == 0 && (other.windows > 0 || self.outside_log().is_none()) {
            (self.start_ns, self.end_ns) = (other.start_ns, other.end_ns);
        } else if other.windows > 0 {
            self.start_ns = self.start_ns.min(other.start_ns);
            self.end_ns = self.end_ns.max(other.end_ns);
        }
        self.windows += other.windows;
        self.before_log = OutsideLog::sum_of_both(self.before_log, other.before_log);
        self.after_log = OutsideLog::sum_of_both(self.after_log, other.after_log);
        if let Some(seconds) = other.metered_s {
            *self.metered_s.get_or_insert(0.0) += seconds;
        }
        for (tenant, tally) in &other.tallies {
            self.tallies.entry(*tenant).or_default().add(tally);
        }
        if let Some(energy) = &other.energy {
            self.energy.get_or_insert_with(Split::default).add(energy);
        }
        self.shares.add(&other.shares);
        for (basis, windows) in &other.bases {
            *self.bases.entry(*basis).or_default() += windows;
        }
    }

    /// Adds energy whose window was closed already.
    pub(super) fn add_unattributed(&mut self, energy_j: f64, metered_s: f64) {
        self.energy.get_or_insert_with(Split::default).add(&Split::unattributed(energy_j));
        *self.metered_s.get_or_insert(0.0) += metered_s;
    }

    /// Returns the view of the energy that so many meters read before the log's first record.
    pub(super) fn before_log(outside: &OutsideEnergy, meters: usize) -> Option<Self> {
        let before_log = outside.energy_of_meters(meters)?;
        let (start_ns, end_ns) = (outside.start_ns, outside.end_ns);
        Some(Self { start_ns, end_ns, before_log: Some(before_log), ..Self::empty() })
    }

    /// Returns the view of the energy that so many meters read after the log's last record.
    pub(super) fn after_log(outside: &OutsideEnergy, meters: usize) -> Option<Self> {
        let after_log = outside.energy_of_meters(meters)?;
        let (start_ns, end_ns) = (outside.start_ns, outside.end_ns);
        Some(Self { start_ns, end_ns, after_log: Some(after_log), ..Self::empty() })
    }

    /// Returns the energy metered before and after the log's records.
    #[must_use]
    pub fn outside_log(&self) -> Option<OutsideLog> {
        OutsideLog::sum_of_both(self.before_log, self.after_log)
    }

    /// Whether the view has neither windows nor energy.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.windows == 0 && self.outside_log().is_none()
    }

    /// Returns the length in seconds.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.end_ns.saturating_sub(self.start_ns) as f64 * 1e-9
    }

    /// Returns the energy in joules of all rows; `None` without a meter.
    #[must_use]
    pub fn total_j(&self) -> Option<f64> {
        let inside = self.energy.as_ref().map(Split::total_j);
        let outside = self.outside_log().map(|outside| outside.energy_j);
        inside.zip(outside).map(|(inside, outside)| inside + outside).or(inside).or(outside)
    }

    /// Returns the mean power of a row in watts: over the time that log and meter both cover, or
    /// over the whole log without a meter. Energy metered outside of the log has none, unless there
    /// is nothing else.
    #[must_use]
    pub fn power_w(&self, row: &TenantUse) -> Option<f64> {
        match row.tenant {
            Some(TenantId::BEFORE_LOG) => self.outside_w(self.before_log),
            Some(TenantId::AFTER_LOG) => self.outside_w(self.after_log),
            _ => self.mean_w(row.energy_j?),
        }
    }

    /// Returns the mean power of all rows in watts.
    #[must_use]
    pub(crate) fn total_power_w(&self) -> Option<f64> {
        match &self.energy {
            Some(energy) => self.mean_w(energy.total_j()),
            None => self.outside_w(self.outside_log()),
        }
    }

    fn mean_w(&self, energy_j: f64) -> Option<f64> {
        let seconds = self.metered_s.unwrap_or_else(|| self.seconds());
        (seconds > 0.0).then(|| energy_j / seconds)
    }

    fn outside_w(&self, outside: Option<OutsideLog>) -> Option<f64> {
        let outside = outside.filter(|outside| outside.seconds > 0.0 && self.energy.is_none())?;
        Some(outside.energy_j / outside.seconds)
    }

    /// Whether the rows add up to the total.
    #[must_use]
    pub fn is_conserved(&self) -> bool {
        self.shares.is_conserved() && self.energy.as_ref().is_none_or(Split::is_conserved)
    }

    /// Returns the numbers of windows by the basis of their sharing.
    #[must_use]
    pub fn bases(&self) -> &BTreeMap<SharingBasis, u64> {
        &self.bases
    }

    /// Returns the name of the basis of all windows, or the names of several.
    #[must_use]
    pub fn basis(&self) -> String {
        let names: Vec<&str> = self.bases.keys().map(|basis| basis.name()).collect();
        if names.is_empty() { SharingBasis::Nothing.name().to_owned() } else { names.join("+") }
    }

    /// Returns the rows: the largest share first, then idle, the energy metered before and after
    /// the log, and always, last, what is unattributed.
    #[must_use]
    pub fn rows(&self) -> Vec<TenantUse> {
        let is_own = |tenant: TenantId| tenant != TenantId::NOBODY && tenant != TenantId::IDLE;
        let mut rows: Vec<TenantUse> =
            self.tallies.keys().filter(|t| is_own(**t)).map(|t| self.row(*t)).collect();
        rows.sort_by(|a, b| {
            let weight = |row: &TenantUse| row.share;
            weight(b)
                .total_cmp(&weight(a))
                .then(b.cpu_s.total_cmp(&a.cpu_s))
                .then(a.tenant.cmp(&b.tenant))
        });
        if self.tallies.contains_key(&TenantId::IDLE) {
            rows.push(self.row(TenantId::IDLE));
        }
        let outside =
            [(TenantId::BEFORE_LOG, self.before_log), (TenantId::AFTER_LOG, self.after_log)];
        for (tenant, outside) in outside {
            let Some(OutsideLog { energy_j, .. }) = outside else { continue };
            rows.push(self.fill_row(Some(tenant), &TenantTally::default(), Some(energy_j), 0.0));
        }
        rows.push(self.unattributed());
        rows
    }

    fn row(&self, tenant: TenantId) -> TenantUse {
        let tally = self.tallies.get(&tenant).copied().unwrap_or_default();
        let part = |split: &Split<TenantId>| split.shares().get(&tenant).copied().unwrap_or(0.0);
        let energy_j = self.energy.as_ref().filter(|_| tally.is_priced).map(part);
        self.fill_row(Some(tenant), &tally, energy_j, part(&self.shares))
    }

    fn unattributed(&self) -> TenantUse {
        let tally = self.tallies.get(&TenantId::NOBODY).copied().unwrap_or_default();
        // Where meters read outside of the log alone, all of it has rows of its own.
        let nothing = self.outside_log().map(|_| 0.0);
        let energy_j = self.energy.as_ref().map(Split::unattributed_j).or(nothing);
        self.fill_row(None, &tally, energy_j, self.shares.unattributed_j())
    }

    fn fill_row(
        &self,
        tenant: Option<TenantId>,
        tally: &TenantTally,
        energy_j: Option<f64>,
        part: f64,
    ) -> TenantUse {
        let is_counted = self.bases.contains_key(&SharingBasis::Cycles)
            || self.bases.contains_key(&SharingBasis::CyclesByFrequency)
            || self.bases.contains_key(&SharingBasis::Modelled);
        let of_energy = energy_j.zip(self.total_j()).filter(|(_, total)| *total != 0.0);
        let of_weights = || if self.windows == 0 { 0.0 } else { part / self.windows as f64 };
        TenantUse {
            tenant,
            cpu_s: tally.cpu_ns * 1e-9,
            cycles: is_counted.then_some(tally.cycles),
            others: tally.others,
            switches: tally.switches,
            energy_j,
            share: of_energy.map_or_else(of_weights, |(energy, total)| energy / total),
        }
    }
}
