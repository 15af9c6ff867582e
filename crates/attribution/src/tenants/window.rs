//! A window, and the ring of them.

use std::collections::VecDeque;

use super::names::TenantId;
use super::record::{Counts, OTHER_COUNTERS};

/// CPU time, counts and energy of a tenant in a window.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct TenantTally {
    pub cpu_ns: f64,
    pub cycles: f64,
    pub others: [f64; OTHER_COUNTERS],
    pub switches: u64,
    /// Whether it was there while energy was known.
    pub is_priced: bool,
}

impl TenantTally {
    pub(crate) fn add_counts(&mut self, counts: &Counts, share: f64) {
        self.cycles += counts.cycles.unwrap_or(0.0) * share;
        for (sum, count) in self.others.iter_mut().zip(&counts.others) {
            *sum += count * share;
        }
    }

    pub fn add(&mut self, other: &Self) {
        self.cpu_ns += other.cpu_ns;
        self.cycles += other.cycles;
        self.switches += other.switches;
        self.is_priced |= other.is_priced;
        for (sum, count) in self.others.iter_mut().zip(&other.others) {
            *sum += count;
        }
    }

    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Tumbling window: tallies by tenant, over all CPUs.
#[derive(Debug, Clone, Default)]
pub(super) struct TumblingWindow {
    /// Indexed by tenant.
    tallies: Vec<TenantTally>,
    /// Whether any record here counted cycles.
    pub is_counted: bool,
    /// Energy of the meters.
    pub energy_j: f64,
    /// How much of the window meters cover, summed over meters, in ns.
    pub metered_ns: f64,
    /// Whether any reading covers it.
    pub is_metered: bool,
}

impl TumblingWindow {
    pub fn tally(&mut self, tenant: TenantId) -> &mut TenantTally {
        let index = tenant.index();
        if index >= self.tallies.len() {
            self.tallies.resize(index + 1, TenantTally::default());
        }
        &mut self.tallies[index]
    }

    /// Returns the tenants that used something, with their tallies.
    pub fn tenant_tallies(&self) -> impl Iterator<Item = (TenantId, &TenantTally)> {
        let numbered = (0..).map(TenantId).zip(&self.tallies);
        numbered.filter(|(_, tally)| !tally.is_empty())
    }

    fn clear(&mut self) {
        let mut tallies = std::mem::take(&mut self.tallies);
        tallies.clear();
        *self = Self { tallies, ..Self::default() };
    }
}

/// Consecutive windows; the first one's number is [`WindowRing::base`].
#[derive(Debug)]
pub(super) struct WindowRing {
    windows: VecDeque<TumblingWindow>,
    pub base: u64,
    capacity: usize,
    spare: Vec<TumblingWindow>,
    has_closed: bool,
}

/// Position of a window relative to the ring.
#[derive(Debug, PartialEq)]
pub(super) enum RingPosition {
    /// At this position.
    Held(usize),
    /// It has left.
    Gone,
    /// The oldest one has to leave first.
    Full,
}

impl WindowRing {
    pub fn new(capacity: usize) -> Self {
        Self {
            windows: VecDeque::new(),
            base: 0,
            capacity: capacity.max(1),
            spare: Vec::new(),
            has_closed: false,
        }
    }

    pub fn len(&self) -> usize {
        self.windows.len()
    }

    pub fn capacity(&self) -> usize {
        self.capacity
    }

    pub fn window_at(&mut self, position: usize) -> &mut TumblingWindow {
        &mut self.windows[position]
    }

    /// Returns the windows with their numbers.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, &TumblingWindow)> {
        let base = self.base;
        self.windows.iter().enumerate().map(move |(index, w)| (base + index as u64, w))
    }

    /// Finds the window with a number, or adds it where the ring has room.
    pub fn find_or_add(&mut self, number: u64) -> RingPosition {
        if self.windows.is_empty() {
            if self.has_closed && number < self.base {
                return RingPosition::Gone;
            }
            self.base = number;
        }
        // Logs need not begin with their oldest record.
        while number < self.base {
            let span = self.base + self.windows.len() as u64 - number;
            if self.has_closed || span > self.capacity as u64 {
                return RingPosition::Gone;
            }
            self.windows.push_front(TumblingWindow::default());
            self.base -= 1;
        }
        let position = number - self.base;
        while self.windows.len() as u64 <= position {
            if self.windows.len() == self.capacity {
                return RingPosition::Full;
            }
            let window = self.spare.pop().unwrap_or_default();
            self.windows.push_back(window);
        }
        RingPosition::Held(position as usize)
    }

    /// Removes and returns the oldest window.
    pub fn pop(&mut self) -> Option<(u64, TumblingWindow)> {
        let window = self.windows.pop_front()?;
        let number = self.base;
        self.base += 1;
        self.has_closed = true;
        Some((number, window))
    }

    /// Keeps a window's memory for a later one.
    pub(crate) fn recycle(&mut self, mut window: TumblingWindow) {
        window.clear();
        self.spare.push(window);
    }

    /// Whether any window was closed.
    pub(crate) fn has_closed(&self) -> bool {
        self.has_closed
    }

    /// Lets the empty ring begin at any window.
    pub fn restart(&mut self) {
        self.has_closed = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_grows_both_ways_until_it_is_full() {
        let mut ring = WindowRing::new(3);
        assert_eq!(ring.find_or_add(10), RingPosition::Held(0));
        assert_eq!(ring.find_or_add(9), RingPosition::Held(0), "nothing has left yet");
        assert_eq!(ring.find_or_add(11), RingPosition::Held(2));
        assert_eq!(
            (ring.find_or_add(12), ring.find_or_add(8)),
            (RingPosition::Full, RingPosition::Gone)
        );
        let (number, window) = ring.pop().unwrap();
        ring.recycle(window);
        assert_eq!(
            (number, ring.find_or_add(12), ring.find_or_add(9)),
            (9, RingPosition::Held(2), RingPosition::Gone)
        );
    }

    #[test]
    fn windows_are_used_again_empty() {
        let mut ring = WindowRing::new(1);
        ring.find_or_add(0);
        ring.window_at(0).tally(TenantId(5)).cycles = 3.0;
        let (_, window) = ring.pop().unwrap();
        ring.recycle(window);
        ring.find_or_add(1);
        assert_eq!(ring.window_at(0).tenant_tallies().count(), 0);
    }
}
