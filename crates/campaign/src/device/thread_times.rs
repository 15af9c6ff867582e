//! CPU times in a JVM on this machine, of its compilers, its collector and the application. Read
//! from `/proc/PID/task`, where HotSpot's threads have names: their
//! nanoseconds from `schedstat`, or where the kernel has none their ticks from `stat`, in
//! which a compiler that was busy for some milliseconds shows nothing.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::attribution::monitor::facts::ProcessId;
use crate::attribution::monitor::sensors::parse_process;
use crate::power::RuntimeThreadTimes;
use crate::power::machine_load::TICKS_PER_S;

/// The owner of a thread: a compiler, the collector, or the application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ThreadOwner {
    Compiler,
    Collector,
    Application,
}

/// Names of compiler threads, HotSpot's and Graal's; the sweeper discards compiled code. Linux
/// keeps 15 bytes of a name.
const COMPILERS: [&str; 5] =
    ["C1 CompilerThre", "C2 CompilerThre", "JVMCI CompilerT", "JVMCI-native Co", "Sweeper thread"];

/// Prefixes of the names of collector threads: G1's, the parallel one's, ZGC's (`X` before it had
/// generations) and Shenandoah's. The virtual machine's own thread is where pauses run, all of
/// the serial collector's among them; what else it does is short.
const COLLECTORS: [&str; 18] = [
    "GC Thread#",
    "GC task thread#",
    "Gang worker#",
    "G1 Main Marker",
    "G1 Conc#",
    "G1 Refine#",
    "G1 Service",
    "VM Thread",
    "ZWorker",
    "ZDriver",
    "ZDirector",
    "ZStat",
    "ZUn",
    "XWorker",
    "XDriver",
    "XDirector",
    "Shenandoah GC T",
    "Shenandoah Cont",
];

/// CPU times of a process's threads, ended ones included.
#[derive(Debug, Default)]
pub(super) struct ThreadTimes {
    /// Owner and CPU seconds of each thread of the runtime, by thread.
    runtime: BTreeMap<ProcessId, (ThreadOwner, f64)>,
    process_ticks: u64,
}

impl ThreadTimes {
    /// Reads the times again. A thread that cannot be read keeps its last value: an ended thread
    /// gets no more time, and HotSpot ends a compiler thread only after a tenth of a second of
    /// idling.
    pub(super) fn read(&mut self, process: &Path) {
        let tasks = fs::read_dir(process.join("task")).into_iter().flatten().flatten();
        for task in tasks {
            let text = fs::read_to_string(task.path().join("stat")).unwrap_or_default();
            let Some((id, thread)) = parse_process(&text) else { continue };
            let owner = owner(&thread.name);
            if owner != ThreadOwner::Application {
                let exact_s = scheduled_s(&task.path());
                let seconds = exact_s.unwrap_or(thread.ticks as f64 / TICKS_PER_S);
                self.runtime.insert(id, (owner, seconds));
            }
        }
        let text = fs::read_to_string(process.join("stat")).unwrap_or_default();
        let ticks = parse_process(&text).map_or(0, |(_, process)| process.ticks);
        self.process_ticks = self.process_ticks.max(ticks);
    }

    /// The CPU times by owner.
    pub(super) fn times(&self) -> RuntimeThreadTimes {
        let of = |wanted: ThreadOwner| {
            let own = self.runtime.values().filter(|(owner, _)| *owner == wanted);
            own.map(|(_, seconds)| seconds).sum()
        };
        RuntimeThreadTimes {
            process_s: self.process_ticks as f64 / TICKS_PER_S,
            compiler_s: of(ThreadOwner::Compiler),
            collector_s: of(ThreadOwner::Collector),
        }
    }
}

/// Seconds that a thread was on a processor: the first figure of its `schedstat`, in
/// nanoseconds (the kernel's `Documentation/scheduler/sched-stats.rst`).
fn scheduled_s(task: &Path) -> Option<f64> {
    let text = fs::read_to_string(task.join("schedstat")).ok()?;
    let nanoseconds: u64 = text.split_ascii_whitespace().next()?.parse().ok()?;
    Some(nanoseconds as f64 / 1e9)
}

fn owner(name: &str) -> ThreadOwner {
    if COMPILERS.contains(&name) {
        ThreadOwner::Compiler
    } else if COLLECTORS.iter().any(|begin| name.starts_with(begin)) {
        ThreadOwner::Collector
    } else {
        ThreadOwner::Application
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A process folder with threads: number, name, ticks.
    fn process(threads: &[(u32, &str, u64)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let line = |pid: u32, name: &str, ticks: u64| {
            format!("{pid} ({name}) S 1 1 1 0 -1 0 0 0 0 0 {ticks} 0 0 0 20 0 1 0 77 0 0\n")
        };
        for (pid, name, ticks) in threads {
            let task = folder.path().join(format!("task/{pid}"));
            fs::create_dir_all(&task).unwrap();
            fs::write(task.join("stat"), line(*pid, name, *ticks)).unwrap();
        }
        let all = threads.iter().map(|thread| thread.2).sum();
        fs::write(folder.path().join("stat"), line(1, "java", all)).unwrap();
        folder
    }

    #[test]
    fn threads_are_told_by_their_names() {
        let folder = process(&[
            (1, "java", 3),
            (2, "C2 CompilerThre", 100),
            (3, "C1 CompilerThre", 50),
            (4, "G1 Conc#0", 20),
            (5, "VM Thread", 10),
            (6, "Zebra", 417),
        ]);
        let mut threads = ThreadTimes::default();
        threads.read(folder.path());
        let RuntimeThreadTimes { process_s, compiler_s, collector_s } = threads.times();
        let hundredths = [process_s, compiler_s, collector_s].map(|s| (100.0 * s).round());
        assert_eq!(hundredths, [600.0, 150.0, 30.0]);
    }

    #[test]
    fn nanoseconds_are_taken_where_there_are_any() {
        let folder = process(&[(1, "java", 3), (2, "C2 CompilerThre", 0)]);
        fs::write(folder.path().join("task/2/schedstat"), "4500000 1200 7\n").unwrap();
        let mut threads = ThreadTimes::default();
        threads.read(folder.path());
        assert_eq!(threads.times().compiler_s, 0.0045);
    }

    #[test]
    fn a_thread_that_ended_keeps_its_time() {
        let folder = process(&[(1, "java", 100), (2, "C2 CompilerThre", 100)]);
        let mut threads = ThreadTimes::default();
        threads.read(folder.path());
        fs::remove_dir_all(folder.path().join("task/2")).unwrap();
        threads.read(folder.path());
        assert_eq!(threads.times().compiler_s, 1.0);
        threads.read(Path::new("/nowhere"));
        assert_eq!(threads.times().process_s, 2.0, "a process that ended keeps its time, too");
    }
}
