//! The Java statement of each pattern, with the variables and members that it needs.

use crate::microbenchmarks::Microbenchmark;
use crate::model::bayes::patterns::FactorPattern;

/// Copies of a statement in its loop; the loop itself costs as much as two or three cheap
/// statements.
pub(super) const COPIES: usize = 16;

/// A Java statement of a pattern, with the declarations and members that it needs.
pub(super) struct Statement {
    locals: String,
    body: String,
    keep: String,
    helper: String,
}

impl Statement {
    fn new(locals: &str, body: &str, keep: &str) -> Self {
        let [locals, body, keep] = [locals, body, keep].map(str::to_owned);
        Self { locals, body, keep, helper: String::new() }
    }

    fn helped_by(self, helper: String) -> Self {
        Self { helper, ..self }
    }

    /// The microbenchmark with this name: a loop around the statement.
    pub fn microbenchmark(self, name: String) -> Microbenchmark {
        let Self { locals, body, keep, helper } = self;
        Microbenchmark {
            name,
            measures: Vec::new(),
            locals,
            body,
            helper,
            keep,
            feed: None,
            copies: COPIES,
            places: 1,
            elements: None,
        }
    }

    /// No statement, for the empty loop.
    pub fn none() -> Self {
        Self::new("", "", "yes")
    }

    /// An `if` without an `else` whose branch is taken.
    pub(crate) fn taken_if() -> Self {
        Self::new("int a = intOne, b = a, c = a;", "if (a == b) { c = a; }", "c == b")
    }

    /// The statement that javac compiles to the pattern.
    pub fn of(pattern: &FactorPattern) -> Self {
        let FactorPattern { category, operation, size, kind } = pattern;
        match *category {
            "Increase" => Self::new("int c = intOne;", "c++;", "c == 0"),
            "Bits" => Self::bits(operation, kind),
            "If" => Self::branch(operation, kind),
            "Switch" => Self::switch(operation),
            "Calls" => Self::call(operation, kind),
            "Declaration" => {
                let body = format!("{{ {kind} x = {}; }}", operand(size, kind, "a"));
                Self::new(&format!("{kind} a = {kind}One;"), &body, "a > 0")
            }
            "Objects" => Self::object(operation, kind),
            "Arrays" => Self::array(operation, kind),
            "Conversions" => Self::conversion(operation),
            _ => Self::arithmetic(operation, size, kind),
        }
    }

    fn arithmetic(operation: &str, size: &str, kind: &str) -> Self {
        let b = operand(size, kind, "b");
        let body = match operation {
            "Addition" => format!("c = a + {b};"),
            "Subtraction" => format!("c = a - {b};"),
            "Multiplication" => format!("c = a * {b};"),
            "Division" => format!("c = a / {b};"),
            "Modulo" => "c = a % b;".to_string(),
            _ => "c = -a;".to_string(),
        };
        Self::new(&format!("{kind} a = {kind}One, b = {kind}Two, c = a;"), &body, "c == b")
    }

    fn bits(operation: &str, kind: &str) -> Self {
        let body = match operation {
            "Bit and" => "c = a & b;",
            "Bit or" => "c = a | b;",
            "Bit xor" => "c = a ^ b;",
            "Bit complement" => "c = ~a;",
            "Left bitshift" => "c = a << m;",
            "Right bitshift" => "c = a >> m;",
            _ => "c = a >>> m;",
        };
        let locals = format!("{kind} a = {kind}One, b = {kind}Two, c = a; int m = intTwo;");
        Self::new(&locals, body, "c == b && m > 0")
    }

