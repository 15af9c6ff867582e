//! Alignment of two logs with clocks of their own: the lag between them, by markers that both
//! hold or by cross-correlation of their values, and how much it varies over the logs.
//!
//! A lag is what is to be added to a time of the second log to make it one of the first.

use thiserror::Error;

use super::integrate::Series;
use crate::quantile::median;

/// Time lag between the clocks of two logs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClockLag {
    /// Seconds to add to the second log's times to get the first one's.
    pub lag_s: f64,
    /// Largest distance of a part of the logs, or of a marker, from the lag, in seconds: clocks
    /// that run at different speeds show here.
    pub residual_s: f64,
    /// Correlation of the two logs at this lag, from -1 to 1; none for markers.
    pub correlation: Option<f64>,
}

/// Reasons why two logs can't be aligned.
#[derive(Debug, Error, Clone, PartialEq)]
pub enum AlignError {
    /// No marker that both logs hold.
    #[error("the logs have no mark in common")]
    NoMarkers,
    /// Logs that hardly overlap, or do not change.
    #[error("{log} log has no change to align by within the {max_lag_s} s that are looked at")]
    Flat {
        /// `the first` or `the second`.
        log: &'static str,
        /// The largest lag that was allowed.
        max_lag_s: f64,
    },
    /// Logs whose best correlation is too low.
    #[error(
        "the logs do not resemble each other: the best correlation is {correlation:.2}, at a lag \
         of {lag_s:.3} s"
    )]
    Unlike {
        /// The best correlation.
        correlation: f64,
        /// Lag of the best correlation, in seconds.
        lag_s: f64,
    },
}

/// Least correlation of two logs that count as aligned.
const CORRELATION_MIN: f64 = 0.5;

/// Estimates the lag from markers, pairs of a marker's time in the first and in the second log:
/// the median of the differences; the residual is the largest distance of one from it.
pub fn align_markers(pairs: &[(f64, f64)]) -> Result<ClockLag, AlignError> {
    let lags = pairs.iter().map(|(first, second)| first - second);
    let lags: Vec<f64> = lags.filter(|lag| lag.is_finite()).collect();
    let lag_s = median(lags.iter().copied()).ok_or(AlignError::NoMarkers)?;
    let residual_s = lags.iter().map(|lag| (lag - lag_s).abs()).fold(0.0, f64::max);
    Ok(ClockLag { lag_s, residual_s, correlation: None })
}

/// Settings of the search for a lag by cross-correlation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CorrelationOptions {
    /// Step of the common grid in seconds: the faster log's period or less.
    pub step_s: f64,
    /// Largest lag tried, to both sides, in seconds.
    pub max_lag_s: f64,
}

/// Estimates the lag at which two logs correlate most, refined between the grid's steps by a
/// parabola through the peak. The residual is that of the logs' two halves.
pub fn align_by_correlation(
    first: &Series,
    second: &Series,
    options: CorrelationOptions,
) -> Result<ClockLag, AlignError> {
    let a = resample(first, options, "the first")?;
    let b = resample(second, options, "the second")?;
    // Each grid begins at its own log's start.
    let between_s = first.time_s[0] - second.time_s[0];
    let (steps, correlation) = best_lag(&a, &b, between_s, options);
    let lag_s = between_s + steps * options.step_s;
    if correlation < CORRELATION_MIN {
        return Err(AlignError::Unlike { correlation, lag_s });
    }
    let half = a.len() / 2;
    // Parts are looked for near the lag of the whole.
    let near = CorrelationOptions { max_lag_s: 20.0 * options.step_s, ..options };
    let part_lag = |from: usize, to: usize| {
        let part_s = between_s + from as f64 * options.step_s;
        let shift = part_s - lag_s;
        let (steps, correlation) = best_lag(&a[from..to], &b, shift, near);
        (correlation >= CORRELATION_MIN).then_some(shift + steps * options.step_s)
    };
    let parts = [part_lag(0, half), part_lag(half, a.len())];
    let residual_s = parts.into_iter().flatten().map(f64::abs).fold(0.0, f64::max);
    Ok(ClockLag {
        lag_s,
        residual_s: residual_s.max(0.5 * options.step_s),
        correlation: Some(correlation),
    })
}

/// Samples a log at equal steps from its start, each value the last one before its time.
fn resample(
    series: &Series,
    options: CorrelationOptions,
    log: &'static str,
) -> Result<Vec<f64>, AlignError> {
    let flat = AlignError::Flat { log, max_lag_s: options.max_lag_s };
    let (Some(start), Some(end)) = (series.time_s.first(), series.time_s.last()) else {
        return Err(flat);
    };
    /// More steps than any log of a campaign has.
    const STEPS_MAX: f64 = 5e6;
    let steps = ((end - start) / options.step_s).floor();
    if !(3.0..=STEPS_MAX).contains(&steps) {
        return Err(flat);
    }
    let mut at = 0;
    let values: Vec<f64> = (0..=steps as usize)
        .map(|step| {
            let time = start + step as f64 * options.step_s;
            while at + 1 < series.time_s.len() && series.time_s[at + 1] <= time {
                at += 1;
            }
            series.power_w[at]
        })
        .collect();
    let is_flat = values.iter().all(|value| *value == values[0] || !value.is_finite());
    if is_flat { Err(flat) } else { Ok(values) }
}

