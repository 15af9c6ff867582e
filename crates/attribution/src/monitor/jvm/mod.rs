//! Inside one JVM: what the agent says (Jalen's part of e-Surgeon) -> energy per thread,
//! method and class. The agent collects sums and computes nothing; differences, cuts and
//! shares are made here.

mod difference;
mod lighten;
mod power;
mod protocol;

pub use difference::{JvmCycle, JvmState, Method, MethodCycle, ThreadCycle};
pub use lighten::{Lighten, Relief};
pub use power::{JvmPower, MethodPower, ThreadPower, jvm_power};
pub use protocol::{
    CallNode, ENDED, Figures, Greeting, ProtocolError, Reading, SampledFigures, Way,
    parse_greeting, parse_reading,
};
