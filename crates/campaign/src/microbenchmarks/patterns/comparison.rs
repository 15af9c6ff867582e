//! Comparisons of `if` statements whose condition does not hold.

use super::pattern_type::PatternType;

/// A relation of Java, and the jump past the statement that javac and D8 make of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Relation {
    /// Its sign in Java.
    pub sign: &'static str,
    /// The opposite relation, in the names of instructions.
    jump: &'static str,
    /// First values, against the second, of which it does not hold.
    values: FirstValue,
}

/// How a first value compares with the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FirstValue {
    Equal,
    Greater,
    Less,
}

/// The relations by the beginnings of the operations' names; what is not here is less.
const RELATIONS: [(&str, Relation); 7] = [
    ("if equal", Relation::new("==", "ne", FirstValue::Greater)),
    ("if non-equal", Relation::new("!=", "eq", FirstValue::Equal)),
    ("if null", Relation::new("==", "ne", FirstValue::Greater)),
    ("if non-null", Relation::new("!=", "eq", FirstValue::Equal)),
    ("if greater or equal", Relation::new(">=", "lt", FirstValue::Less)),
    ("if greater (", Relation::new(">", "le", FirstValue::Less)),
    ("if less or equal", Relation::new("<=", "gt", FirstValue::Greater)),
];

const LESS: Relation = Relation::new("<", "ge", FirstValue::Greater);

impl Relation {
    const fn new(sign: &'static str, jump: &'static str, values: FirstValue) -> Self {
        Self { sign, jump, values }
    }

    fn of(operation: &str) -> Self {
        let found = RELATIONS.iter().find(|(name, _)| operation.starts_with(name));
        found.map_or(LESS, |(_, relation)| *relation)
    }
}

/// The two values of an `if`, and what the first is compared with.
pub(super) struct UnmetComparison {
    /// The first value in Java.
    pub first: String,
    /// Another value.
    pub second: String,
    /// What the first is compared with.
    pub operand: &'static str,
}

impl UnmetComparison {
    /// The relation of an operation, with values of which it does not hold.
    pub fn of(operation: &str, value: PatternType<'_>) -> (Relation, Self) {
        let relation = Relation::of(operation);
        let (one, two) = (value.first_value(), value.second_value());
        let is_equal = relation.values == FirstValue::Equal;
        if operation.contains("null") {
            let first = if is_equal { "none".to_owned() } else { one };
            return (relation, Self { first, second: two, operand: "null" });
        }
        if operation.contains("(int )") {
            let first = match relation.values {
                FirstValue::Equal => format!("{one} - {one}"),
                FirstValue::Less => format!("-{one}"),
                FirstValue::Greater => one,
            };
            return (relation, Self { first, second: two, operand: "0" });
        }
        // Of numbers, the first field has the greater value.
        let (first, second) = match relation.values {
            FirstValue::Equal => (one.clone(), one),
            FirstValue::Less => (two, one),
            FirstValue::Greater => (one, two),
        };
        (relation, Self { first, second, operand: "b" })
    }

    /// The instructions of the `if` and of the assignment that it leaves out.
    pub fn code(&self, value: PatternType<'_>, relation: Relation) -> (Vec<String>, Vec<String>) {
        let jump = relation.jump;
        let (load, store) = (value.opcode("load"), value.opcode("store"));
        let moved = value.dex_by_width("move");
        let (compare, in_dex) = match (self.operand, value.0) {
            ("null", _) => {
                let branch = if jump == "eq" { "ifnull" } else { "ifnonnull" };
                (vec![branch.to_owned()], vec![format!("if-{jump}z")])
            }
            ("0", _) => (vec![format!("if{jump}")], vec![format!("if-{jump}z")]),
            (_, "int") => {
                (vec![load.clone(), format!("if_icmp{jump}")], vec![format!("if-{jump}")])
            }
            (_, "Reference") => {
                (vec![load.clone(), format!("if_acmp{jump}")], vec![format!("if-{jump}")])
            }
            _ => {
                // NaN makes each relation false.
                let side = if relation.sign.starts_with('<') { "g" } else { "l" };
                let (opcode, dex) = match value.0 {
                    "long" => ("lcmp".to_owned(), "cmp-long".to_owned()),
                    kind => (value.opcode(&format!("cmp{side}")), format!("cmp{side}-{kind}")),
                };
                (vec![load.clone(), opcode, format!("if{jump}")], vec![dex, format!("if-{jump}z")])
            }
        };
        let in_class = [load.clone()].into_iter().chain(compare).chain([load, store]).collect();
        (in_class, in_dex.into_iter().chain([moved]).collect())
    }
}
