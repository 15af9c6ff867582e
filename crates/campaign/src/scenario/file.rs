//! The scenario file as written: every key with its meaning and default. Only types and unknown
//! keys are checked here; `check.rs` does the rest.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::application_section::ApplicationSection;
use super::campaign_section::CampaignSection;
use super::input::StepSection;
use super::language::UnanalysedLanguage;
use super::meter_log::LogSection;
use super::range;
use crate::power::METERS;

/// At the top of the file.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScenarioFile {
    /// Short name, used for folders: letters, digits, `-`, `_`. Needed.
    #[schemars(regex(pattern = r"^[A-Za-z0-9_-]+$"))]
    pub name: Option<String>,
    /// A sentence for the report.
    #[serde(default)]
    pub description: String,
    /// Seed of all random choices.
    #[serde(default = "one")]
    pub seed: u64,
    /// `[application]`.
    #[serde(default)]
    pub application: ApplicationSection,
    /// `[[source]]`, at least one.
    #[serde(default)]
    pub source: Vec<SourceSection>,
    /// `[[library]]`.
    #[serde(default)]
    pub library: Vec<LibrarySection>,
    /// `[[processor]]`.
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
    /// `[offline]`.
    pub offline: Option<OfflineSection>,
}

/// `[[source]]`, at least one: source trees.
///
/// Other files of a source jar (`entities.properties`), if included, go into the class path
/// unchanged. Of a folder only Java files are taken: name a folder of resources as a library.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SourceSection {
    /// Folder or jar, relative to the scenario file. Needed, or `maven`.
    pub path: Option<String>,
    /// `group:artifact:version` or with `:classifier`, an artifact of Maven. Needed, or `path`.
    pub maven: Option<String>,
    /// With `maven`, the SHA-256 of the artifact, 64 hexadecimal digits; it is printed where it is
    /// missing. Needed with `maven`.
    #[schemars(regex(pattern = "^[0-9A-Fa-f]{64}$"))]
    pub sha256: Option<String>,
    /// Which files are taken: `**` is any number of folders, `*` any part of a name, `?` one
    /// character, `[ab]` one of several, `{a,b}` one of several parts; without any of these, a
    /// file or a folder with all below it (`org/jbox2d/**`, `org/jbox2d`). Default: all.
    #[serde(default)]
    pub include: Vec<String>,
    /// Which of the taken files are left out again.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// Purpose of the tree.
    #[serde(default)]
    pub role: RoleValue,
    /// Whether blocks and operations are counted. Default: true.
    pub analyse: Option<bool>,
    /// The encoding of its files, as javac's `-encoding` names it
    /// ([build](../how-to/build-sources.md#encodings)). Default: UTF-8.
    pub encoding: Option<String>,
}

/// `source.role`: purpose of a source tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RoleValue {
    /// The code whose energy is measured.
    #[default]
    Analysed,
    /// What starts and feeds it, of which no block is removed.
    Harness,
}

/// `[[library]]`: the class path.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LibrarySection {
    /// Jar, AAR, or folder of classes and resources, relative to the scenario file.
    /// Needed, or `maven`.
    pub path: Option<String>,
    /// `group:artifact:version` or with `:classifier`. Needed, or `path`.
    pub maven: Option<String>,
    /// SHA-256 of the artifact. Needed with `maven`.
    #[schemars(regex(pattern = "^[0-9A-Fa-f]{64}$"))]
    pub sha256: Option<String>,
    /// Who provides the classes. Default: `"packed"`.
    pub role: Option<LibraryRole>,
    /// Language that is not analysed, of an application's own classes in the jar, which get
    /// [a row of the ledger](../internals/accounts.md#ledger).
    pub language: Option<UnanalysedLanguage>,
}

