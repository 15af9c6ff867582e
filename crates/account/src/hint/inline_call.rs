//! Pattern: small methods that are called often: call, parameters and return cost more than the
//! body.

use std::collections::HashMap;

use crate::account::OperationClass;
use crate::format::{counted, grouped};
use crate::hint::callers::{self, Caller};
use crate::hint::confidence::Confidence;
use crate::hint::context::{HintContext, PricedOperations};
use crate::hint::hint::Hint;
use crate::hint::hint_pattern::{HintPattern, PatternMatch, hint};
use crate::hint::pattern;
use crate::hint::prediction_basis::PredictionBasis;
use crate::hint::site;
use crate::hint::site::LoopSite;
use crate::java::types::{Primitive, ValueKind};
use crate::java::{SourceFile, SyntaxNode};
use crate::operations::{BlockEntry, Operation, OperationCount, OperationVerb};

/// The pattern `inline-small-method`.
pub const PATTERN: HintPattern = HintPattern {
    name: "inline-small-method",
    title: "Small method called very often: inline it",
    help: "The method is one block with a handful of operations, and the call, its parameters and \
           its return are a good part of what it costs. Inline it by hand where it is called most. \
           Methods that override or implement another one, or are overridden, are left out: which \
           body runs is known when they are called. An optimising compiler inlines many small \
           methods by itself, so the confidence is low: measure before and after.",
    reference: "Android documentation, Performance tips: avoid internal getters and setters",
    basis: PredictionBasis::Costs,
    find,
};

/// Largest number of operations in a small body, without its return.
const LARGEST_BODY: u32 = 8;

/// Least number of calls for a hint.
const LEAST_RUNS: u64 = 1000;
/// Least share of the call in the method's cost.
const LEAST_PART: f64 = 0.2;

/// Finds frequently called methods of one small block.
fn find(context: &HintContext<'_>, _: &[LoopSite<'_>]) -> Vec<Hint> {
    let mut blocks_of: HashMap<(&str, &str), usize> = HashMap::new();
    let blocks = &context.input.dictionary.blocks;
    for block in blocks {
        *blocks_of.entry((&block.class, &block.method)).or_default() += 1;
    }
    let alone = |block: &&BlockEntry| blocks_of[&(&*block.class, &*block.method)] == 1;
    let often = |block: &&BlockEntry| context.runs(block) >= LEAST_RUNS && is_candidate(block);
    let found = blocks.iter().filter(often).filter(alone);
    found
        .filter_map(|block| hint_at(context, block))
        .filter(|hint| hint.saving.energy.0 >= LEAST_PART * hint.bound.energy.0)
        .collect()
}

/// The three most frequent callers of a hint's method; empty where the hint has another pattern,
/// or calls were not recorded.
pub(super) fn callers(context: &HintContext<'_>, hint: &Hint) -> Vec<Caller> {
    let is_about_calls = hint.pattern == PATTERN.name;
    let counts = is_about_calls.then(|| context.callers_of(hint.block)).flatten();
    counts.map_or(Vec::new(), callers::top_callers)
}

/// Whether a block is the small body of an ordinary method.
fn is_candidate(block: &BlockEntry) -> bool {
    let special = block.method.starts_with('<') || block.method.contains(".lambda_");
    let own = block.operations.iter().filter(|o| !site::has_class(o, &[OperationClass::Function]));
    let size: u32 = own.map(|operation| operation.count).sum();
    let creates = block.operations.iter().any(is_creation);
    block.kind == "entry" && !special && size <= LARGEST_BODY && !creates
}

