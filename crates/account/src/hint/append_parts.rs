//! Pattern: appending a concatenation, which first creates a String that is copied into the
//! builder and discarded.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::format::{counted, grouped};
use crate::hint::builder::{self, LocalBuilder};
use crate::hint::confidence::Confidence;
use crate::hint::context::HintContext;
use crate::hint::hint::Hint;
use crate::hint::hint_pattern::{HintPattern, PatternMatch};
use crate::hint::pattern::{self, simple_type};
use crate::hint::prediction_basis::PredictionBasis;
use crate::hint::replaced_lines::{ReplacedLines, unknown_saving};
use crate::hint::rewrite::{Edit, Rewrite};
use crate::hint::site::LoopSite;
use crate::hint::value_type::{ValueType, sum_type, type_of};
use crate::java::{SourceFile, SyntaxNode};
use crate::operations::{Feature, Operation};

/// The pattern `append-concatenation`.
pub const PATTERN: HintPattern = HintPattern {
    name: "append-concatenation",
    title: "A concatenation is appended: append its parts",
    help: "`b.append(a + c)` makes a String of the parts, copies it into the builder and throws it \
           away. Appending the parts one by one copies each once, and makes nothing. What cannot \
           be told apart from it: the parts are evaluated in the same order, and each is turned \
           into text in the same way. A StringBuffer is left out, as every call more takes its \
           lock once more. How much that saves depends on how long the parts are; pairs of \
           microbenchmarks tell.",
    reference: "PMD, rule InefficientStringBuffering; SpotBugs and IntelliJ IDEA have the like",
    basis: PredictionBasis::Lines,
    find,
};

/// Finds appended concatenations in all code, grouped by method.
fn find(context: &HintContext<'_>, _: &[LoopSite<'_>]) -> Vec<Hint> {
    context.input.sources.iter().flat_map(|file| hints_of_file(context, file)).collect()
}

fn hints_of_file(context: &HintContext<'_>, file: &SourceFile) -> Vec<Hint> {
    if !file.text.contains(".append(") {
        return Vec::new();
    }
    let mut by_method: BTreeMap<usize, Vec<AppendCall<'_>>> = BTreeMap::new();
    for node in pattern::descendants(file.tree.root_node()) {
        if let Some(found) = as_append_call(context, file, node) {
            let unit = pattern::enclosing_unit(node).start_byte();
            by_method.entry(unit).or_default().push(found);
        }
    }
    by_method.into_values().filter_map(|found| hint_at(context, file, &found)).collect()
}

/// A call that appends a concatenation to a builder.
struct AppendCall<'t> {
    /// Name of the called method.
    name: SyntaxNode<'t>,
    /// The concatenation.
    argument: SyntaxNode<'t>,
    /// Operands from left to right as byte ranges; adjacent literals are one.
    parts: Vec<Range<usize>>,
    /// Name of the builder.
    builder: SyntaxNode<'t>,
}

/// Parses a call that appends a concatenation; `None` for anything else, and where the rewrite
/// might behave differently.
fn as_append_call<'t>(
    context: &HintContext<'_>,
    file: &SourceFile,
    node: SyntaxNode<'t>,
) -> Option<AppendCall<'t>> {
    let call = pattern::as_call(node).filter(|call| file.text_of(call.name) == "append")?;
    let [argument] = call.arguments.as_slice() else { return None };
    let variable = builder::variable_of(file, call.object?)?;
    let declared = pattern::declaration_of(file, variable)?;
    if simple_type(&declared.type_text) != "StringBuilder" {
        return None;
    }
    let sum = *argument;
    let nodes = concatenated_parts(context, file, sum)?;
    let is_all_constant = nodes.iter().all(|part| is_constant(file, *part));
    if nodes.len() < 2 || is_all_constant || !can_be_split(file, variable, &nodes) {
        return None;
    }
    let parts = part_ranges(file, &nodes);
    let between = |pair: &[Range<usize>]| &file.text[pair[0].end..pair[1].start];
    let has_comment = parts.windows(2).any(|pair| between(pair).contains('/'));
    (parts.len() > 1 && !has_comment).then_some(AppendCall {
        name: call.name,
        argument: sum,
        parts,
        builder: variable,
    })
}

/// Operands of a concatenation from left to right; operands before the first String are one part,
/// as they are one sum. `None` where a type is unknown. Each operand is visited once: generated
/// code has sums of thousands.
fn concatenated_parts<'t>(
    context: &HintContext<'_>,
    file: &SourceFile,
    node: SyntaxNode<'t>,
) -> Option<Vec<SyntaxNode<'t>>> {
    let of = |node| type_of(context.input.sources, file, node);
    let (mut first, mut further) = (node, Vec::new());
    while let Some((left, right)) = pattern::as_binary(file, first, &["+"]) {
        further.push((left, right));
        first = left;
    }
    let mut sum = of(first);
    let mut parts = vec![first];
    for (left, right) in further.into_iter().rev() {
        let (before, own) = (sum?, of(right)?);
        sum = sum_type(Some(before), Some(own));
        match before == ValueType::Text {
            true => parts.push(right),
            false if sum == Some(ValueType::Text) => parts = vec![left, right],
            false => {}
        }
    }
    (sum? == ValueType::Text).then_some(parts).or_else(|| Some(vec![node]))
}

