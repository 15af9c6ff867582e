//! Names of what costs energy: the operations of the catalogue (`catalogue.csv`), library
//! functions, and columns of tables that stand for either. No other module spells these names.
//!
//! To add an operation: a row in `catalogue.csv`; a constant in `constants.rs` where code
//! refers to it.

mod catalogue;
mod class;
mod column;
mod compiled_away;
mod constant_text;
mod constants;
mod feature;
mod library;

use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use catalogue::OPERATION_ROWS;

pub use class::OperationClass;
pub use column::{FeatureColumn, GARBAGE_COLLECTION, LIBRARY_OTHER, form_name, split_form};
pub use compiled_away::{
    CONSTANT_CONTEXT, SMALLER_TO_INT_CONTEXT, is_compiled_away, unmeasured_cost_ratio,
};
pub use feature::{Feature, UnknownFeature};
pub use library::LibraryFunction;

/// Typed operation of the catalogue, such as `Addition_int_int`. Operations are ordered by their
/// names, as the rows of all tables are.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Operation(u8);

/// A name that the catalogue doesn't have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown operation {0:?}; use a name of the operation catalogue")]
pub struct UnknownOperation(pub String);

impl Operation {
    /// Number of operations in the catalogue.
    pub const COUNT: usize = OPERATION_ROWS.len();

    /// Returns all operations, in the order of their ids.
    pub fn all() -> impl Iterator<Item = Operation> {
        (0..Operation::COUNT as u8).map(Operation)
    }

    /// Returns its name in tables: `Addition_int_int`.
    pub const fn name(self) -> &'static str {
        OPERATION_ROWS[self.0 as usize].0
    }

    /// Returns its class in the catalogue.
    pub const fn class(self) -> OperationClass {
        OPERATION_ROWS[self.0 as usize].1
    }

    /// Returns the operation with this name, if the catalogue has it.
    pub fn of_name(name: &str) -> Option<Operation> {
        static BY_NAME: LazyLock<HashMap<&str, Operation>> =
            LazyLock::new(|| Operation::all().map(|o| (o.name(), o)).collect());
        BY_NAME.get(name).copied()
    }

    /// Returns the operation `verb` on values of a `kind` (`Declaration_int`, `Less_int_int`), if
    /// the catalogue has it.
    pub const fn of_kind(verb: &str, kind: &str) -> Option<Operation> {
        let mut id = 0;
        while id < Operation::COUNT {
            let operation = Operation(id as u8);
            if catalogue::is_of_kind(operation.name(), verb, kind) {
                return Some(operation);
            }
            id += 1;
        }
        None
    }
}

impl Ord for Operation {
    fn cmp(&self, other: &Operation) -> Ordering {
        self.name().cmp(other.name())
    }
}

impl PartialOrd for Operation {
    fn partial_cmp(&self, other: &Operation) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Operation {
    type Err = UnknownOperation;

    fn from_str(name: &str) -> Result<Operation, UnknownOperation> {
        Operation::of_name(name).ok_or_else(|| UnknownOperation(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        assert_eq!("Increment".parse(), Ok(Operation::INCREMENT));
        assert_eq!(Operation::INCREMENT.to_string(), "Increment");
        let error = "Addition_int".parse::<Operation>().unwrap_err();
        assert!(error.to_string().contains("\"Addition_int\""), "{error}");
        for operation in Operation::all() {
            assert_eq!(operation.name().parse(), Ok(operation));
        }
    }

    #[test]
    fn operations_are_ordered_by_name() {
        let mut all: Vec<Operation> = Operation::all().collect();
        all.sort();
        assert!(all.is_sorted_by_key(|operation| operation.name()));
    }

    #[test]
    fn some_operations_are_of_a_kind() {
        let name = |verb, kind| Operation::of_kind(verb, kind).map(Operation::name);
        assert_eq!(name("Shift", "int"), Some("Shift_int"));
        assert_eq!(name("Less", "int"), Some("Less_int_int"));
        assert_eq!(name("Equal", "Object"), Some("Equal_Object_Object"));
        assert_eq!(name("Modulo", "float"), None);
        assert_eq!(name("Arr", "int"), None);
    }
}
