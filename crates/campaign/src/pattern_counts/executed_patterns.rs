//! The patterns that a counted run has executed, with the instructions outside of all patterns.

use std::collections::{BTreeMap, BTreeSet};

use crate::csv_text::CsvText;
use crate::model::bayes::patterns::patterns;
use crate::toolchain::bytecode_counter::CountedMethod;
use crate::toolchain::code_listing::ListedInstruction;

use super::instruction_roles::{InstructionRole, OwnClasses, PatternLevels, instruction_roles};

/// Column with the level of the factor `device`.
const DEVICE: &str = "device";

/// An instruction outside of all patterns, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OutsideInstruction {
    /// Its mnemonic, with the member where it calls one.
    pub instruction: String,
    /// Why it is part of no pattern.
    pub reason: &'static str,
}

/// Executions of patterns, and of instructions outside of patterns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExecutedPatterns {
    /// Executions by pattern.
    pub patterns: BTreeMap<PatternLevels, u64>,
    /// Executions of instructions outside of all patterns.
    pub outside: BTreeMap<OutsideInstruction, u64>,
    /// Executions of all instructions.
    pub instructions: u64,
}

impl ExecutedPatterns {
    /// Counts the executions of methods; `is_wanted` says of which. Calls of any of the methods'
    /// classes are calls of the program's own.
    pub fn of(methods: &[CountedMethod], is_wanted: impl Fn(&CountedMethod) -> bool) -> Self {
        let names: BTreeSet<String> =
            methods.iter().map(|method| method.class.replace('.', "/")).collect();
        let own: OwnClasses<'_> = names.iter().map(String::as_str).collect();
        let mut counts = Self::default();
        for method in methods.iter().filter(|method| is_wanted(method)) {
            counts.add(method, &own);
        }
        counts
    }

    fn add(&mut self, method: &CountedMethod, own: &OwnClasses<'_>) {
        if method.instructions.iter().all(|(_, executions)| *executions == 0) {
            return;
        }
        let code: Vec<ListedInstruction> =
            method.instructions.iter().map(|(one, _)| one.clone()).collect();
        let roles = instruction_roles(&code, own);
        for ((one, executions), role) in method.instructions.iter().zip(roles) {
            if *executions == 0 {
                continue;
            }
            self.instructions += executions;
            match role {
                InstructionRole::Head(levels) => {
                    *self.patterns.entry(levels).or_default() += executions;
                }
                InstructionRole::Part => {}
                InstructionRole::Outside(reason) => {
                    let instruction = text_of(one);
                    let outside = OutsideInstruction { instruction, reason };
                    *self.outside.entry(outside).or_default() += executions;
                }
            }
        }
    }

    /// Executions of one iteration, from two runs that differ by so many.
    pub fn per_iteration(short: &Self, long: &Self, iterations: u64) -> Self {
        let of = |short: u64, long: u64| long.saturating_sub(short) / iterations.max(1);
        short.combined(long, of)
    }

    /// These executions without others, as those of an empty loop.
    #[must_use]
    pub fn without(&self, others: &Self) -> Self {
        self.combined(others, u64::saturating_sub)
    }

    fn combined(&self, other: &Self, of: impl Fn(u64, u64) -> u64 + Copy) -> Self {
        Self {
            patterns: combined(&self.patterns, &other.patterns, of),
            outside: combined(&self.outside, &other.outside, of),
            instructions: of(self.instructions, other.instructions),
        }
    }

    /// Executions of instructions outside of all patterns.
    pub fn outside_instructions(&self) -> u64 {
        self.outside.values().sum()
    }

    /// The table that `predict` reads, without rows. Where the level of `device` is not known, it
    /// has no such column: an empty cell would be the level of a factor that does not apply.
    pub fn table(has_device: bool) -> CsvText {
        let [case, operation, size, kind, rest @ ..] = Self::COLUMNS;
        match has_device {
            true => CsvText::new([case, operation, size, kind, DEVICE].into_iter().chain(rest)),
            false => CsvText::new(Self::COLUMNS),
        }
    }

    /// The rows of one case in a [`Self::table`], which has a device if they have one: levels,
    /// executions, and whether the pattern is one of the table's, of which only the single levels
    /// are known otherwise.
    pub fn add_rows(
        &self,
        table: &mut CsvText,
        case: &str,
        device: Option<&str>,
        energy_j: Option<f64>,
    ) {
        let known = patterns();
        let is_known = |levels: &PatternLevels| {
            let PatternLevels { operation, size, kind } = *levels;
            known.iter().any(|of| (of.operation, of.size, of.kind) == (operation, size, kind))
        };
        let all: u64 = self.patterns.values().sum();
        // `predict` adds the energies of single executions up.
        let each_j = energy_j.map_or(String::new(), |joules| format!("{:e}", joules / all as f64));
        for (levels, executions) in &self.patterns {
            let PatternLevels { operation, size, kind } = *levels;
            let in_table = if is_known(levels) { "yes" } else { "no" };
            let executions = executions.to_string();
            let levels = [case, operation, size, kind].into_iter().chain(device);
            table.row(levels.chain([executions.as_str(), &each_j, in_table]));
        }
    }

