//! How busy a machine was with other work during a session, by the kernel's statistics.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Ticks of CPU times in `/proc` per second, the same on all Linux machines.
pub const TICKS_PER_S: f64 = 100.0;

/// From this share of all cores' time on, 0..1, other work counts as disturbing. Chosen: with that
/// much of it a thread of the application meets another one on its core now and then, which changes
/// durations, and what the JIT compiler decides.
const BUSY_SHARE: f64 = 0.1;

/// A reading of `/proc/stat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MachineReading {
    /// Ticks in which a core worked, all cores together, since the machine's start.
    busy: u64,
    /// Ticks that a hypervisor gave to other machines.
    stolen: u64,
    /// Ticks without work.
    idle: u64,
    /// Number of cores.
    cores: usize,
    /// Threads that run or wait for a core at this moment.
    runnable: u64,
}

impl MachineReading {
    /// Reads the text of `/proc/stat`; `None` if a figure is missing.
    pub fn parse(stat: &str) -> Option<Self> {
        let mut lines = stat.lines();
        let all = lines.next()?.strip_prefix("cpu ")?;
        let ticks: Vec<u64> =
            all.split_ascii_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
        // user nice system idle iowait irq softirq steal; times of guests are in those of users.
        let [user, nice, system, idle, waiting, interrupts, soft, stolen, ..] = ticks[..] else {
            return None;
        };
        let is_core = |line: &&str| {
            let number = line.strip_prefix("cpu");
            number.is_some_and(|number| number.starts_with(|first: char| first.is_ascii_digit()))
        };
        let runnable = stat.lines().find_map(|line| line.strip_prefix("procs_running "))?;
        Some(Self {
            busy: [user, nice, system, interrupts, soft].into_iter().fold(0, u64::saturating_add),
            stolen,
            idle: idle.saturating_add(waiting),
            cores: lines.filter(is_core).count(),
            runnable: runnable.trim().parse().ok()?,
        })
    }
}

/// Load of a machine during one session.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MachineLoad {
    /// Number of cores.
    pub cores: usize,
    /// Threads of all programs that ran or waited for a core, mean over the readings.
    pub runnable: f64,
    /// Share of all cores' time, 0..1, that other programs used.
    pub others: f64,
    /// Share of all cores' time, 0..1, that a hypervisor gave to other machines.
    pub stolen: f64,
}

impl MachineLoad {
    /// The load between the first and the last reading, in which the session's own process had
    /// `own_s` seconds of CPU time; `None` for fewer than two readings, or no time between them.
    pub fn between(readings: &[MachineReading], own_s: f64) -> Option<Self> {
        let ([first, ..], [.., last]) = (readings, readings) else { return None };
        let grown = |ticks: fn(&MachineReading) -> u64| {
            ticks(last).saturating_sub(ticks(first)) as f64 / TICKS_PER_S
        };
        let (busy_s, stolen_s) = (grown(|at| at.busy), grown(|at| at.stolen));
        let all_s = busy_s + stolen_s + grown(|at| at.idle);
        let runnable = readings.iter().map(|at| at.runnable as f64).sum::<f64>();
        (all_s > 0.0).then(|| Self {
            cores: last.cores,
            runnable: runnable / readings.len() as f64,
            others: (busy_s - own_s).max(0.0) / all_s,
            stolen: stolen_s / all_s,
        })
    }

    /// The load that takes most from its session.
    pub fn busiest(loads: impl IntoIterator<Item = Self>) -> Option<Self> {
        loads.into_iter().max_by(|a, b| a.taken().total_cmp(&b.taken()))
    }

    /// Share of all cores' time, 0..1, that the session could not have had.
    pub fn taken(&self) -> f64 {
        self.others + self.stolen
    }

    /// Whether other work took so much that it disturbs a measurement.
    pub fn is_busy(&self) -> bool {
        self.taken() > BUSY_SHARE
    }
}

impl fmt::Display for MachineLoad {
    /// As text: `other programs used 45 % of the time of 2 cores (3.1 threads ran or waited)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cores, runnable, others, stolen } = self;
        write!(f, "other programs used {:.0} % of the time of {cores} cores", 100.0 * others)?;
        if *stolen >= 0.005 {
            write!(f, ", other virtual machines {:.0} %", 100.0 * stolen)?;
        }
        write!(f, " ({runnable:.1} threads ran or waited for a core)")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn stat(busy: u64, idle: u64, stolen: u64, runnable: u64) -> String {
        format!(
            "cpu  {busy} 0 10 {idle} 5 1 1 {stolen} 0 0\ncpu0 1 2 3 4 5 6 7 8 9 0\ncpu1 1 2 3 4 5 6 7 8 \
             9 0\nintr 5\nprocs_running {runnable}\nprocs_blocked 0\n"
        )
    }

    /// 2 cores for 10 s: 6 s of the session, 9 s of others, 1 s stolen, 4 s idle.
    #[test]
    fn a_load_is_what_others_took() {
        let readings = [stat(100, 200, 0, 2), stat(900, 300, 50, 4), stat(1600, 600, 100, 3)];
        let readings = readings.map(|text| MachineReading::parse(&text).unwrap());
        let load = MachineLoad::between(&readings, 6.0).unwrap();
        assert_eq!(load, MachineLoad { cores: 2, runnable: 3.0, others: 0.45, stolen: 0.05 });
        assert!(load.is_busy());
        assert_eq!(
            load.to_string(),
            "other programs used 45 % of the time of 2 cores, other virtual machines 5 % (3.0 \
             threads ran or waited for a core)"
        );
        let alone = MachineLoad::between(&readings, 15.0).unwrap();
        assert!(!alone.is_busy(), "{alone}");
        assert_eq!(MachineLoad::between(&readings[..1], 1.0), None);
    }

    #[test]
    fn a_text_without_a_figure_is_no_reading() {
        assert!(MachineReading::parse(&stat(1, 2, 3, 4)).is_some());
        assert_eq!(MachineReading::parse(""), None);
        assert_eq!(MachineReading::parse("cpu  1 2 3\nprocs_running 1\n"), None);
        assert_eq!(MachineReading::parse("cpu  1 2 3 4 5 6 7 8 9 0\n"), None);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[ -~\n]{0,200}", ticks in prop::array::uniform4(any::<u64>())) {
            let [busy, idle, stolen, runnable] = ticks;
            MachineReading::parse(&text);
            let readings = [stat(busy, idle, stolen, runnable), stat(1, 2, 3, 4)];
            let readings: Vec<_> = readings.iter().filter_map(|s| MachineReading::parse(s)).collect();
            let load = MachineLoad::between(&readings, 1.0);
            prop_assert!(load.is_none_or(|load| (0.0..=1.0).contains(&load.taken())));
        }
    }
}
