//! The scenario file as written: every key with its meaning and default. Nothing is
//! checked here beyond types and unknown keys; `checked.rs` does the rest.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::campaign_file::CampaignFile;
use super::input::StepFile;
use super::language::UnanalysedLanguage;
use super::meter_log::LogFile;

/// A whole scenario file. What a build of Gradle or Maven says may be left out
/// where there is one.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScenarioFile {
    /// Short name, used for folders: letters, digits, `-`, `_`.
    pub name: Option<String>,
    /// One sentence for the reader of a report.
    #[serde(default)]
    pub description: String,
    /// Seed of everything random. Default 1.
    #[serde(default = "one")]
    pub seed: u64,
    /// `[application]`.
    #[serde(default)]
    pub application: ApplicationFile,
    /// `[[source]]`, at least one.
    #[serde(default)]
    pub source: Vec<SourceSection>,
    /// `[[library]]`: jars of the class path.
    #[serde(default)]
    pub library: Vec<LibraryFile>,
    /// `[[processor]]`: jars with annotation processors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub processor: Vec<ProcessorFile>,
    /// `[session]`.
    #[serde(default)]
    pub session: SessionFile,
    /// `[[input]]`, at least one.
    #[serde(default)]
    pub input: Vec<InputFile>,
    /// `[board]`.
    #[serde(default)]
    pub board: BoardSection,
    /// `[campaign]`.
    #[serde(default)]
    pub campaign: CampaignFile,
    /// `[limits]`.
    #[serde(default)]
    pub limits: LimitsFile,
    /// `[microbenchmarks]`.
    #[serde(default)]
    pub microbenchmarks: MicrobenchmarksFile,
    /// `[hints]`.
    #[serde(default)]
    pub hints: HintsFile,
    /// `[offline]`: what to run when artifacts can't be had.
    pub offline: Option<OfflineFile>,
}

/// `[application]`: what is started on the board.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApplicationFile {
    /// Package name, as the board knows the application.
    pub package: Option<String>,
    /// The class with `main`, with its package; none with `start = "activity"`.
    pub main: Option<String>,
    /// The activity, with its package or from its dot on; with `start = "activity"` alone.
    pub activity: Option<String>,
    /// The Android package that the application's own build made, relative to the scenario
    /// file: variants are made of it.
    pub apk: Option<String>,
    /// `javac --release`. Default: the JDK's own.
    pub java_release: Option<u32>,
    /// Whether classes keep the names of parameters (`javac -parameters`). Default false.
    pub parameters: Option<bool>,
    /// Whether features of Java that are previews are on. Default false.
    pub preview: Option<bool>,
    /// Other options of javac, as the user's own build has them (`-Akey=value`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub javac_options: Vec<String>,
    /// Whether right operands of `&&`, `||` and arms of `?:` are blocks of their own.
    #[serde(default)]
    pub granularity: GranularityFile,
    /// Whether `assert` statements stay in. Default false, as in Android's release builds.
    #[serde(default)]
    pub assertions: bool,
    /// Whether loops that call nothing count their exceptions in traced runs, so that they
    /// need fewer probes. Default true.
    #[serde(default = "watch_loops")]
    pub watch_loops: bool,
    /// What boards start. Default: the instrumentation of a package.
    #[serde(default)]
    pub start: StartKind,
    /// The oldest Android that a package of it runs on, as an API level. Default 14.
    pub min_sdk: Option<u32>,
    /// The Android that a package of it is made for. Default 34.
    pub target_sdk: Option<u32>,
}

/// `application.start`: what campaigns build and boards start. On this machine it is always a
/// jar's class with `main`, and an application with a window does not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StartKind {
    /// A signed Android package's instrumentation, which calls `main`.
    #[default]
    Instrument,
    /// The same, which starts an activity of the application's.
    Activity,
    /// A jar's class with `main`: only for virtual boards that take jars.
    Main,
    /// Nothing but the process of the own build's package, for `session.input_command`.
    Command,
}

/// `application.granularity`.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum GranularityFile {
    /// The paper's.
    Statement,
    /// The exact one.
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
    /// Which files are taken (`org/jbox2d/**`). Default all.
    #[serde(default)]
    pub include: Vec<String>,
    /// Which of them are left out again.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// `"analysed"` (default) or `"harness"`.
    #[serde(default)]
    pub role: RoleFile,
    /// Whether blocks and operations are analysed. Default true.
    pub analyse: Option<bool>,
    /// The encoding of its files, as javac's `-encoding` names it. Default: UTF-8.
    pub encoding: Option<String>,
}

/// What a source tree is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RoleFile {
    /// The code whose energy is asked for.
    #[default]
    Analysed,
    /// Our own code that starts and feeds it; none of its blocks is removed.
    Harness,
}

/// `[[library]]`: one jar of the class path, by `path` or by `maven` and `sha256`.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LibraryFile {
    /// Jar or folder of classes, relative to the scenario file.
    pub path: Option<String>,
    /// `group:artifact:version` or with `:classifier`.
    pub maven: Option<String>,
    /// SHA-256 of the artifact; needed with `maven`.
    pub sha256: Option<String>,
    /// `"packed"` (default) or `"provided"`, by what runs the application.
    pub role: Option<LibraryRole>,
    /// What the application's own classes in it were written in, where that is not analysed.
    pub language: Option<UnanalysedLanguage>,
}

/// `[[processor]]`: one jar with annotation processors, by `path` or by `maven` and `sha256`.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProcessorFile {
    /// Jar or folder of classes, relative to the scenario file.
    pub path: Option<String>,
    /// `group:artifact:version` or with `:classifier`.
    pub maven: Option<String>,
    /// SHA-256 of the artifact; needed with `maven`.
    pub sha256: Option<String>,
}

