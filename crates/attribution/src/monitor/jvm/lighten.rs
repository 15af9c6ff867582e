//! Probes that cost more than a budget distort what they measure. Which methods are then
//! counted in windows of time alone, and which lose their probe, so that their time becomes
//! their callers'.
//!
//! The first costs the JVM nothing; the second makes it compile classes anew, so it is done
//! seldom, and by more than the budget asks for.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use wattline_units::assumptions::Assumptions;

use super::JvmCycle;

/// Calls longer than this keep their probe, whatever the budget: the probe is a small part.
const LONG_NS: f64 = 2000.0;

/// Probes that take less than this part of the budget stay.
const SMALL_PART: f64 = 0.002;

/// Cycles from the begin, and from one taking out of probes to the next: what was woven is
/// compiled by then, so that the calls are those of a warm program. All of them decide: on a
/// busy machine the program runs in few windows of a cycle, and its calls in one alone are
/// estimated too high or too low by far.
const APART: usize = 4;

/// What to change after a cycle, by methods' numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Relief {
    /// Count and time these in windows of time alone.
    pub window: Vec<usize>,
    /// Take out the probes of these.
    pub fold: Vec<usize>,
}

/// What a method did in a cycle, all threads together.
#[derive(Debug, Clone, Copy, Default)]
struct Load {
    calls: f64,
    time_ns: f64,
}

impl Load {
    /// How long a call takes; a probe's clock is the same for all, so short is short.
    fn mean_ns(&self) -> f64 {
        self.time_ns / self.calls
    }
}

/// A cycle.
#[derive(Debug, Clone)]
struct Weighed {
    loads: BTreeMap<usize, Load>,
    /// What probes may take of it.
    allowed_ns: f64,
    /// The part of it in which calls were timed.
    timed_part: f64,
}

/// Keeps probes within a budget.
#[derive(Debug, Clone)]
pub struct Lighten {
    budget: f64,
    /// What probes cost.
    assumed: Assumptions,
    /// The last cycles since probes were taken out.
    recent: VecDeque<Weighed>,
    windowed: BTreeSet<usize>,
    folded: BTreeSet<usize>,
}

impl Lighten {
    /// Probes may take `budget` (0 and up) of the CPU time of the process; with 1 or
    /// more, nothing is ever changed.
    pub fn new(budget: f64, assumed: Assumptions) -> Self {
        let (windowed, folded) = (BTreeSet::new(), BTreeSet::new());
        Self { budget, assumed, recent: VecDeque::new(), windowed, folded }
    }

    /// What a cycle asks for; it is taken for done.
    pub fn after(&mut self, cycle: &JvmCycle) -> Relief {
        if self.budget >= 1.0 {
            return Relief::default();
        }
        let loads = loads(cycle, &self.folded);
        // the compiler's time is left out: there is much of it just after a change
        let threads_s: f64 = cycle.threads.iter().filter_map(|thread| thread.cpu_s).sum();
        let allowed_ns = self.budget * threads_s * 1e9;
        let window = self.window(&loads, allowed_ns);
        self.recent.push_back(Weighed { loads, allowed_ns, timed_part: cycle.timed_part });
        if self.recent.len() > APART {
            self.recent.pop_front();
        }
        Relief { window, fold: self.fold() }
    }

    /// Counting may take half of the budget, and is brought down to an eighth; those that
    /// are called most are counted in windows first.
    fn window(&mut self, loads: &BTreeMap<usize, Load>, allowed_ns: f64) -> Vec<usize> {
        let counted = loads.iter().filter(|(method, _)| !self.windowed.contains(method));
        let each_ns = self.assumed.probe_counted_ns;
        let mut most: Vec<(usize, f64)> =
            counted.map(|(method, load)| (*method, load.calls * each_ns)).collect();
        let mut spent_ns: f64 = most.iter().map(|(_, cost)| cost).sum();
        if spent_ns <= allowed_ns / 2.0 {
            return Vec::new();
        }
        most.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut chosen = Vec::new();
        for (method, cost) in most {
            if spent_ns <= allowed_ns / 8.0 {
                break;
            }
            spent_ns -= cost;
            chosen.push(method);
        }
        self.windowed.extend(&chosen);
        chosen
    }

    /// Probes beside their counting may take the budget, and are brought down to a third of
    /// it, as a warm program calls faster; of the short ones, those that are called most go first.
    fn fold(&mut self) -> Vec<usize> {
        if self.recent.len() < APART {
            return Vec::new();
        }
        let allowed_ns: f64 = self.recent.iter().map(|one| one.allowed_ns).sum();
        let duty = self.recent.iter().map(|one| one.timed_part).sum::<f64>() / APART as f64;
        let mut loads: BTreeMap<usize, Load> = BTreeMap::new();
        for (method, load) in self.recent.iter().flat_map(|one| &one.loads) {
            let all = loads.entry(*method).or_default();
            all.calls += load.calls;
            all.time_ns += load.time_ns;
        }
        let each_ns = self.assumed.probe_idle_ns + self.assumed.probe_timed_ns * duty;
        let cost = |load: &Load| load.calls * each_ns;
        let mut spent_ns: f64 = loads.values().map(cost).sum();
        if spent_ns <= allowed_ns {
            return Vec::new();
        }
        // those that are called seldom may stay: they cost nothing
        let matters = |load: &Load| cost(load) > allowed_ns * SMALL_PART;
        let is_short = |load: &Load| load.mean_ns() < LONG_NS * duty;
        let mut short: Vec<(&usize, &Load)> =
            loads.iter().filter(|(_, load)| is_short(load) && matters(load)).collect();
        // By powers of two of their calls, so that few methods lose it, then the shortest:
        // from run to run about the same ones.
        let class = |load: &Load| load.calls.log2().floor();
        short.sort_by(|a, b| {
            class(b.1)
                .total_cmp(&class(a.1))
                .then(a.1.mean_ns().total_cmp(&b.1.mean_ns()))
                .then(a.0.cmp(b.0))
        });
        let mut chosen = Vec::new();
        for (method, load) in short {
            if spent_ns <= allowed_ns / 3.0 {
                break;
            }
            spent_ns -= cost(load);
            chosen.push(*method);
        }
        if !chosen.is_empty() {
            self.recent.clear();
        }
        self.folded.extend(&chosen);
        chosen
    }
}

