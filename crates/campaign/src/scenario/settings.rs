//! The checked scenario, with which the rest of the program works. `try_from` in `check.rs` creates
//! it; paths are still relative to the scenario file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::application_section::StartKind;
use super::campaign_section::{CampaignProtocol, CaseChoice, IdlePolicy, PlanOn};
use super::file::LibraryRole;
use super::input::InputStep;
use super::keys::ScenarioKeys;
use super::language::UnanalysedLanguage;
use super::meter::{ExternalMeterLog, MeterChoice};
use super::pattern::PathPattern;
use crate::blocks::Granularity;
use crate::java::encoding::SourceEncoding;
use crate::power::MarkerTexts;

/// A checked scenario: application, sources, session, inputs, board and campaign.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Short name: letters, digits, `-`, `_`.
    pub name: String,
    /// Description in one sentence.
    pub description: String,
    /// Seed of all random choices.
    pub seed: u64,
    /// The scenario file itself.
    pub file: PathBuf,
    /// Text of the file, with the changes since it was read.
    pub text: String,
    /// The application to start.
    pub application: Application,
    /// Source trees; at least one is analysed.
    pub sources: Vec<SourceTree>,
    /// Jars of the class path.
    pub libraries: Vec<Library>,
    /// Jars with annotation processors.
    pub processors: Vec<ArtifactSource>,
    /// Settings of one run of the application.
    pub session: SessionSettings,
    /// Input sequences, at least one, names unique.
    pub inputs: Vec<InputSequence>,
    /// Meter, rails, cores and frequency.
    pub board: BoardSettings,
    /// Numbers of cases and runs, and the choice of cases.
    pub campaign: CampaignSettings,
    /// Limits outside of which a run is bad.
    pub limits: RunLimits,
    /// Settings of microbenchmarks.
    pub microbenchmarks: MicrobenchmarkSettings,
    /// Settings of hints.
    pub hints: HintSettings,
    /// The scenario to run when artifacts can't be fetched, relative to the file.
    pub offline: Option<PathBuf>,
    /// Values of all keys of the file, defaults included.
    pub keys: ScenarioKeys,
}

impl Scenario {
    /// The folder of the scenario file, in which its commands run.
    pub fn folder(&self) -> PathBuf {
        match self.file.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
            _ => PathBuf::from("."),
        }
    }

    /// The path of a file that the scenario names, relative to the working directory.
    pub fn resolve(&self, path: &Path) -> PathBuf {
        self.file.parent().unwrap_or(Path::new("")).join(path)
    }

    /// The extras of one session: `frames=N`, the session's and the input's, of which the input's
    /// take precedence. Sorted by key.
    pub fn extras(&self, input: &InputSequence) -> BTreeMap<String, String> {
        let mut extras = self.session.extras.clone();
        if let Some(frames) = input.frames.or(self.session.frames) {
            extras.insert("frames".into(), frames.to_string());
        }
        extras.extend(input.extras.clone());
        extras
    }
}

/// `[application]`: package, start, and compiler settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    /// Package name on the board.
    pub package: String,
    /// The class to start: with `main`, or the activity; `None` where the own build's package names
    /// it.
    pub main: Option<String>,
    /// The package of the application's own build, relative to the file, from which variants are
    /// built; `None` for packages built from the sources.
    pub apk: Option<PathBuf>,
    /// `javac --release`; `None` for the JDK's own release.
    pub java_release: Option<u32>,
    /// Whether classes keep the names of parameters.
    pub parameters: bool,
    /// Whether preview features of Java are enabled.
    pub preview: bool,
    /// Other options of javac.
    pub javac_options: Vec<String>,
    /// Whether right operands of `&&`, `||` and arms of `?:` are blocks of their own, so that their
    /// operations are only counted where they are evaluated.
    pub granularity: Granularity,
    /// Whether `assert` statements are compiled.
    pub assertions: bool,
    /// Whether traced runs watch loops without calls: they need fewer probes, and the JVM may drop
    /// the messages of its own exceptions sooner.
    pub watch_loops: bool,
    /// Kind of start on boards.
    pub start: StartKind,
    /// Oldest supported Android release, as an API level.
    pub min_sdk: u32,
    /// Target Android release, as an API level.
    pub target_sdk: u32,
    /// Whether another process may sample it, which is true of packages that wattline builds.
    pub can_be_sampled: bool,
}

