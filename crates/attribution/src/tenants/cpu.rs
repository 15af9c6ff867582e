//! One CPU: who runs on it, since when, and what its counters read.

use super::names::TenantId;
use super::record::{Counts, OTHER_COUNTERS, RunningTenant};
use super::trouble::Troubles;

/// State of a CPU between two records.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cpu {
    /// The last switch.
    pub last_ns: u64,
    /// Up to here its time is charged.
    pub charged_ns: u64,
    /// Who runs, if known.
    pub running: Option<RunningTenant>,
    /// Records were lost since.
    pub is_lossy: bool,
    /// What running counters read.
    pub raw: Option<Counts>,
    /// Off line.
    pub is_offline: bool,
}

impl Cpu {
    pub fn since(at_ns: u64) -> Self {
        Self {
            last_ns: at_ns,
            charged_ns: at_ns,
            running: None,
            is_lossy: false,
            raw: None,
            is_offline: false,
        }
    }

    /// Returns the tenant that ran since the last switch; counts a mismatch with the record as
    /// trouble.
    pub fn outgoing_tenant(
        &self,
        outgoing: Option<RunningTenant>,
        troubles: &mut Troubles,
    ) -> TenantId {
        match (self.running, outgoing) {
            (Some(known), Some(told)) if known.thread != told.thread => {
                troubles.mismatched += 1;
                TenantId::NOBODY
            }
            (_, Some(_)) if self.is_lossy => TenantId::NOBODY,
            (_, Some(told)) => told.tenant,
            (Some(known), None) => known.tenant,
            (None, None) => TenantId::NOBODY,
        }
    }

    /// Returns the differences of continuous counters of `bits` bits to their last reading; `None`
    /// at the first one.
    pub fn counter_differences(
        &mut self,
        now: Counts,
        bits: u32,
        troubles: &mut Troubles,
    ) -> Option<Counts> {
        let before = self.raw.replace(now)?;
        let modulus = f64::from(bits).exp2();
        let mut grown = |now: f64, before: f64| {
            let is_wrap = now < before;
            troubles.counter_wraps += u64::from(is_wrap);
            if is_wrap { now + modulus - before } else { now - before }
        };
        let cycles = now.cycles.zip(before.cycles).map(|(now, before)| grown(now, before));
        let mut others = [0.0; OTHER_COUNTERS];
        for (index, other) in others.iter_mut().enumerate() {
            *other = grown(now.others[index], before.others[index]);
        }
        Some(Counts { cycles, others })
    }
}
