//! Conversion of records to stacks with sample counts.
//!
//! The sampler samples all threads at an interval of the wall clock, running or not, and writes
//! for each thread only what has changed since the last sample. So a stack lasts from its records
//! to the thread's next ones, and has every sample between. All samples count equally, since a
//! sample is equally likely anywhere in a thread's work, and what a thread ran until the next
//! sample may be in any other method. But samples of a thread that does not run are no work:
//! neither those whose stack ends in a call that only waits, nor those of an interval in which
//! the thread's CPU time hardly grew.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use super::MethodTraceError;
use super::header::TraceHeader;
use super::records::{MethodRecord, RecordTimes};
use crate::toolchain::stack_text::{UNKNOWN, collapsed_text, join_frames};

/// Sampler name in the first line of collapsed stacks from method traces.
pub(crate) const SAMPLER: &str = "method-sampling";

/// Native methods of Android that only wait.
const WAITING: [&str; 5] = [
    "android.os.MessageQueue.nativePollOnce",
    "java.lang.Object.wait",
    "java.lang.Thread.sleep",
    "java.lang.VMThread.sleep",
    "sun.misc.Unsafe.park",
];

/// A thread whose CPU time is less than one part in so many of an interval waits in it, in native
/// code: the interval then counts for its CPU time, started periods included. A thread that
/// alternates between work and sleep within a period runs for more.
const WAITING_BELOW: u32 = 10;

/// Stacks of a trace with their numbers of samples.
pub(super) struct StackCounts<'k> {
    tree: TraceStacks,
    /// Numbers of samples by stack index in the tree.
    counts: BTreeMap<usize, u64>,
    header: &'k TraceHeader,
}

/// Counts the samples of each stack of a trace.
pub(super) fn count_stacks<'k>(
    records: &[MethodRecord],
    header: &'k TraceHeader,
    interval: Duration,
) -> Result<StackCounts<'k>, MethodTraceError> {
    let mut tree = TraceStacks::default();
    let intervals = stack_intervals(records, &mut tree)?;
    let interval_us = u64::try_from(interval.as_micros()).unwrap_or(u64::MAX).max(1);
    let period_us = period_us(&intervals, interval_us);
    let mut stacks = StackCounts { tree, counts: BTreeMap::new(), header };
    for interval in intervals {
        if !stacks.is_waiting(interval.stack) {
            // That with which the sampler begins always meets the begin marker.
            let first = u64::from(interval.is_from_first_sample(interval_us));
            let looks = interval.lasts.samples_within(period_us).saturating_sub(first);
            *stacks.counts.entry(interval.stack).or_default() += looks;
        }
    }
    Ok(stacks)
}

impl StackCounts<'_> {
    fn is_waiting(&self, stack: usize) -> bool {
        let innermost =
            self.tree.innermost(stack).and_then(|method| self.header.methods.get(&method));
        innermost
            .is_some_and(|frame| WAITING.contains(&frame.split('(').next().unwrap_or_default()))
    }

    /// The stacks as collapsed stacks.
    pub(super) fn text(&self) -> String {
        let name = |method: u32| {
            let known = self.header.methods.get(&method).cloned();
            known.unwrap_or_else(|| UNKNOWN.to_owned())
        };
        // Two methods of one name are of two class loaders.
        let mut named: BTreeMap<String, u64> = BTreeMap::new();
        for (stack, count) in self.counts.iter().filter(|(_, count)| **count > 0) {
            let methods = self.tree.methods(*stack);
            *named.entry(join_frames(methods.into_iter().map(name))).or_default() += count;
        }
        collapsed_text(&format!("{SAMPLER} {}", self.header.clocks.name()), &named)
    }
}

/// Time between two records of a thread, in which its stack stays the same.
struct StackInterval {
    /// Index of the stack in the tree.
    stack: usize,
    since: RecordTimes,
    lasts: IntervalLength,
}

impl StackInterval {
    /// Whether the first sample of the trace has this stack: Dalvik takes it at once, ART after one
    /// interval.
    fn is_from_first_sample(&self, interval_us: u64) -> bool {
        self.since.wall_us.is_some_and(|us| u64::from(us) < interval_us / 2)
    }
}

/// Length of a stack interval; each thread's last one has no end.
#[derive(Clone, Copy)]
enum IntervalLength {
    For(RecordTimes),
    Open,
}