/// Whether appending the parts one by one has the same result: no part reads the builder, and none
/// can throw while it contains only some of the parts.
fn can_be_split(file: &SourceFile, variable: SyntaxNode<'_>, parts: &[SyntaxNode<'_>]) -> bool {
    if parts.iter().all(|part| is_quiet(file, *part)) {
        return true;
    }
    let name = file.text_of(variable);
    let sees = |part: &SyntaxNode<'_>| {
        pattern::descendants(*part).into_iter().any(|node| file.text_of(node) == name)
    };
    let is_alone = |local: LocalBuilder<'_>| {
        !local.is_shared
            && !local.created.is_empty()
            && !pattern::is_in_try(variable, local.declarator)
    };
    !parts.iter().any(sees) && builder::local_builder_of(file, variable).is_some_and(is_alone)
}

/// Whether evaluating an expression and converting it to text neither throws nor runs other code:
/// literals, variables, sums and differences of these.
fn is_quiet(file: &SourceFile, node: SyntaxNode<'_>) -> bool {
    let node = pattern::without_parentheses(node);
    if pattern::is_literal(node) {
        return true;
    }
    if let Some((left, right)) = pattern::as_binary(file, node, &["+", "-", "*"]) {
        return is_quiet(file, left) && is_quiet(file, right);
    }
    let is_own = pattern::is_variable(node)
        || pattern::as_field(node).is_some_and(|(object, _)| pattern::is_this(object));
    let declared = pattern::declaration_of(file, node).filter(|_| is_own);
    let ty = declared.and_then(|found| ValueType::from_name(&found.type_text));
    ty.is_some_and(|ty| ty != ValueType::Object)
}

/// Whether an expression is a constant, which the compiler joins with others: a literal, or a
/// name in constant style.
fn is_constant(file: &SourceFile, node: SyntaxNode<'_>) -> bool {
    let node = pattern::without_parentheses(node);
    let is_upper = |text: &str| {
        let last = text.rsplit('.').next().unwrap_or(text);
        !last.contains(|c: char| c.is_lowercase())
    };
    let is_sum = pattern::as_binary(file, node, &["+", "-", "*"]);
    pattern::is_literal(node)
        || (pattern::is_place(node) && is_upper(file.text_of(node)))
        || is_sum.is_some_and(|(left, right)| is_constant(file, left) && is_constant(file, right))
}

/// Parts as byte ranges; adjacent String literals are one, and an empty literal at the beginning,
/// which only makes the rest a String, is left out.
fn part_ranges(file: &SourceFile, nodes: &[SyntaxNode<'_>]) -> Vec<Range<usize>> {
    let mut found: Vec<(Range<usize>, bool)> = Vec::new();
    for (i, node) in nodes.iter().enumerate() {
        let is_text = pattern::is_string_literal(*node);
        if i == 0 && file.text_of(*node) == "\"\"" {
            continue;
        }
        match found.last_mut() {
            Some((last, true)) if is_text => last.end = node.end_byte(),
            _ => found.push((node.byte_range(), is_text)),
        }
    }
    let ranges: Vec<Range<usize>> = found.into_iter().map(|(range, _)| range).collect();
    // A single part left: it is appended as it is, with the edit before it.
    match (ranges.len(), nodes.first()) {
        (1, Some(first)) => {
            let start = first.start_byte();
            vec![start..start, ranges[0].clone()]
        }
        _ => ranges,
    }
}

/// Hint for one method.
fn hint_at(context: &HintContext<'_>, file: &SourceFile, found: &[AppendCall<'_>]) -> Option<Hint> {
    let names: Vec<SyntaxNode<'_>> = found.iter().map(|one| one.name).collect();
    let replaced = ReplacedLines::at(file, &names);
    let is_concat = |feature: &Feature| *feature == Operation::STRING_CONCAT;
    let is_append = |f: &crate::operations::LibraryFunction| f.method() == "append";
    let on_lines: Vec<SyntaxNode<'_>> =
        found.iter().flat_map(|one| [one.name, one.argument]).collect();
    let has_concat = ReplacedLines::at(file, &on_lines).count(context, is_concat) > 0;
    if !has_concat || replaced.calls(context, is_append) == 0 {
        return None;
    }
    let mut builders: Vec<&str> = found.iter().map(|one| file.text_of(one.builder)).collect();
    builders.sort_unstable();
    builders.dedup();
    let builders: Vec<String> = builders.iter().map(|name| format!("`{name}`")).collect();
    let rewritten: Vec<String> = found.iter().map(|one| append_calls(file, one)).collect();
    let finding = PatternMatch {
        pattern: PATTERN.name,
        sentence: format!(
            "{} to {} {} a String of several parts first, up to {}.",
            match found.len() {
                1 => "An append".to_string(),
                n => format!("{n} appends"),
            },
            builders.join(", "),
            if found.len() == 1 { "makes" } else { "make" },
            counted(grouped(replaced.runs(context)), "time"),
        ),
        advice: "Append the parts one by one.".into(),
        rewrite: rewritten.join("\n"),
        condition: "None: nobody else sees the builder between the parts.".into(),
        saved: unknown_saving(),
        confidence: Confidence::High,
        automatic_fix: Some(rewrite(found)),
    };
    replaced.hint(context, finding)
}