/// Sources and compiler settings of a scenario, for commands that start nothing.
#[derive(Debug, Clone)]
pub struct SourceListing {
    /// Source trees; at least one is analysed.
    pub sources: Vec<SourceTree>,
    /// Jars of the class path.
    pub libraries: Vec<Library>,
    /// Jars with annotation processors.
    pub processors: Vec<ArtifactSource>,
    /// `javac --release`; `None` for the JDK's own release.
    pub java_release: Option<u32>,
    /// Whether classes keep the names of parameters.
    pub parameters: bool,
    /// Whether preview features of Java are enabled.
    pub preview: bool,
    /// Other options of javac.
    pub javac_options: Vec<String>,
}

/// `[[library]]`: a jar of the class path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Library {
    /// Location of the jar.
    pub origin: ArtifactSource,
    /// Whether it is packed with the application or provided by the platform.
    pub role: LibraryRole,
    /// Unanalysed language of the application's own classes in the jar, if any.
    pub language: Option<UnanalysedLanguage>,
}

/// Location of an artifact: a file, or a Maven repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArtifactSource {
    /// Path of a file or folder, relative to the scenario file.
    Path(PathBuf),
    /// Artifact of a Maven repository, with its hash.
    Maven(MavenArtifact),
}

/// Coordinate and hash of a Maven artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MavenArtifact {
    /// `org.jbox2d`.
    pub group: String,
    /// `jbox2d-library`.
    pub artifact: String,
    /// `2.2.1.1`.
    pub version: String,
    /// Classifier, such as `sources`.
    pub classifier: Option<String>,
    /// SHA-256, lower-case hexadecimal; `None` where the file does not give it yet, and the
    /// artifact is not used.
    pub sha256: Option<String>,
}

impl MavenArtifact {
    /// Maven's file name, `jbox2d-library-2.2.1.1-sources.jar`.
    pub fn file_name(&self) -> String {
        let classifier = self.classifier.iter().map(|name| format!("-{name}")).collect::<String>();
        format!("{}-{}{classifier}.jar", self.artifact, self.version)
    }

    /// Coordinate, `group:artifact:version[:classifier]`.
    pub fn coordinate(&self) -> String {
        let classifier = self.classifier.iter().map(|name| format!(":{name}")).collect::<String>();
        format!("{}:{}:{}{classifier}", self.group, self.artifact, self.version)
    }
}

/// Purpose of a source tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceRole {
    /// Measured code; its blocks may be removed.
    Analysed,
    /// Code that starts the measured code and gives it input; its blocks stay.
    Harness,
}

/// `[[source]]`: a source tree with filters, role and encoding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceTree {
    /// Location of the tree.
    pub origin: ArtifactSource,
    /// Patterns of which a file must match one; empty for all files.
    pub include: Vec<PathPattern>,
    /// Patterns of which a file must match none.
    pub exclude: Vec<PathPattern>,
    /// Purpose of the tree.
    pub role: SourceRole,
    /// Whether its blocks and operations are counted.
    pub analyse: bool,
    /// Stated encoding of the files.
    pub encoding: Option<SourceEncoding>,
}

impl SourceTree {
    /// Whether the filters accept the file at `path` (relative to the tree's root, with `/`).
    pub fn takes(&self, path: &str) -> bool {
        let included = self.include.is_empty() || self.include.iter().any(|p| p.takes(path));
        included && !self.exclude.iter().any(|p| p.takes(path))
    }
}

/// `[session]`: one run of the application.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionSettings {
    /// Nominal length in seconds: how long an idle run lasts.
    pub duration_s: f64,
    /// Frames per session, for applications that count frames.
    pub frames: Option<u64>,
    /// Extras of all sessions, by key.
    pub extras: BTreeMap<String, String>,
    /// Additional extras of dry runs, by key.
    pub dry_extras: BTreeMap<String, String>,
    /// A command of this machine's shell that gives the application its input, started at the begin
    /// marker.
    pub input_command: Option<String>,
    /// Seconds after which a session counts as hung.
    pub limit_s: f64,
    /// Power samples per second.
    pub sample_rate_hz: f64,
    /// Seconds of rest between runs.
    pub rest_s: f64,
    /// Log text that begins the measured window.
    pub begin_marker: String,
    /// Log text that ends the measured window.
    pub end_marker: String,
}

