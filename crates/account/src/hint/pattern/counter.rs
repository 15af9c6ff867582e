//! Counters of `for` loops, and indices relative to these.

use crate::java::SyntaxNode;

use super::{
    LoopParts, as_assignment, as_binary, as_call, as_field, children, declaration_of, field,
    is_arithmetic, operands, without_parentheses, written_names,
};
use crate::java::SourceFile;

/// Counter of a `for` loop that counts upwards by a constant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopCounter {
    /// Name of the variable.
    pub name: String,
    /// Source text of its start value.
    pub start: String,
    /// Source text of the bound in its test.
    pub bound: String,
    /// Whether the bound is inclusive (`<=`).
    pub inclusive: bool,
    /// Constant increment.
    pub step: u32,
    /// Whether the loop declares the variable, so that no code after the loop can read it.
    pub declared: bool,
}

/// Parses the counter of a `for` loop: `int i = S`, `i < B`, `i++`, `i += K` or `i = i + K`, with
/// no write of `i` in the body; `None` for other loops.
pub fn counter(file: &SourceFile, site: &LoopParts<'_>) -> Option<LoopCounter> {
    let [init] = site.init.as_slice() else { return None };
    let [update] = site.update.as_slice() else { return None };
    let (name, start) = start_value(file, *init)?;
    let (bound, inclusive) = bound(file, site.test?, name)?;
    let step = increment(file, *update, name)?;
    let written = written_names(file, site.body);
    let counts = step > 0 && !written.contains(name);
    counts.then(|| LoopCounter {
        name: name.into(),
        start: start.into(),
        bound: bound.into(),
        inclusive,
        step,
        declared: as_assignment(file, *init).is_none(),
    })
}

/// Syntax nodes of a counter's start value and bound.
pub fn counter_ends<'t>(
    file: &SourceFile,
    site: &LoopParts<'t>,
    counter: &LoopCounter,
) -> Option<(SyntaxNode<'t>, SyntaxNode<'t>)> {
    let [init] = site.init.as_slice() else { return None };
    let with_text = |parts: Vec<SyntaxNode<'t>>, text: &str| {
        parts.into_iter().find(|part| file.text_of(*part) == text)
    };
    let declarators = field(*init, "declarator").into_iter();
    let starts = declarators.filter_map(|d| d.child_by_field_name("value"));
    let starts = starts.chain(init.child_by_field_name("right")).collect();
    let ends = children(site.test?);
    Some((with_text(starts, &counter.start)?, with_text(ends, &counter.bound)?))
}

/// Whether the file itself shows that an expression is of type int: numbers, names declared so,
/// lengths and sizes, and sums of these.
pub fn is_int(file: &SourceFile, node: SyntaxNode<'_>) -> bool {
    if node.kind_name() == "decimal_integer_literal" {
        return !file.text_of(node).ends_with(['l', 'L']);
    }
    if is_arithmetic(file, node) {
        return operands(node).into_iter().all(|part| is_int(file, part));
    }
    if let Some(call) = as_call(node) {
        let sizes = ["size", "length", "limit", "capacity"];
        return call.arguments.is_empty() && sizes.contains(&file.text_of(call.name));
    }
    let is_length = as_field(node).is_some_and(|(_, name)| file.text_of(name) == "length");
    let declared = declaration_of(file, node).map(|found| found.type_text);
    match declared {
        Some(ty) => ["int", "short", "byte", "char"].contains(&ty.as_str()),
        None => is_length,
    }
}

/// Name and start value of a `for` loop's only variable.
fn start_value<'s>(file: &'s SourceFile, init: SyntaxNode<'_>) -> Option<(&'s str, &'s str)> {
    if let Some((left, right)) = as_assignment(file, init) {
        return Some((file.text_of(left), file.text_of(right)));
    }
    let declarators = field(init, "declarator");
    let [only] = declarators.as_slice() else { return None };
    let (name, value) = (only.child_by_field_name("name")?, only.child_by_field_name("value")?);
    Some((file.text_of(name), file.text_of(value)))
}

/// The bound in `name < bound`, and whether it is inclusive.
fn bound<'s>(file: &'s SourceFile, test: SyntaxNode<'_>, name: &str) -> Option<(&'s str, bool)> {
    for (operator, mirrored, inclusive) in [("<", ">", false), ("<=", ">=", true)] {
        if let Some((left, right)) = as_binary(file, test, &[operator])
            && file.text_of(left) == name
        {
            return Some((file.text_of(right), inclusive));
        }
        if let Some((left, right)) = as_binary(file, test, &[mirrored])
            && file.text_of(right) == name
        {
            return Some((file.text_of(left), inclusive));
        }
    }
    let (left, right) = as_binary(file, test, &["!="])?;
    (file.text_of(left) == name).then(|| (file.text_of(right), false))
}

/// Increment of `name` in an update.
fn increment(file: &SourceFile, update: SyntaxNode<'_>, name: &str) -> Option<u32> {
    if update.kind_name() == "update_expression" {
        let operand = *children(update).first()?;
        let up = file.text_of(update).contains("++") && file.text_of(operand) == name;
        return up.then_some(1);
    }
    if let Some((left, right)) = as_assignment(file, update) {
        let offset = index_offset(file, right, name)?;
        return if file.text_of(left) == name { u32::try_from(offset).ok() } else { None };
    }
    let operator = update.child_by_field_name("operator")?;
    let left = update.child_by_field_name("left")?;
    let adds = file.text_of(operator) == "+=" && file.text_of(left) == name;
    if adds { file.text_of(update.child_by_field_name("right")?).parse().ok() } else { None }
}

/// Constant `c` of an index `name`, `name + c` or `c + name`.
pub fn index_offset(file: &SourceFile, index: SyntaxNode<'_>, name: &str) -> Option<i64> {
    let index = without_parentheses(index);
    if file.text_of(index) == name {
        return Some(0);
    }
    let (left, right) = as_binary(file, index, &["+"])?;
    let (left, right) = (file.text_of(left), file.text_of(right));
    if left == name {
        right.parse().ok()
    } else if right == name {
        left.parse().ok()
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hint::pattern::loops;

    fn first_counter(header: &str) -> Option<LoopCounter> {
        let text = format!("class A {{ void m() {{ for ({header}) {{ x(i); }} }} }}");
        let file = SourceFile::parse("A.java", text);
        let all = loops(&file);
        counter(&file, &all[0])
    }

    #[test]
    fn counters_are_found_however_they_are_written() {
        for (header, step) in [
            ("int i = 0; i < n; i++", 1),
            ("int i = 0; n > i; ++i", 1),
            ("int i = 0; i < n; i += 2", 2),
            ("int i = 0; i < n; i = i + 3", 3),
            ("i = 0; i != n; i = 4 + i", 4),
        ] {
            let counter = first_counter(header).unwrap_or_else(|| panic!("{header}"));
            assert_eq!((counter.step, counter.bound.as_str()), (step, "n"), "{header}");
        }
        for strange in
            ["int i = 9; i > 0; i--", "int i = 0; i < n; i += k", ";;", "int i=0,j=0;i<n;i++"]
        {
            assert_eq!(first_counter(strange), None, "{strange}");
        }
    }
}
