//! Inside one JVM: what the agent says (Jalen's part of e-Surgeon) -> energy per thread,
//! method and class. The agent collects sums and computes nothing; differences, cuts and
//! shares are made here.

mod difference;
mod lighten;
mod power;
mod protocol;

pub use difference::{JvmCycle, JvmMethod, JvmState, JvmThreadCycle, MethodCycle};
pub use lighten::{Lighten, Relief};
pub use power::{JvmPower, MethodPower, ThreadPower, jvm_power};
pub use protocol::{
    ENDED, Figures, Greeting, JvmCallNode, JvmReading, ProtocolError, SampledFigures, Way,
    parse_greeting, parse_reading,
};
