//! The eight classes of operations as accounts and charts use them: in one order, with
//! one name. Which operation belongs to which class is the catalogue's to say.

pub use crate::operations::OperationClass;

/// All classes, in the order in which charts stack them and columns stand.
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

/// A class's place in [`CLASSES`].
pub fn index_of(class: OperationClass) -> usize {
    class as usize
}

/// A class's name in columns and style sheets: `control`.
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
