//! The 174 bytecode patterns of the probabilistic profiler as kernels: a statement for each,
//! many times in a loop, and the loops without it, which are subtracted.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Kernel;
use super::measure::KernelRun;
use crate::model::ModelError;
use crate::model::bayes::patterns::{Pattern, patterns};

/// How often the statement stands in its loop: the loop itself costs as much as two or three
/// cheap statements.
const COPIES: usize = 16;

/// The empty loop.
const LOOP: &str = "loop";

/// An `if` without the `else` that is measured.
const TAKEN_IF: &str = "taken_if";

/// A pattern's kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternKernel {
    /// What it measures.
    pub pattern: Pattern,
    /// The loop around its statement.
    pub kernel: Kernel,
    /// Name of the kernel that does all but that.
    pub baseline: &'static str,
}

/// Energy of one execution of a pattern, with the columns of its levels
/// ([`FACTORS`](crate::model::bayes::patterns::FACTORS)).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PatternEnergy {
    /// The pattern's category.
    pub category: &'static str,
    /// Its operation.
    pub operation: &'static str,
    /// Where its operand comes from or how wide it is; empty where that doesn't apply.
    pub size: &'static str,
    /// Type of its operands; empty where that doesn't apply.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The board.
    pub device: String,
    /// The session, from 1.
    pub repeat: usize,
    /// Joules of one execution, above its baseline; noise can make it negative.
    pub energy_j: f64,
    /// Executions in the window.
    pub executions: u64,
    /// Garbage collections in the window; their energy is part of the executions'.
    pub collections: u64,
}

/// Kernels of all patterns, in the patterns' order.
pub fn pattern_kernels() -> Vec<PatternKernel> {
    patterns().into_iter().map(PatternKernel::of).collect()
}

/// The kernels that are subtracted.
pub fn baselines() -> [Kernel; 2] {
    let code = Code::new("int a = intOne, b = a, c = a;", "if (a == b) { c = a; }", "c == b");
    [Code::new("", "", "yes").kernel(LOOP.into()), code.kernel(TAKEN_IF.into())]
}

/// What sessions give, session after session, each with its own baselines. Where a kernel or its
/// baseline is missing there is no row.
pub fn pattern_energies(
    kernels: &[PatternKernel],
    sessions: &[Vec<KernelRun>],
) -> Vec<PatternEnergy> {
    let mut energies = Vec::new();
    for (at, runs) in sessions.iter().enumerate() {
        let runs: BTreeMap<&str, &KernelRun> =
            runs.iter().map(|run| (run.name.as_str(), run)).collect();
        let per_iteration = |name| runs.get(name).map(|run| run.energy_j / run.iterations as f64);
        for PatternKernel { pattern, kernel, baseline } in kernels {
            let Some(run) = runs.get(kernel.name.as_str()) else { continue };
            let Some(without) = per_iteration(*baseline) else { continue };
            let Pattern { category, operation, size, kind } = *pattern;
            energies.push(PatternEnergy {
                category,
                operation,
                size,
                kind,
                device: run.device.clone(),
                repeat: at + 1,
                energy_j: (run.energy_j / run.iterations as f64 - without) / COPIES as f64,
                executions: run.iterations * COPIES as u64,
                collections: run.collections,
            });
        }
    }
    energies
}

/// A row per pattern, board and session, with the factors that `fit --factors` asks for.
///
/// # Errors
/// A row that can't be written.
pub fn energies_csv(energies: &[PatternEnergy]) -> Result<String, ModelError> {
    crate::model::csv_of(energies)
}

impl PatternKernel {
    fn of(pattern: Pattern) -> Self {
        let words = [pattern.operation, pattern.size, pattern.kind].join(" ");
        let words =
            words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        let name = words.collect::<Vec<_>>().join("_");
        let baseline = if pattern.operation == "else branch" { TAKEN_IF } else { LOOP };
        let kernel = Kernel { measures: Vec::new(), ..Code::of(&pattern).kernel(name) };
        Self { pattern, kernel, baseline }
    }
}

/// The Java of a kernel.
#[derive(Default)]
struct Code {
    locals: String,
    body: String,
    keep: String,
    helper: String,
}

impl Code {
    fn new(locals: &str, body: &str, keep: &str) -> Self {
        let [locals, body, keep] = [locals, body, keep].map(str::to_owned);
        Self { locals, body, keep, helper: String::new() }
    }

    fn helped_by(self, helper: String) -> Self {
        Self { helper, ..self }
    }

    fn kernel(self, name: String) -> Kernel {
        let Self { locals, body, keep, helper } = self;
        Kernel { name, measures: Vec::new(), locals, body, helper, keep, copies: COPIES }
    }

    /// The statement that javac makes the pattern of, and what it needs.
    fn of(pattern: &Pattern) -> Self {
        let Pattern { category, operation, size, kind } = pattern;
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
            let [base, body] =
                ["int a = intOne, b = a, c = a;", "if (a == b) { c = a; } else { c = b; }"];
            return Self::new(base, body, "c == b");
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_pattern_has_a_kernel_of_its_own() {
        let kernels = pattern_kernels();
        let names: BTreeSet<&str> = kernels.iter().map(|k| k.kernel.name.as_str()).collect();
        assert_eq!((kernels.len(), names.len()), (174, 174));
        let texts: BTreeSet<String> =
            kernels.iter().map(|k| format!("{} {}", k.kernel.locals, k.kernel.body)).collect();
        // Return statements differ in the helper, fields of one type in the statement.
        assert_eq!(texts.len(), 174, "two patterns have the same statement");
    }

    #[test]
    fn statements_are_those_of_the_patterns() {
        let kernels = pattern_kernels();
        let body = |name: &str| {
            let found = kernels.iter().find(|k| k.kernel.name == name);
            found.unwrap_or_else(|| panic!("no {name}")).kernel.body.clone()
        };
        assert_eq!(body("Addition_Load_int"), "c = a + b;");
        assert_eq!(body("Division_64_bit_double"), "c = a / 3.7;");
        assert_eq!(body("Variable_declaration_Constant_long"), "{ long x = 1L; }");
        assert_eq!(body("if_greater_numerical_data_types_float"), "if (a > b) { }");
        assert_eq!(body("if_greater_or_equal_int_int"), "if (a >= 0) { }");
        assert_eq!(body("if_non_null_references_Reference"), "if (a != null) { }");
        assert_eq!(body("d2l"), "c = (long) a;");
    }

    #[test]
    fn the_baseline_of_the_session_is_subtracted() {
        let run = |name: &str, iterations: u64, energy_j: f64| KernelRun {
            name: name.into(),
            device: "board".into(),
            iterations,
            collections: 0,
            energy_j,
            duration_s: 1.0,
        };
        let sessions = [
            vec![run("loop", 10, 20.0), run("d2l", 100, 200.0 + 100.0 * COPIES as f64 * 3.0)],
            vec![run("d2l", 100, 5.0)],
        ];
        let energies = pattern_energies(&pattern_kernels(), &sessions);
        assert_eq!(energies.len(), 1, "no baseline, no row");
        assert_eq!(energies[0].energy_j, 3.0);
        assert_eq!(energies[0].executions, 100 * COPIES as u64);
        let csv = energies_csv(&energies).unwrap();
        let head = "category,operation,size,type,device,repeat,energy_j,executions,collections";
        assert_eq!(csv, format!("{head}\nConversions,d2l,,,board,1,3.0,1600,0\n"));
    }
}
