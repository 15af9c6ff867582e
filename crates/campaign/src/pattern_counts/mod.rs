//! The bytecode patterns that a program executes, counted for predictions by the effects of
//! patterns: each executed instruction is the head of a pattern, a part of one, or outside of all.

mod branch;
mod descriptor;
mod executed_patterns;
mod instruction_roles;
mod operand_stack;

pub use self::executed_patterns::{ExecutedPatterns, OutsideInstruction};
pub use self::instruction_roles::PatternLevels;
