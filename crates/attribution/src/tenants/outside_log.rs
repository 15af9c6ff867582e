//! What meters read before the log of who ran begins, or after it has ended: nobody's.

use super::view::OutsideLog;

/// Energy that was metered before or after the records of the log.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct OutsideEnergy {
    pub start_ns: u64,
    pub end_ns: u64,
    pub energy_j: f64,
    /// Metered time, summed over meters, in ns.
    pub ns: f64,
}

impl OutsideEnergy {
    pub fn add(&mut self, (start_ns, end_ns): (u64, u64), energy_j: f64, ns: f64) {
        let is_first = self.ns == 0.0 && self.energy_j == 0.0;
        self.start_ns = if is_first { start_ns } else { self.start_ns.min(start_ns) };
        self.end_ns = self.end_ns.max(end_ns);
        self.energy_j += energy_j;
        self.ns += ns;
    }

    /// Returns the energy over the mean time that each of so many meters covers; `None` if they
    /// read nothing.
    pub fn energy_of_meters(&self, meters: usize) -> Option<OutsideLog> {
        let seconds = self.ns * 1e-9 / meters.max(1) as f64;
        let is_some = self.energy_j != 0.0 || self.ns > 0.0;
        is_some.then_some(OutsideLog { energy_j: self.energy_j, seconds })
    }
}
