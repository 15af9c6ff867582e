//! Inside one JVM: what the agent says (Jalen's part of e-Surgeon) -> energy per thread,
//! method and class. The agent collects sums and computes nothing; differences, cuts and
//! shares are made here.

mod difference;
mod fold;
mod power;
mod protocol;

pub use difference::{JvmCycle, JvmState, Method, MethodCycle, ThreadCycle};
pub use fold::{CLOCK_NS, PROBE_NS, to_fold};
pub use power::{JvmPower, MethodPower, ThreadPower, jvm_power};
pub use protocol::{Figures, Greeting, ProtocolError, Reading, Way, parse_greeting, parse_reading};
