//! Times in cells, as nanoseconds: numbers with all their digits, dates with a time of day.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::strtime::BrokenDownTime;
use jiff::tz::{Offset, TimeZone};
use thiserror::Error;

use crate::shortened::shortened;

/// Kind of a cell in a column of times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeCell {
    /// A number of some unit.
    Number,
    /// A date with a time of day.
    DateTime,
    /// Neither.
    Other,
}

impl TimeCell {
    /// Classifies a cell by its letters.
    pub fn of(cell: &str) -> Self {
        let cell = cell.trim();
        if cell.replacen(',', ".", 1).parse::<f64>().is_ok_and(f64::is_finite) {
            return Self::Number;
        }
        let is_date = cell.contains(':') && cell.contains(['-', '/', '.']);
        if is_date && cell.starts_with(|c: char| c.is_ascii_digit()) {
            Self::DateTime
        } else {
            Self::Other
        }
    }
}

/// Reasons why a date can't be read as a time.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DateTimeError {
    /// A notation that is not supported.
    #[error(
        "\"{}\" is no date that is read; write `2026-11-28T10:00:00.5Z`, or seconds of Unix",
        shortened(.0)
    )]
    Unreadable(String),
    /// A date whose day and month are ambiguous.
    #[error(
        "\"{}\" may have the day or the month first; write `2026-11-28T10:00:00.5Z`",
        shortened(.0)
    )]
    DayOrMonth(String),
    /// A date without a time zone.
    #[error("\"{}\" has no time zone", shortened(.0))]
    NoZone(String),
    /// A time zone whose name is not known here.
    #[error("\"{}\" is no time zone; use `UTC`, `+01:00`, or a name as `Europe/Berlin`", shortened(.0))]
    UnknownZone(String),
}

/// `strptime` formats of a date with a time of day, the year first or the day first.
const FORMATS: [&str; 5] = [
    "%Y-%m-%d %H:%M:%S%.f",
    "%Y/%m/%d %H:%M:%S%.f",
    "%Y.%m.%d %H:%M:%S%.f",
    "%d.%m.%Y %H:%M:%S%.f",
    "%d-%m-%Y %H:%M:%S%.f",
];

/// Reads a time zone: a name, an offset, or `local` for this machine's.
///
/// # Errors
/// A name that is not known here.
pub fn parse_zone(name: &str) -> Result<TimeZone, DateTimeError> {
    let unknown = || DateTimeError::UnknownZone(name.to_owned());
    match name {
        "local" => Ok(TimeZone::system()),
        "UTC" | "utc" | "Z" => Ok(TimeZone::UTC),
        _ if name.starts_with(['+', '-']) => {
            let (hours, minutes) = name[1..].split_once(':').unwrap_or((&name[1..], "0"));
            let number = |text: &str| text.parse::<i32>().ok();
            let seconds = number(hours).zip(number(minutes)).filter(|(h, m)| *h < 26 && *m < 60);
            let seconds = seconds.map(|(hours, minutes)| hours * 3600 + minutes * 60);
            let sign = if name.starts_with('-') { -1 } else { 1 };
            let offset = seconds.and_then(|seconds| Offset::from_seconds(sign * seconds).ok());
            offset.map(TimeZone::fixed).ok_or_else(unknown)
        }
        _ => TimeZone::get(name).map_err(|_| unknown()),
    }
}

/// Converts a date with a time of day to nanoseconds since 1970; `zone` is that of dates without
/// one.
///
/// # Errors
/// No date, or none with one meaning.
pub fn unix_nanos(cell: &str, zone: Option<&TimeZone>) -> Result<i128, DateTimeError> {
    let cell = cell.trim();
    if let Some(stamp) = parse_with_offset(cell) {
        return Ok(stamp.as_nanosecond());
    }
    let date = parse_civil(cell)?;
    let zone = zone.ok_or_else(|| DateTimeError::NoZone(cell.to_owned()))?;
    let zoned = date.to_zoned_datetime(zone.clone());
    let zoned = zoned.map_err(|_| DateTimeError::Unreadable(cell.to_owned()))?;
    Ok(zoned.timestamp().as_nanosecond())
}

/// Reads a number of units of `unit_ns` nanoseconds as nanoseconds, without a float where it is
/// a plain decimal: seconds of Unix with nine decimals have 19 digits.
pub fn decimal_nanos(text: &str, unit_ns: f64) -> Option<i128> {
    let number = text.parse::<f64>().ok().filter(|number| number.abs() < 1e20)?;
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_plain = fraction.bytes().all(|byte| byte.is_ascii_digit());
    let fraction = format!("0.{fraction}").parse::<f64>().ok().filter(|_| is_plain);
    let Some((whole, fraction)) = whole.parse::<i64>().ok().zip(fraction) else {
        return Some((number * unit_ns).round() as i128);
    };
    let part = (fraction * unit_ns).round() as i128;
    let sign = if text.starts_with('-') { -1 } else { 1 };
    Some(i128::from(whole) * unit_ns as i128 + sign * part)
}

