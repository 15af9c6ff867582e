//! The catalogue: the 120 operations and their classes, as data.

use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

use serde::Deserialize;

/// The classes of operations. All but `Library` are in the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
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

impl fmt::Display for OperationClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// One row of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operation {
    /// Number, from 1.
    pub id: u32,
    /// Name, as in `operations.csv`.
    #[serde(rename = "operation")]
    pub name: String,
    /// Its class.
    pub class: OperationClass,
    /// Where it is counted, in words.
    pub identified_where: String,
}

/// A name that is neither in the catalogue nor a library function.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown operation {0:?}; use a name of the operation catalogue or lib:CLASS.METHOD")]
pub struct UnknownOperation(pub String);

/// All operations, by name.
#[derive(Debug, Clone, Default)]
pub struct Catalogue {
    /// The operations in the order of their ids.
    pub operations: Vec<Operation>,
    by_name: HashMap<String, usize>,
}

impl Catalogue {
    /// The built-in catalogue.
    pub fn built_in() -> &'static Catalogue {
        static BUILT_IN: LazyLock<Catalogue> = LazyLock::new(|| {
            Catalogue::parse(include_str!("catalogue.csv"))
                .expect("the built-in catalogue is valid")
        });
        &BUILT_IN
    }

    /// Reads a catalogue.
    ///
    /// # Errors
    /// If a row is not as it should be; the error names the line.
    pub fn parse(text: &str) -> Result<Catalogue, csv::Error> {
        let mut catalogue = Catalogue::default();
        for row in csv::Reader::from_reader(text.as_bytes()).deserialize() {
            let operation: Operation = row?;
            catalogue.by_name.insert(operation.name.clone(), catalogue.operations.len());
            catalogue.operations.push(operation);
        }
        Ok(catalogue)
    }

    /// The operation with this name.
    pub fn get(&self, name: &str) -> Option<&Operation> {
        self.by_name.get(name).map(|index| &self.operations[*index])
    }
}

/// The class of an operation of the built-in catalogue or of a library function.
///
/// # Errors
/// If `name` is neither.
pub fn class_of(name: &str) -> Result<OperationClass, UnknownOperation> {
    if name.strip_prefix("lib:").is_some_and(|function| function.contains('.')) {
        return Ok(OperationClass::Library);
    }
    let found = Catalogue::built_in().get(name);
    found.map(|o| o.class).ok_or_else(|| UnknownOperation(name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_has_120_operations_in_seven_classes() {
        let catalogue = Catalogue::built_in();
        assert_eq!(catalogue.operations.len(), 120);
        let ids: Vec<u32> = catalogue.operations.iter().map(|o| o.id).collect();
        assert_eq!(ids, (1..=120).collect::<Vec<u32>>());
        assert_eq!(catalogue.by_name.len(), 120);
        let mut classes: Vec<_> = catalogue.operations.iter().map(|o| o.class).collect();
        classes.sort();
        classes.dedup();
        assert_eq!(classes.len(), 7);
    }

    #[test]
    fn classes_of_names() {
        assert_eq!(class_of("Field_Reference"), Ok(OperationClass::Reference));
        assert_eq!(class_of("lib:java.util.List.add"), Ok(OperationClass::Library));
        assert_eq!(class_of("Addition_int"), Err(UnknownOperation("Addition_int".into())));
        assert!(class_of("lib:").is_err());
    }
}
