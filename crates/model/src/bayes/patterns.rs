//! The 174 bytecode patterns of the probabilistic profiler: operation, size of the
//! operands and type, where they apply.

/// Names of the factors of patterns in data and tables.
pub const FACTORS: [&str; 4] = ["operation", "size", "type", "device"];

/// Bytecode pattern as a level of each factor; empty where a factor does not apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FactorPattern {
    /// Category, by which patterns are counted.
    pub category: &'static str,
    /// The operation.
    pub operation: &'static str,
    /// Origin of the operand or its width.
    pub size: &'static str,
    /// Type of the operands.
    pub kind: &'static str,
}

const NUMBERS: [&str; 4] = ["int", "long", "float", "double"];
const TYPES: [&str; 5] = ["int", "long", "float", "double", "Reference"];
/// Operations that convert a number, by the mnemonic of their instruction.
pub const CONVERSIONS: [&str; 15] = [
    "i2l", "i2f", "i2d", "l2i", "l2f", "l2d", "f2i", "f2l", "f2d", "d2i", "d2l", "d2f", "i2b",
    "i2c", "i2s",
];
const BITS: [&str; 7] = [
    "Bit and",
    "Bit or",
    "Bit xor",
    "Bit complement",
    "Left bitshift",
    "Right bitshift",
    "Logical right bitshift",
];
/// Operations that compare two numbers, or what a comparison of them has left.
pub const COMPARISONS: [&str; 6] = [
    "if equal (numerical data types)",
    "if non-equal (numerical data types)",
    "if greater or equal (numerical data types)",
    "if greater (numerical data types)",
    "if less or equal (numerical data types)",
    "if less (numerical data types)",
];
/// Operations that compare an `int` with zero, in the order of [`COMPARISONS`].
pub const ZERO_COMPARISONS: [&str; 6] = [
    "if equal (int )",
    "if non-equal (int )",
    "if greater or equal (int )",
    "if greater (int )",
    "if less or equal (int )",
    "if less (int )",
];
/// Operations that compare references: with one another, then with `null`.
pub const REFERENCE_COMPARISONS: [&str; 4] = [
    "if equal (references)",
    "if non-equal (references)",
    "if null (references)",
    "if non-null (references)",
];
const FIELDS: [&str; 4] =
    ["Object get field", "Object get static field", "Object put field", "Object put static field"];

/// The width of a number.
fn width(kind: &str) -> &'static str {
    if matches!(kind, "long" | "double") { "64-bit" } else { "32-bit" }
}

/// All patterns, category after category.
pub fn patterns() -> Vec<FactorPattern> {
    let mut all = Vec::new();
    let mut add = |category, operation, size, kind| {
        all.push(FactorPattern { category, operation, size, kind });
    };
    let sizes = |kind: &'static str| ["Load", "Constant", width(kind)];
    for operation in ["Addition", "Subtraction", "Multiplication", "Division"] {
        for kind in NUMBERS {
            sizes(kind).into_iter().for_each(|size| add(operation, operation, size, kind));
        }
    }
    for operation in ["Modulo", "Negation"] {
        NUMBERS.into_iter().for_each(|kind| add(operation, operation, "", kind));
    }
    add("Increase", "Increase", "", "int");
    for operation in BITS {
        ["int", "long"].into_iter().for_each(|kind| add("Bits", operation, "", kind));
    }
    for operation in COMPARISONS {
        NUMBERS.into_iter().for_each(|kind| add("If", operation, "", kind));
    }
    ZERO_COMPARISONS.into_iter().for_each(|operation| add("If", operation, "", "int"));
    REFERENCE_COMPARISONS.into_iter().for_each(|operation| add("If", operation, "", "Reference"));
    add("If", "else branch", "", "");
    add("Switch", "Switch-case consecutive", "", "int");
    add("Switch", "Switch-case non-consecutive", "", "int");
    add("Calls", "Static method call", "Reference", "");
    add("Calls", "Non-static method call", "Reference", "");
    NUMBERS.into_iter().for_each(|kind| add("Calls", "return statement", "", kind));
    for kind in NUMBERS {
        sizes(kind)
            .into_iter()
            .for_each(|size| add("Declaration", "Variable declaration", size, kind));
    }
    add("Objects", "Object allocation", "", "Reference");
    for operation in FIELDS {
        NUMBERS.into_iter().for_each(|kind| add("Objects", operation, "", kind));
    }
    for operation in ["Array allocation", "Array load", "Array store"] {
        TYPES.into_iter().for_each(|kind| add("Arrays", operation, "Load", kind));
    }
    add("Arrays", "Array length", "", "int");
    CONVERSIONS.into_iter().for_each(|operation| add("Conversions", operation, "", ""));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_have_the_published_numbers() {
        let all = patterns();
        let mut counts: Vec<(&str, usize)> = Vec::new();
        for pattern in &all {
            match counts.last_mut().filter(|(category, _)| *category == pattern.category) {
                Some((_, n)) => *n += 1,
                None => counts.push((pattern.category, 1)),
            }
        }
        let numbers: Vec<usize> = counts.into_iter().map(|(_, n)| n).collect();
        assert_eq!(numbers, [12, 12, 12, 12, 4, 4, 1, 14, 35, 2, 6, 12, 17, 16, 15]);
        assert_eq!(all.len(), 174);
        let same = |a: &FactorPattern| all.iter().filter(|b| *b == a).count();
        assert!(all.iter().all(|pattern| same(pattern) == 1));
    }
}
