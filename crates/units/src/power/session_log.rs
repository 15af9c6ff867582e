//! Log of one session: its begin and end markers, the alignment of wall clock and uptime, the GC
//! runs and deaths of the application.

use thiserror::Error;

use super::gc_log::{GarbageCollection, parse_gc_message};
use super::integrate::Window;
use super::logcat::{LogLine, parse_log_line};
use super::runtime_threads::RuntimeThreadTimes;

/// Texts of the log lines that open and close a window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkerTexts {
    /// Default `wattline: begin`; a microbenchmark adds a blank and its name.
    pub begin: String,
    /// Default `wattline: end`.
    pub end: String,
}

impl Default for MarkerTexts {
    fn default() -> Self {
        Self { begin: "wattline: begin".into(), end: "wattline: end".into() }
    }
}

/// Whether a marker opens or closes a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkerKind {
    /// Opens a window.
    Begin,
    /// Closes it.
    End,
}

/// Begin or end marker in the log.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionMarker {
    /// Whether the marker opens or closes a window.
    pub kind: MarkerKind,
    /// Name of the microbenchmark; none for the session itself.
    pub name: Option<String>,
    /// Wall clock in seconds since the year's start, where the log has times.
    pub wall_s: Option<f64>,
    /// Process that wrote it.
    pub pid: u32,
    /// Line of the log, from 1.
    pub line: usize,
}

/// Log line about the death of a process.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessDeath {
    /// Process that died, where the line names it.
    pub pid: Option<u32>,
    /// The message.
    pub message: String,
    /// Line of the log, from 1.
    pub line: usize,
}

/// Relation of wall clock and uptime: `uptime = wall + offset_s`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClockAlignment {
    /// Seconds to add to the wall clock.
    pub offset_s: f64,
    /// Largest distance of an `uptime` line from the offset, in seconds: the uncertainty of it.
    pub residual_s: f64,
}

/// GC run with its position in the log.
#[derive(Debug, Clone, PartialEq)]
pub struct LoggedGc {
    /// GC run as the runtime logged it.
    pub what: GarbageCollection,
    /// Wall clock in seconds, where the log has times.
    pub wall_s: Option<f64>,
    /// Process of the GC run.
    pub pid: u32,
    /// Line, from 1.
    pub line: usize,
}

/// Begin and end marker of a session.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SessionMarkerPair<'l> {
    /// Begin marker.
    pub begin: &'l SessionMarker,
    /// End marker.
    pub end: &'l SessionMarker,
}

/// Contents of one session's log: markers, clocks, GC runs, deaths, iterations.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SessionLog {
    /// Markers in the order of the log.
    pub markers: Vec<SessionMarker>,
    /// Pairs of wall clock and uptime, in seconds.
    pub uptimes: Vec<(f64, f64)>,
    /// GC runs of any process.
    pub gcs: Vec<LoggedGc>,
    /// Deaths of any process.
    pub deaths: Vec<ProcessDeath>,
    /// Announced iterations of microbenchmarks (`wattline: iterations NAME N`): line, name, number.
    pub iterations: Vec<(usize, String, u64)>,
    /// CPU times of the runtime's threads, with the lines of the log that have them.
    pub threads: Vec<(usize, RuntimeThreadTimes)>,
    /// The lines that open and close its windows.
    pub texts: MarkerTexts,
}

/// Window of one microbenchmark.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedWindow {
    /// Name of the microbenchmark.
    pub name: String,
    /// Window in uptime.
    pub window: Window,
    /// Iterations that it announced last before its begin marker.
    pub iterations: Option<u64>,
    /// Number of GC runs in the window.
    pub gc_runs: u64,
    /// CPU times of the runtime's threads in the window; none where they were not read.
    pub threads: Option<RuntimeThreadTimes>,
}

