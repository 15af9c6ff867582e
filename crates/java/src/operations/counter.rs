//! State of counting the operations of one file.

use compact_str::CompactString;
use wattline_units::operation::Feature;

use super::dictionary::OperationCount;
use super::operation_verb::OperationVerb;
use crate::blocks::PartOwners;
use crate::finding::{Finding, FindingKind};
use crate::java::attribute::AttributedFacts;
use crate::java::fast_hash::Map;
use crate::java::file_unit::FileUnit;
use crate::java::kinds::{Field, Kind};
use crate::java::syntax_tree::{NodeId, SyntaxTree};
use crate::java::types::{Type, ValueKind};

/// Counter of the operations of one file, block by block.
pub(super) struct OperationCounter<'a> {
    pub file: &'a FileUnit<'a>,
    pub facts: &'a AttributedFacts,
    /// Index of the block whose part begins at each node, if any.
    pub owner: Vec<Option<u32>>,
    /// Index of the block that is being counted.
    pub block: usize,
    pub found: Vec<(Feature, CompactString, u32)>,
    pub findings: Vec<Finding>,
    /// Calls and creations that may run code of the sources, by the index of their block.
    pub calls: Vec<(usize, NodeId)>,
    /// Number of operations so far that depend on unknown types or methods.
    pub guessed: u64,
    /// Counters of the loops that were looked up, by loop.
    pub counted: Map<NodeId, Vec<&'a str>>,
}

impl<'a> OperationCounter<'a> {
    pub fn new(
        file: &'a FileUnit<'a>,
        facts: &'a AttributedFacts,
        owners: &PartOwners,
    ) -> OperationCounter<'a> {
        let mut owner = vec![None; file.tree.len()];
        for (node, block) in owners.iter() {
            owner[node.0 as usize] = Some(block);
        }
        let (found, findings, calls) = (Vec::new(), Vec::new(), Vec::new());
        let counted = Map::default();
        OperationCounter {
            file,
            facts,
            owner,
            block: 0,
            found,
            findings,
            calls,
            guessed: 0,
            counted,
        }
    }

    pub fn tree(&self) -> &'a SyntaxTree {
        &self.file.tree
    }

    /// Adds one operation on `line`, without a context.
    pub fn add(&mut self, operation: impl Into<Feature>, line: u32) {
        self.add_in("", operation, line);
    }

    /// Adds one operation in a context.
    pub(crate) fn add_in(
        &mut self,
        context: impl Into<CompactString>,
        operation: impl Into<Feature>,
        line: u32,
    ) {
        self.found.push((operation.into(), context.into(), line));
    }

    /// Adds one operation on a value of a kind.
    pub(crate) fn add_kind(&mut self, verb: OperationVerb, kind: ValueKind, line: u32) {
        self.add(verb.of(kind), line);
    }

    /// Takes the operations since the last call, by name, context and line.
    pub fn take(&mut self) -> Vec<OperationCount> {
        self.found.sort_unstable();
        let mut counts: Vec<OperationCount> = Vec::new();
        for (operation, context, line) in self.found.drain(..) {
            match counts.last_mut() {
                Some(same)
                    if same.line == line
                        && same.operation == operation
                        && same.context == context =>
                {
                    same.count += 1;
                }
                _ => counts.push(OperationCount { operation, context, line, count: 1 }),
            }
        }
        counts
    }

    pub fn report(&mut self, kind: FindingKind, line: u32, message: String) {
        self.findings.push(Finding { file: self.file.source.path.clone(), line, kind, message });
    }

    /// Reports that the type of `node` is unknown, and the kind it counts as.
    pub(crate) fn report_unknown(&mut self, node: NodeId, guess: ValueKind) {
        let line = self.tree().line(node);
        let text = first_line(self.file.text(node));
        let message = format!("the type of `{text}` is not known; it counts as {guess}");
        self.report(FindingKind::UnknownType, line, message);
    }

    /// Returns the kind of an expression's own type; a guess, with a finding, if unknown.
    pub(crate) fn kind_of(&mut self, node: NodeId) -> ValueKind {
        let functional = matches!(self.tree().kind(node), Kind::Lambda | Kind::MethodReference);
        match self.facts.ty(node).kind() {
            Some(kind) => kind,
            None if functional => ValueKind::Object,
            None => {
                self.report_unknown(node, ValueKind::Object);
                ValueKind::Object
            }
        }
    }

    pub fn ty(&self, node: NodeId) -> &'a Type {
        self.facts.ty(node)
    }

    /// Returns the expression inside any parentheses.
    pub fn without_parentheses(&self, node: NodeId) -> NodeId {
        let tree = self.tree();
        let mut node = node;
        while tree.kind(node) == Kind::Parenthesized {
            match tree.children(node).next() {
                Some(inner) => node = inner,
                None => break,
            }
        }
        node
    }

    pub fn is_null(&self, node: NodeId) -> bool {
        self.tree().kind(self.without_parentheses(node)) == Kind::NullLiteral
    }

    /// Returns the operator of a node and its line.
    pub fn operator(&self, node: NodeId) -> (Kind, u32) {
        let tree = self.tree();
        let token = tree.child(node, Field::Operator);
        token.map_or((Kind::Other, tree.line(node)), |t| (tree.kind(t), tree.line(t)))
    }

    /// Returns the line of the child with this role, or of the node.
    pub fn line_of(&self, node: NodeId, field: Field) -> u32 {
        let tree = self.tree();
        tree.line(tree.child(node, field).unwrap_or(node))
    }
}

/// Concatenates texts; up to 24 bytes, as nearly all names have, need no heap memory.
pub(super) fn concatenate<const N: usize>(words: [&str; N]) -> CompactString {
    words.into_iter().collect()
}

/// Returns the first line of `text`, cut to what fits a message.
pub(super) fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_owned(),
    }
}
