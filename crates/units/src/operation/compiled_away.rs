//! Operations of which a compiler leaves nothing to be executed. Their contexts are named here,
//! so that counting and pricing use the same names.

use super::Operation;

/// Context of an operator whose outcome a constant decides when it is compiled: `d == 0` is
/// compiled as `d == 0.0`, of `DEBUG && x` one side is left.
pub const CONSTANT_CONTEXT: &str = "constant";

/// Context of a cast of a byte, short or char to int, which each of them is when it is loaded.
pub const SMALLER_TO_INT_CONTEXT: &str = "smaller to int";

/// Whether a compiler leaves nothing of an operation in this context. A comparison or a sum with
/// the context `constant` is executed all the same: only the conversion in it is not.
pub fn is_compiled_away(operation: &str, context: &str) -> bool {
    let is_one_of = |operations: &[Operation]| operations.iter().any(|o| o.name() == operation);
    match context {
        CONSTANT_CONTEXT => {
            is_one_of(&[Operation::CAST_NUMERIC, Operation::AND, Operation::OR, Operation::GOTO_IF])
        }
        SMALLER_TO_INT_CONTEXT => is_one_of(&[Operation::CAST_NUMERIC]),
        _ => false,
    }
}

/// Returns the cost of an operation in a context that no microbenchmark has measured, relative
/// to the operation's cost: 0 where a compiler leaves nothing of it, else 1.
pub fn unmeasured_cost_ratio(operation: &str, context: &str) -> f64 {
    if is_compiled_away(operation, context) { 0.0 } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_compiler_does_is_worth_nothing() {
        for operation in ["Cast_numeric", "And", "Or", "BlockGoto_if"] {
            assert_eq!(unmeasured_cost_ratio(operation, CONSTANT_CONTEXT), 0.0, "{operation}");
            assert_eq!(unmeasured_cost_ratio(operation, ""), 1.0, "{operation}");
        }
        assert!(is_compiled_away("Cast_numeric", SMALLER_TO_INT_CONTEXT));
        for executed in ["Equal_double_double", "Multi_int_float"] {
            assert_eq!(unmeasured_cost_ratio(executed, CONSTANT_CONTEXT), 1.0, "{executed}");
        }
        assert_eq!(unmeasured_cost_ratio("Cast_numeric", "int to double"), 1.0);
    }
}
