//! The log's own time: where it begins, which records come too late, where its clock was
//! set, and where it ends.

use super::stream::WindowStream;
use super::window::RingPosition;

/// Number of late records in a row from which the clock is taken to have been set.
const LATE_IN_A_ROW: u64 = 64;
/// Number of ring lengths from which an interval is a jump of the clock.
const JUMP_RINGS: u64 = 64;
/// Windows without a record that a log may have per record, so that the output grows with the log,
/// not with the times in it.
const GAP_WINDOWS_PER_RECORD: u64 = 128;
/// Windows without a record that any log may have: nearly two hours of windows of 100 ms.
pub(super) const GAP_WINDOWS: u64 = 1 << 16;

impl WindowStream {
    /// Ends the log on the present clock: closes all windows.
    pub(super) fn end_log(&mut self) {
        self.release_all_energy();
        let end_ns = self.newest_ns;
        while self.ring.len() > 0 {
            self.close_oldest(end_ns);
        }
    }

    /// Whether a record is not too late for the ring; detects steps of the clock.
    pub(super) fn is_on_time(&mut self, at_ns: u64) -> bool {
        let window_ns = self.options.window_ns;
        let is_jump = self.first_ns.is_some()
            && at_ns
                > self.newest_ns.saturating_add(self.ring_span_ns().saturating_mul(JUMP_RINGS));
        if is_jump || !self.can_fill_gap(at_ns) {
            self.restart_after_clock_step(at_ns);
        }
        if self.ring.find_or_add(at_ns / window_ns) == RingPosition::Gone {
            self.troubles.late += 1;
            self.late_in_a_row += 1;
            if self.late_in_a_row < LATE_IN_A_ROW {
                return false;
            }
            self.restart_after_clock_step(at_ns);
        }
        self.late_in_a_row = 0;
        self.begin_log(at_ns);
        self.newest_ns = self.newest_ns.max(at_ns);
        self.release_energy();
        true
    }

    /// Whether the windows up to a record may be made; counts them against the windows without a
    /// record that the log may have.
    fn can_fill_gap(&mut self, at_ns: u64) -> bool {
        if self.first_ns.is_none() {
            return true;
        }
        let gap = at_ns.saturating_sub(self.newest_ns) / self.options.window_ns;
        self.gap_windows = self.gap_windows.saturating_add(GAP_WINDOWS_PER_RECORD).min(GAP_WINDOWS);
        match self.gap_windows.checked_sub(gap) {
            Some(left) => {
                self.gap_windows = left;
                true
            }
            None => gap <= GAP_WINDOWS_PER_RECORD,
        }
    }

    /// Extends the log back to `at_ns`, unless its first window was closed.
    pub(super) fn begin_log(&mut self, at_ns: u64) {
        if self.first_ns.is_none_or(|first| at_ns < first && !self.ring.has_closed()) {
            self.first_ns = Some(at_ns);
        }
    }

    fn ring_span_ns(&self) -> u64 {
        self.options.window_ns.saturating_mul(self.ring.capacity() as u64)
    }

    /// Closes all windows and starts anew at `at_ns`, after the clock was set.
    fn restart_after_clock_step(&mut self, at_ns: u64) {
        self.troubles.clock_steps += 1;
        self.end_log();
        let jumped = at_ns.saturating_sub(self.newest_ns) / self.options.window_ns;
        self.troubles.skipped_windows += jumped;
        self.ring.restart();
        self.cpus.fill(None);
        self.meters.iter_mut().for_each(|meter| meter.restart(at_ns));
        self.first_ns = Some(at_ns);
        self.newest_ns = at_ns;
        self.late_in_a_row = 0;
    }
}
