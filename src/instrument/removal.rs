//! Removal of a block's own statements, such that the rest still compiles, loops
//! still end, and every block keeps its name: a variant divides into the same blocks.
//!
//! Removed are expression statements, local variables that nothing else uses, and
//! values of fields and primitive locals (a default value takes their place). All
//! else stays: jumps, headers, `this(...)`, statements that hold blocks or units of
//! their own, what assigns final fields, what a checked exception's `catch` needs,
//! what a loop's condition depends on, and objects that remaining code uses.

use std::collections::{BTreeSet, HashMap, HashSet};

use tree_sitter::Node;

use super::Report;
use super::edit::Edits;
use super::facts::Facts;
use crate::blocks::{BlockKind, FileBlocks, UnitKind};
use crate::finding::FindingKind;
use crate::java::SourceFile;
use crate::java::syntax::{self, field, kind};

/// For each block of a file: whether a variant can leave its statements out, alone,
/// or else why not.
pub fn removable(file: &SourceFile, blocks: &FileBlocks<'_>) -> Vec<Result<(), &'static str>> {
    let facts = Facts::gather(file);
    let units = units_of(file, blocks, |_| true);
    let plan = |index: usize| match units.get(&blocks.blocks[index].unit.0) {
        Some(unit) => unit.plan(file, &facts, blocks, &BTreeSet::from([index])).1,
        None => Err(NOTHING),
    };
    (0..blocks.blocks.len()).map(plan).collect()
}

/// Leaves the statements of the blocks `removed` out.
pub(super) fn remove(
    file: &SourceFile,
    blocks: &FileBlocks<'_>,
    removed: &BTreeSet<usize>,
    edits: &mut Edits,
    report: &mut Report<'_, '_>,
) {
    if removed.is_empty() {
        return;
    }
    let mut by_unit: HashMap<u32, BTreeSet<usize>> = HashMap::new();
    for index in removed {
        by_unit.entry(blocks.blocks[*index].unit.0).or_default().insert(*index);
    }
    let facts = Facts::gather(file);
    let units = units_of(file, blocks, |unit| by_unit.contains_key(&unit));
    for index in removed {
        let unit = blocks.blocks[*index].unit.0;
        let alone = units[&unit].plan(file, &facts, blocks, &BTreeSet::from([*index])).1;
        if let Err(why) = alone {
            report.block(*index, FindingKind::NotRemoved, why);
        }
    }
    let mut plans: Vec<_> = by_unit.iter().collect();
    plans.sort();
    for (unit, removed) in plans {
        for (range, text) in units[unit].plan(file, &facts, blocks, removed).0 {
            edits.replace(range, text);
        }
    }
}

const NEEDED: &str = "the code that stays needs its variables";
const NOTHING: &str = "it has no statement that can be left out";

type Replacement = (std::ops::Range<usize>, String);

fn units_of<'t>(
    file: &'t SourceFile,
    blocks: &FileBlocks<'t>,
    wanted: impl Fn(u32) -> bool,
) -> HashMap<u32, UnitNames<'t>> {
    let numbers = 0..u32::try_from(blocks.units.len()).expect("fewer than 2^32 units");
    let wanted = numbers.filter(|number| wanted(*number));
    wanted.map(|n| (n, UnitNames::gather(file, blocks.units[n as usize].node))).collect()
}

/// The surroundings of a statement that matter for its removal.
#[derive(Debug, Clone, Default)]
struct Surroundings<'t> {
    parent: Option<usize>,
    /// Names in the condition of a loop around it.
    condition: HashSet<&'t str>,
    /// Whether calls on these names may end the loop (an iterator, a stream).
    calls_count: bool,
    /// Whether it is in a `try` whose `catch` may need what it throws.
    checked: bool,
}

/// How far out conditions are looked for; enough for code written by hand.
const FARTHEST_LOOP: usize = 64;

/// A local variable.
#[derive(Debug, Clone, Copy)]
struct Local {
    /// Its default value if it is of a primitive type.
    default: Option<&'static str>,
    /// Whether it is declared without a value.
    blank: bool,
}

/// The names of one unit.
struct UnitNames<'t> {
    /// How often each identifier occurs.
    mentions: HashMap<&'t str, usize>,
    locals: HashMap<&'t str, Vec<Local>>,
    surroundings: Vec<Surroundings<'t>>,
    /// Statement id -> index of its surroundings.
    around: HashMap<usize, usize>,
}

