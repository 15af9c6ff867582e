//! Switches instead of removals: one build that can behave as every variant. A statement is put
//! under an `if`, a value into `switch ? value : default`.

use std::collections::BTreeSet;

use crate::java::SyntaxNode;
use crate::java::fast_hash::{Map, Set};

use super::blank_finals::blank_finals;
use super::unit_names::{UnitNames, by_unit, units_of};
use super::values::{default_value, is_literal};
use crate::blocks::{BlockId, FileBlocks};
use crate::instrument::edits::Edits;
use crate::instrument::instrumented_sources::StatementPosition;
use crate::instrument::local_ids::local_ids;
use crate::java::SourceFile;
use crate::java::syntax::{self, field, kind};

/// Analysis of removals in all files, for queries about many sets of blocks.
pub struct Removals<'t> {
    files: Vec<FileNames<'t>>,
}

struct FileNames<'t> {
    file: &'t SourceFile,
    finals: Set<&'t str>,
    units: Map<u32, UnitNames<'t>>,
}

impl<'t> Removals<'t> {
    /// Analyses the names in `files`, whose blocks are `blocks`.
    pub fn new(files: &'t [SourceFile], blocks: &[FileBlocks]) -> Removals<'t> {
        let names = |(file, blocks): (&'t SourceFile, &FileBlocks)| FileNames {
            file,
            finals: blank_finals(file),
            units: units_of(file, blocks, |_| true),
        };
        Removals { files: files.iter().zip(blocks).map(names).collect() }
    }

    /// Returns the statements that a variant without `removed` leaves out or changes, sorted;
    /// `blocks` as for [`Removals::new`].
    pub fn statements(
        &self,
        blocks: &[FileBlocks],
        removed: &BTreeSet<BlockId>,
    ) -> Vec<StatementPosition> {
        let mut statements = Vec::new();
        let mut first = 0;
        for (number, (names, blocks)) in self.files.iter().zip(blocks).enumerate() {
            let removed = local_ids(removed, first, blocks);
            for (unit, removed) in by_unit(blocks, &removed) {
                let Some(unit) = names.units.get(&unit) else { continue };
                let plan = unit.plan(names.file, &names.finals, blocks, &removed);
                statements.extend(plan.parts.iter().map(|part| (number, part.start_byte())));
            }
            first += blocks.blocks.len();
        }
        statements.sort_unstable();
        statements
    }
}

/// Puts a switch at each statement of the blocks `removable`, which has the effect of removal
/// when off. Returns the offset of each statement with a switch. Statements that can't have one
/// get none.
pub(crate) fn guard(
    file: &SourceFile,
    blocks: &FileBlocks,
    removable: &BTreeSet<usize>,
    switch: &SwitchTexts<'_>,
    edits: &mut Edits,
) -> Vec<usize> {
    if removable.is_empty() {
        return Vec::new();
    }
    let by_unit = by_unit(blocks, removable);
    let finals = blank_finals(file);
    let units = units_of(file, blocks, |unit| by_unit.contains_key(&unit));
    let mut starts = Vec::new();
    for (unit, removable) in &by_unit {
        let Some(unit) = units.get(unit) else { continue };
        for index in removable {
            for part in blocks.blocks[*index].parts.iter().map(|part| file.node(*part)) {
                let may = unit.candidate(file, &finals, blocks, *index, part).is_ok();
                if may && unit.guard(file, part, &switch.text(starts.len()), edits) {
                    starts.push(part.start_byte());
                }
            }
        }
    }
    starts
}

/// Order of switches in [`Edits`]: inside of every probe at the same offset.
const INNERMOST: usize = 1 << 40;

/// Generator of the source text of one file's switches.
pub struct SwitchTexts<'a> {
    /// The runtime's package.
    pub package: &'a str,
    /// Number of the file's first switch.
    pub first: usize,
}

impl SwitchTexts<'_> {
    /// Returns the expression that reads the file's switch `index`.
    fn text(&self, index: usize) -> String {
        format!("{}.S.k({})", self.package, self.first + index)
    }
}

impl<'t> UnitNames<'t> {
    /// Puts one statement under a switch; returns false if that is impossible.
    fn guard(
        &self,
        file: &SourceFile,
        part: SyntaxNode<'t>,
        switch: &str,
        edits: &mut Edits,
    ) -> bool {
        let values = match syntax::kind_of(part) {
            kind::VARIABLE_DECLARATOR => match part.parent() {
                Some(declaration) => declared(file, declaration, &[part]),
                None => None,
            },
            kind::LOCAL_VARIABLE_DECLARATION => {
                declared(file, part, &syntax::fields(part, field::DECLARATOR))
            }
            _ => self.assigned(file, part),
        };
        match values {
            Some(values) => values.into_iter().for_each(|(value, default)| {
                edits.open(value.start_byte(), INNERMOST, format!("{switch} ? ("));
                edits.close(value.end_byte(), INNERMOST, format!(") : {default}"));
            }),
            None if syntax::kind_of(part) == kind::EXPRESSION_STATEMENT
                && !self.gives_blank(file, part) =>
            {
                edits.open(part.start_byte(), INNERMOST, format!("{{ if ({switch}) "));
                edits.close(part.end_byte(), INNERMOST, " }");
            }
            None => return false,
        }
        true
    }

    /// Returns the value, with its default, of an assignment to a variable that was declared
    /// without one.
    fn assigned(
        &self,
        file: &SourceFile,
        part: SyntaxNode<'t>,
    ) -> Option<Vec<(SyntaxNode<'t>, &'static str)>> {
        if !self.gives_blank(file, part) {
            return None;
        }
        let assignment = syntax::child_of_kind(part, kind::ASSIGNMENT_EXPRESSION)?;
        let left = syntax::without_parentheses(syntax::field(assignment, field::LEFT)?);
        let right = syntax::field(assignment, field::RIGHT)?;
        let locals = &self.locals[file.text_of(left)];
        let default = locals.first()?.default;
        let same = locals.iter().all(|local| local.default == default);
        same.then(|| vec![(right, default.unwrap_or("null"))])
    }

    /// Whether a statement assigns to a variable that was declared without a value.
    fn gives_blank(&self, file: &SourceFile, part: SyntaxNode<'t>) -> bool {
        let assignment = syntax::child_of_kind(part, kind::ASSIGNMENT_EXPRESSION);
        let left = assignment.and_then(|node| syntax::field(node, field::LEFT));
        left.map(syntax::without_parentheses).is_some_and(|left| {
            syntax::kind_of(left) == kind::IDENTIFIER && self.is_blank(file.text_of(left))
        })
    }
}

/// Returns the values of declarators with their defaults; `None` where one can't be put into a
/// `?:`.
fn declared<'t>(
    file: &SourceFile,
    declaration: SyntaxNode<'t>,
    declarators: &[SyntaxNode<'t>],
) -> Option<Vec<(SyntaxNode<'t>, &'static str)>> {
    let ty = syntax::field(declaration, field::TYPE)?;
    if file.text_of(ty) == "var" {
        return None;
    }
    let mut values = Vec::new();
    for declarator in declarators {
        let Some(value) = syntax::field(*declarator, field::VALUE) else { continue };
        if is_literal(value) {
            continue;
        }
        if file.text_of(value).starts_with('{') {
            return None;
        }
        let default = default_value(file, declaration, *declarator).unwrap_or("null");
        values.push((value, default));
    }
    Some(values)
}
