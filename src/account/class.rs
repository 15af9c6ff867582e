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

/// The class of an operation by its name; everything that begins with `lib:` (also
/// `lib:GC` and `lib:other`) is of the library. `None` for a name that the catalogue
/// doesn't have.
pub fn class_of(operation: &str) -> Option<OperationClass> {
    if operation.starts_with("lib:") {
        return Some(OperationClass::Library);
    }
    crate::operations::class_of(operation).ok()
}

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
    fn operations_know_their_class() {
        assert_eq!(class_of("BlockGoto_for"), Some(OperationClass::Control));
        assert_eq!(class_of("Assign_char[]_char[]"), Some(OperationClass::Assignment));
        assert_eq!(class_of("lib:GC"), Some(OperationClass::Library));
        assert_eq!(class_of("Nonsense"), None);
        for (place, class) in CLASSES.into_iter().enumerate() {
            assert_eq!(index_of(class), place);
        }
    }
}
