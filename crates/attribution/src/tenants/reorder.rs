//! Records of several CPUs arrive in blocks, one CPU after the other: a bounded buffer
//! brings them into the order of their times.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Holds back up to a number of items and gives them out by time; those of one time in
/// the order of their arrival.
#[derive(Debug)]
pub struct Reorder<T> {
    heap: BinaryHeap<Reverse<Held<T>>>,
    capacity: usize,
    arrivals: u64,
}

#[derive(Debug)]
struct Held<T> {
    at_ns: u64,
    arrival: u64,
    item: T,
}

impl<T> Held<T> {
    fn key(&self) -> (u64, u64) {
        (self.at_ns, self.arrival)
    }
}

impl<T> PartialEq for Held<T> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<T> Eq for Held<T> {}

impl<T> PartialOrd for Held<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Held<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl<T> Reorder<T> {
    /// Holds back up to `capacity` items.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self { heap: BinaryHeap::new(), capacity, arrivals: 0 }
    }

    /// Takes an item; gives out the oldest once the buffer is full.
    pub fn push(&mut self, at_ns: u64, item: T) -> Option<T> {
        let arrival = self.arrivals;
        self.arrivals += 1;
        self.heap.push(Reverse(Held { at_ns, arrival, item }));
        if self.heap.len() > self.capacity { self.pop() } else { None }
    }

    /// The oldest item held.
    pub fn pop(&mut self) -> Option<T> {
        self.heap.pop().map(|Reverse(held)| held.item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_cpus_become_one_order() {
        let mut reorder = Reorder::new(4);
        let mut out = Vec::new();
        for (at, item) in [(1, "a1"), (3, "a3"), (5, "a5"), (1, "b1"), (2, "b2"), (6, "b6")] {
            out.extend(reorder.push(at, item));
        }
        out.extend(std::iter::from_fn(|| reorder.pop()));
        assert_eq!(out, ["a1", "b1", "b2", "a3", "a5", "b6"]);
    }
}
