//! The simulated energy model of the virtual board: what the application's JVM really executed,
//! and the energy it spent.
//!
//! A Java agent counts executed bytecode blocks in `counters.bin` and says in
//! `map.txt` what each counter stands for; both lie in the session's folder.
//! Energy is computed here, outside the JVM, by one of two families of chips: counts
//! times a cost file (`additive`), or as compilers and caches leave it (`compiled`). This
//! module shares no code with the Java parser, the operations or the probes, and
//! no stage but evaluation reads the ground truth it writes.

mod accounting;
mod additive;
mod agent;
mod asm;
mod chip;
mod compiled;
mod cost;
mod error;
mod family;
mod library;
mod map;
mod names;
mod price;
mod share;
mod symbols;
mod truth;

use std::io;
use std::path::{Path, PathBuf};

pub use agent::agent_options;
pub(crate) use agent::{cache_dir, compile, key, lend};
pub use cost::{CostTable, RASPBERRY_PI_5};
pub use error::SimulatedModelError;
pub use family::SimulatedModelFamily;
pub use library::{CallAmount, LibraryCost, LibraryTable};
pub use share::{CallFrame, CodeOrigin, ExecutedCode, MethodName, ReadingShare};

/// What the application used since the last reading.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usage {
    /// Dynamic energy of the executed code in joules, at the reference voltage.
    pub energy_j: f64,
    /// Bytes the application allocated on the heap.
    pub allocated_bytes: u64,
}

/// A chip that counts what a process executes.
pub trait SimulatedModel: Send {
    /// Reads the counters; the usage since the last call. The agent brings the
    /// counters up to date before each message on the clock's connection.
    fn advance(&mut self) -> Usage;

    /// Which code the energy of the last reading went to.
    fn shares(&self) -> Vec<ReadingShare>;

    /// The frames of a code, the innermost first; none of the compiler, which is not the
    /// application's.
    fn frames(&self, code: ExecutedCode) -> Vec<CallFrame>;

    /// Writes the ground truth so far: `lines.csv`, `methods.csv`, `patterns.csv`,
    /// `library.csv` and `total.csv` in `dir`, which is created.
    ///
    /// # Errors
    /// Files that can't be written, or counters that couldn't be read.
    fn write_truth(&mut self, dir: &Path) -> io::Result<()>;
}

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
const DEVICE: &str = "Device 1";

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

/// The simulated energy model of the process whose agent writes to `session_dir`. The agent need
/// not have started.
///
/// # Errors
/// A device that the cost file does not know or a compiled chip has not, a multiplier that
/// is not above 0.
pub fn open(
    session_dir: &Path,
    costs: &CostTable,
    options: &SimulatedModelOptions,
) -> Result<Box<dyn SimulatedModel>, SimulatedModelError> {
    let prices = price::DevicePrices::new(costs, LibraryTable::built_in(), options)?;
    match options.family {
        SimulatedModelFamily::Additive => Ok(Box::new(chip::ProcessCounters::new(
            session_dir,
            additive::AdditiveChip::new(prices),
        ))),
        SimulatedModelFamily::Compiled(_) if options.device != DEVICE => {
            let device = options.device.clone();
            Err(SimulatedModelError::Device {
                device,
                known: format!("{DEVICE} alone, being compiled"),
            })
        }
        SimulatedModelFamily::Compiled(seed) => {
            let chip = compiled::CompiledChip::new(seed, options.multiplier, options.ahead);
            Ok(Box::new(chip::ProcessCounters::new(session_dir, chip)))
        }
    }
}

fn invalid(problem: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, problem)
}
