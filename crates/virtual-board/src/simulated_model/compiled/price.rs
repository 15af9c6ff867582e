//! What one execution of a pattern spends, in a state of its method.

use std::io;

use super::super::cost::attojoules;
use super::super::error::invalid;
use super::super::library::without_parameters;
use super::super::map::{MethodState, When};
use super::CompiledChip;
use super::caches::RegionId;

/// What one count of it spends.
#[derive(Debug, Clone, Copy)]
pub(super) struct PricedItem {
    /// What it is added to.
    pub cell: usize,
    /// How often it is executed.
    pub count: u64,
    /// Attojoules of each.
    pub energy: u64,
    /// Bytes that each allocates.
    pub bytes: u64,
    /// What each does to memory.
    pub memory: MemoryAccess,
}

/// What an item does to memory.
#[derive(Debug, Clone, Copy)]
pub(super) enum MemoryAccess {
    Nothing,
    /// So many bytes of a region are touched.
    Touch(RegionId, u64),
    /// A region grows by a byte.
    Grow(RegionId),
}

/// Whether an item is executed in a state of its method.
pub(super) fn happens(when: When, state: MethodState) -> bool {
    match when {
        When::Always => true,
        When::Interpreted => state == MethodState::Interpreted,
        When::Compiled => state != MethodState::Interpreted,
        When::Called => state != MethodState::Inlined,
    }
}

impl CompiledChip {
    /// Whole attojoules of an energy, as this chip multiplies them.
    pub(super) fn attojoules(&self, joules: f64) -> u64 {
        attojoules(joules * self.multiplier)
    }

    /// The price of a pattern in a state of its method, with the place's factor.
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
            let bytes = bytes.parse().map_err(|_| invalid(format!("\"{text}\" has no size")))?;
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
                    invalid(format!("the agent's pattern \"{text}\" has no range of costs"))
                })?;
                let bytes = u64::from(text == "array");
                Ok(PricedItem { energy: self.attojoules(joules * factor), bytes, ..free })
            }
        }
    }

    /// A library function is compiled code whose cost nobody knows beforehand: one factor for
    /// its calls, one for its units.
    fn library_price(&self, form: &str, function: &str, free: PricedItem) -> PricedItem {
        let listed = self.library.function(function);
        let name = without_parameters(function);
        let factor =
            self.draw.factor(self.constants.library_sigma, format!("{form}:{name}").as_bytes());
        let (joules, bytes) = match form {
            "call" => (listed.base_j, listed.allocates),
            _ => (listed.per_unit_j, listed.allocates_per_unit),
        };
        PricedItem { energy: self.attojoules(joules * factor), bytes, ..free }
    }
}
