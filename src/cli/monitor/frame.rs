//! One frame of the monitor: a cycle of the machine and, with a JVM, what its methods did.

use crate::attribution::monitor::Cycle;
use crate::attribution::monitor::jvm::{JvmCycle, JvmPower};
use crate::recording::JvmCycleData;

use super::jvm::Jvm;

/// Cycle of the monitor: that of the machine and that of the JVM.
pub struct MonitorInterval {
    /// Its number, from 1.
    pub number: u64,
    /// The machine's part.
    pub cycle: Cycle,
    /// The JVM's part.
    pub jvm: Option<JvmInterval>,
}

/// Cycle of a JVM with its energies.
pub struct JvmInterval {
    /// What its methods did.
    pub cycle: JvmCycle,
    /// What that cost.
    pub power: JvmPower,
}

impl JvmInterval {
    /// With the JVM that it is of.
    pub fn seen<'j>(&'j self, jvm: &'j Jvm) -> JvmCycleData<'j> {
        let JvmInterval { cycle, power } = self;
        JvmCycleData { pid: jvm.pid, way: jvm.way, state: &jvm.state, cycle, power }
    }
}
