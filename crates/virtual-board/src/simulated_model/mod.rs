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
mod interface;
mod library;
mod map;
mod names;
mod options;
mod price;
mod share;
mod symbols;
mod truth;

use std::path::Path;

pub use agent::agent_options;
pub(crate) use agent::{cache_dir, compile, key, lend};
pub use cost::{CostTable, RASPBERRY_PI_5};
pub use error::SimulatedModelError;
pub use family::SimulatedModelFamily;
pub use interface::{SimulatedModel, Usage};
pub use library::{CallAmount, LibraryCost, LibraryTable};
use options::DEVICE;
pub use options::{AgentOptions, FetchAsm, SimulatedModelOptions};
pub use share::{CallFrame, CodeOrigin, ExecutedCode, MethodName, ReadingShare};

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
