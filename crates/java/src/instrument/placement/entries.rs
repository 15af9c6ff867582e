//! Placement of probes where a run of statements begins: at the entry of a unit, and at
//! continuations.

use crate::java::{NodeId, SyntaxNode};

use super::text::BodyWrapper;
use super::{PlacementResult, ProbePlacer};
use crate::blocks::UnitKind;
use crate::instrument::lambda_entry;
use crate::java::syntax::{self, field, kind};

impl<'t> ProbePlacer<'_, 't> {
    pub(super) fn entry(&mut self, index: usize) -> PlacementResult {
        let anchor = self.anchor(index);
        let probe = self.probes.statement(index);
        match self.blocks.unit_of(&self.blocks.blocks[index]).kind {
            UnitKind::Method if anchor.kind() == kind::BLOCK => {
                let at = anchor.start_byte() + 1;
                self.framed(index, at, at, anchor);
            }
            UnitKind::Method => self.body(index, anchor, &probe),
            UnitKind::Constructor => {
                let statements = syntax::statements(anchor);
                let start = anchor.start_byte() + 1;
                match statements
                    .iter()
                    .position(|one| one.kind() == kind::EXPLICIT_CONSTRUCTOR_INVOCATION)
                {
                    None => self.framed(index, start, start, anchor),
                    Some(0) => {
                        let at = statements[0].end_byte();
                        self.framed(index, at, at, anchor);
                    }
                    Some(later) => {
                        self.framed(index, start, statements[later].end_byte(), anchor);
                    }
                }
            }
            UnitKind::StaticInitializer => return self.static_entry(index),
            UnitKind::InstanceInitializer => {
                let at = self.after_constants(anchor).unwrap_or(anchor.start_byte() + 1);
                self.edits.open(at, index, format!(" {{ {probe} }}"));
            }
            UnitKind::Lambda if anchor.kind() == kind::BLOCK => {
                let at = anchor.start_byte() + 1;
                self.framed(index, at, at, anchor);
            }
            UnitKind::Lambda => {
                let (file, body) = (self.file, anchor);
                return lambda_entry::place_in_lambda(
                    file,
                    self.facts,
                    &self.probes,
                    index,
                    body,
                    self.edits,
                );
            }
        }
        Ok(())
    }

    /// Puts the probe at `at` into a body with braces, with a `try` around the body from `watched`
    /// on that notices its end where that is wanted: no `try` can contain a constructor's call of
    /// another one. If code before that call throws, its caller's end corrects the call path.
    fn framed(&mut self, index: usize, at: usize, watched: usize, body: SyntaxNode<'t>) {
        let probe = self.probes.statement(index);
        if !self.probes.frames {
            self.edits.open(at, index, format!(" {probe}"));
            return;
        }
        let BodyWrapper { begin, watch, end } = self.probes.frame(index);
        let last = body.end_byte() - 1;
        if at < watched {
            self.edits.open(at, index, format!(" {begin} {probe}"));
            self.edits.open(watched, index, format!(" {watch}"));
            self.edits.close(last, index, end);
        } else if at >= last {
            self.edits.open(at, index, format!(" {begin} {watch} {probe}{end}"));
        } else {
            self.edits.open(at, index, format!(" {begin} {watch} {probe}"));
            self.edits.close(last, index, end);
        }
    }

    pub(super) fn static_entry(&mut self, index: usize) -> PlacementResult {
        let parts = &self.blocks.blocks[index].parts;
        let body = self.anchor(index);
        let probe = self.probes.statement(index);
        match body.kind() {
            kind::ENUM_BODY => {
                let (at, semicolon) = match self.after_constants(body) {
                    Some(at) => (at, ""),
                    None => (end_of_constants(body), ";"),
                };
                self.edits.open(at, index, format!("{semicolon} static {{ {probe} }}"));
            }
            kind::CLASS_BODY if parts.iter().all(|part| self.may_be_constant(*part)) => {
                return Err("its initialisers may all be constants, which aren't executed");
            }
            kind::CLASS_BODY => {
                self.edits.open(body.start_byte() + 1, index, format!(" static {{ {probe} }}"));
            }
            _ => return Err("an interface's initialisers can't hold a probe"),
        }
        Ok(())
    }

    /// Returns the offset after the `;` that ends an enum's constants.
    pub(super) fn after_constants(&self, body: SyntaxNode<'t>) -> Option<usize> {
        let declarations = syntax::child_of_kind(body, kind::ENUM_BODY_DECLARATIONS)?;
        Some(declarations.start_byte() + 1)
    }

    /// Whether a field's initialiser may be a constant expression. (If all are, the
    /// class has no static initialiser, and a probe would add one.)
    pub(super) fn may_be_constant(&self, part: NodeId) -> bool {
        let part = self.file.node(part);
        if part.kind() != kind::VARIABLE_DECLARATOR {
            return false;
        }
        let mut todo: Vec<_> = syntax::field(part, field::VALUE).into_iter().collect();
        while let Some(node) = todo.pop() {
            let holds_code = matches!(
                node.kind(),
                kind::METHOD_INVOCATION
                    | kind::OBJECT_CREATION_EXPRESSION
                    | kind::ARRAY_CREATION_EXPRESSION
                    | kind::ARRAY_INITIALIZER
                    | kind::ARRAY_ACCESS
                    | kind::LAMBDA_EXPRESSION
                    | kind::METHOD_REFERENCE
                    | kind::ASSIGNMENT_EXPRESSION
                    | kind::UPDATE_EXPRESSION
                    | kind::SWITCH_EXPRESSION
                    | kind::INSTANCEOF_EXPRESSION
                    | kind::NULL_LITERAL
                    | kind::CLASS_LITERAL
                    | kind::THIS
            );
            if holds_code {
                return false;
            }
            todo.extend(syntax::named_children(node));
        }
        true
    }

    pub(super) fn continuation(&mut self, index: usize) -> PlacementResult {
        let anchor = self.anchor(index);
        let unit = self.blocks.unit_of(&self.blocks.blocks[index]);
        let probe = self.probes.statement(index);
        match anchor.kind() {
            kind::VARIABLE_DECLARATOR => {
                let declaration = anchor.parent().ok_or("it has no declaration")?;
                let before = syntax::field(declaration, field::DECLARATOR);
                if before.is_none_or(|first| first.id() != anchor.id()) {
                    return Err("it begins within a declaration of several fields");
                }
                let word = match unit.kind {
                    UnitKind::StaticInitializer => "static ",
                    _ => "",
                };
                let previous = previous_member(declaration).ok_or("nothing stands before it")?;
                let text = format!(" {word}{{ {probe} }}");
                self.edits.open(previous.end_byte(), index, text);
            }
            kind::ENUM_CONSTANT => return Err("a probe can't stand between enum constants"),
            _ => self.edits.open(anchor.start_byte(), index, format!("{probe} ")),
        }
        Ok(())
    }
}

/// Returns the offset where the constants of an enum without `;` end.
fn end_of_constants(body: SyntaxNode<'_>) -> usize {
    let before =
        syntax::children(body).into_iter().rfind(|child| child.kind() != kind::CLOSE_BRACE);
    before.map_or(body.start_byte() + 1, |last| last.end_byte())
}

/// Returns the member before `member`, comments left out.
fn previous_member(member: SyntaxNode<'_>) -> Option<SyntaxNode<'_>> {
    let mut previous = member.prev_sibling();
    while let Some(node) = previous
        && syntax::is_comment(node)
    {
        previous = node.prev_sibling();
    }
    previous
}
