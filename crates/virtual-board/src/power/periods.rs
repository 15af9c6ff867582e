//! Dynamic energy of each refresh period.

use std::collections::VecDeque;

/// Energy of each period that is not settled yet. Periods lie on a grid that starts at boot.
pub(super) struct EnergyByPeriod {
    length_ns: u64,
    /// Index of the first period that is not settled.
    first: u64,
    /// Joules of the periods from the first one on.
    joules: VecDeque<f64>,
}

impl EnergyByPeriod {
    pub(super) fn new(length_ns: u64) -> Self {
        Self { length_ns: length_ns.max(1), first: 0, joules: VecDeque::new() }
    }

    /// Length of a period in seconds.
    pub(super) fn length_s(&self) -> f64 {
        self.length_ns as f64 / 1e9
    }

    /// Nanoseconds since boot up to which all periods are settled.
    pub(super) fn settled_ns(&self) -> u64 {
        self.first * self.length_ns
    }

    /// Starts again at a time, with no energy.
    pub(super) fn restart(&mut self, now_ns: u64) {
        self.first = now_ns / self.length_ns;
        self.joules.clear();
    }

    /// Adds an energy evenly between two times. Energy in settled periods goes to the first
    /// unsettled one, so that none is lost.
    pub(super) fn add(&mut self, from_ns: u64, to_ns: u64, joules: f64) {
        let from = from_ns.max(self.first * self.length_ns);
        if to_ns <= from {
            *self.period(from / self.length_ns) += joules;
            return;
        }
        let whole = (to_ns - from) as f64;
        for index in from / self.length_ns..=(to_ns - 1) / self.length_ns {
            let begin = from.max(index * self.length_ns);
            let end = to_ns.min((index + 1) * self.length_ns);
            *self.period(index) += joules * (end - begin) as f64 / whole;
        }
    }

    /// Settles the next period that ends by `now_ns` and returns its mean dynamic power in watts.
    pub(super) fn settle_next_before(&mut self, now_ns: u64) -> Option<f64> {
        if (self.first + 1) * self.length_ns > now_ns {
            return None;
        }
        self.first += 1;
        Some(self.joules.pop_front().unwrap_or(0.0) / self.length_s())
    }

    /// Energy of a period, by its index.
    fn period(&mut self, index: u64) -> &mut f64 {
        let at = usize::try_from(index - self.first).unwrap_or(0);
        if self.joules.len() <= at {
            self.joules.resize(at + 1, 0.0);
        }
        &mut self.joules[at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn energy_is_shared_among_periods_and_none_is_lost() {
        let mut periods = EnergyByPeriod::new(1_000_000_000);
        // 4 J from 0.5 s to 2.5 s: 2 W, so 1 J, 2 J and 1 J.
        periods.add(500_000_000, 2_500_000_000, 4.0);
        periods.add(1_200_000_000, 1_200_000_000, 0.5);
        assert_eq!(periods.settle_next_before(999_999_999), None);
        let power: Vec<f64> =
            std::iter::from_fn(|| periods.settle_next_before(4_000_000_000)).collect();
        assert_eq!(power, [1.0, 2.5, 1.0, 0.0]);
        periods.add(0, 3_000_000_000, 2.0);
        assert_eq!(periods.settle_next_before(5_000_000_000), Some(2.0));
    }
}
