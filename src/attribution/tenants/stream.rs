//! The stream: records in, closed windows out; memory is that of the ring, and of readings
//! of meters that are ahead of the log.

use std::collections::VecDeque;

use crate::power::Counter;

use super::charge::Used;
use super::cpu::Cpu;
use super::meter::{Difference, Meter, MeterId};
use super::options::{Counting, Energy, StreamOptions};
use super::outside::Outside;
use super::record::Record;
use super::trouble::Troubles;
use super::view::{Basis, View};
use super::window::{Place, Ring};

/// So many late records in a row mean that the clock was set, not that they are late.
const LATE_IN_A_ROW: u64 = 64;
/// An interval of more rings than this is a jump of the clock.
const JUMP_RINGS: u64 = 64;

/// Gathers records in windows.
#[derive(Debug)]
pub struct Stream {
    pub(super) options: StreamOptions,
    pub(super) ring: Ring,
    pub(super) cpus: Vec<Option<Cpu>>,
    pub(super) meters: Vec<Meter>,
    /// Energy that was metered after the newest record.
    pub(super) held: VecDeque<Difference>,
    pub(super) before_log: Outside,
    pub(super) after_log: Outside,
    /// Metered time whose energy came too late, summed over meters.
    pub(super) late_metered_ns: f64,
    pub(super) closed: VecDeque<View>,
    pub(super) total: View,
    pub(super) troubles: Troubles,
    pub(super) first_ns: Option<u64>,
    pub(super) newest_ns: u64,
    late_in_a_row: u64,
}

impl Stream {
    /// Begins.
    #[must_use]
    pub fn new(options: StreamOptions) -> Self {
        let options = StreamOptions { window_ns: options.window_ns.max(1), ..options };
        Self {
            // The window that is under way is not one of those that are over.
            ring: Ring::new(options.ring.saturating_add(1)),
            options,
            cpus: Vec::new(),
            meters: Vec::new(),
            held: VecDeque::new(),
            before_log: Outside::default(),
            after_log: Outside::default(),
            late_metered_ns: 0.0,
            closed: VecDeque::new(),
            total: View::empty(),
            troubles: Troubles::default(),
            first_ns: None,
            newest_ns: 0,
            late_in_a_row: 0,
        }
    }

    /// Adds a meter.
    pub fn meter(&mut self, name: &str, counter: Counter) -> MeterId {
        self.meters.push(Meter::new(name.to_owned(), counter));
        MeterId(self.meters.len() - 1)
    }

    /// Names of the meters.
    pub fn meters(&self) -> impl Iterator<Item = &str> {
        self.meters.iter().map(|meter| meter.name.as_str())
    }

    /// What went less well, so far.
    #[must_use]
    pub fn troubles(&self) -> &Troubles {
        &self.troubles
    }

    /// The same, for inputs to count in.
    pub fn troubles_mut(&mut self) -> &mut Troubles {
        &mut self.troubles
    }

    /// The newest record's time in ns; readings of meters don't count.
    #[must_use]
    pub fn newest_ns(&self) -> u64 {
        self.newest_ns
    }

    /// The first record's time in ns; `None` before it. Readings of meters don't count.
    #[must_use]
    pub fn first_ns(&self) -> Option<u64> {
        self.first_ns
    }

    /// What cycles are, once an input knows.
    pub fn set_cycles(&mut self, cycles: Basis) {
        self.options.cycles = cycles;
    }

    /// Takes another source of energy, before the first record.
    pub fn set_energy(&mut self, energy: Energy) {
        self.options.energy = energy;
    }

    /// How it works.
    #[must_use]
    pub fn options(&self) -> &StreamOptions {
        &self.options
    }

    /// The next window that has left the ring.
    pub fn next_closed(&mut self) -> Option<View> {
        self.closed.pop_front()
    }

    /// All windows that have left the ring.
    #[must_use]
    pub fn total(&self) -> &View {
        &self.total
    }

    /// The last `windows` of the ring whose time is over, as far as they are known by now.
    #[must_use]
    pub fn recent(&self, windows: usize) -> View {
        let now = self.newest_ns / self.options.window_ns;
        let over = self.ring.iter().rev().filter(|(number, _)| *number < now).take(windows);
        let mut view = View::empty();
        for (number, window) in over {
            view.add(&self.settled(number, window, self.newest_ns));
        }
        view
    }

    /// Takes in a record.
    pub fn take(&mut self, record: Record) {
        self.troubles.records += 1;
        match record {
            Record::Switch { at_ns, cpu, outgoing, incoming, counts } => {
                if self.is_on_time(at_ns) {
                    self.switch(at_ns, cpu, outgoing, incoming, counts);
                } else if self.options.counting == Counting::Cleared {
                    let cycles = counts.and_then(|counts| counts.cycles);
                    self.troubles.late_cycles += cycles.unwrap_or(0.0);
                }
            }
            Record::Use { start_ns, end_ns, tenant, cpu_ns, counts } => {
                if self.is_on_time(end_ns) {
                    self.begins(start_ns);
                    let used = Used { tenant, cpu_ns, counts };
                    self.charge(start_ns, end_ns, &used);
                }
            }
            Record::Energy { at_ns, meter, reading } => self.energy(at_ns, meter, reading),
            Record::Hotplug { at_ns, cpu, is_online } => self.hotplug(at_ns, cpu, is_online),
            Record::Lost { cpu, records } => self.lost(cpu, records),
        }
    }

    /// Closes all windows: nothing more comes. CPUs' time runs to the last record.
    pub fn finish(&mut self) {
        self.end_log();
        if self.troubles.late_j != 0.0 {
            let late_s = self.late_metered_ns * 1e-9 / self.meters.len().max(1) as f64;
            self.total.add_unattributed(self.troubles.late_j, late_s);
        }
        for outside in [self.before_log, self.after_log] {
            if outside.is_some() {
                let view = View::outside(&outside, self.meters.len());
                self.total.add(&view);
                self.closed.push_back(view);
            }
        }
    }

    /// Nothing more comes of this clock.
    fn end_log(&mut self) {
        self.release_all();
        let end_ns = self.newest_ns;
        while self.ring.len() > 0 {
            self.close(end_ns);
        }
    }

    /// Whether a record is young enough; finds steps of the clock.
    pub(super) fn is_on_time(&mut self, at_ns: u64) -> bool {
        let window_ns = self.options.window_ns;
        let is_jump = self.first_ns.is_some()
            && at_ns > self.newest_ns.saturating_add(self.span_ns() * JUMP_RINGS);
        if is_jump {
            self.clock_step(at_ns);
        }
        if self.ring.place(at_ns / window_ns) == Place::Gone {
            self.troubles.late += 1;
            self.late_in_a_row += 1;
            if self.late_in_a_row < LATE_IN_A_ROW {
                return false;
            }
            self.clock_step(at_ns);
        }
        self.late_in_a_row = 0;
        self.begins(at_ns);
        self.newest_ns = self.newest_ns.max(at_ns);
        self.release();
        true
    }

    /// The log reaches back to here, unless its first window has left.
    fn begins(&mut self, at_ns: u64) {
        if self.first_ns.is_none_or(|first| at_ns < first && !self.ring.has_closed()) {
            self.first_ns = Some(at_ns);
        }
    }

    fn span_ns(&self) -> u64 {
        self.options.window_ns.saturating_mul(self.ring.capacity() as u64)
    }

    /// The clock was set: what is held is closed, and all starts anew.
    fn clock_step(&mut self, at_ns: u64) {
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