/// `library.role`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LibraryRole {
    /// It goes with the application.
    #[default]
    Packed,
    /// It is where the application runs: `android.jar`.
    Provided,
}

/// `[session]`: one run of the application on the board.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct SessionFile {
    /// Nominal length in seconds, which idle runs last. Default 100 (the paper's).
    pub duration_s: f64,
    /// Frames or steps of one session, passed as the extra `frames=N`.
    pub frames: Option<u64>,
    /// More extras: passed to the application as `key=value`.
    pub extras: BTreeMap<String, toml::Value>,
    /// Extras of dry runs on the local JVM alone, such as one that switches waiting for
    /// the next frame off.
    pub dry_extras: BTreeMap<String, toml::Value>,
    /// A command of this machine that gives the application its input, from the begin marker on.
    pub input_command: Option<String>,
    /// Seconds after which a session counts as hung; four times as many for a traced one,
    /// as probes take time. Default 3 x `duration_s`.
    pub limit_s: Option<f64>,
    /// Power samples per second. Default 30 (the paper's).
    pub sample_rate_hz: f64,
    /// Seconds of rest between runs. Default 2.
    pub rest_s: f64,
    /// Log line that opens the window. Default `wattline: begin`.
    pub begin_marker: String,
    /// Log line that closes the window. Default `wattline: end`.
    pub end_marker: String,
}

/// `[[input]]`: one input sequence.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct InputFile {
    /// Short name: a case's group.
    pub name: String,
    /// Extras of this sequence beside the session's.
    #[serde(default)]
    pub extras: BTreeMap<String, toml::Value>,
    /// Frames of this sequence, when not the session's.
    pub frames: Option<u64>,
    /// What happens when.
    #[serde(default)]
    pub steps: Vec<StepFile>,
}

/// `[board]`: how power is measured and where things run.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct BoardSection {
    /// Power meter, or `"auto"` (the default): the best that the board offers.
    pub meter: String,
    /// `[board.log]`: the log of the meter `"external"`.
    pub log: Option<LogFile>,
    /// Rails whose power is added up. Default: those of the processor, which on an Odroid
    /// is `["arm"]` (the paper's big cores).
    pub rails: Vec<String>,
    /// Fixed frequency of the big cores in kHz, `"leave"`, or `"auto"` (the default): of those
    /// that the board offers the one nearest to 1100000 (the paper's), left where it can't be
    /// fixed.
    pub frequency_khz: FrequencyFile,
    /// Core of the application. Default: the last of the board's big ones.
    pub big_core: Option<u32>,
    /// Core of the sampler. Default 0.
    pub sampler_core: u32,
}

/// `board.frequency_khz`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum FrequencyFile {
    /// A frequency.
    Khz(i64),
    /// `"leave"`: the board's governor chooses it; `"auto"`.
    Word(String),
    /// Something else, which is refused with what is wanted.
    Other(String),
}

impl<'de> Deserialize<'de> for FrequencyFile {
    /// Takes any value: what an untagged enum says of another one helps nobody.
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

impl FrequencyFile {
    /// As it was written.
    pub fn text(&self) -> String {
        match self {
            Self::Khz(khz) => khz.to_string(),
            Self::Word(word) | Self::Other(word) => word.clone(),
        }
    }
}

/// `[limits]`: what makes a run bad.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LimitsFile {
    /// Longest gap between two samples in seconds. Default 1.
    pub max_gap_s: f64,
    /// Fewest samples within the window, as a share of duration x rate. Default 0.5.
    pub min_sample_share: f64,
    /// Highest temperature in degrees Celsius before or after a run. Default 85.
    pub temperature_c: f64,
    /// Furthest a power run's duration may be from its case's traced run, and an idle
    /// run's from the nominal one, as a share. Default 0.25.
    pub duration_mismatch: f64,
}

/// `[microbenchmarks]`: microbenchmarks on the same board.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct MicrobenchmarksFile {
    /// Whether they are run. Default true.
    pub enabled: bool,
    /// Runs of each microbenchmark. Default 5.
    pub repeats: u32,
    /// How many operations get a microbenchmark, the most executed first. Default 150.
    pub count: u32,
    /// Length of one microbenchmark's window in seconds. Default: twelve of the meter's usual
    /// refreshes, from 1 to 3; 3 where they are not known.
    pub window_s: Option<f64>,
    /// Idle time around each window in seconds. Default: three of the meter's usual
    /// refreshes, from 0.2 on; 0.8 where they are not known.
    pub gap_s: Option<f64>,
}

/// `[hints]`: what is done about hints beside finding them.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct HintsFile {
    /// How many rewrites that can be made without a person are made, each in a copy of its
    /// own, and measured beside the original: those of the first hints, and after them of
    /// places whose saving can't be told from none. Default 0.
    pub verify: u32,
}

/// `[offline]`: the scenario to run instead when artifacts can't be had.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OfflineFile {
    /// Scenario file, relative to this one.
    pub scenario: String,
}

impl InputFile {
    /// A sequence of nothing.
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

impl Default for ApplicationFile {
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
            granularity: GranularityFile::default(),
            assertions: false,
            watch_loops: watch_loops(),
            start: StartKind::default(),
            min_sdk: None,
            target_sdk: None,
        }
    }
}

impl Default for SessionFile {
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
            frequency_khz: FrequencyFile::Word("auto".into()),
            big_core: None,
            sampler_core: 0,
        }
    }
}

impl Default for LimitsFile {
    fn default() -> Self {
        Self { max_gap_s: 1.0, min_sample_share: 0.5, temperature_c: 85.0, duration_mismatch: 0.25 }
    }
}

impl Default for MicrobenchmarksFile {
    fn default() -> Self {
        Self { enabled: true, repeats: 5, count: 150, window_s: None, gap_s: None }
    }
}
