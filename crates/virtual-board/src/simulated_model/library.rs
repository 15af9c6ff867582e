//! Library table: costs of calls into code that is not the application's, as a base per call and a
//! cost per unit of an amount measured at the call.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Deserialize;

use super::error::SimulatedModelError;

/// The table that comes with the program.
const BUILT_IN: &str = include_str!("../../datasets/simulated-models/library.toml");

/// Costs of library functions, as read and checked.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LibraryTable {
    unlisted: UnlistedCost,
    objects: BTreeMap<String, u64>,
    functions: BTreeMap<String, LibraryCost>,
}

/// Cost of a function or class without an entry.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct UnlistedCost {
    base_min_j: f64,
    base_max_j: f64,
    object_bytes: u64,
}

/// Cost of one library function.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LibraryCost {
    /// Joules per call.
    pub base_j: f64,
    /// Joules per unit.
    #[serde(default)]
    pub per_unit_j: f64,
    /// Unit of the cost; absent if the cost does not depend on an amount.
    pub unit: Option<CallAmount>,
    /// Bytes allocated per call.
    #[serde(default)]
    pub allocates: u64,
    /// Bytes allocated per unit.
    #[serde(default)]
    pub allocates_per_unit: u64,
}

/// Amount at a call that its cost is proportional to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CallAmount {
    /// The last argument, an int.
    Amount,
    /// The last two arguments: end less start.
    Range,
    /// The size of the last argument.
    Argument,
    /// The size of the value before the last argument, or of the receiver.
    Below,
    /// The size of the result.
    Result,
}

impl LibraryTable {
    /// Reads a library table.
    ///
    /// # Errors
    /// Text that is not TOML, unknown keys, costs that are not from 0 to 1 joule, a
    /// cost per unit without a unit.
    pub fn from_toml(text: &str) -> Result<Self, SimulatedModelError> {
        let table: Self = toml::from_str(text).map_err(|e| table_error(e.to_string()))?;
        for (name, function) in &table.functions {
            let per_unit = function.per_unit_j > 0.0 || function.allocates_per_unit > 0;
            if !is_energy(function.base_j) || !is_energy(function.per_unit_j) {
                return Err(table_error(format!("\"{name}\": a cost is not from 0 to 1 joule")));
            }
            if per_unit && function.unit.is_none() {
                return Err(table_error(format!("\"{name}\" has a cost per unit and no unit")));
            }
        }
        let unlisted = &table.unlisted;
        if !is_energy(unlisted.base_min_j) || !is_energy(unlisted.base_max_j - unlisted.base_min_j)
        {
            return Err(table_error("[unlisted]: base_min_j to base_max_j is no range".into()));
        }
        Ok(table)
    }

    /// The table that comes with the program.
    ///
    /// # Panics
    /// Never: a test reads the built-in file.
    #[must_use]
    pub fn built_in() -> Self {
        Self::from_toml(BUILT_IN).expect("the built-in library table is checked by a test")
    }

    /// Cost of a call as the agent names it, `java.lang.Math.max(int,int)`: the entry with the
    /// parameter types, else the one without, else the default.
    #[must_use]
    pub fn function(&self, call: &str) -> LibraryCost {
        let name = without_parameters(call);
        let listed = self.functions.get(call).or_else(|| self.functions.get(name));
        listed.copied().unwrap_or_else(|| self.default_cost(name))
    }

    /// Bytes of an object of a library class, without what its constructor allocates.
    #[must_use]
    pub(crate) fn object_bytes(&self, class: &str) -> u64 {
        self.objects.get(class).copied().unwrap_or(self.unlisted.object_bytes)
    }

    /// Lines `FUNCTION<tab>UNIT` of the functions with a unit, which the agent reads.
    #[must_use]
    pub(super) fn unit_lines(&self) -> String {
        let mut lines = String::new();
        for (name, function) in &self.functions {
            if let Some(unit) = function.unit {
                let unit = format!("{unit:?}").to_lowercase();
                writeln!(lines, "{name}\t{unit}").expect("a string takes every write");
            }
        }
        lines
    }

    /// Default cost of a function without an entry, pseudo-random by its name; 0 for constructors.
    fn default_cost(&self, name: &str) -> LibraryCost {
        let UnlistedCost { base_min_j, base_max_j, .. } = self.unlisted;
        let place = (fnv1a(name) % 1024) as f64 / 1024.0;
        let base_j = if name.ends_with(".<init>") {
            0.0
        } else {
            base_min_j + (base_max_j - base_min_j) * place
        };
        LibraryCost { base_j, per_unit_j: 0.0, unit: None, allocates: 0, allocates_per_unit: 0 }
    }
}

/// Name of a call without its parameter types.
pub(super) fn without_parameters(call: &str) -> &str {
    call.split_once('(').map_or(call, |(name, _)| name)
}

/// Whether a value is an energy from 0 to 1 J.
fn is_energy(joules: f64) -> bool {
    (0.0..=1.0).contains(&joules)
}

/// The FNV-1a hash, so that defaults are the same everywhere.
fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn table_error(problem: String) -> SimulatedModelError {
    SimulatedModelError::Table { file: "the library table".into(), problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overload_of_its_own_stands_before_the_name() {
        let table = LibraryTable::built_in();
        let element = table.function("java.nio.FloatBuffer.put(int,float)");
        let bulk = table.function("java.nio.FloatBuffer.put(java.nio.FloatBuffer)");
        assert_eq!(element.unit, None);
        assert_eq!(bulk.unit, Some(CallAmount::Argument));
        let get = table.function("java.nio.FloatBuffer.get(int)");
        assert!(bulk.per_unit_j * 50.0 < element.base_j + get.base_j, "bulk is far cheaper");
    }

    #[test]
    fn an_unlisted_function_has_a_cost_by_its_name() {
        let table = LibraryTable::built_in();
        let cost = |call| table.function(call).base_j;
        // FNV-1a of "a" is 0xaf63dc4c8601ec8c: 0x08c = 140 of 1024
        assert_eq!(fnv1a("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(cost("a"), 3e-8 + 2.7e-7 * 140.0 / 1024.0);
        assert_eq!(cost("x.Y.z(int)"), cost("x.Y.z(long)"));
        assert_eq!(cost("x.Y.<init>(int)"), 0.0);
    }

    #[test]
    fn wrong_tables_are_refused() {
        let head = "[unlisted]\nbase_min_j = 0.0\nbase_max_j = 0.1\nobject_bytes = 16\n";
        for (rest, expected) in [
            ("[objects]\n[functions]\n\"a\" = { base_j = 2.0 }", "\"a\": a cost"),
            ("[objects]\n[functions]\n\"a\" = { base_j = 0.1, per_unit_j = 0.1 }", "no unit"),
            ("[objects]\n[functions]\n\"a\" = { base = 0.1 }", "unknown field"),
            ("[objects]\n[functions]\n\"a\" = { base_j = 0.1, unit = \"ell\" }", "unknown variant"),
            ("[objects]", "missing field"),
        ] {
            let error = LibraryTable::from_toml(&format!("{head}{rest}")).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn the_agent_gets_the_units() {
        let lines = LibraryTable::built_in().unit_lines();
        assert!(lines.contains("java.lang.System.arraycopy\tamount\n"), "{lines}");
        assert!(!lines.contains("java.lang.Math"));
    }
}