impl<'t> UnitNames<'t> {
    fn gather(file: &'t SourceFile, node: Node<'t>) -> UnitNames<'t> {
        let mut names = UnitNames {
            mentions: HashMap::new(),
            locals: HashMap::new(),
            surroundings: vec![Surroundings::default()],
            around: HashMap::new(),
        };
        let mut todo = vec![(node, 0)];
        while let Some((node, around)) = todo.pop() {
            names.visit(file, node, around, &mut todo);
        }
        names
    }

    fn visit(
        &mut self,
        file: &'t SourceFile,
        node: Node<'t>,
        around: usize,
        todo: &mut Vec<(Node<'t>, usize)>,
    ) {
        let mut inner = around;
        match node.kind() {
            kind::IDENTIFIER => *self.mentions.entry(file.text_of(node)).or_default() += 1,
            kind::EXPRESSION_STATEMENT => {
                self.around.insert(node.id(), around);
            }
            kind::LOCAL_VARIABLE_DECLARATION => {
                self.around.insert(node.id(), around);
                self.declare(file, node);
            }
            kind::WHILE_STATEMENT | kind::DO_STATEMENT | kind::FOR_STATEMENT => {
                inner = self.enter(loop_surroundings(file, node, around));
            }
            kind::TRY_STATEMENT | kind::TRY_WITH_RESOURCES_STATEMENT => {
                let checked = catches_checked(file, node);
                let around = Surroundings { parent: Some(around), checked, ..Default::default() };
                inner = self.enter(around);
            }
            _ => {}
        }
        todo.extend(syntax::named_children(node).into_iter().map(|child| (child, inner)));
    }

    fn enter(&mut self, surroundings: Surroundings<'t>) -> usize {
        self.surroundings.push(surroundings);
        self.surroundings.len() - 1
    }

    fn declare(&mut self, file: &'t SourceFile, node: Node<'t>) {
        for declarator in syntax::fields(node, field::DECLARATOR) {
            let Some(name) = syntax::field(declarator, field::NAME) else { continue };
            let name = file.text_of(name);
            let default = default_value(file, node, declarator);
            let blank = syntax::field(declarator, field::VALUE).is_none();
            self.locals.entry(name).or_default().push(Local { default, blank });
        }
    }

    /// The replacements that remove the blocks `removed` of this unit, and whether
    /// there are any.
    fn plan(
        &self,
        file: &'t SourceFile,
        facts: &Facts<'_>,
        blocks: &FileBlocks<'t>,
        removed: &BTreeSet<usize>,
    ) -> (Vec<Replacement>, Result<(), &'static str>) {
        let mut why = NOTHING;
        let mut candidates = Vec::new();
        for index in removed {
            for part in &blocks.blocks[*index].parts {
                match self.candidate(file, facts, blocks, *index, *part) {
                    Ok(()) => candidates.push(*part),
                    Err(reason) if reason != NOTHING => why = reason,
                    Err(_) => {}
                }
            }
        }
        let mut remaining = Remaining { all: &self.mentions, gone: HashMap::new() };
        candidates.iter().for_each(|part| remaining.mention(file, *part, false));
        let mut replacements = Vec::new();
        candidates.sort_by_key(|part| part.start_byte());
        for part in candidates.into_iter().rev() {
            match self.edit(file, part, &remaining) {
                Ok(edits) => replacements.extend(edits),
                Err(reason) => {
                    why = reason;
                    remaining.mention(file, part, true);
                }
            }
        }
        let result = if replacements.is_empty() { Err(why) } else { Ok(()) };
        (replacements, result)
    }

    /// Whether one part of block `index` may go, whatever else goes.
    fn candidate(
        &self,
        file: &'t SourceFile,
        facts: &Facts<'_>,
        blocks: &FileBlocks<'t>,
        index: usize,
        part: Node<'t>,
    ) -> Result<(), &'static str> {
        let block = &blocks.blocks[index];
        let unit = &blocks.units[block.unit.0 as usize];
        if matches!(block.kind, BlockKind::ForInit | BlockKind::ForUpdate) {
            return Err("it is the header of a loop");
        }
        if part.has_error() {
            return Err("the parser can't follow it");
        }
        if part.kind() == kind::VARIABLE_DECLARATOR {
            return field_value(file, unit.node, part);
        }
        if !matches!(part.kind(), kind::EXPRESSION_STATEMENT | kind::LOCAL_VARIABLE_DECLARATION) {
            return Err(NOTHING);
        }
        let effects = Effects::of(file, part);
        if effects.holds_code || owns_blocks(blocks, index, part) {
            return Err("its statements hold lambdas, classes or blocks of their own");
        }
        let initializes = !matches!(unit.kind, UnitKind::Method | UnitKind::Lambda);
        if initializes && effects.assigned.iter().any(|name| facts.is_blank_final(name)) {
            return Err("it assigns a final field");
        }
        if effects.nested.iter().any(|name| self.is_blank(name)) {
            return Err("it assigns a variable inside an expression");
        }
        self.in_its_place(part, &effects)
    }

    /// What the loops and `try` statements around a statement demand.
    fn in_its_place(&self, part: Node<'t>, effects: &Effects<'t>) -> Result<(), &'static str> {
        let mut around = self.around.get(&part.id()).copied();
        for _ in 0..FARTHEST_LOOP {
            let Some(surroundings) = around.map(|index| &self.surroundings[index]) else { break };
            if surroundings.checked && effects.may_throw {
                return Err("a catch of a checked exception may need it");
            }
            let steers = |names: &HashSet<&str>| {
                names.iter().any(|name| surroundings.condition.contains(name))
            };
            if steers(&effects.assigned) || (surroundings.calls_count && steers(&effects.receivers))
            {
                return Err("a loop's condition depends on it");
            }
            around = surroundings.parent;
        }
        Ok(())
    }

    fn is_blank(&self, name: &str) -> bool {
        self.locals.get(name).is_some_and(|locals| locals.iter().any(|local| local.blank))
    }

    /// The edit that removes one statement, given how often names occur in what stays.
    fn edit(
        &self,
        file: &SourceFile,
        part: Node<'t>,
        remaining: &Remaining<'_, '_>,
    ) -> Result<Vec<Replacement>, &'static str> {
        match part.kind() {
            kind::VARIABLE_DECLARATOR => Ok(without_value(file, part)),
            kind::LOCAL_VARIABLE_DECLARATION => declaration(file, part, remaining),
            _ => self.expression(file, part, remaining),
        }
    }

    fn expression(
        &self,
        file: &SourceFile,
        part: Node<'t>,
        remaining: &Remaining<'_, '_>,
    ) -> Result<Vec<Replacement>, &'static str> {
        let gone = || Ok(vec![(part.byte_range(), nothing(part).to_owned())]);
        let Some(assignment) = syntax::child_of_kind(part, kind::ASSIGNMENT_EXPRESSION) else {
            return gone();
        };
        let (Some(left), Some(right)) =
            (syntax::field(assignment, field::LEFT), syntax::field(assignment, field::RIGHT))
        else {
            return gone();
        };
        let left = syntax::without_parentheses(left);
        let name = file.text_of(left);
        if left.kind() != kind::IDENTIFIER || !self.is_blank(name) || !remaining.has(name) {
            return gone();
        }
        let defaults: HashSet<_> = self.locals[name].iter().map(|local| local.default).collect();
        match defaults.into_iter().collect::<Vec<_>>()[..] {
            [Some(default)] if !is_literal(right) => {
                Ok(vec![(right.byte_range(), default.to_owned())])
            }
            _ => Err(NEEDED),
        }
    }
}

