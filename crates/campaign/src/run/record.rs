//! What is known of one run.

use serde::{Deserialize, Serialize};

use crate::campaign::{PlannedRun, RunPhase};
use crate::power::{RuntimeShares, RuntimeThreads};

/// Everything about one run; `record.json` and a line of the journal. Times on the wall
/// clock are the log's: seconds since the year's start in the board's time zone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Name of its folder below `runs/`.
    pub folder: String,
    /// Which run of the plan it is: case, phase, repeat.
    #[serde(flatten)]
    pub run: PlannedRun,
    /// How many bad runs of the same plan entry came before it.
    pub attempt: u32,
    /// Good, or bad with the reasons.
    pub verdict: RunVerdict,
    /// The board.
    pub board: BoardIdentity,
    /// Conditions around the session.
    pub conditions: Conditions,
    /// What samples and log gave; none when they could not be read.
    pub measured: Option<MeasuredSession>,
    /// Version of the program that made the run.
    pub tool_version: String,
    /// Seed of the campaign.
    pub seed: u64,
}

/// Whether a run may be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "is")]
pub enum RunVerdict {
    /// Every check passed.
    Good,
    /// A check failed; the run is kept and not used.
    Bad {
        /// One sentence per failed check.
        reasons: Vec<String>,
    },
}

/// Which board.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BoardIdentity {
    /// Serial, as adb names it.
    pub serial: String,
    /// Model (`ro.product.model`).
    pub model: String,
    /// What runs the application: `Dalvik 1.6`, `OpenJDK 17`.
    pub runtime: String,
    /// Whether it is the virtual board: every report says so.
    pub is_virtual: bool,
    /// The chip of a virtual board; absent on others and in records of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simulated_model: Option<String>,
    /// Its sampling profiler, where it has one; absent in records of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampler: Option<String>,
    /// The power meter; `software` is an estimate. Empty in records of older versions.
    #[serde(default)]
    pub meter: String,
    /// Rails whose power was added up.
    #[serde(default)]
    pub rails: Vec<String>,
    /// The frequency in kHz that it was fixed to; absent where it was left to the board, and in
    /// records of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed_khz: Option<u32>,
}

/// Conditions around a session, as the driver found them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Conditions {
    /// SHA-256 of the installed jar; none for an idle run.
    pub build_sha256: Option<String>,
    /// Frequency of the application's core in kHz before; none where it can't be read.
    pub frequency_before_khz: Option<u64>,
    /// The same after.
    pub frequency_after_khz: Option<u64>,
    /// The lowest seen during the session; none where it can't be read.
    #[serde(default)]
    pub frequency_min_khz: Option<u64>,
    /// Seconds below the frequency of the start, by the kernel's statistics; none where
    /// there were none or the kernel keeps none.
    #[serde(default)]
    pub throttled_s: Option<f64>,
    /// Android's thermal status, the hotter of before and after: 0 (none) to 6 (shutdown); none
    /// before Android 10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thermal_status: Option<u8>,
    /// Whether the screen was on; none where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screen_on: Option<bool>,
    /// How the package was compiled ahead, as Android names it; none where it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compiled: Option<String>,
    /// Temperature in degrees Celsius before; none where there is no sensor.
    pub temperature_before_c: Option<f64>,
    /// The same after.
    pub temperature_after_c: Option<f64>,
    /// Whether a battery was charging; none without a battery.
    pub charging: Option<bool>,
    /// How the application ended.
    pub exit: ExitState,
    /// Uptime in seconds at the session's start and end, by the session script.
    pub uptime_s: Option<[f64; 2]>,
    /// Why the application did not get the input of a command of this machine; none where it
    /// did, or there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_fault: Option<String>,
    /// What else went otherwise than asked.
    pub warnings: Vec<String>,
}

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExitState {
    /// With its end marker, or after the idle time.
    #[default]
    Ended,
    /// The application died before.
    Died,
    /// The session's limit passed.
    TimedOut,
}

