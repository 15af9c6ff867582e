//! The scenario as checked: what the rest of the program works with. Made by one
//! `try_from` in `check.rs`; paths are still relative to the scenario file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::campaign_file::{CampaignProtocol, CaseChoice, PlanOn};
use super::file::{LibraryRole, StartKind};
use super::input::InputStep;
use super::keys::Keys;
use super::language::UnanalysedLanguage;
use super::meter::{ExternalMeterLog, MeterChoice};
use super::pattern::PathPattern;
use crate::blocks::Granularity;
use crate::java::encoding::SourceEncoding;
use crate::power::MarkerTexts;

/// A checked scenario.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Short name: letters, digits, `-`, `_`.
    pub name: String,
    /// One sentence.
    pub description: String,
    /// Seed of everything random.
    pub seed: u64,
    /// The scenario file itself.
    pub file: PathBuf,
    /// Its text, with what was changed since it was read.
    pub text: String,
    /// What is started.
    pub application: Application,
    /// Source trees; at least one is analysed.
    pub sources: Vec<SourceTree>,
    /// Jars of the class path.
    pub libraries: Vec<Library>,
    /// Jars with annotation processors.
    pub processors: Vec<ArtifactSource>,
    /// One run of the application.
    pub session: SessionSettings,
    /// Input sequences, at least one, names unique.
    pub inputs: Vec<InputSequence>,
    /// Meter, rails, cores, frequency.
    pub board: BoardSettings,
    /// Cases and repeats.
    pub campaign: CampaignSettings,
    /// What makes a run bad.
    pub limits: Limits,
    /// Microbenchmarks.
    pub microbenchmarks: MicrobenchmarkSettings,
    /// Hints.
    pub hints: HintSettings,
    /// The scenario to run when artifacts can't be had, relative to the file.
    pub offline: Option<PathBuf>,
    /// Every key of the file with its value, defaults filled in.
    pub keys: Keys,
}

impl Scenario {
    /// The folder of the file, where commands of it run.
    pub fn folder(&self) -> PathBuf {
        match self.file.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
            _ => PathBuf::from("."),
        }
    }

    /// A path of the file, seen from the working directory.
    pub fn resolve(&self, path: &Path) -> PathBuf {
        self.file.parent().unwrap_or(Path::new("")).join(path)
    }

    /// The extras of one session: `frames=N`, the session's and the input's own, which
    /// win. Sorted by key.
    pub fn extras(&self, input: &InputSequence) -> BTreeMap<String, String> {
        let mut extras = self.session.extras.clone();
        if let Some(frames) = input.frames.or(self.session.frames) {
            extras.insert("frames".into(), frames.to_string());
        }
        extras.extend(input.extras.clone());
        extras
    }
}

/// `[application]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    /// Package name, as the board knows it.
    pub package: String,
    /// The class that starts: with `main`, or the activity; none where the own build's package
    /// says it.
    pub main: Option<String>,
    /// The package that the application's own build made, relative to the file: what variants
    /// are made of, where there is one.
    pub apk: Option<PathBuf>,
    /// `javac --release`; the JDK's own where there is none.
    pub java_release: Option<u32>,
    /// Whether classes keep the names of parameters.
    pub parameters: bool,
    /// Whether features of Java that are previews are on.
    pub preview: bool,
    /// Other options of javac.
    pub javac_options: Vec<String>,
    /// Whether right operands of `&&`, `||` and arms of `?:` are blocks of their own, so
    /// that what they hold is counted only where it is evaluated.
    pub granularity: Granularity,
    /// Whether `assert` statements stay in what is measured.
    pub assertions: bool,
    /// Whether loops that call nothing are watched in traced runs: they need fewer probes,
    /// and the JVM may drop the messages of its own exceptions sooner.
    pub watch_loops: bool,
    /// What boards start.
    pub start: StartKind,
    /// The oldest Android that a package of it runs on, as an API level.
    pub min_sdk: u32,
    /// The Android that a package of it is made for, as an API level.
    pub target_sdk: u32,
    /// Whether another process may sample it, as the packages that wattline makes allow.
    pub can_be_sampled: bool,
}