/// How often names occur in the code that stays.
struct Remaining<'a, 't> {
    all: &'a HashMap<&'t str, usize>,
    gone: HashMap<&'t str, usize>,
}

impl<'t> Remaining<'_, 't> {
    /// Whether the code that stays mentions `name`.
    fn has(&self, name: &str) -> bool {
        let gone = self.gone.get(name).copied().unwrap_or(0);
        self.all.get(name).is_some_and(|count| *count > gone)
    }

    /// Adds or takes away the identifiers of `part`.
    fn mention(&mut self, file: &'t SourceFile, part: Node<'t>, add: bool) {
        let mut todo = vec![part];
        while let Some(node) = todo.pop() {
            if node.kind() == kind::IDENTIFIER {
                let count = self.gone.entry(file.text_of(node)).or_default();
                *count = if add { count.saturating_sub(1) } else { *count + 1 };
            }
            todo.extend(syntax::named_children(node));
        }
    }
}

/// What stands where a removed statement was.
fn nothing(part: Node<'_>) -> &'static str {
    match part.parent() {
        Some(parent) if parent.kind() == kind::SWITCH_RULE => "{ }",
        _ => ";",
    }
}

/// A local variable declaration: gone if nothing that stays mentions its names, else
/// default values for primitives.
fn declaration(
    file: &SourceFile,
    part: Node<'_>,
    remaining: &Remaining<'_, '_>,
) -> Result<Vec<Replacement>, &'static str> {
    let declarators = syntax::fields(part, field::DECLARATOR);
    let name_of = |declarator: &Node<'_>| {
        syntax::field(*declarator, field::NAME).map_or("", |name| file.text_of(name))
    };
    if !declarators.iter().any(|declarator| remaining.has(name_of(declarator))) {
        return Ok(vec![(part.byte_range(), nothing(part).to_owned())]);
    }
    let mut edits = Vec::new();
    for declarator in declarators {
        let Some(value) = syntax::field(declarator, field::VALUE) else { continue };
        if is_literal(value) {
            continue;
        }
        let default = default_value(file, part, declarator).ok_or(NEEDED)?;
        edits.push((value.byte_range(), default.to_owned()));
    }
    if edits.is_empty() {
        return Err(NEEDED);
    }
    // `final int n = 0` would be a constant, and loops could become endless.
    edits.extend(final_modifier(file, part).map(|node| (node.byte_range(), String::new())));
    Ok(edits)
}

