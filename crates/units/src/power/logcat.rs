//! Parser of `logcat` lines in the formats threadtime, time and brief.

use jiff::SignedDuration;
use jiff::civil::date;
use jiff::fmt::strtime::BrokenDownTime;

/// One line of `logcat`, split into its fields.
#[derive(Debug, Clone, PartialEq)]
pub struct LogLine<'t> {
    /// Wall clock in seconds since the year's start, in the board's time zone; none in
    /// brief format. Only differences mean something.
    pub wall_s: Option<f64>,
    /// Process that wrote it.
    pub pid: u32,
    /// Priority: `V`, `D`, `I`, `W`, `E` or `F`.
    pub level: char,
    /// Tag without blanks around it.
    pub tag: &'t str,
    /// Message after the tag.
    pub message: &'t str,
}

/// Reads one line; `None` for separators and lines of other formats.
pub fn parse_log_line(line: &str) -> Option<LogLine<'_>> {
    let line = line.trim_end_matches(['\r', '\n']);
    let Some((wall_s, rest)) = take_time(line) else {
        return parse_brief(line, None);
    };
    parse_brief(rest, Some(wall_s)).or_else(|| parse_threadtime(rest, wall_s))
}

/// Reads `I/System.out( 1234): text`, the time already taken off.
fn parse_brief(line: &str, wall_s: Option<f64>) -> Option<LogLine<'_>> {
    let mut letters = line.chars();
    let level = letters.next().filter(|c| is_level(*c))?;
    let rest = letters.as_str().strip_prefix('/')?;
    let close = rest.find("):")?;
    let open = rest[..close].rfind('(')?;
    let pid = rest[open + 1..close].trim().parse().ok()?;
    let message = rest[close + 2..].strip_prefix(' ').unwrap_or(&rest[close + 2..]);
    Some(LogLine { wall_s, pid, level, tag: rest[..open].trim(), message })
}

/// Reads `1234  1240 I System.out: text`, also with a user before the process.
fn parse_threadtime(rest: &str, wall_s: f64) -> Option<LogLine<'_>> {
    let mut words = Vec::new();
    let mut tail = rest.trim_start();
    while words.len() < 4 {
        let (word, after) = tail.split_once(' ')?;
        tail = after.trim_start();
        if word.len() == 1 && word.starts_with(is_level) && words.len() >= 2 {
            let pid = words[words.len() - 2];
            return parse_tagged(tail, wall_s, pid, word.chars().next()?);
        }
        words.push(word.parse::<u32>().ok()?);
    }
    None
}

fn parse_tagged(tail: &str, wall_s: f64, pid: u32, level: char) -> Option<LogLine<'_>> {
    let (tag, message) = match tail.split_once(": ") {
        Some(parts) => parts,
        None => (tail.strip_suffix(':')?, ""),
    };
    Some(LogLine { wall_s: Some(wall_s), pid, level, tag: tag.trim(), message })
}

fn is_level(letter: char) -> bool {
    "VDIWEFS".contains(letter)
}

/// Year that days are counted in, as few logs have theirs: one with a 29th of February.
/// Only a session over the end of February of a common year sees a day too much, which the
/// clock check catches.
const YEAR: i16 = 2024;

/// Reads `11-21 02:41:19.123 ` or `2026-11-21 02:41:19.123 +0000 ` at the start of a line;
/// returns seconds since the year's start and the rest of the line.
fn take_time(line: &str) -> Option<(f64, &str)> {
    // Saves most lines of the brief format the search for what is wrong with their time.
    if !line.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let without_year = BrokenDownTime::parse_prefix("%m-%d %H:%M:%S%.f", line);
    let parsed =
        without_year.or_else(|_| BrokenDownTime::parse_prefix("%Y-%m-%d %H:%M:%S%.f", line));
    let (mut time, length) = parsed.ok()?;
    time.set_year(Some(YEAR)).ok()?;
    let since = time.to_datetime().ok()?.duration_since(date(YEAR, 1, 1).at(0, 0, 0, 0));
    let rest = line[length..].strip_prefix(' ')?.trim_start();
    let zone = |word: &str| word.len() == 5 && word.starts_with(['+', '-']);
    let rest = match rest.split_once(' ') {
        Some((word, after)) if zone(word) => after.trim_start(),
        _ => rest,
    };
    Some((since.as_secs_f64(), rest))
}

/// Formats a wall-clock time, in seconds since the year's start, as the log does:
/// `11-21 02:41:19.250`.
pub fn format_log_time(wall_s: f64) -> String {
    let since = SignedDuration::from_millis((wall_s * 1000.0).round() as i64);
    let time = date(YEAR, 1, 1).at(0, 0, 0, 0).saturating_add(since);
    time.strftime("%m-%d %H:%M:%S%.3f").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formats_say_the_same() {
        let lines = [
            "11-21 02:41:19.250  1234  1240 I System.out: wattline: begin",
            "2026-11-21 02:41:19.250 +0000  1234  1240 I System.out: wattline: begin\r",
            "11-21 02:41:19.250 10057  1234  1240 I System.out: wattline: begin",
            "11-21 02:41:19.250 I/System.out( 1234): wattline: begin",
        ];
        let day = f64::from(31 + 29 + 31 + 30 + 31 + 30 + 31 + 31 + 30 + 31 + 20);
        let wall_s = day * 86_400.0 + 2.0 * 3600.0 + 41.0 * 60.0 + 19.25;
        for line in lines {
            let expected = LogLine {
                wall_s: Some(wall_s),
                pid: 1234,
                level: 'I',
                tag: "System.out",
                message: "wattline: begin",
            };
            assert_eq!(parse_log_line(line), Some(expected), "{line}");
        }
        let leap_day = parse_log_line("02-29 00:00:00.5  1234  1240 I a: b").unwrap();
        assert_eq!(leap_day.wall_s, Some(f64::from(31 + 28) * 86_400.0 + 0.5));
        let brief = parse_log_line("D/dalvikvm( 1959): GC_EXPLICIT freed 1K").unwrap();
        assert_eq!((brief.wall_s, brief.pid, brief.tag), (None, 1959, "dalvikvm"));
        assert_eq!(brief.message, "GC_EXPLICIT freed 1K");
    }

    #[test]
    fn times_are_written_as_they_are_read() {
        for text in ["11-21 02:41:19.250", "02-29 23:59:59.999", "01-01 00:00:00.000"] {
            let line = format!("{text}  1234  1240 I a: b");
            assert_eq!(format_log_time(parse_log_line(&line).unwrap().wall_s.unwrap()), text);
        }
    }

    #[test]
    fn other_lines_are_none() {
        for line in [
            "--------- beginning of main",
            "",
            "hello world",
            "11-21 02:41 1 2 I a: b",
            "11-21 02:41:19.250  1234  x I a: b",
            "I/a( x): b",
            "13-21 02:41:19.250  1234  1240 I a: b",
            "02-30 02:41:19.250  1234  1240 I a: b",
            "11-21 24:41:19.250  1234  1240 I a: b",
        ] {
            assert_eq!(parse_log_line(line), None, "{line}");
        }
    }

    #[test]
    fn tags_keep_colons_and_messages_may_be_empty() {
        let line = parse_log_line("01-01 00:00:01.000  7  7 W my:tag: a: b").unwrap();
        assert_eq!((line.tag, line.message, line.wall_s), ("my:tag", "a: b", Some(1.0)));
        let empty = parse_log_line("01-01 00:00:01.000  7  7 W System.err:").unwrap();
        assert_eq!((empty.tag, empty.message), ("System.err", ""));
    }
}
