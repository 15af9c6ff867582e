//! The scenario file as written: every key with its meaning and default. Only types and unknown
//! keys are checked here; `check.rs` does the rest.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::campaign_section::CampaignSection;
use super::input::StepSection;
use super::language::UnanalysedLanguage;
use super::meter_log::LogSection;

/// A whole scenario file. Keys whose values a Gradle or Maven build provides may be left out with
/// such a build.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScenarioFile {
    /// Short name, used for folders: letters, digits, `-`, `_`.
    pub name: Option<String>,
    /// One sentence for the reader of a report.
    #[serde(default)]
    pub description: String,
    /// Seed of all random choices. Default 1.
    #[serde(default = "one")]
    pub seed: u64,
    /// `[application]`.
    #[serde(default)]
    pub application: ApplicationSection,
    /// `[[source]]`, at least one.
    #[serde(default)]
    pub source: Vec<SourceSection>,
    /// `[[library]]`: jars of the class path.
    #[serde(default)]
    pub library: Vec<LibrarySection>,
    /// `[[processor]]`: jars with annotation processors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub processor: Vec<ProcessorSection>,
    /// `[session]`.
    #[serde(default)]
    pub session: SessionSection,
    /// `[[input]]`, at least one.
    #[serde(default)]
    pub input: Vec<InputSection>,
    /// `[board]`.
    #[serde(default)]
    pub board: BoardSection,
    /// `[campaign]`.
    #[serde(default)]
    pub campaign: CampaignSection,
    /// `[limits]`.
    #[serde(default)]
    pub limits: LimitsSection,
    /// `[microbenchmarks]`.
    #[serde(default)]
    pub microbenchmarks: MicrobenchmarksSection,
    /// `[hints]`.
    #[serde(default)]
    pub hints: HintsSection,
    /// `[offline]`: the scenario to run when artifacts can't be fetched.
    pub offline: Option<OfflineSection>,
}

/// `[application]`: the application to start on the board.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApplicationSection {
    /// Package name of the application on the board.
    pub package: Option<String>,
    /// The class with `main`, with its package; none with `start = "activity"`.
    pub main: Option<String>,
    /// The activity, with its package or from its dot on; with `start = "activity"` alone.
    pub activity: Option<String>,
    /// Android package of the application's own build, relative to the scenario file, from which
    /// variants are built.
    pub apk: Option<String>,
    /// `javac --release`. Default: the JDK's own.
    pub java_release: Option<u32>,
    /// Whether classes keep the names of parameters (`javac -parameters`). Default false.
    pub parameters: Option<bool>,
    /// Whether preview features of Java are enabled. Default false.
    pub preview: Option<bool>,
    /// Other options of javac, as in the user's own build (`-Akey=value`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub javac_options: Vec<String>,
    /// Whether right operands of `&&`, `||` and arms of `?:` are blocks of their own.
    #[serde(default)]
    pub granularity: GranularityValue,
    /// Whether `assert` statements stay in. Default false, as in Android's release builds.
    #[serde(default)]
    pub assertions: bool,
    /// Whether traced runs count exceptions in loops without calls, so that the loops need fewer
    /// probes. Default true.
    #[serde(default = "watch_loops")]
    pub watch_loops: bool,
    /// Kind of start on boards. Default: the instrumentation of a package.
    #[serde(default)]
    pub start: StartKind,
    /// Oldest supported Android release, as an API level. Default 14.
    pub min_sdk: Option<u32>,
    /// Target Android release, as an API level. Default 34.
    pub target_sdk: Option<u32>,
}

/// `application.start`: kind of build and of start on boards. On this machine it is always a jar's
/// class with `main`, and an application with a window does not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StartKind {
    /// Instrumentation of a signed Android package, which calls `main`.
    #[default]
    Instrument,
    /// Instrumentation of a signed Android package, which starts an activity.
    Activity,
    /// Class with `main` of a jar: only on virtual boards that accept jars.
    Main,
    /// Only the process of the own build's package, for `session.input_command`.
    Command,
}

/// `application.granularity`: division of expressions into blocks.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum GranularityValue {
    /// Blocks of whole statements, as in Li and Gallagher 2016.
    Statement,
    /// Blocks that end within expressions.
    #[default]
    Expression,
}

