//! The plan of a session, and its form as arguments of `session.sh`.

use std::time::Duration;

use crate::power::MarkerTexts;
use crate::scenario::{InputStep, steps_in_order, timed_steps};

use super::error::DeviceError;
use super::input_command::InputCommand;
use super::sampler::{METHODS_BUFFER_BYTES, METHODS_INTERVAL, SIMPLEPERF_HZ, Sampler};

/// The kind of a session: the application plain, traced or sampled, or idle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionKind {
    /// The application runs to its end marker.
    App,
    /// An instrumented application runs to its end marker, and its counts are collected.
    Traced,
    /// The application runs to its end marker with a sampling profiler, whose samples are
    /// collected.
    Sampled(Sampler),
    /// No application runs; the board is idle.
    Idle {
        /// Length of the session on the board's clock.
        duration: Duration,
    },
}

/// The component of a package that a session starts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PackageEntryPoint {
    /// An activity, or a jar's class with `main`, started by `am start`; input comes by `input`.
    #[default]
    Activity,
    /// An instrumentation, started by `am instrument`. It gives the application its input, and its
    /// status contains the counts.
    Instrumentation,
}

/// The cores of application and scripts, as masks for `taskset` (bit 0 is core 0).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pinning {
    /// Mask of the application's process; not pinned if absent.
    pub app_mask: Option<u32>,
    /// Mask of sampler and scripts; not pinned if absent.
    pub scripts_mask: Option<u32>,
}

impl Pinning {
    /// The application on one core, sampler and scripts on another (numbers from 0).
    pub fn to_cores(app: u32, scripts: u32) -> Self {
        Self { app_mask: 1u32.checked_shl(app), scripts_mask: 1u32.checked_shl(scripts) }
    }
}

/// The parameters of one session, which become arguments of `session.sh`.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionPlan {
    /// The name of the run; the virtual board seeds its noise with it.
    pub label: String,
    /// The application's package; not used by an idle session.
    pub package: String,
    /// The class to start; not used by an idle session.
    pub main: String,
    /// Whether `main` is an activity or an instrumentation.
    pub entry: PackageEntryPoint,
    /// Extras for the application (`am --es`). Those that begin with `wattline.` are for its
    /// runner.
    pub extras: Vec<(String, String)>,
    /// Input steps, in any order.
    pub steps: Vec<InputStep>,
    /// A command of this machine that also gives input; not used by an idle session.
    pub input_command: Option<InputCommand>,
    /// Begin and end marker, as the application prints them.
    pub marks: MarkerTexts,
    /// Whether and how the application runs.
    pub kind: SessionKind,
    /// The longest session, on the board's clock.
    pub limit: Duration,
    /// Expected length of the session on the board's clock; zero if unknown. Until then the script
    /// checks for the end less often.
    pub expected: Duration,
    /// The sampler's nap, on the board's clock.
    pub period: Duration,
    /// Cores of application and scripts.
    pub pinning: Pinning,
    /// The longest session on this machine's clock, transfers included.
    pub deadline_real: Duration,
}

impl SessionPlan {
    /// The arguments of `session.sh`, each a line of a plan file.
    ///
    /// # Errors
    /// An argument with a line break.
    pub fn arguments(&self) -> Result<Vec<String>, DeviceError> {
        let arguments = unchecked(self);
        let Some(broken) = arguments.iter().find(|argument| argument.contains(['\n', '\r'])) else {
            return Ok(arguments);
        };
        let problem =
            format!("{broken:?} holds a line break; take it out of the extra or the input");
        Err(DeviceError::Plan { label: self.label.clone(), problem })
    }
}

/// Argument that gives the process time after the end marker: counts are written once a second and
/// at the end, when an instrumentation sends counts and samples.
const SENDS: &str = "settle_ms=10000";

fn unchecked(plan: &SessionPlan) -> Vec<String> {
    let mut arguments = vec![
        format!("period_us={}", plan.period.as_micros()),
        format!("limit_ms={}", plan.limit.as_millis()),
        format!("expect_ms={}", plan.expected.as_millis()),
    ];
    let mask = |name: &str, mask: Option<u32>| mask.map(|mask| format!("{name}_mask={mask:x}"));
    arguments.extend(mask("scripts", plan.pinning.scripts_mask));
    let MarkerTexts { begin, end } = &plan.marks;
    arguments.extend([format!("begin_marker={begin}"), format!("end_marker={end}")]);
    match plan.kind {
        SessionKind::Idle { duration } => {
            arguments.push(format!("idle_ms={}", duration.as_millis()));
            return arguments;
        }
        SessionKind::App => {}
        SessionKind::Sampled(Sampler::Methods) => arguments.push(SENDS.into()),
        SessionKind::Sampled(_) => arguments.push(format!("profile_hz={SIMPLEPERF_HZ}")),
        SessionKind::Traced => {
            let settle = if plan.entry == PackageEntryPoint::Instrumentation {
                SENDS
            } else {
                "settle_ms=2500"
            };
            arguments.extend(["counts=yes".into(), settle.into()]);
        }
    }
    arguments.extend(mask("app", plan.pinning.app_mask));
    let word = match plan.entry {
        PackageEntryPoint::Activity => "main",
        PackageEntryPoint::Instrumentation => "runner",
    };
    arguments.extend([format!("package={}", plan.package), format!("{word}={}", plan.main)]);
    arguments.extend(plan.extras.iter().map(|(key, value)| format!("extra={key}={value}")));
    if plan.input_command.is_some() {
        arguments.push("input=host".into());
    }
    match plan.entry {
        PackageEntryPoint::Activity => {
            arguments.extend(steps_in_order(&plan.steps).into_iter().map(step_argument))
        }
        PackageEntryPoint::Instrumentation => {
            arguments.extend(
                of_runner(plan).map(|(key, value)| format!("extra=wattline.{key}={value}")),
            );
        }
    }
    arguments
}

