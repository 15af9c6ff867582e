//! Input steps: taps, swipes and keys with their times.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::FailedCheck;
use super::range::{self, check_number, check_signed, check_whole};

/// Steps of an input.
///
/// A step has exactly one of `tap`, `swipe`, `key` and `wait_s`.
#[derive(Debug, Clone, Deserialize, Serialize, Default, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StepSection {
    /// Seconds after the begin marker. Default: it follows the step before it.
    #[schemars(range(min = *range::STEP_S.start(), max = *range::STEP_S.end()))]
    pub at_s: Option<f64>,
    /// A tap at `[x, y]`, in pixels.
    #[schemars(inner(range(min = *range::PIXELS.start(), max = *range::PIXELS.end())))]
    pub tap: Option<[i32; 2]>,
    /// A swipe from and to `[x1, y1, x2, y2]`, in pixels.
    #[schemars(inner(range(min = *range::PIXELS.start(), max = *range::PIXELS.end())))]
    pub swipe: Option<[i32; 4]>,
    /// With `swipe`, its length in milliseconds. Default: 300.
    #[schemars(range(min = *range::SWIPE_MS.start(), max = *range::SWIPE_MS.end()))]
    pub swipe_ms: Option<u32>,
    /// A key, by its Android code.
    #[schemars(range(min = *range::KEYS.start(), max = *range::KEYS.end()))]
    pub key: Option<u32>,
    /// Seconds to wait before the next step without a time of its own.
    #[schemars(range(min = *range::STEP_S.start(), max = *range::STEP_S.end()))]
    pub wait_s: Option<f64>,
}

/// Action of one input step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputAction {
    /// A tap at a point, in pixels.
    Tap {
        /// From the left.
        x: i32,
        /// From the top.
        y: i32,
    },
    /// A swipe between two points, in pixels.
    Swipe {
        /// Start, from the left and from the top.
        from: [i32; 2],
        /// End, from the left and from the top.
        to: [i32; 2],
        /// Duration in milliseconds.
        duration_ms: u32,
    },
    /// A key by its Android code.
    Key(u32),
}

impl InputAction {
    /// The arguments of Android's `input` command: `tap 10 20`.
    pub fn command(self) -> String {
        match self {
            InputAction::Tap { x, y } => format!("tap {x} {y}"),
            InputAction::Swipe { from, to, duration_ms } => {
                format!("swipe {} {} {} {} {duration_ms}", from[0], from[1], to[0], to[1])
            }
            InputAction::Key(code) => format!("keyevent {code}"),
        }
    }
}

/// One checked step: a time and an action.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InputStep {
    /// Seconds after the begin marker.
    pub at_s: f64,
    /// The action at that time.
    pub action: InputAction,
}

impl InputStep {
    /// The step as `@SECONDS COMMAND`, with the time from the begin marker.
    pub fn timed(&self) -> String {
        format!("@{} {}", self.at_s.max(0.0), self.action.command())
    }
}

/// Steps in the order of their times, separated by semicolons, in the format of the runner on
/// Android.
pub fn timed_steps(steps: &[InputStep]) -> String {
    steps_in_order(steps).into_iter().map(InputStep::timed).collect::<Vec<_>>().join(";")
}

/// Steps in the order of their times.
pub(crate) fn steps_in_order(steps: &[InputStep]) -> Vec<&InputStep> {
    let mut steps: Vec<&InputStep> = steps.iter().collect();
    steps.sort_by(|a, b| a.at_s.total_cmp(&b.at_s));
    steps
}

/// Steps with absolute times, in order. `key` is the key of the steps in the file.
pub(super) fn check_steps(steps: &[StepSection], key: &str) -> Result<Vec<InputStep>, FailedCheck> {
    let mut checked = Vec::new();
    let mut clock_s = 0.0;
    for (index, step) in steps.iter().enumerate() {
        let here = format!("{key}[{index}]");
        let at_s = step.at_s.unwrap_or(clock_s);
        if at_s.is_nan() || at_s < clock_s {
            let message = format!("comes before the step above it, which ends at {clock_s} s");
            return Err(FailedCheck::new(format!("{here}.at_s"), message));
        }
        clock_s = check_number(at_s, range::STEP_S, &format!("{here}.at_s"))?;
        match check_action(step, &here)? {
            Some(action) => checked.push(InputStep { at_s, action }),
            None => clock_s += check_wait(step, &here)?,
        }
    }
    Ok(checked)
}

