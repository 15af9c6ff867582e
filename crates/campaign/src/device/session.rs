//! One session on a board: the plan as arguments of `session.sh`, one shell call that runs the
//! script and prints the session's files, and the parsed answer. Sequence and file formats are in
//! `docs/internals/session-protocol.md`.

use std::time::Duration;

use super::board::{Board, ShellOutput};
use super::error::DeviceError;
use super::input_command::InputCommand;
use super::input_command::{self, InputCommandResult};
use super::remote_folders::SCRIPT_FOLDER;
use super::sampler::Sampler;
use super::scripts::{self, key_values, last_value};
use super::session_plan::{PackageEntryPoint, SessionKind, SessionPlan};
use super::session_profile::{self, SessionProfile};
use super::shell::{self, quoted};
use super::shortened::shortened;
use super::{instrumentation_status, lock, lost_lines};
use crate::power::{MachineLoad, Window, parse_session_log};

/// Time limit for notifying a board that a command has ended.
const TELL_LIMIT: Duration = Duration::from_secs(10);

/// How a session ended. Only the first end makes a usable run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionEnd {
    /// With the end marker, or after the idle time.
    Ok,
    /// The application died before its end marker.
    Died,
    /// The session's limit passed.
    TimedOut,
}

/// The end of a session and the conditions around it, as `session.sh` prints them.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionOutcome {
    /// How the session ended.
    pub end: SessionEnd,
    /// `/proc/uptime` in seconds at the first and the last marker.
    pub uptime_s: (f64, f64),
    /// Temperature in degrees Celsius before; absent where no sensor is known.
    pub temperature_before_c: Option<f64>,
    /// Temperature in degrees Celsius after; absent where no sensor is known.
    pub temperature_after_c: Option<f64>,
    /// Frequency of the big cores before, in kHz; absent without cpufreq.
    pub frequency_start_khz: Option<u32>,
    /// Frequency of the big cores after, in kHz; absent without cpufreq.
    pub frequency_khz: Option<u32>,
    /// The lowest frequency seen, about once a second, in kHz; absent without cpufreq. Lower
    /// than what was fixed means that the board was throttled.
    pub frequency_min_khz: Option<u32>,
    /// Seconds that the big cores spent below the frequency of the start, by the kernel's
    /// statistics; absent when there were none or the kernel keeps no statistics.
    pub throttled_s: Option<f64>,
    /// Android's thermal status, the hotter of before and after: 0 (none) to 6; absent before
    /// Android 10.
    pub thermal_status: Option<u8>,
    /// Whether the screen was on before; absent where Android does not say.
    pub screen_on: Option<bool>,
    /// How the package was compiled ahead (`speed`, `verify`, ...); absent before Android 7.
    pub compiled: Option<String>,
    /// Load of the machine by other work; absent where it is not read, as on boards.
    pub load: Option<MachineLoad>,
    /// Why the application did not get the input of a command of this machine; absent where it
    /// did, or there is none.
    pub input_fault: Option<String>,
    /// Problems that did not end the session, such as a failed pinning.
    pub warnings: Vec<String>,
}

/// The logs and files of a session, and its outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionLogs {
    /// `samples.txt` as `sample.sh` wrote it.
    pub samples: String,
    /// The log since the session's start, in the format `threadtime`; markers that it had lost are
    /// put before the rest.
    pub logcat: String,
    /// Output of `session.sh`, followed by the output of the input command.
    pub script_output: String,
    /// `wattline-counts-*.csv` of a traced session, one after the other; absent when the
    /// application wrote none.
    pub counts: Option<String>,
    /// `wattline-counts-1.windows` of a traced session; absent without snapshots.
    pub windows: Option<String>,
    /// The exception that ended the application, with its stack trace if there is one; absent for a
    /// good end.
    pub crash: Option<String>,
    /// Profile of a sampled session.
    pub profile: Option<SessionProfile>,
    /// The session's end and the conditions around it.
    pub outcome: SessionOutcome,
}

/// Runs one session to its end. A session whose application died or that took too long is no error:
/// its logs are returned, and [`SessionOutcome::end`] shows the end.
///
/// After [`DeviceError::Lost`], `TimedOut` or `Cancelled` the board has restored itself: call
/// [`prepare`](super::prepare) again before the next session, which fails otherwise.
pub fn run_session(board: &dyn Board, plan: &SessionPlan) -> Result<SessionLogs, DeviceError> {
    run_session_watched(board, plan, &mut |_| {})
}

