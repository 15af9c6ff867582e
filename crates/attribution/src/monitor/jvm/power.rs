//! A JVM's energy in a cycle, shared among its threads and methods. Jalen's formulas, in
//! the form that adds up; the paper's own form stands beside it.

use super::super::equations::{
    method_network_w, method_power_literal_w, method_time_s, thread_power_literal_w,
};
use super::{JvmCycle, JvmThreadCycle, MethodCycle};
use crate::{Capacity, Split, SplitError};

/// What a method spent in a thread.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodPower {
    /// Its number.
    pub method: usize,
    /// What it did.
    pub did: MethodCycle,
    /// Its CPU time in seconds: its share of its thread's.
    pub cpu_s: f64,
    /// Joules of the processor.
    pub cpu_j: f64,
    /// Joules of the network; absent without a figure for the process.
    pub network_j: Option<f64>,
    /// Watts by the paper's literal formula, which divides by the cycle twice and does not
    /// add up.
    pub literal_w: f64,
}

/// What a thread spent.
#[derive(Debug, Clone, PartialEq)]
pub struct ThreadPower {
    /// Its number; [`super::ENDED`] for all that have ended.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// Its CPU time in seconds; absent for those that have ended where it is not known.
    pub cpu_s: Option<f64>,
    /// Joules of the processor, its methods' included.
    pub cpu_j: f64,
    /// What of it no sample and no timed call covers: all or nothing.
    pub not_sampled_j: f64,
    /// Watts by the paper's literal formula.
    pub literal_w: f64,
    /// Its methods.
    pub methods: Vec<MethodPower>,
    /// Joules of the processor by node of the tree of calls, where samples tell: each is part
    /// of its method's.
    pub stacks: Vec<(usize, f64)>,
}

/// What a JVM spent. Threads and `rest_j` add up to `cpu_j`; a thread's methods, and what
/// of it no method is known for, to the thread.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JvmPower {
    /// Joules of the processor, of the whole process.
    pub cpu_j: f64,
    /// Joules of the network, where there is a figure.
    pub network_j: Option<f64>,
    /// Threads.
    pub threads: Vec<ThreadPower>,
    /// Joules of the JVM itself (collector, compiler), and of threads that have ended where
    /// it is not known what these used.
    pub rest_j: f64,
    /// Network joules of bytes outside of all methods.
    pub network_rest_j: Option<f64>,
}

/// Shares a process's energies among its threads and methods.
///
/// # Errors
/// Energies or times that are not finite.
pub fn jvm_power(
    cycle: &JvmCycle,
    cpu_j: f64,
    network_j: Option<f64>,
) -> Result<JvmPower, SplitError> {
    let known: f64 = cycle.threads.iter().filter_map(|thread| thread.cpu_s).sum();
    // Threads are read a moment after the process, and may exceed it by that.
    let all = Capacity::Total(cycle.cpu_s.max(known));
    let weights = cycle.threads.iter().filter_map(|thread| Some((thread.id, thread.cpu_s?)));
    let split = Split::by_weight(cpu_j, weights, all)?;
    let process_bytes = cycle.bytes();
    let share = ThreadTotals { cycle, cpu_j, network_j, process_bytes };
    let threads: Vec<ThreadPower> = cycle
        .threads
        .iter()
        .map(|thread| {
            let joules = split.shares().get(&thread.id).copied().unwrap_or(0.0);
            share.thread(thread, joules)
        })
        .collect();
    let methods_network = threads.iter().flat_map(|thread| &thread.methods);
    let methods_network: f64 = methods_network.filter_map(|method| method.network_j).sum();
    Ok(JvmPower {
        cpu_j,
        network_j,
        threads,
        rest_j: split.unattributed_j(),
        network_rest_j: network_j.map(|joules| joules - methods_network),
    })
}

/// What all threads' shares are parts of.
struct ThreadTotals<'a> {
    cycle: &'a JvmCycle,
    cpu_j: f64,
    network_j: Option<f64>,
    process_bytes: f64,
}

impl ThreadTotals<'_> {
    fn thread(&self, thread: &JvmThreadCycle, joules: f64) -> ThreadPower {
        let d = self.cycle.duration_s;
        let thread_s = thread.cpu_s.unwrap_or(0.0);
        let literal_w = thread_power_literal_w(thread_s, self.cpu_j / d, d);
        let (whole, weight) = (thread.whole(), thread.weight());
        let methods = thread.methods.iter().map(|method| {
            let weight = weight(method);
            let cpu_s = method_time_s(weight, whole, thread_s);
            MethodPower {
                method: method.method,
                did: *method,
                cpu_s,
                cpu_j: method_time_s(weight, whole, joules),
                network_j: self
                    .network_j
                    .map(|all| method_network_w(method.all_bytes(), self.process_bytes, all)),
                literal_w: method_power_literal_w(cpu_s, literal_w, d),
            }
        });
        ThreadPower {
            id: thread.id,
            name: thread.name.clone(),
            cpu_s: thread.cpu_s,
            cpu_j: joules,
            not_sampled_j: if whole > 0.0 { 0.0 } else { joules },
            literal_w,
            methods: methods.collect(),
            stacks: thread
                .stacks
                .iter()
                .map(|(node, time_ns)| (*node, method_time_s(*time_ns, whole, joules)))
                .collect(),
        }
    }
}

impl ThreadPower {
    fn outside_j(&self) -> f64 {
        let methods: f64 = self.methods.iter().map(|method| method.cpu_j).sum();
        let sampled_j = self.cpu_j - self.not_sampled_j;
        // Rounding is no energy.
        if methods > 0.0 { (sampled_j - methods).max(0.0) } else { sampled_j }
    }
}