/// What is compiled, and how, where nothing is started: a part of a scenario.
#[derive(Debug, Clone)]
pub struct SourceListing {
    /// Source trees; at least one is analysed.
    pub sources: Vec<SourceTree>,
    /// Jars of the class path.
    pub libraries: Vec<Library>,
    /// Jars with annotation processors.
    pub processors: Vec<ArtifactSource>,
    /// `javac --release`; the JDK's own where there is none.
    pub java_release: Option<u32>,
    /// Whether classes keep the names of parameters.
    pub parameters: bool,
    /// Whether features of Java that are previews are on.
    pub preview: bool,
    /// Other options of javac.
    pub javac_options: Vec<String>,
}

/// `[[library]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Library {
    /// Where it comes from.
    pub origin: ArtifactSource,
    /// Whether it goes with the application.
    pub role: LibraryRole,
    /// What the application's own classes in it were written in, where that is not analysed.
    pub language: Option<UnanalysedLanguage>,
}

/// Where an artifact comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArtifactSource {
    /// A file or folder, relative to the scenario file.
    Path(PathBuf),
    /// An artifact of a Maven repository, with its hash.
    Maven(MavenArtifact),
}

/// A Maven artifact that is known by its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MavenArtifact {
    /// `org.jbox2d`.
    pub group: String,
    /// `jbox2d-library`.
    pub artifact: String,
    /// `2.2.1.1`.
    pub version: String,
    /// `sources`, or none.
    pub classifier: Option<String>,
    /// SHA-256, lower case hexadecimal; none where the file does not give it yet, and the
    /// artifact is not used.
    pub sha256: Option<String>,
}

impl MavenArtifact {
    /// `jbox2d-library-2.2.1.1-sources.jar`.
    pub fn file_name(&self) -> String {
        let classifier = self.classifier.iter().map(|name| format!("-{name}")).collect::<String>();
        format!("{}-{}{classifier}.jar", self.artifact, self.version)
    }

    /// `group:artifact:version[:classifier]`.
    pub fn coordinate(&self) -> String {
        let classifier = self.classifier.iter().map(|name| format!(":{name}")).collect::<String>();
        format!("{}:{}:{}{classifier}", self.group, self.artifact, self.version)
    }
}

/// What a source tree is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Its energy is asked for; its blocks may be removed.
    Analysed,
    /// Starts and feeds it; its blocks stay.
    Harness,
}

/// `[[source]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceTree {
    /// Where it comes from.
    pub origin: ArtifactSource,
    /// Patterns of which a file must match one; empty: all files.
    pub include: Vec<PathPattern>,
    /// Patterns of which it must match none.
    pub exclude: Vec<PathPattern>,
    /// What it is for.
    pub role: Role,
    /// Whether its blocks and operations are counted.
    pub analyse: bool,
    /// The encoding of its files, where it is stated.
    pub encoding: Option<SourceEncoding>,
}

impl SourceTree {
    /// Whether the file at `path` (relative to the tree's root, with `/`) is taken.
    pub fn takes(&self, path: &str) -> bool {
        let included = self.include.is_empty() || self.include.iter().any(|p| p.takes(path));
        included && !self.exclude.iter().any(|p| p.takes(path))
    }
}

/// `[session]`.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionSettings {
    /// Nominal length in seconds: how long an idle run lasts.
    pub duration_s: f64,
    /// Frames of one session, where the application counts them.
    pub frames: Option<u64>,
    /// Extras of every session, by key.
    pub extras: BTreeMap<String, String>,
    /// Extras of dry runs alone, by key.
    pub dry_extras: BTreeMap<String, String>,
    /// A command of this machine's shell that gives the application its input, from the begin
    /// mark on.
    pub input_command: Option<String>,
    /// Seconds after which a session counts as hung.
    pub limit_s: f64,
    /// Power samples per second.
    pub sample_rate_hz: f64,
    /// Seconds of rest between runs.
    pub rest_s: f64,
    /// Log text that opens the window.
    pub begin_marker: String,
    /// Log text that closes it.
    pub end_marker: String,
}

