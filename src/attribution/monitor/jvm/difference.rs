//! Sums -> what happened in a cycle. Frames that are still running are cut at the cycle:
//! what they have used up to now counts now, and the rest the next time.

use std::collections::{BTreeMap, BTreeSet};

use super::protocol::{Figures, Reading};

/// A method of the JVM.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Method {
    /// Binary class name with package.
    pub class: String,
    /// Name with parameter types; without them when sampled.
    pub name: String,
    /// Path of its source file by package; empty where the class doesn't say.
    pub file: String,
    /// First line, 0 where unknown.
    pub first_line: u32,
    /// Last line.
    pub last_line: u32,
}

/// What a method did in a thread in a cycle.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct MethodCycle {
    /// Its number, for [`JvmState::method`].
    pub method: usize,
    /// Exclusive duration without waiting, in nanoseconds of the probes' clock; of
    /// processor time when sampled. Recursive calls are in it, each moment once.
    pub time_ns: f64,
    /// Calls that began; samples when sampled.
    pub calls: u64,
    /// What of the calls is estimated: counted in windows of time, and scaled to all of it.
    pub estimated: u64,
    /// Nanoseconds of waiting.
    pub waited_ns: f64,
    /// Bytes received and sent by sockets.
    pub bytes: (u64, u64),
}

/// What a thread did in a cycle.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ThreadCycle {
    /// Its number in the JVM.
    pub id: u64,
    /// Its name; empty for one that has ended.
    pub name: String,
    /// Seconds of processor time; absent for a thread that has ended: nobody can ask any
    /// more, and its part is unattributed.
    pub cpu_s: Option<f64>,
    /// Its methods.
    pub methods: Vec<MethodCycle>,
    /// Bytes outside of all methods; negative where a look at the stack has given a method
    /// those of an earlier cycle.
    pub outside: (i64, i64),
}

/// What a JVM did between two readings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JvmCycle {
    /// Its length by the JVM's clock, in seconds.
    pub duration_s: f64,
    /// Seconds of processor time of the whole process, collector and compiler included.
    pub cpu_s: f64,
    /// Threads that did something.
    pub threads: Vec<ThreadCycle>,
    /// The part of the time in which calls were timed, above 0 and up to 1.
    pub timed_part: f64,
    /// What went wrong in the agent.
    pub problems: Vec<String>,
}

impl JvmCycle {
    /// Bytes of all sockets, in methods and outside of them.
    pub fn bytes(&self) -> f64 {
        let methods = self.threads.iter().flat_map(|thread| &thread.methods);
        let inside: u64 = methods.map(|method| method.bytes.0 + method.bytes.1).sum();
        let outside: i64 =
            self.threads.iter().map(|thread| thread.outside.0 + thread.outside.1).sum();
        // Methods' shares are parts of this, so it is never less than they have.
        (inside as f64 + outside as f64).max(inside as f64)
    }
}

/// What was known at the last reading.
#[derive(Debug, Clone, Default)]
pub struct JvmState {
    methods: Vec<Method>,
    figures: BTreeMap<(u64, usize), (Figures, i64)>,
    threads: BTreeMap<u64, i64>,
    outside: BTreeMap<u64, (u64, u64)>,
    at: Option<(i64, i64)>,
    timed_ns: i64,
    problems: Vec<String>,
}

impl JvmState {
    /// A method by its number.
    pub fn method(&self, number: usize) -> Method {
        self.methods.get(number).cloned().unwrap_or_else(|| Method {
            class: "?".into(),
            name: format!("method {number}"),
            ..Method::default()
        })
    }

