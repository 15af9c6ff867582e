//! What meters read before the log of who ran begins, or after it has ended: nobody's.

/// Energy that was metered where the log has no record.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Outside {
    pub start_ns: u64,
    pub end_ns: u64,
    pub energy_j: f64,
    /// Metered time, summed over meters, in ns.
    pub ns: f64,
}

impl Outside {
    pub fn add(&mut self, (start_ns, end_ns): (u64, u64), energy_j: f64, ns: f64) {
        let is_first = self.ns == 0.0 && self.energy_j == 0.0;
        self.start_ns = if is_first { start_ns } else { self.start_ns.min(start_ns) };
        self.end_ns = self.end_ns.max(end_ns);
        self.energy_j += energy_j;
        self.ns += ns;
    }

    pub fn is_some(&self) -> bool {
        self.energy_j != 0.0 || self.ns > 0.0
    }
}