/// Hint for one method; `None` where its body cannot replace a call.
fn hint_at(context: &HintContext<'_>, block: &BlockEntry) -> Option<Hint> {
    let (file, method) = declaration(context, block)?;
    if !can_be_inlined(context, file, method) {
        return None;
    }
    let runs = context.runs(block);
    let is_static = pattern::modifiers(file, method).contains(&"static");
    let call = if is_static { "static" } else { "virtual" };
    let finding = PatternMatch {
        pattern: PATTERN.name,
        sentence: format!(
            "`{}` is one small block, entered {}.",
            block.name,
            counted(grouped(runs), "time")
        ),
        advice: "Inline it where it is called most.".into(),
        rewrite: format!("// where it is hot: the body of {} in place of the call", block.name),
        condition: match may_be_overridden_elsewhere(file, method) {
            false => "The caller may reach what the body uses.".into(),
            true => "The caller may reach what the body uses, and no class outside of these \
                     sources overrides it."
                .into(),
        },
        saved: saved_operations(context, block, call, runs as f64),
        confidence: Confidence::Low,
        automatic_fix: None,
    };
    let lines = (block.start_line, block.end_line);
    let mut made = hint(context, block, &[block], lines, finding);
    made.bound = context.amount(&cost_with_call(context, block, call, runs as f64));
    Some(made)
}

/// Whether a class of another program may override the method.
fn may_be_overridden_elsewhere(file: &SourceFile, method: SyntaxNode<'_>) -> bool {
    let modifiers = pattern::modifiers(file, method);
    let has = |words: &[&str]| words.iter().any(|word| modifiers.contains(word));
    has(&["public", "protected"]) && !has(&["static", "final"])
}

/// Declaration of the method whose body is this block.
fn declaration<'c>(
    context: &HintContext<'c>,
    block: &BlockEntry,
) -> Option<(&'c SourceFile, SyntaxNode<'c>)> {
    let name = block.method.split('(').next().unwrap_or_default();
    let file = context.input.sources.iter().find(|file| file.path == block.file)?;
    let own = |(method, _): &(SyntaxNode<'_>, SyntaxNode<'_>)| {
        let lines = pattern::line(*method)..=file.last_line(*method);
        let named = method.child_by_field_name("name").is_some_and(|n| file.text_of(n) == name);
        named && lines.contains(&block.start_line)
    };
    let found = pattern::methods_with_body(file).into_iter().filter(own);
    let innermost = found.min_by_key(|(method, _)| method.byte_range().len());
    innermost.map(|(method, _)| (file, method))
}

/// Whether the body can replace a call: the sources call the method by name, the call always runs
/// it, it neither locks nor calls itself or its superclass, and where it uses members that are
/// private to its top-level class, that class calls it.
fn can_be_inlined(context: &HintContext<'_>, file: &SourceFile, method: SyntaxNode<'_>) -> bool {
    let types = context.types();
    let modifiers = pattern::modifiers(file, method);
    let locks = ["synchronized", "native"].iter().any(|word| modifiers.contains(word));
    let body = method.child_by_field_name("body").map_or(Vec::new(), pattern::descendants);
    let name = method.child_by_field_name("name").map(|name| file.text_of(name));
    let calls_itself = |node: &SyntaxNode<'_>| {
        pattern::is_super(*node)
            || pattern::as_call(*node).is_some_and(|call| Some(file.text_of(call.name)) == name)
    };
    let hidden = pattern::private_names(file);
    let uses_hidden = |node: &SyntaxNode<'_>| hidden.contains(file.text_of(*node));
    types.is_called(file, method)
        && types.is_called_as_itself(file, method)
        && !locks
        && !body.iter().any(calls_itself)
        && (!body.iter().any(uses_hidden) || types.is_called_in(file, method))
}

/// Saving: the call, its parameters and its return.
fn saved_operations(
    context: &HintContext<'_>,
    block: &BlockEntry,
    call: &'static str,
    runs: f64,
) -> PricedOperations {
    let mut saved = PricedOperations::default();
    context.add(&mut saved, (Operation::METHOD_INVOCATION, call), runs);
    for kind in parameter_kinds(&block.method) {
        context.add_known(&mut saved, OperationVerb::PARAMETER.of(kind), runs);
    }
    for operation in block.operations.iter().filter(|o| is_return(o)) {
        context.add_found(&mut saved, block, operation, runs * f64::from(operation.count));
    }
    saved
}

