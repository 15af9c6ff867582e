//! The energy of each window of a microbenchmark session above the idle level of the gaps
//! around it.
//!
//! A meter that averages over a refresh period U and holds the value for another shows
//! a window's energy until 2 U after its end. So the integral reaches from the window's
//! start to 2 U after its end, and the idle level comes from samples that are more than
//! 2 U after one window and before the next. The gaps must be longer than that.

use thiserror::Error;

use crate::power::{
    IntegrateError, MeterTiming, NamedWindow, RuntimeThreadTimes, Series, Window, integrate,
};
use crate::quantile::median;
use crate::units::Seconds;

use super::energy::mean;

/// Energy above idle of one microbenchmark's window.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MicrobenchmarkEnergy {
    /// Name of the microbenchmark.
    pub name: String,
    /// Number of iterations that the program printed.
    pub iterations: Option<u64>,
    /// Number of GC runs in the window.
    pub gc_runs: u64,
    /// CPU times of the runtime's threads in the window; none if they were not read.
    pub threads: Option<RuntimeThreadTimes>,
    /// Energy above idle in joules; may be negative.
    pub energy_j: f64,
    /// Length of the window in seconds.
    pub duration_s: f64,
    /// The subtracted idle level in watts.
    pub idle_power_w: f64,
    /// Standard error of the energy that comes from the idle level's, in joules; none
    /// with fewer than two idle samples.
    pub idle_se_j: Option<f64>,
}

/// Error of a microbenchmark session without usable energies.
#[derive(Debug, Error, Clone, PartialEq)]
pub(crate) enum MicrobenchmarkError {
    /// A gap in which the meter never shows idle.
    #[error(
        "the gap before microbenchmark `{name}` is {gap_s:.3} s; the meter needs more than two refresh \
         periods ({needed_s:.3} s): raise `microbenchmarks.gap_s`"
    )]
    ShortGap {
        /// The microbenchmark after the gap.
        name: String,
        /// Length of the gap in seconds.
        gap_s: f64,
        /// Two refresh periods in seconds.
        needed_s: f64,
    },
    /// No sample near the microbenchmark shows idle.
    #[error(
        "no sample within {IDLE_REACH_S} s of microbenchmark `{name}` shows idle power: raise `microbenchmarks.gap_s` or the sample rate"
    )]
    NoIdle {
        /// The microbenchmark.
        name: String,
    },
    /// The samples don't cover the window and the time until the meter has shown it.
    #[error("microbenchmark `{name}`: {source}")]
    Integrate {
        /// The microbenchmark.
        name: String,
        /// Error of the integration.
        #[source]
        source: IntegrateError,
    },
}

/// Largest distance in seconds from a window's middle of the idle samples for its level: near
/// enough for slow drift, far enough for several gaps.
const IDLE_REACH_S: f64 = 20.0;

/// Computes the energies of all windows of one session, in order.
pub(crate) fn microbenchmark_energies(
    series: &Series,
    windows: &[NamedWindow],
    timing: MeterTiming,
) -> Result<Vec<MicrobenchmarkEnergy>, MicrobenchmarkError> {
    let shown_s = 2.0 * timing.update_period_s;
    for pair in windows.windows(2) {
        let gap_s = pair[1].window.start_s - pair[0].window.end_s;
        if gap_s <= shown_s {
            let name = pair[1].name.clone();
            return Err(MicrobenchmarkError::ShortGap { name, gap_s, needed_s: shown_s });
        }
    }
    let idle = idle_samples(series, windows, shown_s);
    windows
        .iter()
        .enumerate()
        .map(|(index, window)| {
            let before = index.checked_sub(1).map(|before| windows[before].window.end_s + shown_s);
            row(series, window, before, &idle, timing)
        })
        .collect()
}

/// Time and power of the samples that show no window, `shown_s` being how long the meter shows a
/// window after its end.
fn idle_samples(series: &Series, windows: &[NamedWindow], shown_s: f64) -> Vec<(f64, f64)> {
    let shows = |time: f64| {
        windows.iter().any(|w| w.window.start_s < time && time < w.window.end_s + shown_s)
    };
    let first = windows.first().map_or(f64::INFINITY, |window| window.window.start_s);
    let samples = series.time_s.iter().copied().zip(series.power_w.iter().copied());
    // Before the first window the program starts, which is not idle.
    samples.filter(|(time, _)| *time >= first && !shows(*time)).collect()
}