/// Finds the shift of `b` against `a` in steps (a part of one included) with the largest
/// correlation, so that the lag `between_s + shift` is within the largest.
fn best_lag(a: &[f64], b: &[f64], between_s: f64, options: CorrelationOptions) -> (f64, f64) {
    let first = ((-options.max_lag_s - between_s) / options.step_s).ceil() as i64;
    let last = ((options.max_lag_s - between_s) / options.step_s).floor() as i64;
    let overlaps = -(b.len() as i64) + 2..=a.len() as i64 - 2;
    let shifts: Vec<i64> = (first.max(*overlaps.start())..=last.min(*overlaps.end())).collect();
    let all: Vec<f64> = shifts.iter().map(|shift| correlation(a, b, *shift)).collect();
    let best = (0..all.len()).max_by(|x, y| all[*x].total_cmp(&all[*y]));
    let Some(best) = best else { return (0.0, f64::NEG_INFINITY) };
    let refined = match (best.checked_sub(1).map(|at| all[at]), all.get(best + 1)) {
        (Some(before), Some(after)) => parabola_vertex(before, all[best], *after),
        _ => 0.0,
    };
    (shifts[best] as f64 + refined, all[best])
}

/// Returns the position of the top of a parabola through three equally spaced values, from the
/// middle one.
fn parabola_vertex(before: f64, top: f64, after: f64) -> f64 {
    let curvature = before - 2.0 * top + after;
    let shift = if curvature < 0.0 { 0.5 * (before - after) / curvature } else { 0.0 };
    shift.clamp(-0.5, 0.5)
}

/// Returns Pearson's correlation of `a[i]` and `b[i - shift]` where both exist, -1 where less
/// than a third of the shorter one overlaps.
fn correlation(a: &[f64], b: &[f64], shift: i64) -> f64 {
    let from = shift.max(0) as usize;
    let to = a.len().min((b.len() as i64 + shift).max(0) as usize);
    if to <= from || (to - from) * 3 < a.len().min(b.len()) {
        return -1.0;
    }
    let n = (to - from) as f64;
    let pairs = || (from..to).map(|at| (a[at], b[(at as i64 - shift) as usize]));
    let (sum_a, sum_b) = pairs().fold((0.0, 0.0), |(x, y), (a, b)| (x + a, y + b));
    let (mean_a, mean_b) = (sum_a / n, sum_b / n);
    let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for (a, b) in pairs() {
        ab += (a - mean_a) * (b - mean_b);
        aa += (a - mean_a).powi(2);
        bb += (b - mean_b).powi(2);
    }
    if aa > 0.0 && bb > 0.0 { ab / (aa * bb).sqrt() } else { -1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A load that changes every 3 s in a way that does not repeat.
    fn power(time_s: f64) -> f64 {
        let step = (time_s / 3.0).floor();
        1.0 + ((step * 12.9898).sin() * 43_758.545).fract().abs()
    }

    fn log(start_s: f64, end_s: f64, period_s: f64, clock: impl Fn(f64) -> f64) -> Series {
        let steps = ((end_s - start_s) / period_s) as usize;
        let times: Vec<f64> = (0..steps).map(|step| start_s + step as f64 * period_s).collect();
        Series {
            power_w: times.iter().map(|time| power(*time)).collect(),
            time_s: times.into_iter().map(clock).collect(),
        }
    }

    const OPTIONS: CorrelationOptions = CorrelationOptions { step_s: 0.05, max_lag_s: 60.0 };

    #[test]
    fn marks_give_their_median_and_what_is_left() {
        let lag = align_markers(&[(10.0, 3.0), (20.0, 13.1), (30.0, 22.9)]).unwrap();
        assert!((lag.lag_s - 7.0).abs() < 1e-9 && (lag.residual_s - 0.1).abs() < 1e-9, "{lag:?}");
        assert_eq!(align_markers(&[]), Err(AlignError::NoMarkers));
    }

    #[test]
    fn a_shifted_log_is_found() {
        let board = log(100.0, 220.0, 0.1, |time| time);
        for shift in [-41.37, 0.0, 17.23] {
            // The other log begins later, ends earlier and samples at another rate.
            let other = log(110.0, 200.0, 0.07, |time| time - shift);
            let lag = align_by_correlation(&board, &other, OPTIONS).unwrap();
            assert!((lag.lag_s - shift).abs() < 0.06, "{shift}: {lag:?}");
            assert!(lag.correlation.unwrap() > 0.95 && lag.residual_s < 0.06, "{lag:?}");
        }
    }

    #[test]
    fn a_clock_of_another_speed_leaves_a_residual() {
        let board = log(0.0, 300.0, 0.1, |time| time);
        // 2000 ppm: 0.6 s over the log, so each half is about 0.15 s off.
        let other = log(0.0, 300.0, 0.1, |time| time * 1.002);
        let lag = align_by_correlation(&board, &other, OPTIONS).unwrap();
        assert!((0.1..0.5).contains(&lag.residual_s), "{lag:?}");
    }

    #[test]
    fn logs_that_tell_nothing_are_errors() {
        let board = log(0.0, 60.0, 0.1, |time| time);
        let flat = Series { power_w: vec![1.0; board.time_s.len()], ..board.clone() };
        let error = align_by_correlation(&board, &flat, OPTIONS).unwrap_err();
        assert!(matches!(error, AlignError::Flat { log: "the second", .. }), "{error}");
        let noise: Vec<f64> =
            (0..600).map(|at| (f64::from(at) * 78.233).sin().fract().abs()).collect();
        let other = Series { power_w: noise, ..board.clone() };
        let error = align_by_correlation(&board, &other, OPTIONS).unwrap_err();
        assert!(matches!(error, AlignError::Unlike { .. }), "{error}");
        assert!(align_by_correlation(&Series::default(), &board, OPTIONS).is_err());
    }
}
