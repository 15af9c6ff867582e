//! Branches as the `if` statements that javac makes them of.

use crate::model::bayes::patterns::{COMPARISONS, REFERENCE_COMPARISONS, ZERO_COMPARISONS};

/// Ends of instructions' names, each with the position in [`COMPARISONS`] of the opposite relation,
/// by which javac branches past the statement.
const OPPOSITES: [(&str, usize); 6] =
    [("eq", 1), ("ne", 0), ("lt", 2), ("ge", 5), ("gt", 4), ("le", 3)];

/// The operation and type of a branch, with its number of operands; `compared` is the type that a
/// comparison before it has left.
pub(super) fn branch(
    name: &str,
    compared: Option<&'static str>,
) -> Option<(&'static str, &'static str, usize)> {
    let [equal, non_equal, null, non_null] = REFERENCE_COMPARISONS;
    let found = match name {
        "ifnull" => return Some((non_null, "Reference", 1)),
        "ifnonnull" => return Some((null, "Reference", 1)),
        "if_acmpeq" => return Some((non_equal, "Reference", 2)),
        "if_acmpne" => return Some((equal, "Reference", 2)),
        _ => OPPOSITES.iter().find(|(end, _)| name.ends_with(end)).map(|(_, at)| *at),
    }?;
    match (name.strip_prefix("if_icmp"), compared) {
        (Some(_), _) => Some((COMPARISONS[found], "int", 2)),
        (None, Some(kind)) => Some((COMPARISONS[found], kind, 1)),
        (None, None) => Some((ZERO_COMPARISONS[found], "int", 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::bayes::patterns::patterns;

    #[test]
    fn a_branch_is_the_if_of_the_opposite_relation() {
        assert_eq!(branch("if_icmpge", None).unwrap().0, "if less (numerical data types)");
        assert_eq!(branch("ifne", None).unwrap().0, "if equal (int )");
        let of_doubles = branch("ifle", Some("double")).unwrap();
        assert_eq!(of_doubles, ("if greater (numerical data types)", "double", 1));
        assert_eq!(branch("ifnonnull", None).unwrap().0, "if null (references)");
    }

    #[test]
    fn operations_are_those_of_the_table() {
        let all = patterns();
        let names = COMPARISONS.iter().chain(&ZERO_COMPARISONS).chain(&REFERENCE_COMPARISONS);
        for name in names {
            assert!(all.iter().any(|pattern| pattern.operation == *name), "{name}");
        }
    }
}
