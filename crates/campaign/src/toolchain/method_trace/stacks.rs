//! From records to stacks and how often each was met.
//!
//! The sampler looks at all threads at an interval of the wall clock, running or not, and
//! writes of each what has changed since the last look, and nothing where nothing has. So a
//! stack lasts from its records to the thread's next ones, and was met at every look between.
//! Each look counts the same, since a look meets a thread anywhere in its work alike, and what a
//! thread ran until the next one may be any other's. But looks that met a thread which did not
//! run are no work: neither those whose stack ends in a call that only waits, nor those of a
//! stay in which the thread's own time hardly moved.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use super::MethodTraceError;
use super::key::Key;
use super::records::{MethodRecord, RecordTimes};
use crate::toolchain::stack_text::{UNKNOWN, collapsed, joined};

/// What begins the line that names the sampler.
pub(crate) const SAMPLER: &str = "method-sampling";

/// Native methods of Android's that do nothing but wait.
const WAITING: [&str; 5] = [
    "android.os.MessageQueue.nativePollOnce",
    "java.lang.Object.wait",
    "java.lang.Thread.sleep",
    "java.lang.VMThread.sleep",
    "sun.misc.Unsafe.park",
];

/// A thread that runs for less than this part of a stay waits in it, in native code: the stay
/// then counts for what it ran, begun intervals included. A thread whose work and sleep take
/// turns between two looks runs for more.
const WAITING_BELOW: u32 = 10;

/// Stacks, and how often each was met.
pub(super) struct Stacks<'k> {
    tree: TraceStacks,
    /// By place in the tree.
    counts: BTreeMap<usize, u64>,
    key: &'k Key,
}

/// The stacks of a trace.
pub(super) fn of<'k>(
    records: &[MethodRecord],
    key: &'k Key,
    interval: Duration,
) -> Result<Stacks<'k>, MethodTraceError> {
    let mut tree = TraceStacks::default();
    let stays = stays(records, &mut tree)?;
    let interval_us = u64::try_from(interval.as_micros()).unwrap_or(u64::MAX).max(1);
    let period_us = period_us(&stays, interval_us);
    let mut stacks = Stacks { tree, counts: BTreeMap::new(), key };
    for stay in stays {
        if !stacks.is_waiting(stay.stack) {
            // That with which the sampler begins always meets the begin marker.
            let first = u64::from(stay.is_of_begin(interval_us));
            let looks = stay.lasts.looks(period_us).saturating_sub(first);
            *stacks.counts.entry(stay.stack).or_default() += looks;
        }
    }
    Ok(stacks)
}

impl Stacks<'_> {
    fn is_waiting(&self, stack: usize) -> bool {
        let innermost = self.tree.innermost(stack).and_then(|method| self.key.methods.get(&method));
        innermost
            .is_some_and(|frame| WAITING.contains(&frame.split('(').next().unwrap_or_default()))
    }

    /// As collapsed stacks.
    pub(super) fn text(&self) -> String {
        let name = |method: u32| {
            let known = self.key.methods.get(&method).cloned();
            known.unwrap_or_else(|| UNKNOWN.to_owned())
        };
        // Two methods of one name are of two class loaders.
        let mut named: BTreeMap<String, u64> = BTreeMap::new();
        for (stack, count) in self.counts.iter().filter(|(_, count)| **count > 0) {
            let methods = self.tree.methods(*stack);
            *named.entry(joined(methods.into_iter().map(name))).or_default() += count;
        }
        collapsed(&format!("{SAMPLER} {}", self.key.clocks.name()), &named)
    }
}

/// A stack that a thread had from one change to the next.
struct Stay {
    /// Its place in the tree.
    stack: usize,
    since: RecordTimes,
    lasts: Lasts,
}

impl Stay {
    /// Whether the first look of all met it: Dalvik's comes at once, ART's after an interval.
    fn is_of_begin(&self, interval_us: u64) -> bool {
        self.since.wall_us.is_some_and(|us| u64::from(us) < interval_us / 2)
    }
}

/// How long: each thread's last stack has no end.
#[derive(Clone, Copy)]
enum Lasts {
    For(RecordTimes),
    Open,
}

impl Lasts {
    /// How many of the sampler's looks it has room for. Of an open one only that which met it
    /// is known.
    fn looks(self, period_us: u64) -> u64 {
        let Self::For(RecordTimes { thread_us, wall_us }) = self else { return 1 };
        let by_wall = wall_us.map(|us| ((u64::from(us) + period_us / 2) / period_us).max(1));
        let by_thread = thread_us.map(|us| u64::from(us).div_ceil(period_us));
        let runs = || thread_us >= wall_us.map(|us| us / WAITING_BELOW);
        match (by_wall, by_thread) {
            (Some(by_wall), Some(by_thread)) if !runs() => by_wall.min(by_thread),
            (by_wall, by_thread) => by_wall.or(by_thread).unwrap_or(1),
        }
    }

