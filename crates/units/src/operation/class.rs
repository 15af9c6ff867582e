//! Classes of operations, as the catalogue groups them.

use std::fmt;

use super::constant_text::are_equal;

/// Class of an operation or library function. All but `Library` are in the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OperationClass {
    /// Control flow and calls.
    Control,
    /// Parameters and returns.
    Function,
    /// Logic and comparison.
    Boolean,
    /// Arithmetic, bits, shifts, string concatenation.
    Arithmetic,
    /// Assignments and initialisers.
    Assignment,
    /// Array elements and fields.
    Reference,
    /// Declarations, creation, casts.
    Object,
    /// Functions outside of the analysed sources (`lib:...`).
    Library,
}

impl OperationClass {
    /// Returns the class of a name in the catalogue.
    pub(super) const fn from_name(name: &str) -> OperationClass {
        const NAMES: [(&str, OperationClass); 7] = [
            ("Control", OperationClass::Control),
            ("Function", OperationClass::Function),
            ("Boolean", OperationClass::Boolean),
            ("Arithmetic", OperationClass::Arithmetic),
            ("Assignment", OperationClass::Assignment),
            ("Reference", OperationClass::Reference),
            ("Object", OperationClass::Object),
        ];
        let mut at = 0;
        while at < NAMES.len() {
            if are_equal(NAMES[at].0, name) {
                return NAMES[at].1;
            }
            at += 1;
        }
        panic!("the catalogue names a class that is not there")
    }
}

impl fmt::Display for OperationClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}
