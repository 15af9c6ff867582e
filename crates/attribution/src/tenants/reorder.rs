//! Records of several CPUs arrive in blocks, one CPU after the other: a bounded buffer
//! brings them into the order of their times.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Buffer that holds a limited number of items and returns them by time; those of one time in the
/// order of their arrival.
#[derive(Debug)]
pub struct ReorderBuffer<T> {
    heap: BinaryHeap<Reverse<HeldItem<T>>>,
    capacity: usize,
    arrivals: u64,
}

#[derive(Debug)]
struct HeldItem<T> {
    at_ns: u64,
    arrival: u64,
    item: T,
}

impl<T> HeldItem<T> {
    fn key(&self) -> (u64, u64) {
        (self.at_ns, self.arrival)
    }
}

impl<T> PartialEq for HeldItem<T> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<T> Eq for HeldItem<T> {}

impl<T> PartialOrd for HeldItem<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for HeldItem<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl<T> ReorderBuffer<T> {
    /// Creates a buffer of up to `capacity` items.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self { heap: BinaryHeap::new(), capacity, arrivals: 0 }
    }

    /// Adds an item; returns the oldest one if the buffer is full.
    pub fn push(&mut self, at_ns: u64, item: T) -> Option<T> {
        let arrival = self.arrivals;
        self.arrivals += 1;
        self.heap.push(Reverse(HeldItem { at_ns, arrival, item }));
        if self.heap.len() > self.capacity { self.pop() } else { None }
    }

    /// Removes and returns the oldest item.
    pub fn pop(&mut self) -> Option<T> {
        self.heap.pop().map(|Reverse(held)| held.item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_cpus_become_one_order() {
        let mut reorder = ReorderBuffer::new(4);
        let mut out = Vec::new();
        for (at, item) in [(1, "a1"), (3, "a3"), (5, "a5"), (1, "b1"), (2, "b2"), (6, "b6")] {
            out.extend(reorder.push(at, item));
        }
        out.extend(std::iter::from_fn(|| reorder.pop()));
        assert_eq!(out, ["a1", "b1", "b2", "a3", "a5", "b6"]);
    }
}