impl IntervalLength {
    /// Number of samples within the interval. An open interval counts for the one sample that began
    /// it.
    fn samples_within(self, period_us: u64) -> u64 {
        let Self::For(RecordTimes { thread_us, wall_us }) = self else { return 1 };
        let by_wall = wall_us.map(|us| ((u64::from(us) + period_us / 2) / period_us).max(1));
        let by_thread = thread_us.map(|us| u64::from(us).div_ceil(period_us));
        let runs = || thread_us >= wall_us.map(|us| us / WAITING_BELOW);
        match (by_wall, by_thread) {
            (Some(by_wall), Some(by_thread)) if !runs() => by_wall.min(by_thread),
            (by_wall, by_thread) => by_wall.or(by_thread).unwrap_or(1),
        }
    }

    /// Length in microseconds, of the wall clock where the trace has it.
    fn gap_us(self) -> Option<u64> {
        match self {
            Self::For(RecordTimes { thread_us, wall_us }) => wall_us.or(thread_us).map(u64::from),
            Self::Open => None,
        }
    }
}

/// Period of the samples in microseconds: the interval that the sampler sleeps, plus its work and
/// its wake-up delay. It is the median of the stack intervals that only one sample fits into.
fn period_us(intervals: &[StackInterval], interval_us: u64) -> u64 {
    let single = interval_us..interval_us.saturating_mul(2);
    let gaps = intervals.iter().filter_map(|interval| interval.lasts.gap_us());
    let mut gaps: Vec<u64> = gaps.filter(|gap| single.contains(gap)).collect();
    gaps.sort_unstable();
    gaps.get(gaps.len() / 2).copied().unwrap_or(interval_us)
}

/// State of a thread while its records are read.
#[derive(Default)]
struct TracedThread {
    stack: usize,
    /// Times of the thread's last record; `None` before the first.
    since: Option<RecordTimes>,
}

fn stack_intervals(
    records: &[MethodRecord],
    tree: &mut TraceStacks,
) -> Result<Vec<StackInterval>, MethodTraceError> {
    let mut threads: BTreeMap<u16, TracedThread> = BTreeMap::new();
    let mut intervals = Vec::new();
    for record in records {
        let thread = threads.entry(record.thread).or_default();
        intervals.extend(thread.advance_to(record.times));
        let moved = match record.is_entered {
            true => Some(tree.enter(thread.stack, record.method)),
            false => tree.leave(thread.stack, record.method),
        };
        let problem = "it leaves a method that was not the last one entered";
        thread.stack = moved.ok_or(MethodTraceError::Broken { at: record.at, problem })?;
    }
    let last = threads.into_values();
    intervals.extend(last.filter_map(|thread| {
        Some(StackInterval {
            stack: thread.stack,
            since: thread.since?,
            lasts: IntervalLength::Open,
        })
    }));
    Ok(intervals)
}

impl TracedThread {
    /// Moves the thread to new times; returns the stack interval that ends there.
    fn advance_to(&mut self, now: RecordTimes) -> Option<StackInterval> {
        let since = self.since.replace(now)?;
        if since == now {
            return None;
        }
        let stack = self.stack;
        let ran = now.thread_us.zip(since.thread_us).map(|(now, since)| now.checked_sub(since));
        if ran == Some(None) {
            // The number is another thread's now, whose own time began at 0.
            self.stack = TraceStacks::ROOT;
            return Some(StackInterval { stack, since, lasts: IntervalLength::Open });
        }
        // The wall's clock may be set back; then the thread's alone counts.
        let passed = now.wall_us.zip(since.wall_us).and_then(|(now, since)| now.checked_sub(since));
        let lasts = IntervalLength::For(RecordTimes { thread_us: ran.flatten(), wall_us: passed });
        Some(StackInterval { stack, since, lasts })
    }
}

/// Tree of all stacks, each identified by the index of its innermost method.
struct TraceStacks {
    /// For each method on a stack, the index of its caller and the method's number.
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

    /// The stack without its innermost method; `None` if that is another one than `method`.
    fn leave(&self, stack: usize, method: u32) -> Option<usize> {
        (self.innermost(stack)? == method).then(|| self.places[stack].0)
    }

    fn innermost(&self, stack: usize) -> Option<u32> {
        (stack != Self::ROOT).then(|| self.places[stack].1)
    }

    /// Method numbers of a stack, outermost first.
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
