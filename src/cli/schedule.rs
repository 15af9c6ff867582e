//! Schedule of repeated work: once per interval, until a time limit.

use std::time::{Duration, Instant};

/// Times of repeated work: once per interval, the last time when the limit is reached, however long
/// the interval.
#[derive(Debug)]
pub struct Schedule {
    interval: Duration,
    next: Instant,
    end: Option<Instant>,
}

impl Schedule {
    /// Schedule that begins now; without a limit it never ends.
    pub fn new(interval: Duration, limit: Option<Duration>) -> Self {
        let now = Instant::now();
        Self { interval, next: now + interval, end: limit.map(|limit| now + limit) }
    }

    /// Time of the next repetition.
    pub fn next(&self) -> Instant {
        self.end.map_or(self.next, |end| end.min(self.next))
    }

    /// Sets the next time after a repetition.
    pub fn advance(&mut self) {
        self.next = (self.next + self.interval).max(Instant::now());
    }

    /// Whether the limit is reached.
    pub fn is_over(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_cut_to_what_is_left_of_the_limit() {
        let (long, short) = (Duration::from_secs(8000), Duration::from_secs(2000));
        let began = Instant::now();
        assert!(Schedule::new(long, Some(short)).next() < began + long);
        assert!(Schedule::new(short, Some(long)).next() < began + long);
        assert!(Schedule::new(long, None).next() >= began + long);
        assert!(Schedule::new(long, Some(Duration::ZERO)).is_over());
        assert!(!Schedule::new(short, None).is_over());
    }
}
