//! Meters that accumulate energy: the energy of a window is the difference of two
//! readings, with the wrap-around of the counter.

use thiserror::Error;

use crate::units::Joules;

/// Scale and wrap-around of an accumulating meter's counter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeterCounter {
    /// Joules per count: 1e-6 for `energy_uj` and uWs.
    pub joules_per_count: f64,
    /// Counts after which it starts at 0 again (`max_energy_range_uj`, 2^32 of a
    /// 32-bit register); none for a counter that never wraps.
    pub modulus: Option<u64>,
}

/// Readings that contradict the counter's description.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum CounterError {
    /// Not below the modulus.
    #[error("reading {index} is {reading}, but the counter wraps at {modulus}")]
    TooLarge {
        /// Index of the reading, from 0.
        index: usize,
        /// The reading.
        reading: u64,
        /// Modulus of the counter.
        modulus: u64,
    },
    /// A counter that never wraps went back: the meter was reset.
    #[error("reading {index} is {reading}, less than the one before, and the counter never wraps")]
    WentBack {
        /// Index of the reading, from 0.
        index: usize,
        /// The reading.
        reading: u64,
    },
}

impl MeterCounter {
    /// Returns the energy between the first and the last reading. The readings must be close
    /// enough for at most one wrap between two of them.
    pub fn energy(&self, readings: &[u64]) -> Result<Joules, CounterError> {
        let mut counts: u128 = 0;
        for (index, pair) in readings.windows(2).enumerate() {
            counts += u128::from(self.difference(pair[0], pair[1], index + 1)?);
        }
        Ok(Joules(counts as f64 * self.joules_per_count))
    }

    fn difference(&self, before: u64, after: u64, index: usize) -> Result<u64, CounterError> {
        let Some(modulus) = self.modulus else {
            let went_back = CounterError::WentBack { index, reading: after };
            return after.checked_sub(before).ok_or(went_back);
        };
        for (index, reading) in [(index - 1, before), (index, after)] {
            if reading >= modulus {
                return Err(CounterError::TooLarge { index, reading, modulus });
            }
        }
        Ok(if after >= before { after - before } else { modulus - before + after })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrap_counts_on() {
        let rapl = MeterCounter { joules_per_count: 2f64.powi(-16), modulus: Some(1 << 32) };
        let near_end = (1u64 << 32) - 65_536;
        assert_eq!(rapl.energy(&[near_end, 65_536]), Ok(Joules(2.0)));
        assert_eq!(rapl.energy(&[5]), Ok(Joules(0.0)));
        let small = MeterCounter { joules_per_count: 1.0, modulus: Some(10) };
        assert_eq!(small.energy(&[8, 1, 9, 0]), Ok(Joules(3.0 + 8.0 + 1.0)));
        let error = small.energy(&[8, 10]);
        assert_eq!(error, Err(CounterError::TooLarge { index: 1, reading: 10, modulus: 10 }));
    }

    #[test]
    fn a_reset_is_an_error() {
        let rail = MeterCounter { joules_per_count: 1e-6, modulus: None };
        assert_eq!(rail.energy(&[1_000_000, 3_000_000]), Ok(Joules(2.0)));
        let error = rail.energy(&[3, 4, 2]);
        assert_eq!(error, Err(CounterError::WentBack { index: 2, reading: 2 }));
    }
}