/// Reasons why a log has no window.
#[derive(Debug, Error, Clone, PartialEq)]
pub enum SessionLogError {
    /// A missing begin marker.
    #[error(
        "the log has no begin marker{}: the application did not start or prints another text",
        of(name)
    )]
    NoBegin {
        /// Microbenchmark, if one was asked for.
        name: Option<String>,
    },
    /// A begin marker without an end marker.
    #[error(
        "the log has no end marker{} after line {line}: the application died or hung{}",
        of(name),
        because(death)
    )]
    NoEnd {
        /// Microbenchmark, if one was asked for.
        name: Option<String>,
        /// Line of the begin marker.
        line: usize,
        /// Log line about the death of its process.
        death: Option<String>,
    },
    /// A line that begins as the session's marker does and has further text, so that it is none.
    #[error("log line {line} is `{text}`: the marker `{marker}` has to stand alone on its line")]
    MarkerNotAlone {
        /// The line.
        line: usize,
        /// Text of the line.
        text: String,
        /// The marker.
        marker: String,
    },
    /// A log without times.
    #[error("log line {line}: the mark has no time; record the log with `logcat -v threadtime`")]
    NoTime {
        /// Line of the marker.
        line: usize,
    },
    /// A log without a line that aligns the clocks.
    #[error(
        "the log has no `wattline: uptime N` line, so its times can't be aligned with the samples"
    )]
    NoUptime,
}

fn of(name: &Option<String>) -> String {
    name.iter().map(|name| format!(" of `{name}`")).collect()
}

fn because(death: &Option<String>) -> String {
    death.iter().map(|message| format!(" ({message})")).collect()
}

/// Seconds of half a year: a wall clock that falls by more has passed New Year.
const HALF_YEAR_S: f64 = 183.0 * 86_400.0;
/// Seconds of the year that `logcat.rs` counts with.
const YEAR_S: f64 = 366.0 * 86_400.0;

/// Parses the log of one session.
pub fn parse_session_log(text: &str, marks: &MarkerTexts) -> SessionLog {
    let mut log = SessionLog { texts: marks.clone(), ..SessionLog::default() };
    let (mut years, mut latest) = (0.0, f64::NEG_INFINITY);
    for (index, text) in text.lines().enumerate() {
        let Some(mut line) = parse_log_line(text) else { continue };
        if let Some(wall) = &mut line.wall_s {
            if *wall + years < latest - HALF_YEAR_S {
                years += YEAR_S;
            }
            *wall += years;
            latest = latest.max(*wall);
        }
        take_line(&mut log, &line, index + 1, marks);
    }
    log
}

fn take_line(log: &mut SessionLog, line: &LogLine<'_>, number: usize, marks: &MarkerTexts) {
    if matches!(line.tag, "System.out" | "wattline")
        && let Some((kind, name)) = marker_of(line.message, marks)
    {
        let mark = SessionMarker { kind, name, wall_s: line.wall_s, pid: line.pid, line: number };
        log.markers.push(mark);
    } else if line.tag == "wattline"
        && let Some(text) = line.message.strip_prefix("uptime ")
    {
        let uptime = text.split_whitespace().next().and_then(|word| word.parse::<f64>().ok());
        let finite = uptime.filter(|uptime| uptime.is_finite());
        log.uptimes.extend(line.wall_s.zip(finite));
    } else if line.tag == "wattline"
        && let Some(times) = RuntimeThreadTimes::parse(line.message)
    {
        log.threads.push((number, times));
    } else if let Some((name, iterations)) = iterations_of(line) {
        log.iterations.push((number, name.to_string(), iterations));
    } else if let Some(what) = parse_gc_message(line.message) {
        let (wall_s, pid) = (line.wall_s, line.pid);
        log.gcs.push(LoggedGc { what, wall_s, pid, line: number });
    } else if let Some(pid) = death_of(line) {
        log.deaths.push(ProcessDeath { pid, message: line.message.to_string(), line: number });
    }
}

fn marker_of(message: &str, marks: &MarkerTexts) -> Option<(MarkerKind, Option<String>)> {
    let name_after = |text: &str| match message.trim_end().strip_prefix(text)? {
        "" => Some(None),
        rest => rest.strip_prefix(' ').map(|name| Some(name.trim().to_string())),
    };
    let begin = name_after(&marks.begin).map(|name| (MarkerKind::Begin, name));
    begin.or_else(|| name_after(&marks.end).map(|name| (MarkerKind::End, name)))
}

