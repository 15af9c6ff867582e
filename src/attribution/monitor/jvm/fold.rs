//! Which methods are called too often to carry a probe. Probes that cost more than a
//! budget distort what they measure; the methods with the shortest calls lose theirs, and
//! their time becomes their callers'. What is left is what takes time.

use std::collections::BTreeMap;

use super::JvmCycle;

/// What a call of a method with probes costs, in nanoseconds, when it is not timed: the
/// record, and what the compiler can't do any more. Measured on a server of 2.6 GHz.
pub const PROBE_NS: f64 = 50.0;

/// What the two clock readings of a timed call cost beside it.
pub const CLOCK_NS: f64 = 95.0;

/// Where the budget is exceeded, probes are taken out down to this part of it: each time
/// costs the JVM a compilation of all classes concerned.
const DOWN_TO: f64 = 0.25;

/// Calls longer than this keep their probe, whatever the budget: the probe is a small part.
const LONG_NS: f64 = 2000.0;

/// The methods to fold so that probes take no more than `budget` (0..1) of the process's
/// processor time. `duty` is the part of time in which calls are timed: durations by the
/// probes' clock are that part of real ones.
pub fn to_fold(cycle: &JvmCycle, budget: f64, duty: f64) -> Vec<usize> {
    let mut methods: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for method in cycle.threads.iter().flat_map(|thread| &thread.methods) {
        let sum = methods.entry(method.method).or_default();
        sum.0 += method.calls as f64;
        sum.1 += method.time_ns / duty.max(0.01);
    }
    let cost_s = |calls: f64| calls * (PROBE_NS + CLOCK_NS * duty) * 1e-9;
    let mut spent_s: f64 = methods.values().map(|(calls, _)| cost_s(*calls)).sum();
    if spent_s <= budget * cycle.cpu_s {
        return Vec::new();
    }
    let mut shortest: Vec<(usize, f64, f64)> = methods
        .into_iter()
        .filter(|(_, (calls, _))| *calls > 0.0)
        .map(|(method, (calls, time_ns))| (method, calls, time_ns / calls))
        .filter(|(.., mean_ns)| *mean_ns < LONG_NS)
        .collect();
    // By powers of two of their length, then those that cost most: from run to run about
    // the same ones.
    shortest.sort_by(|a, b| {
        let class = |mean_ns: f64| mean_ns.max(1.0).log2().floor();
        class(a.2).total_cmp(&class(b.2)).then(b.1.total_cmp(&a.1)).then(a.0.cmp(&b.0))
    });
    let mut folded = Vec::new();
    for (method, calls, _) in shortest {
        if spent_s <= DOWN_TO * budget * cycle.cpu_s {
            break;
        }
        spent_s -= cost_s(calls);
        folded.push(method);
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::super::{MethodCycle, ThreadCycle};
    use super::*;

    fn cycle(methods: &[(u64, f64)]) -> JvmCycle {
        let method = |(number, (calls, time_ns)): (usize, &(u64, f64))| MethodCycle {
            method: number,
            time_ns: *time_ns,
            calls: *calls,
            ..MethodCycle::default()
        };
        let methods = methods.iter().enumerate().map(method).collect();
        let thread = ThreadCycle { cpu_s: Some(1.0), methods, ..ThreadCycle::default() };
        JvmCycle { duration_s: 1.0, cpu_s: 1.0, threads: vec![thread], ..JvmCycle::default() }
    }

    #[test]
    fn the_shortest_calls_lose_their_probes_until_the_budget_holds() {
        // 5.5e6 calls of 20 ns at 0.145 us each, 1e5 of 900 ns, few long ones
        let busy = cycle(&[(5_500_000, 1.1e8), (100_000, 9e7), (100, 5e8)]);
        assert_eq!(to_fold(&busy, 0.10, 1.0), [0]);
        assert_eq!(to_fold(&busy, 0.01, 1.0), [0, 1]);
        assert_eq!(to_fold(&busy, 0.90, 1.0), Vec::<usize>::new());
        // untimed calls cost a third
        assert_eq!(to_fold(&busy, 0.45, 0.2), Vec::<usize>::new());
    }

    #[test]
    fn long_calls_keep_theirs() {
        assert_eq!(to_fold(&cycle(&[(1_000_000, 1e10)]), 0.0, 1.0), Vec::<usize>::new());
    }
}