/// Runs one session as [`run_session`] does; calls `closed` with the number of microbenchmarks that
/// have ended, each time the script finds more in the log.
pub fn run_session_watched(
    board: &dyn Board,
    plan: &SessionPlan,
    closed: &mut dyn FnMut(u64),
) -> Result<SessionLogs, DeviceError> {
    let command = session_command(board, plan)?;
    let mut lines = LineSplitter::default();
    let input = plan.input_command.as_ref();
    let ended = || let_time_pass(board, input);
    let (output, input) =
        input_command::run_with_input_command(input, board.serial(), &ended, |begin| {
            let mut watch = |part: &[u8]| {
                for line in lines.add(part) {
                    match line.trim_end().split_once('=') {
                        Some(("begun", _)) => begin(),
                        Some(("closed", number)) => {
                            number.parse().into_iter().for_each(&mut *closed)
                        }
                        _ => {}
                    }
                }
            };
            board.shell_watched(&command, plan.deadline_real, &mut watch)
        });
    let mut logs = parse_session(board, plan, &output?)?;
    if let Some(end) = input {
        logs.add_input_result(&end);
    }
    if last_value(&logs.script_output, "profile") == Some("yes") {
        let report = session_profile::fetch_simpleperf_report(board)?;
        logs.keep_profile(session_profile::simpleperf_profile(report, window(plan, &logs)));
    }
    Ok(logs)
}

impl SessionLogs {
    /// Adds the result of the input command to log and outcome.
    pub(super) fn add_input_result(&mut self, end: &InputCommandResult) {
        self.script_output += &end.log();
        self.outcome.input_fault = end.fault(self.outcome.end);
    }
}

/// Notifies a board whose clock stands still during an input command that the command has ended.
fn let_time_pass(board: &dyn Board, command: Option<&InputCommand>) {
    if command.is_some_and(|command| command.holds_clock) {
        // A board that is lost by now is told of by the session.
        board.shell("setprop wattline.input ended", TELL_LIMIT).ok();
    }
}

/// Splitter of a byte stream, which arrives in parts, into lines.
#[derive(Default)]
struct LineSplitter {
    begun: Vec<u8>,
}

impl LineSplitter {
    /// Adds a part and returns the lines that end in it. Samples and logs follow the script's own
    /// lines, so a line may be long; only whole ones are examined.
    fn add(&mut self, part: &[u8]) -> Vec<String> {
        let mut whole = Vec::new();
        for byte in part {
            match byte {
                b'\n' => {
                    whole.push(String::from_utf8_lossy(&std::mem::take(&mut self.begun)).into());
                }
                byte => self.begun.push(*byte),
            }
        }
        whole
    }
}

/// The shell command that sets the label, runs the session and prints its files, all in one round
/// trip.
fn session_command(board: &dyn Board, plan: &SessionPlan) -> Result<String, DeviceError> {
    let arguments = plan.arguments()?;
    let label = quoted(&plan.label);
    let wanted: &[String] = match (plan.kind, plan.entry) {
        (SessionKind::Idle { .. }, _) => &[],
        (_, PackageEntryPoint::Instrumentation) => &["@status".to_owned()],
        (SessionKind::Traced, PackageEntryPoint::Activity) => std::slice::from_ref(&plan.package),
        (SessionKind::App | SessionKind::Sampled(_), PackageEntryPoint::Activity) => &[],
    };
    let collect = scripts::script_command("collect.sh", wanted);
    let whole = |session: String| {
        let check = board.lock_check();
        format!("{check}setprop wattline.session {label} 2>/dev/null; {session} && {collect}")
    };
    let inline = whole(scripts::script_command("session.sh", &arguments));
    // A margin for the wrapping of the legacy shell, which any board may have.
    if inline.len() < shell::LEGACY_LENGTH_MAX - 200 {
        return Ok(inline);
    }
    let remote = format!("{SCRIPT_FOLDER}/plan");
    board.push((arguments.join("\n") + "\n").as_bytes(), &remote, 0o644)?;
    Ok(whole(scripts::script_command("session.sh", &[format!("plan={remote}")])))
}

fn parse_session(
    board: &dyn Board,
    plan: &SessionPlan,
    output: &ShellOutput,
) -> Result<SessionLogs, DeviceError> {
    let text = &output.stdout;
    let script_output = &text[..text.find("@@wattline ").unwrap_or(text.len())];
    lock::check_not_lost(board, script_output)?;
    let said = ShellOutput { stdout: script_output.into(), ..output.clone() };
    scripts::check_output(board, "session.sh", &said, "exit")?;
    let garbled = |what: &str| DeviceError::Garbled {
        serial: board.serial().into(),
        what: format!("session {}: {what}", plan.label),
        answer: shortened(script_output),
    };
    let wanted =
        |name| section(text, name).ok_or_else(|| garbled(&format!("no whole {name} came")));
    let mut outcome = outcome(script_output).ok_or_else(|| garbled("no whole outcome came"))?;
    let is_partial = last_value(script_output, "counts") == Some("partial");
    let said = section(text, "status").map(instrumentation_status::parse);
    if let Some(crash) =
        said.as_ref().and_then(instrumentation_status::InstrumentationStatus::crash)
    {
        outcome.warnings.push(format!("the application ended with {crash}"));
    }
    let (counts, windows) = match &said {
        Some(said) => (said.counts(), said.windows()),
        None => (section(text, "counts").map(Into::into), section(text, "windows").map(Into::into)),
    };
    let marks = said.as_ref().map_or(&[][..], |said| &said.marks);
    let mut logs = SessionLogs {
        samples: wanted("samples")?.into(),
        logcat: lost_lines::restore_lost_lines(wanted("logcat")?.into(), marks, &plan.marks),
        counts: counts.filter(|_| !is_partial),
        windows,
        crash: said.as_ref().and_then(instrumentation_status::InstrumentationStatus::failure),
        profile: None,
        script_output: script_output.to_owned(),
        outcome,
    };
    if let (SessionKind::Sampled(Sampler::Methods), Some(said)) = (plan.kind, said) {
        logs.keep_profile(session_profile::method_trace_profile(said.trace()));
    }
    Ok(logs)
}