impl JvmPower {
    /// Joules of the processor in threads that were sampled in no method of the filter.
    pub fn without_method_j(&self) -> f64 {
        self.threads.iter().map(ThreadPower::outside_j).sum()
    }

    /// Joules of the processor that no sample covers, over all threads.
    pub fn not_sampled_j(&self) -> f64 {
        self.threads.iter().map(|thread| thread.not_sampled_j).sum()
    }

    /// Whether all parts add up to the process's energies.
    pub fn is_conserved(&self) -> bool {
        let close = |found: f64, whole: f64| (found - whole).abs() <= 1e-9 * whole.abs().max(1e-9);
        let threads: f64 = self.threads.iter().map(|thread| thread.cpu_j).sum();
        let methods = self.threads.iter().flat_map(|thread| &thread.methods);
        let network: f64 = methods.clone().filter_map(|method| method.network_j).sum();
        let methods: f64 = methods.map(|method| method.cpu_j).sum();
        let outside = self.without_method_j() + self.not_sampled_j();
        close(threads + self.rest_j, self.cpu_j)
            && close(methods + outside + self.rest_j, self.cpu_j)
            && close(network + self.network_rest_j.unwrap_or(0.0), self.network_j.unwrap_or(0.0))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn method(method: usize, time_ns: f64, bytes: (u64, u64)) -> MethodCycle {
        MethodCycle { method, time_ns, bytes, calls: 1, ..MethodCycle::default() }
    }

    /// Two threads of 0.3 and 0.5 s in a process that used 1 s: 10 J are 3, 5 and 2 J of
    /// the JVM itself; recursion's time is in the method's duration once.
    #[test]
    fn threads_methods_and_the_rest() {
        let first = JvmThreadCycle {
            id: 1,
            cpu_s: Some(0.3),
            methods: vec![method(0, 10.0, (30, 0)), method(1, 20.0, (0, 50))],
            ..JvmThreadCycle::default()
        };
        let second = JvmThreadCycle {
            id: 2,
            cpu_s: Some(0.5),
            outside: (20, 0),
            ..JvmThreadCycle::default()
        };
        let threads = vec![first, second];
        let cycle = JvmCycle { duration_s: 2.0, cpu_s: 1.0, threads, ..JvmCycle::default() };
        let power = jvm_power(&cycle, 10.0, Some(1.0)).unwrap();
        assert!(power.is_conserved());
        let close =
            |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found}");
        let methods = &power.threads[0].methods;
        close(methods[1].cpu_j, 2.0);
        close(methods[1].cpu_s, 0.2);
        close(methods[1].network_j.unwrap(), 0.5);
        close(power.rest_j, 2.0);
        close(power.not_sampled_j(), 5.0);
        close(power.threads[1].not_sampled_j, 5.0);
        close(power.without_method_j(), 0.0);
        close(power.network_rest_j.unwrap(), 0.2);
        // literal: 5 W of the process, x 0.3 s / 2 s, x 0.2 s / 2 s
        close(power.threads[0].literal_w, 0.75);
        close(methods[1].literal_w, 0.075);
    }

    /// A third of what an ended thread used is in a method, by samples that outweigh durations.
    #[test]
    fn samples_outweigh_durations_and_what_is_outside_is_no_methods() {
        let sampled = MethodCycle { sampled_ns: 1.0, ..method(0, 9.0, (0, 0)) };
        let thread = JvmThreadCycle {
            id: 1 << 62,
            cpu_s: Some(0.6),
            methods: vec![sampled, method(1, 99.0, (0, 0))],
            outside_ns: 2.0,
            stacks: vec![(4, 1.0)],
            ..JvmThreadCycle::default()
        };
        let threads = vec![thread];
        let cycle = JvmCycle { duration_s: 1.0, cpu_s: 1.0, threads, ..JvmCycle::default() };
        let power = jvm_power(&cycle, 10.0, None).unwrap();
        assert!(power.is_conserved());
        let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12);
        close(power.threads[0].methods[0].cpu_j, 2.0);
        close(power.threads[0].methods[1].cpu_j, 0.0);
        close(power.threads[0].stacks[0].1, 2.0);
        close(power.not_sampled_j(), 0.0);
        close(power.without_method_j(), 4.0);
        close(power.rest_j, 4.0);
    }

    /// A thread's CPU time, and its methods: number, duration, bytes.
    type Drawn = (Option<f64>, Vec<(usize, f64, u64)>);

    proptest! {
        #[test]
        fn every_jvm_adds_up(
            threads in proptest::collection::vec(
                (proptest::option::of(0.0..1.0_f64),
                 proptest::collection::vec((0..9_usize, 0.0..1e9_f64, 0..1_000_u64), 0..5)), 0..6),
            extra in 0.0..1.0_f64,
            cpu_j in 0.0..50.0_f64,
            network_j in proptest::option::of(0.0..5.0_f64),
        ) {
            let thread = |(id, (cpu_s, methods)): (usize, Drawn)| {
                JvmThreadCycle {
                    id: id as u64,
                    cpu_s,
                    methods: methods.into_iter().map(|(m, t, b)| method(m, t, (b, b))).collect(),
                    ..JvmThreadCycle::default()
                }
            };
            let threads: Vec<JvmThreadCycle> = threads.into_iter().enumerate().map(thread).collect();
            let cpu_s = threads.iter().filter_map(|t| t.cpu_s).sum::<f64>() + extra;
            let cycle = JvmCycle { duration_s: 1.0, cpu_s, threads, ..JvmCycle::default() };
            prop_assert!(jvm_power(&cycle, cpu_j, network_j).unwrap().is_conserved());
        }
    }
}
