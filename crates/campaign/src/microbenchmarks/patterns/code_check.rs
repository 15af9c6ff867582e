//! Checks, before patterns are run, that javac and D8 left the instructions that each is about.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::microbenchmarks::program::class_of;
use crate::toolchain::code_listing::{CodeFormat, ListedInstruction, ListedMethod};

use super::PatternMicrobenchmark;
use super::statement_code::{InstructionCounts, counted, plain_name};

/// Name of the method with the loop.
const LOOP_METHOD: &str = "run";

/// The methods of listings by format, class and name.
pub struct ListedProgram<'l>(BTreeMap<(CodeFormat, &'l str, &'l str), &'l ListedMethod>);

impl<'l> ListedProgram<'l> {
    /// The program with these methods.
    pub fn of(methods: &'l [ListedMethod]) -> Self {
        let key =
            |method: &'l ListedMethod| (method.format, method.class.as_str(), method.name.as_str());
        Self(methods.iter().map(|method| (key(method), method)).collect())
    }

    /// Whether the code of a pattern is what the pattern is about, in every format that was listed;
    /// else what is missing, or is there beside it.
    ///
    /// # Errors
    /// The reason for which the pattern can't be measured.
    pub fn check(&self, pattern: &PatternMicrobenchmark) -> Result<(), String> {
        let formats = [CodeFormat::ClassFile, CodeFormat::Dex];
        let listed = |format: &CodeFormat| self.0.keys().any(|(of, ..)| of == format);
        formats.into_iter().filter(listed).try_for_each(|format| {
            self.check_in(format, pattern)
                .map_err(|reason| format!("{}: {reason}", name_of(format)))
        })
    }

    fn check_in(&self, format: CodeFormat, pattern: &PatternMicrobenchmark) -> Result<(), String> {
        let class = class_of(&pattern.microbenchmark.name);
        let baseline = class_of(pattern.baseline.name());
        let found = difference(&self.loop_of(format, &class)?, &self.loop_of(format, &baseline)?);
        let code = &pattern.code;
        let any_of = match format {
            CodeFormat::ClassFile => std::slice::from_ref(&code.class_file),
            CodeFormat::Dex => code.dex.as_slice(),
        };
        compare_with_any(&found, any_of, pattern.copies as i64)?;
        let Some(called) = &code.called else { return Ok(()) };
        let wanted = match format {
            CodeFormat::ClassFile => &called.class_file,
            CodeFormat::Dex => &called.dex,
        };
        let found = names(&self.method(format, &class, called.method)?.instructions);
        compare(&found, wanted).map_err(|reason| format!("{}(): {reason}", called.method))
    }

    fn method(&self, format: CodeFormat, class: &str, name: &str) -> Result<&ListedMethod, String> {
        let found = self.0.get(&(format, class, name)).copied();
        found.ok_or_else(|| format!("there is no {class}.{name}()"))
    }

    /// The instructions of the loop of a class.
    fn loop_of(&self, format: CodeFormat, class: &str) -> Result<InstructionCounts, String> {
        let code = &self.method(format, class, LOOP_METHOD)?.instructions;
        let back = |(at, one): (usize, &ListedInstruction)| {
            one.target.filter(|target| *target <= at).map(|target| (target, at))
        };
        let loops = code.iter().enumerate().filter_map(back);
        let widest = loops.max_by_key(|(from, to)| to - from);
        let (from, to) = widest.ok_or_else(|| format!("{class} has no loop"))?;
        Ok(names(&code[from..=to]))
    }
}

fn name_of(format: CodeFormat) -> &'static str {
    match format {
        CodeFormat::ClassFile => "class file",
        CodeFormat::Dex => "DEX",
    }
}

fn names(code: &[ListedInstruction]) -> InstructionCounts {
    counted(code.iter().map(|one| plain_name(&one.name, &one.operand)))
}

/// How many more instructions of each name one has than the other, where that is not zero.
fn difference(one: &InstructionCounts, other: &InstructionCounts) -> InstructionCounts {
    let mut difference = one.clone();
    for (name, count) in other {
        *difference.entry(name.clone()).or_default() -= count;
    }
    difference.retain(|_, count| *count != 0);
    difference
}

/// Compares instructions found with those of so many copies of any of these; the reason is that of
/// the first.
fn compare_with_any(
    found: &InstructionCounts,
    any_of: &[InstructionCounts],
    copies: i64,
) -> Result<(), String> {
    let of_copies = |each: &InstructionCounts| -> InstructionCounts {
        each.iter().map(|(name, count)| (name.clone(), count * copies)).collect()
    };
    let mut reasons = any_of.iter().map(|each| compare(found, &of_copies(each)));
    let first = reasons.next().unwrap_or(Ok(()));
    if first.is_err() && reasons.any(|other| other.is_ok()) { Ok(()) } else { first }
}

