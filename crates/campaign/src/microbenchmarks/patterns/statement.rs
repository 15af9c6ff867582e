//! The Java statements of each pattern, with the variables and members that they need.
//!
//! A statement is written so that javac and D8 leave it as it is: what it computes is kept, a
//! branch that is not taken has an effect, no constant is shared between copies, and no copy
//! assigns what the one before has assigned already.

use crate::microbenchmarks::Microbenchmark;
use crate::model::bayes::patterns::FactorPattern;

use super::comparison::UnmetComparison;
use super::pattern_type::PatternType;
use super::statement_code::{CONSTANT, CalledCode, StatementCode, counted};

/// Copies of most statements in their loop; the loop itself costs as much as two or three cheap
/// statements.
const COPIES: usize = 16;

/// Variables that are increased, each once: of two increases of one variable D8 makes additions
/// with one constant.
const INCREASED: usize = 8;

/// The loop that is subtracted from a pattern's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaselineLoop {
    /// The empty loop.
    Empty,
    /// The `if` without the `else` that is measured.
    TakenIf,
    /// The assignment in the branch that a switch takes.
    Assignment,
}

impl BaselineLoop {
    /// All of them.
    pub const ALL: [BaselineLoop; 3] = [Self::Empty, Self::TakenIf, Self::Assignment];

    /// Name of its microbenchmark.
    pub fn name(self) -> &'static str {
        match self {
            Self::Empty => "loop",
            Self::TakenIf => "taken_if",
            Self::Assignment => "assignment",
        }
    }

    /// Its microbenchmark.
    pub fn microbenchmark(self) -> Microbenchmark {
        let statement = match self {
            Self::Empty => Statement::new("", &[String::new()], "yes"),
            Self::TakenIf => Statement::new(EQUAL, &repeated("if (a == b) { c = a; }"), "c == b"),
            Self::Assignment => {
                Statement::new(SWITCHED, &alternating("c = a;", "c = b;"), "c == b")
            }
        };
        statement.microbenchmark(self.name().to_owned())
    }
}

/// Variables of the `if` with an `else`.
const EQUAL: &str = "int a = intOne, b = a, c = a;";

/// Variables of a switch.
const SWITCHED: &str = "int a = intOne, b = intTwo, c = a;";

/// The copies of a Java statement, with the declarations and members that they need.
pub(super) struct Statement {
    locals: String,
    copies: Vec<String>,
    keep: String,
    helper: String,
    /// The loop that is subtracted.
    pub baseline: BaselineLoop,
    /// The instructions of one copy.
    pub code: StatementCode,
}

/// The same statement several times.
fn repeated(body: &str) -> Vec<String> {
    vec![body.to_owned(); COPIES]
}

/// Two statements in turn.
fn alternating(one: &str, other: &str) -> Vec<String> {
    (0..COPIES).map(|at| if at % 2 == 0 { one } else { other }.to_owned()).collect()
}

impl Statement {
    fn new(locals: &str, copies: &[String], keep: &str) -> Self {
        Self {
            locals: locals.to_owned(),
            copies: copies.to_vec(),
            keep: keep.to_owned(),
            helper: String::new(),
            baseline: BaselineLoop::Empty,
            code: StatementCode::default(),
        }
    }

    fn helped_by(self, helper: impl Into<String>) -> Self {
        Self { helper: helper.into(), ..self }
    }

    fn above(self, baseline: BaselineLoop) -> Self {
        Self { baseline, ..self }
    }

    fn with_code<C: Into<String>, D: Into<String>>(
        self,
        class_file: impl IntoIterator<Item = C>,
        dex: impl IntoIterator<Item = D>,
    ) -> Self {
        let called = self.code.called.clone();
        Self { code: StatementCode { called, ..StatementCode::of(class_file, dex) }, ..self }
    }

    /// Another form in which D8 may leave a copy.
    fn or_dex(mut self, dex: impl IntoIterator<Item = String>) -> Self {
        self.code.dex.push(counted(dex));
        self
    }

    /// Number of copies in the loop.
    pub fn copies(&self) -> usize {
        self.copies.len()
    }

    /// The microbenchmark with this name: a loop around the copies.
    pub fn microbenchmark(self, name: String) -> Microbenchmark {
        let Self { locals, copies, keep, helper, .. } = self;
        Microbenchmark {
            name,
            measures: Vec::new(),
            locals,
            body: copies.join("\n            "),
            helper,
            keep,
            feed: None,
            copies: 1,
            places: 1,
            elements: None,
        }
    }

