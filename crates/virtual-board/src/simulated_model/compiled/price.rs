//! Price of one execution of a pattern, by the state of its method.

use std::io;

use super::super::cost::attojoules;
use super::super::error::invalid_agent_output;
use super::super::library::without_parameters;
use super::super::map::{ExecutionCondition, MethodState};
use super::CompiledModel;
use super::caches::RegionId;

/// Price of one item of a counter.
#[derive(Debug, Clone, Copy)]
pub(super) struct PricedItem {
    /// Index of the ledger that the energy is added to.
    pub cell: usize,
    /// Executions per count.
    pub count: u64,
    /// Attojoules of one execution.
    pub energy: u64,
    /// Bytes that one execution allocates.
    pub bytes: u64,
    /// Memory access of one execution.
    pub memory: MemoryAccess,
}

/// Effect of an item on memory.
#[derive(Debug, Clone, Copy)]
pub(super) enum MemoryAccess {
    Nothing,
    /// Touch of so many bytes of a region.
    Touch(RegionId, u64),
    /// Growth of a region by a byte.
    Grow(RegionId),
}

/// Whether an item is executed in a state of its method.
pub(super) fn is_executed(when: ExecutionCondition, state: MethodState) -> bool {
    match when {
        ExecutionCondition::Always => true,
        ExecutionCondition::Interpreted => state == MethodState::Interpreted,
        ExecutionCondition::Compiled => state != MethodState::Interpreted,
        ExecutionCondition::Called => state != MethodState::Inlined,
    }
}

impl CompiledModel {
    /// Whole attojoules of an energy, times the model's multiplier.
    pub(super) fn attojoules(&self, joules: f64) -> u64 {
        attojoules(joules * self.multiplier)
    }

    /// Price of a pattern in a state of its method, times the code location's factor.
    pub(super) fn price(
        &mut self,
        pattern: usize,
        state: MethodState,
        factor: f64,
    ) -> io::Result<PricedItem> {
        let text = self.map.patterns[pattern].clone();
        let free =
            PricedItem { cell: 0, count: 0, energy: 0, bytes: 0, memory: MemoryAccess::Nothing };
        let (form, rest) = text.split_once(':').unwrap_or((&text, ""));
        if let Some(bytes) = form.strip_prefix("touch/") {
            let bytes = bytes
                .parse()
                .map_err(|_| invalid_agent_output(format!("\"{text}\" has no size")))?;
            return Ok(PricedItem {
                memory: MemoryAccess::Touch(self.caches.region(rest), bytes),
                ..free
            });
        }
        match form {
            "grow" => {
                Ok(PricedItem { memory: MemoryAccess::Grow(self.caches.region(rest)), ..free })
            }
            "bytes" => Ok(PricedItem { bytes: 1, ..free }),
            "new" => Ok(PricedItem { bytes: self.library.object_bytes(rest), ..free }),
            "call" | "units" => Ok(self.library_price(form, rest, free)),
            _ => {
                let joules = match state {
                    MethodState::Interpreted => self.constants.interpreted_j(&text),
                    MethodState::Compiled | MethodState::Inlined => {
                        self.constants.compiled_j(&text)
                    }
                };
                let joules = joules.ok_or_else(|| {
                    invalid_agent_output(format!(
                        "the agent's pattern \"{text}\" has no range of costs"
                    ))
                })?;
                let bytes = u64::from(text == "array");
                Ok(PricedItem { energy: self.attojoules(joules * factor), bytes, ..free })
            }
        }
    }

    /// Price of a call (`form` "call") or of a unit of a library function: its table cost times a
    /// random factor for calls or for units.
    fn library_price(&self, form: &str, function: &str, free: PricedItem) -> PricedItem {
        let listed = self.library.function(function);
        let name = without_parameters(function);
        let factor = self
            .draw
            .log_normal_factor(self.constants.library_sigma, format!("{form}:{name}").as_bytes());
        let (joules, bytes) = match form {
            "call" => (listed.base_j, listed.allocates),
            _ => (listed.per_unit_j, listed.allocates_per_unit),
        };
        PricedItem { energy: self.attojoules(joules * factor), bytes, ..free }
    }
}
