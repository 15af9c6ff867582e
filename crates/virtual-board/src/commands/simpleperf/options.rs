//! Options of `simpleperf record`. Those about features that the board lacks (unwinding, buffers,
//! kernel symbols) are accepted and change nothing; others are refused.

use crate::sampler::RecordingTarget;

/// Clock of the samples' times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClockId {
    /// Time since boot: the monotonic clocks and that of the kernel's events are one on the board.
    Boot,
    /// Wall clock.
    Real,
}

/// Parsed options of `simpleperf record`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RecordOptions {
    pub target: RecordingTarget,
    /// Event that samples count; `None` for the default, hardware events.
    pub event: Option<String>,
    pub rate_hz: u64,
    pub callchain: bool,
    pub duration_ns: Option<u64>,
    pub clock: ClockId,
    pub file: String,
}

/// Default rate in samples per second.
const RATE_HZ: u64 = 4000;
/// Bound that the rate must stay below, as in the real tool.
const RATE_MAX: u64 = i32::MAX as u64;
/// Largest part of a stack that the real tool copies, in bytes.
const STACK_MAX: u64 = 65_528;

/// Events that count time, which the board supports.
const TIME_EVENTS: [&str; 4] = ["task-clock", "task-clock:u", "cpu-clock", "cpu-clock:u"];
/// Hardware events, which the board lacks.
const HARDWARE_EVENTS: [&str; 4] =
    ["cpu-cycles", "instructions", "cache-references", "cache-misses"];

/// Accepted options without a value that change nothing.
const IGNORED_OPTIONS: [&str; 14] = [
    "--exclude-perf",
    "--keep-failed-unwinding-debug-info",
    "--keep-failed-unwinding-result",
    "--no-callchain-joiner",
    "--no-cut-samples",
    "--no-dump-build-id",
    "--no-dump-kernel-symbols",
    "--no-dump-symbols",
    "--no-inherit",
    "--no-unwind",
    "--post-unwind",
    "--post-unwind=no",
    "--post-unwind=yes",
    "-z",
];
/// Accepted options whose value changes nothing.
const IGNORED_OPTIONS_WITH_VALUE: [&str; 6] = [
    "--add-meta-info",
    "--callchain-joiner-min-matching-nodes",
    "--cpu-percent",
    "--symfs",
    "--user-buffer-size",
    "-m",
];
/// Options of the real tool about features that the board lacks.
const UNSUPPORTED_OPTIONS: [&str; 12] = [
    "--cpu",
    "--delay",
    "--exit-with-parent",
    "--group",
    "--size-limit",
    "--start_profiling_fd",
    "--stdio-controls-profiling",
    "--trace-offcpu",
    "-a",
    "-b",
    "-c",
    "-t",
];

/// Parses the arguments of `record`; the error is the real tool's message.
pub(super) fn parse(words: &[&str]) -> Result<RecordOptions, String> {
    let mut target = None;
    let mut options = RecordOptions {
        target: RecordingTarget::Process(0),
        event: None,
        rate_hz: RATE_HZ,
        callchain: false,
        duration_ns: None,
        clock: ClockId::Boot,
        file: "perf.data".to_owned(),
    };
    let mut words = words.iter();
    while let Some(&option) = words.next() {
        let mut value = || words.next().copied().ok_or_else(|| missing_argument(option));
        match option {
            "--app" => target = Some(RecordingTarget::Package(value()?.to_owned())),
            "-p" => target = Some(parse_process(value()?)?),
            "-e" => options.event = Some(parse_event(value()?)?),
            "-f" => options.rate_hz = parse_rate(value()?)?,
            "-g" => options.callchain = true,
            "--call-graph" => options.callchain = parse_call_graph(value()?)?,
            "--duration" => options.duration_ns = Some(parse_duration(value()?)?),
            "--clockid" => options.clock = parse_clock(value()?)?,
            "-o" => options.file = value()?.to_owned(),
            idle if IGNORED_OPTIONS.contains(&idle) => {}
            idle if IGNORED_OPTIONS_WITH_VALUE.contains(&idle) => drop(value()?),
            other => return Err(unknown_option(other)),
        }
    }
    options.target =
        target.ok_or("No threads to monitor. Try `simpleperf help record` for help")?;
    Ok(options)
}

fn missing_argument(option: &str) -> String {
    format!("No argument following {option} option. Try `simpleperf help record`.")
}

fn invalid_argument(option: &str, value: &str) -> String {
    format!("Invalid argument for option {option}: {value}. Try `simpleperf help record`.")
}

fn unknown_option(option: &str) -> String {
    if UNSUPPORTED_OPTIONS.contains(&option) || !option.starts_with('-') {
        return format!("{option} can't be done on a virtual board");
    }
    format!("Unknown option {option}. Try `simpleperf help record`.")
}

/// Parses a process number of `-p`.
fn parse_process(value: &str) -> Result<RecordingTarget, String> {
    value.parse().map(RecordingTarget::Process).map_err(|_| invalid_argument("-p", value))
}

