//! How chips and their agents are chosen.

use std::path::PathBuf;

use super::family::SimulatedModelFamily;

/// Brings the jars of ASM's core and tree packages, new enough for the JDK's classes; none
/// when it can't.
pub type FetchAsm = fn() -> Option<Vec<PathBuf>>;

/// How the agent is built and what it counts.
#[derive(Debug, Clone, Default)]
pub struct AgentOptions {
    /// Jars and folders whose classes are the application; empty means the whole
    /// class path of the JVM.
    pub application: Vec<PathBuf>,
    /// Wall-clock milliseconds (Unix epoch) when the board's clock was zero:
    /// `System.currentTimeMillis` is this plus the clock.
    pub boot_epoch_ms: u64,
    /// Where built agents are kept; none means the user's cache folder.
    pub cache_dir: Option<PathBuf>,
    /// What brings ASM; none leaves what is installed on this machine.
    pub fetch_asm: Option<FetchAsm>,
    /// The family of the chip that is counted for.
    pub family: SimulatedModelFamily,
    /// Whether code is compiled before it is started: of the compiled family.
    pub ahead: bool,
    /// What the agent says first to the clock, so that this knows it; none says nothing.
    pub clock_word: Option<String>,
    /// A folder for copies of all jars, for a JVM of a user to whom the cache is closed.
    pub lent: Option<PathBuf>,
}

/// Which chip the counts are priced for.
#[derive(Debug, Clone)]
pub struct SimulatedModelOptions {
    /// The family of chips.
    pub family: SimulatedModelFamily,
    /// The device level of the cost file, as "Device 1": of the additive family.
    pub device: String,
    /// Every cost is multiplied by this.
    pub multiplier: f64,
    /// Whether code is compiled before it is started: of the compiled family.
    pub ahead: bool,
}

/// The device whose effects the cost file's patterns have by default.
pub(super) const DEVICE: &str = "Device 1";

impl Default for SimulatedModelOptions {
    fn default() -> Self {
        Self {
            family: SimulatedModelFamily::Additive,
            device: DEVICE.into(),
            multiplier: 1.0,
            ahead: false,
        }
    }
}