fn check_action(step: &StepSection, key: &str) -> Result<Option<InputAction>, FailedCheck> {
    let actions = [step.tap.is_some(), step.swipe.is_some(), step.key.is_some()];
    let named = actions.into_iter().filter(|is| *is).count() + usize::from(step.wait_s.is_some());
    if named != 1 {
        let message = "needs exactly one of `tap`, `swipe`, `key`, `wait_s`";
        return Err(FailedCheck::new(key, message));
    }
    if step.swipe_ms.is_some() && step.swipe.is_none() {
        return Err(FailedCheck::new(format!("{key}.swipe_ms"), "goes with `swipe` only"));
    }
    check_numbers(step, key)?;
    let tap = step.tap.map(|[x, y]| InputAction::Tap { x, y });
    let swipe = step.swipe.map(|[x1, y1, x2, y2]| InputAction::Swipe {
        from: [x1, y1],
        to: [x2, y2],
        duration_ms: step.swipe_ms.unwrap_or(300),
    });
    Ok(tap.or(swipe).or(step.key.map(InputAction::Key)))
}

/// Checks that points, times and keys are in Android's ranges.
fn check_numbers(step: &StepSection, key: &str) -> Result<(), FailedCheck> {
    let pixels = |places: &[i32], name: &str| {
        let key = format!("{key}.{name}");
        places.iter().try_for_each(|place| check_signed(*place, range::PIXELS, &key).map(drop))
    };
    pixels(step.tap.as_ref().map_or(&[], |tap| tap), "tap")?;
    pixels(step.swipe.as_ref().map_or(&[], |swipe| swipe), "swipe")?;
    check_whole(step.swipe_ms.unwrap_or(0), range::SWIPE_MS, &format!("{key}.swipe_ms"))?;
    check_whole(step.key.unwrap_or(0), range::KEYS, &format!("{key}.key")).map(drop)
}

fn check_wait(step: &StepSection, key: &str) -> Result<f64, FailedCheck> {
    check_number(step.wait_s.unwrap_or(0.0), range::STEP_S, &format!("{key}.wait_s"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(steps: &str) -> Result<Vec<InputStep>, String> {
        #[derive(Deserialize)]
        struct Steps {
            steps: Vec<StepSection>,
        }
        let steps: Steps = toml::from_str(&format!("steps = [{steps}]")).unwrap();
        check_steps(&steps.steps, "steps").map_err(|problem| problem.key)
    }

    #[test]
    fn waits_move_the_steps_after_them() {
        let steps = check("{ at_s = 1.0, tap = [3, 4] }, { wait_s = 2 }, { key = 4 }").unwrap();
        assert_eq!(steps[0], InputStep { at_s: 1.0, action: InputAction::Tap { x: 3, y: 4 } });
        assert_eq!(steps[1], InputStep { at_s: 3.0, action: InputAction::Key(4) });
    }

    #[test]
    fn a_step_names_one_action_in_order_of_time() {
        assert_eq!(check("{ tap = [1, 2], key = 3 }"), Err("steps[0]".into()));
        assert_eq!(check("{ at_s = 1 }"), Err("steps[0]".into()));
        assert_eq!(
            check("{ at_s = 2, key = 3 }, { at_s = 1, key = 3 }"),
            Err("steps[1].at_s".into())
        );
        assert_eq!(check("{ at_s = 2, key = 3, swipe_ms = 3 }"), Err("steps[0].swipe_ms".into()));
    }

    #[test]
    fn actions_are_spelled_as_android_does() {
        let swipe = check("{ swipe = [1, 2, 3, 4] }").unwrap()[0];
        assert_eq!(swipe.action.command(), "swipe 1 2 3 4 300");
        assert_eq!(InputAction::Tap { x: 1, y: 2 }.command(), "tap 1 2");
        assert_eq!(InputAction::Key(4).command(), "keyevent 4");
    }
}
