//! Shapes of Java syntax that hints look for: loops, counters, calls, names that a
//! piece of code writes. The only file of this module that spells node kinds and
//! fields of the grammar.

use std::collections::BTreeSet;

use tree_sitter::Node;

use crate::java::SourceFile;

/// What sort of loop it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LoopKind {
    /// `for (init; test; update)`.
    For,
    /// `for (T x : xs)`.
    Foreach,
    /// `while (test)`.
    While,
    /// `do ... while (test)`.
    Do,
}

/// A loop statement in parts.
#[derive(Debug, Clone)]
pub struct Loop<'t> {
    /// What sort of loop.
    pub kind: LoopKind,
    /// The whole statement.
    pub node: Node<'t>,
    /// Initialisation of a `for`.
    pub init: Vec<Node<'t>>,
    /// The condition, without its parentheses.
    pub test: Option<Node<'t>>,
    /// Updates of a `for`.
    pub update: Vec<Node<'t>>,
    /// What an enhanced `for` iterates over.
    pub iterated: Option<Node<'t>>,
    /// The variable of an enhanced `for`.
    pub variable: Option<Node<'t>>,
    /// The body.
    pub body: Node<'t>,
}

/// A method call in parts.
#[derive(Debug, Clone)]
pub struct Call<'t> {
    /// What stands before the dot.
    pub object: Option<Node<'t>>,
    /// The method's name.
    pub name: Node<'t>,
    /// The arguments.
    pub arguments: Vec<Node<'t>>,
}

/// The counter of a `for` loop that counts upwards by a constant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counter {
    /// Its name.
    pub name: String,
    /// Source text of its start value.
    pub start: String,
    /// Source text of what it is compared with.
    pub bound: String,
    /// Whether the bound itself is still in (`<=`).
    pub inclusive: bool,
    /// The constant step.
    pub step: u32,
}

/// All nodes of a subtree that are named, in source order, the root first.
pub fn descendants(root: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut stack = vec![root];
    while let Some(node) = stack.pop() {
        found.push(node);
        stack.extend(children(node).into_iter().rev());
    }
    found
}

/// The named children of a node, comments left out.
fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let all = (0..node.named_child_count()).filter_map(|i| node.named_child(i as u32));
    all.filter(|child| !child.is_extra()).collect()
}

/// The children in one field.
fn field<'t>(node: Node<'t>, name: &str) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.children_by_field_name(name, &mut cursor).filter(Node::is_named).collect()
}

/// All loops of a file, in source order.
pub fn loops(file: &SourceFile) -> Vec<Loop<'_>> {
    descendants(file.tree.root_node()).into_iter().filter_map(as_loop).collect()
}