/// `[[processor]]`: annotation processors.
///
/// All of them together are the `-processorpath` of javac
/// ([build](../how-to/build-sources.md#annotation-processors)).
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProcessorSection {
    /// Jar or folder of classes, relative to the scenario file. Needed, or `maven`.
    pub path: Option<String>,
    /// `group:artifact:version` or with `:classifier`. Needed, or `path`.
    pub maven: Option<String>,
    /// SHA-256 of the artifact. Needed with `maven`.
    #[schemars(regex(pattern = "^[0-9A-Fa-f]{64}$"))]
    pub sha256: Option<String>,
}

/// `library.role`: whether the application or the platform contains a library.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LibraryRole {
    /// The library goes with the application.
    #[default]
    Packed,
    /// It is there where the application runs, as `android.jar` is.
    Provided,
}

/// `[session]`: one run.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct SessionSection {
    /// Nominal length in seconds, and that of idle runs; an activity is finished after it.
    /// Default: 100 (L&G).
    #[schemars(range(min = *range::SESSION_S.start(), max = *range::SESSION_S.end()))]
    pub duration_s: f64,
    /// Frames or steps of a session, passed to the application as `frames=N`.
    #[schemars(range(min = *range::FRAMES.start(), max = *range::FRAMES.end()))]
    pub frames: Option<u64>,
    /// Further values, passed as `KEY=VALUE`.
    #[schemars(schema_with = "extras_schema")]
    pub extras: BTreeMap<String, toml::Value>,
    /// Extras of dry runs alone, such as one that switches waiting off.
    #[schemars(schema_with = "extras_schema")]
    pub dry_extras: BTreeMap<String, toml::Value>,
    /// A command of this machine that gives input, from the begin marker on
    /// ([input](../how-to/feed-a-session.md)).
    pub input_command: Option<String>,
    /// Seconds after which a session or a dry run counts as hung; a traced one after four times
    /// as long. Default: 3 x `duration_s`.
    #[schemars(range(min = *range::SESSION_S.start(), max = *range::SESSION_S.end()))]
    pub limit_s: Option<f64>,
    /// Power samples per second. Default: 30 (L&G).
    #[schemars(range(min = *range::RATE_HZ.start(), max = *range::RATE_HZ.end()))]
    pub sample_rate_hz: f64,
    /// Seconds of rest between runs.
    #[schemars(range(min = *range::REST_S.start(), max = *range::REST_S.end()))]
    pub rest_s: f64,
    /// The log line before the window, which the application prints; around an activity the runner
    /// prints it.
    #[schemars(length(min = 1))]
    pub begin_marker: String,
    /// The log line after the window.
    #[schemars(length(min = 1))]
    pub end_marker: String,
}

/// Schema of extras: a table of plain values.
fn extras_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "propertyNames": { "pattern": "^[A-Za-z0-9_-]+$" },
        "additionalProperties": { "type": ["string", "number", "boolean"] },
    })
}

/// `[[input]]`, at least one: input sequences.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InputSection {
    /// Name of the sequence, and of the group of its cases.
    #[schemars(regex(pattern = r"^[A-Za-z0-9_-]+$"))]
    pub name: String,
    /// Extras of this sequence, over those of the session.
    #[serde(default)]
    #[schemars(schema_with = "extras_schema")]
    pub extras: BTreeMap<String, toml::Value>,
    /// Frames of this sequence. Default: those of the session.
    #[schemars(range(min = *range::FRAMES.start(), max = *range::FRAMES.end()))]
    pub frames: Option<u64>,
    /// What happens when: tables with the keys below.
    #[serde(default)]
    pub steps: Vec<StepSection>,
}

