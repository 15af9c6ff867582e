//! The catalogue of operations, parsed at compile time: a name that code uses and the catalogue
//! lacks is an error of the compiler.

use super::class::OperationClass;
use super::constant_text::{are_equal, split_at_first};

const TEXT: &str = include_str!("catalogue.csv");

/// Name and class of every operation, in the order of their ids.
pub(super) const OPERATION_ROWS: [(&str, OperationClass); 120] = rows();

/// Parses the second and third column of the catalogue. Neither is quoted; only the last may
/// hold commas.
const fn rows() -> [(&'static str, OperationClass); 120] {
    let mut rows = [("", OperationClass::Library); 120];
    let (_header, mut rest) = split_at_first(TEXT, b'\n');
    let mut id = 0;
    while id < rows.len() {
        let (row, below) = split_at_first(rest, b'\n');
        let (_id, row) = split_at_first(row, b',');
        let (name, row) = split_at_first(row, b',');
        let (class, _identified_where) = split_at_first(row, b',');
        rows[id] = (name, OperationClass::from_name(class));
        rest = below;
        id += 1;
    }
    assert!(rest.is_empty(), "the catalogue has more rows");
    rows
}

/// Whether an operation's `name` is `verb_kind` or `verb_kind_kind`.
pub(super) const fn is_of_kind(name: &str, verb: &str, kind: &str) -> bool {
    let (own, kinds) = split_at_first(name, b'_');
    let (first, second) = split_at_first(kinds, b'_');
    are_equal(own, verb) && are_equal(first, kind) && (second.is_empty() || are_equal(second, kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows as a reader of CSV has them.
    #[test]
    fn the_catalogue_has_120_operations_in_seven_classes() {
        let mut reader = csv::Reader::from_reader(TEXT.as_bytes());
        assert_eq!(reader.headers().unwrap(), ["id", "operation", "class", "identified_where"][..]);
        let mut classes = Vec::new();
        for (id, row) in reader.deserialize().enumerate() {
            let (number, name, class, words): (usize, String, String, String) = row.unwrap();
            assert_eq!((number, name.as_str()), (id + 1, OPERATION_ROWS[id].0));
            assert_eq!(class, OPERATION_ROWS[id].1.to_string());
            assert!(!words.is_empty(), "{name}");
            classes.push(class);
        }
        assert_eq!(classes.len(), OPERATION_ROWS.len());
        classes.sort();
        classes.dedup();
        assert_eq!(classes.len(), 7);
    }

    #[test]
    fn no_name_is_given_twice() {
        let names: std::collections::BTreeSet<&str> =
            OPERATION_ROWS.iter().map(|row| row.0).collect();
        assert_eq!(names.len(), OPERATION_ROWS.len());
    }
}
