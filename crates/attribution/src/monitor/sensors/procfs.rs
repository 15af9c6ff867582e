//! `/proc/stat` and `/proc/PID/stat` (proc(5)): times of cores, processes and threads.

use super::super::facts::{CoreTimes, HostFacts, ProcessId, ProcessUsage};
use super::super::host::HostSnapshot;
use super::{Sensor, SensorError, number_after};

/// Sensor of the times of all cores and processes.
#[derive(Debug)]
pub struct ProcessTimes;

/// Sensor of the times of the threads of some processes.
#[derive(Debug)]
pub struct Threads {
    /// The processes' numbers.
    pub of: Vec<u32>,
}

const STAT: &str = "/proc/stat";
const PROCESSES: &str = "/proc/[0-9]*/stat";

/// Parses a line of `/proc/PID/stat`, whose name is in parentheses and may contain some itself.
pub fn parse_process(text: &str) -> Option<(ProcessId, ProcessUsage)> {
    let (head, rest) = text.rsplit_once(')')?;
    let (pid, name) = head.split_once('(')?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    // The first field here is the third of the line: state; 14 and 15 are times, 22 the start.
    let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
    let id = ProcessId { pid: pid.trim().parse().ok()?, start_ticks: field(22)? };
    let ticks = field(14)?.checked_add(field(15)?)?;
    Some((id, ProcessUsage { name: name.to_string(), ticks }))
}

/// Parses the words after `cpu` or `cpuN`: user, nice, system, idle, iowait, irq, softirq. Time
/// that a hypervisor took is nobody's here; that of guests is in the user's.
pub(crate) fn parse_core_times(words: &[&str]) -> Option<CoreTimes> {
    let ticks: Vec<u64> = words.iter().map_while(|word| word.parse().ok()).collect();
    let [user, nice, system, idle, rest @ ..] = ticks.as_slice() else { return None };
    let at = |index: usize| rest.get(index).copied().unwrap_or(0);
    let sum = |parts: &[u64]| parts.iter().try_fold(0_u64, |sum, part| sum.checked_add(*part));
    Some(CoreTimes {
        busy: sum(&[*user, *nice, *system, at(1), at(2)])?,
        idle: sum(&[*idle, at(0)])?,
    })
}

fn read_cores(text: &str, facts: &mut HostFacts) {
    for line in text.lines() {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let Some((name, rest)) = words.split_first() else { continue };
        let Some(times) = parse_core_times(rest) else { continue };
        match number_after(name, "cpu") {
            Some(core) => {
                facts.cores.insert(core, times);
            }
            None if *name == "cpu" => facts.processor = Some(times),
            None => {}
        }
    }
}

impl Sensor for ProcessTimes {
    fn name(&self) -> &'static str {
        "processes"
    }

    fn patterns(&self) -> Vec<String> {
        vec![STAT.to_string(), PROCESSES.to_string()]
    }

    fn read(
        &self,
        snapshot: &HostSnapshot,
        _: Option<&str>,
        facts: &mut HostFacts,
    ) -> Result<(), SensorError> {
        let missing = |problem: String| SensorError { sensor: self.name(), problem };
        let why = || missing(snapshot.why_missing(STAT));
        read_cores(snapshot.text(STAT).ok_or_else(why)?, facts);
        if facts.processor.is_none() {
            return Err(missing(format!("{STAT} has no line `cpu`")));
        }
        let found = snapshot.matching(PROCESSES);
        facts.processes.extend(found.filter_map(|(_, text)| parse_process(text)));
        Ok(())
    }
}

impl Sensor for Threads {
    fn name(&self) -> &'static str {
        "threads"
    }

    fn patterns(&self) -> Vec<String> {
        self.of.iter().map(|pid| format!("/proc/{pid}/task/[0-9]*/stat")).collect()
    }

    fn read(
        &self,
        snapshot: &HostSnapshot,
        _: Option<&str>,
        facts: &mut HostFacts,
    ) -> Result<(), SensorError> {
        for (pid, pattern) in self.of.iter().zip(self.patterns()) {
            for (_, text) in snapshot.matching(&pattern) {
                if let Some((id, thread)) = parse_process(text) {
                    facts.threads.insert((*pid, id), thread);
                }
            }
        }
        if facts.threads.is_empty() && !self.of.is_empty() {
            let problem = "none of the watched processes has threads that can be read".into();
            return Err(SensorError { sensor: self.name(), problem });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LINE: &str = "4211 (tmux: (a) b) S 1 4211 4211 0 -1 4194560 100 0 0 0 \
                        1234 66 0 0 20 0 1 0 98765 1000 10 18446744073709551615 1 1\n";

    #[test]
    fn names_with_brackets_do_not_shift_the_fields() {
        let (id, process) = parse_process(LINE).unwrap();
        assert_eq!((id.pid, id.start_ticks, process.ticks), (4211, 98765, 1300));
        assert_eq!(process.name, "tmux: (a) b");
        assert_eq!(parse_process("4211 (x) S 1"), None);
    }

    #[test]
    fn busy_is_all_but_idle_waiting_and_stolen_time() {
        let mut facts = HostFacts::default();
        read_cores(
            "cpu  10 1 5 100 20 3 2 50 7 0\ncpu1 1 0 0 2\nintr 5\ncpufreq 1 2 3 4\n",
            &mut facts,
        );
        assert_eq!(facts.processor, Some(CoreTimes { busy: 21, idle: 120 }));
        assert_eq!(facts.cores[&1], CoreTimes { busy: 1, idle: 2 });
        assert_eq!(facts.cores.len(), 1);
    }

    #[test]
    fn threads_are_those_of_the_watched_process() {
        let mut snapshot = HostSnapshot::at(1.0);
        snapshot.put("/proc/4211/task/4211/stat", Ok(LINE.to_string()));
        let mut facts = HostFacts::default();
        Threads { of: vec![4211] }.read(&snapshot, None, &mut facts).unwrap();
        assert_eq!(facts.threads.values().map(|thread| thread.ticks).sum::<u64>(), 1300);
        assert!(Threads { of: vec![1] }.read(&snapshot, None, &mut HostFacts::default()).is_err());
    }

    proptest! {
        #[test]
        fn any_name_reads_back(name in "[^\n]{0,15}", pid in 1..u32::MAX, user in 0..1_000_000_u64) {
            let line = format!("{pid} ({name}) R 0 0 0 0 0 0 0 0 0 0 {user} 1 0 0 0 0 0 0 77 0");
            let (id, process) = parse_process(&line).unwrap();
            prop_assert_eq!((id.pid, id.start_ticks), (pid, 77));
            prop_assert_eq!((process.name, process.ticks), (name, user + 1));
        }

        #[test]
        fn no_text_panics(text in "[ -~\n]{0,200}") {
            let _ = parse_process(&text);
            read_cores(&text, &mut HostFacts::default());
        }
    }
}