/// Takes a loop statement apart; `None` for anything else.
fn as_loop(node: Node<'_>) -> Option<Loop<'_>> {
    let kind = match node.kind() {
        "for_statement" => LoopKind::For,
        "enhanced_for_statement" => LoopKind::Foreach,
        "while_statement" => LoopKind::While,
        "do_statement" => LoopKind::Do,
        _ => return None,
    };
    Some(Loop {
        kind,
        node,
        init: field(node, "init"),
        test: node.child_by_field_name("condition").map(without_parentheses),
        update: field(node, "update"),
        iterated: node.child_by_field_name("value"),
        variable: node.child_by_field_name("name"),
        body: node.child_by_field_name("body")?,
    })
}

/// What stands in parentheses.
pub fn without_parentheses(mut node: Node<'_>) -> Node<'_> {
    while node.kind() == "parenthesized_expression" {
        match children(node).first() {
            Some(inner) => node = *inner,
            None => break,
        }
    }
    node
}

/// The parentheses around a node, or itself.
pub fn with_parentheses(node: Node<'_>) -> Node<'_> {
    let parent = node.parent().filter(|parent| parent.kind() == "parenthesized_expression");
    parent.unwrap_or(node)
}

/// Whether a subtree holds a loop, a branch or anything else that splits blocks.
pub fn is_straight(body: Node<'_>) -> bool {
    const SPLITTING: [&str; 14] = [
        "for_statement",
        "enhanced_for_statement",
        "while_statement",
        "do_statement",
        "if_statement",
        "switch_expression",
        "try_statement",
        "try_with_resources_statement",
        "break_statement",
        "continue_statement",
        "return_statement",
        "throw_statement",
        "lambda_expression",
        "class_body",
    ];
    descendants(body).iter().all(|node| !SPLITTING.contains(&node.kind()))
}

/// The statements of a body: those of its braces, or itself.
pub fn statements(body: Node<'_>) -> Vec<Node<'_>> {
    if body.kind() == "block" { children(body) } else { vec![body] }
}

/// The expression of an expression statement.
pub fn expression(statement: Node<'_>) -> Option<Node<'_>> {
    let is = statement.kind() == "expression_statement";
    is.then(|| children(statement).first().copied()).flatten()
}

/// Takes a call apart; `None` for anything else.
pub fn as_call(node: Node<'_>) -> Option<Call<'_>> {
    if node.kind() != "method_invocation" {
        return None;
    }
    Some(Call {
        object: node.child_by_field_name("object"),
        name: node.child_by_field_name("name")?,
        arguments: children(node.child_by_field_name("arguments")?),
    })
}

/// Left and right side of a plain assignment.
pub fn as_assignment<'t>(file: &SourceFile, node: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
    if node.kind() != "assignment_expression" {
        return None;
    }
    let operator = node.child_by_field_name("operator")?;
    let plain = file.text_of(operator) == "=";
    plain.then_some((node.child_by_field_name("left")?, node.child_by_field_name("right")?))
}

/// Array and index of an element access.
pub fn as_element(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    if node.kind() != "array_access" {
        return None;
    }
    Some((node.child_by_field_name("array")?, node.child_by_field_name("index")?))
}

/// Operands of a binary operator, if it is one of `operators`.
pub fn as_binary<'t>(
    file: &SourceFile,
    node: Node<'t>,
    operators: &[&str],
) -> Option<(Node<'t>, Node<'t>)> {
    if node.kind() != "binary_expression" {
        return None;
    }
    let operator = node.child_by_field_name("operator")?;
    let fits = operators.contains(&file.text_of(operator));
    fits.then_some((node.child_by_field_name("left")?, node.child_by_field_name("right")?))
}

/// Whether a node is a plain place: a name, `this.x`, `a.b.c`.
pub fn is_place(node: Node<'_>) -> bool {
    match node.kind() {
        "identifier" | "this" => true,
        "field_access" => node.child_by_field_name("object").is_some_and(is_place),
        _ => false,
    }
}

/// Object and field name of `a.b`.
pub fn as_field(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    if node.kind() != "field_access" {
        return None;
    }
    Some((node.child_by_field_name("object")?, node.child_by_field_name("field")?))
}

/// Whether a node is `this`.
pub fn is_this(node: Node<'_>) -> bool {
    node.kind() == "this"
}

/// Whether a node is a name that stands for a variable: not a method's name, not the
/// field after a dot, not a label or a declared name.
pub fn is_variable(node: Node<'_>) -> bool {
    if node.kind() != "identifier" {
        return false;
    }
    let Some(parent) = node.parent() else { return false };
    let is = |name: &str| parent.child_by_field_name(name) == Some(node);
    match parent.kind() {
        "method_invocation" | "variable_declarator" | "formal_parameter" => !is("name"),
        "field_access" => !is("field"),
        "labeled_statement" | "break_statement" | "continue_statement" => false,
        "enhanced_for_statement" => !is("name"),
        "lambda_expression" => !is("parameters"),
        _ => true,
    }
}

/// The counter of a `for` loop, if it has one: `int i = S`, `i < B`, `i++`, `i += K` or
/// `i = i + K`, and nothing in the body writes `i`.
pub fn counter(file: &SourceFile, site: &Loop<'_>) -> Option<Counter> {
    let [init] = site.init.as_slice() else { return None };
    let [update] = site.update.as_slice() else { return None };
    let (name, start) = start_value(file, *init)?;
    let (bound, inclusive) = bound(file, site.test?, name)?;
    let step = step(file, *update, name)?;
    let written = written_names(file, site.body);
    let counts = step > 0 && !written.contains(name);
    counts.then(|| Counter {
        name: name.into(),
        start: start.into(),
        bound: bound.into(),
        inclusive,
        step,
    })
}

/// Name and start value of a `for` loop's only variable.
fn start_value<'s>(file: &'s SourceFile, init: Node<'_>) -> Option<(&'s str, &'s str)> {
    if let Some((left, right)) = as_assignment(file, init) {
        return Some((file.text_of(left), file.text_of(right)));
    }
    let declarators = field(init, "declarator");
    let [only] = declarators.as_slice() else { return None };
    let (name, value) = (only.child_by_field_name("name")?, only.child_by_field_name("value")?);
    Some((file.text_of(name), file.text_of(value)))
}

/// What `name` is compared with in `name < bound`.
fn bound<'s>(file: &'s SourceFile, test: Node<'_>, name: &str) -> Option<(&'s str, bool)> {
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

/// By how much an update moves `name` upwards.
fn step(file: &SourceFile, update: Node<'_>, name: &str) -> Option<u32> {
    if update.kind() == "update_expression" {
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

/// The constant `c` of an index `name`, `name + c` or `c + name`.
pub fn index_offset(file: &SourceFile, index: Node<'_>, name: &str) -> Option<i64> {
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

/// Names that a subtree assigns, counts or declares: `x` of `x = 1`, `x++`, `this.x = 1`,
/// `int x`; of `a[i] = 1` nothing, for `a` itself stays.
pub fn written_names<'s>(file: &'s SourceFile, root: Node<'_>) -> BTreeSet<&'s str> {
    let mut names = BTreeSet::new();
    for node in descendants(root) {
        let target = match node.kind() {
            "assignment_expression" => node.child_by_field_name("left"),
            "update_expression" => children(node).first().copied(),
            "variable_declarator" | "enhanced_for_statement" | "resource" => {
                node.child_by_field_name("name")
            }
            "instanceof_expression" => node.child_by_field_name("name"),
            _ => None,
        };
        if let Some(target) = target {
            let target = as_field(target).map_or(target, |(_, name)| name);
            if target.kind() == "identifier" {
                names.insert(file.text_of(target));
            }
        }
    }
    names
}

/// Names that the method around a node declares: parameters, locals, lambda parameters.
pub fn local_names<'s>(file: &'s SourceFile, inside: Node<'_>) -> BTreeSet<&'s str> {
    let body = enclosing(inside, &["method_declaration", "constructor_declaration"]);
    let mut names = BTreeSet::new();
    for node in body.map(descendants).unwrap_or_default() {
        let declared = match node.kind() {
            "variable_declarator"
            | "formal_parameter"
            | "catch_formal_parameter"
            | "resource"
            | "enhanced_for_statement"
            | "instanceof_expression" => node.child_by_field_name("name"),
            "lambda_expression" => node.child_by_field_name("parameters"),
            "inferred_parameters" | "type_pattern" | "record_pattern_component" => {
                names.extend(children(node).into_iter().map(|name| file.text_of(name)));
                None
            }
            _ => None,
        };
        names.extend(declared.map(|name| file.text_of(name)));
    }
    names
}

/// A field that the class around some code declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field<'s> {
    /// Its name.
    pub name: &'s str,
    /// Source text of its type.
    pub type_text: &'s str,
    /// Whether it is `final`.
    pub is_final: bool,
    /// Whether it is `static`.
    pub is_static: bool,
    /// Whether it is `volatile`.
    pub is_volatile: bool,
}

/// The fields that the innermost class around a node declares itself.
pub fn fields<'s>(file: &'s SourceFile, inside: Node<'_>) -> Vec<Field<'s>> {
    let body = enclosing(inside, &["class_body", "enum_body_declarations"]);
    let mut found = Vec::new();
    for declaration in body.map(children).unwrap_or_default() {
        if declaration.kind() != "field_declaration" {
            continue;
        }
        let modifiers = children(declaration).into_iter().find(|n| n.kind() == "modifiers");
        let modifiers = modifiers.map_or("", |node| file.text_of(node));
        let has = |word: &str| modifiers.split_whitespace().any(|part| part == word);
        let type_text = declaration.child_by_field_name("type").map_or("", |n| file.text_of(n));
        for declarator in field(declaration, "declarator") {
            let Some(name) = declarator.child_by_field_name("name") else { continue };
            found.push(Field {
                name: file.text_of(name),
                type_text,
                is_final: has("final"),
                is_static: has("static"),
                is_volatile: has("volatile"),
            });
        }
    }
    found
}

/// The innermost node around `inside` of one of these kinds.
fn enclosing<'t>(inside: Node<'t>, kinds: &[&str]) -> Option<Node<'t>> {
    let mut node = inside;
    while let Some(parent) = node.parent() {
        if kinds.contains(&parent.kind()) {
            return Some(parent);
        }
        node = parent;
    }
    None
}

/// Whether a subtree stands in a lambda or a class body below `root`: its code belongs
/// to another unit.
pub fn in_other_unit(node: Node<'_>, root: Node<'_>) -> bool {
    let mut node = node;
    while node != root {
        if matches!(node.kind(), "lambda_expression" | "class_body") {
            return true;
        }
        match node.parent() {
            Some(parent) => node = parent,
            None => return false,
        }
    }
    false
}

/// First line of a node, from 1.
pub fn line(node: Node<'_>) -> u32 {
    node.start_position().row as u32 + 1
}

/// Last line of a node, from 1.
pub fn last_line(node: Node<'_>) -> u32 {
    node.end_position().row as u32 + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_counter(header: &str) -> Option<Counter> {
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

    #[test]
    fn written_names_are_those_whose_value_changes() {
        let file = SourceFile::parse(
            "A.java",
            "class A { void m() { while (t) { a[i] = 1; this.f = 2; j++; int k = 0; o.g += 1; } } }",
        );
        let names = written_names(&file, loops(&file)[0].body);
        assert_eq!(names.into_iter().collect::<Vec<_>>(), ["f", "g", "j", "k"]);
    }
}