fn row(
    series: &Series,
    named: &NamedWindow,
    quiet_from_s: Option<f64>,
    idle: &[(f64, f64)],
    timing: MeterTiming,
) -> Result<MicrobenchmarkEnergy, MicrobenchmarkError> {
    let Window { start_s, end_s } = named.window;
    let middle_s = 0.5 * (start_s + end_s);
    let near = |(time, _): &&(f64, f64)| (time - middle_s).abs() <= IDLE_REACH_S;
    let levels: Vec<f64> = idle.iter().filter(near).map(|(_, power)| *power).collect();
    let name = || named.name.clone();
    // Where the runtime's threads are told apart they work in the gaps, too: they collect.
    let level = match named.threads {
        Some(_) => median(levels.iter().copied()),
        None => mean(&levels),
    };
    let idle_power_w = level.ok_or_else(|| MicrobenchmarkError::NoIdle { name: name() })?;
    // The right-endpoint rule counts a sample for the time since the one before it.
    let early_s = (start_s - timing.sample_period_s).max(quiet_from_s.unwrap_or(start_s));
    let shown =
        Window { start_s: early_s.min(start_s), end_s: end_s + 2.0 * timing.update_period_s };
    let energy = integrate(series, shown)
        .map_err(|source| MicrobenchmarkError::Integrate { name: name(), source })?;
    let Seconds(length_s) = shown.duration();
    // A sampler slower than the meter misses values: what it saw is only a mean.
    let sees_all = (0.0..timing.update_period_s).contains(&timing.sample_period_s);
    let energy_j = match sees_all {
        true => refreshed(series, Window { start_s, ..shown }, idle_power_w, timing),
        false => energy.right_endpoint.0 - idle_power_w * length_s,
    };
    let variance = super::energy::variance(&levels);
    Ok(MicrobenchmarkEnergy {
        name: name(),
        iterations: named.iterations,
        gc_runs: named.gc_runs,
        threads: named.threads,
        energy_j,
        duration_s: end_s - start_s,
        idle_power_w,
        idle_se_j: variance.map(|v| (v / levels.len() as f64).sqrt() * length_s),
    })
}

/// Adds up the energies of the same windows on two rails.
pub(crate) fn sum_of_rails(
    a: &[MicrobenchmarkEnergy],
    b: &[MicrobenchmarkEnergy],
) -> Vec<MicrobenchmarkEnergy> {
    let sum = |(a, b): (&MicrobenchmarkEnergy, &MicrobenchmarkEnergy)| MicrobenchmarkEnergy {
        energy_j: a.energy_j + b.energy_j,
        idle_power_w: a.idle_power_w + b.idle_power_w,
        idle_se_j: a.idle_se_j.zip(b.idle_se_j).map(|(a, b)| a.hypot(b)),
        ..a.clone()
    };
    a.iter().zip(b).map(sum).collect()
}

