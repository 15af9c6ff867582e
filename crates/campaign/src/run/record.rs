//! The record of a run, its verdict, conditions and measurements, and its raw logs.

use serde::{Deserialize, Serialize};

use crate::campaign::{PlannedRun, RunPhase};
use crate::power::{MachineLoad, RuntimeShares, RuntimeThreadTimes};

use super::compared_time::ComparedTime;

/// The record of one run, stored as `record.json` and as a line of the journal. Times on the wall
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
    /// Values measured from samples and log; none if they could not be read.
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

/// Identity and settings of the board that made a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BoardIdentity {
    /// Serial, as adb names it.
    pub serial: String,
    /// Model (`ro.product.model`).
    pub model: String,
    /// Runtime of the application: `Dalvik 1.6`, `OpenJDK 17`.
    pub runtime: String,
    /// Whether the board is virtual; every report states it.
    pub is_virtual: bool,
    /// Simulated energy model of a virtual board; absent on others and in records of older
    /// versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simulated_model: Option<String>,
    /// Sampling profiler of the board, if it has one; absent in records of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampler: Option<String>,
    /// The power meter; `software` is an estimate. Empty in records of older versions.
    #[serde(default)]
    pub meter: String,
    /// Rails whose power was added up.
    #[serde(default)]
    pub rails: Vec<String>,
    /// The fixed frequency in kHz; absent if it was left to the board, and in records of older
    /// versions.
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
    /// Frequency of the application's core in kHz after; none where it can't be read.
    pub frequency_after_khz: Option<u64>,
    /// Lowest frequency in kHz during the session; none where it can't be read.
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
    /// Load of the machine by other work; none where it is not read, as on boards, and in records
    /// of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<MachineLoad>,
    /// Temperature in degrees Celsius before; none where there is no sensor.
    pub temperature_before_c: Option<f64>,
    /// Temperature in degrees Celsius after; none where there is no sensor.
    pub temperature_after_c: Option<f64>,
    /// Whether a battery was charging; none without a battery.
    pub charging: Option<bool>,
    /// How the application ended.
    pub exit: ExitState,
    /// Uptime in seconds at the session's start and end, by the session script.
    pub uptime_s: Option<[f64; 2]>,
    /// Reason why the application did not get the input of a command of this machine; none if it
    /// did, or without such a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_fault: Option<String>,
    /// Problems that do not make the run bad.
    pub warnings: Vec<String>,
}

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExitState {
    /// The session ended with its end marker, or after the idle time.
    #[default]
    Ended,
    /// The application died before its end marker.
    Died,
    /// The session's limit passed.
    TimedOut,
}

/// The measurements of one session, from its samples and log.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MeasuredSession {
    /// Begin marker on the log's clock; none where the log has no times.
    pub start_wall_s: Option<f64>,
    /// End marker on the log's clock.
    pub end_wall_s: Option<f64>,
    /// Start of the window in seconds since the board started.
    pub start_uptime_s: f64,
    /// End of the window in seconds since the board started.
    pub end_uptime_s: f64,
    /// Residual of the markers that align the clocks, in seconds.
    pub clock_residual_s: Option<f64>,
    /// Length of the window in seconds.
    pub duration_s: f64,
    /// Energy of the window by Eq. (1), idle included, in joules.
    pub energy_j: f64,
    /// Energy of the window by the trapezoid rule, idle included, in joules.
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
    pub threads: Option<RuntimeThreadTimes>,
    /// CRC32 of the counts of a traced run.
    pub counts_crc32: Option<u32>,
}

impl MeasuredSession {
    /// The shares of the runtime's own threads in the energy above idle, by their CPU times; none
    /// if these are unknown.
    pub fn runtime_shares(&self) -> Option<RuntimeShares> {
        self.threads.as_ref().and_then(RuntimeThreadTimes::shares)
    }

    /// Mean power of the window in watts, idle included.
    pub fn mean_power_w(&self) -> f64 {
        self.energy_j / self.duration_s
    }

    /// The shortest window with a reliable energy, in seconds; none for a meter without refreshes.
    /// A meter that averages over its refresh period shows for a short window mostly what was
    /// around it: the ends lose about a third of a period's energy above idle, 3 % of ten periods'.
    pub(crate) fn least_duration_s(&self) -> Option<f64> {
        Some(LEAST_REFRESHES * self.update_period_us? as f64 * 1e-6)
    }

    /// Reason why the window is too short for a reliable energy; none if it is long enough.
    pub(crate) fn too_short_reason(&self) -> Option<String> {
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

/// The shortest window with a reliable energy, in refresh periods of the meter.
pub const LEAST_REFRESHES: f64 = 10.0;

/// The logs of one session, unparsed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RawLogs {
    /// `samples.txt`.
    pub samples: String,
    /// `logcat -v threadtime`.
    pub logcat: String,
    /// Output of the session script.
    pub session: String,
    /// `wattline-counts-*.csv` of a traced run, one after the other.
    pub counts: Option<String>,
    /// `wattline-counts-1.windows` of a traced run with snapshots.
    pub windows: Option<String>,
    /// Profile of a sampled run.
    pub profile: Option<RawProfile>,
}

/// The result of a sampling profiler: its own file, and its samples in the window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawProfile {
    /// The sampler's own file.
    pub recording: Vec<u8>,
    /// Its samples within the window, as collapsed stacks.
    pub stacks: String,
}

/// The result of a session before it is judged: logs, board, conditions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RawRun {
    /// The logs.
    pub logs: RawLogs,
    /// The board.
    pub board: BoardIdentity,
    /// Conditions around the session.
    pub conditions: Conditions,
}

impl RunRecord {
    /// Whether the run may be used.
    pub fn is_good(&self) -> bool {
        self.verdict == RunVerdict::Good
    }

    /// Whether the run is good, of this case and of this phase.
    pub fn is_good_run_of(&self, case: &str, phase: RunPhase) -> bool {
        self.is_good() && self.run.case == case && self.run.phase == phase
    }

    /// The time by which the run is compared with others of its case; none if nothing was measured.
    pub fn compared_time(&self) -> Option<ComparedTime> {
        Some(ComparedTime::of(self.measured.as_ref()?, &self.board.meter))
    }

    /// The reasons why the run is bad, in one line; empty for a good run.
    pub fn reasons(&self) -> String {
        match &self.verdict {
            RunVerdict::Good => String::new(),
            RunVerdict::Bad { reasons } => reasons.join("; "),
        }
    }
}
