//! What went less well than it should: counted while the stream runs, told at its end.

/// Counts of what was late, lost, disordered or out of the ordinary.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Troubles {
    /// Records taken in.
    pub records: u64,
    /// Readings of meters taken in.
    pub readings: u64,
    /// Lines or packets that can't be read.
    pub unreadable: u64,
    /// Records that the recorder lost, by its own count.
    pub lost: u64,
    /// Switches whose leaving thread is not the one that came last: records are missing.
    pub mismatched: u64,
    /// CPU time whose tenant is not known for that reason, in ns.
    pub unknown_ns: f64,
    /// Records older than the ring.
    pub late: u64,
    /// CPU time that came after its window had left the ring, in ns.
    pub late_ns: f64,
    /// Cycles that came so.
    pub late_cycles: f64,
    /// Energy that came so, in joules: part of `unattributed`.
    pub late_j: f64,
    /// Switches that counted cycles.
    pub counts: u64,
    /// Those of them with more cycles than a CPU can run through since its last switch.
    pub impossible_counts: u64,
    /// Switches before the last one of their CPU.
    pub disordered: u64,
    /// Readings before the last one of their meter.
    pub disordered_readings: u64,
    /// Readings that their counter can't give.
    pub impossible_readings: u64,
    /// Readings so far apart that the counter may have gone around twice.
    pub sparse_readings: u64,
    /// Wraps of meters.
    pub meter_wraps: u64,
    /// Wraps of CPU counters.
    pub counter_wraps: u64,
    /// Meters that started anew.
    pub resets: u64,
    /// First records of CPUs, whose counters cover time before the stream.
    pub opening: u64,
    /// CPUs that went off line or came back.
    pub hotplugs: u64,
    /// Times the clock went back for good, or jumped, and gaps that are too many to be filled.
    pub clock_steps: u64,
    /// Windows without any record, skipped in such a jump.
    pub skipped_windows: u64,
    /// Tenants beyond the limit, which share a row.
    pub beyond: u64,
}

impl Troubles {
    /// A sentence for each that happened.
    #[must_use]
    pub fn findings(&self) -> Vec<String> {
        let ms = |ns: f64| format!("{:.1} ms of CPU time", ns / 1e6);
        let counted = [
            (self.unreadable, "lines or packets could not be read".to_owned()),
            (self.lost, "records were lost by the recorder".to_owned()),
            (
                self.mismatched,
                format!(
                    "switches don't fit the one before on their CPU, so some are missing: {} \
                     is unattributed",
                    ms(self.unknown_ns)
                ),
            ),
            (
                self.late,
                format!(
                    "records or parts came after their window had left the ring: {}, {:.4e} \
                     cycles charged to nobody, {:.4} J unattributed; --ring makes it longer",
                    ms(self.late_ns),
                    self.late_cycles,
                    self.late_j
                ),
            ),
            (
                self.impossible_counts,
                "counts are of more cycles than a CPU can run through since its last switch, and \
                 left out"
                    .to_owned(),
            ),
            (self.disordered, "switches came before the last one of their CPU".to_owned()),
            (
                self.disordered_readings,
                "readings of a meter were older than the last one, and left out".to_owned(),
            ),
            (self.impossible_readings, "readings are none of their counter's".to_owned()),
            (
                self.sparse_readings,
                "readings are so far apart that the counter may have wrapped twice".to_owned(),
            ),
            (self.meter_wraps, "wraps of energy counters".to_owned()),
            (self.counter_wraps, "wraps of CPU counters".to_owned()),
            (self.resets, "meters started anew; the energy in between is not known".to_owned()),
            (self.opening, "CPUs' first counts reach back before the log, and are left out".into()),
            (self.hotplugs, "CPUs went off line or came back".to_owned()),
            (
                self.clock_steps,
                format!("steps of the clock, or gaps; {} windows skipped", self.skipped_windows),
            ),
            (self.beyond, "records of tenants beyond --max-tenants share a row".to_owned()),
        ];
        let happened = counted.into_iter().filter(|(count, _)| *count > 0);
        let mut found: Vec<String> =
            happened.map(|(count, what)| format!("{count} {what}")).collect();
        if self.meter_wraps > 10 && self.meter_wraps * 20 > self.readings {
            let hint = "the energy counter wraps too often to be one: does the log come from \
                        several sockets? give one socket's CPUs";
            found.push(hint.to_owned());
        }
        found
    }
}
