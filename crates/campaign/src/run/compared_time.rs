//! The time by which runs of one case are compared: that which the meter goes by.

use crate::power::meter::{Meter, SoftwareMeter};

use super::record::MeasuredSession;

/// Resolution of the CPU time of a process, twice: in seconds.
const CPU_TIME_ERROR_S: f64 = 0.02;

/// Time of a session by which it is compared with others of its case.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ComparedTime {
    /// Length of the window in seconds.
    Duration(f64),
    /// CPU time in seconds that the application used without JIT compilers and GC. A meter that
    /// estimates power from CPU time gives a session that waited for a core the same energy.
    CpuTime(f64),
}

impl ComparedTime {
    /// The time of a session that was measured by this meter.
    pub fn of(session: &MeasuredSession, meter: &str) -> Self {
        let threads = session.threads.filter(|_| meter == SoftwareMeter.name());
        threads.map_or(Self::Duration(session.duration_s), |threads| {
            let runtime_s = threads.compiler_s + threads.collector_s;
            Self::CpuTime((threads.process_s - runtime_s).max(0.0))
        })
    }

    /// The time in seconds.
    pub fn seconds(self) -> f64 {
        match self {
            Self::Duration(seconds) | Self::CpuTime(seconds) => seconds,
        }
    }

    /// Whether the time differs from an expected one by more than a share of it.
    pub fn is_off(self, expected_s: f64, share: f64) -> bool {
        let error_s = match self {
            Self::Duration(_) => 0.0,
            Self::CpuTime(_) => CPU_TIME_ERROR_S,
        };
        (self.seconds() - expected_s).abs() > share * expected_s + error_s
    }

    /// The start of a sentence: `it lasted 3.20 s` or `it used 3.20 s of CPU time`.
    pub fn text(self) -> String {
        match self {
            Self::Duration(seconds) => format!("it lasted {seconds:.2} s"),
            Self::CpuTime(seconds) => format!("it used {seconds:.2} s of CPU time"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::power::RuntimeThreadTimes;

    /// On a busy machine: three times as long, and the same CPU time.
    #[test]
    fn a_session_that_waited_for_a_core_is_the_same_to_a_meter_of_cpu_time() {
        let threads = RuntimeThreadTimes { process_s: 2.6, compiler_s: 0.5, collector_s: 0.1 };
        let session =
            MeasuredSession { duration_s: 6.0, threads: Some(threads), ..Default::default() };
        let by_cpu_time = ComparedTime::of(&session, "software");
        assert_eq!(by_cpu_time.text(), "it used 2.00 s of CPU time");
        assert!(!by_cpu_time.is_off(2.0, 0.25) && by_cpu_time.is_off(3.0, 0.25));
        let by_duration = ComparedTime::of(&session, "rapl");
        assert_eq!(by_duration.text(), "it lasted 6.00 s");
        assert!(by_duration.is_off(2.0, 0.25));
        let unknown = MeasuredSession { threads: None, ..session };
        assert_eq!(ComparedTime::of(&unknown, "software"), ComparedTime::Duration(6.0));
    }

    /// A tick more or less of a process that hardly ran is no difference.
    #[test]
    fn ticks_of_the_kernel_are_no_difference() {
        let time = ComparedTime::CpuTime(0.03);
        assert!(!time.is_off(0.02, 0.25) && time.is_off(0.08, 0.25));
        assert!(ComparedTime::Duration(0.03).is_off(0.02, 0.25));
    }
}
