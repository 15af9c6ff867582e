//! The stream: records in, closed windows out; memory is that of the ring, and of readings
//! of meters that are ahead of the log.

use std::collections::VecDeque;

use wattline_units::power::MeterCounter;

use super::basis::SharingBasis;
use super::cpu::Cpu;
use super::log_time::GAP_WINDOWS;
use super::meter::{Difference, MeterId, MeterState};
use super::options::{EnergySource, StreamOptions};
use super::outside::Outside;
use super::trouble::Troubles;
use super::view::WindowView;
use super::window::Ring;

/// Gathers records in windows.
#[derive(Debug)]
pub struct WindowStream {
    pub(super) options: StreamOptions,
    pub(super) ring: Ring,
    pub(super) cpus: Vec<Option<Cpu>>,
    pub(super) meters: Vec<MeterState>,
    /// Energy that was metered after the newest record.
    pub(super) held: VecDeque<Difference>,
    pub(super) before_log: Outside,
    pub(super) after_log: Outside,
    /// Metered time whose energy came too late, summed over meters.
    pub(super) late_metered_ns: f64,
    pub(super) closed: VecDeque<WindowView>,
    pub(super) total: WindowView,
    pub(super) troubles: Troubles,
    pub(super) first_ns: Option<u64>,
    pub(super) newest_ns: u64,
    pub(super) late_in_a_row: u64,
    /// Windows without a record that may still come.
    pub(super) gap_windows: u64,
}

impl WindowStream {
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
            total: WindowView::empty(),
            troubles: Troubles::default(),
            first_ns: None,
            newest_ns: 0,
            late_in_a_row: 0,
            gap_windows: GAP_WINDOWS,
        }
    }

    /// Adds a meter.
    pub fn meter(&mut self, name: &str, counter: MeterCounter) -> MeterId {
        self.meters.push(MeterState::new(name.to_owned(), counter));
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
    pub fn set_cycles(&mut self, cycles: SharingBasis) {
        self.options.cycles = cycles;
    }

    /// Takes another source of energy, before the first record.
    pub fn set_energy(&mut self, energy: EnergySource) {
        self.options.energy = energy;
    }

    /// How it works.
    #[must_use]
    pub fn options(&self) -> &StreamOptions {
        &self.options
    }

    /// The next window that has left the ring.
    pub fn next_closed(&mut self) -> Option<WindowView> {
        self.closed.pop_front()
    }

    /// All windows that have left the ring.
    #[must_use]
    pub fn total(&self) -> &WindowView {
        &self.total
    }
}
