//! The log of an external meter: a file on the host that another program appends to. After a
//! session its rows are aligned to the board's clock and take the place of a sampler's samples.
//!
//! Rows have the host's times. The board's clock is read right after the session, when it
//! is off by the drift of both clocks in that time and by half of the call. A log that does not
//! grow is an error; one that was cut or replaced meanwhile makes a bad run, which is
//! repeated.

use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::RangeInclusive;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use wattline_units::dialect::TextEncoding;
use wattline_units::limits::FILE_BYTES;

use crate::input_file;
use crate::power::meter::external::FAULT_PREFIX;
use crate::power::meter::meter_columns::{LocatedColumns, MeterColumns};
use crate::power::meter::{ExternalMeter, MeterOffer};
use crate::scenario::ExternalMeterLog;

use super::board::Board;
use super::clocks::{BENCH_CLOCK, ClockReading, host_ns, read_clocks};
use super::error::DeviceError;
use super::facts::BoardFacts;
use super::meters::ChosenMeter;
use super::session::{SessionLogs, run_session};
use super::session_plan::SessionPlan;

/// Nanoseconds of the log kept before and after the session's markers; the session rests for 2 s
/// there.
const MARGIN_NS: i128 = 1_500_000_000;

/// Time to wait for a log's last rows, which its program may buffer.
const PATIENCE: Duration = Duration::from_secs(30);

/// Time between two checks of the log while waiting.
const LOOK: Duration = Duration::from_millis(100);

/// Bytes before the session's start in the file that may belong to the session: a few rows.
const BACK: u64 = 1 << 16;

/// Largest step of the host's clock allowed during a session, in seconds.
const STEP_MAX_S: f64 = 0.1;

/// Difference to the host's clock, in nanoseconds, above which the log's times count as those of
/// another clock.
const OTHER_CLOCK_NS: i128 = 600 * 1_000_000_000;

/// The log of an external meter.
#[derive(Debug)]
pub struct HostLog {
    /// Serial of the board that the meter is at.
    serial: String,
    path: PathBuf,
    settings: ExternalMeterLog,
}

/// Columns and text encoding of a log.
struct LogHead {
    columns: MeterColumns,
    encoding: TextEncoding,
}

/// State of the log's file and of the host's clock before a session.
struct LogSnapshot {
    inode: u64,
    length: u64,
    at: Instant,
    host_ns: i128,
}

/// Message for a virtual board without a bench, with the remedy.
const NO_BENCH: &str = "a virtual board's time is not the host's; start it with `wattline board \
                        virtual --log FILE`, and name that file in `[board.log]`";

/// Fails for a virtual board that writes no meter log of its own, since no other log has its time.
///
/// # Errors
/// [`DeviceError::NoMeter`], or an error of the board.
pub fn check_has_bench_log(board: &dyn Board, facts: &BoardFacts) -> Result<(), DeviceError> {
    let ask = || board.shell(BENCH_CLOCK, Duration::from_secs(10))?.success(board, BENCH_CLOCK);
    if facts.is_virtual() && ask()?.trim().is_empty() {
        return Err(DeviceError::NoMeter { serial: board.serial().into(), why: NO_BENCH.into() });
    }
    Ok(())
}

impl HostLog {
    /// Opens the log of the meter at a board: it must exist, with columns that are recognised.
    ///
    /// # Errors
    /// [`DeviceError::MeterLog`].
    pub fn open(
        serial: &str,
        path: &Path,
        settings: &ExternalMeterLog,
    ) -> Result<Self, DeviceError> {
        let (serial, settings) = (serial.to_string(), settings.clone());
        let log = Self { serial, path: path.to_owned(), settings };
        log.columns()?;
        Ok(log)
    }

    /// The external meter that writes the log.
    pub fn meter(&self) -> ChosenMeter {
        let rails = vec![ExternalMeter::RAIL.to_string()];
        let offer = MeterOffer { default_rails: rails.clone(), rails, remarks: Vec::new() };
        ChosenMeter { meter: &ExternalMeter, offer, passed_over: Vec::new() }
    }