impl SessionLogs {
    /// Adds the profile and its warnings; a profile that cannot be read is only a warning.
    fn keep_profile(&mut self, (profile, warnings): (Option<SessionProfile>, Vec<String>)) {
        self.profile = profile;
        self.outcome.warnings.extend(warnings);
    }
}

/// The window between the session's markers; none if the log has no markers, which fails when the
/// energy is computed.
fn window(plan: &SessionPlan, logs: &SessionLogs) -> Option<Window> {
    parse_session_log(&logs.logcat, &plan.marks).session_window().ok()
}

/// The text of a section between the marks of `collect.sh`; none if a mark is missing.
fn section<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let begin = format!("@@wattline {name} begin\n");
    let end = format!("\n@@wattline {name} end\n");
    let rest = &text[text.find(&begin)? + begin.len()..];
    rest.find(&end).map(|length| &rest[..length])
}

fn outcome(output: &str) -> Option<SessionOutcome> {
    let number = |key| last_value(output, key).and_then(|text| text.parse().ok());
    let khz = |key| last_value(output, key).and_then(|text| text.parse().ok());
    let end = match last_value(output, "exit")? {
        "ok" => SessionEnd::Ok,
        "died" => SessionEnd::Died,
        "timeout" => SessionEnd::TimedOut,
        _ => return None,
    };
    let mut warnings: Vec<String> = key_values(output, "warning").map(Into::into).collect();
    if last_value(output, "counts") == Some("partial") {
        warnings.push("the application ended before it had written all its counts".into());
    }
    for what in ["app", "scripts"] {
        if last_value(output, &format!("{what}_pinned")) == Some("no") {
            warnings.push(format!("{what} not pinned: taskset is missing or was refused"));
        }
    }
    Some(SessionOutcome {
        end,
        uptime_s: (number("t0")?, number("t1")?),
        temperature_before_c: number("temperature_before_c"),
        temperature_after_c: number("temperature_after_c"),
        frequency_start_khz: khz("frequency_start_khz"),
        frequency_khz: khz("frequency_khz"),
        frequency_min_khz: khz("frequency_min_khz"),
        throttled_s: number("throttled_s"),
        thermal_status: last_value(output, "thermal_status").and_then(|text| text.parse().ok()),
        screen_on: last_value(output, "screen").map(|screen| screen == "on"),
        compiled: last_value(output, "compiled").map(Into::into),
        load: None,
        input_fault: None,
        warnings,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_whole_or_absent() {
        let text = "exit=ok\n@@wattline samples begin\na\n\n\n@@wattline samples end\n\
                    @@wattline logcat begin\nhalf";
        assert_eq!(section(text, "samples"), Some("a\n\n"));
        assert_eq!(section(text, "logcat"), None);
        assert_eq!(section(text, "counts"), None);
    }

    #[test]
    fn lines_come_whole_however_they_are_cut() {
        let text = b"closed=1\nclosed=12\nrest";
        for cut in 0..text.len() {
            let mut lines = LineSplitter::default();
            let (one, two) = text.split_at(cut);
            let all = [lines.add(one), lines.add(two)].concat();
            assert_eq!(all, ["closed=1", "closed=12"], "cut at {cut}");
        }
    }

    #[test]
    fn an_outcome_needs_its_end_and_its_times() {
        let text = "app_pinned=no\nwarning=input tap failed\nt0=1.50\nt1=4.25\nexit=died\n";
        let outcome = outcome(text).unwrap();
        assert_eq!((outcome.end, outcome.uptime_s), (SessionEnd::Died, (1.5, 4.25)));
        assert_eq!(outcome.temperature_after_c, None);
        assert_eq!(outcome.warnings.len(), 2);
        assert_eq!(super::outcome("t0=1\nt1=2\n"), None);
        assert_eq!(super::outcome("t0=1\nexit=ok\n"), None);
    }
}
