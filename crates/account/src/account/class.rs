//! The eight classes of operations in the order and with the names that accounts and charts use.
//! The catalogue of operations assigns operations to classes.

pub use crate::operations::OperationClass;

/// All classes, in the order of columns and of stacks in charts.
pub const CLASSES: [OperationClass; 8] = [
    OperationClass::Control,
    OperationClass::Function,
    OperationClass::Boolean,
    OperationClass::Arithmetic,
    OperationClass::Assignment,
    OperationClass::Reference,
    OperationClass::Object,
    OperationClass::Library,
];

/// Index of a class in [`CLASSES`].
pub fn index_of(class: OperationClass) -> usize {
    class as usize
}

/// Name of a class in columns and style sheets: `control`.
pub fn name_of(class: OperationClass) -> &'static str {
    match class {
        OperationClass::Control => "control",
        OperationClass::Function => "function",
        OperationClass::Boolean => "boolean",
        OperationClass::Arithmetic => "arithmetic",
        OperationClass::Assignment => "assignment",
        OperationClass::Reference => "reference",
        OperationClass::Object => "object",
        OperationClass::Library => "library",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_know_their_place() {
        for (place, class) in CLASSES.into_iter().enumerate() {
            assert_eq!(index_of(class), place);
        }
    }
}
