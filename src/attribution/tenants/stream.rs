//! The stream: records in, closed windows out; memory is that of the ring.

use std::collections::{BTreeMap, VecDeque};

use crate::attribution::{Capacity, Split};
use crate::power::Counter;

use super::cpu::Cpu;
use super::meter::{Meter, MeterId};
use super::names::TenantId;
use super::record::{Counts, Record, Runner};
use super::trouble::Troubles;
use super::view::{Basis, View};
use super::window::{Place, Ring, Tally, Window};

/// In which window a record counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charging {
    /// Evenly over the time since the last record: a tenant that runs through several
    /// windows counts in each.
    Spread,
    /// Whole, in the window of its own time: XeMPower's way.
    Whole,
}

/// What counters show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// The count since the last switch: they are cleared at each.
    Cleared,
    /// They run on, and wrap after so many bits.
    Running {
        /// 40 or 48 on Intel.
        bits: u32,
    },
}

/// Where a window's energy comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Energy {
    /// Readings of meters in the stream.
    Meters,
    /// No meter, but a stated model: so much when no CPU is busy, so much when all are.
    Stated {
        /// Watts when idle.
        idle_w: f64,
        /// Watts when all CPUs are busy.
        busy_w: f64,
    },
    /// None: shares only.
    None,
}

/// How a stream works.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamOptions {
    /// Length of a window in ns.
    pub window_ns: u64,
    /// Windows held for late records and views.
    pub ring: usize,
    /// In which window a record counts.
    pub charging: Charging,
    /// What counters show.
    pub counting: Counting,
    /// Where energy comes from.
    pub energy: Energy,
    /// What cycles are, if any record has them.
    pub cycles: Basis,
    /// Weight of a second of idle CPU against a busy one, where CPU time is the weight: 0
    /// as halted time has no unhalted cycles.
    pub idle_weight: f64,
}

impl Default for StreamOptions {
    /// The paper's windows of 100 ms in a ring of 100.
    fn default() -> Self {
        Self {
            window_ns: 100_000_000,
            ring: 100,
            charging: Charging::Spread,
            counting: Counting::Cleared,
            energy: Energy::Meters,
            cycles: Basis::Cycles,
            idle_weight: 0.0,
        }
    }
}

/// CPUs that can be told apart; a larger number in a log is damage.
const MOST_CPUS: u32 = 8192;
/// So many late records in a row mean that the clock was set, not that they are late.
const LATE_IN_A_ROW: u64 = 64;
/// An interval of more rings than this is a jump of the clock.
const JUMP_RINGS: u64 = 64;

/// Gathers records in windows.
#[derive(Debug)]
pub struct Stream {
    options: StreamOptions,
    ring: Ring,
    cpus: Vec<Option<Cpu>>,
    meters: Vec<Meter>,
    closed: VecDeque<View>,
    total: View,
    troubles: Troubles,
    first_ns: Option<u64>,
    newest_ns: u64,
    late_in_a_row: u64,
}