    /// The statement that javac compiles to the pattern.
    pub fn of(pattern: &FactorPattern) -> Self {
        let FactorPattern { category, operation, size, kind } = *pattern;
        let value = PatternType(kind);
        match category {
            "Increase" => Self::increase(),
            "Bits" => Self::bits(operation, value),
            "If" => Self::branch(operation, value),
            "Switch" => Self::switch(operation),
            "Calls" => Self::call(operation, value),
            "Declaration" => Self::declaration(size, value),
            "Objects" => Self::object(operation, value),
            "Arrays" => Self::array(operation, value),
            "Conversions" => Self::conversion(operation),
            "Negation" => Self::negation(value),
            _ => Self::arithmetic(operation, size, value),
        }
    }

    fn arithmetic(operation: &str, size: &str, value: PatternType<'_>) -> Self {
        let (sign, opcode, dex) = match operation {
            "Addition" => ("+", "add", "add"),
            "Subtraction" => ("-", "sub", "sub"),
            "Multiplication" => ("*", "mul", "mul"),
            "Division" => ("/", "div", "div"),
            _ => ("%", "rem", "rem"),
        };
        let operands = operands(operation, size, value.0);
        let copies: Vec<String> = operands.iter().map(|b| format!("c = a {sign} {b};")).collect();
        let kind = value.java();
        let locals = format!("{kind} a = {kind}One, b = {kind}Two, c = a;");
        let operand = match size {
            "Constant" => CONSTANT.to_owned(),
            "32-bit" => "ldc".to_owned(),
            "64-bit" => "ldc2_w".to_owned(),
            _ => value.opcode("load"),
        };
        let in_class = [value.opcode("load"), operand, value.opcode(opcode), value.opcode("store")];
        let in_dex = match size {
            "Constant" if value.0 == "int" => vec![format!("{}/lit", value.dex(dex))],
            "Constant" | "32-bit" | "64-bit" => vec![value.dex_constant(), value.dex(dex)],
            _ => vec![value.dex(dex)],
        };
        Self::new(&locals, &copies, "c == b").with_code(in_class, in_dex)
    }

    fn negation(value: PatternType<'_>) -> Self {
        let kind = value.java();
        Self::new(&format!("{kind} a = {kind}One, c = a;"), &repeated("c = -a;"), "c == a")
            .with_code(["load", "neg", "store"].map(|name| value.opcode(name)), [value.dex("neg")])
    }

    fn increase() -> Self {
        let others: String = (1..INCREASED).map(|at| format!(", c{at} = c0")).collect();
        let copies: Vec<String> = (0..INCREASED).map(|at| format!("c{at}++;")).collect();
        let all: Vec<String> = (0..INCREASED).map(|at| format!("c{at}")).collect();
        let keep = format!("{} == 0", all.join(" + "));
        Self::new(&format!("int c0 = intOne{others};"), &copies, &keep)
            .with_code(["iinc"], ["add-int/lit"])
    }

    fn bits(operation: &str, value: PatternType<'_>) -> Self {
        let kind = value.java();
        let locals = format!("{kind} a = {kind}One, b = {kind}Two, c = a; int m = intTwo;");
        let (body, opcode, dex) = match operation {
            "Bit and" => ("c = a & b;", "and", "and"),
            "Bit or" => ("c = a | b;", "or", "or"),
            "Bit xor" => ("c = a ^ b;", "xor", "xor"),
            "Bit complement" => ("c = ~a;", "xor", "not"),
            "Left bitshift" => ("c = a << m;", "shl", "shl"),
            "Right bitshift" => ("c = a >> m;", "shr", "shr"),
            _ => ("c = a >>> m;", "ushr", "ushr"),
        };
        let operand = match operation {
            "Bit complement" if value.is_wide() => "ldc2_w".to_owned(),
            "Bit complement" => CONSTANT.to_owned(),
            "Bit and" | "Bit or" | "Bit xor" => value.opcode("load"),
            _ => "iload".to_owned(),
        };
        let in_class = [value.opcode("load"), operand, value.opcode(opcode), value.opcode("store")];
        let is_complement = operation == "Bit complement";
        let copies = match is_complement && value.is_wide() {
            // Its constant is the same in all copies.
            true => vec![body.to_owned()],
            false => repeated(body),
        };
        let statement =
            Self::new(&locals, &copies, "c == b && m > 0").with_code(in_class, [value.dex(dex)]);
        match (is_complement, value.is_wide()) {
            (true, true) => statement.or_dex([value.dex_constant(), value.dex("xor")]),
            (true, false) => statement.or_dex([format!("{}/lit", value.dex("xor"))]),
            _ => statement,
        }
    }

