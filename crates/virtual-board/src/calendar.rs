//! Dates of the board's wall clock, in UTC.

use jiff::fmt::strtime::{BrokenDownTime, Config};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ZonedDateTime};

/// Date and time of the board's wall clock in UTC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CalendarTime(ZonedDateTime);

impl CalendarTime {
    /// Date and time some nanoseconds after the start of Unix time; the last one of the year 9999
    /// for all later ones.
    pub(super) fn from_epoch_ns(epoch_ns: u128) -> Self {
        let timestamp = i128::try_from(epoch_ns).ok();
        let timestamp = timestamp.and_then(|ns| Timestamp::from_nanosecond(ns).ok());
        Self(timestamp.unwrap_or(Timestamp::MAX).to_zoned_datetime(TimeZone::UTC))
    }

    /// Time stamp in the log's format `MM-DD HH:MM:SS.mmm`.
    pub(super) fn log_stamp(&self) -> String {
        self.format("%m-%d %H:%M:%S.%3f")
    }

    /// Date in the format of `date +FORMAT`; an unknown letter stays as it is.
    pub(super) fn format(&self, format: &str) -> String {
        let mut text = String::new();
        let lenient = Config::new().lenient(true);
        let written = BrokenDownTime::from(&self.0).format_with_config(&lenient, format, &mut text);
        written.expect("a lenient format takes everything, a String takes it");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_moments() {
        let leap = CalendarTime::from_epoch_ns(1_709_210_096_789_000_000);
        assert_eq!(leap.log_stamp(), "02-29 12:34:56.789");
        assert_eq!(leap.format("%a %b %e %T %Z %Y"), "Thu Feb 29 12:34:56 UTC 2024");
        assert_eq!(leap.format("%s.%N %F 100%%"), "1709210096.789000000 2024-02-29 100%");
        assert_eq!(CalendarTime::from_epoch_ns(0).format("%F %A"), "1970-01-01 Thursday");
        assert_eq!(
            leap.format("%y %e %h %B %D %R %z%n%t%E%"),
            "24 29 Feb February 02/29/24 12:34 +0000\n\t%E%"
        );
        assert_eq!(CalendarTime::from_epoch_ns(u128::MAX).format("%Y"), "9999");
    }
}
