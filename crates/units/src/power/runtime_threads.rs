//! CPU times of a runtime's own threads, as lines of a session's log: the compilers'
//! and the collector's, beside those of the whole process.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Processor seconds of a process, or what they grew by between two marks.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct RuntimeThreads {
    /// All threads, those that ended included.
    pub process_s: f64,
    /// The compilers' threads.
    pub compiler_s: f64,
    /// The garbage collector's threads, with the one that its pauses run in.
    pub collector_s: f64,
}

/// What part of an energy above idle runtime threads have, each 0..1; together at most 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RuntimeShares {
    /// The compilers'.
    pub compiler: f64,
    /// The garbage collector's.
    pub collector: f64,
}

impl RuntimeShares {
    /// The rest: the application's own part.
    pub fn application(self) -> f64 {
        1.0 - self.compiler - self.collector
    }
}

/// Before the figures of a log line.
const WORD: &str = "threads ";

impl fmt::Display for RuntimeThreads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { process_s, compiler_s, collector_s } = self;
        write!(
            f,
            "{WORD}process_s={process_s:.2} compiler_s={compiler_s:.6} collector_s={collector_s:.6}"
        )
    }
}

impl RuntimeThreads {
    /// Reads a message of the log; none for one that says something else.
    pub fn parse(message: &str) -> Option<Self> {
        let mut words = message.strip_prefix(WORD)?.split_ascii_whitespace();
        let mut next = |name: &str| {
            let value = words.next()?.strip_prefix(name)?.strip_prefix('=')?;
            value.parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0)
        };
        let (process_s, compiler_s) = (next("process_s")?, next("compiler_s")?);
        Some(Self { process_s, compiler_s, collector_s: next("collector_s")? })
    }

    /// What was spent since an earlier reading.
    pub fn since(&self, earlier: &Self) -> Self {
        let grown = |now: f64, then: f64| (now - then).max(0.0);
        Self {
            process_s: grown(self.process_s, earlier.process_s),
            compiler_s: grown(self.compiler_s, earlier.compiler_s),
            collector_s: grown(self.collector_s, earlier.collector_s),
        }
    }

    /// The parts of the process's time; none of a process that had no time.
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
            assert_eq!(RuntimeThreads::parse(text), None, "{text}");
        }
        let negative = "threads process_s=1 compiler_s=-1 collector_s=0";
        assert_eq!(RuntimeThreads::parse(negative), None);
    }

    #[test]
    fn a_process_without_time_has_no_shares() {
        assert_eq!(RuntimeThreads::default().shares(), None);
    }

    proptest! {
        #[test]
        fn lines_read_back(ticks in prop::array::uniform3(0_u32..1_000_000)) {
            let [process_s, compiler_s, collector_s] = ticks.map(|n| f64::from(n) / 100.0);
            let [compiler_s, collector_s] = [compiler_s, collector_s].map(|s| s / 1e4);
            let times = RuntimeThreads { process_s, compiler_s, collector_s };
            let read = RuntimeThreads::parse(&times.to_string()).unwrap();
            prop_assert!((read.process_s - process_s).abs() < 1e-9);
            prop_assert!((read.compiler_s - compiler_s).abs() < 1e-9);
            prop_assert!((read.collector_s - collector_s).abs() < 1e-9);
        }

        #[test]
        fn shares_are_parts_of_a_whole(ticks in prop::array::uniform3(0_u32..1000)) {
            let [process_s, compiler_s, collector_s] = ticks.map(f64::from);
            if let Some(shares) = (RuntimeThreads { process_s, compiler_s, collector_s }).shares() {
                prop_assert!(shares.application() >= -1e-12 && shares.application() <= 1.0);
            }
        }

        #[test]
        fn no_text_panics(text in "(threads )?[ -~]{0,80}") {
            let _ = RuntimeThreads::parse(&text);
        }
    }
}