/// `[board]`: meter, rails, cores and frequency.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct BoardSection {
    /// [Power meter](meters.md); `"auto"` takes the best that the board offers, and prints it.
    #[schemars(extend("enum" = meter_names()))]
    pub meter: String,
    /// `[board.log]`.
    pub log: Option<LogSection>,
    /// Rails whose power is added up, by the meter's names (`wattline board check`): on an Odroid
    /// `arm`, `mem`, `g3d`, `kfc`. Default: those of the processor; on an Odroid `["arm"]` (the
    /// big cores, L&G).
    #[schemars(inner(length(min = 1)))]
    pub rails: Vec<String>,
    /// Fixed frequency of the big cores in kHz; `"leave"`: the governor's choices are then part of
    /// what is measured; `"auto"`: of the frequencies that the board offers the one nearest to
    /// 1100000 (L&G), and `"leave"` where none can be fixed, as without root.
    #[schemars(schema_with = "frequency_schema")]
    pub frequency_khz: FrequencyValue,
    /// Core of the application. Default: the last big core of the board.
    #[schemars(range(min = *range::CORES.start(), max = *range::CORES.end()))]
    pub big_core: Option<u32>,
    /// Core of the sampler.
    #[schemars(range(min = *range::CORES.start(), max = *range::CORES.end()))]
    pub sampler_core: u32,
}

/// Values of `board.meter`.
fn meter_names() -> Vec<&'static str> {
    std::iter::once("auto").chain(METERS.into_iter().map(|meter| meter.name())).collect()
}

/// Schema of a frequency in kHz, or of a choice of it.
fn frequency_schema(_: &mut SchemaGenerator) -> Schema {
    let (least, most) = (range::FREQUENCY_KHZ.start(), range::FREQUENCY_KHZ.end());
    json_schema!({
        "anyOf": [
            { "type": "integer", "minimum": least, "maximum": most },
            { "enum": ["leave", "auto"] },
        ],
    })
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

/// `[limits]`: what makes a run bad.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LimitsSection {
    /// Longest gap between two samples in seconds.
    #[schemars(range(min = *range::GAP_S.start(), max = *range::GAP_S.end()))]
    pub max_gap_s: f64,
    /// Fewest samples within the window, as a share of duration x rate.
    #[schemars(range(min = *range::SHARE.start(), max = *range::SHARE.end()))]
    pub min_sample_share: f64,
    /// Highest temperature before or after a run, in degrees Celsius.
    #[schemars(range(min = *range::TEMPERATURE_C.start(), max = *range::TEMPERATURE_C.end()))]
    pub temperature_c: f64,
    /// Largest deviation of a run's duration from that of runs like it, and of an idle run's from
    /// the nominal one, as a share; with the `software` meter of the application's CPU time.
    #[schemars(range(min = *range::ERROR_SHARE.start(), max = *range::ERROR_SHARE.end()))]
    pub duration_mismatch: f64,
}

/// `[microbenchmarks]`: microbenchmarks on the same board.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct MicrobenchmarksSection {
    /// Whether they are run.
    pub enabled: bool,
    /// Runs of each.
    #[schemars(range(min = *range::REPEATS.start(), max = *range::REPEATS.end()))]
    pub repeats: u32,
    /// Operations and functions that get one, the most executed, in addition to loops and GC.
    #[schemars(range(min = *range::SOME_REPEATS.start(), max = *range::SOME_REPEATS.end()))]
    pub count: u32,
    /// Length of a window in seconds: twelve of the meter's usual refreshes, from 1 to 3.
    /// Default: 3; `software` 1.
    #[schemars(range(min = *range::WINDOW_S.start(), max = *range::WINDOW_S.end()))]
    pub window_s: Option<f64>,
    /// Idle time around a window in seconds: three of the meter's usual refreshes, or more.
    /// Default: 0.8; `software` 0.2.
    #[schemars(range(min = *range::WINDOW_S.start(), max = *range::WINDOW_S.end()))]
    pub gap_s: Option<f64>,
}

/// `[hints]`: what happens with found hints.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct HintsSection {
    /// How many automatic fixes are applied and measured beside the original, one by one and
    /// together ([verified hints](../how-to/verify-hints.md)): those of the first hints, then those
    /// whose saving cannot be distinguished from zero.
    #[schemars(range(min = *range::SOME_REPEATS.start(), max = *range::SOME_REPEATS.end()))]
    pub verify: u32,
}

/// `[offline]`: where artifacts cannot be fetched.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OfflineSection {
    /// The scenario file to run instead, relative to this one.
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
