//! Cost file of the additive model: the energy of each bytecode pattern, as the sum of the effects
//! of its operation, type, size and device (the model of the probabilistic energy profiler for the
//! JVM, equation 2 and appendix A).
//!
//! Prices are whole attojoules, so that sums are exact in any order.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::error::SimulatedModelError;

/// Cost file that comes with the program.
pub const RASPBERRY_PI_5: &str =
    include_str!("../../datasets/simulated-models/raspberry-pi-5.toml");

/// Attojoules in a joule.
pub(super) const ATTOJOULES_PER_JOULE: f64 = 1e18;

/// Attojoules as joules.
pub(super) fn joules(attojoules: u128) -> f64 {
    attojoules as f64 / ATTOJOULES_PER_JOULE
}

/// Levels of each category; a cost file has all of them.
pub(super) const TYPE_LEVELS: &str = "double float int long Reference";
pub(super) const SIZE_LEVELS: &str = "32-bit 64-bit Constant Load Reference";
pub(super) const ASSUMED_OPERATIONS: [&str; 7] =
    ["stack shuffle", "checkcast", "instanceof", "monitor", "athrow", "subroutine", "array byte"];
pub(super) const OPERATION_LEVELS: &str = "Addition;Division;Increase;Multiplication;Negation;Subtraction;Modulo;\
Bit and;Bit complement;Bit or;Bit xor;Left bitshift;Right bitshift;Logical right bitshift;\
d2f;d2i;d2l;f2d;f2i;f2l;i2b;i2c;i2d;i2f;i2l;i2s;l2d;l2f;l2i;\
Array length;Array load;Array store;Array allocation;Object allocation;\
Object get field;Object get static field;Object put field;Object put static field;\
Static method call;Non-static method call;return statement;\
Switch-case consecutive;Switch-case non-consecutive;\
if equal (references);if non-equal (references);if non-null (references);if null (references);\
if equal (numerical data types);if non-equal (numerical data types);\
if greater or equal (numerical data types);if greater (numerical data types);\
if less or equal (numerical data types);if less (numerical data types);\
if equal (int, 0);if non-equal (int, 0);if greater or equal (int, 0);if greater (int, 0);\
if less or equal (int, 0);if less (int, 0);else branch;Variable declaration";

/// Effects in joules by category and level, as read and checked.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostTable {
    /// Name of the table.
    pub name: String,
    operation: BTreeMap<String, f64>,
    #[serde(rename = "type")]
    kind: BTreeMap<String, f64>,
    size: BTreeMap<String, f64>,
    device: BTreeMap<String, f64>,
    assumed: BTreeMap<String, f64>,
}

impl CostTable {
    /// Reads a cost file.
    ///
    /// # Errors
    /// Text that is not TOML, a missing or an unknown key, an effect that is not a
    /// finite number from 0 to 1 joule.
    pub fn from_toml(text: &str) -> Result<Self, SimulatedModelError> {
        let table: Self = toml::from_str(text).map_err(|e| table_error(e.to_string()))?;
        for (category, effects, expected) in [
            ("operation", &table.operation, OPERATION_LEVELS.split(';').collect()),
            ("type", &table.kind, TYPE_LEVELS.split(' ').collect()),
            ("size", &table.size, SIZE_LEVELS.split(' ').collect()),
            ("assumed", &table.assumed, ASSUMED_OPERATIONS.to_vec()),
            ("device", &table.device, table.device.keys().map(String::as_str).collect::<Vec<_>>()),
        ] {
            check_levels(category, effects, &expected).map_err(table_error)?;
            check_effects(category, effects)?;
        }
        Ok(table)
    }

    /// The cost file that comes with the program.
    ///
    /// # Panics
    /// Never: a test reads the built-in file.
    #[must_use]
    pub fn raspberry_pi_5() -> Self {
        Self::from_toml(RASPBERRY_PI_5).expect("the built-in cost file is checked by a test")
    }

    /// The devices of the file, in order.
    pub fn devices(&self) -> impl Iterator<Item = &str> {
        self.device.keys().map(String::as_str)
    }

    /// Effect of a device in joules.
    ///
    /// # Errors
    /// An unknown name.
    pub fn device(&self, name: &str) -> Result<f64, SimulatedModelError> {
        self.device.get(name).copied().ok_or_else(|| SimulatedModelError::Device {
            device: name.to_string(),
            known: self.devices().collect::<Vec<_>>().join(", "),
        })
    }

    /// Joules of one execution of a pattern, given the device's effect; `None` if the text is no
    /// pattern of the file. The texts are the agent's:
    ///
    /// - `op:OPERATION[/TYPE[/SIZE]]`: a head opcode, with the device's effect
    /// - `size:SIZE`: an operand load or constant
    /// - `return:TYPE`: a value return, which is the table's "return statement"
    ///   (measured with its call) less its "Static call"; the device cancels
    /// - `assumed:NAME`: an opcode the table has no pattern for
    #[must_use]
    pub fn cost(&self, pattern: &str, device_j: f64) -> Option<f64> {
        let (form, rest) = pattern.split_once(':')?;
        match form {
            "op" => Some(self.operation_cost(rest)? + device_j),
            "size" => self.size.get(rest).copied(),
            "return" => Some(self.value_return_cost() + self.kind.get(rest)?),
            "assumed" => self.assumed.get(rest).copied(),
            _ => None,
        }
    }

