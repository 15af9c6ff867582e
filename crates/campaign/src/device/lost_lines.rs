//! Lines that a small log has lost. Android before 5.0 keeps some 256 KiB of log; what an
//! application prints in a minute may be more, and the oldest lines go first. The runner's
//! instrumentation repeats markers in its status; those that the log has lost are restored.

use crate::power::{MarkerTexts, format_log_time, parse_log_line, parse_session_log};

use super::instrumentation_status::PrintedLine;

/// Largest difference in seconds between a line's time in the log and in the status, which has the
/// line a moment later.
const APART_MAX_S: f64 = 0.5;

/// The log with the lines of `said` that it has lost put before all others, since lost lines are
/// older, with the tag `wattline`. A log without a line that aligns its times to the device's clock
/// stays as it is.
pub(super) fn restore_lost_lines(log: String, said: &[PrintedLine], marks: &MarkerTexts) -> String {
    if said.is_empty() {
        return log;
    }
    let Ok(alignment) = parse_session_log(&log, marks).alignment() else { return log };
    let kept = RemainingLines::of(&log);
    let wall_s = |line: &PrintedLine| line.uptime_s - alignment.offset_s;
    let lost = said.iter().filter(|line| !kept.has(&line.text, wall_s(line)));
    let lines = lost.map(|line| {
        let (time, PrintedLine { pid, text, .. }) = (format_log_time(wall_s(line)), line);
        format!("{time} {pid:5} {pid:5} I wattline: {text}\n")
    });
    let mut whole: String = lines.collect();
    whole.push_str(&log);
    whole
}

/// The lines that a log still has, with their wall times in seconds.
struct RemainingLines<'l>(Vec<(&'l str, f64)>);

impl<'l> RemainingLines<'l> {
    fn of(log: &'l str) -> Self {
        let lines = log.lines().filter_map(parse_log_line);
        Self(lines.filter_map(|line| Some((line.message.trim_end(), line.wall_s?))).collect())
    }

    fn has(&self, text: &str, wall_s: f64) -> bool {
        let is_it = |line: &(&str, f64)| line.0 == text && (line.1 - wall_s).abs() <= APART_MAX_S;
        self.0.iter().any(is_it)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEFT: &str = "\
11-21 02:41:25.000  1234  1234 I System.out: chatter
11-21 02:41:29.500  1234  1234 I System.out: wattline: end
11-21 02:41:30.000     7     7 I wattline: uptime 112.00
";

    fn said(uptime_s: f64, text: &str) -> PrintedLine {
        PrintedLine { uptime_s, pid: 1234, text: text.into() }
    }

    #[test]
    fn a_lost_mark_is_where_it_was() {
        let marks = MarkerTexts::default();
        let both = [said(101.25, "wattline: begin"), said(111.5, "wattline: end")];
        let whole = restore_lost_lines(LEFT.into(), &both, &marks);
        let first = "11-21 02:41:19.250  1234  1234 I wattline: wattline: begin\n";
        assert_eq!(whole, first.to_owned() + LEFT);
        let window = parse_session_log(&whole, &marks).session_window().unwrap();
        assert_eq!((window.start_s, window.end_s), (101.25, 111.5));
        assert_eq!(restore_lost_lines(whole.clone(), &both, &marks), whole, "nothing is lost");
    }

    #[test]
    fn a_log_without_a_clock_stays_as_it_is() {
        let log = "11-21 02:41:25.000  1234  1234 I System.out: chatter\n";
        let whole = restore_lost_lines(
            log.into(),
            &[said(1.0, "wattline: begin")],
            &MarkerTexts::default(),
        );
        assert_eq!(whole, log);
    }
}