impl SessionSettings {
    /// The markers that begin and end the measured window.
    pub(crate) fn marker_texts(&self) -> MarkerTexts {
        MarkerTexts { begin: self.begin_marker.clone(), end: self.end_marker.clone() }
    }
}

/// `[[input]]`: one input sequence.
#[derive(Debug, Clone, PartialEq)]
pub struct InputSequence {
    /// Name, which is also the group of its cases.
    pub name: String,
    /// Extras of this sequence, which take precedence over the session's.
    pub extras: BTreeMap<String, String>,
    /// Frames of this sequence, which take precedence over the session's.
    pub frames: Option<u64>,
    /// Input steps in order of time.
    pub steps: Vec<InputStep>,
}

/// `[board]`: meter, cores and frequency.
#[derive(Debug, Clone, PartialEq)]
pub struct BoardSettings {
    /// Power meter.
    pub meter: MeterChoice,
    /// Log of the meter `external`; `None` with any other meter.
    pub log: Option<ExternalMeterLog>,
    /// Rails whose power is added up; empty for the meter's default rails.
    pub rails: Vec<String>,
    /// Frequency of the big cores.
    pub frequency_khz: FrequencyChoice,
    /// Core of the application; `None` for the board's default.
    pub big_core: Option<u32>,
    /// Core of the sampler.
    pub sampler_core: u32,
}

/// `board.frequency_khz`: frequency of the big cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrequencyChoice {
    /// Fixed to a frequency that the board offers, or left to the governor where none can be fixed.
    Auto,
    /// Left to the board's governor.
    Leave,
    /// Fixed to this frequency in kHz.
    Khz(u64),
}

/// `[campaign]`: numbers of cases and runs, and the choice of cases.
#[derive(Debug, Clone, PartialEq)]
pub struct CampaignSettings {
    /// Power runs per case.
    pub repeats: u32,
    /// Idle runs per case.
    pub idle_repeats: u32,
    /// Traced runs per case.
    pub traced_repeats: u32,
    /// Sampled runs per unremoved case; `None` for the board's default.
    pub sampled_repeats: Option<u32>,
    /// Number of cases to plan, base cases included.
    pub cases: usize,
    /// Combination of counts and energies.
    pub protocol: CampaignProtocol,
    /// Idle runs that a case's idle power comes from.
    pub idle: IdlePolicy,
    /// Length of a window in seconds, where counts and power come from one run.
    pub window_s: f64,
    /// Expected median line error at which no further round of repeats is made; `None` for all
    /// repeats.
    pub stop_lines: Option<f64>,
    /// Criterion for the choice of cases.
    pub choice: CaseChoice,
    /// Expected median line error at which `CaseChoice::Lines` plans no further case.
    pub line_error: Option<f64>,
    /// Share of the removable executed blocks that one removed set holds, between 0 and 1.
    pub removed_share: f64,
    /// Candidate sets per input.
    pub candidates: usize,
    /// Machine of the dry runs.
    pub plan_on: PlanOn,
    /// Dry runs the planner may make to find sets that run.
    pub dry_runs: usize,
    /// Share of the cases that may run fewer than a fifth of their base's executions.
    pub collapsed_share: f64,
    /// Least predicted energy of a case, as a share of its base case's.
    pub min_energy_share: f64,
    /// How often a bad run is repeated.
    pub max_retries: u32,
    /// Seed of plan and order.
    pub seed: u64,
}

/// `[limits]`: limits outside of which a run is bad.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunLimits {
    /// Longest gap between two samples in seconds.
    pub max_gap_s: f64,
    /// Least number of samples, as a share of duration x rate.
    pub min_sample_share: f64,
    /// Highest temperature in degrees Celsius.
    pub temperature_c: f64,
    /// Greatest relative difference of durations, as a share.
    pub duration_mismatch: f64,
}

/// `[hints]`: automatic fixes to verify.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HintSettings {
    /// Number of automatic fixes that are applied and measured, the first ones.
    pub verify: usize,
}

/// `[microbenchmarks]`: number, repeats and windows of microbenchmarks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MicrobenchmarkSettings {
    /// Whether microbenchmarks are run.
    pub enabled: bool,
    /// Runs of each microbenchmark.
    pub repeats: u32,
    /// Number of operations that get a microbenchmark.
    pub count: usize,
    /// Length of a window in seconds; `None` for the meter's default.
    pub window_s: Option<f64>,
    /// Idle time around a window in seconds; `None` for the meter's default.
    pub gap_s: Option<f64>,
}
