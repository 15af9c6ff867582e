//! Derivation of counts from callers in a closed world: where all callers are in the sources, a
//! small method needs no probe; its executions are those of the blocks that call it. That holds for
//! methods that surely complete and that nothing else can call: no other method has the
//! name, no method reference or string mentions it, and every call of the name is in the
//! same class, on `this`, and surely reached.

use std::collections::{HashMap, HashSet};

use crate::java::{NodeId, SyntaxNode};

use super::derivation::quiet_code::QuietCode;
use super::derivation::{CounterSum, DerivedCounter, DerivedSums};
use crate::blocks::{FileBlocks, UnitKind};
use crate::java::SourceFile;
use crate::java::syntax::{self, field, kind};

/// Uses of method names in all sources: declarations, calls and mentions.
#[derive(Default)]
struct SourceMethodNames<'t> {
    declared: HashMap<&'t str, usize>,
    /// Calls, with the index of their file.
    calls: HashMap<&'t str, Vec<(usize, SyntaxNode<'t>)>>,
    /// Names in method references and string literals.
    mentioned: HashSet<&'t str>,
    /// Types without supertypes.
    roots: HashSet<&'t str>,
}

/// Returns for each file the entry blocks of methods whose executions follow from their callers.
pub fn derive_small_methods(files: &[SourceFile], blocks: &[FileBlocks]) -> Vec<DerivedSums> {
    let mut names = SourceMethodNames::default();
    for (number, file) in files.iter().enumerate() {
        syntax::walk(file.tree.root_node(), |node, _| {
            names.visit(file, number, node);
            true
        });
    }
    let mut small = HashSet::new();
    let mut methods = Vec::new();
    for (number, (file, blocks)) in files.iter().zip(blocks).enumerate() {
        for (index, unit) in blocks.units.iter().enumerate() {
            let next = blocks.units.get(index + 1).map_or(blocks.blocks.len(), |unit| unit.entry);
            let has_one_block = next == unit.entry + 1;
            if unit.kind == UnitKind::Method
                && has_one_block
                && let Some(name) = names.of_small(file, file.node(unit.node))
            {
                small.insert(name);
                methods.push((number, unit.entry, file.node(unit.node), name));
            }
        }
    }
    let mut derived = vec![DerivedSums::new(); files.len()];
    for (number, entry, node, name) in methods {
        let calls = names.calls.get(name).map_or(&[][..], Vec::as_slice);
        let callers: Option<Vec<usize>> = calls
            .iter()
            .map(|(file, call)| {
                let same = *file == number && class_of(*call) == node.parent().map(|n| n.id());
                same.then(|| caller(&files[number], &blocks[number], *call, &small)).flatten()
            })
            .collect();
        if let Some(callers) = callers.filter(|callers| !callers.is_empty()) {
            let mut sum = CounterSum::new();
            callers.iter().for_each(|c| *sum.entry(DerivedCounter::Block(*c)).or_default() += 1);
            derived[number].insert(entry, sum);
        }
    }
    derived
}

impl<'t> SourceMethodNames<'t> {
    fn visit(&mut self, file: &'t SourceFile, number: usize, node: SyntaxNode<'t>) {
        let name = |node: SyntaxNode<'t>| syntax::field(node, field::NAME).map(|n| file.text_of(n));
        match node.kind() {
            kind::METHOD_DECLARATION => {
                *self.declared.entry(name(node).unwrap_or_default()).or_default() += 1;
            }
            kind::METHOD_INVOCATION => {
                let calls = self.calls.entry(name(node).unwrap_or_default()).or_default();
                calls.push((number, node));
            }
            kind::METHOD_REFERENCE => {
                let last = syntax::named_children(node).pop();
                self.mentioned.extend(last.map(|last| file.text_of(last)));
            }
            kind::STRING_LITERAL => {
                self.mentioned.insert(file.text_of(node).trim_matches('"'));
            }
            _ if syntax::is_type_declaration(node) && !has_supertypes(node) => {
                self.roots.extend(name(node));
            }
            _ => {}
        }
    }

    /// Returns the name of a method if it surely completes, calls nothing and can only be called by
    /// its name.
    fn of_small(&self, file: &'t SourceFile, method: SyntaxNode<'t>) -> Option<&'t str> {
        let name = file.text_of(syntax::field(method, field::NAME)?);
        let is = |modifier: &str| syntax::has_modifier(method, modifier, &file.text);
        let class = method.parent()?.parent()?;
        let is_final = is("final") || syntax::has_modifier(class, "final", &file.text);
        let is_own = is("private")
            || is("static")
            || (is_final
                && class.kind() == kind::CLASS_DECLARATION
                && self.only_roots(file, class));
        let is_known = self.declared.get(name) == Some(&1) && !self.mentioned.contains(name);
        let is_plain = !is("synchronized") && !is_annotated(method);
        let quiet = QuietCode::of_unit(file, method, HashSet::new());
        let completes = syntax::statements(syntax::field(method, field::BODY)?)
            .into_iter()
            .all(|statement| quiet.is_quiet_part(file, statement));
        (is_own && is_known && is_plain && completes).then_some(name)
    }

    /// Whether all supertypes of `class` are types in the sources that have none.
    fn only_roots(&self, file: &SourceFile, class: SyntaxNode<'_>) -> bool {
        syntax::supertypes(class).into_iter().all(|ty| self.roots.contains(file.text_of(ty)))
    }
}

fn has_supertypes(class: SyntaxNode<'_>) -> bool {
    !syntax::supertypes(class).is_empty()
}

fn is_annotated(method: SyntaxNode<'_>) -> bool {
    let modifiers = syntax::child_of_kind(method, kind::MODIFIERS);
    modifiers.is_some_and(|list| {
        let kinds = [kind::ANNOTATION, kind::MARKER_ANNOTATION];
        kinds.into_iter().any(|kind| syntax::child_of_kind(list, kind).is_some())
    })
}

/// Returns the innermost class body around `node`.
fn class_of(node: SyntaxNode<'_>) -> Option<NodeId> {
    let mut here = node.parent()?;
    while !matches!(
        here.kind(),
        kind::CLASS_BODY | kind::INTERFACE_BODY | kind::ENUM_BODY_DECLARATIONS
    ) {
        here = here.parent()?;
    }
    Some(here.id())
}

/// Returns the block that makes `call` exactly once whenever it is entered.
fn caller<'t>(
    file: &'t SourceFile,
    blocks: &FileBlocks,
    call: SyntaxNode<'t>,
    small: &HashSet<&'t str>,
) -> Option<usize> {
    let mut part = call;
    let index = loop {
        if let Some(index) = blocks.owners.get(part.id()) {
            break index;
        }
        let parent = part.parent()?;
        let first = syntax::named_children(parent).first().is_some_and(|n| n.id() == part.id());
        let skips = matches!(syntax::operator(parent), Some("&&" | "||"))
            || parent.kind() == kind::TERNARY_EXPRESSION;
        if skips && !first {
            return None;
        }
        part = parent;
    };
    let block = &blocks.blocks[index];
    let unit = blocks.unit_of(block);
    if !matches!(unit.kind, UnitKind::Method | UnitKind::Lambda) {
        return None;
    }
    let quiet = QuietCode::of_unit(file, file.node(unit.node), small.clone());
    let at = block.parts.iter().position(|candidate| *candidate == part.id())?;
    let surely = block.parts[..=at].iter().all(|part| quiet.is_quiet_part(file, file.node(*part)));
    surely.then_some(index)
}