impl Stream {
    /// Begins.
    #[must_use]
    pub fn new(options: StreamOptions) -> Self {
        let options = StreamOptions { window_ns: options.window_ns.max(1), ..options };
        Self {
            ring: Ring::new(options.ring),
            options,
            cpus: Vec::new(),
            meters: Vec::new(),
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

    /// The newest record's time in ns.
    #[must_use]
    pub fn newest_ns(&self) -> u64 {
        self.newest_ns
    }

    /// The first record's time in ns; `None` before it.
    #[must_use]
    pub fn first_ns(&self) -> Option<u64> {
        self.first_ns
    }

    /// What cycles are, once an input knows.
    pub fn set_cycles(&mut self, cycles: Basis) {
        self.options.cycles = cycles;
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
        let end_ns = self.newest_ns;
        while self.ring.len() > 0 {
            self.close(end_ns);
        }
        if self.troubles.late_j != 0.0 {
            self.total.add_unattributed(self.troubles.late_j);
        }
    }

    /// Whether a record is young enough; finds steps of the clock.
    fn is_on_time(&mut self, at_ns: u64) -> bool {
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
        let end_ns = self.newest_ns;
        while self.ring.len() > 0 {
            self.close(end_ns);
        }
        let jumped = at_ns.saturating_sub(end_ns) / self.options.window_ns;
        self.troubles.skipped_windows += jumped;
        self.ring.restart();
        self.cpus.fill(None);
        self.meters.iter_mut().for_each(Meter::restart);
        self.first_ns = Some(at_ns);
        self.newest_ns = at_ns;
        self.late_in_a_row = 0;
    }

    fn cpu(&mut self, cpu: u32) -> Option<&mut Option<Cpu>> {
        if cpu >= MOST_CPUS {
            self.troubles.unreadable += 1;
            return None;
        }
        let index = cpu as usize;
        if index >= self.cpus.len() {
            self.cpus.resize(index + 1, None);
        }
        Some(&mut self.cpus[index])
    }

    fn switch(
        &mut self,
        at_ns: u64,
        cpu: u32,
        outgoing: Option<Runner>,
        incoming: Option<Runner>,
        counts: Option<Counts>,
    ) {
        let first_ns = self.first_ns.unwrap_or(at_ns);
        let counting = self.options.counting;
        let Some(slot) = self.cpu(cpu) else { return };
        let is_first = slot.is_none();
        // The runner of a CPU's first switch has been there since the log began.
        let mut state = slot.unwrap_or_else(|| Cpu::since(first_ns.min(at_ns)));
        if at_ns < state.last_ns {
            self.troubles.disordered += 1;
            let tenant = outgoing.map_or(TenantId::NOBODY, |runner| runner.tenant);
            let counts = counts.filter(|_| counting == Counting::Cleared);
            return self.charge(at_ns, at_ns, &Used { tenant, cpu_ns: 0.0, counts });
        }
        let tenant = state.leaving(outgoing, &mut self.troubles);
        let has_counts = counts.is_some();
        let counts = match (counts, counting) {
            (Some(counts), Counting::Running { bits }) => {
                state.difference(counts, bits, &mut self.troubles)
            }
            (counts, _) => counts.filter(|_| !is_first),
        };
        self.troubles.opening += u64::from(is_first && has_counts);
        // What leaves the ring meanwhile must not charge this time again.
        if let Some(Some(state)) = self.cpus.get_mut(cpu as usize) {
            state.charged_ns = state.charged_ns.max(at_ns);
        }
        if !state.is_offline {
            let from = state.charged_ns.min(at_ns);
            let cpu_ns = (at_ns - from) as f64;
            if tenant == TenantId::NOBODY {
                self.troubles.unknown_ns += cpu_ns;
            }
            if from == state.last_ns {
                self.charge(from, at_ns, &Used { tenant, cpu_ns, counts });
            } else {
                self.charge(from, at_ns, &Used { tenant, cpu_ns, counts: None });
                self.charge(state.last_ns, at_ns, &Used { tenant, cpu_ns: 0.0, counts });
            }
        }
        self.count_switch(at_ns, tenant);
        let raw = state.raw;
        self.cpus[cpu as usize] = Some(Cpu { running: incoming, raw, ..Cpu::since(at_ns) });
    }

    fn count_switch(&mut self, at_ns: u64, tenant: TenantId) {
        if let Place::Held(position) = self.ring.place(at_ns / self.options.window_ns) {
            self.ring.at(position).tally(tenant).switches += 1;
        }
    }

    fn hotplug(&mut self, at_ns: u64, cpu: u32, is_online: bool) {
        self.troubles.hotplugs += 1;
        if !self.is_on_time(at_ns) {
            return;
        }
        let Some(slot) = self.cpu(cpu) else { return };
        let before = *slot;
        *slot = Some(Cpu { is_offline: !is_online, ..Cpu::since(at_ns) });
        // Who ran until it went off line is charged as if it had been switched.
        if let Some(state) = before.filter(|state| !is_online && !state.is_offline)
            && let Some(runner) = state.running
            && state.charged_ns < at_ns
        {
            let cpu_ns = (at_ns - state.charged_ns) as f64;
            self.charge(
                state.charged_ns,
                at_ns,
                &Used { tenant: runner.tenant, cpu_ns, counts: None },
            );
        }
    }

    fn lost(&mut self, cpu: Option<u32>, records: u64) {
        self.troubles.lost += records;
        let mark = |state: &mut Cpu| (state.running, state.is_lossy) = (None, true);
        match cpu {
            Some(cpu) => self.cpus.get_mut(cpu as usize).into_iter().flatten().for_each(mark),
            None => self.cpus.iter_mut().flatten().for_each(mark),
        }
    }

    fn energy(&mut self, at_ns: u64, meter: MeterId, reading: u64) {
        if !self.is_on_time(at_ns) {
            return;
        }
        let Some(meter) = self.meters.get_mut(meter.0) else { return };
        let Some(difference) = meter.read(at_ns, reading, &mut self.troubles) else { return };
        let (start_ns, end_ns) = (difference.start_ns, difference.end_ns);
        let late = self.parts(start_ns, end_ns, |window, share, ns| {
            window.energy_j += difference.energy_j * share;
            window.metered_ns += ns;
            window.is_metered = true;
        });
        self.troubles.late_j += difference.energy_j * late;
        self.troubles.late += u64::from(late > 0.0);
    }

    fn charge(&mut self, start_ns: u64, end_ns: u64, used: &Used) {
        if used.cpu_ns == 0.0 && used.counts.is_none() {
            return;
        }
        let late = self.parts(start_ns, end_ns, |window, share, _| {
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

    /// Gives each window that an interval touches its part of it (of 1, and in ns);
    /// returns the part that came too late.
    fn parts(
        &mut self,
        start_ns: u64,
        end_ns: u64,
        mut give: impl FnMut(&mut Window, f64, f64),
    ) -> f64 {
        let width = self.options.window_ns;
        let length = end_ns.saturating_sub(start_ns);
        let last = end_ns / width;
        let is_whole = self.options.charging == Charging::Whole || length == 0;
        if is_whole || start_ns / width == last {
            return match self.held(last) {
                Some(position) => {
                    give(self.ring.at(position), 1.0, length as f64);
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
                Some(position) => give(self.ring.at(position), share, (to - from) as f64),
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
                Place::Held(position) => return Some(position),
                Place::Gone => return None,
                Place::Full => self.close(u64::MAX),
            }
        }
    }

    /// The oldest window leaves the ring; the log is known to run to `end_ns`.
    fn close(&mut self, end_ns: u64) {
        let Some((number, window)) = self.ring.pop() else { return };
        let view = self.settled(number, &window, end_ns);
        let until = number.saturating_add(1).saturating_mul(self.options.window_ns);
        for cpu in self.cpus.iter_mut().flatten() {
            if cpu.running.is_some() && cpu.charged_ns < until {
                cpu.charged_ns = until;
            }
        }
        self.ring.recycle(window);
        self.total.add(&view);
        self.closed.push_back(view);
    }

    /// A window with the time of those who still run, up to `now_ns`.
    fn settled(&self, number: u64, window: &Window, now_ns: u64) -> View {
        let width = self.options.window_ns;
        let start_ns = number.saturating_mul(width).max(self.first_ns.unwrap_or(0));
        let end_ns = number.saturating_add(1).saturating_mul(width).min(now_ns.max(start_ns));
        let mut tallies: BTreeMap<TenantId, Tally> =
            window.used().map(|(tenant, tally)| (tenant, *tally)).collect();
        let is_spread = self.options.charging == Charging::Spread;
        for cpu in self.cpus.iter().flatten().filter(|cpu| is_spread && !cpu.is_offline) {
            let from = cpu.charged_ns.max(start_ns);
            if let Some(runner) = cpu.running.filter(|_| from < end_ns) {
                tallies.entry(runner.tenant).or_default().cpu_ns += (end_ns - from) as f64;
            }
        }
        self.shared(start_ns, end_ns, tallies, window)
    }

    /// Shares a window's energy.
    fn shared(
        &self,
        start_ns: u64,
        end_ns: u64,
        tallies: BTreeMap<TenantId, Tally>,
        window: &Window,
    ) -> View {
        let cycles = tallies.values().map(|tally| tally.cycles).sum::<f64>();
        let busy_ns = |(tenant, tally): (&TenantId, &Tally)| {
            let weight = if *tenant == TenantId::IDLE { self.options.idle_weight } else { 1.0 };
            tally.cpu_ns * weight
        };
        let (basis, weights): (Basis, Vec<(TenantId, f64)>) = match window.is_counted {
            true => {
                (self.options.cycles, tallies.iter().map(|(t, tally)| (*t, tally.cycles)).collect())
            }
            false => (Basis::CpuTime, tallies.iter().map(|row| (*row.0, busy_ns(row))).collect()),
        };
        let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
        let basis =
            if sum > 0.0 && (cycles > 0.0 || !window.is_counted) { basis } else { Basis::Nothing };
        let known = weights.into_iter().filter(|(tenant, _)| *tenant != TenantId::NOBODY);
        let split = |energy_j: f64| {
            // Weights and energies are finite and at least 0 by construction; anything else
            // belongs to nobody.
            let split = Split::by_weight(energy_j, known.clone(), Capacity::Total(sum));
            split.unwrap_or_else(|_| Split::unattributed(energy_j))
        };
        let seconds = end_ns.saturating_sub(start_ns) as f64 * 1e-9;
        let energy = match self.options.energy {
            Energy::Meters => window.is_metered.then(|| split(window.energy_j)),
            Energy::Stated { idle_w, busy_w } => {
                let busy: f64 = tallies
                    .iter()
                    .filter(|(t, _)| **t != TenantId::IDLE)
                    .map(|(_, t)| t.cpu_ns)
                    .sum();
                let all: f64 = tallies.values().map(|tally| tally.cpu_ns).sum();
                let part = if all > 0.0 { busy / all } else { 0.0 };
                Some(split((idle_w + (busy_w - idle_w) * part) * seconds))
            }
            Energy::None => None,
        };
        let meters = self.meters.len().max(1) as f64;
        View {
            start_ns,
            end_ns,
            windows: 1,
            metered_s: window.is_metered.then(|| window.metered_ns * 1e-9 / meters),
            shares: split(1.0),
            energy,
            tallies,
            bases: [(basis, 1)].into(),
        }
    }
}

/// What is to be charged.
struct Used {
    tenant: TenantId,
    cpu_ns: f64,
    counts: Option<Counts>,
}
