//! Sums -> what happened in a cycle. Frames that are still running are cut at the cycle:
//! what they have used up to now counts now, and the rest the next time.

use std::collections::{BTreeMap, BTreeSet};

use wattline_units::limits::{
    AGENT_DEPTH, AGENT_FIGURES, AGENT_METHODS, AGENT_NAME_BYTES, AGENT_NODES, LimitExceeded,
};

use super::protocol::{ENDED, Figures, JvmCallNode, JvmReading, SampledFigures};

/// A method of the JVM.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct JvmMethod {
    /// Binary class name with package.
    pub class: String,
    /// Name with parameter types; without them where nothing is instrumented.
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
    /// Exclusive duration without waiting, in nanoseconds of the probes' clock. Recursive
    /// calls are in it, each moment once.
    pub time_ns: f64,
    /// Nanoseconds of CPU time by samples.
    pub sampled_ns: f64,
    /// Samples in it.
    pub samples: u64,
    /// Whether a probe counts its calls.
    pub is_counted: bool,
    /// Calls that began.
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
pub struct JvmThreadCycle {
    /// Its number in the JVM; [`ENDED`] stands for all that have ended.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// Seconds of CPU time; absent for threads that have ended where the system does
    /// not say what they used: it is part of the JVM's own then.
    pub cpu_s: Option<f64>,
    /// Its methods.
    pub methods: Vec<MethodCycle>,
    /// Nanoseconds of CPU time in which no method was seen, by samples.
    pub outside_ns: f64,
    /// Nanoseconds of CPU time by node of the tree of calls, by samples.
    pub stacks: Vec<(usize, f64)>,
    /// Bytes outside of all methods; negative where a look at the stack has given a method
    /// those of an earlier cycle.
    pub outside: (i64, i64),
}

impl JvmThreadCycle {
    /// What gives a method's part of the thread's CPU time, as a weight: samples, or
    /// durations where the thread has no sample.
    pub fn weight(&self) -> fn(&MethodCycle) -> f64 {
        if self.is_sampled() { |method| method.sampled_ns } else { |method| method.time_ns }
    }

    /// What the weights are parts of.
    pub fn whole(&self) -> f64 {
        self.outside_ns + self.methods.iter().map(self.weight()).sum::<f64>()
    }

    fn is_sampled(&self) -> bool {
        self.outside_ns > 0.0 || self.methods.iter().any(|method| method.sampled_ns > 0.0)
    }
}

/// A thread's cycle while it is put together, with the places of its rows.
#[derive(Default)]
struct Draft {
    cycle: JvmThreadCycle,
    methods: BTreeMap<usize, usize>,
    stacks: BTreeMap<usize, usize>,
}

impl Draft {
    /// The row of a method.
    fn method(&mut self, number: usize) -> &mut MethodCycle {
        let rows = &mut self.cycle.methods;
        let at = *self.methods.entry(number).or_insert_with(|| {
            rows.push(MethodCycle { method: number, ..MethodCycle::default() });
            rows.len() - 1
        });
        &mut rows[at]
    }

    /// Adds CPU time to a node of the tree of calls.
    fn add_stack(&mut self, node: usize, time_ns: f64) {
        let rows = &mut self.cycle.stacks;
        let at = *self.stacks.entry(node).or_insert_with(|| {
            rows.push((node, 0.0));
            rows.len() - 1
        });
        rows[at].1 += time_ns;
    }
}

impl MethodCycle {
    /// Bytes received and sent.
    pub(crate) fn all_bytes(&self) -> f64 {
        self.bytes.0 as f64 + self.bytes.1 as f64
    }

    /// Adds what it did in another thread.
    fn add(&mut self, other: &MethodCycle) {
        self.time_ns += other.time_ns;
        self.sampled_ns += other.sampled_ns;
        self.samples = self.samples.saturating_add(other.samples);
        self.is_counted |= other.is_counted;
        self.calls = self.calls.saturating_add(other.calls);
        self.estimated = self.estimated.saturating_add(other.estimated);
        self.waited_ns += other.waited_ns;
        let (received, sent) = other.bytes;
        self.bytes = (self.bytes.0.saturating_add(received), self.bytes.1.saturating_add(sent));
    }
}

/// What a JVM did between two readings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JvmCycle {
    /// Its length by the JVM's clock, in seconds.
    pub duration_s: f64,
    /// Seconds of CPU time of the whole process, collector and compiler included.
    pub cpu_s: f64,
    /// Threads that did something.
    pub threads: Vec<JvmThreadCycle>,
    /// The part of the time in which calls were timed, above 0 and up to 1.
    pub timed_part: f64,
    /// What went wrong in the agent.
    pub problems: Vec<String>,
}

