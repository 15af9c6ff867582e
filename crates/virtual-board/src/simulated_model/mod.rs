//! Simulated energy model of the virtual board: counts of the code that an application's JVM
//! executes, and its energy.
//!
//! A Java agent counts executed bytecode blocks in `counters.bin` and describes each counter in
//! `map.txt`; both lie in the session's folder. Energy is computed here, outside the JVM, by one
//! of two families of models: counts times a cost file (`additive`), or with the effects of
//! compilers and caches (`compiled`). This
//! module shares no code with the Java parser, the operations or the probes, and
//! no stage but evaluation reads the ground truth it writes.

mod accounting;
mod additive;
mod agent;
mod asm;
mod compiled;
mod cost;
mod error;
mod family;
mod ground_truth;
mod interface;
mod library;
mod map;
mod names;
mod options;
mod price;
mod process_counters;
mod share;
mod symbols;

use std::path::Path;

pub use agent::agent_options;
pub(crate) use agent::{build_key, cache_dir, compile_jar, jar_or_copy};
pub use cost::{CostTable, RASPBERRY_PI_5};
pub use error::SimulatedModelError;
pub use family::SimulatedModelFamily;
pub use interface::{SimulatedModel, Usage};
pub use library::{CallAmount, LibraryCost, LibraryTable};
use options::DEVICE;
pub use options::{AgentOptions, FetchAsm, SimulatedModelOptions};
pub use share::{CallFrame, CodeOrigin, ExecutedCode, MethodName, ReadingShare};

/// Simulated energy model of the process whose agent writes to `session_dir`. The agent need not
/// have started.
///
/// # Errors
/// A device that the cost file lacks or that a compiled model cannot have, a multiplier that is
/// not above 0.
pub fn open(
    session_dir: &Path,
    costs: &CostTable,
    options: &SimulatedModelOptions,
) -> Result<Box<dyn SimulatedModel>, SimulatedModelError> {
    let prices = price::DevicePrices::new(costs, LibraryTable::built_in(), options)?;
    match options.family {
        SimulatedModelFamily::Additive => Ok(Box::new(process_counters::ProcessCounters::new(
            session_dir,
            additive::AdditiveModel::new(prices),
        ))),
        SimulatedModelFamily::Compiled(_) if options.device != DEVICE => {
            let device = options.device.clone();
            Err(SimulatedModelError::Device {
                device,
                known: format!("{DEVICE} alone, being compiled"),
            })
        }
        SimulatedModelFamily::Compiled(seed) => {
            let chip = compiled::CompiledModel::new(seed, options.multiplier, options.ahead);
            Ok(Box::new(process_counters::ProcessCounters::new(session_dir, chip)))
        }
    }
}