impl SessionSettings {
    /// The lines that open and close the window.
    pub(crate) fn marker_texts(&self) -> MarkerTexts {
        MarkerTexts { begin: self.begin_marker.clone(), end: self.end_marker.clone() }
    }
}

/// `[[input]]`.
#[derive(Debug, Clone, PartialEq)]
pub struct InputSequence {
    /// A case's group.
    pub name: String,
    /// Extras of this sequence, which win over the session's.
    pub extras: BTreeMap<String, String>,
    /// Frames of this sequence, which win over the session's.
    pub frames: Option<u64>,
    /// Steps in order of time.
    pub steps: Vec<InputStep>,
}

/// `[board]`.
#[derive(Debug, Clone, PartialEq)]
pub struct BoardSettings {
    /// Power meter.
    pub meter: MeterChoice,
    /// The log of the meter `external`; none with any other.
    pub log: Option<ExternalMeterLog>,
    /// Rails whose power is added up; empty for those that the meter takes by itself.
    pub rails: Vec<String>,
    /// Frequency of the big cores.
    pub frequency_khz: FrequencyChoice,
    /// Core of the application; absent where the board decides.
    pub big_core: Option<u32>,
    /// Core of the sampler.
    pub sampler_core: u32,
}

/// `board.frequency_khz`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrequencyChoice {
    /// Fixed to one that the board offers, left where it can't be.
    Auto,
    /// Left to the board's governor.
    Leave,
    /// Fixed to so many kHz.
    Khz(u64),
}

/// `[campaign]`.
#[derive(Debug, Clone, PartialEq)]
pub struct CampaignSettings {
    /// Power runs per case.
    pub repeats: u32,
    /// Idle runs per case.
    pub idle_repeats: u32,
    /// Traced runs per case.
    pub traced_repeats: u32,
    /// Sampled runs per unremoved case; absent where the board decides.
    pub sampled_repeats: Option<u32>,
    /// Cases aimed at, base cases included.
    pub cases: usize,
    /// How counts and energies come together.
    pub protocol: CampaignProtocol,
    /// Length of a window in seconds, where counts and power are of one run.
    pub window_s: f64,
    /// Expected median line error at which no further round of repeats is made.
    pub stop_lines: Option<f64>,
    /// What cases are chosen by.
    pub choice: CaseChoice,
    /// Expected median line error at which `Choice::Lines` plans no further case.
    pub line_error: Option<f64>,
    /// Share of the removable executed blocks that a set holds, above 0, below 1.
    pub removed_share: f64,
    /// Candidate sets per input.
    pub candidates: usize,
    /// Where they are tried.
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

/// `[limits]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Longest gap between two samples in seconds.
    pub max_gap_s: f64,
    /// Fewest samples, as a share of duration x rate.
    pub min_sample_share: f64,
    /// Highest temperature in degrees Celsius.
    pub temperature_c: f64,
    /// Furthest durations may be apart, as a share.
    pub duration_mismatch: f64,
}

/// `[hints]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HintSettings {
    /// How many automatic fixes are applied and measured, the first ones.
    pub verify: usize,
}

/// `[microbenchmarks]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MicrobenchmarkSettings {
    /// Whether microbenchmarks are run.
    pub enabled: bool,
    /// Runs of each.
    pub repeats: u32,
    /// How many operations get one.
    pub count: usize,
    /// Length of a window in seconds; none where the meter decides.
    pub window_s: Option<f64>,
    /// Idle time around it in seconds; none where the meter decides.
    pub gap_s: Option<f64>,
}
