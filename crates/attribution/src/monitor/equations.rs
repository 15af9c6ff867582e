//! The formulas of e-Surgeon (Noureddine, Bourdon, Rouvoy, Seinturier: Runtime monitoring
//! of software energy hotspots, ASE 2012): PowerAPI's for processes, Jalen's for threads
//! and methods. Pure numbers; powers in watts, times in seconds (any unit where only
//! ratios matter).

use wattline_units::assumptions::ASSUMED;
use wattline_units::power::meter::full_load_w;

/// The constant `c` of `P = c f V^2` from a design power in watts and the frequency and
/// voltage that it was given for. Its unit follows from the frequency's.
pub(crate) fn capacitance(tdp_w: f64, frequency: f64, volts: f64) -> f64 {
    full_load_w(tdp_w, &ASSUMED) / (frequency * volts * volts)
}

/// `P = c f V^2` of a processor that is busy, in watts.
pub(crate) fn dynamic_power_w(capacitance: f64, frequency: f64, volts: f64) -> f64 {
    capacitance * frequency * volts * volts
}

/// The mean over states of (watts, time in the state); none without any time.
pub fn mean_power_w(states: &[(f64, f64)]) -> Option<f64> {
    let time: f64 = states.iter().map(|(_, time)| time).sum();
    let energy: f64 = states.iter().map(|(watts, time)| watts * time).sum();
    (time > 0.0 && energy.is_finite()).then(|| energy / time)
}

/// A process's part of the processor's power: `P t_pid / t_cpu`. `t_cpu` is the time the
/// processor was active, or all there was of it. So are a thread's part of its process's power
/// and a method's of its thread's, which add up.
pub(crate) fn process_power_w(cpu_w: f64, process_time: f64, cpu_time: f64) -> f64 {
    if cpu_time > 0.0 { cpu_w * process_time / cpu_time } else { 0.0 }
}

/// Mean power of a network card, in watts: `sum t_i P_i / t_total` over its throughput
/// modes (seconds of transmission in the mode, watts in it). The paper multiplies by the
/// cycle's length once more, which gives an energy; here power stays power.
pub(crate) fn network_power_w(modes: &[(f64, f64)], total_s: f64) -> Option<f64> {
    let energy: f64 = modes.iter().map(|(time, watts)| time * watts).sum();
    (total_s > 0.0).then(|| energy / total_s)
}

/// Power of a thread as the paper has it: `t_thread P_process / cycle`. The sum over
/// threads is the process's power times the cores it kept busy.
pub(crate) fn thread_power_literal_w(thread_s: f64, process_w: f64, cycle_s: f64) -> f64 {
    thread_s * process_w / cycle_s
}

/// CPU time of a method: its exclusive duration's share of its thread's time. The
/// sum over the methods is the thread's time.
pub(crate) fn method_time_s(duration: f64, durations: f64, thread_s: f64) -> f64 {
    if durations > 0.0 { thread_s * duration / durations } else { 0.0 }
}

/// Power of a method as the paper has it: `t_method P_thread / cycle` with the thread's
/// power by [`thread_power_literal_w`]. The cycle divides twice, so the sum over methods is
/// the thread's power times the part of the cycle that the thread ran.
pub(crate) fn method_power_literal_w(method_s: f64, thread_w: f64, cycle_s: f64) -> f64 {
    method_s * thread_w / cycle_s
}

/// Network power of a method, in watts: its share of the process's bytes.
pub(crate) fn method_network_w(bytes: f64, process_bytes: f64, process_w: f64) -> f64 {
    process_power_w(process_w, bytes, process_bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const STATES: [(f64, f64); 3] = [(1_800_002.0, 1.31), (2_100_002.0, 1.41), (2_400_003.0, 1.5)];

    fn powers() -> Vec<f64> {
        let c = capacitance(105.0, 2_400_003.0, 1.5);
        STATES.iter().map(|(f, v)| dynamic_power_w(c, *f, *v)).collect()
    }

    fn close(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 2e-7, "{found} instead of {expected}");
    }

    #[test]
    fn design_power_gives_the_constant_and_the_powers() {
        close(capacitance(105.0, 2_400_003.0, 1.5), 1.361_109_409_724_349e-5);
        for (found, expected) in powers().into_iter().zip([42.04444, 56.82651, 73.5]) {
            close(found, expected);
        }
    }

    #[test]
    fn the_mean_over_states_is_by_time() {
        let states: Vec<(f64, f64)> = powers().into_iter().zip([1.0, 2.0, 3.0]).collect();
        let mean = mean_power_w(&states).unwrap();
        close(mean, 62.69958);
        close(process_power_w(mean, 50.0, 100.0), 31.34979);
        assert_eq!(mean_power_w(&[(3.0, 0.0)]), None);
    }

    /// 0.2 s at 0.5 W and 0.1 s at 1.2 W in a second are 0.22 W; twice as long a second
    /// cycle halves it: a power, no energy.
    #[test]
    fn network_power_is_a_power() {
        let modes = [(0.2, 0.5), (0.1, 1.2)];
        close(network_power_w(&modes, 1.0).unwrap(), 0.22);
        close(network_power_w(&modes, 2.0).unwrap(), 0.11);
        assert_eq!(network_power_w(&modes, 0.0), None);
        close(method_network_w(300.0, 1200.0, 0.22), 0.055);
    }

    proptest! {
        /// The conserving forms add up, and the literal ones miss by the factors
        /// that the paper's formulas have.
        #[test]
        fn both_identities_hold(
            threads in proptest::collection::vec(
                (1e-3..1.0_f64, proptest::collection::vec(1e-3..5.0_f64, 1..6)), 1..6),
            process_w in 0.1..100.0_f64,
            cycle_s in 0.5..2.0_f64,
        ) {
            let process_s: f64 = threads.iter().map(|(time, _)| time).sum();
            let (mut conserving, mut literal_threads) = (0.0, 0.0);
            for (thread_s, durations) in &threads {
                let all: f64 = durations.iter().sum();
                let thread_w = process_power_w(process_w, *thread_s, process_s);
                let literal_w = thread_power_literal_w(*thread_s, process_w, cycle_s);
                let times: Vec<f64> =
                    durations.iter().map(|d| method_time_s(*d, all, *thread_s)).collect();
                let sum: f64 = times.iter().sum();
                prop_assert!((sum / thread_s - 1.0).abs() < 1e-12);
                let methods: f64 =
                    times.iter().map(|t| process_power_w(thread_w, *t, *thread_s)).sum();
                prop_assert!((methods / thread_w - 1.0).abs() < 1e-12);
                let literal: f64 =
                    times.iter().map(|t| method_power_literal_w(*t, literal_w, cycle_s)).sum();
                prop_assert!((literal / (literal_w * thread_s / cycle_s) - 1.0).abs() < 1e-12);
                conserving += methods;
                literal_threads += literal_w;
            }
            prop_assert!((conserving / process_w - 1.0).abs() < 1e-12);
            prop_assert!((literal_threads / (process_w * process_s / cycle_s) - 1.0).abs() < 1e-12);
        }
    }
}
