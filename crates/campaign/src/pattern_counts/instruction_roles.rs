//! Each instruction of a method as the head of a pattern, a part of one, or outside of all.
//!
//! A pattern is the bytecode of a source statement: loads of its operands, a head, and the store of
//! its result. In a larger expression a result stays on the stack for the next head instead; as an
//! operand it counts as a load, the least that a pattern has.

use std::collections::BTreeSet;

use crate::model::bayes::patterns::CONVERSIONS;
use crate::toolchain::code_listing::ListedInstruction;

use super::branch::branch;
use super::descriptor::{CalledMethod, field_descriptor, kind_of};
use super::operand_stack::{OperandStack, Origin, StackValue};

/// Levels of a pattern; an empty one does not apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PatternLevels {
    /// The operation.
    pub operation: &'static str,
    /// Origin of the operand or its width.
    pub size: &'static str,
    /// Type of the operands.
    pub kind: &'static str,
}

/// What an executed instruction is counted as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InstructionRole {
    /// The head of a pattern, which stands for all of it.
    Head(PatternLevels),
    /// A part of a pattern whose head is another instruction.
    Part,
    /// No part of any pattern, for this reason.
    Outside(&'static str),
}

/// Names, with slashes, of the classes whose bytecode is counted.
pub(super) type OwnClasses<'c> = BTreeSet<&'c str>;

const LOADED_OVER_A_JUMP: &str = "an operand that is used behind a jump";
const UNUSED: &str = "a value that no pattern uses";
const ARGUMENT: &str = "an argument of a call; patterns of calls have none";
const LIBRARY: &str = "a call of a library, whose own bytecode is not counted";
const DYNAMIC: &str = "a call that is linked when it is first executed";
const CONSTRUCTOR: &str = "a call of another constructor";
const DISPATCH: &str =
    "a method with a result that is not static: its return was measured with a static call";
const NO_PATTERN: &str = "no pattern has this instruction";

/// The roles of a method's instructions, in their order.
pub(super) fn instruction_roles(
    code: &[ListedInstruction],
    own: &OwnClasses<'_>,
) -> Vec<InstructionRole> {
    let targets: BTreeSet<usize> = code.iter().filter_map(|one| one.target).collect();
    let mut reader = RoleReader {
        own,
        stack: OperandStack::default(),
        roles: vec![InstructionRole::Outside(UNUSED); code.len()],
        at: 0,
    };
    for (at, one) in code.iter().enumerate() {
        if targets.contains(&at) {
            reader.forget();
        }
        reader.at = at;
        reader.read(one);
        if ends_path(&one.name) {
            reader.forget();
        }
    }
    reader.forget();
    reader.roles
}

/// Whether the next instruction is not reached from this one.
fn ends_path(name: &str) -> bool {
    name.ends_with("return")
        || name.ends_with("switch")
        || matches!(name, "goto" | "athrow" | "ret")
}

/// Reads a method's instructions in order.
struct RoleReader<'o> {
    own: &'o OwnClasses<'o>,
    stack: OperandStack,
    roles: Vec<InstructionRole>,
    /// Number of the instruction being read.
    at: usize,
}

