//! The plan of a session, and its form as arguments of `session.sh`.

use std::fmt;
use std::time::Duration;

use super::DeviceError;

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

/// The arguments of `session.sh`; a line break would end an argument in a plan file.
pub(super) fn arguments(plan: &SessionPlan) -> Result<Vec<String>, DeviceError> {
    let arguments = unchecked(plan);
    let Some(broken) = arguments.iter().find(|argument| argument.contains(['\n', '\r'])) else {
        return Ok(arguments);
    };
    let problem = format!("{broken:?} holds a line break; take it out of the extra or the input");
    Err(DeviceError::Plan { label: plan.label.clone(), problem })
}

fn unchecked(plan: &SessionPlan) -> Vec<String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn idle() -> SessionPlan {
        SessionPlan {
            label: "x".into(),
            package: "p".into(),
            main: "m".into(),
            extras: vec![("steps".into(), "3".into())],
            steps: Vec::new(),
            kind: SessionKind::Idle { duration: Duration::from_secs(5) },
            limit: Duration::from_secs(60),
            period: Duration::from_millis(33),
            pinning: Pinning { app_mask: Some(0x10), scripts_mask: Some(0x20) },
            deadline_real: Duration::from_secs(60),
        }
    }

    #[test]
    fn an_idle_plan_names_no_application() {
        let expected = ["period_us=33000", "limit_ms=60000", "scripts_mask=20", "idle_ms=5000"];
        assert_eq!(arguments(&idle()).unwrap(), expected);
    }

    #[test]
    fn the_input_is_sorted_by_time() {
        let step = |ms, input| InputStep { at: Duration::from_millis(ms), input };
        let swipe = Input::Swipe { from: (1, 2), to: (3, 4) };
        let steps = vec![step(20, swipe), step(10, Input::Text("a".into()))];
        let plan = SessionPlan { kind: SessionKind::App, steps, ..idle() };
        let arguments = arguments(&plan).unwrap();
        assert!(arguments.contains(&"extra=steps=3".to_owned()), "{arguments:?}");
        assert!(arguments.contains(&"app_mask=10".to_owned()), "{arguments:?}");
        assert!(arguments.ends_with(&["step=10 text a".into(), "step=20 swipe 1 2 3 4".into()]));
    }
}