    /// In microseconds of the clock that looks go by.
    fn gap_us(self) -> Option<u64> {
        match self {
            Self::For(RecordTimes { thread_us, wall_us }) => wall_us.or(thread_us).map(u64::from),
            Self::Open => None,
        }
    }
}

/// The time from a look to the next: the interval, which the sampler sleeps, and what it and its
/// waking take. The middle of the gaps that have room for one look only tells it.
fn period_us(stays: &[Stay], interval_us: u64) -> u64 {
    let single = interval_us..interval_us.saturating_mul(2);
    let gaps = stays.iter().filter_map(|stay| stay.lasts.gap_us());
    let mut gaps: Vec<u64> = gaps.filter(|gap| single.contains(gap)).collect();
    gaps.sort_unstable();
    gaps.get(gaps.len() / 2).copied().unwrap_or(interval_us)
}

/// A thread between two of its records.
#[derive(Default)]
struct TracedThread {
    stack: usize,
    /// The times of its last records; none of one that was not met yet.
    since: Option<RecordTimes>,
}

fn stays(records: &[MethodRecord], tree: &mut TraceStacks) -> Result<Vec<Stay>, MethodTraceError> {
    let mut threads: BTreeMap<u16, TracedThread> = BTreeMap::new();
    let mut stays = Vec::new();
    for record in records {
        let thread = threads.entry(record.thread).or_default();
        stays.extend(thread.pass(record.times));
        let moved = match record.is_entered {
            true => Some(tree.enter(thread.stack, record.method)),
            false => tree.leave(thread.stack, record.method),
        };
        let problem = "it leaves a method that was not the last one entered";
        thread.stack = moved.ok_or(MethodTraceError::Broken { at: record.at, problem })?;
    }
    let last = threads.into_values();
    stays.extend(last.filter_map(|thread| {
        Some(Stay { stack: thread.stack, since: thread.since?, lasts: Lasts::Open })
    }));
    Ok(stays)
}

impl TracedThread {
    /// Goes on to other times; the stack that ends there.
    fn pass(&mut self, now: RecordTimes) -> Option<Stay> {
        let since = self.since.replace(now)?;
        if since == now {
            return None;
        }
        let stack = self.stack;
        let ran = now.thread_us.zip(since.thread_us).map(|(now, since)| now.checked_sub(since));
        if ran == Some(None) {
            // The number is another thread's now, whose own time began at 0.
            self.stack = TraceStacks::ROOT;
            return Some(Stay { stack, since, lasts: Lasts::Open });
        }
        // The wall's clock may be set back; then the thread's alone counts.
        let passed = now.wall_us.zip(since.wall_us).and_then(|(now, since)| now.checked_sub(since));
        let lasts = Lasts::For(RecordTimes { thread_us: ran.flatten(), wall_us: passed });
        Some(Stay { stack, since, lasts })
    }
}

/// All stacks, each as the place of its innermost method below its caller's.
struct TraceStacks {
    /// The caller's place, and the method.
    places: Vec<(usize, u32)>,
    known: HashMap<(usize, u32), usize>,
}

impl Default for TraceStacks {
    fn default() -> Self {
        Self { places: vec![(Self::ROOT, 0)], known: HashMap::new() }
    }
}

impl TraceStacks {
    /// The stack without methods.
    const ROOT: usize = 0;

    fn enter(&mut self, stack: usize, method: u32) -> usize {
        *self.known.entry((stack, method)).or_insert_with(|| {
            self.places.push((stack, method));
            self.places.len() - 1
        })
    }

    /// None where that is not the innermost method.
    fn leave(&self, stack: usize, method: u32) -> Option<usize> {
        (self.innermost(stack)? == method).then(|| self.places[stack].0)
    }

    fn innermost(&self, stack: usize) -> Option<u32> {
        (stack != Self::ROOT).then(|| self.places[stack].1)
    }

    /// The outermost first.
    fn methods(&self, stack: usize) -> Vec<u32> {
        let mut methods = Vec::new();
        let mut place = stack;
        while let Some(method) = self.innermost(place) {
            methods.push(method);
            place = self.places[place].0;
        }
        methods.reverse();
        methods
    }
}
