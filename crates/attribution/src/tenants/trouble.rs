//! What went less well than it should: counted while the stream runs, told at its end.

use wattline_units::format::{counted, counted_as};

/// Counts of late, lost, disordered and unusual records and readings.
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
    /// Returns a sentence for each trouble that occurred.
    #[must_use]
    pub fn findings(&self) -> Vec<String> {
        let all = self.of_records().into_iter().chain(self.of_clocks_and_counters());
        let mut found: Vec<String> = all.flatten().collect();
        if self.meter_wraps > 10 && self.meter_wraps * 20 > self.readings {
            let hint = "the energy counter wraps too often to be one: does the log come from \
                        several sockets? give one socket's CPUs";
            found.push(hint.to_owned());
        }
        found
    }

    fn of_records(&self) -> [Option<String>; 5] {
        let ms = |ns: f64| format!("{:.1} ms of CPU time", ns / 1e6);
        let missing = format!(", so some are missing: {} is unattributed", ms(self.unknown_ns));
        let late = format!(
            " had left the ring: {}, {:.4e} cycles charged to nobody, {:.4} J unattributed; --ring \
             makes it longer",
            ms(self.late_ns),
            self.late_cycles,
            self.late_j
        );
        let impossible = " of more cycles than a CPU can run through since its last switch, and \
                          left out";
        let mismatched = [
            "switch doesn't fit the one before on its CPU",
            "switches don't fit the one before on their CPU",
        ];
        let belated =
            ["record or part came after its window", "records or parts came after their window"];
        [
            sentence(self.unreadable, ["line or packet", "lines or packets"], " could not be read"),
            sentence(self.lost, ["record was", "records were"], " lost by the recorder"),
            sentence(self.mismatched, mismatched, &missing),
            sentence(self.late, belated, &late),
            sentence(self.impossible_counts, ["count is", "counts are"], impossible),
        ]
    }

    fn of_clocks_and_counters(&self) -> [Option<String>; 11] {
        let skipped = format!("; {} skipped", counted(self.skipped_windows, "window"));
        let disordered = [
            "switch came before the last one of its CPU",
            "switches came before the last one of their CPU",
        ];
        let older = ["reading of a meter was", "readings of a meter were"];
        let strange = ["reading is none of its counter's", "readings are none of their counter's"];
        let sparse = ["reading is so far from the one before", "readings are so far apart"];
        let wraps = ["wrap of an energy counter", "wraps of energy counters"];
        let cpu_wraps = ["wrap of a CPU counter", "wraps of CPU counters"];
        let opening = ["CPU's first counts reach", "CPUs' first counts reach"];
        let steps = ["step of the clock, or gap", "steps of the clock, or gaps"];
        let beyond = ["record of tenants", "records of tenants"];
        let share = if self.beyond == 1 { "shares" } else { "share" };
        [
            sentence(self.disordered, disordered, ""),
            sentence(self.disordered_readings, older, " older than the last one, and left out"),
            sentence(self.impossible_readings, strange, ""),
            sentence(self.sparse_readings, sparse, " that the counter may have wrapped twice"),
            sentence(self.meter_wraps, wraps, ""),
            sentence(self.counter_wraps, cpu_wraps, ""),
            sentence(
                self.resets,
                ["meter", "meters"],
                " started anew; the energy in between is not known",
            ),
            sentence(self.opening, opening, " back before the log, and are left out"),
            sentence(self.hotplugs, ["CPU", "CPUs"], " went off line or came back"),
            sentence(self.clock_steps, steps, &skipped),
            sentence(self.beyond, beyond, &format!(" beyond --max-tenants {share} a row")),
        ]
    }
}

/// Returns the sentence of a count, from its subject in singular and plural and its end; `None` for
/// zero.
fn sentence(count: u64, [one, many]: [&str; 2], end: &str) -> Option<String> {
    (count > 0).then(|| counted_as(count, one, many) + end)
}
