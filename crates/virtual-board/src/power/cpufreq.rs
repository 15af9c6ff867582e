//! Frequency of the big cores, which scripts set and read. The four cores share one policy; the
//! board reads its files at each settlement.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::files::{LiveFile, ScriptFile, write_file};
use crate::board_file::Processor;

/// Writes the files of the little cores' policy, which has no effect.
fn write_little_policy(folder: &Path, khz: u64) -> io::Result<()> {
    let khz = format!("{khz}\n");
    for name in ["cpuinfo_max_freq", "cpuinfo_min_freq", "scaling_cur_freq"] {
        write_file(&folder.join(name), &khz)?;
    }
    write_file(&folder.join("scaling_governor"), "interactive\n")?;
    write_file(&folder.join("scaling_setspeed"), "<unsupported>\n")
}

/// Frequency policy of the big cores with its files.
pub(super) struct CpuFreq {
    files: BTreeMap<&'static str, ScriptFile>,
    points: Vec<(u64, f64)>,
    reference_khz: u64,
    boot_khz: u64,
    khz: u64,
    throttled: bool,
    /// Nanoseconds at each of the operating points since the board's start.
    spent_ns: Vec<u64>,
    polled_ns: u64,
    statistics: LiveFile,
}

impl CpuFreq {
    /// Creates the files; the governor is `interactive`, which keeps the frequency of boot.
    pub(super) fn new(root: &Path, processor: &Processor) -> io::Result<Self> {
        let cpus = root.join("sys/devices/system/cpu");
        let first = processor.little_cores;
        let folder = cpus.join(format!("cpu{first}/cpufreq"));
        for core in 0..first + processor.big_cores {
            let cpu = cpus.join(format!("cpu{core}"));
            write_file(&cpu.join("online"), "1\n")?;
            // The cores of a cluster share one policy.
            let lead = if core < first { 0 } else { first };
            if core != lead {
                symlink(format!("../cpu{lead}/cpufreq"), cpu.join("cpufreq"))?;
            }
        }
        if first > 0 {
            write_little_policy(&cpus.join("cpu0/cpufreq"), processor.little_khz)?;
        }
        let mut points = processor.operating_points.clone();
        points.sort_by_key(|(khz, _)| *khz);
        let khz = processor.frequency_at_boot_khz;
        let mut policy = Self {
            files: BTreeMap::new(),
            statistics: LiveFile::create(&folder.join("stats/time_in_state"))?,
            spent_ns: vec![0; points.len()],
            polled_ns: 0,
            throttled: false,
            points,
            reference_khz: processor.reference_khz,
            boot_khz: khz,
            khz,
        };
        for (name, text) in policy.texts() {
            policy.files.insert(name, ScriptFile::create(&folder.join(name), &text)?);
        }
        Ok(policy)
    }

    /// Resets the policy as a restart of the board does.
    pub(super) fn boot(&mut self) {
        self.khz = self.boot_khz;
        // A full disk leaves the old texts; there is nobody to tell.
        for (name, text) in self.texts() {
            self.set(name, &text);
        }
    }

    /// Keeps the frequency at its lowest, whatever the governor, or ends that.
    pub(super) fn set_throttled(&mut self, throttled: bool) {
        self.throttled = throttled;
    }

    /// Whether the frequency is kept at its lowest.
    pub(super) fn is_throttled(&self) -> bool {
        self.throttled
    }

    /// Reads the files that scripts may have written and sets the frequency; `now_ns` may be
    /// earlier than before, after a restart.
    pub(super) fn poll(&mut self, now_ns: u64) {
        self.count_time(now_ns);
        let governor = self.read("scaling_governor");
        let speed = self.read("scaling_setspeed");
        let [lowest, highest] = self.frequency_range();
        let khz = match governor.as_str() {
            "userspace" => speed.parse().map_or(self.khz, |wanted| self.nearest(wanted)),
            "performance" => highest,
            "powersave" => lowest,
            _ => self.boot_khz,
        };
        let khz = if self.throttled { lowest } else { khz };
        if governor != "userspace" && speed != "<unsupported>" {
            self.set("scaling_setspeed", "<unsupported>\n");
        }
        if khz != self.khz {
            self.khz = khz;
            for name in ["scaling_cur_freq", "cpuinfo_cur_freq"] {
                self.set(name, &format!("{khz}\n"));
            }
        }
    }

    /// Adds the time since the last call to the present frequency's, and writes the kernel's
    /// statistics: frequency and hundredths of a second, a line for each point.
    fn count_time(&mut self, now_ns: u64) {
        let passed = now_ns.saturating_sub(std::mem::replace(&mut self.polled_ns, now_ns));
        let at = self.points.iter().position(|(khz, _)| *khz == self.khz);
        if let Some(spent) = at.and_then(|at| self.spent_ns.get_mut(at)) {
            *spent += passed;
        }
        let rows = self.points.iter().zip(&self.spent_ns);
        let text: String =
            rows.map(|((khz, _), spent)| format!("{khz} {}\n", spent / 10_000_000)).collect();
        self.statistics.set(&text);
    }

    /// Present frequency in kHz.
    pub(super) fn khz(&self) -> u64 {
        self.khz
    }

    /// Present core voltage.
    pub(super) fn volts(&self) -> f64 {
        self.volts_at(self.khz)
    }

    /// Core voltage for which the simulated energy model's costs hold.
    pub(super) fn reference_volts(&self) -> f64 {
        self.volts_at(self.reference_khz)
    }

    /// Core voltage at an operating point's frequency.
    fn volts_at(&self, khz: u64) -> f64 {
        self.points.iter().find(|(point, _)| *point == khz).map_or(1.0, |(_, volts)| *volts)
    }

    /// Operating point nearest to a frequency in kHz.
    fn nearest(&self, wanted: u64) -> u64 {
        let distance = |(khz, _): &&(u64, f64)| khz.abs_diff(wanted);
        self.points.iter().min_by_key(distance).map_or(self.khz, |(khz, _)| *khz)
    }

    /// Lowest and highest frequency of the operating points in kHz.
    fn frequency_range(&self) -> [u64; 2] {
        let end = |point: Option<&(u64, f64)>| point.map_or(self.boot_khz, |(khz, _)| *khz);
        [end(self.points.first()), end(self.points.last())]
    }

    /// Names of the policy's files, with their texts at boot.
    fn texts(&self) -> [(&'static str, String); 10] {
        let [lowest, highest] = self.frequency_range().map(|khz| khz.to_string());
        let now = self.khz.to_string();
        let known: Vec<String> = self.points.iter().map(|(khz, _)| khz.to_string()).collect();
        [
            ("scaling_governor", "interactive"),
            ("scaling_setspeed", "<unsupported>"),
            ("scaling_cur_freq", &now),
            ("cpuinfo_cur_freq", &now),
            ("scaling_min_freq", &lowest),
            ("scaling_max_freq", &highest),
            ("cpuinfo_min_freq", &lowest),
            ("cpuinfo_max_freq", &highest),
            ("scaling_available_frequencies", &known.join(" ")),
            ("scaling_available_governors", "interactive performance powersave userspace"),
        ]
        .map(|(name, text)| (name, format!("{text}\n")))
    }

    /// Writes a file of the policy. A full disk leaves the old text: scripts then see that nothing
    /// changed.
    fn set(&self, name: &str, text: &str) {
        self.files.get(name).map(|file| file.set(text).ok());
    }

    /// Text of a file of the policy.
    fn read(&self, name: &str) -> String {
        self.files.get(name).map_or_else(String::new, ScriptFile::text)
    }
}
