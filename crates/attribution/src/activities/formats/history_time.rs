//! Times of a battery history's lines: durations since its begin, or, since Android 14
//! (`[Format: 2]`), the device's local date and time without a year.

use jiff::civil::DateTime;
use jiff::{Span, SpanRelativeTo, Unit};

/// Milliseconds of a leap year, the longest step of a history.
pub(super) const YEAR_MS: i64 = 366 * 86_400_000;

/// Format of the times in a history: durations or local times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HistoryFormat {
    /// `+1h02m03s004ms (2) 090 ...`.
    Relative,
    /// `11-27 09:00:00.000 090 ...`.
    LocalTime,
}

/// Clock that turns the times of a history's lines into milliseconds since its begin.
#[derive(Debug)]
pub(super) struct HistoryClock {
    format: HistoryFormat,
    year: i16,
    first: Option<DateTime>,
    now_ms: i64,
    /// What is added to times, so that a clock that was set back goes on.
    shift_ms: i64,
    /// Times that went back.
    pub steps: u64,
}

impl HistoryFormat {
    /// Returns the format in a history's title, the text after `Battery History`; an unknown format
    /// number is the error.
    pub(crate) fn from_title(title: &str) -> Result<Self, &str> {
        let Some((_, rest)) = title.split_once("[Format:") else { return Ok(Self::Relative) };
        match rest.split(']').next().unwrap_or("").trim() {
            "1" => Ok(Self::Relative),
            "2" => Ok(Self::LocalTime),
            other => Err(other),
        }
    }
}

impl HistoryClock {
    /// Creates a clock at the begin of a history with these lines.
    pub fn new<'t>(format: HistoryFormat, mut lines: impl Iterator<Item = &'t str>) -> Self {
        // Without a year, only a leap day tells that the year had one.
        let is_leap = format == HistoryFormat::LocalTime
            && lines.any(|line| line.trim_start().starts_with("02-29 "));
        let year = if is_leap { 2024 } else { 2023 };
        Self { format, year, first: None, now_ms: 0, shift_ms: 0, steps: 0 }
    }

    /// Returns a line's time in milliseconds since the begin and the words after the time; `None`
    /// for a line that has no time because it goes on with the one before.
    pub fn read_line<'l>(&mut self, line: &'l str) -> Option<Result<(i64, &'l str), String>> {
        let line = line.trim_start();
        let is_entry = match self.format {
            HistoryFormat::Relative => line.starts_with(['+', '0']),
            HistoryFormat::LocalTime => line.starts_with(|letter: char| letter.is_ascii_digit()),
        };
        if !is_entry {
            return None;
        }
        let words = match self.format {
            HistoryFormat::Relative => 1,
            HistoryFormat::LocalTime => 2,
        };
        let (time, rest) = split_words(line, words);
        let read = match self.format {
            HistoryFormat::Relative => duration_ms(time),
            HistoryFormat::LocalTime => self.local_ms(time),
        };
        Some(
            read.map(|ms| (self.never_backwards(ms), rest))
                .ok_or_else(|| format!("no time in {time:?}")),
        )
    }

    /// Returns the milliseconds since the first line's local time. A year ends between two lines
    /// where the date goes back by more than half a year.
    fn local_ms(&mut self, time: &str) -> Option<i64> {
        let (date, clock) = time.split_once(char::is_whitespace)?;
        let at = |year: i16| format!("{year:04}-{date}T{}", clock.trim()).parse::<DateTime>().ok();
        let first = match self.first {
            Some(first) => first,
            None => *self.first.insert(at(self.year)?),
        };
        let since = |at: DateTime| {
            let span = first.until((Unit::Hour, at)).ok()?;
            i64::try_from(span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?.as_millis())
                .ok()
        };
        let ms = at(self.year).or_else(|| at(self.year + 1)).and_then(since)?;
        if ms + self.shift_ms < self.now_ms - YEAR_MS / 2 {
            self.year += 1;
            return at(self.year).and_then(since);
        }
        Some(ms)
    }

    /// Returns a time that is never earlier than the one before: after a clock was set back, or a
    /// history begins anew, times continue from the latest one.
    fn never_backwards(&mut self, ms: i64) -> i64 {
        let at = ms.saturating_add(self.shift_ms);
        if at < self.now_ms {
            self.steps += 1;
            self.shift_ms = self.now_ms.saturating_sub(ms);
        }
        self.now_ms = self.now_ms.max(at);
        self.now_ms
    }
}