/// Reads `wattline: iterations NAME N` of a microbenchmark program.
fn iterations_of<'t>(line: &LogLine<'t>) -> Option<(&'t str, u64)> {
    let said = line.message.trim_end().strip_prefix("wattline: iterations ")?;
    let (name, number) = said.rsplit_once(' ')?;
    (line.tag == "System.out").then_some((name, number.parse().ok()?))
}

/// Returns the process whose death the line reports: `Some(Some(pid))`, or `Some(None)` when it
/// does not name one.
fn death_of(line: &LogLine<'_>) -> Option<Option<u32>> {
    let message = line.message;
    let own = message.starts_with("FATAL EXCEPTION")
        || message.starts_with("Fatal signal")
        || message.starts_with("Exception in thread");
    if own && matches!(line.tag, "AndroidRuntime" | "libc" | "System.err") {
        return Some(Some(line.pid));
    }
    if line.tag == "ActivityManager" {
        if message.starts_with("Process ") && message.contains("has died") {
            let pid = message.split("(pid ").nth(1).and_then(|rest| rest.split(')').next());
            return Some(pid.and_then(|pid| pid.trim().parse().ok()));
        }
        if let Some(rest) = message.strip_prefix("Killing ") {
            return Some(rest.split(':').next().and_then(|pid| pid.trim().parse().ok()));
        }
        if message.starts_with("ANR in ") {
            return Some(None);
        }
    }
    if line.tag == "lowmemorykiller" && message.starts_with("Kill") {
        let pid = message.split('(').nth(1).and_then(|rest| rest.split(')').next());
        return Some(pid.and_then(|pid| pid.trim().parse().ok()));
    }
    None
}

impl SessionLog {
    /// Computes the alignment from the `uptime N` lines: the median of their offsets.
    pub fn alignment(&self) -> Result<ClockAlignment, SessionLogError> {
        let mut offsets: Vec<f64> =
            self.uptimes.iter().map(|(wall, uptime)| uptime - wall).collect();
        offsets.sort_by(f64::total_cmp);
        let (Some(first), Some(last)) = (offsets.first(), offsets.last()) else {
            return Err(SessionLogError::NoUptime);
        };
        let middle = offsets.len() / 2;
        let offset_s = match offsets.len() % 2 {
            0 => 0.5 * (offsets[middle - 1] + offsets[middle]),
            _ => offsets[middle],
        };
        Ok(ClockAlignment { offset_s, residual_s: (offset_s - first).max(last - offset_s) })
    }

