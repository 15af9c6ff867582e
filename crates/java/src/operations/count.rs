//! Counting of the operations of files and their blocks into the dictionary.

use compact_str::CompactString;
use rayon::prelude::*;
use wattline_units::operation::Operation;

use super::call_graph::{CallFinder, FileCalls};
use super::counter::OperationCounter;
use super::dictionary::{BlockEntry, Dictionary, OperationCount};
use super::prepared_file::PreparedFile;
use super::program::{CountedFile, ResolvedProgram, Unit, run_on_deep_stacks};
use super::unresolved_findings;
use crate::blocks::{Block, BlockId, BodyUnit, FileBlocks};
use crate::finding::{Finding, FindingKind};
use crate::java::attribute::{Symbol, attribute};
use crate::java::class_members::ClassMembers;
use crate::java::file_unit::FileUnit;
use crate::java::kinds::{Field, Kind};
use crate::java::syntax_tree::NodeId;
use crate::java::{ClassPath, SourceFile};

/// Result of counting one or more files.
#[derive(Debug, Default)]
pub struct CountResult {
    /// Every block and its operations.
    pub dictionary: Dictionary,
    /// Unresolved types and calls, and code that was left out.
    pub findings: Vec<Finding>,
    /// Number of operations and calls that depend on unknown types or methods.
    pub guessed: u64,
    /// Resolved calls of each file, if requested ([`CallResolution`]).
    pub calls: Vec<FileCalls>,
    /// Name hashes of the classes that were looked up, ascending ([`ClassFingerprints`]); for
    /// single files only.
    ///
    /// [`ClassFingerprints`]: crate::java::fingerprints::ClassFingerprints
    pub asked: Vec<u32>,
}

/// Whether calls are resolved to the code that they may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallResolution {
    /// Calls are only counted.
    Counted,
    /// Calls are counted and resolved to entry blocks.
    Followed,
}

impl CountResult {
    /// Appends the result of the next file.
    pub fn add(&mut self, next: CountResult) {
        self.dictionary.blocks.extend(next.dictionary.blocks);
        self.findings.extend(next.findings);
        self.guessed += next.guessed;
        self.calls.extend(next.calls);
    }
}

/// Counts the operations of every block. `blocks[i]` are the blocks of `files[i]`; block ids are
/// dense over the files in order. The rules are the same at both granularities; only the blocks
/// differ.
pub fn count(files: &[SourceFile], blocks: &[FileBlocks], classes: &ClassPath) -> CountResult {
    assert_eq!(files.len(), blocks.len(), "one division per file");
    let pairs = files.par_iter().zip(blocks);
    let prepared = pairs.map(|(file, blocks)| PreparedFile::of(file, blocks.clone())).collect();
    let mut all = CountResult::default();
    let add = |counted| all.add(counted);
    count_each(files, prepared, classes, CallResolution::Counted, |_, counted| counted, add);
    all
}

/// Counts as [`count`], file by file, without a dictionary of all files at once; of `files` only
/// path and text are used. `make` gets the index and the result of one file, on any thread and in
/// any order; `take` gets what `make` returns, in the order of the files, while the next files
/// are counted.
pub fn count_each<T: Send>(
    files: &[SourceFile],
    prepared: Vec<PreparedFile>,
    classes: &ClassPath,
    calls: CallResolution,
    make: impl Fn(usize, CountResult) -> T + Sync,
    take: impl FnMut(T) + Send,
) {
    let parts = prepared.into_iter().map(Unit::Whole).collect();
    let make = |turn: CountedFile<'_, '_>| make(turn.index, turn.counted.unwrap_or_default());
    run_on_deep_stacks(|| {
        ResolvedProgram::of(files, parts, classes).count_each_file(calls, make, take)
    });
}

/// File with its index and the id of its first block.
#[derive(Clone, Copy)]
pub(super) struct NumberedFile<'f> {
    pub file: &'f FileUnit<'f>,
    pub index: usize,
    pub first: u32,
}

pub(super) fn count_file(
    classes: &ClassMembers<'_>,
    NumberedFile { file, index: number, first }: NumberedFile<'_>,
    blocks: FileBlocks,
    calls: CallResolution,
) -> CountResult {
    let (facts, resolver) = attribute(classes, file);
    let followed =
        (calls == CallResolution::Followed).then(|| FileCalls::entries(number, &blocks, first));
    let FileBlocks { units, blocks, owners, mut findings } = blocks;
    let mut counter = OperationCounter::new(file, &facts, &owners);
    let mut entries = Vec::with_capacity(blocks.len());
    for (index, block) in blocks.into_iter().enumerate() {
        let unit = &units[block.unit.0 as usize];
        let operations = counter.count_block(index, &block, unit);
        let id = BlockId(first + index as u32);
        entries.push(BlockEntry { id, ..entry(file, block, unit, operations) });
    }
    findings.append(&mut counter.findings);
    findings.extend(unresolved_findings::findings(file, &facts, &resolver));
    findings.sort();
    let calls = followed.map(|mut calls| {
        let of_block = |(block, node): &(usize, NodeId)| (BlockId(first + *block as u32), *node);
        let nodes: Vec<(BlockId, NodeId)> = counter.calls.iter().map(of_block).collect();
        let finder = CallFinder { file: number, facts: &facts, resolver: &resolver };
        finder.add(&mut calls, &nodes);
        calls
    });
    CountResult {
        dictionary: Dictionary { blocks: entries },
        findings,
        guessed: counter.guessed,
        calls: calls.into_iter().collect(),
        asked: resolver.names.lookup.asked().names(),
    }
}

