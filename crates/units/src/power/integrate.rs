//! Integration of power over time to the energy of a window: Eq. (1) of Li and Gallagher 2016,
//! the right-endpoint rule, and the trapezoid rule beside it.
//!
//! Between two samples the right-endpoint rule takes the later one's power, the
//! trapezoid rule the straight line. A window that begins or ends between two samples
//! takes its part of that interval, so that the energies of two adjoining windows add
//! up to the energy of both. Nothing is assumed beyond the first and last sample.

use thiserror::Error;

use crate::units::{Joules, Seconds, Watts};

/// Time series of power; `time_s` is strictly increasing and as long as `power_w`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// Uptime of each sample, in seconds since the board started.
    pub time_s: Vec<f64>,
    /// Power at each sample, in watts.
    pub power_w: Vec<f64>,
}

/// Span of board uptime.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    /// Start, in seconds since the board started.
    pub start_s: f64,
    /// End, in seconds since the board started.
    pub end_s: f64,
}

impl Window {
    /// Returns the length of the window.
    pub fn duration(self) -> Seconds {
        Seconds(self.end_s - self.start_s)
    }

    /// Returns the window shifted by `lag_s`, in which a meter that shows each value so much late
    /// shows what happened in this one: a value that is averaged over one refresh period and then
    /// read during the next is one period late.
    pub(crate) fn delayed(self, lag_s: f64) -> Self {
        Window { start_s: self.start_s + lag_s, end_s: self.end_s + lag_s }
    }
}

/// Refresh and sample periods of a meter, which determine how late it shows power.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MeterTiming {
    /// Its refresh period in seconds; 0 for one that shows the present power.
    pub update_period_s: f64,
    /// Mean time between two samples in seconds.
    pub sample_period_s: f64,
}

impl MeterTiming {
    /// Returns the delay of power under the right-endpoint rule, in seconds. A value is the mean
    /// over one refresh period (half a period old when it appears) and is read until the next one
    /// appears (another half on average): one period. The rule counts a sample for the time before
    /// it, on average half a sample period early.
    pub fn lag_s(self) -> f64 {
        if self.update_period_s > 0.0 {
            (self.update_period_s - 0.5 * self.sample_period_s).max(0.0)
        } else {
            0.0
        }
    }
}

/// Integrates over a window shifted by the meter's lag, or by as much as the samples cover;
/// returns the lag used beside the energy.
pub fn integrate_delayed(
    series: &Series,
    window: Window,
    timing: MeterTiming,
) -> Result<(WindowEnergy, Seconds), IntegrateError> {
    let left = series.time_s.last().map_or(0.0, |last| last - window.end_s);
    let lag_s = timing.lag_s().min(left.max(0.0));
    Ok((integrate(series, window.delayed(lag_s))?, Seconds(lag_s)))
}

/// Energy of a window by two rules, with the number and gaps of its samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WindowEnergy {
    /// Energy by the right-endpoint rule, as in Li and Gallagher 2016.
    pub right_endpoint: Joules,
    /// Energy by the trapezoid rule.
    pub trapezoid: Joules,
    /// Length of the window.
    pub duration: Seconds,
    /// Number of samples within the window.
    pub samples: usize,
    /// Longest time between two samples of which a part is in the window.
    pub longest_gap: Seconds,
}

impl WindowEnergy {
    /// Returns the difference of the energies by the two rules.
    pub fn rule_difference(&self) -> Joules {
        self.trapezoid - self.right_endpoint
    }

    /// Returns the mean power by the right-endpoint rule.
    pub fn mean_power(&self) -> Watts {
        self.right_endpoint / self.duration
    }
}

/// Reasons why a window has no energy.
#[derive(Debug, Error, Clone, PartialEq)]
pub enum IntegrateError {
    /// A window that is empty, reversed or not finite.
    #[error(
        "the window from {start_s} s to {end_s} s has no length: begin and end marker must be printed \
         before and after the work that is measured"
    )]
    EmptyWindow {
        /// Its start.
        start_s: f64,
        /// Its end.
        end_s: f64,
    },
    /// Samples that do not reach from start to end.
    #[error("the window from {start_s} s to {end_s} s is not covered by {covered}")]
    NotCovered {
        /// Its start.
        start_s: f64,
        /// Its end.
        end_s: f64,
        /// Span that the samples cover, as text.
        covered: String,
    },
    /// Times that repeat or run backwards.
    #[error("sample {index}: its time {time_s} s is not after the sample before")]
    NotIncreasing {
        /// Index of the sample, from 0.
        index: usize,
        /// Its time.
        time_s: f64,
    },
}