/// Parses an event of `-e`.
fn parse_event(value: &str) -> Result<String, String> {
    let name = value.split(':').next().unwrap_or(value);
    match value {
        known if TIME_EVENTS.contains(&known) => Ok(known.to_owned()),
        _ if HARDWARE_EVENTS.contains(&name) => {
            Err(format!("Event type '{name}' is not supported on the device"))
        }
        _ => Err(format!(
            "Unknown event_type '{name}', try `simpleperf list` to list all possible event type \
             names"
        )),
    }
}

/// Parses a rate of `-f`.
fn parse_rate(value: &str) -> Result<u64, String> {
    match value.parse() {
        Ok(0) => Err("invalid -f: 0".to_owned()),
        Ok(rate) if rate < RATE_MAX => Ok(rate),
        Ok(rate) => Err(format!("sample freq can't be bigger than INT_MAX: {rate}")),
        Err(_) => Err(invalid_argument("-f", value)),
    }
}

/// Checks an argument of `--call-graph`; true, since both kinds record call chains.
fn parse_call_graph(value: &str) -> Result<bool, String> {
    let (kind, size) =
        value.split_once(',').map_or((value, None), |(kind, size)| (kind, Some(size)));
    let size_or = size.map(|text| text.parse::<u64>().map_err(|_| text)).transpose();
    match (kind, size_or) {
        ("dwarf", Err(text)) => {
            Err(format!("invalid dump stack size in --call-graph option: {text}"))
        }
        ("dwarf", Ok(Some(size))) if size % 8 != 0 => {
            Err(format!("dump stack size {size} is not 8-byte aligned."))
        }
        ("dwarf", Ok(Some(size))) if size >= STACK_MAX => {
            Err(format!("dump stack size {size} is bigger than max allowed size {STACK_MAX}."))
        }
        ("dwarf" | "fp", _) => Ok(true),
        _ => Err(format!("unexpected argument for --call-graph option: {value}")),
    }
}

/// Parses a duration of `--duration`, in seconds, to nanoseconds.
fn parse_duration(value: &str) -> Result<u64, String> {
    /// Seconds of a thousand years.
    const LONGEST_S: f64 = 3.2e10;
    let seconds = value.parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
    let seconds = seconds.ok_or_else(|| invalid_argument("--duration", value))?;
    Ok((seconds.min(LONGEST_S) * 1e9).round().max(1.0) as u64)
}

/// Parses a clock of `--clockid`.
fn parse_clock(value: &str) -> Result<ClockId, String> {
    match value {
        "monotonic" | "monotonic_raw" | "boottime" | "perf" => Ok(ClockId::Boot),
        "realtime" => Ok(ClockId::Real),
        other => Err(format!("Invalid clockid: {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_call_is_read() {
        let words = "--app org.x -e task-clock:u -f 1000 -g --duration 2.5 --clockid realtime \
                     --no-inherit -o /data/local/tmp/perf.data";
        let words: Vec<&str> = words.split_whitespace().collect();
        let expected = RecordOptions {
            target: RecordingTarget::Package("org.x".into()),
            event: Some("task-clock:u".into()),
            rate_hz: 1000,
            callchain: true,
            duration_ns: Some(2_500_000_000),
            clock: ClockId::Real,
            file: "/data/local/tmp/perf.data".into(),
        };
        assert_eq!(parse(&words), Ok(expected));
        let bare = parse(&["-p", "7", "--call-graph", "dwarf,8192"]).unwrap();
        assert_eq!(
            (bare.target, bare.rate_hz, bare.callchain),
            (RecordingTarget::Process(7), 4000, true)
        );
        assert_eq!((bare.event, bare.file), (None, "perf.data".to_owned()));
    }

    #[test]
    fn wrong_calls_are_refused_in_the_tools_words() {
        for (words, expected) in [
            ("", "No threads to monitor"),
            ("--app", "No argument following --app option"),
            ("--app x --frobnicate", "Unknown option --frobnicate."),
            ("--app x -a", "-a can't be done on a virtual board"),
            ("--app x ls", "ls can't be done on a virtual board"),
            ("--app x -e cpu-cycles:u", "Event type 'cpu-cycles' is not supported on the device"),
            ("--app x -e nothing", "Unknown event_type 'nothing'"),
            ("--app x -f 0", "invalid -f: 0"),
            ("--app x -f 99999999999", "INT_MAX"),
            ("--app x --duration -1", "Invalid argument for option --duration: -1"),
            ("--app x --clockid sun", "Invalid clockid: sun"),
            ("--app x --call-graph dwarf,9", "not 8-byte aligned"),
            ("--app x --call-graph dwarf,80000", "bigger than max allowed size 65528"),
            ("-p x", "Invalid argument for option -p: x"),
        ] {
            let words: Vec<&str> = words.split_whitespace().collect();
            let problem = parse(&words).unwrap_err();
            assert!(problem.contains(expected), "{words:?}: {problem}");
        }
    }
}