/// Cost of the body and the call in all executions of the method.
fn cost_with_call(
    context: &HintContext<'_>,
    block: &BlockEntry,
    call: &'static str,
    runs: f64,
) -> PricedOperations {
    let mut all = saved_operations(context, block, call, runs);
    let body = context.count_operations(&[block], |o| !is_return(o));
    all.add_all(&body);
    all
}

fn is_creation(found: &OperationCount) -> bool {
    found.operation == Operation::NEW_OBJECT || found.operation == Operation::NEW_ARRAY
}

fn is_return(found: &OperationCount) -> bool {
    found.operation.operation().is_some_and(Operation::is_return)
}

/// Kinds of the parameters of a method named as `solve(int,String[])`.
fn parameter_kinds(method: &str) -> Vec<ValueKind> {
    let inside = method.split_once('(').map_or("", |(_, rest)| rest.trim_end_matches(')'));
    let types = inside.split(',').filter(|text| !text.trim().is_empty());
    types
        .map(|text| Primitive::of_keyword(text.trim()).map_or(ValueKind::Object, Primitive::kind))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_have_the_kinds_of_their_types() {
        let expected = [ValueKind::Int, ValueKind::Object, ValueKind::Double];
        assert_eq!(parameter_kinds("f(int,String[],double)"), expected);
        assert!(parameter_kinds("f()").is_empty());
    }

    /// What an iterator's `next` is called through, what a subclass overrides, what calls itself
    /// or locks, what nobody calls, and what only another file could call without its fields.
    #[test]
    fn only_what_a_person_can_put_in_the_place_of_a_call_is_a_hint() {
        let text = "import java.util.Iterator;
class A {
    int[] values; private int hidden; int open;
    Iterator<Integer> all() {
        return new Iterator<>() {
            int at;
            public boolean hasNext() { return at < 3; }
            public Integer next() { return values[at++]; }
        };
    }
    int overridden(int x) { return x + 1; }
    final int plain(int x) { return x + 2; }
    synchronized int locked(int x) { return x + 3; }
    int itself(int x) { return x > 0 ? itself(x - 1) : 0; }
    int uncalled(int x) { return x + 4; }
    static int fixed(int x) { return x + 5; }
    public String toString() { return \"a\"; }
    int getHidden() { return hidden; }
    int getOpen() { return open; }
    int run(int n) {
        int sum = overridden(n) + plain(n) + locked(n) + itself(n) + fixed(n) + getOpen();
        for (Iterator<Integer> i = all(); i.hasNext(); ) sum += i.next() + toString().length();
        return sum;
    }
}
class B extends A { int overridden(int x) { return x; } }
";
        let names = |text: &str| -> Vec<String> {
            let (found, _) = crate::hint::found_in(PATTERN.name, text);
            let mut names: Vec<String> = found.into_iter().map(|hint| hint.block_name).collect();
            names.sort();
            names
        };
        assert_eq!(names(text), ["A.fixed(int)", "A.getOpen()", "A.plain(int)"]);
        let calling = text.replace("+ getOpen()", "+ getOpen() + getHidden()");
        assert!(names(&calling).contains(&"A.getHidden()".to_string()), "its own class may");
    }

    #[test]
    fn only_small_ordinary_methods_are_candidates() {
        use crate::account::sample::block;
        let of = |method: &str, operations: &[(&str, u32, u32)]| {
            is_candidate(&block(0, ("a.A", method), ("", "entry"), (1, 1), operations))
        };
        assert!(of("get()", &[("Field_Reference", 1, 1), ("Return_int", 1, 1)]));
        assert!(!of("<init>()", &[("Field_Reference", 1, 1)]));
        assert!(!of("big()", &[("Increment", 1, 9)]));
        assert!(!of("make()", &[("New_Object", 1, 1)]));
    }
}
