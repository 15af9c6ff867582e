//! Charging: what is used goes to the windows it was used in, and the oldest windows leave.

use std::collections::BTreeMap;

use super::names::TenantId;
use super::options::RecordWindow;
use super::record::Counts;
use super::share::share_window;
use super::stream::WindowStream;
use super::view::WindowView;
use super::window::{RingPosition, TenantTally, TumblingWindow};

/// CPU time and counts of a tenant, to be charged to windows.
pub(super) struct CpuUsage {
    pub tenant: TenantId,
    pub cpu_ns: f64,
    pub counts: Option<Counts>,
}

impl WindowStream {
    /// Returns the view of the last `windows` complete windows in the ring, as far as they are
    /// known.
    #[must_use]
    pub fn recent_windows(&self, windows: usize) -> WindowView {
        let now = self.newest_ns / self.options.window_ns;
        let over = self.ring.iter().rev().filter(|(number, _)| *number < now).take(windows);
        let mut view = WindowView::empty();
        for (number, window) in over {
            view.add(&self.with_running_time(number, window, self.newest_ns));
        }
        view
    }

    pub(super) fn charge(&mut self, start_ns: u64, end_ns: u64, used: &CpuUsage) {
        if used.cpu_ns == 0.0 && used.counts.is_none() {
            return;
        }
        let late = self.share_among_windows(start_ns, end_ns, |window, share| {
            let tally = window.tally(used.tenant);
            tally.cpu_ns += used.cpu_ns * share;
            if let Some(counts) = &used.counts {
                tally.add_counts(counts, share);
                window.is_counted |= counts.cycles.is_some();
            }
        });
        if late > 0.0 {
            self.troubles.late += 1;
            self.troubles.late_ns += used.cpu_ns * late;
            let cycles = used.counts.and_then(|counts| counts.cycles);
            self.troubles.late_cycles += cycles.unwrap_or(0.0) * late;
        }
    }

    /// Calls `give` for each window that an interval touches, with its share of the interval;
    /// returns the share that is too late for the ring.
    pub(super) fn share_among_windows(
        &mut self,
        start_ns: u64,
        end_ns: u64,
        mut give: impl FnMut(&mut TumblingWindow, f64),
    ) -> f64 {
        let width = self.options.window_ns;
        let length = end_ns.saturating_sub(start_ns);
        let last = end_ns / width;
        let is_whole = self.options.charging == RecordWindow::Whole || length == 0;
        if is_whole || start_ns / width == last {
            return match self.held_position(last) {
                Some(position) => {
                    give(self.ring.window_at(position), 1.0);
                    0.0
                }
                None => 1.0,
            };
        }
        let mut late = 0.0;
        let mut from = start_ns;
        // What lies before the ring is one piece, however long.
        let base_ns = self.ring.base.saturating_mul(width);
        if from < base_ns && self.held_position(from / width).is_none() {
            let base_ns = self.ring.base.saturating_mul(width).min(end_ns);
            late = (base_ns - from) as f64 / length as f64;
            from = base_ns;
        }
        while from < end_ns {
            let number = from / width;
            let to = (number + 1).saturating_mul(width).min(end_ns);
            let share = (to - from) as f64 / length as f64;
            match self.held_position(number) {
                Some(position) => give(self.ring.window_at(position), share),
                None => late += share,
            }
            from = to;
        }
        late
    }

    /// Returns the position of a window in the ring, after closing older windows where it is full;
    /// `None` for a window that was closed.
    fn held_position(&mut self, number: u64) -> Option<usize> {
        loop {
            match self.ring.find_or_add(number) {
                RingPosition::Held(position) => return Some(position),
                RingPosition::Gone => return None,
                RingPosition::Full => self.close_oldest(u64::MAX),
            }
        }
    }

    /// Closes the oldest window of the ring; the log is known up to `end_ns`.
    pub(super) fn close_oldest(&mut self, end_ns: u64) {
        let Some((number, window)) = self.ring.pop() else { return };
        let view = self.with_running_time(number, &window, end_ns);
        let until = number.saturating_add(1).saturating_mul(self.options.window_ns);
        // Who still runs has paid for this window now.
        let is_spread = self.options.charging == RecordWindow::Spread;
        for cpu in self.cpus.iter_mut().flatten().filter(|cpu| is_spread && cpu.running.is_some()) {
            cpu.charged_ns = cpu.charged_ns.max(until);
        }
        // The log may end just where a window would begin.
        let is_empty = window.tenant_tallies().next().is_none() && !window.is_metered;
        let is_nothing = view.end_ns <= view.start_ns && is_empty;
        self.ring.recycle(window);
        if !is_nothing {
            self.total.add(&view);
            self.closed.push_back(view);
        }
    }

    /// Returns the view of a window with the time of the tenants that still run, up to `now_ns`.
    pub(super) fn with_running_time(
        &self,
        number: u64,
        window: &TumblingWindow,
        now_ns: u64,
    ) -> WindowView {
        let width = self.options.window_ns;
        let start_ns = number.saturating_mul(width).max(self.first_ns.unwrap_or(0));
        let end_ns = number.saturating_add(1).saturating_mul(width).min(now_ns.max(start_ns));
        let mut tallies: BTreeMap<TenantId, TenantTally> =
            window.tenant_tallies().map(|(tenant, tally)| (tenant, *tally)).collect();
        let is_spread = self.options.charging == RecordWindow::Spread;
        for cpu in self.cpus.iter().flatten().filter(|cpu| is_spread && !cpu.is_offline) {
            let from = cpu.charged_ns.max(start_ns);
            if let Some(runner) = cpu.running.filter(|_| from < end_ns) {
                tallies.entry(runner.tenant).or_default().cpu_ns += (end_ns - from) as f64;
            }
        }
        share_window(&self.options, self.meters.len(), (start_ns, end_ns), tallies, window)
    }
}
