//! Operations that the catalogue has one of for every kind of value.

use wattline_units::operation::Operation;

use crate::java::types::ValueKind;

/// An operation on values of any kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verb([Operation; 6]);

impl Verb {
    /// An argument is passed.
    pub const PARAMETER: Verb = Verb::named("Parameter");
    /// A value is returned.
    pub(crate) const RETURN: Verb = Verb::named("Return");
    /// `<`
    pub(crate) const LESS: Verb = Verb::named("Less");
    /// `<=`
    pub(crate) const LESS_EQUAL: Verb = Verb::named("LessEqual");
    /// `>`
    pub(crate) const GREATER: Verb = Verb::named("Greater");
    /// `>=`
    pub(crate) const GREATER_EQUAL: Verb = Verb::named("GreaterEqual");
    /// `==`
    pub(crate) const EQUAL: Verb = Verb::named("Equal");
    /// `!=`
    pub(crate) const NOT_EQUAL: Verb = Verb::named("NotEqual");
    /// `+` of numbers
    pub const ADDITION: Verb = Verb::named("Addition");
    /// `-`
    pub const SUBTRACTION: Verb = Verb::named("Subtraction");
    /// `*`
    pub const MULTI: Verb = Verb::named("Multi");
    /// `/`
    pub const DIVISION: Verb = Verb::named("Division");
    /// `%`
    pub(crate) const MODULO: Verb = Verb::named("Modulo");
    /// Unary `-`
    pub(crate) const NEGATION: Verb = Verb::named("Negation");
    /// `&`
    pub(crate) const BIT_AND: Verb = Verb::named("BitAnd");
    /// `|`
    pub(crate) const BIT_OR: Verb = Verb::named("BitOr");
    /// `^`, and unary `~`
    pub(crate) const BIT_XOR: Verb = Verb::named("BitXor");
    /// `<<`, `>>`, `>>>`
    pub(crate) const SHIFT: Verb = Verb::named("Shift");
    /// An assignment or initialiser.
    pub(crate) const ASSIGN: Verb = Verb::named("Assign");
    /// A local variable is declared.
    pub const DECLARATION: Verb = Verb::named("Declaration");

    /// The operation on values of a kind. Where the catalogue has none of that kind it is
    /// the next wider one: `&` of booleans counts as of ints, `%` of floats as of doubles;
    /// without a wider one, as Java has no such operator, the widest there is.
    pub fn of(self, kind: ValueKind) -> Operation {
        self.0[kind as usize]
    }

    /// The operation on an int and a float, where the catalogue has one.
    pub(super) fn of_int_and_float(self) -> Option<Operation> {
        Some(match self {
            Verb::ADDITION => Operation::ADDITION_INT_FLOAT,
            Verb::SUBTRACTION => Operation::SUBTRACTION_INT_FLOAT,
            Verb::MULTI => Operation::MULTI_INT_FLOAT,
            Verb::DIVISION => Operation::DIVISION_INT_FLOAT,
            Verb::LESS | Verb::LESS_EQUAL => Operation::LESS_INT_FLOAT,
            Verb::GREATER | Verb::GREATER_EQUAL => Operation::GREATER_INT_FLOAT,
            _ => return None,
        })
    }

    /// Whether it compares its operands.
    pub(super) fn is_comparison(self) -> bool {
        matches!(
            self,
            Verb::LESS
                | Verb::LESS_EQUAL
                | Verb::GREATER
                | Verb::GREATER_EQUAL
                | Verb::EQUAL
                | Verb::NOT_EQUAL
        )
    }

    /// The operations of the catalogue whose names begin with `verb`.
    const fn named(verb: &str) -> Verb {
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
        Verb(of_kinds)
    }
}

/// All kinds, the narrowest first.
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
        let names = |verb: Verb| KINDS.map(|kind| verb.of(kind).name()).join(" ");
        let expected = "Shift_int Shift_int Shift_long Shift_long Shift_long Shift_long";
        assert_eq!(names(Verb::SHIFT), expected);
        let of = |verb: Verb, kind| verb.of(kind).name();
        assert_eq!(of(Verb::DECLARATION, ValueKind::Object), "Declaration_Object");
        assert_eq!(of(Verb::ASSIGN, ValueKind::Boolean), "Assign_boolean_boolean");
        assert_eq!(of(Verb::MODULO, ValueKind::Float), "Modulo_double_double");
        assert_eq!(of(Verb::BIT_XOR, ValueKind::Boolean), "BitXor_int_int");
        assert_eq!(of(Verb::BIT_AND, ValueKind::Float), "BitAnd_long_long");
        assert_eq!(of(Verb::EQUAL, ValueKind::Object), "Equal_Object_Object");
    }
}
