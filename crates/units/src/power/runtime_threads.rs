//! CPU times of a Java runtime's own threads, as lines of a session's log: the JIT compilers'
//! and the garbage collector's, beside those of the whole process.

use std::fmt;

use serde::{Deserialize, Serialize};

/// CPU seconds of a process by kind of thread, since its start or between two markers.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct RuntimeThreadTimes {
    /// CPU seconds of all threads, those that ended included.
    pub process_s: f64,
    /// CPU seconds of the JIT compilers' threads.
    pub compiler_s: f64,
    /// CPU seconds of the garbage collector's threads, with the one that its pauses run in.
    pub collector_s: f64,
}

/// Parts of an energy above idle that runtime threads spend, each 0..1; together at most 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RuntimeShares {
    /// Part of the JIT compilers' threads.
    pub compiler: f64,
    /// Part of the garbage collector's threads.
    pub collector: f64,
}

impl RuntimeShares {
    /// Returns the rest, the application's part.
    pub fn application(self) -> f64 {
        1.0 - self.compiler - self.collector
    }
}

/// Start of a log line with these times.
const WORD: &str = "threads ";

impl fmt::Display for RuntimeThreadTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { process_s, compiler_s, collector_s } = self;
        write!(
            f,
            "{WORD}process_s={process_s:.2} compiler_s={compiler_s:.6} collector_s={collector_s:.6}"
        )
    }
}

impl RuntimeThreadTimes {
    /// Reads a message of the log; `None` for any other message.
    pub fn parse(message: &str) -> Option<Self> {
        let mut words = message.strip_prefix(WORD)?.split_ascii_whitespace();
        let mut next = |name: &str| {
            let value = words.next()?.strip_prefix(name)?.strip_prefix('=')?;
            value.parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0)
        };
        let (process_s, compiler_s) = (next("process_s")?, next("compiler_s")?);
        Some(Self { process_s, compiler_s, collector_s: next("collector_s")? })
    }

    /// Returns the CPU times spent since an earlier reading.
    pub fn since(&self, earlier: &Self) -> Self {
        let grown = |now: f64, then: f64| (now - then).max(0.0);
        Self {
            process_s: grown(self.process_s, earlier.process_s),
            compiler_s: grown(self.compiler_s, earlier.compiler_s),
            collector_s: grown(self.collector_s, earlier.collector_s),
        }
    }

    /// Returns the parts of the process's CPU time; `None` of a process that had none.
    pub fn shares(&self) -> Option<RuntimeShares> {
        // The process's are whole ticks: the threads' may be a tick more.
        let all = self.process_s.max(self.compiler_s + self.collector_s);
        (all > 0.0).then(|| RuntimeShares {
            compiler: self.compiler_s / all,
            collector: self.collector_s / all,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn other_lines_are_no_times() {
        for text in ["uptime 3.00", "threads", "threads process_s=1", "threads process_s=x"] {
            assert_eq!(RuntimeThreadTimes::parse(text), None, "{text}");
        }
        let negative = "threads process_s=1 compiler_s=-1 collector_s=0";
        assert_eq!(RuntimeThreadTimes::parse(negative), None);
    }

    #[test]
    fn a_process_without_time_has_no_shares() {
        assert_eq!(RuntimeThreadTimes::default().shares(), None);
    }

    proptest! {
        #[test]
        fn lines_read_back(ticks in prop::array::uniform3(0_u32..1_000_000)) {
            let [process_s, compiler_s, collector_s] = ticks.map(|n| f64::from(n) / 100.0);
            let [compiler_s, collector_s] = [compiler_s, collector_s].map(|s| s / 1e4);
            let times = RuntimeThreadTimes { process_s, compiler_s, collector_s };
            let read = RuntimeThreadTimes::parse(&times.to_string()).unwrap();
            prop_assert!((read.process_s - process_s).abs() < 1e-9);
            prop_assert!((read.compiler_s - compiler_s).abs() < 1e-9);
            prop_assert!((read.collector_s - collector_s).abs() < 1e-9);
        }

        #[test]
        fn shares_are_parts_of_a_whole(ticks in prop::array::uniform3(0_u32..1000)) {
            let [process_s, compiler_s, collector_s] = ticks.map(f64::from);
            if let Some(shares) = (RuntimeThreadTimes { process_s, compiler_s, collector_s }).shares() {
                prop_assert!(shares.application() >= -1e-12 && shares.application() <= 1.0);
            }
        }

        #[test]
        fn no_text_panics(text in "(threads )?[ -~]{0,80}") {
            let _ = RuntimeThreadTimes::parse(&text);
        }
    }
}
