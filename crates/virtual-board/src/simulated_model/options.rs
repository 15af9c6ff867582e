//! Options of simulated energy models and their agents.

use std::path::PathBuf;

use super::family::SimulatedModelFamily;

/// Function that brings the jars of ASM's core and tree packages, new enough for the JDK's classes;
/// `None` when it cannot.
pub type FetchAsm = fn() -> Option<Vec<PathBuf>>;

/// Options of the agent: what it counts and how it is built.
#[derive(Debug, Clone, Default)]
pub struct AgentOptions {
    /// Jars and folders with the application's classes; empty means the whole class path of the
    /// JVM.
    pub application: Vec<PathBuf>,
    /// Wall-clock milliseconds (Unix epoch) when the board's clock was zero:
    /// `System.currentTimeMillis` is this plus the clock.
    pub boot_epoch_ms: u64,
    /// Cache folder of built agents; `None` means the user's.
    pub cache_dir: Option<PathBuf>,
    /// Function that brings ASM; `None` takes an installed one.
    pub fetch_asm: Option<FetchAsm>,
    /// Family of the model that the agent counts for.
    pub family: SimulatedModelFamily,
    /// Whether code is compiled before it is started; for the compiled family.
    pub ahead: bool,
    /// Secret that the agent sends to the clock first; `None` sends none.
    pub clock_word: Option<String>,
    /// Folder for copies of all jars, for a JVM of a user who cannot read the cache.
    pub lent: Option<PathBuf>,
}

/// Options of a simulated energy model: family, device, multiplier.
#[derive(Debug, Clone)]
pub struct SimulatedModelOptions {
    /// Family of the model.
    pub family: SimulatedModelFamily,
    /// Device level of the cost file, like "Device 1"; for the additive family.
    pub device: String,
    /// Factor on every cost.
    pub multiplier: f64,
    /// Whether code is compiled before it is started; for the compiled family.
    pub ahead: bool,
}

/// Default device of the cost file.
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