/// Energy above idle of a meter that shows the mean of each refresh period: every value
/// stands for its whole period, however late a sample saw it. (Times of samples would
/// put the ends of a window off by a part of the sample period, far more than the meter
/// is.) A value that stays for several periods stands for each.
fn refreshed(series: &Series, shown: Window, idle_power_w: f64, timing: MeterTiming) -> f64 {
    let period_s = timing.update_period_s;
    let mut energy_j = 0.0;
    let mut index = series.time_s.partition_point(|time| *time <= shown.start_s);
    while index < series.time_s.len() && series.time_s[index] <= shown.end_s {
        let (appeared_s, power_w) = (series.time_s[index], series.power_w[index]);
        let same = series.power_w[index..].iter().take_while(|power| **power == power_w).count();
        let is_new = index == 0 || series.power_w[index - 1] != power_w;
        let next_s = series.time_s.get(index + same).map_or(shown.end_s, |time| *time);
        if is_new {
            let periods = ((next_s.min(shown.end_s) - appeared_s) / period_s).round().max(1.0);
            energy_j += periods * period_s * (power_w - idle_power_w);
        }
        index += same;
    }
    energy_j
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, start_s: f64, end_s: f64) -> NamedWindow {
        let window = Window { start_s, end_s };
        NamedWindow { name: name.into(), window, iterations: Some(7), gc_runs: 0, threads: None }
    }

    /// Microbenchmarks of 1 s at 3 W and 5 W above an idle of 2 W.
    fn windows(shift: f64) -> Vec<NamedWindow> {
        vec![named("a", 3.0 + shift, 4.0 + shift), named("b", 5.0 + shift, 6.0 + shift)]
    }

    /// What a meter with refresh period 0.25 s shows of them: means, held.
    fn shown(period_s: f64, shift: f64) -> Series {
        let mut series = Series::default();
        let count = (9.0 / period_s) as usize;
        for i in 0..=count {
            let time = 1.013 + i as f64 * period_s;
            let refresh = (time / 0.25).floor() * 0.25;
            let part = |start: f64, end: f64| {
                (refresh.min(end) - (refresh - 0.25).max(start)).max(0.0) / 0.25
            };
            let work = 3.0 * part(3.0 + shift, 4.0 + shift) + 5.0 * part(5.0 + shift, 6.0 + shift);
            series.time_s.push(time);
            series.power_w.push(2.0 + work);
        }
        series
    }

    #[test]
    fn a_microbenchmarks_energy_is_found_whole_whatever_the_refresh() {
        let timing = MeterTiming { update_period_s: 0.25, sample_period_s: 0.01 };
        for phase in 0..5 {
            let shift = f64::from(phase) * 0.05;
            let rows =
                microbenchmark_energies(&shown(0.01, shift), &windows(shift), timing).unwrap();
            for (row, expected) in rows.iter().zip([3.0, 5.0]) {
                assert!((row.energy_j - expected).abs() < 0.05, "{shift}: {row:?}");
                assert!((row.idle_power_w - 2.0).abs() < 1e-9);
                assert!(row.idle_se_j.unwrap() < 1e-9);
            }
            assert_eq!(rows[1].iterations, Some(7));
            assert!((rows[1].duration_s - 1.0).abs() < 1e-9);
        }
    }

    /// At 4 samples per second single windows are off, their mean over the phases isn't.
    #[test]
    fn slow_sampling_has_no_bias() {
        let timing = MeterTiming { update_period_s: 0.25, sample_period_s: 0.2 };
        let mut sum = 0.0;
        for phase in 0..50 {
            let shift = f64::from(phase) * 0.01;
            sum += microbenchmark_energies(&shown(0.2, shift), &windows(shift), timing).unwrap()[0]
                .energy_j;
        }
        assert!((sum / 50.0 - 3.0).abs() < 0.06, "{}", sum / 50.0);
    }

    /// Noise of the meter apart, late samples cost nothing: at 125 ms and 264 ms refresh
    /// every window is exact, whatever its phase; equal readings stand for several periods.
    #[test]
    fn samples_may_be_late() {
        let timing = MeterTiming { update_period_s: 0.25, sample_period_s: 0.11 };
        for phase in 0..20 {
            let shift = f64::from(phase) * 0.013;
            let rows =
                microbenchmark_energies(&shown(0.11, shift), &windows(shift), timing).unwrap();
            assert!((rows[0].energy_j - 3.0).abs() < 0.02, "{shift}: {rows:?}");
        }
    }

    #[test]
    fn gaps_must_show_idle() {
        let timing = MeterTiming { update_period_s: 0.25, sample_period_s: 0.01 };
        let mut near = windows(0.0);
        near[1].window.start_s = 4.4;
        let error = microbenchmark_energies(&shown(0.01, 0.0), &near, timing).unwrap_err();
        assert!(matches!(error, MicrobenchmarkError::ShortGap { .. }), "{error}");
        let late = vec![named("z", 9.0, 9.9)];
        let error = microbenchmark_energies(&shown(0.01, 0.0), &late, timing).unwrap_err();
        assert!(matches!(error, MicrobenchmarkError::NoIdle { .. }), "{error}");
        let none = microbenchmark_energies(&Series::default(), &windows(0.0), timing).unwrap_err();
        assert!(matches!(none, MicrobenchmarkError::NoIdle { .. }), "{none}");
        assert_eq!(microbenchmark_energies(&Series::default(), &[], timing), Ok(vec![]));
    }
}
