//! Verbs of operations: those of which the catalogue has one operation per kind of value.

use wattline_units::operation::Operation;

use crate::java::types::ValueKind;

/// Verb of an operation, which with a kind of value names one of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperationVerb([Operation; 6]);

impl OperationVerb {
    /// Passing of an argument.
    pub const PARAMETER: OperationVerb = OperationVerb::named("Parameter");
    /// Return of a value.
    pub(crate) const RETURN: OperationVerb = OperationVerb::named("Return");
    /// `<`
    pub(crate) const LESS: OperationVerb = OperationVerb::named("Less");
    /// `<=`
    pub(crate) const LESS_EQUAL: OperationVerb = OperationVerb::named("LessEqual");
    /// `>`
    pub(crate) const GREATER: OperationVerb = OperationVerb::named("Greater");
    /// `>=`
    pub(crate) const GREATER_EQUAL: OperationVerb = OperationVerb::named("GreaterEqual");
    /// `==`
    pub(crate) const EQUAL: OperationVerb = OperationVerb::named("Equal");
    /// `!=`
    pub(crate) const NOT_EQUAL: OperationVerb = OperationVerb::named("NotEqual");
    /// `+` of numbers
    pub const ADDITION: OperationVerb = OperationVerb::named("Addition");
    /// `-`
    pub const SUBTRACTION: OperationVerb = OperationVerb::named("Subtraction");
    /// `*`
    pub const MULTI: OperationVerb = OperationVerb::named("Multi");
    /// `/`
    pub const DIVISION: OperationVerb = OperationVerb::named("Division");
    /// `%`
    pub(crate) const MODULO: OperationVerb = OperationVerb::named("Modulo");
    /// Unary `-`
    pub(crate) const NEGATION: OperationVerb = OperationVerb::named("Negation");
    /// `&`
    pub(crate) const BIT_AND: OperationVerb = OperationVerb::named("BitAnd");
    /// `|`
    pub(crate) const BIT_OR: OperationVerb = OperationVerb::named("BitOr");
    /// `^`, and unary `~`
    pub(crate) const BIT_XOR: OperationVerb = OperationVerb::named("BitXor");
    /// `<<`, `>>`, `>>>`
    pub(crate) const SHIFT: OperationVerb = OperationVerb::named("Shift");
    /// An assignment or initialiser.
    pub(crate) const ASSIGN: OperationVerb = OperationVerb::named("Assign");
    /// Declaration of a local variable.
    pub const DECLARATION: OperationVerb = OperationVerb::named("Declaration");

    /// Returns the operation on values of a kind. Where the catalogue has none of that kind it is
    /// the next wider one: `&` of booleans counts as of ints, `%` of floats as of doubles;
    /// without a wider one, as Java has no such operator, the widest there is.
    pub fn of(self, kind: ValueKind) -> Operation {
        self.0[kind as usize]
    }

    /// Returns the operation on an int and a float, where the catalogue has one.
    pub(super) fn of_int_and_float(self) -> Option<Operation> {
        Some(match self {
            OperationVerb::ADDITION => Operation::ADDITION_INT_FLOAT,
            OperationVerb::SUBTRACTION => Operation::SUBTRACTION_INT_FLOAT,
            OperationVerb::MULTI => Operation::MULTI_INT_FLOAT,
            OperationVerb::DIVISION => Operation::DIVISION_INT_FLOAT,
            OperationVerb::LESS | OperationVerb::LESS_EQUAL => Operation::LESS_INT_FLOAT,
            OperationVerb::GREATER | OperationVerb::GREATER_EQUAL => Operation::GREATER_INT_FLOAT,
            _ => return None,
        })
    }

    /// Whether the operation compares its operands.
    pub(super) fn is_comparison(self) -> bool {
        matches!(
            self,
            OperationVerb::LESS
                | OperationVerb::LESS_EQUAL
                | OperationVerb::GREATER
                | OperationVerb::GREATER_EQUAL
                | OperationVerb::EQUAL
                | OperationVerb::NOT_EQUAL
        )
    }

    /// Looks up the operations of the catalogue whose names begin with `verb`, one per kind.
    const fn named(verb: &str) -> OperationVerb {
        let mut found: [Option<Operation>; 6] = [None; 6];
        let mut widest = None;
        let mut at = 0;
        while at < found.len() {
            found[at] = Operation::of_kind(verb, KINDS[at].name());
            if found[at].is_some() {
                widest = found[at];
            }
            at += 1;
        }
        let mut next = widest.expect("the catalogue has operations of this verb");
        let mut of_kinds = [next; 6];
        while at > 0 {
            at -= 1;
            if let Some(own) = found[at] {
                next = own;
            }
            of_kinds[at] = next;
        }
        OperationVerb(of_kinds)
    }
}

/// All kinds of values, the narrowest first.
const KINDS: [ValueKind; 6] = [
    ValueKind::Boolean,
    ValueKind::Int,
    ValueKind::Long,
    ValueKind::Float,
    ValueKind::Double,
    ValueKind::Object,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_an_operation() {
        assert!(KINDS.into_iter().enumerate().all(|(place, kind)| kind as usize == place));
        let names = |verb: OperationVerb| KINDS.map(|kind| verb.of(kind).name()).join(" ");
        let expected = "Shift_int Shift_int Shift_long Shift_long Shift_long Shift_long";
        assert_eq!(names(OperationVerb::SHIFT), expected);
        let of = |verb: OperationVerb, kind| verb.of(kind).name();
        assert_eq!(of(OperationVerb::DECLARATION, ValueKind::Object), "Declaration_Object");
        assert_eq!(of(OperationVerb::ASSIGN, ValueKind::Boolean), "Assign_boolean_boolean");
        assert_eq!(of(OperationVerb::MODULO, ValueKind::Float), "Modulo_double_double");
        assert_eq!(of(OperationVerb::BIT_XOR, ValueKind::Boolean), "BitXor_int_int");
        assert_eq!(of(OperationVerb::BIT_AND, ValueKind::Float), "BitAnd_long_long");
        assert_eq!(of(OperationVerb::EQUAL, ValueKind::Object), "Equal_Object_Object");
    }
}
