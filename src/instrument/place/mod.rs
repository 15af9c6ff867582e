//! Where the probe of each block goes, and the braces and headers that it needs.
//! Nothing is ever put after code, so reachability stays; constant conditions stay
//! constant.

mod entries;
mod headers;

use std::collections::{BTreeSet, HashSet};

use crate::java::Node;

use super::Report;
use super::constant::constant;
use super::derive::Derived;
use super::edit::Edits;
use super::facts::Facts;
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
    /// what is known of its names,
    pub facts: &'a Facts<'t>,
    /// the runtime's package,
    pub package: &'a str,
    /// the id of the file's first block,
    pub first: usize,
    /// the blocks to leave alone, as indices into the file's,
    pub skip: BTreeSet<usize>,
    /// and those that follow from others, if all of these have a probe.
    pub derived: &'a Derived,
    /// Whether methods say when they begin and end.
    pub frames: bool,
}

/// The text of probes.
pub struct Probes<'a> {
    package: &'a str,
    first: usize,
    frames: bool,
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

    /// What stands around a body so that its end is noticed, however it comes:
    /// `int w7 = W.i(7); try {` and `} finally { W.o(w7); }`. The variable has the name of
    /// the package, which occurs in no source, and the block's number.
    fn frame(&self, index: usize) -> (String, String) {
        let (package, number) = (self.package, self.first + index);
        let begin = format!("int {package}{number} = {package}.W.i({number}); try {{");
        (begin, format!(" }} finally {{ {package}.W.o({package}{number}); }}"))
    }

    /// `W.v(7, `: the value follows.
    pub fn value(&self, index: usize) -> String {
        format!("{}.W.v({}, ", self.package, self.first + index)
    }
}

/// Most blocks that one derived block is the sum of.
const SUMMANDS_MAX: usize = 1000;

/// Which blocks of a file are counted, and how.
pub struct Placement {
    /// For each block whether it is counted, by a probe of its own or those of others.
    pub probed: Vec<bool>,
    /// The blocks without a probe of their own, as sums of blocks with one.
    pub derived: Derived,
}

/// Places all probes of a file.
pub fn place(target: &Target<'_, '_>, edits: &mut Edits, report: &mut Report<'_, '_>) -> Placement {
    let mut placer = Placer {
        file: target.file,
        blocks: target.blocks,
        probes: Probes { package: target.package, first: target.first, frames: target.frames },
        facts: target.facts,
        conditionals: HashSet::new(),
        edits,
    };
    let mut probed = vec![false; target.blocks.blocks.len()];
    let mut place = |index: usize, probed: &mut Vec<bool>| {
        let result = match target.skip.contains(&index) {
            true => placer.braces_only(index),
            false => placer.block(index),
        };
        probed[index] = result.is_ok();
        if let Err(why) = result {
            report.block(index, FindingKind::NotProbed, why);
        }
    };
    for index in 0..probed.len() {
        if !target.derived.contains_key(&index) {
            place(index, &mut probed);
        }
    }
    let mut derived = Derived::new();
    for index in target.derived.keys() {
        match summands(target.derived, *index) {
            Some(summands) if summands.iter().all(|summand| probed[*summand]) => {
                derived.insert(*index, summands);
            }
            _ => place(*index, &mut probed),
        }
    }
    derived.keys().for_each(|index| probed[*index] = true);
    Placement { probed, derived }
}

/// The blocks that `index` is the sum of in the end: its sources may be derived too.
fn summands(derived: &Derived, index: usize) -> Option<Vec<usize>> {
    let mut summands = Vec::new();
    let mut todo = vec![index];
    for _ in 0..SUMMANDS_MAX {
        let Some(block) = todo.pop() else { return Some(summands) };
        match derived.get(&block) {
            Some(sources) => todo.extend(sources),
            None => summands.push(block),
        }
    }
    None
}

struct Placer<'a, 't> {
    file: &'t SourceFile,
    blocks: &'a FileBlocks<'t>,
    probes: Probes<'a>,
    facts: &'a Facts<'t>,
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
            BlockKind::AndRight | BlockKind::OrRight | BlockKind::ConditionalTrue
                if constant(self.file, self.facts, block.construct).is_some() =>
            {
                Err("it is part of a constant, which isn't executed")
            }
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

    fn arm(&mut self, index: usize) -> Placed {
        let block = &self.blocks.blocks[index];
        let arm = block.anchor;
        let probe = self.probes.statement(index);
        let children = syntax::children(arm);
        if arm.kind() == kind::SWITCH_GROUP {
            let colon = children.iter().rfind(|child| child.kind() == kind::COLON);
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
}