/// `[[source]]`: one source tree, by `path` or by `maven` and `sha256`.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SourceSection {
    /// Folder or jar, relative to the scenario file.
    pub path: Option<String>,
    /// `group:artifact:version:classifier`.
    pub maven: Option<String>,
    /// SHA-256 of the artifact, 64 hexadecimal digits; needed with `maven`.
    pub sha256: Option<String>,
    /// Patterns of included files (`org/jbox2d/**`). Default all.
    #[serde(default)]
    pub include: Vec<String>,
    /// Patterns of excluded files.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// `"analysed"` (default) or `"harness"`.
    #[serde(default)]
    pub role: RoleValue,
    /// Whether blocks and operations are analysed. Default true.
    pub analyse: Option<bool>,
    /// The encoding of its files, as javac's `-encoding` names it. Default: UTF-8.
    pub encoding: Option<String>,
}

/// `source.role`: purpose of a source tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RoleValue {
    /// Measured code.
    #[default]
    Analysed,
    /// Code that starts the measured code and gives it input; none of its blocks is removed.
    Harness,
}

/// `[[library]]`: one jar of the class path, by `path` or by `maven` and `sha256`.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LibrarySection {
    /// Jar or folder of classes, relative to the scenario file.
    pub path: Option<String>,
    /// `group:artifact:version` or with `:classifier`.
    pub maven: Option<String>,
    /// SHA-256 of the artifact; needed with `maven`.
    pub sha256: Option<String>,
    /// Role `"packed"` (default) or `"provided"`, by the platform that runs the application.
    pub role: Option<LibraryRole>,
    /// Unanalysed language of the application's own classes in the jar, if any.
    pub language: Option<UnanalysedLanguage>,
}

/// `[[processor]]`: one jar with annotation processors, by `path` or by `maven` and `sha256`.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProcessorSection {
    /// Jar or folder of classes, relative to the scenario file.
    pub path: Option<String>,
    /// `group:artifact:version` or with `:classifier`.
    pub maven: Option<String>,
    /// SHA-256 of the artifact; needed with `maven`.
    pub sha256: Option<String>,
}

/// `library.role`: whether the application or the platform contains a library.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LibraryRole {
    /// Packed with the application.
    #[default]
    Packed,
    /// Provided by the platform: `android.jar`.
    Provided,
}

/// `[session]`: one run of the application on the board.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct SessionSection {
    /// Nominal length in seconds, which is the length of idle runs. Default 100, as in Li and
    /// Gallagher 2016.
    pub duration_s: f64,
    /// Frames or steps of one session, passed as the extra `frames=N`.
    pub frames: Option<u64>,
    /// More extras: passed to the application as `key=value`.
    pub extras: BTreeMap<String, toml::Value>,
    /// Additional extras of dry runs on the local JVM, such as one that switches waiting for the
    /// next frame off.
    pub dry_extras: BTreeMap<String, toml::Value>,
    /// A command of this machine that gives the application its input, from the begin marker on.
    pub input_command: Option<String>,
    /// Seconds after which a session counts as hung; four times as many for a traced one,
    /// as probes take time. Default 3 x `duration_s`.
    pub limit_s: Option<f64>,
    /// Power samples per second. Default 30, as in Li and Gallagher 2016.
    pub sample_rate_hz: f64,
    /// Seconds of rest between runs. Default 2.
    pub rest_s: f64,
    /// Log line that begins the measured window. Default `wattline: begin`.
    pub begin_marker: String,
    /// Log line that ends the measured window. Default `wattline: end`.
    pub end_marker: String,
}

/// `[[input]]`: one input sequence.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct InputSection {
    /// Short name, which is also the group of its cases.
    pub name: String,
    /// Extras of this sequence in addition to the session's.
    #[serde(default)]
    pub extras: BTreeMap<String, toml::Value>,
    /// Frames of this sequence, if other than the session's.
    pub frames: Option<u64>,
    /// Input steps with their times.
    #[serde(default)]
    pub steps: Vec<StepSection>,
}

/// `[board]`: meter, rails, cores and frequency.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct BoardSection {
    /// Power meter, or `"auto"` (the default): the best that the board offers.
    pub meter: String,
    /// `[board.log]`: the log of the meter `"external"`.
    pub log: Option<LogSection>,
    /// Rails whose power is added up. Default: the processor's, which on an Odroid is `["arm"]`,
    /// the big cores of Li and Gallagher 2016.
    pub rails: Vec<String>,
    /// Fixed frequency of the big cores in kHz, `"leave"`, or `"auto"` (the default): the frequency
    /// of the board nearest to 1100000 (Li and Gallagher 2016), left to the governor where it can't
    /// be fixed.
    pub frequency_khz: FrequencyValue,
    /// Core of the application. Default: the last of the board's big ones.
    pub big_core: Option<u32>,
    /// Core of the sampler. Default 0.
    pub sampler_core: u32,
}

