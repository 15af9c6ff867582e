//! This machine's own JVM as a board: sessions run here, power comes from RAPL where this machine
//! has it and lets us read it, else from a battery's gauge, else from the software model, which is
//! marked as an estimate. Nothing is prepared: frequency and cores stay as they are.
//!
//! The session's log has the form of logcat; its clock is the time since this machine's
//! start, like that of the samples.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::power::machine_load::TICKS_PER_S;
use crate::power::meter::SAMPLED_HERE;
use crate::private_files::TemporaryFolder;
use crate::scenario::MeterChoice;
use crate::toolchain::async_profiler::{LIBRARY_VARIABLE, ProfilerLibrary};
use crate::toolchain::{Jdk, async_profiler, flight_recorder, jar};

use super::error::DeviceError;
use super::facts::{BoardFacts, HardwareKind};
use super::local_meters::{gauge_reading, rapl_reading};
use super::meters::{ChosenMeter, choose};
use super::sampler::Sampler;

/// The value of `--board` for this machine's JVM, and its serial.
pub const LOCAL_SERIAL: &str = "jvm";

/// This machine's JVM as a board, with its power meter.
#[derive(Debug)]
pub struct LocalJvm {
    pub(super) jdk: Jdk,
    /// The power meter of its sessions.
    pub meter: ChosenMeter,
    /// Root folder of the meters' absolute paths (`WATTLINE_ROOT`), as for the device scripts:
    /// where a container sees its host's files.
    meter_root: PathBuf,
    pub(super) folder: TemporaryFolder,
    /// async-profiler's library, which samples, or why Flight Recorder does.
    async_profiler: ProfilerLibrary,
    /// Seconds since this machine's start when `began` was taken.
    began_s: f64,
    began: Instant,
}

impl LocalJvm {
    /// Opens this machine as a board and chooses its power meter.
    pub fn open(jdk: &Jdk, choice: MeterChoice) -> Result<Self, DeviceError> {
        let failed = |source| DeviceError::File { path: "/proc/uptime".into(), source };
        let folder = TemporaryFolder::new("jvm")
            .map_err(|source| DeviceError::File { path: std::env::temp_dir(), source })?;
        let uptime = fs::read_to_string("/proc/uptime").map_err(failed)?;
        let began_s = uptime.split_whitespace().next().and_then(|word| word.parse().ok());
        let meter = choose(LOCAL_SERIAL, &SAMPLED_HERE, choice, local_shell)?;
        let meter_root = std::env::var_os("WATTLINE_ROOT").map(PathBuf::from).unwrap_or_default();
        let (began_s, began) = (began_s.unwrap_or(0.0), Instant::now());
        let async_profiler = ProfilerLibrary::find(jdk).map_err(|path| {
            let what = format!("{LIBRARY_VARIABLE} names no file");
            DeviceError::File { path, source: io::Error::new(io::ErrorKind::NotFound, what) }
        })?;
        Ok(Self { jdk: jdk.clone(), meter, meter_root, folder, async_profiler, began_s, began })
    }

