//! The clocks of a trace: a packet names the clock of its time, snapshots say what several
//! clocks read at one moment, and everything is told in the trace's own clock.

use std::collections::BTreeMap;

use super::wire;

/// `BuiltinClock`: the clock of a trace that names none.
const BOOTTIME: u32 = 6;
/// Clocks from 64 to 127 are of one packet sequence.
const SEQUENCE_CLOCKS: std::ops::Range<u32> = 64..128;

/// Clocks of a trace, as far as its snapshots relate them to the trace's clock.
#[derive(Debug)]
pub struct TraceClocks {
    primary: u32,
    known: BTreeMap<(u32, u32), KnownClock>,
}

/// Relation of one clock to the trace's clock.
#[derive(Debug, Clone, Copy)]
struct KnownClock {
    /// What it read at the last snapshot, in nanoseconds.
    read_ns: u64,
    /// What the trace's clock read then.
    trace_ns: u64,
    unit_ns: u64,
    /// The sum so far of a clock whose times are differences.
    running_ns: Option<u64>,
}

impl Default for TraceClocks {
    fn default() -> Self {
        Self { primary: BOOTTIME, known: BTreeMap::new() }
    }
}

impl TraceClocks {
    /// Takes a snapshot of several clocks that a packet sequence sent.
    pub fn snapshot(&mut self, sequence: u32, snapshot: &wire::ClockSnapshot) {
        if let Ok(primary @ 1..) = u32::try_from(snapshot.primary_trace_clock) {
            self.primary = primary;
        }
        let primary = snapshot.clocks.iter().find(|clock| clock.clock_id == self.primary);
        // Without the trace's clock, another known one ties the snapshot to it.
        let trace_ns = primary.map(|clock| clock.timestamp).or_else(|| {
            let tie = |clock: &wire::WireClock| {
                let known = self.known.get(&clock_key(sequence, clock.clock_id))?;
                Some(known.trace_at(clock.timestamp.saturating_mul(known.unit_ns)))
            };
            snapshot.clocks.iter().filter(|clock| !clock.is_incremental).find_map(tie)
        });
        let Some(trace_ns) = trace_ns else { return };
        for clock in &snapshot.clocks {
            let unit_ns = clock.unit_multiplier_ns.max(1);
            let read_ns = clock.timestamp.saturating_mul(unit_ns);
            let running_ns = clock.is_incremental.then_some(read_ns);
            let known = KnownClock { read_ns, trace_ns, unit_ns, running_ns };
            self.known.insert(clock_key(sequence, clock.clock_id), known);
        }
    }

    /// Converts a clock's time to nanoseconds of the trace's clock; `None` if no snapshot relates
    /// the two.
    pub(crate) fn trace_ns(&mut self, sequence: u32, clock: Option<u32>, time: u64) -> Option<u64> {
        let clock = clock.unwrap_or(self.primary);
        if clock == self.primary {
            return Some(time);
        }
        let known = self.known.get_mut(&clock_key(sequence, clock))?;
        let mut read_ns = time.saturating_mul(known.unit_ns);
        if let Some(running) = &mut known.running_ns {
            *running = running.saturating_add(read_ns);
            read_ns = *running;
        }
        Some(known.trace_at(read_ns))
    }
}

impl KnownClock {
    fn trace_at(&self, read_ns: u64) -> u64 {
        let at = i128::from(self.trace_ns) + i128::from(read_ns) - i128::from(self.read_ns);
        u64::try_from(at.max(0)).unwrap_or(u64::MAX)
    }
}

fn clock_key(sequence: u32, clock: u32) -> (u32, u32) {
    (if SEQUENCE_CLOCKS.contains(&clock) { sequence } else { 0 }, clock)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(clock_id: u32, timestamp: u64) -> wire::WireClock {
        wire::WireClock { clock_id, timestamp, ..wire::WireClock::default() }
    }

    #[test]
    fn a_clock_is_told_in_the_traces() {
        let mut clocks = TraceClocks::default();
        assert_eq!(clocks.trace_ns(1, None, 5), Some(5));
        assert_eq!(clocks.trace_ns(1, Some(3), 5), None, "no snapshot yet");
        let snapshot = |clocks| wire::ClockSnapshot { clocks, primary_trace_clock: 6 };
        clocks.snapshot(1, &snapshot(vec![clock(6, 1000), clock(3, 400)]));
        assert_eq!(clocks.trace_ns(2, Some(3), 500), Some(1100));
        assert_eq!(clocks.trace_ns(2, Some(3), 100), Some(700));
        // A snapshot without the trace's clock is tied by the monotonic one.
        clocks.snapshot(1, &snapshot(vec![clock(3, 600), clock(64, 10)]));
        assert_eq!(clocks.trace_ns(1, Some(64), 11), Some(1201));
        assert_eq!(clocks.trace_ns(2, Some(64), 11), None, "a clock of sequence 1");
    }

    #[test]
    fn times_may_be_differences_in_microseconds() {
        let mut clocks = TraceClocks::default();
        let mut delta = clock(64, 7);
        (delta.is_incremental, delta.unit_multiplier_ns) = (true, 1000);
        let snapshot =
            wire::ClockSnapshot { clocks: vec![clock(6, 50_000), delta], primary_trace_clock: 0 };
        clocks.snapshot(4, &snapshot);
        assert_eq!(clocks.trace_ns(4, Some(64), 2), Some(52_000));
        assert_eq!(clocks.trace_ns(4, Some(64), 3), Some(55_000));
    }
}