/// Value of `board.frequency_khz`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum FrequencyValue {
    /// A frequency.
    Khz(i64),
    /// `"leave"`, for the board's governor, or `"auto"`.
    Word(String),
    /// Any other value, which the check refuses with a list of valid ones.
    Other(String),
}

impl<'de> Deserialize<'de> for FrequencyValue {
    /// Accepts any value, since serde's error for an untagged enum is of no help.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match toml::Value::deserialize(deserializer)? {
            toml::Value::Integer(khz) => Self::Khz(khz),
            toml::Value::String(word) => Self::Word(word),
            toml::Value::Float(number) => Self::Other(number.to_string()),
            toml::Value::Boolean(is) => Self::Other(is.to_string()),
            other => Self::Other(format!("{} {}", article(&other), other.type_str())),
        })
    }
}

fn article(value: &toml::Value) -> &'static str {
    if value.is_array() { "an" } else { "a" }
}

impl FrequencyValue {
    /// The value as written.
    pub fn text(&self) -> String {
        match self {
            Self::Khz(khz) => khz.to_string(),
            Self::Word(word) | Self::Other(word) => word.clone(),
        }
    }
}

/// `[limits]`: limits outside of which a run is bad.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LimitsSection {
    /// Longest gap between two samples in seconds. Default 1.
    pub max_gap_s: f64,
    /// Fewest samples within the window, as a share of duration x rate. Default 0.5.
    pub min_sample_share: f64,
    /// Highest temperature in degrees Celsius before or after a run. Default 85.
    pub temperature_c: f64,
    /// Furthest a run's duration may be from that of the case's runs of its kind, and an idle run's
    /// from the nominal one, as a share; with the `software` meter the application's CPU time
    /// counts instead. Default 0.25.
    pub duration_mismatch: f64,
}

/// `[microbenchmarks]`: microbenchmarks on the same board.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct MicrobenchmarksSection {
    /// Whether microbenchmarks are run. Default true.
    pub enabled: bool,
    /// Runs of each microbenchmark. Default 5.
    pub repeats: u32,
    /// Number of operations that get a microbenchmark, the most executed first. Default 150.
    pub count: u32,
    /// Length of one microbenchmark's window in seconds. Default: twelve of the meter's usual
    /// refreshes, from 1 to 3; 3 where they are not known.
    pub window_s: Option<f64>,
    /// Idle time around each window in seconds. Default: three of the meter's usual
    /// refreshes, from 0.2 on; 0.8 where they are not known.
    pub gap_s: Option<f64>,
}

/// `[hints]`: treatment of found hints.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct HintsSection {
    /// Number of automatic fixes to verify, each applied to a copy of its own and measured beside
    /// the original, and all together in one more copy: those of the first hints, then those whose saving can't be distinguished from
    /// zero. Default 0.
    pub verify: u32,
}

/// `[offline]`: the scenario to run instead when artifacts can't be fetched.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OfflineSection {
    /// Scenario file, relative to this one.
    pub scenario: String,
}

impl InputSection {
    /// An input sequence without steps and extras.
    pub(crate) fn named(name: &str) -> Self {
        Self { name: name.into(), extras: BTreeMap::new(), frames: None, steps: Vec::new() }
    }
}

fn one() -> u64 {
    1
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

impl Default for SessionSection {
    fn default() -> Self {
        Self {
            duration_s: 100.0,
            frames: None,
            extras: BTreeMap::new(),
            dry_extras: BTreeMap::new(),
            input_command: None,
            limit_s: None,
            sample_rate_hz: 30.0,
            rest_s: 2.0,
            begin_marker: "wattline: begin".into(),
            end_marker: "wattline: end".into(),
        }
    }
}

impl Default for BoardSection {
    fn default() -> Self {
        Self {
            meter: "auto".into(),
            log: None,
            rails: Vec::new(),
            frequency_khz: FrequencyValue::Word("auto".into()),
            big_core: None,
            sampler_core: 0,
        }
    }
}

impl Default for LimitsSection {
    fn default() -> Self {
        Self { max_gap_s: 1.0, min_sample_share: 0.5, temperature_c: 85.0, duration_mismatch: 0.25 }
    }
}

impl Default for MicrobenchmarksSection {
    fn default() -> Self {
        Self { enabled: true, repeats: 5, count: 150, window_s: None, gap_s: None }
    }
}