    fn branch(operation: &str, kind: &str) -> Self {
        if operation == "else branch" {
            let body = "if (a == b) { c = a; } else { c = b; }".to_string();
            return Self { body, ..Self::taken_if() };
        }
        let relation = [
            ("if equal", "=="),
            ("if non-equal", "!="),
            ("if null", "=="),
            ("if non-null", "!="),
            ("if greater or equal", ">="),
            ("if greater (", ">"),
            ("if less or equal", "<="),
        ];
        let relation = relation.iter().find(|(name, _)| operation.starts_with(name));
        let relation = relation.map_or("<", |(_, relation)| relation);
        let b = match operation {
            _ if operation.contains("null") => "null",
            _ if operation.contains("(int )") => "0",
            _ => "b",
        };
        let locals = match kind {
            "Reference" => "Object a = object, b = text;".to_string(),
            _ => format!("{kind} a = {kind}One, b = {kind}Two;"),
        };
        Self::new(&locals, &format!("if (a {relation} {b}) {{ }}"), "a == b")
    }

    /// No label matches, so that nothing but the switch is executed.
    fn switch(operation: &str) -> Self {
        let labels = match operation {
            "Switch-case consecutive" => "case 1: case 2: case 3:",
            _ => "case 1: case 100: case 10000:",
        };
        let body = format!("switch (a) {{ {labels} c = b; }}");
        Self::new("int a = intOne, b = intTwo, c = a;", &body, "c == b")
    }

    fn call(operation: &str, kind: &str) -> Self {
        match operation {
            "Static method call" => {
                Self::new("", "call();", "yes").helped_by("static void call() { }".to_string())
            }
            "Non-static method call" => {
                Self::new("Callee o = new Callee();", "o.call();", "o != null")
                    .helped_by("static final class Callee { void call() { } }".to_string())
            }
            // As it was published: the return with its call.
            _ => {
                let constant = operand("Constant", kind, "");
                Self::new(&format!("{kind} c = {kind}One;"), "c = give();", "c > 0")
                    .helped_by(format!("static {kind} give() {{ return {constant}; }}"))
            }
        }
    }

    fn object(operation: &str, kind: &str) -> Self {
        if operation == "Object allocation" {
            return Self::new("Thing o = null;", "o = new Thing();", "o == null")
                .helped_by("static final class Thing { }".to_string());
        }
        let body = match operation {
            "Object get field" => "c = o.x;",
            "Object get static field" => "c = s;",
            "Object put field" => "o.x = a;",
            _ => "s = a;",
        };
        let locals = format!("{kind} a = {kind}One, c = a; Thing o = new Thing();");
        Self::new(&locals, body, "c == o.x && c == s").helped_by(format!(
            "static {kind} s = {kind}Two; static final class Thing {{ {kind} x = {kind}Two; }}"
        ))
    }

    fn array(operation: &str, kind: &str) -> Self {
        let (java, value) = match kind {
            "Reference" => ("Object", "object".to_string()),
            _ => (kind, format!("{kind}One")),
        };
        if operation == "Array allocation" {
            let locals = format!("int m = intTwo - 2; {java}[] r = null;");
            return Self::new(&locals, &format!("r = new {java}[m];"), "r == null");
        }
        if operation == "Array length" {
            return Self::new("int[] r = new int[intTwo]; int c = 0;", "c = r.length;", "c > 0");
        }
        let body = if operation == "Array load" { "c = r[k];" } else { "r[k] = a;" };
        let locals =
            format!("{java}[] r = new {java}[intTwo]; int k = 1; {java} a = {value}, c = a;");
        Self::new(&locals, body, "c == r[k]")
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
        Self::new(&locals, &format!("c = ({to}) a;"), "c > 0")
    }
}

/// An operand of a size: a local variable, a constant in the instruction, one from the
/// class file's pool.
fn operand(size: &str, kind: &str, local: &str) -> String {
    let constant = match (size, kind) {
        ("Constant", "int") => "5",
        ("Constant", "long") => "1L",
        ("Constant", "float") => "2f",
        ("Constant", _) => "1.0",
        ("32-bit", "int") => "100000",
        ("32-bit", _) => "3.7f",
        ("64-bit", "long") => "100000L",
        ("64-bit", _) => "3.7",
        _ => local,
    };
    constant.to_string()
}
