//! Price of a pattern in the additive model: energy in attojoules and bytes allocated.

use super::cost::{CostTable, attojoules};
use super::error::SimulatedModelError;
use super::library::LibraryTable;
use super::options::SimulatedModelOptions;

/// Cost of one execution.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Price {
    /// Attojoules.
    pub energy: u64,
    /// Bytes allocated on the heap.
    pub bytes: u64,
}

/// Cost file and library table for one device.
#[derive(Debug, Clone)]
pub(super) struct DevicePrices {
    costs: CostTable,
    library: LibraryTable,
    device_j: f64,
    multiplier: f64,
}

impl DevicePrices {
    /// Prices for the device and the multiplier of the options.
    ///
    /// # Errors
    /// A device that the cost file lacks, a multiplier that is not above 0.
    pub fn new(
        costs: &CostTable,
        library: LibraryTable,
        options: &SimulatedModelOptions,
    ) -> Result<Self, SimulatedModelError> {
        let multiplier = options.multiplier;
        if !(multiplier > 0.0 && multiplier <= 1e6) {
            let problem = format!("the cost multiplier {multiplier} is not above 0 and up to 1e6");
            return Err(SimulatedModelError::Table {
                file: "the simulated energy model's options".into(),
                problem,
            });
        }
        let device_j = costs.device(&options.device)?;
        Ok(Self { costs: costs.clone(), library, device_j, multiplier })
    }

    /// Price of a pattern as the agent writes it; `None` if it is unknown.
    pub fn price(&self, pattern: &str) -> Option<Price> {
        let energy = |joules: f64| attojoules(joules * self.multiplier);
        if pattern == "bytes" {
            return Some(Price { energy: 0, bytes: 1 });
        }
        if pattern == "array" {
            let joules = self.costs.cost("assumed:array byte", self.device_j)?;
            return Some(Price { energy: energy(joules), bytes: 1 });
        }
        let (form, rest) = pattern.split_once(':')?;
        Some(match form {
            "new" => Price { energy: 0, bytes: self.library.object_bytes(rest) },
            "call" => {
                let function = self.library.function(rest);
                Price { energy: energy(function.base_j), bytes: function.allocates }
            }
            "units" => {
                let function = self.library.function(rest);
                Price { energy: energy(function.per_unit_j), bytes: function.allocates_per_unit }
            }
            _ => Price { energy: energy(self.costs.cost(pattern, self.device_j)?), bytes: 0 },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(pattern: &str, multiplier: f64) -> Option<Price> {
        let options = SimulatedModelOptions { multiplier, ..SimulatedModelOptions::default() };
        let prices =
            DevicePrices::new(&CostTable::raspberry_pi_5(), LibraryTable::built_in(), &options)
                .unwrap();
        prices.price(pattern)
    }

    #[test]
    fn an_int_array_of_one_element_is_423_586_pj_and_24_bytes() {
        let parts = ["op:Array allocation/int", "size:Constant"].map(|p| price(p, 1.0).unwrap());
        assert_eq!((parts[0].energy + parts[1].energy) / 1_000_000, 423_586);
        assert_eq!(price("bytes", 1.0), Some(Price { energy: 0, bytes: 1 }));
    }

    #[test]
    fn the_multiplier_scales_energy_only() {
        let once = price("array", 1.0).unwrap();
        let ten = price("array", 10.0).unwrap();
        assert_eq!((ten.energy, ten.bytes), (once.energy * 10, once.bytes));
        assert_eq!(price("what:ever", 1.0), None);
    }

    #[test]
    fn a_multiplier_that_is_none_is_refused() {
        for multiplier in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let options = SimulatedModelOptions { multiplier, ..SimulatedModelOptions::default() };
            let table = CostTable::raspberry_pi_5();
            assert!(DevicePrices::new(&table, LibraryTable::built_in(), &options).is_err());
        }
    }
}