    /// The meter's name.
    pub fn meter(&self) -> &'static str {
        self.meter.meter.name()
    }

    /// Reason why no better meter was chosen, if the meter's figures are estimates.
    pub fn remark(&self) -> Option<String> {
        (self.meter() == "software").then(|| {
            let mut reasons = self.meter.passed_over.clone();
            reasons.push("power is estimated by the software model".into());
            reasons.join("; ")
        })
    }

    /// The sampling profiler of its sessions, and what it does not see, as a sentence.
    pub fn sampler_remark(&self) -> String {
        match &self.async_profiler {
            ProfilerLibrary::Found(_) => "sampled by async-profiler".to_owned(),
            ProfilerLibrary::Absent { reason } => format!(
                "sampled by Flight Recorder, which sees no code of the virtual machine itself \
                 (checksums, array copies, logarithms), since async-profiler is not there: {reason}"
            ),
        }
    }

    /// Model, runtime and sampling profiler of this machine.
    pub fn facts(&self) -> BoardFacts {
        let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = cpus.lines().find_map(|line| line.strip_prefix("model name"));
        let model = model.and_then(|line| line.split_once(':')).map(|(_, name)| name.trim());
        let version = Command::new(&self.jdk.java).arg("-version").output().ok();
        let version = version.map(|output| String::from_utf8_lossy(&output.stderr).into_owned());
        let version = version.as_deref().and_then(|text| text.lines().next()).map(str::to_string);
        let model = model.unwrap_or("this machine").to_string();
        BoardFacts {
            model: Some(model),
            android_release: version,
            hardware: HardwareKind::Real,
            own_serial: None,
            simulated_model: None,
            level: None,
            compiles: true,
            sampler: Some(match self.async_profiler {
                ProfilerLibrary::Found(_) => Sampler::AsyncProfiler,
                ProfilerLibrary::Absent { .. } => Sampler::FlightRecorder,
            }),
        }
    }

    /// Options of a sampled JVM, which writes to the file `recording`; files that they need are put
    /// in `folder`.
    pub(super) fn sampling(&self, folder: &Path, recording: &Path) -> io::Result<Vec<OsString>> {
        match self.async_profiler.path() {
            Some(library) => Ok(async_profiler::options(library, recording)),
            None => flight_recorder::options(folder, recording),
        }
    }

    /// Keeps an application's jar for the sessions to come.
    pub fn install(&self, file: &Path) -> Result<(), DeviceError> {
        let copied = fs::copy(file, self.jar());
        copied.map(drop).map_err(|source| DeviceError::File { path: file.to_owned(), source })
    }

    /// JVM options that the installed application's jar requires.
    pub(super) fn options(&self) -> Result<Vec<OsString>, DeviceError> {
        let jar_path = self.jar();
        let needs_preview = jar::manifest_has(&jar_path, jar::PREVIEW).map_err(|error| {
            DeviceError::File { path: jar_path, source: io::Error::other(error.to_string()) }
        })?;
        Ok(needs_preview.then(|| "--enable-preview".into()).into_iter().collect())
    }

    pub(super) fn jar(&self) -> PathBuf {
        self.folder.path().join("application.jar")
    }

    /// Seconds since this machine's start.
    pub(super) fn now_s(&self) -> f64 {
        self.began_s + self.began.elapsed().as_secs_f64()
    }

    /// A moment in milliseconds since 1970, from seconds since this machine's start.
    pub(super) fn wall_ms(&self, uptime_s: f64) -> i64 {
        let now_s = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
        ((now_s + uptime_s - self.now_s()) * 1000.0).round() as i64
    }

    /// The meter's reading at this moment as text; `pid` is the application's process, or 0.
    pub(super) fn reading(&self, pid: u32) -> String {
        match self.meter() {
            "rapl" => rapl_reading(&self.meter_root),
            "fuel-gauge" => gauge_reading(&self.meter_root),
            _ => software_reading(pid),
        }
    }
}

/// The output of a meter's question, run in this machine's shell.
pub fn local_shell(question: &str) -> Result<String, DeviceError> {
    let failed = |source| DeviceError::File { path: "/bin/sh".into(), source };
    let output = Command::new("/bin/sh").args(["-c", question]).output().map_err(failed)?;
    Ok(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

/// CPU seconds of a process, and the frequency of the first core as a share of its highest.
fn software_reading(pid: u32) -> String {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // Fields 14 and 15 of the line are the twelfth and thirteenth from the state on.
    let fields = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
    let ticks = fields.split(' ').skip(11).take(2).filter_map(|word| word.parse::<f64>().ok());
    // An empty sum of floats is -0.
    let busy_s = ticks.fold(0.0, |sum, ticks| sum + ticks) / TICKS_PER_S;
    let khz = |file: &str| {
        let text = fs::read_to_string(format!("/sys/devices/system/cpu/cpu0/cpufreq/{file}"));
        text.ok()?.trim().parse::<f64>().ok()
    };
    let share = khz("scaling_cur_freq").zip(khz("cpuinfo_max_freq"));
    let share = share.map_or(1.0, |(now, most)| (now / most).clamp(0.0, 1.0));
    format!("busy_s={busy_s} frequency_share={share}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_own_process_has_processor_time() {
        let reading = software_reading(std::process::id());
        assert!(
            reading.starts_with("busy_s=") && reading.contains("frequency_share="),
            "{reading}"
        );
        assert!(software_reading(0).starts_with("busy_s=0 "));
    }
}
