//! Meters that accumulate, read in between: differences, wraps, and readings that can't
//! be.

use wattline_units::power::MeterCounter;

use super::trouble::Troubles;

/// Number of a meter in a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MeterId(pub usize);

/// Joules per count where the unit register is not known: 2^-16, of Sandy Bridge and most
/// after it.
pub const DEFAULT_RAPL_UNIT_J: f64 = 1.0 / 65_536.0;

/// Power in watts that no package exceeds; a counter's step back is a wrap only if the energy of
/// the wrap stays below this power.
const MOST_PACKAGE_W: f64 = 2_000.0;
/// Energy in joules that a counter may step at once, as its updates are not continuous.
const MOST_STEP_J: f64 = 1.0;

/// Returns the joules per count from the register `MSR_RAPL_POWER_UNIT` (0x606): 2^-ESU, ESU in
/// bits 12:8 (Intel SDM, vol. 3, 15.10.1).
#[must_use]
pub fn rapl_unit_j(register: u64) -> f64 {
    (-f64::from(((register >> 8) & 0x1f) as u32)).exp2()
}

/// Returns RAPL's energy counter, 32 bits wide.
#[must_use]
pub fn rapl_counter(joules_per_count: f64) -> MeterCounter {
    MeterCounter { joules_per_count, modulus: Some(1 << 32) }
}

/// Meter with its last reading.
#[derive(Debug)]
pub(super) struct MeterState {
    pub name: String,
    counter: MeterCounter,
    last: Option<(u64, u64)>,
}

/// Energy of a meter between two readings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct MeteredEnergy {
    pub start_ns: u64,
    pub end_ns: u64,
    pub energy_j: f64,
    /// Metered time: more than that between begin and end where several are one.
    pub ns: f64,
}

impl MeteredEnergy {
    /// Returns the sum with another one, spread evenly over the time of both.
    pub fn joined_with(&self, other: &Self) -> Self {
        Self {
            start_ns: self.start_ns.min(other.start_ns),
            end_ns: self.end_ns.max(other.end_ns),
            energy_j: self.energy_j + other.energy_j,
            ns: self.ns + other.ns,
        }
    }
}

impl MeterState {
    pub fn new(name: String, counter: MeterCounter) -> Self {
        Self { name, counter, last: None }
    }

    /// Takes a reading; returns the energy since the one before, unless the two are inconsistent.
    pub fn read(
        &mut self,
        at_ns: u64,
        reading: u64,
        troubles: &mut Troubles,
    ) -> Option<MeteredEnergy> {
        troubles.readings += 1;
        let Some((start_ns, before)) = self.last else {
            self.last = Some((at_ns, reading));
            return None;
        };
        if at_ns < start_ns {
            troubles.disordered_readings += 1;
            return None;
        }
        let Ok(energy) = self.counter.energy(&[before, reading]) else {
            // A counter that never wraps went back: the meter was reset, and starts anew. A
            // reading that is too large is none.
            match self.counter.modulus {
                None => {
                    troubles.resets += 1;
                    self.last = Some((at_ns, reading));
                }
                Some(_) => troubles.impossible_readings += 1,
            }
            return None;
        };
        let seconds = (at_ns - start_ns) as f64 * 1e-9;
        if reading < before {
            // CPUs read one counter at nearly one time: the older value may come second.
            if energy.0 > MOST_PACKAGE_W * seconds + MOST_STEP_J {
                troubles.disordered_readings += 1;
                return None;
            }
            troubles.meter_wraps += 1;
        }
        let range_j = self.counter.modulus.map(|m| m as f64 * self.counter.joules_per_count);
        if range_j.is_some_and(|range| range < MOST_PACKAGE_W / 10.0 * seconds) {
            troubles.sparse_readings += 1;
        }
        self.last = Some((at_ns, reading));
        Some(MeteredEnergy { start_ns, end_ns: at_ns, energy_j: energy.0, ns: seconds * 1e9 })
    }

    /// Forgets the last reading if it is later than `now_ns`: the clock was set back.
    pub fn restart(&mut self, now_ns: u64) {
        self.last = self.last.filter(|(at_ns, _)| *at_ns <= now_ns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    #[test]
    fn the_unit_is_in_bits_12_to_8() {
        assert_eq!(rapl_unit_j(0xa_1003), 2f64.powi(-16));
        assert_eq!(rapl_unit_j(0xa_0e03), 2f64.powi(-14));
        assert_eq!(rapl_unit_j(0), 1.0);
        assert_eq!(DEFAULT_RAPL_UNIT_J, rapl_unit_j(0x1000));
    }

    #[test]
    fn thirty_two_bits_wrap_after_65536_joules() {
        let mut meter = MeterState::new("pkg".into(), rapl_counter(DEFAULT_RAPL_UNIT_J));
        let mut troubles = Troubles::default();
        assert_eq!(meter.read(0, (1 << 32) - 65_536, &mut troubles), None);
        let difference = meter.read(S, 65_536, &mut troubles);
        let expected = MeteredEnergy { start_ns: 0, end_ns: S, energy_j: 2.0, ns: S as f64 };
        assert_eq!(difference, Some(expected));
        assert_eq!((troubles.meter_wraps, troubles.disordered_readings), (1, 0));
        // Once around takes 65 536 J.
        assert_eq!(f64::from(u32::MAX) * DEFAULT_RAPL_UNIT_J + DEFAULT_RAPL_UNIT_J, 65_536.0);
    }

    #[test]
    fn an_older_value_read_later_is_no_wrap() {
        let mut meter = MeterState::new("pkg".into(), rapl_counter(DEFAULT_RAPL_UNIT_J));
        let mut troubles = Troubles::default();
        meter.read(0, 1_000_000, &mut troubles);
        assert_eq!(meter.read(1000, 999_990, &mut troubles), None);
        assert_eq!(meter.read(500, 999_980, &mut troubles).map(|d| d.energy_j), None);
        let energy = meter.read(S, 1_065_536, &mut troubles).unwrap().energy_j;
        assert_eq!((energy, troubles.disordered_readings, troubles.meter_wraps), (1.0, 2, 0));
    }

    #[test]
    fn resets_and_readings_that_cannot_be_are_counted() {
        let never = MeterCounter { joules_per_count: 1e-6, modulus: None };
        let mut meter = MeterState::new("rail".into(), never);
        let mut troubles = Troubles::default();
        meter.read(0, 5_000_000, &mut troubles);
        assert_eq!(meter.read(S, 1_000_000, &mut troubles), None);
        assert_eq!(meter.read(2 * S, 3_000_000, &mut troubles).unwrap().energy_j, 2.0);
        assert_eq!(troubles.resets, 1);
        let mut meter = MeterState::new("pkg".into(), rapl_counter(DEFAULT_RAPL_UNIT_J));
        meter.read(0, 1, &mut troubles);
        assert_eq!(meter.read(S, 1 << 32, &mut troubles), None);
        assert_eq!(troubles.impossible_readings, 1);
        // Hours apart, the counter may have gone around more than once.
        meter.read(7_200 * S, 5, &mut troubles);
        assert_eq!(troubles.sparse_readings, 1);
    }
}