    /// Runs a session with `run`; its samples are the log's rows.
    ///
    /// # Errors
    /// Those of a session, and [`DeviceError::MeterLog`] for a log that can't be read or
    /// stopped growing.
    pub fn session(
        &self,
        board: &dyn Board,
        plan: &SessionPlan,
    ) -> Result<SessionLogs, DeviceError> {
        let before = self.snapshot()?;
        let mut logs = run_session(board, plan)?;
        let clocks = read_clocks(board)?;
        logs.samples = self.samples(&before, clocks, logs.outcome.uptime_s)?;
        Ok(logs)
    }

    fn snapshot(&self) -> Result<LogSnapshot, DeviceError> {
        let file = fs::metadata(&self.path).map_err(|error| self.unreadable(&error))?;
        Ok(LogSnapshot {
            inode: file.ino(),
            length: file.len(),
            at: Instant::now(),
            host_ns: host_ns(),
        })
    }

    /// The rows around the session's markers, as text that `power` reads.
    fn samples(
        &self,
        before: &LogSnapshot,
        clocks: ClockReading,
        (begin_s, end_s): (f64, f64),
    ) -> Result<String, DeviceError> {
        let LogHead { mut columns, encoding } = self.columns()?;
        let own_ns = (self.settings.clock_offset_s * 1e9).round() as i128;
        let offset_ns = clocks.offset_ns() + own_ns;
        let uptime_ns = |row: &str| Some(columns.sample(row)?.0 + offset_ns);
        let head = format!(
            "# wattline-readings 1 meter=external offset_s={} residual_s={:.3}\n",
            decimal_s(offset_ns),
            clocks.residual_ns as f64 * 1e-9
        );
        if let Some(fault) = self.await_rows(before, (clocks, encoding), end_s, &uptime_ns)? {
            return Ok(format!("{head}{FAULT_PREFIX}{fault}\n"));
        }
        let text = self.text_from(before.length.saturating_sub(BACK), encoding)?;
        columns
            .learn_decimal_marks(whole_lines(&text).skip(1))
            .map_err(|problem| self.problem(None, problem))?;
        let span = to_ns(begin_s) - MARGIN_NS..=to_ns(end_s) + MARGIN_NS;
        let uptime_ns = |row: &str| Some(columns.sample(row)?.0 + offset_ns);
        let rows = rows_in(&text, &span, &uptime_ns).into_iter().map(|row| plain(row, &columns));
        Ok(format!("{head}time_s,power_w\n{}", rows.collect::<String>()))
    }

    /// Waits until the log reaches beyond the session's end; fails with the reason if it does not.
    fn await_rows(
        &self,
        before: &LogSnapshot,
        (clocks, encoding): (ClockReading, TextEncoding),
        end_s: f64,
        uptime_ns: &dyn Fn(&str) -> Option<i128>,
    ) -> Result<Option<String>, DeviceError> {
        let began = Instant::now();
        loop {
            let file = fs::metadata(&self.path).map_err(|error| self.unreadable(&error))?;
            if let Some(fault) = before.fault(&file) {
                return Ok(Some(format!("{} {fault}", self.path.display())));
            }
            let tail = self.text_from(file.len().saturating_sub(BACK), encoding)?;
            let last_ns = whole_lines(&tail).rev().find_map(uptime_ns);
            match last_ns {
                Some(last) if last > clocks.uptime_ns + OTHER_CLOCK_NS => {
                    return Err(self.other_clock(last - clocks.uptime_ns));
                }
                Some(last) if last >= to_ns(end_s) + MARGIN_NS => return Ok(None),
                _ if began.elapsed() >= PATIENCE => return Err(self.stopped(last_ns, end_s)),
                _ => thread::sleep(LOOK),
            }
        }
    }

