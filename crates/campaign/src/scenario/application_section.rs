//! The section `[application]` of a scenario file as written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::range;

/// `[application]`: what is built and started.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApplicationSection {
    /// Package name of the application, as the board knows it.
    /// Needed.
    pub package: Option<String>,
    /// The class with `main`, with its package; refused beside `apk`.
    /// Needed, unless there is an `apk` or `start = "activity"`.
    pub main: Option<String>,
    /// With `start = "activity"`, the activity: with its package, or from a dot on in `package`
    /// (`".MainActivity"`). Needed with it; of an `apk` the default is the launcher's.
    pub activity: Option<String>,
    /// The Android package that [your own build](../how-to/own-application.md) made, relative to
    /// the scenario file: only its code changes.
    pub apk: Option<String>,
    /// `javac --release`, from 7 to 30; what a device runs may have to be older than the JDK.
    /// Default: the JDK's own.
    #[schemars(range(min = *range::JAVA_RELEASES.start(), max = *range::JAVA_RELEASES.end()))]
    pub java_release: Option<u32>,
    /// Whether classes keep the names of parameters (`javac -parameters`). Default: false.
    pub parameters: Option<bool>,
    /// Whether preview features of Java are on, in javac and in JVMs. Default: false.
    pub preview: Option<bool>,
    /// Other options of javac, as [your own build](../how-to/build-sources.md) has them:
    /// `["-Akey=value"]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub javac_options: Vec<String>,
    /// Division of expressions into blocks.
    #[serde(default)]
    pub granularity: GranularityValue,
    /// Whether `assert` stays in. Default: false, as in Android's release builds.
    #[serde(default)]
    pub assertions: bool,
    /// Whether loops that call nothing count their exceptions in traced runs, and so need
    /// [fewer probes](../internals/probes.md#what-follows-from-other-blocks); the JVM may then
    /// drop the messages of its own exceptions sooner.
    #[serde(default = "watch_loops")]
    pub watch_loops: bool,
    /// What boards start; `--board jvm` always gets a jar, but has no activities.
    #[serde(default)]
    pub start: StartKind,
    /// The oldest Android that a [package](../internals/packages.md) of it runs on, as an API
    /// level; refused beside `apk`. Default: 14.
    #[schemars(range(min = *range::API_LEVELS.start(), max = *range::API_LEVELS.end()))]
    pub min_sdk: Option<u32>,
    /// The Android that a package of it is made for, as an API level; refused beside `apk`.
    /// Default: 34, or `min_sdk`.
    #[schemars(range(min = *range::API_LEVELS.start(), max = *range::API_LEVELS.end()))]
    pub target_sdk: Option<u32>,
}

/// `application.start`: kind of build and of start on boards. On this machine it is always a jar's
/// class with `main`, and an application with a window does not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StartKind {
    /// The instrumentation of a signed [package](../internals/packages.md), which calls `main`.
    #[default]
    Instrument,
    /// The same, which
    /// [starts an activity](../internals/packages.md#applications-with-a-window).
    Activity,
    /// The class with `main` of a jar, which only virtual boards take, with an option
    /// ([why](../internals/virtual-board-packages.md)).
    Main,
    /// Of an `apk` the process alone, for `input_command`.
    Command,
}

/// `application.granularity`: division of expressions into blocks.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum GranularityValue {
    /// The blocks of whole statements (L&G).
    Statement,
    /// Right operands of `&&`, `||` and arms of `?:` are blocks of their own.
    #[default]
    Expression,
}

fn watch_loops() -> bool {
    true
}

impl Default for ApplicationSection {
    fn default() -> Self {
        Self {
            package: None,
            main: None,
            activity: None,
            apk: None,
            java_release: None,
            parameters: None,
            preview: None,
            javac_options: Vec::new(),
            granularity: GranularityValue::default(),
            assertions: false,
            watch_loops: watch_loops(),
            start: StartKind::default(),
            min_sdk: None,
            target_sdk: None,
        }
    }
}
