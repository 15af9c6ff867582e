//! One session on a board: the plan as arguments of `session.sh`, one shell call that runs
//! it and prints what it left, and the answer taken apart. Sequence and file formats are in
//! `ARCHITECTURE.md`, "The session on a board".

use std::fmt;
use std::time::Duration;

use super::scripts::{self, SCRIPT_FOLDER, value, values};
use super::shell::{self, quoted};
use super::{Board, DeviceError, ShellOutput};

/// One kind of input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A tap at a pixel.
    Tap {
        /// Pixels from the left.
        x: u32,
        /// Pixels from the top.
        y: u32,
    },
    /// A swipe between two pixels.
    Swipe {
        /// Start: pixels from the left and the top.
        from: (u32, u32),
        /// End: pixels from the left and the top.
        to: (u32, u32),
    },
    /// A key by its number or name (`4`, `KEYCODE_BACK`).
    Key(String),
    /// A text; Android's `input` wants `%s` for a space.
    Text(String),
}

impl fmt::Display for Input {
    /// As the arguments of Android's `input`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tap { x, y } => write!(f, "tap {x} {y}"),
            Self::Swipe { from, to } => {
                write!(f, "swipe {} {} {} {}", from.0, from.1, to.0, to.1)
            }
            Self::Key(key) => write!(f, "keyevent {key}"),
            Self::Text(text) => write!(f, "text {text}"),
        }
    }
}

/// An input and its time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputStep {
    /// Time after the application's begin mark, on the board's clock.
    pub at: Duration,
    /// What is sent.
    pub input: Input,
}

/// What a session is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionKind {
    /// The application runs to its end mark.
    App,
    /// The same, with an instrumented application whose counts are wanted.
    Traced,
    /// Nothing runs, for this long on the board's clock.
    Idle {
        /// The length of the session.
        duration: Duration,
    },
}

/// The cores things are pinned to, as masks for `taskset` (bit 0 is core 0).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pinning {
    /// For the application's process; not pinned when absent.
    pub app_mask: Option<u32>,
    /// For sampler and scripts; not pinned when absent.
    pub scripts_mask: Option<u32>,
}

/// Everything `session.sh` needs to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionPlan {
    /// The name of the run; the virtual board seeds its noise with it.
    pub label: String,
    /// The application's package; not used by an idle session.
    pub package: String,
    /// The class to start; not used by an idle session.
    pub main: String,
    /// Extras for the application (`am --es`).
    pub extras: Vec<(String, String)>,
    /// The input, in any order.
    pub steps: Vec<InputStep>,
    /// What the session is for.
    pub kind: SessionKind,
    /// The longest session, on the board's clock.
    pub limit: Duration,
    /// The sampler's nap, on the board's clock.
    pub period: Duration,
    /// Cores.
    pub pinning: Pinning,
    /// The longest session on this machine's clock, transfers included.
    pub deadline_real: Duration,
}

/// How a session ended. Only the first end makes a usable run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionEnd {
    /// With the end mark, or after the idle time.
    Ok,
    /// The application died before its end mark.
    Died,
    /// The session's limit passed.
    TimedOut,
}

/// What `session.sh` says at the end.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// How the session ended.
    pub end: SessionEnd,
    /// `/proc/uptime` in seconds at the first and the last mark.
    pub uptime_s: (f64, f64),
    /// Temperature in degrees Celsius before; absent where no sensor is known.
    pub temperature_before_c: Option<f64>,
    /// Temperature in degrees Celsius after; absent where no sensor is known.
    pub temperature_after_c: Option<f64>,
    /// Frequency of the big cores after, in kHz; absent without cpufreq.
    pub frequency_khz: Option<u32>,
    /// What did not go as asked without ending the session, a pinning that failed included.
    pub warnings: Vec<String>,
}

/// What a session left.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionLogs {
    /// `samples.txt` as `sample.sh` wrote it.
    pub samples: String,
    /// The log since the session's start, in the format `threadtime`.
    pub logcat: String,
    /// What `session.sh` printed.
    pub script_output: String,
    /// `wattline-counts.csv` of a traced session; absent when the application wrote none.
    pub counts: Option<String>,
    /// The end and what was measured around it.
    pub outcome: Outcome,
}

/// Runs one session to its end. A session whose application died or that took too long is
/// no error: its logs come back, with [`Outcome::end`] saying so.
pub fn run_session(board: &dyn Board, plan: &SessionPlan) -> Result<SessionLogs, DeviceError> {
    let command = session_command(board, plan)?;
    let output = board.shell(&command, plan.deadline_real)?;
    take_apart(board, plan, &output)
}

