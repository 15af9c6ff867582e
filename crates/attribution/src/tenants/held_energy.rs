//! What meters read, against the log of who ran: energy between its first record and its
//! last goes to windows; what was metered before and after is nobody's, and told apart.

use super::meter::MeteredEnergy;
use super::stream::WindowStream;

/// Largest number of metered energies held for later records; beyond it neighbours are joined.
const MOST_HELD: usize = 1 << 16;

impl WindowStream {
    /// Holds the energy between two readings until the log has reached them.
    pub(super) fn hold_energy(&mut self, difference: MeteredEnergy) {
        self.held.push_back(difference);
        if self.held.len() > MOST_HELD {
            let pairs = self.held.make_contiguous().chunks(2);
            let merged =
                pairs.filter_map(|pair| pair.iter().copied().reduce(|a, b| a.joined_with(&b)));
            self.held = merged.collect();
        }
        self.release_energy();
    }

    /// Shares the held energy before the newest record among windows.
    pub(super) fn release_energy(&mut self) {
        if self.first_ns.is_none() {
            return;
        }
        while let Some(difference) = self.held.front().copied()
            && difference.end_ns <= self.newest_ns
        {
            self.held.pop_front();
            self.share_metered_energy(&difference);
        }
    }

    /// Shares all held energy at the end of the log: energy after the newest record is outside of
    /// the log.
    pub(super) fn release_all_energy(&mut self) {
        while let Some(difference) = self.held.pop_front() {
            self.share_metered_energy(&difference);
        }
    }

    fn share_metered_energy(&mut self, difference: &MeteredEnergy) {
        let MeteredEnergy { start_ns, end_ns, energy_j, ns } = *difference;
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
            self.spread_evenly(from, to, energy_j * inside, ns * inside);
        }
    }

    fn spread_evenly(&mut self, start_ns: u64, end_ns: u64, energy_j: f64, ns: f64) {
        let late = self.share_among_windows(start_ns, end_ns, |window, share| {
            window.energy_j += energy_j * share;
            window.metered_ns += ns * share;
            window.is_metered = true;
        });
        self.troubles.late_j += energy_j * late;
        self.late_metered_ns += ns * late;
        self.troubles.late += u64::from(late > 0.0);
    }
}