    /// Finds the begin and end marker of the session itself: the first unnamed begin and the first
    /// unnamed end after it. Their processes may differ: an idle session's are written by two calls
    /// of `log`.
    pub fn session_markers(&self) -> Result<SessionMarkerPair<'_>, SessionLogError> {
        let first = |mark: &&SessionMarker| mark.kind == MarkerKind::Begin && mark.name.is_none();
        let begin = self.markers.iter().find(first).ok_or_else(|| {
            let none = SessionLogError::NoBegin { name: None };
            self.marker_with_other_text(MarkerKind::Begin, 0).unwrap_or(none)
        })?;
        Ok(SessionMarkerPair { begin, end: self.end_of(begin)? })
    }

    /// Returns the session's window, in uptime.
    pub fn session_window(&self) -> Result<Window, SessionLogError> {
        let SessionMarkerPair { begin, end } = self.session_markers()?;
        self.window(begin, end, self.alignment()?)
    }

    /// Returns the windows of all microbenchmarks, in the order of the log.
    pub fn microbenchmark_windows(&self) -> Result<Vec<NamedWindow>, SessionLogError> {
        let alignment = self.alignment()?;
        let mut windows = Vec::new();
        for begin in &self.markers {
            let (MarkerKind::Begin, Some(name)) = (begin.kind, &begin.name) else { continue };
            let end = self.end_of(begin)?;
            let window = self.window(begin, end, alignment)?;
            let gc_runs = self.gcs_between(begin, end).len() as u64;
            let mut said =
                self.iterations.iter().filter(|said| said.0 < begin.line && said.1 == *name);
            let iterations = said.next_back().map(|said| said.2);
            let (name, threads) = (name.clone(), self.threads_between(begin, end));
            windows.push(NamedWindow { name, window, iterations, gc_runs, threads });
        }
        Ok(windows)
    }

    /// Returns the GC runs of the begin marker's process between two markers.
    pub fn gcs_between(
        &self,
        begin: &SessionMarker,
        end: &SessionMarker,
    ) -> Vec<&GarbageCollection> {
        let inside = |line: usize| begin.line < line && line < end.line;
        let own = self.gcs_of(begin.pid).filter(|logged| inside(logged.line));
        own.map(|logged| &logged.what).collect()
    }

    /// Returns the CPU times of the runtime's threads between two markers, by the first reading
    /// after each; `None` where one marker has no reading before the other's or the log's end.
    pub fn threads_between(
        &self,
        begin: &SessionMarker,
        end: &SessionMarker,
    ) -> Option<RuntimeThreadTimes> {
        let after = |line: usize| self.threads.iter().find(move |read| read.0 > line);
        let first = after(begin.line).filter(|read| read.0 < end.line)?;
        Some(after(end.line)?.1.since(&first.1))
    }

    /// Iterates over all GC runs of a process.
    pub fn gcs_of(&self, pid: u32) -> impl Iterator<Item = &LoggedGc> {
        self.gcs.iter().filter(move |logged| logged.pid == pid)
    }

    fn end_of(&self, begin: &SessionMarker) -> Result<&SessionMarker, SessionLogError> {
        let closes = |mark: &&SessionMarker| {
            mark.kind == MarkerKind::End && mark.line > begin.line && mark.name == begin.name
        };
        self.markers.iter().find(closes).ok_or_else(|| {
            let none = SessionLogError::NoEnd {
                name: begin.name.clone(),
                line: begin.line,
                death: self.death_after(begin).map(|death| death.message.clone()),
            };
            let of_session = begin.name.is_none();
            let marker_with_other_text =
                || self.marker_with_other_text(MarkerKind::End, begin.line);
            of_session.then(marker_with_other_text).flatten().unwrap_or(none)
        })
    }

    /// Finds the first line after another that would be the session's marker without its further
    /// text: one that is no microbenchmark's, whose markers come in pairs of one name.
    fn marker_with_other_text(&self, kind: MarkerKind, after: usize) -> Option<SessionLogError> {
        let has_pair = |mark: &SessionMarker| {
            self.markers.iter().any(|other| other.kind != kind && other.name == mark.name)
        };
        let is_it = |mark: &&SessionMarker| {
            mark.kind == kind && mark.line > after && mark.name.is_some() && !has_pair(mark)
        };
        let mark = self.markers.iter().find(is_it)?;
        let marker = match kind {
            MarkerKind::Begin => &self.texts.begin,
            MarkerKind::End => &self.texts.end,
        };
        let rest = mark.name.as_deref().unwrap_or_default();
        let text = format!("{marker} {rest}");
        Some(SessionLogError::MarkerNotAlone { line: mark.line, text, marker: marker.clone() })
    }

    /// Finds the first death of a marker's process after the marker; a line that names no process
    /// counts as that process's.
    fn death_after(&self, begin: &SessionMarker) -> Option<&ProcessDeath> {
        let own = |death: &&ProcessDeath| {
            death.line > begin.line && death.pid.is_none_or(|pid| pid == begin.pid)
        };
        self.deaths.iter().find(own)
    }

    fn window(
        &self,
        begin: &SessionMarker,
        end: &SessionMarker,
        alignment: ClockAlignment,
    ) -> Result<Window, SessionLogError> {
        let time =
            |mark: &SessionMarker| mark.wall_s.ok_or(SessionLogError::NoTime { line: mark.line });
        Ok(Window {
            start_s: time(begin)? + alignment.offset_s,
            end_s: time(end)? + alignment.offset_s,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(lines: &str) -> SessionLog {
        parse_session_log(lines, &MarkerTexts::default())
    }

    const SESSION: &str = "--------- beginning of main\n\
        01-01 00:00:10.000   300   300 I wattline: uptime 110.02\n\
        01-01 00:00:11.000  1234  1240 I System.out: wattline: begin\n\
        01-01 00:00:11.500  1234  1241 I art     : Explicit concurrent mark sweep GC freed \
        15600(911KB) AllocSpace objects, 0(0B) LOS objects, 34% free, 29MB/45MB, paused 538us \
        total 160.028ms\n\
        01-01 00:00:11.600   999   999 D dalvikvm: GC_EXPLICIT freed 5K, 51% free 2662K/5379K, \
        paused 4ms+5ms, total 45ms\n\
        01-01 00:00:14.500  1234  1240 I System.out: wattline: end\n\
        01-01 00:00:15.000   300   300 I wattline: uptime 115.00\n\
        01-01 00:00:16.000   500   520 I ActivityManager: Process org.x (pid 1234) has died.\n";

    /// Offsets 100.02 and 100.00: 100.01, 10 ms apart.
    #[test]
    fn the_window_lies_between_the_marks_in_uptime() {
        let log = read(SESSION);
        let alignment = log.alignment().unwrap();
        assert!((alignment.offset_s - 100.01).abs() < 1e-6);
        assert!((alignment.residual_s - 0.01).abs() < 1e-6);
        let window = log.session_window().unwrap();
        assert!((window.start_s - 111.01).abs() < 1e-6);
        assert!((window.end_s - 114.51).abs() < 1e-6);
    }

    #[test]
    fn a_marker_with_more_on_its_line_is_named() {
        let with_sum = SESSION.replace("wattline: end", "wattline: end 332833500");
        let told = read(&with_sum).session_window().unwrap_err().to_string();
        assert_eq!(
            told,
            "log line 6 is `wattline: end 332833500`: the marker `wattline: end` has to stand \
             alone on its line"
        );
        let with_name = SESSION.replace("wattline: begin", "wattline: begin (warm)");
        let told = read(&with_name).session_window().unwrap_err().to_string();
        assert!(told.starts_with("log line 3 is `wattline: begin (warm)`"), "{told}");
        // A microbenchmark's are no session's.
        let windows = SESSION.replace("wattline: end", "wattline: end a").replace(
            "wattline: begin",
            "wattline: begin\n01-01 00:00:11.001  1234  1240 I System.out: wattline: begin a",
        );
        let told = read(&windows).session_window().unwrap_err();
        assert!(matches!(told, SessionLogError::NoEnd { .. }), "{told}");
    }

    /// Of 2.5 s of the process in the session 0.75 s are the compiler's.
    #[test]
    fn threads_are_told_by_the_readings_after_the_marks() {
        let read_after = |mark: &str, process_s: f64, compiler_s: f64| {
            let times = RuntimeThreadTimes { process_s, compiler_s, collector_s: 0.25 };
            format!("{mark}\n01-01 00:00:11.001  1234  1234 I wattline: {times}")
        };
        let begin = "wattline: begin";
        let end = "wattline: end";
        let with_begin = SESSION.replace(begin, &read_after(begin, 1.0, 0.5));
        let both = with_begin.replace(end, &read_after(end, 3.5, 1.25));
        let threads = |text: &str| {
            let log = read(text);
            let SessionMarkerPair { begin, end } = log.session_markers().unwrap();
            log.threads_between(begin, end)
        };
        let expected = RuntimeThreadTimes { process_s: 2.5, compiler_s: 0.75, collector_s: 0.0 };
        assert_eq!(threads(&both), Some(expected));
        assert_eq!((threads(SESSION), threads(&with_begin)), (None, None));
    }

    #[test]
    fn only_the_applications_own_collections_count() {
        let log = read(SESSION);
        let SessionMarkerPair { begin, end } = log.session_markers().unwrap();
        let own = log.gcs_between(begin, end);
        assert_eq!(own.len(), 1);
        assert_eq!(own[0].cause, "Explicit");
        assert_eq!(log.gcs.len(), 2);
    }

    #[test]
    fn a_missing_end_says_how_the_application_died() {
        let end = "01-01 00:00:14.500  1234  1240 I System.out: wattline: end\n";
        let error = read(&SESSION.replace(end, "")).session_window().unwrap_err();
        assert_eq!(
            error.to_string(),
            "the log has no end marker after line 3: the application died or hung (Process org.x \
             (pid 1234) has died.)"
        );
        let crash = "E/AndroidRuntime( 1234): FATAL EXCEPTION: main\n\
            F/libc    ( 1235): Fatal signal 11 (SIGSEGV), code 1\n\
            I/ActivityManager(  500): Killing 77:org.x/u0a1 (adj 0): crash\n\
            E/ActivityManager(  500): ANR in org.x\n\
            I/lowmemorykiller(  90): Killing 'org.x' (1234), adj 100\n";
        let pids: Vec<_> = read(crash).deaths.iter().map(|death| death.pid).collect();
        assert_eq!(pids, [Some(1234), Some(1235), Some(77), None, Some(1234)]);
    }

    #[test]
    fn logs_without_marks_times_or_uptimes_are_errors() {
        assert_eq!(read("").session_window(), Err(SessionLogError::NoBegin { name: None }));
        let brief = "I/System.out( 12): wattline: begin\nI/System.out( 12): wattline: end\n";
        assert_eq!(read(brief).session_window(), Err(SessionLogError::NoUptime));
        let both = format!("{SESSION}{brief}").replace("00:00:11.000", "00:00:1x");
        assert_eq!(read(&both).session_window(), Err(SessionLogError::NoTime { line: 9 }));
    }

    #[test]
    fn microbenchmarks_have_windows_of_their_own() {
        let log = read(
            "01-01 00:00:10.000 1 1 I wattline: uptime 20.0\n\
             01-01 00:00:11.000 9 9 I System.out: wattline: begin\n\
             01-01 00:00:12.000 9 9 I System.out: wattline: begin Addition_int_int\n\
             01-01 00:00:13.000 9 9 I System.out: wattline: end Addition_int_int\n\
             01-01 00:00:13.500 9 9 I System.out: wattline: iterations base 2 1000\n\
             01-01 00:00:14.000 9 9 I System.out: wattline: begin base 2\n\
             01-01 00:00:15.000 9 9 I System.out: wattline: end base 2\n\
             01-01 00:00:16.000 9 9 I System.out: wattline: end\n",
        );
        let windows = log.microbenchmark_windows().unwrap();
        let names: Vec<_> = windows.iter().map(|w| w.name.as_str()).collect();
        assert_eq!(names, ["Addition_int_int", "base 2"]);
        assert_eq!(windows[1].window, Window { start_s: 24.0, end_s: 25.0 });
        assert_eq!((windows[0].iterations, windows[1].iterations), (None, Some(1000)));
        assert_eq!(log.session_window().unwrap(), Window { start_s: 21.0, end_s: 26.0 });
    }

    proptest! {
        #[test]
        fn no_text_panics(noise in "\\PC{0,80}", cut in 0usize..600) {
            let cut = SESSION.char_indices().map(|(i, _)| i).nth(cut).unwrap_or(0);
            let log = read(&format!("{}{noise}\n{}", &SESSION[..cut], &SESSION[cut..]));
            let _ = log.session_window();
            read(&format!("01-01 00:00:10.000  1  1 I art: a GC freed {noise} paused {noise}"));
            read(&format!("{noise}\nI/dalvikvm( 1): GC_X freed {noise}"));
        }
    }

    #[test]
    fn new_year_may_pass_within_a_session() {
        let log = read(
            "12-31 23:59:59.000 1 1 I wattline: uptime 20.0\n\
             12-31 23:59:59.500 9 9 I System.out: wattline: begin\n\
             01-01 00:00:00.500 9 9 I System.out: wattline: end\n",
        );
        assert_eq!(log.session_window().unwrap(), Window { start_s: 20.5, end_s: 21.5 });
    }
}