    /// Reads the log's columns and encoding from its first lines.
    fn columns(&self) -> Result<LogHead, DeviceError> {
        let mut head = Vec::new();
        let file = input_file::open(&self.path).map_err(|error| self.unreadable(&error))?;
        file.take(BACK).read_to_end(&mut head).map_err(|error| self.unreadable(&error))?;
        let encoding = TextEncoding::sniff(&head);
        let text = encoding.decode(&head);
        let lines: Vec<&str> = text.lines().collect();
        let told = |problem| format!("{problem}; see `[board.log]` of the scenario");
        let found = MeterColumns::find(&lines, &self.settings.columns)
            .map_err(|problem| self.problem(Some(1), told(problem)))?;
        let LocatedColumns { columns, rows_from } = found;
        let settings = &self.settings;
        let columns = columns.with_zone(settings.time_zone.clone()).with_decimal(settings.decimal);
        let mut head = LogHead { columns, encoding };
        let rows = whole_lines(&text).skip(rows_from);
        head.columns.learn_decimal_marks(rows).map_err(|problem| self.problem(None, problem))?;
        Ok(head)
    }

    /// The text from a byte position on, up to the last whole character.
    fn text_from(&self, position: u64, encoding: TextEncoding) -> Result<String, DeviceError> {
        let position = position - position % encoding.unit_bytes() as u64;
        let bytes = read_from(&self.path, position);
        bytes.map(|bytes| encoding.decode(&bytes)).map_err(|error| self.unreadable(&error))
    }

    fn problem(&self, line: Option<usize>, problem: String) -> DeviceError {
        DeviceError::MeterLog {
            serial: self.serial.clone(),
            file: self.path.clone(),
            line,
            problem,
        }
    }

    fn unreadable(&self, error: &io::Error) -> DeviceError {
        let remedy = "start the meter's program, or change `file` in `[board.log]`";
        self.problem(None, format!("cannot be read ({error}); {remedy}"))
    }

    fn other_clock(&self, ahead_ns: i128) -> DeviceError {
        let problem = format!(
            "its last time is {:.0} s ahead of the host's clock: it must have the host's time of \
             Unix; `clock_offset_s` in `[board.log]` is added to its times",
            ahead_ns as f64 * 1e-9
        );
        self.problem(self.lines(), problem)
    }

    fn stopped(&self, last_ns: Option<i128>, end_s: f64) -> DeviceError {
        let what = match last_ns.map(|last| to_ns(end_s) - last) {
            None => "no row has a time and a power".to_string(),
            Some(behind) if behind > OTHER_CLOCK_NS => format!(
                "its last time is {:.0} s before the session's end: it stopped growing, or it has \
                 not the host's time of Unix (`clock_offset_s` in `[board.log]` is added to it)",
                behind as f64 * 1e-9
            ),
            Some(_) => format!(
                "it stopped growing, or its meter fails: {} s after the session no row with a time \
                 and a power is later than its end",
                PATIENCE.as_secs()
            ),
        };
        let remedy = "check the meter's program, then resume with --resume";
        self.problem(self.lines(), format!("{what}; {remedy}"))
    }

    /// Number of the last line.
    fn lines(&self) -> Option<usize> {
        Some(self.text_from(0, self.columns().ok()?.encoding).ok()?.lines().count())
    }
}

impl LogSnapshot {
    /// Reason why the log is unusable: the file was replaced or cut, or the host's clock was moved;
    /// none if all is well.
    fn fault(&self, file: &fs::Metadata) -> Option<String> {
        if file.ino() != self.inode {
            return Some("was replaced while the session ran".into());
        }
        if file.len() < self.length {
            return Some("was cut while the session ran".into());
        }
        let passed_s = (host_ns() - self.host_ns) as f64 * 1e-9;
        let moved_s = passed_s - self.at.elapsed().as_secs_f64();
        (moved_s.abs() > STEP_MAX_S).then(|| {
            format!("has the host's times, and that clock was moved by {moved_s:.1} s meanwhile")
        })
    }
}