    /// Joules of `OPERATION[/TYPE[/SIZE]]`, without the device's effect.
    fn operation_cost(&self, text: &str) -> Option<f64> {
        let mut parts = text.splitn(3, '/');
        let operation = self.operation.get(parts.next()?)?;
        let kind = parts.next().map_or(Some(&0.0), |level| self.kind.get(level))?;
        let size = parts.next().map_or(Some(&0.0), |level| self.size.get(level))?;
        Some(operation + kind + size)
    }

    /// Joules of a return statement without its static call.
    fn value_return_cost(&self) -> f64 {
        let effect = |name| self.operation.get(name).copied().unwrap_or(0.0);
        (effect("return statement") - effect("Static method call")).max(0.0)
    }
}

/// Checks that a category has every expected level and no other; else a message.
pub(super) fn check_levels<T>(
    category: &str,
    found: &BTreeMap<String, T>,
    expected: &[&str],
) -> Result<(), String> {
    if let Some(unknown) = found.keys().find(|key| !expected.contains(&key.as_str())) {
        return Err(format!("unknown key \"{unknown}\" in [{category}]"));
    }
    match expected.iter().find(|key| !found.contains_key(**key)) {
        Some(missing) => Err(format!("[{category}] lacks \"{missing}\"")),
        None => Ok(()),
    }
}

/// Checks that each effect is an energy.
fn check_effects(category: &str, found: &BTreeMap<String, f64>) -> Result<(), SimulatedModelError> {
    match found.iter().find(|(_, joules)| !(0.0..=1.0).contains(*joules)) {
        Some((key, joules)) => {
            Err(table_error(format!("{category} \"{key}\" is {joules}, not from 0 to 1 joule")))
        }
        None => Ok(()),
    }
}

fn table_error(problem: String) -> SimulatedModelError {
    SimulatedModelError::Table { file: "the cost file".into(), problem }
}

/// Whole attojoules of an energy below 18 J.
pub(super) fn attojoules(joules: f64) -> u64 {
    (joules * ATTOJOULES_PER_JOULE).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(pattern: &str, device: &str) -> Option<String> {
        let table = CostTable::raspberry_pi_5();
        let device = table.device(device).unwrap();
        table.cost(pattern, device).map(|joules| format!("{joules:.6e}"))
    }

    #[test]
    fn int_array_allocation_has_the_published_cost() {
        for (size, device, expected) in [
            ("Constant", "Device 1", "4.235863e-7"),
            ("Load", "Device 1", "4.238306e-7"),
            ("Constant", "Device 2", "4.168979e-7"),
            ("Load", "Device 2", "4.171423e-7"),
        ] {
            let pattern = format!("op:Array allocation/int/{size}");
            assert_eq!(printed(&pattern, device).as_deref(), Some(expected), "{size} {device}");
        }
    }

    #[test]
    fn an_operand_carries_only_its_size() {
        let table = CostTable::raspberry_pi_5();
        let device = table.device("Device 1").unwrap();
        let whole = table.cost("op:Array allocation/int/Load", device).unwrap();
        let head = table.cost("op:Array allocation/int", device).unwrap();
        let operand = table.cost("size:Load", device).unwrap();
        assert!((whole - head - operand).abs() < 1e-18);
    }

    #[test]
    fn a_value_return_is_return_less_static_call() {
        // 147.4867 - 75.77298 + 0.09716775 nJ, whatever the device
        assert_eq!(printed("return:int", "Device 1").as_deref(), Some("7.181089e-8"));
        assert_eq!(printed("return:int", "Device 2").as_deref(), Some("7.181089e-8"));
    }

    #[test]
    fn what_is_no_pattern_has_no_cost() {
        for text in ["", "Addition", "op:Addition/int/Load/x", "op:Sum/int", "size:16-bit", "x:y"] {
            assert_eq!(printed(text, "Device 1"), None, "{text}");
        }
    }

    #[test]
    fn a_wrong_file_is_refused_with_its_key() {
        for (from, to, expected) in [
            ("\"Addition\"", "\"Sum\"", "unknown key \"Sum\" in [operation]"),
            ("\"Load\" = 2.972453e-10\n", "", "[size] lacks \"Load\""),
            ("2.954780e-08", "-1.0", "operation \"Addition\" is -1"),
            ("2.954780e-08", "nan", "operation \"Addition\" is NaN"),
            ("name =", "nom =", "unknown field `nom`"),
        ] {
            assert!(RASPBERRY_PI_5.contains(from), "{from}");
            let error = CostTable::from_toml(&RASPBERRY_PI_5.replacen(from, to, 1)).unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
        }
    }

    #[test]
    fn an_unknown_device_is_named() {
        let error = CostTable::raspberry_pi_5().device("Device 3").unwrap_err().to_string();
        assert!(error.contains("it has Device 1, Device 2"), "{error}");
    }
}
