//! What meters read, against the log of who ran: energy between its first record and its
//! last goes to windows; what was metered before and after is nobody's, and told apart.

use super::meter::Difference;
use super::stream::WindowStream;

/// Differences held for records that may still come; beyond that, neighbours become one.
const MOST_HELD: usize = 1 << 16;

impl WindowStream {
    /// Holds the energy between two readings until the log has come so far.
    pub(super) fn hold(&mut self, difference: Difference) {
        self.held.push_back(difference);
        if self.held.len() > MOST_HELD {
            let pairs = self.held.make_contiguous().chunks(2);
            let merged = pairs.filter_map(|pair| pair.iter().copied().reduce(|a, b| a.and(&b)));
            self.held = merged.collect();
        }
        self.release();
    }

    /// Gives windows what was metered before the newest record.
    pub(super) fn release(&mut self) {
        if self.first_ns.is_none() {
            return;
        }
        while let Some(difference) = self.held.front().copied()
            && difference.end_ns <= self.newest_ns
        {
            self.held.pop_front();
            self.give(&difference);
        }
    }

    /// The log ends with the newest record: what was metered after it is outside.
    pub(super) fn release_all(&mut self) {
        while let Some(difference) = self.held.pop_front() {
            self.give(&difference);
        }
    }

    fn give(&mut self, difference: &Difference) {
        let Difference { start_ns, end_ns, energy_j, ns } = *difference;
        let Some(first_ns) = self.first_ns else { return };
        let length = (end_ns - start_ns) as f64;
        // Two readings at one moment have no length, and are either inside or not.
        let part = |from: u64, to: u64, is_moment: bool| match length > 0.0 {
            true => to.saturating_sub(from) as f64 / length,
            false => f64::from(u8::from(is_moment)),
        };
        let before = part(start_ns, end_ns.min(first_ns), end_ns < first_ns);
        let after = part(start_ns.max(self.newest_ns), end_ns, start_ns > self.newest_ns);
        if before > 0.0 {
            let time = (start_ns, end_ns.min(first_ns));
            self.before_log.add(time, energy_j * before, ns * before);
        }
        if after > 0.0 {
            let time = (start_ns.max(self.newest_ns), end_ns);
            self.after_log.add(time, energy_j * after, ns * after);
        }
        let inside = 1.0 - before - after;
        if inside > 0.0 {
            let last_ns = self.newest_ns.max(first_ns);
            let (from, to) = (start_ns.clamp(first_ns, last_ns), end_ns.clamp(first_ns, last_ns));
            self.spread(from, to, energy_j * inside, ns * inside);
        }
    }

    fn spread(&mut self, start_ns: u64, end_ns: u64, energy_j: f64, ns: f64) {
        let late = self.parts(start_ns, end_ns, |window, share| {
            window.energy_j += energy_j * share;
            window.metered_ns += ns * share;
            window.is_metered = true;
        });
        self.troubles.late_j += energy_j * late;
        self.late_metered_ns += ns * late;
        self.troubles.late += u64::from(late > 0.0);
    }
}