/// Label, session and collection in one command: one round trip for all of it.
fn session_command(board: &dyn Board, plan: &SessionPlan) -> Result<String, DeviceError> {
    let arguments = checked_arguments(plan)?;
    let label = quoted(&plan.label);
    let collect = match plan.kind {
        SessionKind::Traced => scripts::command("collect.sh", &[plan.package.clone()]),
        SessionKind::App | SessionKind::Idle { .. } => scripts::command("collect.sh", &[]),
    };
    let whole =
        |session: String| format!("setprop wattline.session {label}; {session} && {collect}");
    let inline = whole(scripts::command("session.sh", &arguments));
    // A margin for the wrapping of the legacy shell, which any board may have.
    if inline.len() < shell::LEGACY_LENGTH_MAX - 200 {
        return Ok(inline);
    }
    let remote = format!("{SCRIPT_FOLDER}/plan");
    board.push((arguments.join("\n") + "\n").as_bytes(), &remote, 0o644)?;
    Ok(whole(scripts::command("session.sh", &[format!("plan={remote}")])))
}

/// The arguments of `session.sh`; a line break would end an argument in a plan file.
fn checked_arguments(plan: &SessionPlan) -> Result<Vec<String>, DeviceError> {
    let arguments = arguments(plan);
    let Some(broken) = arguments.iter().find(|argument| argument.contains(['\n', '\r'])) else {
        return Ok(arguments);
    };
    let problem = format!("{broken:?} holds a line break; take it out of the extra or the input");
    Err(DeviceError::Plan { label: plan.label.clone(), problem })
}

fn arguments(plan: &SessionPlan) -> Vec<String> {
    let mut arguments = vec![
        format!("period_us={}", plan.period.as_micros()),
        format!("limit_ms={}", plan.limit.as_millis()),
    ];
    let mask = |name: &str, mask: Option<u32>| mask.map(|mask| format!("{name}_mask={mask:x}"));
    arguments.extend(mask("scripts", plan.pinning.scripts_mask));
    match plan.kind {
        SessionKind::Idle { duration } => {
            arguments.push(format!("idle_ms={}", duration.as_millis()));
            return arguments;
        }
        SessionKind::App => {}
        // Counts are written at the end of the process and once a second.
        SessionKind::Traced => arguments.extend(["counts=yes".into(), "settle_ms=2500".into()]),
    }
    arguments.extend(mask("app", plan.pinning.app_mask));
    arguments.extend([format!("package={}", plan.package), format!("main={}", plan.main)]);
    arguments.extend(plan.extras.iter().map(|(key, value)| format!("extra={key}={value}")));
    let mut steps: Vec<&InputStep> = plan.steps.iter().collect();
    steps.sort_by_key(|step| step.at);
    let line = |step: &&InputStep| format!("step={} {}", step.at.as_millis(), step.input);
    arguments.extend(steps.iter().map(line));
    arguments
}

fn take_apart(
    board: &dyn Board,
    plan: &SessionPlan,
    output: &ShellOutput,
) -> Result<SessionLogs, DeviceError> {
    let text = &output.stdout;
    let script_output = &text[..text.find("@@wattline ").unwrap_or(text.len())];
    let said = ShellOutput { stdout: script_output.into(), ..output.clone() };
    scripts::check(board, "session.sh", &said, "exit")?;
    let garbled = |what: &str| DeviceError::Garbled {
        serial: board.serial().into(),
        what: format!("session {}: {what}", plan.label),
        answer: super::server::shortened(script_output),
    };
    let wanted =
        |name| section(text, name).ok_or_else(|| garbled(&format!("no whole {name} came")));
    let outcome = outcome(script_output).ok_or_else(|| garbled("no whole outcome came"))?;
    Ok(SessionLogs {
        samples: wanted("samples")?.into(),
        logcat: wanted("logcat")?.into(),
        counts: section(text, "counts").map(Into::into),
        script_output: script_output.into(),
        outcome,
    })
}

/// The bytes between the marks of `collect.sh`; absent when a mark is missing.
fn section<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let begin = format!("@@wattline {name} begin\n");
    let end = format!("\n@@wattline {name} end\n");
    let rest = &text[text.find(&begin)? + begin.len()..];
    rest.find(&end).map(|length| &rest[..length])
}

fn outcome(output: &str) -> Option<Outcome> {
    let number = |key| value(output, key).and_then(|text| text.parse().ok());
    let end = match value(output, "exit")? {
        "ok" => SessionEnd::Ok,
        "died" => SessionEnd::Died,
        "timeout" => SessionEnd::TimedOut,
        _ => return None,
    };
    let mut warnings: Vec<String> = values(output, "warning").map(Into::into).collect();
    for what in ["app", "scripts"] {
        if value(output, &format!("{what}_pinned")) == Some("no") {
            warnings.push(format!("{what} not pinned: taskset is missing or was refused"));
        }
    }
    Some(Outcome {
        end,
        uptime_s: (number("t0")?, number("t1")?),
        temperature_before_c: number("temperature_before_c"),
        temperature_after_c: number("temperature_after_c"),
        frequency_khz: value(output, "frequency_khz").and_then(|text| text.parse().ok()),
        warnings,
    })
}