    /// Takes a reading; gives what happened since the last one, nothing the first time.
    pub fn advance(&mut self, reading: &Reading) -> Option<JvmCycle> {
        for (number, method) in &reading.methods {
            if *number == self.methods.len() {
                self.methods.push(method.clone());
            }
        }
        let timed_part = self.timed_part(reading);
        let methods = self.method_cycles(reading, timed_part);
        let outside = self.outside_bytes(reading);
        let cpu: BTreeMap<u64, f64> = reading
            .threads
            .iter()
            .map(|(id, (_, now))| {
                let then = self.threads.get(id).copied().unwrap_or(0);
                (*id, (now - then).max(0) as f64 * 1e-9)
            })
            .collect();
        self.threads = reading.threads.iter().map(|(id, (_, cpu))| (*id, *cpu)).collect();
        self.forget(reading);
        self.problems.extend(reading.problems.iter().cloned());
        let before = self.at.replace((reading.now_ns, reading.cpu_ns));
        let (now_ns, cpu_ns) = before?;
        let duration_s = (reading.now_ns - now_ns) as f64 * 1e-9;
        if duration_s <= 0.0 {
            return None;
        }
        Some(JvmCycle {
            duration_s,
            cpu_s: (reading.cpu_ns - cpu_ns).max(0) as f64 * 1e-9,
            threads: threads(reading, &cpu, methods, &outside),
            timed_part,
            problems: std::mem::take(&mut self.problems),
        })
    }

    /// How much of the time since the last reading calls were timed in. Without a last
    /// one, or a clock, it counts as all of it.
    fn timed_part(&mut self, reading: &Reading) -> f64 {
        let timed_ns = reading.timed_ns - std::mem::replace(&mut self.timed_ns, reading.timed_ns);
        let Some((then_ns, _)) = self.at else { return 1.0 };
        let part = timed_ns as f64 / (reading.now_ns - then_ns).max(1) as f64;
        if part > 0.0 { part.min(1.0) } else { 1.0 }
    }

    /// Differences of what has changed, and of what runs.
    fn method_cycles(
        &mut self,
        reading: &Reading,
        timed_part: f64,
    ) -> BTreeMap<u64, Vec<MethodCycle>> {
        let mut keys: BTreeSet<(u64, usize)> = reading.figures.keys().copied().collect();
        keys.extend(reading.running.iter().map(|(thread, (method, _))| (*thread, *method)));
        let mut cycles: BTreeMap<u64, Vec<MethodCycle>> = BTreeMap::new();
        for key in keys {
            let (then, counted_ns) = self.figures.get(&key).copied().unwrap_or_default();
            let now = reading.figures.get(&key).copied().unwrap_or(then);
            let running = reading.running.get(&key.0).filter(|(method, _)| *method == key.1);
            let since = running.map_or(0, |(_, since)| (*since).max(0));
            // What was counted up to the last cut never counts again, also where the thread
            // has booked it meanwhile.
            let up_to_now = (now.time_ns + since).max(counted_ns);
            let seen = now.calls_in_windows.saturating_sub(then.calls_in_windows);
            let estimated = (seen as f64 / timed_part).round() as u64;
            let cycle = MethodCycle {
                method: key.1,
                time_ns: (up_to_now - counted_ns) as f64,
                calls: now.calls.saturating_sub(then.calls) + estimated,
                estimated,
                waited_ns: (now.waited_ns - then.waited_ns).max(0) as f64,
                bytes: (
                    now.received.saturating_sub(then.received),
                    now.sent.saturating_sub(then.sent),
                ),
            };
            self.figures.insert(key, (now, up_to_now));
            cycles.entry(key.0).or_default().push(cycle);
        }
        cycles
    }

    fn outside_bytes(&mut self, reading: &Reading) -> BTreeMap<u64, (i64, i64)> {
        let of = |sums: &BTreeMap<u64, (u64, u64)>, id: &u64| {
            let (received, sent) = sums.get(id).copied().unwrap_or_default();
            (received as i64, sent as i64)
        };
        let ids: BTreeSet<u64> =
            reading.outside.keys().chain(self.outside.keys()).copied().collect();
        let found = ids
            .into_iter()
            .filter(|id| reading.threads.contains_key(id))
            .map(|id| {
                let (then, now) = (of(&self.outside, &id), of(&reading.outside, &id));
                (id, (now.0 - then.0, now.1 - then.1))
            })
            .collect();
        self.outside = reading.outside.clone();
        found
    }

    /// Drops what belongs to threads that have ended.
    fn forget(&mut self, reading: &Reading) {
        self.figures.retain(|(thread, _), _| reading.threads.contains_key(thread));
    }
}