/// Text of the appending calls: `.append(a).append(b)`.
fn append_calls(file: &SourceFile, one: &AppendCall<'_>) -> String {
    let parts = one.parts.iter().filter(|part| !part.is_empty());
    let calls: String =
        parts.map(|part| format!(".append({})", &file.text[part.clone()])).collect();
    format!("{}{calls};", file.text_of(one.builder))
}

/// Edits that end one call and begin the next between two parts.
fn rewrite(found: &[AppendCall<'_>]) -> Rewrite {
    let mut edits = Vec::new();
    for one in found {
        let start = one.argument.start_byte();
        if let Some(first) = one.parts.first().filter(|first| first.start > start) {
            edits.push(Edit { range: start..first.start, text: String::new() });
        }
        for pair in one.parts.windows(2) {
            let text = if pair[0].is_empty() { "" } else { ").append(" };
            edits.push(Edit { range: pair[0].end..pair[1].start, text: text.into() });
        }
    }
    Rewrite { edits, ..Rewrite::default() }
}

#[cfg(test)]
mod tests {
    use crate::hint::text_with_fixes;

    fn changed(statements: &str) -> Option<String> {
        let text = format!(
            "class A {{ StringBuilder f; Object o; String name() {{ return \"n\"; }}
            void m(StringBuilder p, StringBuffer l, String s, int i, char c, char[] cs, CharSequence q) {{
                StringBuilder b = new StringBuilder(); {statements} }} }}"
        );
        let changed = text_with_fixes("append-concatenation", &text)?;
        let line = changed.lines().nth(2)?.split_once("new StringBuilder(); ")?.1;
        Some(line.trim_end_matches(" } }").to_string())
    }

    #[test]
    fn parts_are_appended_one_by_one() {
        for (before, after) in [
            ("b.append(s + i);", "b.append(s).append(i);"),
            ("b.append(\"x\" + c + i + s);", "b.append(\"x\").append(c).append(i).append(s);"),
            ("b.append(i + i + \"x\");", "b.append(i + i).append(\"x\");"),
            ("b.append(i + s + \"a\" + \"b\");", "b.append(i).append(s).append(\"a\" + \"b\");"),
            ("b.append(\"\" + i);", "b.append(i);"),
            ("b.append(\"\" + i + c);", "b.append(i).append(c);"),
            ("b.append(s).append(c + s).append(i);", "b.append(s).append(c).append(s).append(i);"),
            ("b.append(name() + i);", "b.append(name()).append(i);"),
            ("p.append(s + i);", "p.append(s).append(i);"),
            ("f.append(s + i + c);", "f.append(s).append(i).append(c);"),
            ("b.append(o + \", \");", "b.append(o).append(\", \");"),
            ("b.append(q.toString() + s.trim());", "b.append(q.toString()).append(s.trim());"),
        ] {
            assert_eq!(changed(before).as_deref(), Some(after), "{before}");
        }
    }

    /// As generated code has them.
    #[test]
    fn sums_of_thousands_are_taken_apart() {
        let before = format!("b.append(s{});", " + i".repeat(3000));
        let after = format!("b.append(s){};", ".append(i)".repeat(3000));
        assert_eq!(changed(&before), Some(after));
    }

    #[test]
    fn what_might_differ_is_left_alone() {
        for statement in [
            "b.append(\"a\" + \"b\");",
            "b.append(i + i);",
            "b.append((s + i));",
            "b.append(s + cs);",
            "b.append(s + q);",
            "b.append(s + null);",
            "b.append(unknown() + s);",
            "b.append(s + b.length());",
            "f.append(s + name());",
            "p.append(s + s.charAt(9));",
            "f.append(s + o);",
            "try { b.append(s + s.charAt(9)); } catch (Exception e) { use(e); }",
            "b.append(s /* and */ + i);",
            "b.append(s + i, 0, 2);",
            "l.append(s + i);",
            "use(b); b.append(s + s.charAt(9));",
        ] {
            assert_eq!(changed(statement), None, "{statement}");
        }
    }
}