    /// The condition does not hold, so that nothing but the branch is executed; what it would
    /// assign keeps the branch.
    fn branch(operation: &str, value: PatternType<'_>) -> Self {
        if operation == "else branch" {
            let body = repeated("if (a == b) { c = a; } else { c = b; }");
            return Self::new(EQUAL, &body, "c == b")
                .above(BaselineLoop::TakenIf)
                .with_code(["goto", "iload", "istore"], ["goto", "move"]);
        }
        let (relation, comparison) = UnmetComparison::of(operation, value);
        let locals = format!(
            "{kind} a = {}, b = {}, c = b;",
            comparison.first,
            comparison.second,
            kind = value.java()
        );
        let body = format!("if (a {} {}) {{ c = b; }}", relation.sign, comparison.operand);
        let (in_class, in_dex) = comparison.code(value, relation);
        Self::new(&locals, &repeated(&body), "a == b || c == a").with_code(in_class, in_dex)
    }

    /// No label matches, so that the switch leads to the assignment of the baseline.
    fn switch(operation: &str) -> Self {
        let (labels, opcode, dex) = match operation {
            "Switch-case consecutive" => {
                ("case 1: case 2: case 3:", "tableswitch", "packed-switch")
            }
            _ => ("case 1: case 100: case 10000:", "lookupswitch", "sparse-switch"),
        };
        let body = |value| format!("switch (a) {{ default: c = {value}; {labels} }}");
        Self::new(SWITCHED, &alternating(&body('a'), &body('b')), "c == b")
            .above(BaselineLoop::Assignment)
            .with_code(["iload", opcode], [dex])
    }

    fn call(operation: &str, value: PatternType<'_>) -> Self {
        match operation {
            "Static method call" => Self::new("", &repeated("call();"), "yes")
                .helped_by("static void call() { }")
                .with_code(["invokestatic"], ["invoke-static"]),
            "Non-static method call" => {
                Self::new("Callee o = new Callee();", &repeated("o.call();"), "o != null")
                    .helped_by("static final class Callee { void call() { } }")
                    .with_code(["aload", "invokevirtual"], ["invoke-virtual"])
            }
            // As it was published: the return with its call.
            _ => {
                let (kind, constant) = (value.java(), plain_constant(value.0));
                let mut statement =
                    Self::new(&format!("{kind} c = {kind}One;"), &repeated("c = give();"), "c > 0")
                        .helped_by(format!("static {kind} give() {{ return {constant}; }}"));
                statement.code.called = Some(CalledCode {
                    method: "give",
                    class_file: counted([CONSTANT.to_owned(), value.opcode("return")]),
                    dex: counted([value.dex_constant(), value.dex_by_width("return")]),
                });
                statement.with_code(
                    ["invokestatic".to_owned(), value.opcode("store")],
                    ["invoke-static".to_owned(), value.dex_by_width("move-result")],
                )
            }
        }
    }

    /// The variable stands outside of the loop: of one that ends with its block D8 leaves nothing.
    fn declaration(size: &str, value: PatternType<'_>) -> Self {
        let kind = value.java();
        let values = match size {
            "Load" => alternating("a", "b"),
            _ => operands("", size, value.0),
        };
        let copies: Vec<String> = values.iter().map(|of| format!("c = {of};")).collect();
        let (from, dex) = match size {
            "Load" => (value.opcode("load"), value.dex_by_width("move")),
            "Constant" => (CONSTANT.to_owned(), value.dex_constant()),
            "32-bit" => ("ldc".to_owned(), value.dex_constant()),
            _ => ("ldc2_w".to_owned(), value.dex_constant()),
        };
        let locals = format!("{kind} a = {kind}One, b = {kind}Two, c = a;");
        Self::new(&locals, &copies, "c == b").with_code([from, value.opcode("store")], [dex])
    }

    fn object(operation: &str, value: PatternType<'_>) -> Self {
        if operation == "Object allocation" {
            return Self::new("Thing o = null;", &repeated("o = new Thing();"), "o == null")
                .helped_by("static final class Thing { }")
                .with_code(
                    ["new", "dup", "invokespecial", "astore"],
                    ["new-instance", "invoke-direct"],
                );
        }
        let aload = || "aload".to_owned();
        let (load, store) = (value.opcode("load"), value.opcode("store"));
        let (body, in_class, dex) = match operation {
            "Object get field" => ("c = o.x;", vec![aload(), "getfield".into(), store], "iget"),
            "Object get static field" => ("c = s;", vec!["getstatic".into(), store], "sget"),
            "Object put field" => ("o.x = a;", vec![aload(), load, "putfield".into()], "iput"),
            _ => ("s = a;", vec![load, "putstatic".into()], "sput"),
        };
        let kind = value.java();
        let locals = format!("{kind} a = {kind}One, c = a; Thing o = new Thing();");
        let helper = format!(
            "static {kind} s = {kind}Two; static final class Thing {{ {kind} x = {kind}Two; }}"
        );
        Self::new(&locals, &repeated(body), "c == o.x && c == s")
            .helped_by(helper)
            .with_code(in_class, [value.dex_by_width(dex)])
    }