fn loads(cycle: &JvmCycle, folded: &BTreeSet<usize>) -> BTreeMap<usize, Load> {
    let mut loads: BTreeMap<usize, Load> = BTreeMap::new();
    for method in cycle.threads.iter().flat_map(|thread| &thread.methods) {
        if method.calls > 0 && !folded.contains(&method.method) {
            let load = loads.entry(method.method).or_default();
            load.calls += method.calls as f64;
            load.time_ns += method.time_ns;
        }
    }
    loads
}

#[cfg(test)]
mod tests {
    use wattline_units::assumptions::ASSUMED;

    use super::super::{JvmThreadCycle, MethodCycle};
    use super::*;

    /// A second of a warm JVM whose calls are timed in a twentieth of it.
    fn cycle(methods: &[(u64, f64)]) -> JvmCycle {
        let method = |(number, (calls, mean_ns)): (usize, &(u64, f64))| MethodCycle {
            method: number,
            time_ns: *calls as f64 * mean_ns * 0.05,
            calls: *calls,
            ..MethodCycle::default()
        };
        let methods = methods.iter().enumerate().map(method).collect();
        let thread = JvmThreadCycle { cpu_s: Some(1.0), methods, ..JvmThreadCycle::default() };
        let threads = vec![thread];
        JvmCycle { duration_s: 1.0, cpu_s: 1.0, threads, timed_part: 0.05, ..JvmCycle::default() }
    }

    fn of(window: &[usize], fold: &[usize]) -> Relief {
        Relief { window: window.to_vec(), fold: fold.to_vec() }
    }

    #[test]
    fn what_is_called_often_is_counted_in_windows_and_later_loses_its_probe() {
        // 8e6 calls of 20 ns, 1e6 of 300 ns, few long ones
        let busy = cycle(&[(8_000_000, 20.0), (1_000_000, 300.0), (100, 5e6)]);
        let mut lighten = Lighten::new(0.05, ASSUMED);
        assert_eq!(lighten.after(&busy), of(&[0, 1], &[]));
        assert!(lighten.windowed.contains(&0) && !lighten.windowed.contains(&2));
        assert_eq!(lighten.after(&busy), of(&[], &[]), "the compiler is at work");
        assert_eq!(lighten.after(&busy), of(&[], &[]));
        // 9e6 calls at 30 ns are 27 %, 1e6 still 3 %
        assert_eq!(lighten.after(&busy), of(&[], &[0, 1]));
        assert_eq!(lighten.after(&busy), of(&[], &[]), "once");
    }

    #[test]
    fn what_the_budget_allows_stays() {
        let calm = cycle(&[(500_000, 100.0)]);
        let mut lighten = Lighten::new(0.05, ASSUMED);
        assert!((0..9).all(|_| lighten.after(&calm) == Relief::default()));
        let busy = cycle(&[(50_000_000, 10.0)]);
        let mut all = Lighten::new(1.0, ASSUMED);
        assert!((0..9).all(|_| all.after(&busy) == Relief::default()));
    }

    #[test]
    fn one_cycle_alone_takes_out_no_probe() {
        let (calm, burst) = (cycle(&[(500_000, 100.0)]), cycle(&[(3_000_000, 100.0)]));
        let mut lighten = Lighten::new(0.05, ASSUMED);
        let mut fold = Vec::new();
        for round in 0..12 {
            fold.extend(lighten.after(if round % 4 == 3 { &burst } else { &calm }).fold);
        }
        assert_eq!(fold, Vec::<usize>::new(), "three times its budget in every fourth");
    }

    #[test]
    fn long_calls_keep_their_probe() {
        let mut lighten = Lighten::new(0.0, ASSUMED);
        let fold: Vec<usize> =
            (0..9).flat_map(|_| lighten.after(&cycle(&[(90_000, 1e4)])).fold).collect();
        assert_eq!(fold, Vec::<usize>::new());
    }

    #[test]
    fn dearer_probes_are_taken_out_of_more_methods() {
        // 1e6 calls of 300 ns: counting takes 4 % of the time, the rest of the probe 3 %
        let changed = |budget, assumed| {
            let mut lighten = Lighten::new(budget, assumed);
            let one = cycle(&[(1_000_000, 300.0)]);
            let reliefs = (0..6).map(|_| lighten.after(&one));
            reliefs.fold((0, 0), |(w, f), relief| (w + relief.window.len(), f + relief.fold.len()))
        };
        assert_eq!(changed(0.09, ASSUMED), (0, 0));
        let probe_counted_ns = 2.0 * ASSUMED.probe_counted_ns;
        assert_eq!(changed(0.09, Assumptions { probe_counted_ns, ..ASSUMED }), (1, 0));
        assert_eq!(changed(0.04, ASSUMED), (1, 0));
        let probe_timed_ns = 2.0 * ASSUMED.probe_timed_ns;
        assert_eq!(changed(0.04, Assumptions { probe_timed_ns, ..ASSUMED }), (1, 1));
        let probe_idle_ns = 2.0 * ASSUMED.probe_idle_ns;
        assert_eq!(changed(0.04, Assumptions { probe_idle_ns, ..ASSUMED }), (1, 1));
    }
}