/// Splits a line after its first `count` words.
fn split_words(line: &str, count: usize) -> (&str, &str) {
    let mut ends = line
        .char_indices()
        .filter(|(at, letter)| {
            letter.is_whitespace() && !line[..*at].ends_with(char::is_whitespace)
        })
        .map(|(at, _)| at);
    match ends.nth(count - 1) {
        Some(end) => line.split_at(end),
        None => (line, ""),
    }
}

/// `+1d2h3m4s567ms`, `0`.
fn duration_ms(text: &str) -> Option<i64> {
    let text = text.trim_start_matches('+');
    if text == "0" {
        return Some(0);
    }
    let span: Span = text.parse().ok()?;
    let duration = span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?;
    i64::try_from(duration.as_millis()).ok().filter(|ms| (0..YEAR_MS * 100).contains(ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(format: HistoryFormat, lines: &[&str]) -> Vec<i64> {
        let mut clock = HistoryClock::new(format, lines.iter().copied());
        lines.iter().filter_map(|line| clock.read_line(line)?.ok()).map(|(ms, _)| ms).collect()
    }

    #[test]
    fn durations() {
        assert_eq!(duration_ms("+1d2h3m4s567ms"), Some(93_784_567));
        assert_eq!(
            (duration_ms("0"), duration_ms("+5x"), duration_ms("+5")),
            (Some(0), None, None)
        );
    }

    #[test]
    fn local_times_across_midnight_and_new_year() {
        let lines = [
            "  12-31 23:59:59.500 090 +screen",
            "01-01 00:00:01.000 089",
            "x=1",
            "01-02 00:00:01.000 089",
        ];
        assert_eq!(times(HistoryFormat::LocalTime, &lines), [0, 1500, 86_401_500]);
        let leap = ["02-28 12:00:00.000 1", "02-29 12:00:00.000 1", "03-01 12:00:00.000 1"];
        assert_eq!(times(HistoryFormat::LocalTime, &leap), [0, 86_400_000, 172_800_000]);
        let mut clock = HistoryClock::new(HistoryFormat::LocalTime, [].into_iter());
        let (_, rest) = clock.read_line("11-27 08:00:00.000 090 +screen").unwrap().unwrap();
        assert_eq!(rest, " 090 +screen");
        assert!(clock.read_line("11-27 8 o'clock").unwrap().is_err());
    }

    #[test]
    fn a_clock_that_is_set_back_goes_on() {
        let lines = [
            "11-27 08:00:00.000 1",
            "11-27 09:00:00.000 1",
            "11-27 08:30:00.000 1",
            "11-27 08:31:00.000 1",
        ];
        assert_eq!(times(HistoryFormat::LocalTime, &lines), [0, 3_600_000, 3_600_000, 3_660_000]);
        assert_eq!(times(HistoryFormat::Relative, &["+10s", "0", "+5s"]), [10_000, 10_000, 15_000]);
    }

    #[test]
    fn formats_by_title() {
        assert_eq!(HistoryFormat::from_title(" (2% used):"), Ok(HistoryFormat::Relative));
        assert_eq!(HistoryFormat::from_title(" [Format: 2] (2%):"), Ok(HistoryFormat::LocalTime));
        assert_eq!(HistoryFormat::from_title(" [Format: 3] (2%):"), Err("3"));
    }
}