impl RoleReader<'_> {
    fn set(&mut self, role: InstructionRole) {
        self.roles[self.at] = role;
    }

    /// Gives the role to the load or constant that made a value, unless a pattern has it already.
    fn use_value(&mut self, value: StackValue, role: InstructionRole) {
        let Some(made_by) = value.made_by.filter(|_| value.origin.is_simple()) else { return };
        if self.roles[made_by] != InstructionRole::Part {
            self.roles[made_by] = role;
        }
    }

    /// Empties the stack: what is left is used behind a jump.
    fn forget(&mut self) {
        for value in self.stack.clear() {
            self.use_value(value, InstructionRole::Outside(LOADED_OVER_A_JUMP));
        }
    }

    /// Takes so many operands of a pattern, the last one first.
    fn operands(&mut self, count: usize) -> Vec<StackValue> {
        let values: Vec<StackValue> = (0..count).map(|_| self.stack.pop()).collect();
        for value in &values {
            self.use_value(*value, InstructionRole::Part);
        }
        values
    }

    fn push(&mut self, origin: Origin, is_wide: bool) {
        self.stack.push(StackValue { origin, made_by: Some(self.at), is_wide });
    }

    fn push_of(&mut self, kind: &str) {
        self.push(Origin::Computed, matches!(kind, "long" | "double"));
    }

    fn head(&mut self, operation: &'static str, size: &'static str, kind: &'static str) {
        self.set(InstructionRole::Head(PatternLevels { operation, size, kind }));
    }

    fn read(&mut self, one: &ListedInstruction) {
        let name = one.name.as_str();
        if let Some(origin) = constant(one) {
            let is_wide = name.starts_with(['l', 'd']) && name != "ldc"
                || one.operand.starts_with(['J', 'D']) && name == "ldc";
            return self.push(origin, is_wide);
        }
        if let Some(kind) = typed(name, "load") {
            return self.push(Origin::Load, matches!(kind, "long" | "double"));
        }
        if let Some(kind) = typed(name, "store") {
            return self.store(kind);
        }
        if let Some((operation, kind, count)) = self.branch_of(name) {
            self.operands(count);
            return self.head(operation, "", kind);
        }
        if self.arithmetic(name) || self.memory(one) || self.calls(one) {
            return;
        }
        self.rest(one);
    }

    fn branch_of(&mut self, name: &str) -> Option<(&'static str, &'static str, usize)> {
        if !name.starts_with("if") {
            return None;
        }
        let top = self.stack.pop();
        self.stack.push(top);
        let compared = match top.origin {
            Origin::Compared(kind) => Some(kind),
            _ => None,
        };
        branch(name, compared)
    }

    /// A store is a declaration where it has a load or constant, else it belongs to what it stores.
    fn store(&mut self, kind: &'static str) {
        let value = self.stack.pop();
        self.use_value(value, InstructionRole::Part);
        match size_of(value.origin) {
            Some(size) => self.head("Variable declaration", size, kind),
            None => self.set(InstructionRole::Part),
        }
    }

    /// Computations with numbers.
    fn arithmetic(&mut self, name: &str) -> bool {
        const WITH_SIZE: [(&str, &str); 4] = [
            ("add", "Addition"),
            ("sub", "Subtraction"),
            ("mul", "Multiplication"),
            ("div", "Division"),
        ];
        const PLAIN: [(&str, &str); 7] = [
            ("rem", "Modulo"),
            ("and", "Bit and"),
            ("or", "Bit or"),
            ("ushr", "Logical right bitshift"),
            ("shl", "Left bitshift"),
            ("shr", "Right bitshift"),
            ("xor", "Bit xor"),
        ];
        let of = |(opcode, operation): &(&str, &'static str)| {
            typed(name, opcode).map(|kind| (*operation, kind))
        };
        if let Some((operation, kind)) = WITH_SIZE.iter().find_map(of) {
            let operands = self.operands(2);
            self.head(operation, operand_size(&operands), kind);
            self.push_of(kind);
        } else if let Some((operation, kind)) = PLAIN.iter().find_map(of) {
            let operands = self.operands(2);
            let is_complement =
                operation == "Bit xor" && operands.iter().any(|of| of.origin.is_minus_one());
            self.head(if is_complement { "Bit complement" } else { operation }, "", kind);
            self.push_of(kind);
        } else if let Some(kind) = typed(name, "neg") {
            self.operands(1);
            self.head("Negation", "", kind);
            self.push_of(kind);
        } else if let Some((operation, kind)) = conversion(name) {
            self.operands(1);
            self.head(operation, "", "");
            self.push_of(kind);
        } else if let Some(kind) = ["cmp", "cmpl", "cmpg"].iter().find_map(|of| typed(name, of)) {
            self.operands(2);
            self.set(InstructionRole::Part);
            self.push(Origin::Compared(kind), false);
        } else if name == "iinc" {
            self.head("Increase", "", "int");
        } else {
            return false;
        }
        true
    }

    /// Arrays, objects and their fields.
    fn memory(&mut self, one: &ListedInstruction) -> bool {
        let (name, operand) = (one.name.as_str(), one.operand.as_str());
        let field = || kind_of(field_descriptor(operand));
        if let Some(kind) = element(name, "aload") {
            self.operands(2);
            self.head("Array load", "Load", kind);
            self.push_of(kind);
            return true;
        }
        if let Some(kind) = element(name, "astore") {
            self.operands(3);
            self.head("Array store", "Load", kind);
            return true;
        }
        match name {
            "arraylength" => {
                self.operands(1);
                self.head("Array length", "", "int");
                self.push_of("int");
            }
            "newarray" | "anewarray" => {
                let length = self.operands(1);
                let kind = if name == "newarray" { primitive(operand) } else { "Reference" };
                self.head("Array allocation", operand_size(&length), kind);
                self.push_of("Reference");
            }
            "new" => {
                self.head("Object allocation", "", "Reference");
                self.push(Origin::New, false);
            }
            "getfield" => {
                self.operands(1);
                self.head("Object get field", "", field());
                self.push_of(field());
            }
            "getstatic" => {
                self.head("Object get static field", "", field());
                self.push_of(field());
            }
            "putfield" => {
                self.operands(2);
                self.head("Object put field", "", field());
            }
            "putstatic" => {
                self.operands(1);
                self.head("Object put static field", "", field());
            }
            _ => return false,
        }
        true
    }

    fn calls(&mut self, one: &ListedInstruction) -> bool {
        let name = one.name.as_str();
        if let Some(kind) = typed(name, "return") {
            self.operands(1);
            self.head("return statement", "", kind);
            return true;
        }
        if name == "return" {
            self.set(InstructionRole::Part);
            return true;
        }
        let Some(called) = CalledMethod::of(&one.operand).filter(|_| name.starts_with("invoke"))
        else {
            return false;
        };
        for _ in 0..called.arguments {
            let value = self.stack.pop();
            self.use_value(value, InstructionRole::Outside(ARGUMENT));
        }
        let has_receiver = !matches!(name, "invokestatic" | "invokedynamic");
        let receiver = has_receiver.then(|| self.stack.pop());
        self.call(name, called, receiver);
        if called.result != "V" {
            self.push_of(kind_of(called.result));
        }
        true
    }

    /// A call whose arguments are taken.
    fn call(&mut self, name: &str, called: CalledMethod<'_>, receiver: Option<StackValue>) {
        let is_own = self.own.contains(called.owner);
        let has_result = called.result != "V";
        let is_object = called.owner == "java/lang/Object" && called.name == "<init>";
        let role = match receiver.map(|of| of.origin) {
            _ if name == "invokedynamic" => InstructionRole::Outside(DYNAMIC),
            // The constructor of Object is part of every allocation.
            _ if is_object => InstructionRole::Part,
            _ if !is_own => InstructionRole::Outside(LIBRARY),
            Some(Origin::New) if called.name == "<init>" => InstructionRole::Part,
            Some(_) if called.name == "<init>" => InstructionRole::Outside(CONSTRUCTOR),
            Some(_) if has_result => InstructionRole::Outside(DISPATCH),
            // The pattern of the return has it.
            None if has_result => InstructionRole::Part,
            Some(_) => call_pattern("Non-static method call"),
            None => call_pattern("Static method call"),
        };
        if let Some(receiver) = receiver {
            let of_receiver = match role {
                InstructionRole::Outside(_) => InstructionRole::Outside(ARGUMENT),
                _ => InstructionRole::Part,
            };
            self.use_value(receiver, of_receiver);
        }
        self.set(role);
    }

    /// What is left: jumps, copies of the stack, and what no pattern has.
    fn rest(&mut self, one: &ListedInstruction) {
        match one.name.as_str() {
            "goto" => self.head("else branch", "", ""),
            "tableswitch" | "lookupswitch" => {
                self.operands(1);
                let consecutive = "Switch-case consecutive";
                let is_table = one.name == "tableswitch";
                self.head(
                    if is_table { consecutive } else { "Switch-case non-consecutive" },
                    "",
                    "int",
                );
            }
            name if name.starts_with("dup") => {
                let top = self.stack.pop();
                self.stack.push(top);
                // Of a new object it is part of the allocation.
                let is_of_new = name == "dup" && top.origin == Origin::New;
                self.set(match is_of_new {
                    true => InstructionRole::Part,
                    false => InstructionRole::Outside(NO_PATTERN),
                });
                self.stack.duplicate(name);
            }
            _ => self.outside(one),
        }
    }

    fn outside(&mut self, one: &ListedInstruction) {
        self.set(InstructionRole::Outside(NO_PATTERN));
        match one.name.as_str() {
            "swap" => self.stack.swap(),
            "pop" | "monitorenter" | "monitorexit" | "athrow" => {
                self.stack.pop();
            }
            "pop2" => self.stack.pop_two_words(),
            "instanceof" => {
                self.stack.pop();
                self.push_of("int");
            }
            "multianewarray" => {
                match length_count(&one.operand) {
                    Some(lengths) => {
                        for _ in 0..lengths {
                            self.stack.pop();
                        }
                    }
                    // What it takes from the stack is not known.
                    None => self.forget(),
                }
                self.push_of("Reference");
            }
            // checkcast and nop leave the stack as it is.
            _ => {}
        }
    }
}

