//! The stream: records in, closed windows out; memory is that of the ring, and of readings
//! of meters that are ahead of the log.

use std::collections::VecDeque;

use wattline_units::power::MeterCounter;

use super::basis::SharingBasis;
use super::cpu::Cpu;
use super::log_time::GAP_WINDOWS;
use super::meter::{MeterId, MeterState, MeteredEnergy};
use super::options::{EnergySource, StreamOptions};
use super::outside_log::OutsideEnergy;
use super::trouble::Troubles;
use super::view::WindowView;
use super::window::WindowRing;

/// Stream that collects records in windows and shares their energy.
#[derive(Debug)]
pub struct WindowStream {
    pub(super) options: StreamOptions,
    pub(super) ring: WindowRing,
    pub(super) cpus: Vec<Option<Cpu>>,
    pub(super) meters: Vec<MeterState>,
    /// Energy that was metered after the newest record.
    pub(super) held: VecDeque<MeteredEnergy>,
    pub(super) before_log: OutsideEnergy,
    pub(super) after_log: OutsideEnergy,
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
    /// Creates a stream without records and meters.
    #[must_use]
    pub fn new(options: StreamOptions) -> Self {
        let options = StreamOptions { window_ns: options.window_ns.max(1), ..options };
        Self {
            // The window that is under way is not one of those that are over.
            ring: WindowRing::new(options.ring.saturating_add(1)),
            options,
            cpus: Vec::new(),
            meters: Vec::new(),
            held: VecDeque::new(),
            before_log: OutsideEnergy::default(),
            after_log: OutsideEnergy::default(),
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

    /// Adds a meter; returns its number.
    pub fn add_meter(&mut self, name: &str, counter: MeterCounter) -> MeterId {
        self.meters.push(MeterState::new(name.to_owned(), counter));
        MeterId(self.meters.len() - 1)
    }

    /// Returns the names of the meters.
    pub fn meter_names(&self) -> impl Iterator<Item = &str> {
        self.meters.iter().map(|meter| meter.name.as_str())
    }

    /// Returns the counts of troubles so far.
    #[must_use]
    pub fn troubles(&self) -> &Troubles {
        &self.troubles
    }

    /// Returns the counts of troubles, for inputs to add to.
    pub fn troubles_mut(&mut self) -> &mut Troubles {
        &mut self.troubles
    }

    /// Returns the newest record's time in nanoseconds; readings of meters don't count.
    #[must_use]
    pub fn newest_ns(&self) -> u64 {
        self.newest_ns
    }

    /// Returns the first record's time in nanoseconds; `None` before it. Readings of meters don't
    /// count.
    #[must_use]
    pub fn first_ns(&self) -> Option<u64> {
        self.first_ns
    }

    /// Sets the meaning of cycles, once the input has shown it.
    pub fn set_cycles(&mut self, cycles: SharingBasis) {
        self.options.cycles = cycles;
    }

    /// Sets the source of energy, before the first record.
    pub fn set_energy(&mut self, energy: EnergySource) {
        self.options.energy = energy;
    }

    /// Returns the options.
    #[must_use]
    pub fn options(&self) -> &StreamOptions {
        &self.options
    }

    /// Removes and returns the next closed window.
    pub fn next_closed(&mut self) -> Option<WindowView> {
        self.closed.pop_front()
    }

    /// Returns the sum of all closed windows.
    #[must_use]
    pub fn total(&self) -> &WindowView {
        &self.total
    }
}