impl JvmCycle {
    /// Bytes of all sockets, in methods and outside of them.
    pub fn bytes(&self) -> f64 {
        let methods = self.threads.iter().flat_map(|thread| &thread.methods);
        let inside: f64 = methods.map(MethodCycle::all_bytes).sum();
        let outside = self.threads.iter().map(|thread| thread.outside);
        let outside: f64 = outside.map(|(received, sent)| received as f64 + sent as f64).sum();
        // Methods' shares are parts of this, so it is never less than they have.
        (inside + outside).max(inside)
    }
}

/// What was known at the last reading.
#[derive(Debug, Clone, Default)]
pub struct JvmState {
    methods: Vec<JvmMethod>,
    /// Bytes of the methods' names.
    name_bytes: usize,
    nodes: Vec<JvmCallNode>,
    /// By node: the calls from the begin of its path.
    depths: Vec<u32>,
    /// Methods that a probe has counted.
    counted: BTreeSet<usize>,
    figures: BTreeMap<(u64, usize), (Figures, i64)>,
    sampled: BTreeMap<(u64, Option<usize>), SampledFigures>,
    threads: BTreeMap<u64, i64>,
    outside: BTreeMap<u64, (u64, u64)>,
    at: Option<(i64, i64)>,
    timed_ns: i64,
    problems: Vec<String>,
}

impl JvmState {
    /// Of a JVM that is measured since it started, when its clock was at `now_ns`: its first
    /// reading is a cycle of its own.
    pub fn from_start(now_ns: i64) -> Self {
        Self { at: Some((now_ns, 0)), ..Self::default() }
    }

    /// The nodes of the tree of calls, a parent before its children.
    pub fn nodes(&self) -> &[JvmCallNode] {
        &self.nodes
    }

    /// A method by its number.
    pub fn method(&self, number: usize) -> JvmMethod {
        self.methods.get(number).cloned().unwrap_or_else(|| JvmMethod {
            class: "?".into(),
            name: format!("method {number}"),
            ..JvmMethod::default()
        })
    }

    /// Takes a reading; gives what happened since the last one, nothing the first time.
    ///
    /// # Errors
    /// A JVM that has more of something than any agent tells; it is not to be read any more.
    pub fn advance(&mut self, reading: &JvmReading) -> Result<Option<JvmCycle>, LimitExceeded> {
        self.add_methods(reading)?;
        self.add_nodes(reading)?;
        let timed_part = self.timed_part(reading);
        let methods = self.method_cycles(reading, timed_part);
        let outside = self.outside_bytes(reading);
        let cpu: BTreeMap<u64, f64> = reading
            .threads
            .iter()
            .map(|(id, (_, now))| {
                let then = self.threads.get(id).copied().unwrap_or(0);
                (*id, now.saturating_sub(then).max(0) as f64 * 1e-9)
            })
            .collect();
        let threads = self.thread_cycles(reading, &cpu, methods, &outside);
        self.threads = reading.threads.iter().map(|(id, (_, cpu))| (*id, *cpu)).collect();
        self.forget(reading);
        AGENT_FIGURES.check((self.figures.len() + self.sampled.len() + cpu.len()) as u64)?;
        self.problems.extend(reading.problems.iter().cloned());
        let before = self.at.replace((reading.now_ns, reading.cpu_ns));
        let Some((now_ns, cpu_ns)) = before else { return Ok(None) };
        let duration_s = reading.now_ns.saturating_sub(now_ns) as f64 * 1e-9;
        if duration_s <= 0.0 {
            return Ok(None);
        }
        Ok(Some(JvmCycle {
            duration_s,
            cpu_s: reading.cpu_ns.saturating_sub(cpu_ns).max(0) as f64 * 1e-9,
            threads,
            timed_part,
            problems: std::mem::take(&mut self.problems),
        }))
    }

    fn add_methods(&mut self, reading: &JvmReading) -> Result<(), LimitExceeded> {
        for (number, method) in &reading.methods {
            if *number == self.methods.len() {
                self.name_bytes += method.class.len() + method.name.len() + method.file.len();
                self.methods.push(method.clone());
                AGENT_METHODS.check(self.methods.len() as u64)?;
                AGENT_NAME_BYTES.check(self.name_bytes as u64)?;
            }
        }
        Ok(())
    }

    /// A parent that is not there yet is none: paths have an end.
    fn add_nodes(&mut self, reading: &JvmReading) -> Result<(), LimitExceeded> {
        for (number, node) in &reading.nodes {
            if *number == self.nodes.len() {
                let parent = node.parent.filter(|parent| *parent < *number);
                let depth = parent.map_or(1, |parent| self.depths[parent] + 1);
                AGENT_DEPTH.check(u64::from(depth))?;
                self.depths.push(depth);
                self.nodes.push(JvmCallNode { parent, ..*node });
                AGENT_NODES.check(self.nodes.len() as u64)?;
            }
        }
        Ok(())
    }

