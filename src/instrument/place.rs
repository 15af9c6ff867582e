//! Where the probe of each block goes, and the braces and headers that it needs.
//! Nothing is ever put after code, so reachability stays; constant conditions stay
//! constant.

use std::collections::{BTreeSet, HashSet};

use tree_sitter::Node;

use super::Report;
use super::condition::{self, Binding};
use super::edit::Edits;
use super::facts::Facts;
use super::lambda;
use crate::blocks::{Block, BlockKind, FileBlocks, UnitKind};
use crate::finding::FindingKind;
use crate::java::SourceFile;
use crate::java::syntax::{self, field, kind};

/// What is to be probed.
pub struct Target<'a, 't> {
    /// The file,
    pub file: &'t SourceFile,
    /// its blocks,
    pub blocks: &'a FileBlocks<'t>,
    /// the runtime's package,
    pub package: &'a str,
    /// the id of the file's first block,
    pub first: usize,
    /// and the blocks to leave alone, as indices into the file's.
    pub skip: BTreeSet<usize>,
}

/// The text of probes.
pub struct Probes<'a> {
    package: &'a str,
    first: usize,
}

impl Probes<'_> {
    /// `W.c(7);`
    pub fn statement(&self, index: usize) -> String {
        format!("{};", self.call("c", index))
    }

    /// `W.c(7)`, with `c` for nothing, `t` for true, `f` for false.
    fn call(&self, function: &str, index: usize) -> String {
        format!("{}.W.{function}({})", self.package, self.first + index)
    }

    /// `W.v(7, `: the value follows.
    pub fn value(&self, index: usize) -> String {
        format!("{}.W.v({}, ", self.package, self.first + index)
    }
}

/// Places all probes of a file; says for each block whether it has one.
pub fn place(target: &Target<'_, '_>, edits: &mut Edits, report: &mut Report<'_, '_>) -> Vec<bool> {
    let mut placer = Placer {
        file: target.file,
        blocks: target.blocks,
        probes: Probes { package: target.package, first: target.first },
        facts: Facts::gather(target.file),
        conditionals: HashSet::new(),
        edits,
    };
    let mut probed = Vec::with_capacity(target.blocks.blocks.len());
    for index in 0..target.blocks.blocks.len() {
        let result = match target.skip.contains(&index) {
            true => placer.braces_only(index),
            false => placer.block(index),
        };
        probed.push(result.is_ok());
        if let Err(why) = result {
            report.block(index, FindingKind::NotProbed, why);
        }
    }
    probed
}

struct Placer<'a, 't> {
    file: &'t SourceFile,
    blocks: &'a FileBlocks<'t>,
    probes: Probes<'a>,
    facts: Facts<'t>,
    /// The `?:` whose condition counts both arms.
    conditionals: HashSet<usize>,
    edits: &'a mut Edits,
}

type Placed = Result<(), &'static str>;