    /// Rows of the instructions outside of all patterns.
    pub fn add_outside_rows(&self, table: &mut CsvText, case: &str) {
        for (OutsideInstruction { instruction, reason }, executions) in &self.outside {
            table.row([case, instruction, reason, &executions.to_string()]);
        }
    }

    /// Columns of [`Self::table`] beside that of the device.
    const COLUMNS: [&'static str; 7] =
        ["case", "operation", "size", "type", "executions", "energy_j", "in_table"];

    /// Columns of [`Self::add_outside_rows`].
    pub const OUTSIDE_COLUMNS: [&'static str; 4] = ["case", "instruction", "reason", "executions"];
}

/// The counts of two tables, one by one; without those that are 0 then.
fn combined<K: Ord + Clone>(
    one: &BTreeMap<K, u64>,
    other: &BTreeMap<K, u64>,
    of: impl Fn(u64, u64) -> u64,
) -> BTreeMap<K, u64> {
    let keys: BTreeSet<&K> = one.keys().chain(other.keys()).collect();
    let count = |table: &BTreeMap<K, u64>, key: &K| table.get(key).copied().unwrap_or(0);
    let all = keys.into_iter().map(|key| (key.clone(), of(count(one, key), count(other, key))));
    all.filter(|(_, count)| *count > 0).collect()
}

/// The mnemonic, with the member of a call: `invokestatic java.lang.Math.sqrt:(D)D`.
fn text_of(one: &ListedInstruction) -> String {
    match one.name.starts_with("invoke") {
        true => format!("{} {}", one.name, one.operand.replace('/', ".")),
        false => one.name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method(class: &str, code: &[(&str, &str, u64)]) -> CountedMethod {
        let one = |(name, operand, count): &(&str, &str, u64)| {
            let (name, operand) = ((*name).to_owned(), (*operand).to_owned());
            (ListedInstruction { name, operand, target: None }, *count)
        };
        CountedMethod {
            class: class.to_owned(),
            name: "run".to_owned(),
            descriptor: "()V".to_owned(),
            instructions: code.iter().map(one).collect(),
        }
    }

    #[test]
    fn executions_are_those_of_heads_and_the_rest_has_rows() {
        let run = [
            ("iload", "", 8),
            ("iload", "", 8),
            ("iadd", "", 8),
            ("istore", "", 8),
            ("invokestatic", "a/B.call:()V", 3),
            ("aload", "", 2),
            ("monitorenter", "", 2),
            ("aload", "", 0),
            ("monitorexit", "", 0),
        ];
        let methods = [method("a.B", &run), method("a.C", &[("iinc", "", 5)])];
        let counts = ExecutedPatterns::of(&methods, |method| method.class == "a.B");
        assert_eq!(counts.instructions, 8 * 4 + 3 + 2 + 2);
        assert_eq!(counts.patterns.values().sum::<u64>(), 8 + 3);
        assert_eq!(counts.outside_instructions(), 4);
        let mut table = ExecutedPatterns::table(true);
        counts.add_rows(&mut table, "sum", Some("B1"), Some(1.1e-7));
        let text = table.text();
        assert!(text.starts_with("case,operation,size,type,device,executions,energy_j,in_table\n"));
        assert!(text.contains("sum,Addition,Load,int,B1,8,1e-8,yes\n"), "{text}");
        assert!(text.contains("sum,Static method call,Reference,,B1,3,1e-8,yes\n"), "{text}");
        let mut of_any = ExecutedPatterns::table(false);
        counts.add_rows(&mut of_any, "sum", None, None);
        let of_any = of_any.text();
        assert!(of_any.starts_with("case,operation,size,type,executions,energy_j,in_table\n"));
        assert!(of_any.contains("sum,Addition,Load,int,8,,yes\n"), "{of_any}");
        let mut outside = CsvText::new(ExecutedPatterns::OUTSIDE_COLUMNS);
        counts.add_outside_rows(&mut outside, "sum");
        let outside = outside.text();
        assert!(outside.contains("sum,monitorenter,no pattern"), "{outside}");
    }

    #[test]
    fn an_iteration_is_the_difference_of_two_runs_without_the_loop() {
        let run = |n: u64| {
            let code =
                [("iinc", "", 3 * n + 7), ("iload", "", n), ("iload", "", n), ("iadd", "", n)];
            ExecutedPatterns::of(&[method("a.B", &code)], |_| true)
        };
        let each = ExecutedPatterns::per_iteration(&run(10), &run(30), 20);
        assert_eq!(each.instructions, 6);
        let counts: Vec<u64> = each.patterns.values().copied().collect();
        assert_eq!(counts, [1, 3], "additions, increases");
        let empty = ExecutedPatterns::of(&[method("a.B", &[("iinc", "", 1)])], |_| true);
        let counts: Vec<u64> = each.without(&empty).patterns.values().copied().collect();
        assert_eq!(counts, [1, 2]);
    }
}
