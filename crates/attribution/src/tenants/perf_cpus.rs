//! The CPUs of switches whose lines don't name them (`perf script -F` without `cpu`): who
//! leaves a CPU came to it before, and the idle thread of each has the CPU's number in its
//! name (`swapper/3`).

use std::collections::HashMap;

/// CPU of each running thread, inferred from switches; inferred CPUs have numbers of their own.
#[derive(Debug, Default)]
pub(super) struct InferredCpus {
    running: HashMap<i64, u32>,
    /// CPUs by the number in their idle thread's name.
    named: HashMap<u32, u32>,
    cpus: u32,
}

/// Largest number of threads that run at a time; more is damage.
const MOST_RUNNING: usize = 8192;

impl InferredCpus {
    /// Returns the CPU of a switch.
    pub fn cpu_of_switch(&mut self, prev: (i64, &str), next: (i64, &str)) -> u32 {
        let named = idle_of(prev).or_else(|| idle_of(next));
        let by_runner = (prev.0 != 0).then(|| self.running.remove(&prev.0)).flatten();
        let known = by_runner.or_else(|| self.named.get(&named?).copied());
        let cpu = known.unwrap_or_else(|| {
            self.cpus += 1;
            self.cpus - 1
        });
        self.named.extend(named.map(|name| (name, cpu)));
        if self.running.len() > MOST_RUNNING {
            self.running.clear();
        }
        if next.0 != 0 {
            self.running.insert(next.0, cpu);
        }
        cpu
    }
}

fn idle_of((tid, comm): (i64, &str)) -> Option<u32> {
    comm.strip_prefix("swapper/").filter(|_| tid == 0)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_and_idle_threads_tell_their_cpu() {
        let mut cpus = InferredCpus::default();
        // Two CPUs, of which one is idle in between.
        let turns = [
            ((0, "swapper/0"), (7, "a"), 0),
            ((0, "swapper/1"), (8, "b"), 1),
            ((7, "a"), (9, "c"), 0),
            ((8, "b"), (7, "a"), 1),
            ((9, "c"), (0, "swapper/0"), 0),
            ((7, "a"), (0, "swapper/1"), 1),
            ((0, "swapper/0"), (8, "b"), 0),
        ];
        for (prev, next, cpu) in turns {
            assert_eq!(cpus.cpu_of_switch(prev, next), cpu, "{prev:?} to {next:?}");
        }
    }

    #[test]
    fn a_log_may_begin_with_threads() {
        let mut cpus = InferredCpus::default();
        assert_eq!(cpus.cpu_of_switch((7, "a"), (0, "swapper/3")), 0);
        assert_eq!(cpus.cpu_of_switch((8, "b"), (9, "c")), 1);
        assert_eq!(cpus.cpu_of_switch((0, "swapper/3"), (8, "b")), 0);
    }
}