/// What samples and log of one session say.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MeasuredSession {
    /// Begin marker on the log's clock; none where the log has no times.
    pub start_wall_s: Option<f64>,
    /// End marker on the log's clock.
    pub end_wall_s: Option<f64>,
    /// Start of the window in seconds since the board started.
    pub start_uptime_s: f64,
    /// End of the window.
    pub end_uptime_s: f64,
    /// How far apart the marks that align the clocks are, in seconds.
    pub clock_residual_s: Option<f64>,
    /// Length of the window in seconds.
    pub duration_s: f64,
    /// Energy of the window by Eq. (1), idle included, in joules.
    pub energy_j: f64,
    /// The same by the trapezoid rule.
    pub energy_trapezoid_j: f64,
    /// How much later than the window the meter was read, in seconds.
    pub lag_s: f64,
    /// The meter's refresh period in microseconds, where known.
    pub update_period_us: Option<u64>,
    /// Samples in the window.
    pub samples: usize,
    /// Samples of the whole session that repeat the values before them.
    pub repeated_readings: usize,
    /// Lines of the samples that were left out.
    pub flaws: usize,
    /// Longest time between two samples in the window, in seconds.
    pub longest_gap_s: f64,
    /// Longest time without a new reading on any rail, in seconds.
    #[serde(default)]
    pub longest_still_s: f64,
    /// GC of the application in the window.
    pub collections: u64,
    /// CPU times of the runtime's own threads in the window; none where they can't be
    /// read, and in records of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<RuntimeThreads>,
    /// CRC32 of the counts of a traced run.
    pub counts_crc32: Option<u32>,
}

impl MeasuredSession {
    /// What parts of the energy above idle the runtime's own threads have, by their processor
    /// times; none where these are not known.
    pub fn runtime_shares(&self) -> Option<RuntimeShares> {
        self.threads.as_ref().and_then(RuntimeThreads::shares)
    }

    /// Mean power of the window in watts, idle included.
    pub fn mean_power_w(&self) -> f64 {
        self.energy_j / self.duration_s
    }

    /// The shortest window whose energy is believed, in seconds; none with a meter without
    /// refreshes. A meter that averages over its refresh period shows of a short window mostly
    /// what was around it: the ends lose about a third of a period's energy above idle, 3 % of
    /// ten periods'.
    pub(crate) fn least_duration_s(&self) -> Option<f64> {
        Some(LEAST_REFRESHES * self.update_period_us? as f64 * 1e-6)
    }

    /// Why the energy can't be believed whatever the session's checks say.
    pub(crate) fn too_short(&self) -> Option<String> {
        let least_s = self.least_duration_s()?;
        let lasted_s = self.duration_s;
        (lasted_s < least_s).then(|| {
            format!(
                "it lasted {lasted_s:.2} s, less than {LEAST_REFRESHES} refreshes of the meter \
                 ({least_s:.2} s): raise `frames` in [session]"
            )
        })
    }
}

/// The shortest window whose energy is believed, in refresh periods of the meter.
pub const LEAST_REFRESHES: f64 = 10.0;

/// The logs of one session as they came.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RawLogs {
    /// `samples.txt`.
    pub samples: String,
    /// `logcat -v threadtime`.
    pub logcat: String,
    /// What the session script printed.
    pub session: String,
    /// `wattline-counts-*.csv` of a traced run, one after the other.
    pub counts: Option<String>,
    /// `wattline-counts-1.windows` of a traced run with snapshots.
    pub windows: Option<String>,
    /// What the sampler of a sampled run left.
    pub profile: Option<RawProfile>,
}

/// What a sampler left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawProfile {
    /// The sampler's own file.
    pub recording: Vec<u8>,
    /// Its samples within the window, as collapsed stacks.
    pub stacks: String,
}

/// What a driver brings back from one session.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RawRun {
    /// The logs.
    pub logs: RawLogs,
    /// The board.
    pub board: BoardIdentity,
    /// Conditions around it.
    pub conditions: Conditions,
}

impl RunRecord {
    /// Whether the run may be used.
    pub fn is_good(&self) -> bool {
        self.verdict == RunVerdict::Good
    }

    /// Whether it is a good run of a case and phase.
    pub fn is_good_run_of(&self, case: &str, phase: RunPhase) -> bool {
        self.is_good() && self.run.case == case && self.run.phase == phase
    }

    /// The reasons why it is bad, in one line; empty for a good run.
    pub fn reasons(&self) -> String {
        match &self.verdict {
            RunVerdict::Good => String::new(),
            RunVerdict::Bad { reasons } => reasons.join("; "),
        }
    }
}