fn entry(
    file: &FileUnit<'_>,
    block: Block,
    unit: &BodyUnit,
    operations: Vec<OperationCount>,
) -> BlockEntry {
    let package = &file.imports.package;
    let short = match unit.class.strip_prefix(package.as_str()) {
        Some(rest) if !package.is_empty() => rest.strip_prefix('.').unwrap_or(rest),
        _ => &unit.class,
    };
    let method = unit.name.strip_prefix(short).and_then(|rest| rest.strip_prefix('.'));
    BlockEntry {
        id: BlockId(0),
        name: block.name,
        kind: CompactString::const_new(block.kind.name()),
        file: file.source.path.clone(),
        start_line: block.start_line,
        end_line: block.end_line,
        class: unit.class.clone(),
        method: method.unwrap_or(&unit.name).to_owned(),
        removable: block.removable,
        operations,
    }
}

impl OperationCounter<'_> {
    fn count_block(&mut self, index: usize, block: &Block, unit: &BodyUnit) -> Vec<OperationCount> {
        self.block = index;
        self.entered(block, unit);
        for part in &block.parts {
            self.part(*part);
        }
        self.take()
    }

    /// Counts a part and all nodes below it that no other block owns.
    fn part(&mut self, root: NodeId) {
        self.construct_around(root);
        let mut todo = vec![root];
        while let Some(node) = todo.pop() {
            let owner = self.owner[node.0 as usize];
            if node != root && owner.is_some_and(|o| o as usize != self.block) {
                continue;
            }
            let before = (self.found.len(), self.findings.len());
            if self.node(node) {
                todo.extend(self.tree().children(node));
            }
            if self.findings.len() > before.1 {
                self.guessed += (self.found.len() - before.0) as u64;
            }
        }
    }

    /// Counts `node` itself; returns whether to descend below it.
    fn node(&mut self, node: NodeId) -> bool {
        let kind = self.tree().kind(node);
        if kind.is_type() || kind.is_annotation() || kind.is_class_declaration() {
            return false;
        }
        if self.facts.is_constant(node) && *self.facts.symbol(node) != Symbol::ConstantField {
            // A constant expression; a declared name is no expression but has nothing below.
            return false;
        }
        let typed = matches!(
            kind,
            Kind::Parenthesized | Kind::Binary | Kind::Unary | Kind::Call | Kind::Creation
        );
        if typed && !self.facts.is_visited(node) {
            self.too_deep(node);
            return false;
        }
        self.node_of_kind(kind, node)
    }

    fn node_of_kind(&mut self, kind: Kind, node: NodeId) -> bool {
        match kind {
            Kind::ClassBody | Kind::Modifiers | Kind::Assert | Kind::SwitchLabel => return false,
            Kind::MethodDeclaration | Kind::ConstructorDeclaration => return false,
            Kind::Lambda | Kind::MethodReference => {
                self.add_in("lambda", Operation::NEW_OBJECT, self.tree().line(node));
                return kind == Kind::MethodReference && self.reference_has_receiver(node);
            }
            Kind::Binary => self.binary(node),
            Kind::Unary => self.unary(node),
            Kind::Update => self.update(node),
            Kind::Assignment => self.assignment(node),
            Kind::VariableDeclarator => return self.declarator(node),
            Kind::Resource => self.resource(node),
            Kind::ArrayInitializer => self.array_initializer(node),
            Kind::Cast => self.cast(node),
            Kind::Ternary => {
                self.add_in(
                    self.decision_context(node, "conditional"),
                    Operation::GOTO_IF,
                    self.line_of(node, Field::Consequence),
                );
            }
            Kind::InstanceOf => self.instance_of(node),
            Kind::Pattern => {
                self.pattern(node);
                return false;
            }
            Kind::Call => self.call(node),
            Kind::Creation => self.creation(node),
            Kind::EnumConstant => self.enum_constant(node),
            Kind::ExplicitConstructorCall => self.explicit_constructor_call(node),
            Kind::ArrayCreation => self.add(Operation::NEW_ARRAY, self.tree().line(node)),
            Kind::ArrayAccess => {
                let line = self.line_of(node, Field::Index);
                let context = self.element_context(node);
                self.add_in(context, Operation::ARRAY_REFERENCE, line);
            }
            Kind::Identifier => self.identifier(node),
            Kind::FieldAccess => return self.field_access(node),
            Kind::Return => self.return_statement(node),
            Kind::Throw => self.add(Operation::THROW, self.tree().line(node)),
            Kind::Break | Kind::Continue => {
                self.add(Operation::GOTO_JUMP, self.tree().line(node));
                return false;
            }
            Kind::Yield => self.add(Operation::GOTO_JUMP, self.tree().line(node)),
            Kind::Error => return false,
            _ => {}
        }
        true
    }

    fn too_deep(&mut self, node: NodeId) {
        let line = self.tree().line(node);
        let message = "nested too deeply; its operations are not counted".to_owned();
        self.report(FindingKind::UnknownType, line, message);
    }
}