/// Integrates the power over a window that the samples cover, without any lag.
pub fn integrate(series: &Series, window: Window) -> Result<WindowEnergy, IntegrateError> {
    check_window(series, window)?;
    let mut energy = WindowEnergy {
        right_endpoint: Joules::ZERO,
        trapezoid: Joules::ZERO,
        duration: window.duration(),
        samples: 0,
        longest_gap: Seconds::ZERO,
    };
    let inside = |time: f64| time >= window.start_s && time <= window.end_s;
    energy.samples = series.time_s.iter().filter(|time| inside(**time)).count();
    for i in 1..series.time_s.len() {
        let (before, after) = (series.time_s[i - 1], series.time_s[i]);
        let (from, to) = (before.max(window.start_s), after.min(window.end_s));
        if from >= to {
            continue;
        }
        let (low, high) = (series.power_w[i - 1], series.power_w[i]);
        let line = |time: f64| low + (high - low) * ((time - before) / (after - before));
        let part = Seconds(to - from);
        energy.right_endpoint += Watts(high) * part;
        energy.trapezoid += Watts(0.5 * (line(from) + line(to))) * part;
        energy.longest_gap = Seconds(energy.longest_gap.0.max(after - before));
    }
    Ok(energy)
}

fn check_window(series: &Series, window: Window) -> Result<(), IntegrateError> {
    let Window { start_s, end_s } = window;
    let ordered = start_s.is_finite() && end_s.is_finite() && start_s < end_s;
    if !ordered {
        return Err(IntegrateError::EmptyWindow { start_s, end_s });
    }
    let pairs = series.time_s.windows(2).enumerate();
    for (index, pair) in pairs {
        if pair[1].partial_cmp(&pair[0]) != Some(std::cmp::Ordering::Greater) {
            return Err(IntegrateError::NotIncreasing { index: index + 1, time_s: pair[1] });
        }
    }
    match (series.time_s.first(), series.time_s.last()) {
        (Some(first), Some(last)) if *first <= start_s && end_s <= *last => Ok(()),
        (Some(first), Some(last)) => Err(IntegrateError::NotCovered {
            start_s,
            end_s,
            covered: format!("the samples ({first} s to {last} s)"),
        }),
        _ => Err(IntegrateError::NotCovered { start_s, end_s, covered: "any sample".into() }),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn series(samples: &[(f64, f64)]) -> Series {
        Series {
            time_s: samples.iter().map(|(time, _)| *time).collect(),
            power_w: samples.iter().map(|(_, power)| *power).collect(),
        }
    }

    fn window(start_s: f64, end_s: f64) -> Window {
        Window { start_s, end_s }
    }

    /// 2 x 1 + 4 x 2 = 10; (9 + 2) / 2 x 1 + (2 + 4) / 2 x 2 = 11.5.
    #[test]
    fn the_rules_give_the_figures_of_the_specification() {
        let series = series(&[(0.0, 9.0), (1.0, 2.0), (3.0, 4.0)]);
        let energy = integrate(&series, window(0.0, 3.0)).unwrap();
        assert_eq!(energy.right_endpoint, Joules(10.0));
        assert_eq!(energy.trapezoid, Joules(11.5));
        assert_eq!(energy.rule_difference(), Joules(1.5));
        assert_eq!(energy.samples, 3);
        assert_eq!(energy.longest_gap, Seconds(2.0));
    }

    /// From 0.5 to 2: right 2 x 0.5 + 4 x 1 = 5; trapezoid (5.5 + 2) / 2 x 0.5 +
    /// (2 + 3) / 2 x 1 = 4.375.
    #[test]
    fn a_window_takes_its_part_of_the_intervals_at_its_ends() {
        let series = series(&[(0.0, 9.0), (1.0, 2.0), (3.0, 4.0)]);
        let energy = integrate(&series, window(0.5, 2.0)).unwrap();
        assert_eq!(energy.right_endpoint, Joules(5.0));
        assert_eq!(energy.trapezoid, Joules(4.375));
        assert_eq!((energy.samples, energy.duration), (1, Seconds(1.5)));
        let inner = integrate(&series, window(1.25, 1.75)).unwrap();
        assert_eq!((inner.right_endpoint, inner.samples), (Joules(2.0), 0));
    }

    #[test]
    fn nothing_is_assumed_beyond_the_samples() {
        let samples = series(&[(1.0, 9.0), (2.0, 2.0)]);
        let outside = [(0.5, 1.5), (1.5, 2.5), (3.0, 4.0)];
        for (start, end) in outside {
            let error = integrate(&samples, window(start, end)).unwrap_err();
            assert!(matches!(error, IntegrateError::NotCovered { .. }));
        }
        let empty = integrate(&samples, window(1.5, 1.5)).unwrap_err();
        assert!(matches!(empty, IntegrateError::EmptyWindow { .. }));
        assert!(integrate(&samples, window(f64::NAN, 1.5)).is_err());
        assert!(integrate(&Series::default(), window(1.0, 1.5)).is_err());
        let disorder = series(&[(1.0, 9.0), (1.0, 2.0), (3.0, 1.0)]);
        let error = integrate(&disorder, window(1.0, 2.0)).unwrap_err();
        assert_eq!(error, IntegrateError::NotIncreasing { index: 1, time_s: 1.0 });
    }

    /// A meter with refresh period 1 s shows the mean power of the period before, until
    /// the next refresh: work of 4 W over an idle of 1 W, from `start` to `end`.
    fn shown(time: f64, start: f64, end: f64) -> f64 {
        let refresh = time.floor();
        1.0 + 3.0 * (refresh.min(end) - (refresh - 1.0).max(start)).max(0.0)
    }

    /// Averaging and holding smear each edge over a triangle of 1 s to both sides, lag
    /// 1 s. With the lag corrected, an edge loses 3 W x 1 s / 6 on average over the phases
    /// of the refresh, so 16 J are seen as 15 J. Read at once, what is shown after the end
    /// is lost: more than 2 J.
    #[test]
    fn a_lagging_meter_is_read_later() {
        let timing = MeterTiming { update_period_s: 1.0, sample_period_s: 0.25 };
        let (mut late, mut prompt) = (0.0, 0.0);
        for phase in 0..100 {
            let (start, end) = (5.0 + f64::from(phase) / 100.0, 9.0 + f64::from(phase) / 100.0);
            let times = (0..60).map(|i| 0.037 + f64::from(i) / 4.0);
            let samples: Vec<_> = times.map(|time| (time, shown(time, start, end))).collect();
            let work = window(start, end);
            late += integrate_delayed(&series(&samples), work, timing).unwrap().0.right_endpoint.0;
            prompt += integrate(&series(&samples), work).unwrap().right_endpoint.0;
        }
        assert!((late / 100.0 - 15.0).abs() < 0.1, "{}", late / 100.0);
        assert!(prompt / 100.0 < 14.0, "{}", prompt / 100.0);
    }

    #[test]
    fn the_lag_ends_with_the_samples() {
        let samples = series(&[(0.0, 1.0), (1.0, 1.0), (2.0, 1.0)]);
        let timing = MeterTiming { update_period_s: 1.0, sample_period_s: 0.0 };
        let (energy, lag) = integrate_delayed(&samples, window(0.5, 1.75), timing).unwrap();
        assert_eq!((energy.right_endpoint, lag), (Joules(1.25), Seconds(0.25)));
        assert!(integrate_delayed(&samples, window(0.5, 2.5), timing).is_err());
    }

    proptest! {
        #[test]
        fn adjoining_windows_add_up(
            steps in prop::collection::vec((0.001f64..3.0, 0.0f64..20.0), 2..40),
            cuts in prop::array::uniform3(0.0f64..1.0),
        ) {
            let mut time = 100.0;
            let samples: Vec<_> = steps.iter().map(|(step, power)| { time += step; (time, *power) }).collect();
            let series = series(&samples);
            let (first, last) = (samples[0].0, samples[samples.len() - 1].0);
            let mut cuts = cuts.map(|share| first + share * (last - first));
            cuts.sort_by(f64::total_cmp);
            prop_assume!(cuts[0] < cuts[1] && cuts[1] < cuts[2]);
            let energy = |a, b| integrate(&series, window(a, b)).unwrap();
            let (left, right, whole) = (energy(cuts[0], cuts[1]), energy(cuts[1], cuts[2]), energy(cuts[0], cuts[2]));
            prop_assert!((left.right_endpoint + right.right_endpoint - whole.right_endpoint).0.abs() < 1e-9);
            prop_assert!((left.trapezoid + right.trapezoid - whole.trapezoid).0.abs() < 1e-9);
        }
    }
}
