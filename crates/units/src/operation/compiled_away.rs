//! What is counted as an operation, but of which a compiler leaves nothing to be executed. The
//! contexts that say so are named here, so that who counts and who prices mean the same.

use super::Operation;

/// The context of an operator whose outcome a constant decides when it is compiled: `d == 0` is
/// compiled as `d == 0.0`, of `DEBUG && x` one side is left.
pub const CONSTANT: &str = "constant";

/// The context of a cast of a byte, short or char to int, which each of them is when it is
/// loaded.
pub const SMALLER_TO_INT: &str = "smaller to int";

/// Whether a compiler leaves nothing of an operation in this context. A comparison or a sum with
/// the context `constant` is executed all the same: only the conversion in it is not.
pub fn is_compiled_away(operation: &str, context: &str) -> bool {
    let is_one_of = |operations: &[Operation]| operations.iter().any(|o| o.name() == operation);
    match context {
        CONSTANT => {
            is_one_of(&[Operation::CAST_NUMERIC, Operation::AND, Operation::OR, Operation::GOTO_IF])
        }
        SMALLER_TO_INT => is_one_of(&[Operation::CAST_NUMERIC]),
        _ => false,
    }
}

/// How many executions of its operation one in this context is worth where no microbenchmark
/// has measured it: nothing where a compiler leaves nothing of it.
pub fn relative_without_price(operation: &str, context: &str) -> f64 {
    if is_compiled_away(operation, context) { 0.0 } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_compiler_does_is_worth_nothing() {
        for operation in ["Cast_numeric", "And", "Or", "BlockGoto_if"] {
            assert_eq!(relative_without_price(operation, CONSTANT), 0.0, "{operation}");
            assert_eq!(relative_without_price(operation, ""), 1.0, "{operation}");
        }
        assert!(is_compiled_away("Cast_numeric", SMALLER_TO_INT));
        for executed in ["Equal_double_double", "Multi_int_float"] {
            assert_eq!(relative_without_price(executed, CONSTANT), 1.0, "{executed}");
        }
        assert_eq!(relative_without_price("Cast_numeric", "int to double"), 1.0);
    }
}
