//! Constants for the operations that code refers to.

use super::Operation;
use super::constant_text::are_equal;

/// Returns the operation with this name at compile time; an unknown name fails the build.
const fn operation_named(name: &str) -> Operation {
    let mut id = 0;
    while id < Operation::COUNT {
        if are_equal(Operation(id as u8).name(), name) {
            return Operation(id as u8);
        }
        id += 1;
    }
    panic!("the catalogue has no operation of this name")
}

macro_rules! constants {
    ($($constant:ident = $name:literal,)*) => {
        impl Operation {
            $(
                #[doc = concat!("`", $name, "`.")]
                pub const $constant: Operation = operation_named($name);
            )*
        }
    };
}

impl Operation {
    /// Whether it is a `return`.
    pub fn is_return(self) -> bool {
        self.name().starts_with("Return_")
    }
}

constants! {
    METHOD_INVOCATION = "Method_Invocation",
    GOTO_IF = "BlockGoto_if",
    GOTO_ELSE = "BlockGoto_else",
    GOTO_FOR = "BlockGoto_for",
    GOTO_FOREACH = "BlockGoto_foreach",
    GOTO_WHILE = "BlockGoto_while",
    GOTO_DO = "BlockGoto_do",
    GOTO_SWITCH = "BlockGoto_switch",
    GOTO_TRY = "BlockGoto_try",
    GOTO_JUMP = "BlockGoto_jump",
    THROW = "Throw",
    SYNCHRONIZED = "Synchronized",
    RETURN_VOID = "Return_void",
    AND = "And",
    OR = "Or",
    NOT = "Not",
    LESS_INT_INT = "Less_int_int",
    LESS_INT_FLOAT = "Less_int_float",
    GREATER_INT_FLOAT = "Greater_int_float",
    EQUAL_OBJECT_NULL = "Equal_Object_null",
    NOT_EQUAL_OBJECT_NULL = "NotEqual_Object_null",
    INSTANCE_OF = "InstanceOf",
    ADDITION_INT_FLOAT = "Addition_int_float",
    SUBTRACTION_INT_FLOAT = "Subtraction_int_float",
    MULTI_INT_FLOAT = "Multi_int_float",
    DIVISION_INT_FLOAT = "Division_int_float",
    INCREMENT = "Increment",
    DECREMENT = "Decrement",
    STRING_CONCAT = "String_Concat",
    ASSIGN_INT_INT = "Assign_int_int",
    ASSIGN_OBJECT_OBJECT = "Assign_Object_Object",
    ASSIGN_OBJECT_NULL = "Assign_Object_null",
    ASSIGN_CHARS = "Assign_char[]_char[]",
    ASSIGN_ARRAY = "Assign_Array_Array",
    ARRAY_REFERENCE = "Array_Reference",
    FIELD_REFERENCE = "Field_Reference",
    DECLARATION_INT = "Declaration_int",
    DECLARATION_OBJECT = "Declaration_Object",
    NEW_OBJECT = "New_Object",
    NEW_ARRAY = "New_Array",
    CAST_NUMERIC = "Cast_numeric",
    CAST_OBJECT = "Cast_Object",
}