/// Reads a date with an offset: `2026-11-28T10:00:00.5+01:00`.
fn parse_with_offset(cell: &str) -> Option<Timestamp> {
    let spaced = cell.replacen(" +", "+", 1).replacen(" UTC", "Z", 1);
    spaced.parse().ok()
}

/// Reads a date without a zone, in any supported notation.
fn parse_civil(cell: &str) -> Result<DateTime, DateTimeError> {
    let unreadable = || DateTimeError::Unreadable(cell.to_owned());
    let text = cell.replace(',', ".").replacen('T', " ", 1).replace(['\u{a0}', '\u{202f}'], " ");
    for format in FORMATS {
        if let Some(date) = parse_as(format, &text) {
            return Ok(date);
        }
    }
    let american = ["%m/%d/%Y %I:%M:%S%.f %p", "%m/%d/%Y %H:%M:%S%.f"];
    let british = ["%d/%m/%Y %I:%M:%S%.f %p", "%d/%m/%Y %H:%M:%S%.f"];
    let first = |formats: [&str; 2]| formats.iter().find_map(|format| parse_as(format, &text));
    match (first(american), first(british)) {
        (Some(a), Some(b)) if a != b => Err(DateTimeError::DayOrMonth(cell.to_owned())),
        (Some(date), _) | (None, Some(date)) => Ok(date),
        (None, None) => Err(unreadable()),
    }
}

fn parse_as(format: &str, text: &str) -> Option<DateTime> {
    BrokenDownTime::parse(format, text).ok()?.to_datetime().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEN: i128 = 1_795_860_000_500_000_000;

    #[test]
    fn dates_are_read_in_the_notations_of_loggers() {
        for cell in [
            "2026-11-28T10:00:00.5Z",
            "2026-11-28T11:00:00.5+01:00",
            "2026-11-28 10:00:00.5 UTC",
            "2026-11-28 11:00:00.5 +01:00",
        ] {
            assert_eq!(unix_nanos(cell, None), Ok(TEN), "{cell}");
        }
        for cell in [
            "2026-11-28 10:00:00.5",
            "2026-11-28T10:00:00,5",
            "2026/11/28 10:00:00.5",
            "28.11.2026 10:00:00,5",
            "28/11/2026 10:00:00.5",
            "11/28/2026 10:00:00.5 AM",
        ] {
            assert_eq!(unix_nanos(cell, Some(&TimeZone::UTC)), Ok(TEN), "{cell}");
            assert_eq!(TimeCell::of(cell), TimeCell::DateTime, "{cell}");
            assert_eq!(unix_nanos(cell, None), Err(DateTimeError::NoZone(cell.into())));
        }
        let east = parse_zone("+01:30").unwrap();
        assert_eq!(unix_nanos("2026-11-28 11:30:00.5", Some(&east)), Ok(TEN));
    }

    #[test]
    fn what_has_two_meanings_or_none_is_refused() {
        let said = |cell| unix_nanos(cell, Some(&TimeZone::UTC)).unwrap_err().to_string();
        assert!(said("03/04/2026 10:00:00").contains("day or the month first"));
        assert!(said("yesterday").contains("is no date"));
        assert!(said("2026-13-28 10:00:00").contains("is no date"));
        assert!(parse_zone("Atlantis/Main").unwrap_err().to_string().contains("Europe/Berlin"));
        assert!(parse_zone("+99:00").is_err());
    }

    #[test]
    fn numbers_are_told_from_dates() {
        for (cell, expected) in [
            ("1767258000.5", TimeCell::Number),
            ("0,5", TimeCell::Number),
            ("-1e3", TimeCell::Number),
            ("10:00:00", TimeCell::Other),
            ("", TimeCell::Other),
            ("nan", TimeCell::Other),
        ] {
            assert_eq!(TimeCell::of(cell), expected, "{cell}");
        }
    }

    /// A float of 1.8e18 ns is only good to 256 ns.
    #[test]
    fn decimals_keep_all_their_digits() {
        for (text, unit_ns, expected) in [
            ("-1.25", 1e9, -1_250_000_000),
            ("-0.5", 1e3, -500),
            ("1795336104123.5", 1e6, 1_795_336_104_123_500_000),
            ("1.5e3", 1e9, 1_500_000_000_000),
            ("7", 1.0, 7),
        ] {
            assert_eq!(decimal_nanos(text, unit_ns), Some(expected), "{text}");
        }
        assert_eq!(decimal_nanos("1e300", 1.0), None);
        assert_eq!(decimal_nanos("x", 1.0), None);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_a_date_or_not(cell in "[0-9:/. ,TZ+APM-]{0,30}") {
            let _ = unix_nanos(&cell, Some(&TimeZone::UTC));
            let _ = parse_zone(&cell);
        }
    }
}