fn final_modifier<'t>(file: &SourceFile, declaration: Node<'t>) -> Option<Node<'t>> {
    let modifiers = syntax::child_of_kind(declaration, kind::MODIFIERS)?;
    syntax::children(modifiers).into_iter().find(|node| file.text_of(*node) == "final")
}

/// A field's value becomes the default.
fn without_value(file: &SourceFile, declarator: Node<'_>) -> Vec<Replacement> {
    let declaration = declarator.parent();
    let default = declaration.and_then(|node| default_value(file, node, declarator));
    let value = syntax::field(declarator, field::VALUE);
    let replace = |value: Node<'_>| (value.byte_range(), default.unwrap_or("null").to_owned());
    value.map(replace).into_iter().collect()
}

fn field_value(
    file: &SourceFile,
    class_body: Node<'_>,
    declarator: Node<'_>,
) -> Result<(), &'static str> {
    let declaration = declarator.parent().ok_or(NOTHING)?;
    if declaration.kind() != kind::FIELD_DECLARATION
        || class_body.kind() == kind::INTERFACE_BODY
        || syntax::has_modifier(declaration, "final", &file.text)
    {
        return Err("it initialises final fields");
    }
    match syntax::field(declarator, field::VALUE) {
        Some(value) if Effects::of(file, value).holds_code => {
            Err("its statements hold lambdas, classes or blocks of their own")
        }
        Some(value) if is_literal(value) => Err(NOTHING),
        Some(_) => Ok(()),
        None => Err(NOTHING),
    }
}

/// The default value of a declared variable of a primitive type.
fn default_value(
    file: &SourceFile,
    declaration: Node<'_>,
    declarator: Node<'_>,
) -> Option<&'static str> {
    if syntax::field(declarator, field::DIMENSIONS).is_some() {
        return None;
    }
    match file.text_of(syntax::field(declaration, field::TYPE)?) {
        "boolean" => Some("false"),
        "byte" | "short" | "char" | "int" | "long" | "float" | "double" => Some("0"),
        _ => None,
    }
}

fn is_literal(value: Node<'_>) -> bool {
    value.child_count() == 0 && value.kind() != kind::IDENTIFIER && value.kind() != kind::THIS
        || value.kind() == kind::STRING_LITERAL
}

/// Whether a part holds blocks other than its own.
fn owns_blocks(blocks: &FileBlocks<'_>, index: usize, part: Node<'_>) -> bool {
    let mut todo = vec![part];
    while let Some(node) = todo.pop() {
        if blocks.owner.get(&node.id()).is_some_and(|owner| *owner != index) {
            return true;
        }
        todo.extend(syntax::named_children(node));
    }
    false
}

/// What a statement does to names.
#[derive(Default)]
struct Effects<'t> {
    /// Names that it assigns (of `a.b = c`: a and b; of `a[i] = c`: a).
    assigned: HashSet<&'t str>,
    /// Variables assigned within an expression.
    nested: HashSet<&'t str>,
    /// Names that it calls methods on.
    receivers: HashSet<&'t str>,
    /// Whether it calls anything.
    may_throw: bool,
    /// Whether it holds lambdas, classes or `switch` expressions.
    holds_code: bool,
}

