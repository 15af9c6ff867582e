//! Charging: what is used goes to the windows it was used in, and the oldest windows leave.

use std::collections::BTreeMap;

use super::names::TenantId;
use super::options::Charging;
use super::record::Counts;
use super::share::share;
use super::stream::WindowStream;
use super::view::WindowView;
use super::window::{RingPosition, TenantTally, TumblingWindow};

/// What is to be charged.
pub(super) struct UsedEnergy {
    pub tenant: TenantId,
    pub cpu_ns: f64,
    pub counts: Option<Counts>,
}

impl WindowStream {
    /// The last `windows` of the ring whose time is over, as far as they are known by now.
    #[must_use]
    pub fn recent(&self, windows: usize) -> WindowView {
        let now = self.newest_ns / self.options.window_ns;
        let over = self.ring.iter().rev().filter(|(number, _)| *number < now).take(windows);
        let mut view = WindowView::empty();
        for (number, window) in over {
            view.add(&self.settled(number, window, self.newest_ns));
        }
        view
    }

    pub(super) fn charge(&mut self, start_ns: u64, end_ns: u64, used: &UsedEnergy) {
        if used.cpu_ns == 0.0 && used.counts.is_none() {
            return;
        }
        let late = self.parts(start_ns, end_ns, |window, share| {
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

    /// Gives each window that an interval touches its part of it, of 1;
    /// returns the part that came too late.
    pub(super) fn parts(
        &mut self,
        start_ns: u64,
        end_ns: u64,
        mut give: impl FnMut(&mut TumblingWindow, f64),
    ) -> f64 {
        let width = self.options.window_ns;
        let length = end_ns.saturating_sub(start_ns);
        let last = end_ns / width;
        let is_whole = self.options.charging == Charging::Whole || length == 0;
        if is_whole || start_ns / width == last {
            return match self.held(last) {
                Some(position) => {
                    give(self.ring.at(position), 1.0);
                    0.0
                }
                None => 1.0,
            };
        }
        let mut late = 0.0;
        let mut from = start_ns;
        // What lies before the ring is one piece, however long.
        let base_ns = self.ring.base.saturating_mul(width);
        if from < base_ns && self.held(from / width).is_none() {
            let base_ns = self.ring.base.saturating_mul(width).min(end_ns);
            late = (base_ns - from) as f64 / length as f64;
            from = base_ns;
        }
        while from < end_ns {
            let number = from / width;
            let to = (number + 1).saturating_mul(width).min(end_ns);
            let share = (to - from) as f64 / length as f64;
            match self.held(number) {
                Some(position) => give(self.ring.at(position), share),
                None => late += share,
            }
            from = to;
        }
        late
    }

    /// The position of a window, which may make older ones leave.
    fn held(&mut self, number: u64) -> Option<usize> {
        loop {
            match self.ring.place(number) {
                RingPosition::Held(position) => return Some(position),
                RingPosition::Gone => return None,
                RingPosition::Full => self.close(u64::MAX),
            }
        }
    }

    /// The oldest window leaves the ring; the log is known to run to `end_ns`.
    pub(super) fn close(&mut self, end_ns: u64) {
        let Some((number, window)) = self.ring.pop() else { return };
        let view = self.settled(number, &window, end_ns);
        let until = number.saturating_add(1).saturating_mul(self.options.window_ns);
        // Who still runs has paid for this window now.
        let is_spread = self.options.charging == Charging::Spread;
        for cpu in self.cpus.iter_mut().flatten().filter(|cpu| is_spread && cpu.running.is_some()) {
            cpu.charged_ns = cpu.charged_ns.max(until);
        }
        // The log may end just where a window would begin.
        let is_empty = window.used().next().is_none() && !window.is_metered;
        let is_nothing = view.end_ns <= view.start_ns && is_empty;
        self.ring.recycle(window);
        if !is_nothing {
            self.total.add(&view);
            self.closed.push_back(view);
        }
    }

    /// A window with the time of those who still run, up to `now_ns`.
    pub(super) fn settled(&self, number: u64, window: &TumblingWindow, now_ns: u64) -> WindowView {
        let width = self.options.window_ns;
        let start_ns = number.saturating_mul(width).max(self.first_ns.unwrap_or(0));
        let end_ns = number.saturating_add(1).saturating_mul(width).min(now_ns.max(start_ns));
        let mut tallies: BTreeMap<TenantId, TenantTally> =
            window.used().map(|(tenant, tally)| (tenant, *tally)).collect();
        let is_spread = self.options.charging == Charging::Spread;
        for cpu in self.cpus.iter().flatten().filter(|cpu| is_spread && !cpu.is_offline) {
            let from = cpu.charged_ns.max(start_ns);
            if let Some(runner) = cpu.running.filter(|_| from < end_ns) {
                tallies.entry(runner.tenant).or_default().cpu_ns += (end_ns - from) as f64;
            }
        }
        share(&self.options, self.meters.len(), (start_ns, end_ns), tallies, window)
    }
}