impl<'t> Placer<'_, 't> {
    fn block(&mut self, index: usize) -> Placed {
        let block = &self.blocks.blocks[index];
        if self.is_broken(block) {
            return Err("the parser can't follow its method");
        }
        match block.kind {
            BlockKind::Entry => self.entry(index),
            BlockKind::Then
            | BlockKind::Else
            | BlockKind::ForBody
            | BlockKind::ForeachBody
            | BlockKind::WhileBody
            | BlockKind::DoBody
            | BlockKind::TryBody
            | BlockKind::Catch
            | BlockKind::Finally => {
                self.body(index, block.anchor, &self.probes.statement(index));
                Ok(())
            }
            BlockKind::ForInit => self.for_init(index),
            BlockKind::ForTest | BlockKind::WhileTest | BlockKind::DoTest => self.test(index),
            BlockKind::ForUpdate => {
                let probe = format!("{}, ", self.probes.call("c", index));
                self.edits.open(block.anchor.start_byte(), index, probe);
                Ok(())
            }
            BlockKind::SwitchCase => self.arm(index),
            BlockKind::Continuation => self.continuation(index),
            BlockKind::AndRight => self.operand(index, "t", "&&"),
            BlockKind::OrRight => self.operand(index, "f", "||"),
            BlockKind::ConditionalTrue => self.conditional(index),
            // Probed with the true arm, in the condition.
            BlockKind::ConditionalFalse => {
                match self.conditionals.contains(&block.construct.id()) {
                    true => Ok(()),
                    false => Err("the probe of its `?:` is missing"),
                }
            }
        }
    }

    /// A block whose probe is not wanted: the probes around it may still rely on its
    /// braces.
    fn braces_only(&mut self, index: usize) -> Placed {
        let block = &self.blocks.blocks[index];
        let is_body = matches!(
            block.kind,
            BlockKind::Then
                | BlockKind::Else
                | BlockKind::ForBody
                | BlockKind::ForeachBody
                | BlockKind::WhileBody
                | BlockKind::DoBody
        );
        if is_body && !self.is_broken(block) {
            self.body(index, block.anchor, "");
        }
        Err("the compiler refused its probe")
    }

    fn is_broken(&self, block: &Block<'t>) -> bool {
        let unit = &self.blocks.units[block.unit.0 as usize];
        match unit.kind {
            UnitKind::StaticInitializer | UnitKind::InstanceInitializer => {
                block.kind != BlockKind::Entry && block.construct.has_error()
            }
            _ => unit.node.has_error(),
        }
    }

    /// Puts `text` at the start of a body; a body without braces gets some.
    fn body(&mut self, index: usize, body: Node<'t>, text: &str) {
        if body.kind() == kind::BLOCK {
            self.edits.open(body.start_byte() + 1, index, format!(" {text}"));
        } else {
            self.edits.open(body.start_byte(), index, format!("{{ {text} "));
            self.edits.close(body.end_byte(), index, " }");
        }
    }

    fn entry(&mut self, index: usize) -> Placed {
        let block = &self.blocks.blocks[index];
        let probe = self.probes.statement(index);
        match self.blocks.units[block.unit.0 as usize].kind {
            UnitKind::Method => self.body(index, block.anchor, &probe),
            UnitKind::Constructor => {
                let first = syntax::statements(block.anchor).first().copied();
                let at = match first {
                    Some(first) if first.kind() == kind::EXPLICIT_CONSTRUCTOR_INVOCATION => {
                        first.end_byte()
                    }
                    _ => block.anchor.start_byte() + 1,
                };
                self.edits.open(at, index, format!(" {probe}"));
            }
            UnitKind::StaticInitializer => return self.static_entry(index),
            UnitKind::InstanceInitializer => {
                let at =
                    self.after_constants(block.anchor).unwrap_or(block.anchor.start_byte() + 1);
                self.edits.open(at, index, format!(" {{ {probe} }}"));
            }
            UnitKind::Lambda if block.anchor.kind() == kind::BLOCK => {
                self.body(index, block.anchor, &probe);
            }
            UnitKind::Lambda => {
                let (file, body) = (self.file, block.anchor);
                return lambda::place(file, &self.facts, &self.probes, index, body, self.edits);
            }
        }
        Ok(())
    }

    fn static_entry(&mut self, index: usize) -> Placed {
        let block = &self.blocks.blocks[index];
        let body = block.anchor;
        let probe = self.probes.statement(index);
        match body.kind() {
            kind::ENUM_BODY => {
                let (at, semicolon) = match self.after_constants(body) {
                    Some(at) => (at, ""),
                    None => (end_of_constants(body), ";"),
                };
                self.edits.open(at, index, format!("{semicolon} static {{ {probe} }}"));
            }
            kind::CLASS_BODY if block.parts.iter().all(|part| self.may_be_constant(*part)) => {
                return Err("its initialisers may all be constants, which aren't executed");
            }
            kind::CLASS_BODY => {
                self.edits.open(body.start_byte() + 1, index, format!(" static {{ {probe} }}"));
            }
            _ => return Err("an interface's initialisers can't hold a probe"),
        }
        Ok(())
    }

    /// After the `;` that ends an enum's constants.
    fn after_constants(&self, body: Node<'t>) -> Option<usize> {
        let declarations = syntax::child_of_kind(body, kind::ENUM_BODY_DECLARATIONS)?;
        Some(declarations.start_byte() + 1)
    }

    /// Whether a field's initialiser may be a constant expression. (If all are, the
    /// class has no static initialiser, and a probe would add one.)
    fn may_be_constant(&self, part: Node<'t>) -> bool {
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

    fn for_init(&mut self, index: usize) -> Placed {
        let block = &self.blocks.blocks[index];
        let (at, text) = match block.anchor.kind() {
            kind::LOCAL_VARIABLE_DECLARATION => {
                let start = self.facts.start_of(block.construct).start_byte();
                (start, format!("{} ", self.probes.statement(index)))
            }
            _ => (block.anchor.start_byte(), format!("{}, ", self.probes.call("c", index))),
        };
        self.edits.open(at, index, text);
        Ok(())
    }

    fn test(&mut self, index: usize) -> Placed {
        let block = &self.blocks.blocks[index];
        let constant = condition::constant(self.file, &self.facts, block.anchor);
        match (block.kind, constant, condition::binding(block.anchor)) {
            (BlockKind::DoTest, Some(true), _) => self.endless_do(index),
            (_, Some(true), _) => {
                // Tests and bodies come in pairs: count at the body's start.
                let body = syntax::field(block.construct, field::BODY).ok_or("it has no body")?;
                let probe = self.probes.statement(index);
                self.body(index, body, &probe);
                Ok(())
            }
            (BlockKind::WhileTest, _, Binding::Assigns | Binding::AssignsSometimes) => {
                self.while_as_if(index)
            }
            (_, _, Binding::PatternElsewhere) => {
                Err("its condition declares a pattern variable that may be in scope after the loop")
            }
            (_, _, Binding::Assigns) => self.operand(index, "t", "&"),
            _ => self.operand(index, "t", "&&"),
        }
    }

    /// `c` -> `(probe() && (c))`.
    fn operand(&mut self, index: usize, function: &str, operator: &str) -> Placed {
        let inner = syntax::without_parentheses(self.blocks.blocks[index].anchor);
        let probe = self.probes.call(function, index);
        self.edits.open(inner.start_byte(), index, format!("({probe} {operator} ("));
        self.edits.close(inner.end_byte(), index, "))");
        Ok(())
    }

    /// `while (c) s` -> `while (true) { probe; if (!(c)) break; s }`, which assigns
    /// what it did, in the loop and after it.
    fn while_as_if(&mut self, index: usize) -> Placed {
        let block = &self.blocks.blocks[index];
        let body = syntax::field(block.construct, field::BODY).ok_or("it has no body")?;
        let probe = self.probes.statement(index);
        let (start, end) = (block.anchor.start_byte() + 1, block.anchor.end_byte());
        self.edits.open(start, index, format!("true) {{ {probe} if (!("));
        self.edits.close(end - 1, index, ")");
        self.edits.open(end, index, " break;");
        self.edits.close(body.end_byte(), index, " }");
        Ok(())
    }

    /// `do s while (true);` -> `for (;; probe) s`: the update is where the test was.
    fn endless_do(&mut self, index: usize) -> Placed {
        let block = &self.blocks.blocks[index];
        let probe = self.probes.call("c", index);
        for child in syntax::children(block.construct) {
            match child.kind() {
                "do" => self.edits.replace(child.byte_range(), format!("for (;; {probe}) ")),
                "while" | ";" => self.edits.replace(child.byte_range(), ""),
                _ if child.id() == block.anchor.id() => {
                    self.edits.replace(child.byte_range(), "");
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn arm(&mut self, index: usize) -> Placed {
        let block = &self.blocks.blocks[index];
        let arm = block.anchor;
        let probe = self.probes.statement(index);
        let children = syntax::children(arm);
        if arm.kind() == kind::SWITCH_GROUP {
            let colon = children.iter().rfind(|child| child.kind() == ":");
            let at = colon.ok_or("its label has no colon")?.end_byte();
            self.edits.open(at, index, format!(" {probe}"));
            return Ok(());
        }
        let body = *children.last().ok_or("its arm is empty")?;
        let gives_value = syntax::field(block.construct, field::BODY)
            .is_some_and(|body| self.blocks.owner.contains_key(&body.id()));
        match gives_value && body.kind() == kind::EXPRESSION_STATEMENT {
            true => self.body(index, body, &format!("{probe} yield")),
            false => self.body(index, body, &probe),
        }
        Ok(())
    }

    fn continuation(&mut self, index: usize) -> Placed {
        let block = &self.blocks.blocks[index];
        let unit = &self.blocks.units[block.unit.0 as usize];
        let probe = self.probes.statement(index);
        match block.anchor.kind() {
            kind::VARIABLE_DECLARATOR => {
                let declaration = block.anchor.parent().ok_or("it has no declaration")?;
                let before = syntax::field(declaration, field::DECLARATOR);
                if before.is_none_or(|first| first.id() != block.anchor.id()) {
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
            _ => self.edits.open(block.anchor.start_byte(), index, format!("{probe} ")),
        }
        Ok(())
    }

    /// `c ? a : b` -> `probe(true's id, false's id, c) ? a : b`: types stay.
    fn conditional(&mut self, index: usize) -> Placed {
        let condition = self.plain_condition(index)?;
        let no = self.false_arm(index).ok_or("its other arm has no block")?;
        self.conditionals.insert(self.blocks.blocks[index].construct.id());
        let (package, first) = (self.probes.package, self.probes.first);
        let open = format!("{package}.W.b({}, {}, ", first + index, first + no);
        self.edits.open(condition.start_byte(), index, open);
        self.edits.close(condition.end_byte(), index, ")");
        Ok(())
    }

    /// The condition of a `?:`, if a call can be put around it.
    fn plain_condition(&self, index: usize) -> Result<Node<'t>, &'static str> {
        let condition = syntax::field(self.blocks.blocks[index].construct, field::CONDITION);
        condition
            .filter(|node| condition::binding(*node) == Binding::None)
            .ok_or("the condition of its `?:` binds names")
    }

    /// The block of the other arm of the `?:` whose true arm is block `index`.
    fn false_arm(&self, index: usize) -> Option<usize> {
        let construct = self.blocks.blocks[index].construct.id();
        let rest = self.blocks.blocks.iter().enumerate().skip(index + 1);
        let mut rest = rest.filter(|(_, b)| b.kind == BlockKind::ConditionalFalse);
        rest.find(|(_, b)| b.construct.id() == construct).map(|(i, _)| i)
    }
}

/// Where the constants of an enum without `;` end.
fn end_of_constants(body: Node<'_>) -> usize {
    let before = syntax::children(body).into_iter().rfind(|child| child.kind() != "}");
    before.map_or(body.start_byte() + 1, |last| last.end_byte())
}

/// The member before `member`, comments left out.
fn previous_member(member: Node<'_>) -> Option<Node<'_>> {
    let mut previous = member.prev_sibling();
    while let Some(node) = previous
        && syntax::is_comment(node)
    {
        previous = node.prev_sibling();
    }
    previous
}
