//! Valid ranges of the numbers in a scenario.

use std::fmt::Display;
use std::ops::RangeInclusive;

use super::error::FailedCheck;

/// Length of a session, in seconds.
pub(super) const SESSION_S: RangeInclusive<f64> = 0.001..=1e6;
/// Seconds of rest between runs.
pub(super) const REST_S: RangeInclusive<f64> = 0.0..=86_400.0;
/// Time or wait of an input step, in seconds.
pub(super) const STEP_S: RangeInclusive<f64> = 0.0..=1e6;
/// Samples per second: meters average over tens of microseconds and more.
pub(super) const RATE_HZ: RangeInclusive<f64> = 0.001..=1e6;
/// Length of a window of a session or a microbenchmark, in seconds.
pub(super) const WINDOW_S: RangeInclusive<f64> = 0.01..=86_400.0;
/// Largest gap between two samples, in seconds.
pub(super) const GAP_S: RangeInclusive<f64> = 0.001..=1e6;
/// Temperature limit in degrees Celsius.
pub(super) const TEMPERATURE_C: RangeInclusive<f64> = 1.0..=1000.0;
/// Relative errors and mismatches, as shares.
pub(super) const ERROR_SHARE: RangeInclusive<f64> = 1e-6..=1000.0;
/// Share of the removable blocks in a removed set.
pub(super) const REMOVED_SHARE: RangeInclusive<f64> = 1e-6..=0.999;
/// Share of a whole.
pub(super) const SHARE: RangeInclusive<f64> = 0.0..=1.0;
/// Supply voltage in volts.
pub(super) const SUPPLY_V: RangeInclusive<f64> = 0.1..=1000.0;
/// Difference in seconds between a meter's clock and the host's.
pub(super) const OFFSET_S: RangeInclusive<f64> = -1e11..=1e11;

/// Runs of one kind per case, or of each microbenchmark.
pub(super) const REPEATS: RangeInclusive<u64> = 1..=10_000;
/// As [`REPEATS`], where none is valid, too.
pub(super) const SOME_REPEATS: RangeInclusive<u64> = 0..=10_000;
/// Numbers of cases, candidates and microbenchmarks.
pub(super) const CASES: RangeInclusive<u64> = 1..=100_000;
/// Dry runs of a plan.
pub(super) const DRY_RUNS: RangeInclusive<u64> = 0..=10_000_000;
/// Releases of Java that javac compiles for.
pub(super) const JAVA_RELEASES: RangeInclusive<u32> = 7..=30;
/// Releases of Android, as API levels: the device scripts and the probes need the oldest.
pub(super) const API_LEVELS: RangeInclusive<u32> = 14..=100;
/// Frames or steps per session.
pub(super) const FRAMES: RangeInclusive<u64> = 1..=1_000_000_000_000;
/// Frequency in kHz.
pub(super) const FREQUENCY_KHZ: RangeInclusive<u64> = 1..=100_000_000;
/// Core numbers.
pub(super) const CORES: RangeInclusive<u64> = 0..=8191;
/// Pixels from the left or from the top.
pub(super) const PIXELS: RangeInclusive<i64> = -100_000..=100_000;
/// Duration of a swipe in milliseconds.
pub(super) const SWIPE_MS: RangeInclusive<u64> = 0..=3_600_000;
/// Android key codes.
pub(super) const KEYS: RangeInclusive<u64> = 0..=10_000;

/// Checks that a whole number is in a range.
pub(super) fn check_whole<T>(
    value: T,
    range: RangeInclusive<u64>,
    key: &str,
) -> Result<T, FailedCheck>
where
    T: Copy + Into<u64>,
{
    let number: u64 = value.into();
    match range.contains(&number) {
        true => Ok(value),
        false => Err(out_of_range(number, range.start(), range.end(), key)),
    }
}

/// Checks that a whole number, which may be negative, is in a range.
pub(super) fn check_signed(
    value: i32,
    range: RangeInclusive<i64>,
    key: &str,
) -> Result<i32, FailedCheck> {
    match range.contains(&i64::from(value)) {
        true => Ok(value),
        false => Err(out_of_range(value, range.start(), range.end(), key)),
    }
}

/// Checks that a number is in a range.
pub(super) fn check_number(
    value: f64,
    range: RangeInclusive<f64>,
    key: &str,
) -> Result<f64, FailedCheck> {
    match range.contains(&value) {
        true => Ok(value),
        false => Err(out_of_range(shown(value), shown(*range.start()), shown(*range.end()), key)),
    }
}

/// Checks that a number is a share, 0 to 1.
pub(super) fn check_share(value: f64, key: &str) -> Result<f64, FailedCheck> {
    check_number(value, SHARE, key)
}

fn out_of_range(value: impl Display, lo: impl Display, hi: impl Display, key: &str) -> FailedCheck {
    FailedCheck::new(key, format!("is {value}; it must be from {lo} to {hi}"))
}

/// A number in readable notation.
fn shown(value: f64) -> String {
    match value.abs() {
        size if size == 0.0 || (1e-6..=1e9).contains(&size) => value.to_string(),
        _ => format!("{value:e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_outside_of_their_range_are_told_with_it() {
        let message = |problem: FailedCheck| format!("{} {}", problem.key, problem.message);
        assert_eq!(check_number(0.5, SHARE, "k"), Ok(0.5));
        let problem = check_number(1e-300, WINDOW_S, "k").unwrap_err();
        assert_eq!(message(problem), "k is 1e-300; it must be from 0.01 to 86400");
        assert!(check_number(f64::NAN, SHARE, "k").is_err());
        let problem = check_whole(u32::MAX, REPEATS, "k").unwrap_err();
        assert_eq!(message(problem), "k is 4294967295; it must be from 1 to 10000");
        let problem = check_signed(i32::MIN, PIXELS, "k").unwrap_err();
        assert_eq!(message(problem), "k is -2147483648; it must be from -100000 to 100000");
    }
}