/// Compares instructions found with those wanted.
fn compare(found: &InstructionCounts, wanted: &InstructionCounts) -> Result<(), String> {
    let over = difference(found, wanted);
    if over.is_empty() {
        return Ok(());
    }
    let mut reason = String::new();
    let mut add = |text: String| {
        let separator = if reason.is_empty() { "" } else { ", " };
        write!(reason, "{separator}{text}").expect("a string takes text");
    };
    for (name, count) in over.iter().filter(|(_, count)| **count < 0) {
        let all = wanted.get(name).copied().unwrap_or(0);
        match all {
            0 => add(format!("{} {name} of the loop missing", -count)),
            _ => add(format!("{} of {all} {name} missing", -count)),
        }
    }
    for (name, count) in over.iter().filter(|(_, count)| **count > 0) {
        add(format!("{count} {name} besides"));
    }
    Err(reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::microbenchmarks::patterns::pattern_microbenchmarks;

    /// A method with the loop of a microbenchmark around these instructions.
    fn loop_around(format: CodeFormat, name: &str, body: &[&str]) -> ListedMethod {
        let (head, end): (&[&str], &[&str]) = match format {
            CodeFormat::ClassFile => (&["iload", "iload", "if_icmpge"], &["iinc", "goto"]),
            CodeFormat::Dex => (&["if-ge"], &["add-int/lit8", "goto"]),
        };
        let all = ["start"].iter().chain(head).chain(body).chain(end);
        let target = |name: &str| (name == "goto").then_some(1);
        let mut instructions: Vec<ListedInstruction> = all
            .map(|name| ListedInstruction {
                name: (*name).to_owned(),
                operand: String::new(),
                target: None,
            })
            .collect();
        if let Some(last) = instructions.last_mut() {
            last.target = target("goto");
        }
        ListedMethod {
            format,
            class: class_of(name),
            name: LOOP_METHOD.to_owned(),
            descriptor: "(I)V".to_owned(),
            instructions,
        }
    }

    /// The verdict on a pattern whose DEX has this loop.
    fn verdict(name: &str, body: &[&str]) -> Result<(), String> {
        let patterns = pattern_microbenchmarks();
        let pattern = patterns.iter().find(|of| of.microbenchmark.name == name).unwrap();
        let dex = CodeFormat::Dex;
        let methods = [loop_around(dex, name, body), loop_around(dex, "loop", &[])];
        ListedProgram::of(&methods).check(pattern)
    }

    #[test]
    fn a_pattern_that_is_there_passes() {
        assert_eq!(verdict("Addition_Load_int", &["add-int"; 16]), Ok(()));
        assert_eq!(verdict("Addition_Load_int", &["add-int/2addr"; 16]), Ok(()));
        assert_eq!(verdict("Bit_complement_int", &["not-int"; 16]), Ok(()));
        assert_eq!(verdict("Bit_complement_int", &["xor-int/lit8"; 16]), Ok(()));
        assert_eq!(verdict("Bit_complement_long", &["const-wide/16", "xor-long"]), Ok(()));
    }

    #[test]
    fn instructions_that_are_gone_or_replaced_or_added_are_named() {
        let gone = verdict("if_equal_int_int", &[]).unwrap_err();
        assert_eq!(gone, "DEX: 16 of 16 if-nez missing, 16 of 16 move missing");
        let replaced = verdict("Subtraction_Constant_int", &["add-int/lit8"; 16]).unwrap_err();
        assert_eq!(replaced, "DEX: 16 of 16 sub-int/lit missing, 16 add-int/lit besides");
        let shared = [&["const-wide"][..], &["add-double"; 16]].concat();
        let shared = verdict("Addition_64_bit_double", &shared).unwrap_err();
        assert_eq!(shared, "DEX: 15 of 16 const-wide missing");
        let none = verdict("d2l", &["double-to-long"; 15]).unwrap_err();
        assert_eq!(none, "DEX: 1 of 16 double-to-long missing");
    }

    #[test]
    fn a_program_without_the_method_or_its_loop_is_no_pattern() {
        let patterns = pattern_microbenchmarks();
        let pattern = &patterns[0];
        let listed = [loop_around(CodeFormat::ClassFile, "loop", &[])];
        let missing = ListedProgram::of(&listed).check(pattern).unwrap_err();
        assert!(missing.starts_with("class file: there is no"), "{missing}");
        let mut straight = loop_around(CodeFormat::ClassFile, "Addition_Load_int", &[]);
        straight.instructions.pop();
        let listed = [listed[0].clone(), straight];
        let missing = ListedProgram::of(&listed).check(pattern).unwrap_err();
        assert!(missing.contains("has no loop"), "{missing}");
    }
}