fn call_pattern(operation: &'static str) -> InstructionRole {
    InstructionRole::Head(PatternLevels { operation, size: "Reference", kind: "" })
}

/// The type of an instruction that begins with a type's letter: `iadd` for `add`.
fn typed(name: &str, operation: &str) -> Option<&'static str> {
    match name.strip_suffix(operation)? {
        "i" => Some("int"),
        "l" => Some("long"),
        "f" => Some("float"),
        "d" => Some("double"),
        "a" => Some("Reference"),
        _ => None,
    }
}

/// The type of the elements of `iaload` and the like, for `aload`.
fn element(name: &str, operation: &str) -> Option<&'static str> {
    match name.strip_suffix(operation)? {
        "b" | "c" | "s" => Some("int"),
        "" => None,
        _ => typed(name, operation),
    }
}

/// The element type of `newarray`'s operand (JVMS 6.5).
fn primitive(operand: &str) -> &'static str {
    match operand {
        "6" => "float",
        "7" => "double",
        "11" => "long",
        _ => "int",
    }
}

/// Number of lengths that `multianewarray` takes, by its operand: `2[[I`.
fn length_count(operand: &str) -> Option<u8> {
    operand.split_once('[')?.0.parse().ok()
}

/// Operation and resulting type of a conversion.
fn conversion(name: &str) -> Option<(&'static str, &'static str)> {
    let found = CONVERSIONS.into_iter().find(|of| *of == name)?;
    let kind = match found.as_bytes()[2] {
        b'l' => "long",
        b'f' => "float",
        b'd' => "double",
        _ => "int",
    };
    Some((found, kind))
}