    fn array(operation: &str, value: PatternType<'_>) -> Self {
        let java = value.java();
        let (load, store) = (value.opcode("load"), value.opcode("store"));
        let plain = |names: [&str; 3]| names.map(str::to_owned);
        match operation {
            "Array allocation" => {
                let make = if java == "Object" { "anewarray" } else { "newarray" };
                let locals = format!("int m = intTwo - 2; {java}[] r = null;");
                Self::new(&locals, &repeated(&format!("r = new {java}[m];")), "r == null")
                    .with_code(plain(["iload", make, "astore"]), ["new-array"])
            }
            "Array length" => {
                let locals = "int[] r = new int[intTwo]; int c = 0;";
                Self::new(locals, &repeated("c = r.length;"), "c > 0")
                    .with_code(plain(["aload", "arraylength", "istore"]), ["array-length"])
            }
            _ => {
                let first = value.first_value();
                let locals = format!(
                    "{java}[] r = new {java}[intTwo]; int k = 1; {java} a = {first}, c = a;"
                );
                let of_array = |last: [String; 2]| {
                    ["aload".to_owned(), "iload".to_owned()].into_iter().chain(last)
                };
                match operation {
                    "Array load" => Self::new(&locals, &repeated("c = r[k];"), "c == r[k]")
                        .with_code(
                            of_array([value.opcode("aload"), store]),
                            [value.dex_by_width("aget")],
                        ),
                    _ => Self::new(&locals, &repeated("r[k] = a;"), "c == r[k]").with_code(
                        of_array([load, value.opcode("astore")]),
                        [value.dex_by_width("aput")],
                    ),
                }
            }
        }
    }

    /// `d2f`: from the first letter's type to the last one's.
    fn conversion(operation: &str) -> Self {
        let kind = |letter: Option<char>| match letter {
            Some('l') => "long",
            Some('f') => "float",
            Some('d') => "double",
            Some('b') => "byte",
            Some('c') => "char",
            Some('s') => "short",
            _ => "int",
        };
        let (from, to) = (kind(operation.chars().next()), kind(operation.chars().last()));
        let locals = format!("{from} a = {from}One; {to} c = ({to}) a;");
        let in_class = [
            PatternType(from).opcode("load"),
            operation.to_owned(),
            PatternType(to).opcode("store"),
        ];
        Self::new(&locals, &repeated(&format!("c = ({to}) a;")), "c > 0")
            .with_code(in_class, [format!("{from}-to-{to}")])
    }
}

/// Second operands of a statement's copies: a local variable, a constant in the instruction, or
/// constants from the class file's pool, of which D8 would make one if they were equal. There are
/// too few constants in instructions for that, so these statements stand alone.
fn operands(operation: &str, size: &str, kind: &str) -> Vec<String> {
    let several = |of: fn(usize) -> String| (0..COPIES).map(of).collect();
    match (size, kind) {
        ("Constant", "int") => repeated("5"),
        ("Constant", _) if operation.is_empty() => repeated(plain_constant(kind)),
        ("Constant", "long") => vec!["1L".to_owned()],
        // A division by zero is another division, and one by one is none.
        ("Constant", "float") if operation == "Division" => vec!["2f".to_owned()],
        ("Constant", "double") if operation == "Division" => vec!["1.0".to_owned()],
        ("Constant", _) => vec![plain_constant(kind).to_owned()],
        ("32-bit", "int") => several(|at| (100_000 + at).to_string()),
        ("32-bit", _) => several(|at| format!("{at}.7f")),
        ("64-bit", "long") => several(|at| format!("{}L", 100_000 + at)),
        ("64-bit", _) => several(|at| format!("{at}.7")),
        _ => repeated("b"),
    }
}

/// A constant that is short in a class file and in DEX.
fn plain_constant(kind: &str) -> &'static str {
    match kind {
        "int" => "5",
        "long" => "1L",
        "float" => "0f",
        _ => "0.0",
    }
}