/// All lines from the first row in a span of time to the last one.
fn rows_in<'t>(
    text: &'t str,
    span_ns: &RangeInclusive<i128>,
    uptime_ns: &dyn Fn(&str) -> Option<i128>,
) -> Vec<&'t str> {
    let lines: Vec<&str> = whole_lines(text).collect();
    let is_in = |line: &&str| uptime_ns(line).is_some_and(|at| span_ns.contains(&at));
    let Some(first) = lines.iter().position(is_in) else { return Vec::new() };
    let last = lines.iter().rposition(is_in).unwrap_or(first);
    lines[first..=last].to_vec()
}

/// A row as seconds and watts; an unreadable row stays unreadable, whatever its parts mean.
fn plain(row: &str, columns: &MeterColumns) -> String {
    match columns.sample(row) {
        Some((time_ns, watts)) => format!("{},{watts}\n", decimal_s(time_ns)),
        None => format!("# not read: {}\n", row.trim_end()),
    }
}

/// The lines of the text that end with a line break.
fn whole_lines(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    let end = text.rfind('\n').map_or(0, |at| at + 1);
    text[..end].lines()
}

/// The bytes of a file from a position on.
fn read_from(path: &Path, position: u64) -> io::Result<Vec<u8>> {
    let mut file = input_file::open(path)?;
    file.seek(SeekFrom::Start(position))?;
    FILE_BYTES.read_all(file)
}

fn to_ns(seconds: f64) -> i128 {
    (seconds * 1e9).round() as i128
}