/// The extras for the runner.
fn of_runner(plan: &SessionPlan) -> impl Iterator<Item = (&'static str, String)> {
    let input = (!plan.steps.is_empty()).then(|| ("input", timed_steps(&plan.steps)));
    let sample = (plan.kind == SessionKind::Sampled(Sampler::Methods))
        .then(|| ("sample", format!("{} {METHODS_BUFFER_BYTES}", METHODS_INTERVAL.as_micros())));
    let MarkerTexts { begin, end } = plan.marks.clone();
    let begin = (input.is_some() || sample.is_some()).then_some(("begin", begin));
    let end = sample.is_some().then_some(("end", end));
    [input, sample, begin, end].into_iter().flatten()
}

fn step_argument(step: &InputStep) -> String {
    // A time before the begin marker, or none, is at once.
    let at = Duration::try_from_secs_f64(step.at_s).unwrap_or_default();
    format!("step={} {}", at.as_millis(), step.action.command())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::InputAction;

    fn idle() -> SessionPlan {
        SessionPlan {
            label: "x".into(),
            package: "p".into(),
            main: "m".into(),
            entry: PackageEntryPoint::Activity,
            extras: vec![("steps".into(), "3".into())],
            steps: Vec::new(),
            input_command: None,
            marks: MarkerTexts::default(),
            kind: SessionKind::Idle { duration: Duration::from_secs(5) },
            limit: Duration::from_secs(60),
            expected: Duration::ZERO,
            period: Duration::from_millis(33),
            pinning: Pinning::to_cores(4, 5),
            deadline_real: Duration::from_secs(60),
        }
    }

    #[test]
    fn an_idle_plan_names_no_application() {
        let arguments = idle().arguments().unwrap();
        let times = ["period_us=33000", "limit_ms=60000", "expect_ms=0", "scripts_mask=20"];
        assert_eq!(arguments[..4], times);
        assert_eq!(arguments[4], "begin_marker=wattline: begin");
        assert_eq!(arguments[6..], ["idle_ms=5000"]);
    }

    #[test]
    fn the_input_is_sorted_by_time() {
        let swipe = InputAction::Swipe { from: [1, 2], to: [3, 4], duration_ms: 300 };
        let steps = vec![
            InputStep { at_s: 0.02, action: swipe },
            InputStep { at_s: 0.01, action: InputAction::Key(4) },
        ];
        let plan = SessionPlan { kind: SessionKind::App, steps, ..idle() };
        let arguments = plan.arguments().unwrap();
        assert!(arguments.contains(&"extra=steps=3".to_owned()), "{arguments:?}");
        assert!(arguments.contains(&"app_mask=10".to_owned()), "{arguments:?}");
        assert!(
            arguments.ends_with(&["step=10 keyevent 4".into(), "step=20 swipe 1 2 3 4 300".into()])
        );
        let fed =
            SessionPlan { entry: PackageEntryPoint::Instrumentation, ..plan }.arguments().unwrap();
        assert!(fed.contains(&"runner=m".to_owned()), "{fed:?}");
        assert!(fed.ends_with(&[
            "extra=wattline.input=@0.01 keyevent 4;@0.02 swipe 1 2 3 4 300".into(),
            "extra=wattline.begin=wattline: begin".into(),
        ]));
        let kind = SessionKind::Sampled(Sampler::Methods);
        let sampled = SessionPlan { kind, entry: PackageEntryPoint::Instrumentation, ..idle() };
        let sampled = sampled.arguments().unwrap();
        assert!(sampled.ends_with(&[
            "extra=wattline.sample=9700 16777216".into(),
            "extra=wattline.begin=wattline: begin".into(),
            "extra=wattline.end=wattline: end".into(),
        ]));
        assert!(!sampled.iter().any(|argument| argument.starts_with("profile_hz")), "{sampled:?}");
    }
}
