//! Times of the sampler's ticks in an application's busy time, and the work that each tick samples.
//! Pure, and seeded.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::simulated_model::ExecutedCode;

/// Nanoseconds in a second.
const PER_SECOND: u64 = 1_000_000_000;

/// Work that an application's time goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ApplicationWork {
    /// Code that the simulated energy model counts.
    Code(ExecutedCode),
    /// GC.
    Collector,
    /// Writing log lines.
    Log,
}

/// Part of a reading's energy, and so of its time, that one kind of work took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SampledShare {
    pub work: ApplicationWork,
    pub energy_j: f64,
}

/// Ticks at a constant rate in time that passes piece by piece. The rest of a period at the end of
/// a piece goes on with the next one.
#[derive(Debug, Clone)]
pub(super) struct Ticks {
    rate_hz: u64,
    /// Time since the last tick, in nanoseconds times the rate: whole numbers stay exact.
    carried: u64,
}

impl Ticks {
    /// Ticks at a rate above 0; the first comes after a whole period.
    pub fn new(rate_hz: u64) -> Self {
        Self { rate_hz, carried: 0 }
    }

    /// Nanoseconds between two ticks.
    pub fn period_ns(&self) -> u64 {
        PER_SECOND / self.rate_hz
    }

    /// Ticks in the next `busy_ns` nanoseconds, as offsets from their start.
    pub fn ticks_in(&mut self, busy_ns: u64) -> Vec<u64> {
        let (rate, carried) = (u128::from(self.rate_hz), u128::from(self.carried));
        let passed = carried + u128::from(busy_ns) * rate;
        let period = u128::from(PER_SECOND);
        self.carried = (passed % period) as u64;
        let tick = |number: u128| ((number * period - carried).div_ceil(rate)) as u64;
        (1..=passed / period).map(tick).collect()
    }
}

/// Distribution from which the work at a tick is drawn, by energy.
pub(super) struct WorkDistribution<'a> {
    spent: &'a [SampledShare],
    /// Cumulated energy of the parts in joules.
    sums: Vec<f64>,
}

impl<'a> WorkDistribution<'a> {
    /// Distribution over the parts of a reading.
    pub fn new(spent: &'a [SampledShare]) -> Self {
        let mut sum = 0.0;
        let sums = spent.iter().map(|part| {
            sum += part.energy_j;
            sum
        });
        Self { sums: sums.collect(), spent }
    }

    /// Draws the work at one tick with a probability proportional to energy; `None` without any
    /// energy.
    pub fn draw(&self, generator: &mut ChaCha8Rng) -> Option<ApplicationWork> {
        let total = *self.sums.last()?;
        let at = generator.random::<f64>() * total;
        let index = self.sums.partition_point(|sum| *sum <= at);
        self.spent.get(index).map(|part| part.work)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn what_is_left_of_a_period_goes_on() {
        let mut ticks = Ticks::new(1000);
        assert_eq!(ticks.period_ns(), 1_000_000);
        assert_eq!(ticks.ticks_in(999_999), []);
        assert_eq!(ticks.ticks_in(2), [1]);
        assert_eq!(ticks.ticks_in(2_999_999), [999_999, 1_999_999, 2_999_999]);
        let mut ticks = Ticks::new(3);
        let counted: usize = (0..3_000_000).map(|_| ticks.ticks_in(1_000).len()).sum();
        assert_eq!(counted, 9, "three in each of three seconds, to the nanosecond");
    }

    fn own(counter: usize, energy_j: f64) -> SampledShare {
        SampledShare { work: ApplicationWork::Code(ExecutedCode::Own { counter }), energy_j }
    }

    #[test]
    fn a_tick_falls_on_code_with_the_probability_of_its_time() {
        let energies = [0.5, 0.0, 0.02, 0.3, 0.18];
        let spent: Vec<SampledShare> =
            energies.iter().enumerate().map(|(at, energy)| own(at, energy * 3.0)).collect();
        let lots = WorkDistribution::new(&spent);
        let mut generator = ChaCha8Rng::seed_from_u64(7);
        const DRAWS: usize = 40_000;
        let mut counts = [0_usize; 5];
        for _ in 0..DRAWS {
            let Some(ApplicationWork::Code(ExecutedCode::Own { counter })) =
                lots.draw(&mut generator)
            else {
                panic!("energy, and nothing drawn")
            };
            counts[counter] += 1;
        }
        for (count, share) in counts.into_iter().zip(energies) {
            let deviation = (DRAWS as f64 * share * (1.0 - share)).sqrt();
            let error = count as f64 - DRAWS as f64 * share;
            assert!(error.abs() <= 4.0 * deviation, "{count} draws of a share of {share}");
        }
    }

    #[test]
    fn the_same_seed_draws_the_same() {
        let spent = [own(0, 1.0), own(1, 1.0)];
        let drawn = |seed| {
            let mut generator = ChaCha8Rng::seed_from_u64(seed);
            (0..64).map(|_| WorkDistribution::new(&spent).draw(&mut generator)).collect::<Vec<_>>()
        };
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
    }

    #[test]
    fn nothing_is_drawn_from_nothing() {
        let mut generator = ChaCha8Rng::seed_from_u64(7);
        assert_eq!(WorkDistribution::new(&[]).draw(&mut generator), None);
        assert_eq!(WorkDistribution::new(&[own(0, 0.0)]).draw(&mut generator), None);
    }
}