/// The origin of the constant that an instruction pushes, if it pushes one.
fn constant(one: &ListedInstruction) -> Option<Origin> {
    let is_minus_one = one.name == "iconst_m1" || one.operand == "-1" || one.operand == "J-1";
    match one.name.as_str() {
        "ldc" => Some(match one.operand.as_bytes().first() {
            Some(b'I' | b'F') => Origin::Pool32,
            Some(b'J' | b'D') => Origin::Pool64 { is_minus_one },
            _ => Origin::PoolReference,
        }),
        "bipush" | "sipush" | "aconst_null" => Some(Origin::Constant { is_minus_one }),
        name => {
            let rest = name.strip_prefix(['i', 'l', 'f', 'd'])?;
            rest.starts_with("const_").then_some(Origin::Constant { is_minus_one })
        }
    }
}

/// The size of a value that a load or a constant made.
fn size_of(origin: Origin) -> Option<&'static str> {
    match origin {
        Origin::Load => Some("Load"),
        Origin::Constant { .. } => Some("Constant"),
        Origin::Pool32 => Some("32-bit"),
        Origin::Pool64 { .. } => Some("64-bit"),
        Origin::PoolReference => Some("Reference"),
        _ => None,
    }
}

/// The size of a pattern by its operands: the widest constant, else a load.
fn operand_size(operands: &[StackValue]) -> &'static str {
    let sizes: Vec<&str> = operands.iter().filter_map(|value| size_of(value.origin)).collect();
    let widest = ["64-bit", "32-bit", "Constant"].into_iter().find(|size| sizes.contains(size));
    widest.unwrap_or("Load")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roles(code: &[&str]) -> Vec<InstructionRole> {
        let parse = |text: &&str| {
            let mut words = text.split(' ');
            let name = words.next().unwrap_or_default().to_owned();
            let operand = words.next().unwrap_or_default().to_owned();
            let target = words.next().and_then(|target| target.parse().ok());
            ListedInstruction { name, operand, target }
        };
        let code: Vec<ListedInstruction> = code.iter().map(parse).collect();
        instruction_roles(&code, &BTreeSet::from(["a/B"]))
    }

    fn head(operation: &'static str, size: &'static str, kind: &'static str) -> InstructionRole {
        InstructionRole::Head(PatternLevels { operation, size, kind })
    }

    const PART: InstructionRole = InstructionRole::Part;

    #[test]
    fn operands_and_stores_are_parts_of_the_head() {
        assert_eq!(
            roles(&["iload", "iload", "iadd", "istore"]),
            [PART, PART, head("Addition", "Load", "int"), PART]
        );
        assert_eq!(
            roles(&["lload", "ldc J", "lmul", "lstore"])[2],
            head("Multiplication", "64-bit", "long")
        );
        assert_eq!(
            roles(&["iconst_5", "iload", "isub"])[2],
            head("Subtraction", "Constant", "int")
        );
        assert_eq!(roles(&["fload", "ldc F", "fdiv"])[2], head("Division", "32-bit", "float"));
        assert_eq!(
            roles(&["ldc D", "dstore"]),
            [PART, head("Variable declaration", "64-bit", "double")]
        );
        assert_eq!(roles(&["lload", "ldc J-1", "lxor"])[2], head("Bit complement", "", "long"));
        assert_eq!(roles(&["iload", "i2b", "istore"])[1], head("i2b", "", ""));
    }

    /// `s += x[i * n + k]`.
    #[test]
    fn results_on_the_stack_count_as_loads() {
        let found = roles(&[
            "dload", "aload", "iload", "iload", "imul", "iload", "iadd", "daload", "dadd", "dstore",
        ]);
        let heads = [
            (4, head("Multiplication", "Load", "int")),
            (6, head("Addition", "Load", "int")),
            (7, head("Array load", "Load", "double")),
            (8, head("Addition", "Load", "double")),
        ];
        for (at, role) in heads {
            assert_eq!(found[at], role);
        }
        assert!([0, 1, 2, 3, 5, 9].iter().all(|at| found[*at] == PART), "{found:?}");
    }

    #[test]
    fn branches_have_the_type_that_was_compared() {
        let found = roles(&["dload", "dload", "dcmpg", "ifge - 5", "nop", "return"]);
        assert_eq!(found[3], head("if less (numerical data types)", "", "double"));
        assert_eq!(found[2], PART);
        assert_eq!(roles(&["iload", "ifeq - 0"])[1], head("if non-equal (int )", "", "int"));
        assert_eq!(roles(&["goto - 0"]), [head("else branch", "", "")]);
    }

    #[test]
    fn calls_and_objects_are_patterns_where_their_code_is_counted() {
        let own = roles(&["iload", "invokestatic a/B.run:(I)V"]);
        assert_eq!(own[1], head("Static method call", "Reference", ""));
        assert_eq!(own[0], InstructionRole::Outside(ARGUMENT));
        assert_eq!(
            roles(&["aload", "invokevirtual a/B.run:()V"]),
            [PART, head("Non-static method call", "Reference", "")]
        );
        // A receiver is part of a pattern where its call is.
        let (of_call, dispatch) =
            (InstructionRole::Outside(ARGUMENT), InstructionRole::Outside(DISPATCH));
        assert_eq!(
            roles(&["aload", "invokevirtual a/B.give:()J", "lstore"]),
            [of_call, dispatch, PART]
        );
        let of_object = roles(&["aload", "invokespecial java/lang/Object.<init>:()V"]);
        assert_eq!(of_object, [PART, PART]);
        // Its return stands for it.
        assert_eq!(roles(&["invokestatic a/B.give:()J", "lstore"]), [PART, PART]);
        assert_eq!(roles(&["lconst_1", "lreturn"]), [PART, head("return statement", "", "long")]);
        let made = roles(&["new a/B", "dup", "invokespecial a/B.<init>:()V", "astore"]);
        assert_eq!(made, [head("Object allocation", "", "Reference"), PART, PART, PART]);
        let library = roles(&["dload", "invokestatic java/lang/Math.sqrt:(D)D", "dstore"]);
        assert_eq!(library[1], InstructionRole::Outside(LIBRARY));
    }

    /// `this.grid = new int[n][m]`.
    #[test]
    fn an_array_of_arrays_takes_its_lengths_and_leaves_other_loads_to_their_heads() {
        let found =
            roles(&["aload", "iload", "iload", "multianewarray 2[[I", "putfield a/B.c:[[I"]);
        let unused = InstructionRole::Outside(UNUSED);
        assert_eq!(found[..3], [PART, unused, unused]);
        assert_eq!(found[3], InstructionRole::Outside(NO_PATTERN));
        assert_eq!(found[4], head("Object put field", "", "Reference"));
    }

    #[test]
    fn a_load_whose_type_is_tested_is_no_part_of_a_pattern() {
        let found = roles(&["aload", "instanceof a/B", "ifeq - 3", "return"]);
        assert_eq!(found[0], InstructionRole::Outside(UNUSED));
        assert_eq!(found[1], InstructionRole::Outside(NO_PATTERN));
        assert_eq!(found[2], head("if non-equal (int )", "", "int"));
    }

    #[test]
    fn nothing_is_dropped() {
        let found = roles(&["iload", "ifeq - 4", "iload", "goto - 5", "iload", "ireturn"]);
        assert_eq!(found[2], InstructionRole::Outside(LOADED_OVER_A_JUMP));
        assert_eq!(roles(&["aload", "monitorenter"])[1], InstructionRole::Outside(NO_PATTERN));
        assert_eq!(roles(&["iload", "pop"])[0], InstructionRole::Outside(UNUSED));
        // x[i] += 3
        let compound = roles(&["aload", "iload", "dup2", "iaload", "iconst_3", "iadd", "iastore"]);
        assert_eq!(compound[2], InstructionRole::Outside(NO_PATTERN));
        assert_eq!([compound[0], compound[1]], [PART, PART]);
        assert_eq!(compound[6], head("Array store", "Load", "int"));
        // Nothing panics on code that is none.
        assert_eq!(roles(&["multianewarray", "multianewarray 999[[I"]).len(), 2);
        assert_eq!(roles(&["iadd", "dup_x2", "what a b", "invokestatic x"]).len(), 4);
    }
}