fn threads(
    reading: &Reading,
    cpu: &BTreeMap<u64, f64>,
    mut methods: BTreeMap<u64, Vec<MethodCycle>>,
    outside: &BTreeMap<u64, (i64, i64)>,
) -> Vec<ThreadCycle> {
    let ids: BTreeSet<u64> = cpu.keys().chain(methods.keys()).copied().collect();
    let mut threads = Vec::new();
    for id in ids {
        let thread = ThreadCycle {
            id,
            name: reading.threads.get(&id).map(|(name, _)| name.clone()).unwrap_or_default(),
            cpu_s: cpu.get(&id).copied(),
            methods: methods.remove(&id).unwrap_or_default(),
            outside: outside.get(&id).copied().unwrap_or_default(),
        };
        if thread.cpu_s.unwrap_or(0.0) > 0.0 || !thread.methods.is_empty() {
            threads.push(thread);
        }
    }
    threads
}

#[cfg(test)]
mod tests {
    use super::super::parse_reading;
    use super::*;

    fn advance(state: &mut JvmState, text: &str) -> Option<JvmCycle> {
        state.advance(&parse_reading(&format!("{text}end\n")).unwrap())
    }

    #[test]
    fn a_running_frame_is_cut_at_the_cycle_and_never_counted_twice() {
        let mut state = JvmState::default();
        let start = "cycle 0 0 0\nproblem early\n\
                     method 0\ta.A\tx\t()V\t\t0\t0\nthread 5 0 t\nm 5 0 100 1 0 0 0 0\n";
        assert_eq!(advance(&mut state, start), None);
        let first = advance(&mut state, "cycle 1000000000 9 0\nthread 5 9 t\nrunning 5 0 70\n");
        let first = first.unwrap();
        assert_eq!(first.threads[0].methods[0].time_ns, 70.0);
        assert_eq!(first.problems, ["early"], "what the first reading says is not lost");
        assert!(first.duration_s == 1.0 && (first.cpu_s - 9e-9).abs() < 1e-15);
        // it has booked 90 meanwhile, of which 70 are counted, and runs again since 5
        let text = "cycle 2000000000 19 0\nthread 5 19 t\nm 5 0 190 2 0 0 0 0\nrunning 5 0 5\n";
        let second = advance(&mut state, text).unwrap();
        let method = second.threads[0].methods[0];
        assert_eq!((method.time_ns, method.calls), (25.0, 1));
    }

    #[test]
    fn calls_of_windows_are_scaled_to_all_of_the_time() {
        let mut state = JvmState::default();
        advance(&mut state, "cycle 0 0 0\nthread 5 0 t\nm 5 0 100 7 0 0 0 0\n");
        // a tenth of the second was timed
        let text = "cycle 1000000000 9 100000000\nthread 5 9 t\nm 5 0 300 8 5 0 0 0\n";
        let cycle = advance(&mut state, text).unwrap();
        let method = cycle.threads[0].methods[0];
        assert_eq!((method.calls, method.estimated, cycle.timed_part), (51, 50, 0.1));
        // a clock that tells nothing scales nothing
        let text = "cycle 2000000000 19 100000000\nthread 5 19 t\nm 5 0 300 9 6 0 0 0\n";
        let method = advance(&mut state, text).unwrap().threads[0].methods[0];
        assert_eq!((method.calls, method.estimated), (2, 1));
    }

    #[test]
    fn an_ended_threads_processor_time_is_not_known() {
        let mut state = JvmState::default();
        advance(&mut state, "cycle 0 0 0\nthread 5 0 t\n");
        let cycle = advance(&mut state, "cycle 1000 500 0\nm 5 0 100 1 0 0 0 0\n").unwrap();
        assert_eq!((cycle.threads[0].cpu_s, cycle.threads[0].methods.len()), (None, 1));
    }

    #[test]
    fn a_clock_that_goes_back_gives_no_cycle() {
        let mut state = JvmState::default();
        advance(&mut state, "cycle 1000 0 0\n");
        assert_eq!(advance(&mut state, "cycle 900 0 0\n"), None);
        assert!(advance(&mut state, "cycle 1900 5 0\n").is_some());
    }
}
