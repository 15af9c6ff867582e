//! Branches as the `if` statements that javac makes them of.

/// Relations by the end of an instruction's name: javac branches by the opposite one, past the
/// statement.
const OPPOSITES: [(&str, usize); 6] =
    [("eq", 1), ("ne", 0), ("lt", 2), ("ge", 5), ("gt", 4), ("le", 3)];

/// Operations in the order of [`OPPOSITES`]' numbers: of numbers, of an int with zero.
const NUMERICAL: [&str; 6] = [
    "if equal (numerical data types)",
    "if non-equal (numerical data types)",
    "if greater or equal (numerical data types)",
    "if greater (numerical data types)",
    "if less or equal (numerical data types)",
    "if less (numerical data types)",
];
const WITH_ZERO: [&str; 6] = [
    "if equal (int )",
    "if non-equal (int )",
    "if greater or equal (int )",
    "if greater (int )",
    "if less or equal (int )",
    "if less (int )",
];

/// The operation and type of a branch, with its number of operands; `compared` is the type that a
/// comparison before it has left.
pub(super) fn branch(
    name: &str,
    compared: Option<&'static str>,
) -> Option<(&'static str, &'static str, usize)> {
    let found = match name {
        "ifnull" => return Some(("if non-null (references)", "Reference", 1)),
        "ifnonnull" => return Some(("if null (references)", "Reference", 1)),
        "if_acmpeq" => return Some(("if non-equal (references)", "Reference", 2)),
        "if_acmpne" => return Some(("if equal (references)", "Reference", 2)),
        _ => OPPOSITES.iter().find(|(end, _)| name.ends_with(end)).map(|(_, at)| *at),
    }?;
    match (name.strip_prefix("if_icmp"), compared) {
        (Some(_), _) => Some((NUMERICAL[found], "int", 2)),
        (None, Some(kind)) => Some((NUMERICAL[found], kind, 1)),
        (None, None) => Some((WITH_ZERO[found], "int", 1)),
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
        for name in NUMERICAL.iter().chain(&WITH_ZERO) {
            assert!(all.iter().any(|pattern| pattern.operation == *name), "{name}");
        }
    }
}