impl<'t> Effects<'t> {
    fn of(file: &'t SourceFile, part: Node<'t>) -> Effects<'t> {
        let mut effects = Effects::default();
        let top = syntax::named_children(part).first().map(Node::id);
        let mut todo = vec![part];
        while let Some(node) = todo.pop() {
            effects.visit(file, node, Some(node.id()) == top);
            todo.extend(syntax::named_children(node));
        }
        effects
    }

    fn visit(&mut self, file: &'t SourceFile, node: Node<'t>, is_top: bool) {
        match node.kind() {
            kind::ASSIGNMENT_EXPRESSION => {
                let Some(left) = syntax::field(node, field::LEFT) else { return };
                names(file, left, &mut self.assigned);
                if !is_top {
                    names(file, left, &mut self.nested);
                }
            }
            kind::UPDATE_EXPRESSION => names(file, node, &mut self.assigned),
            kind::METHOD_INVOCATION => {
                self.may_throw = true;
                let object = syntax::field(node, field::OBJECT);
                object.into_iter().for_each(|object| names(file, object, &mut self.receivers));
            }
            kind::OBJECT_CREATION_EXPRESSION => {
                self.may_throw = true;
            }
            kind::LAMBDA_EXPRESSION | kind::CLASS_BODY | kind::SWITCH_EXPRESSION => {
                self.holds_code = true;
            }
            _ => {}
        }
    }
}

/// The names in an expression, indices and arguments left out.
fn names<'t>(file: &'t SourceFile, expression: Node<'t>, names: &mut HashSet<&'t str>) {
    let mut todo = vec![expression];
    while let Some(node) = todo.pop() {
        match node.kind() {
            kind::IDENTIFIER => {
                names.insert(file.text_of(node));
            }
            kind::ARRAY_ACCESS => todo.extend(syntax::named_children(node).first()),
            kind::ARGUMENT_LIST | kind::CLASS_BODY => {}
            _ => todo.extend(syntax::named_children(node)),
        }
    }
}

/// All names in an expression.
fn all_names<'t>(file: &'t SourceFile, expression: Node<'t>, names: &mut HashSet<&'t str>) {
    let mut todo = vec![expression];
    while let Some(node) = todo.pop() {
        if node.kind() == kind::IDENTIFIER {
            names.insert(file.text_of(node));
        }
        todo.extend(syntax::named_children(node));
    }
}

/// The names that decide when a loop ends: those of its condition, or, if it has none
/// that varies, those of the `if` conditions in it.
fn loop_surroundings<'t>(file: &'t SourceFile, node: Node<'t>, parent: usize) -> Surroundings<'t> {
    let condition = syntax::field(node, field::CONDITION);
    let mut names = HashSet::new();
    condition.into_iter().for_each(|condition| all_names(file, condition, &mut names));
    if names.is_empty() {
        let mut todo: Vec<_> = syntax::field(node, field::BODY).into_iter().collect();
        while let Some(inner) = todo.pop() {
            if inner.kind() == kind::IF_STATEMENT
                && let Some(condition) = syntax::field(inner, field::CONDITION)
            {
                all_names(file, condition, &mut names);
            }
            todo.extend(syntax::named_children(inner));
        }
    }
    let calls_count = syntax::field(node, field::UPDATE).is_none();
    Surroundings { parent: Some(parent), condition: names, calls_count, checked: false }
}

/// Exceptions of java.lang and java.util that need not be thrown where they are
/// caught (JLS 11.2.3).
const UNCHECKED: [&str; 24] = [
    "Exception",
    "Throwable",
    "RuntimeException",
    "Error",
    "ArithmeticException",
    "ArrayIndexOutOfBoundsException",
    "ArrayStoreException",
    "AssertionError",
    "ClassCastException",
    "ConcurrentModificationException",
    "EmptyStackException",
    "IllegalArgumentException",
    "IllegalMonitorStateException",
    "IllegalStateException",
    "IndexOutOfBoundsException",
    "NegativeArraySizeException",
    "NoSuchElementException",
    "NullPointerException",
    "NumberFormatException",
    "OutOfMemoryError",
    "SecurityException",
    "StackOverflowError",
    "StringIndexOutOfBoundsException",
    "UnsupportedOperationException",
];

/// Whether a `try` catches an exception that may be checked.
fn catches_checked(file: &SourceFile, node: Node<'_>) -> bool {
    let clauses = syntax::children_of_kind(node, kind::CATCH_CLAUSE).into_iter();
    let parameters =
        clauses.filter_map(|clause| syntax::child_of_kind(clause, kind::CATCH_FORMAL_PARAMETER));
    let types = parameters.filter_map(|node| syntax::child_of_kind(node, kind::CATCH_TYPE));
    types.flat_map(syntax::named_children).any(|ty| {
        let name = file.text_of(ty);
        !UNCHECKED.contains(&name.rsplit('.').next().unwrap_or(name).trim())
    })
}