/// Seconds with all nine decimals.
fn decimal_s(nanos: i128) -> String {
    let sign = if nanos < 0 { "-" } else { "" };
    let nanos = nanos.unsigned_abs();
    format!("{sign}{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::power::parse_samples;

    /// The host's clock when the board starts.
    const BOOT_S: i128 = 1_767_258_000;

    struct Bench {
        folder: tempfile::TempDir,
        log: HostLog,
    }

    fn settings() -> ExternalMeterLog {
        ExternalMeterLog {
            file: "x.csv".into(),
            columns: Default::default(),
            clock_offset_s: 0.0,
            decimal: None,
            time_zone: None,
        }
    }

    /// A log with ten rows a second over some seconds of uptime.
    fn rows(from_s: i128, to_s: i128) -> String {
        let row = |tenth: i128| format!("{}.{},2.5\n", BOOT_S + tenth / 10, tenth % 10);
        (from_s * 10..to_s * 10).map(row).collect()
    }

    fn bench(text: &str) -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("meter.csv");
        fs::write(&path, text).unwrap();
        let log = HostLog::open("left", &path, &settings()).unwrap();
        Bench { folder, log }
    }

    fn clocks() -> ClockReading {
        let second = 1_000_000_000;
        let (host_ns, uptime_ns) = ((BOOT_S + 120) * second, 120 * second);
        ClockReading { host_ns, uptime_ns, residual_ns: 20_000_000 }
    }

    impl Bench {
        fn append(&self, text: &str) {
            let old = fs::read_to_string(self.path()).unwrap();
            fs::write(self.path(), old + text).unwrap();
        }

        fn path(&self) -> PathBuf {
            self.folder.path().join("meter.csv")
        }

        /// What a session from 100 to 110 s takes.
        fn samples(&self, before: &LogSnapshot) -> Result<String, DeviceError> {
            self.log.samples(before, clocks(), (100.0, 110.0))
        }
    }

    #[test]
    fn the_rows_of_a_session_are_taken_on_the_boards_clock() {
        let bench = bench(&format!("# logger 2\ntime_s,power_w\n{}", rows(90, 99)));
        let before = bench.log.snapshot().unwrap();
        bench.append(&rows(99, 105));
        bench.append("torn ro\n");
        bench.append(&rows(105, 115));
        bench.append("1767258115,2");
        let samples = bench.samples(&before).unwrap();
        let trace = parse_samples(&samples).unwrap();
        assert_eq!((trace.uptime_s[0], *trace.uptime_s.last().unwrap()), (98.5, 111.5));
        assert_eq!((trace.len(), trace.flaws.len()), (131, 1));
        assert_eq!(trace.clock_residual_s, Some(0.02));
    }

    #[test]
    fn a_log_of_another_dialect_is_read_and_torn_rows_are_none() {
        let row = |tenth: i128| format!("{},{};2,500\r\n", BOOT_S + tenth / 10, tenth % 10);
        let rows = |from: i128, to: i128| (from * 10..to * 10).map(row).collect::<String>();
        let text = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        let bench = bench("time_s;power_w\n");
        let first = format!("\u{feff}Zeit (s);Leistung (W)\r\n{}", rows(90, 99));
        fs::write(bench.path(), text(&first)).unwrap();
        let before = bench.log.snapshot().unwrap();
        // Cut before its separator, a row is a time and a number to a reader of commas.
        let torn = format!("{},5\r\n", BOOT_S + 105);
        let rest = rows(99, 105) + &torn + &rows(105, 115);
        fs::write(bench.path(), [text(&first), text(&rest)].concat()).unwrap();
        let trace = parse_samples(&bench.samples(&before).unwrap()).unwrap();
        assert_eq!((trace.len(), trace.flaws.len()), (131, 1));
        assert!(trace.power_w.iter().all(|watts| *watts == Some(2.5)));
    }

    #[test]
    fn a_log_that_is_cut_or_replaced_makes_a_bad_run() {
        let bench = bench(&format!("time_s,power_w\n{}", rows(90, 120)));
        let before = bench.log.snapshot().unwrap();
        let reason = || parse_samples(&bench.samples(&before).unwrap()).unwrap_err().to_string();
        fs::write(bench.path(), "time_s,power_w\n").unwrap();
        assert!(reason().ends_with("meter.csv was cut while the session ran"), "{}", reason());
        let other = bench.folder.path().join("other.csv");
        fs::write(&other, format!("time_s,power_w\n{}", rows(90, 120))).unwrap();
        fs::rename(&other, bench.path()).unwrap();
        assert!(reason().ends_with("was replaced while the session ran"), "{}", reason());
    }

    #[test]
    fn a_log_of_another_clock_is_told_with_its_line() {
        let bench = bench("time_s,power_w\n99999999999,2\n");
        let before = bench.log.snapshot().unwrap();
        let error = bench.samples(&before).unwrap_err().to_string();
        assert!(error.contains("meter.csv, line 2: its last time is"), "{error}");
        let stopped = bench.log.stopped(Some(to_ns(60.0)), 110.0).to_string();
        assert!(stopped.contains("line 2: it stopped growing"), "{stopped}");
        let relative = bench.log.stopped(Some(to_ns(-1e9)), 110.0).to_string();
        assert!(relative.contains("clock_offset_s"), "{relative}");
    }

    #[test]
    fn a_log_that_is_not_there_or_says_nothing_is_refused() {
        let bench = bench("time_s,power_w\n");
        fs::write(bench.path(), "").unwrap();
        let error = bench.log.columns().err().unwrap().to_string();
        assert!(error.contains("start the meter's program"), "{error}");
        let missing = bench.folder.path().join("none.csv");
        let error = HostLog::open("left", &missing, &settings()).unwrap_err().to_string();
        assert!(error.contains("none.csv: cannot be read"), "{error}");
    }

    #[test]
    fn seconds_are_written_with_all_their_digits() {
        assert_eq!(decimal_s(-1_767_257_880_000_000_001), "-1767257880.000000001");
        assert_eq!(decimal_s(5), "0.000000005");
    }
}