    /// How much of the time since the last reading calls were timed in. Without a last
    /// one, or a clock, it counts as all of it.
    fn timed_part(&mut self, reading: &JvmReading) -> f64 {
        let before = std::mem::replace(&mut self.timed_ns, reading.timed_ns);
        let timed_ns = reading.timed_ns.saturating_sub(before);
        let Some((then_ns, _)) = self.at else { return 1.0 };
        let part = timed_ns as f64 / reading.now_ns.saturating_sub(then_ns).max(1) as f64;
        if part > 0.0 { part.min(1.0) } else { 1.0 }
    }

    /// Differences of what has changed, and of what runs.
    fn method_cycles(
        &mut self,
        reading: &JvmReading,
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
            let up_to_now = now.time_ns.saturating_add(since).max(counted_ns);
            let seen = now.calls_in_windows.saturating_sub(then.calls_in_windows);
            let estimated = (seen as f64 / timed_part).round() as u64;
            self.counted.insert(key.1);
            let cycle = MethodCycle {
                method: key.1,
                is_counted: true,
                time_ns: up_to_now.saturating_sub(counted_ns) as f64,
                calls: now.calls.saturating_sub(then.calls).saturating_add(estimated),
                estimated,
                waited_ns: now.waited_ns.saturating_sub(then.waited_ns).max(0) as f64,
                bytes: (
                    now.received.saturating_sub(then.received),
                    now.sent.saturating_sub(then.sent),
                ),
                ..MethodCycle::default()
            };
            self.figures.insert(key, (now, up_to_now));
            cycles.entry(key.0).or_default().push(cycle);
        }
        cycles
    }

    fn outside_bytes(&mut self, reading: &JvmReading) -> BTreeMap<u64, (i64, i64)> {
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
    fn forget(&mut self, reading: &JvmReading) {
        let lives = |thread: u64| thread == ENDED || reading.threads.contains_key(&thread);
        self.figures.retain(|(thread, _), _| lives(*thread));
        self.sampled.retain(|(thread, _), _| lives(*thread));
    }

    /// All that threads did, those that have ended together.
    fn thread_cycles(
        &mut self,
        reading: &JvmReading,
        cpu: &BTreeMap<u64, f64>,
        methods: BTreeMap<u64, Vec<MethodCycle>>,
        outside: &BTreeMap<u64, (i64, i64)>,
    ) -> Vec<JvmThreadCycle> {
        let own = |id: u64| if reading.threads.contains_key(&id) { id } else { ENDED };
        let new = |id: u64| JvmThreadCycle {
            id,
            name: reading.threads.get(&id).map(|(name, _)| name.clone()).unwrap_or_default(),
            cpu_s: cpu.get(&id).copied(),
            outside: outside.get(&id).copied().unwrap_or_default(),
            ..JvmThreadCycle::default()
        };
        let new = |id: u64| Draft { cycle: new(id), ..Draft::default() };
        let mut threads: BTreeMap<u64, Draft> = cpu.keys().map(|id| (*id, new(*id))).collect();
        for (id, methods) in methods {
            let thread = threads.entry(own(id)).or_insert_with_key(|id| new(*id));
            for method in &methods {
                thread.method(method.method).add(method);
            }
        }
        for ((id, node), now) in &reading.sampled {
            let thread = threads.entry(own(*id)).or_insert_with_key(|id| new(*id));
            self.add_samples(thread, (*id, *node), *now);
        }
        let did = |thread: &JvmThreadCycle| thread.cpu_s > Some(0.0) || !thread.methods.is_empty();
        threads.into_values().map(|draft| draft.cycle).filter(did).collect()
    }

    fn add_samples(&mut self, thread: &mut Draft, key: (u64, Option<usize>), now: SampledFigures) {
        let then = self.sampled.insert(key, now).unwrap_or_default();
        let time_ns = now.time_ns.saturating_sub(then.time_ns).max(0) as f64;
        let place = key.1.and_then(|node| Some((node, self.nodes.get(node)?.method)));
        let Some((node, number)) = place else {
            thread.cycle.outside_ns += time_ns;
            return;
        };
        let method = thread.method(number);
        method.sampled_ns += time_ns;
        method.samples = method.samples.saturating_add(now.samples.saturating_sub(then.samples));
        method.is_counted |= self.counted.contains(&number);
        thread.add_stack(node, time_ns);
    }
}

#[cfg(test)]
mod tests;
