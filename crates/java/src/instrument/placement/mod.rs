//! Placement of the probe of each block, with the braces and headers that it needs. Nothing is
//! ever put after code, so reachability stays; constant conditions stay constant.

mod entries;
mod headers;
mod text;

use std::collections::{BTreeSet, HashSet};

use crate::java::{NodeId, SyntaxNode};

use self::text::LoopWrapper;
use super::block_findings::BlockFindings;
use super::constant_value::evaluate_constant;
use super::declared_names::DeclaredNames;
use super::derivation::{CounterSum, DerivedCounter, DerivedSums, ProbePlan, WatchedLoop};
use super::edits::Edits;
use crate::blocks::{Block, BlockKind, FileBlocks, UnitKind};
use crate::finding::FindingKind;
use crate::java::SourceFile;
use crate::java::syntax::{self, field, kind};

pub use text::ProbeTexts;

/// File that is to get probes, with its blocks, names and plan.
pub(crate) struct ProbeTarget<'a, 't> {
    /// Source file.
    pub file: &'t SourceFile,
    /// Blocks of the file.
    pub blocks: &'a FileBlocks,
    /// Names that the file declares.
    pub facts: &'a DeclaredNames<'t>,
    /// Package of the runtime.
    pub package: &'a str,
    /// Id of the file's first block.
    pub first: usize,
    /// Blocks to be left without a probe, as indices into the file's.
    pub skip: BTreeSet<usize>,
    /// Blocks that follow from others, if all of these have a probe.
    pub plan: &'a ProbePlan<'t>,
    /// Whether probes mark the begin and end of methods.
    pub frames: bool,
}

/// Most steps to resolve the sum of a derived block.
const STEPS_MAX: usize = 1000;

/// Blocks of a file that are counted, by their own probe or as sums.
pub(crate) struct Placement {
    /// For each block whether it is counted, by a probe of its own or those of others.
    pub probed: Vec<bool>,
    /// The blocks without a probe of their own, as sums of blocks with one.
    pub derived: DerivedSums,
}

/// Places all probes of a file.
pub fn place_probes(
    target: &ProbeTarget<'_, '_>,
    edits: &mut Edits,
    report: &mut BlockFindings<'_>,
) -> Placement {
    let watched = &target.plan.watched;
    let mut placer = ProbePlacer::new(target, edits);
    let around: Vec<_> = watched.iter().map(|one| placer.probes.watch(one)).collect();
    for (one, LoopWrapper { begin, .. }) in watched.iter().zip(&around) {
        placer.edits.open(one.statement.start_byte(), one.first, begin);
    }
    let refused = placer.place_all(&target.skip, report);
    let derived = placer.derive(target, &refused, report);
    for (one, LoopWrapper { end, .. }) in watched.iter().zip(around) {
        placer.edits.close(one.statement.end_byte(), one.first, end);
    }
    let mut probed = placer.probed;
    derived.keys().for_each(|index| probed[*index] = true);
    Placement { probed, derived }
}

/// Resolves the sum of block `index` to counters of probes: its summands may be derived too.
fn resolve(derived: &DerivedSums, index: usize) -> Option<CounterSum> {
    let mut sum = CounterSum::new();
    let mut todo = vec![(DerivedCounter::Block(index), 1)];
    for _ in 0..STEPS_MAX {
        let Some((counter, times)) = todo.pop() else {
            sum.retain(|_, times| *times != 0);
            return Some(sum);
        };
        match counter {
            DerivedCounter::Block(block) if derived.contains_key(&block) => {
                todo.extend(derived[&block].iter().map(|(counter, n)| (*counter, n * times)));
            }
            _ => *sum.entry(counter).or_default() += times,
        }
    }
    None
}

struct ProbePlacer<'a, 't> {
    file: &'t SourceFile,
    blocks: &'a FileBlocks,
    probes: ProbeTexts<'a>,
    facts: &'a DeclaredNames<'t>,
    /// Nodes of `?:` whose condition counts both arms.
    conditionals: HashSet<NodeId>,
    /// Blocks that are counted by their own probe.
    probed: Vec<bool>,
    edits: &'a mut Edits,
}

type PlacementResult = Result<(), &'static str>;

impl<'a, 't> ProbePlacer<'a, 't> {
    fn new(target: &ProbeTarget<'a, 't>, edits: &'a mut Edits) -> ProbePlacer<'a, 't> {
        let plan = target.plan;
        let all_of =
            |one: &WatchedLoop<'_>| one.blocks.iter().map(|b| (*b, one.first)).collect::<Vec<_>>();
        let probes = ProbeTexts {
            package: target.package,
            first: target.first,
            frames: target.frames,
            watched: plan.watched.iter().flat_map(all_of).collect(),
            noted: plan.watched.iter().flat_map(|one| one.throwing.iter().copied()).collect(),
            derived: plan.derived.keys().copied().collect(),
        };
        ProbePlacer {
            file: target.file,
            blocks: target.blocks,
            probes,
            facts: target.facts,
            conditionals: HashSet::new(),
            probed: vec![false; target.blocks.blocks.len()],
            edits,
        }
    }

    /// Returns the node where block `index` begins.
    fn anchor(&self, index: usize) -> SyntaxNode<'t> {
        self.file.node(self.blocks.blocks[index].anchor)
    }

    /// Returns the construct that opens block `index`.
    fn construct(&self, index: usize) -> SyntaxNode<'t> {
        self.file.node(self.blocks.blocks[index].construct)
    }

    /// Places the probes of all blocks that do not follow from others, and in watched loops the
    /// notes of the running block; returns the blocks that can't have one.
    fn place_all(
        &mut self,
        skip: &BTreeSet<usize>,
        report: &mut BlockFindings<'_>,
    ) -> BTreeSet<usize> {
        let mut refused = BTreeSet::new();
        for index in 0..self.blocks.blocks.len() {
            let is_derived = self.probes.derived.contains(&index);
            let is_noted = self.probes.noted.contains(&index);
            if is_derived && !is_noted {
                continue;
            }
            let placed = self.place(index, skip);
            self.probed[index] = placed.is_ok() && !is_derived;
            if placed.is_err() && is_noted {
                refused.insert(index);
            }
            if let Err(why) = placed
                && !is_derived
            {
                report.block(index, FindingKind::NotProbed, why);
            }
        }
        refused
    }

    /// Resolves the blocks that follow from those with a probe; gives the rest a probe, too.
    fn derive(
        &mut self,
        target: &ProbeTarget<'_, '_>,
        refused: &BTreeSet<usize>,
        report: &mut BlockFindings<'_>,
    ) -> DerivedSums {
        let mut derived = DerivedSums::new();
        for index in target.plan.derived.keys() {
            let holds = |counter: &DerivedCounter| match counter {
                DerivedCounter::Block(block) => self.probed[*block],
                DerivedCounter::Thrown(block) => !refused.contains(block),
            };
            let sum = resolve(&target.plan.derived, *index).filter(|sum| sum.keys().all(holds));
            if let Some(sum) = sum {
                derived.insert(*index, sum);
                continue;
            }
            self.probes.watched.remove(index);
            let placed = self.place(*index, &target.skip);
            self.probed[*index] = placed.is_ok();
            if let Err(why) = placed {
                report.block(*index, FindingKind::NotProbed, why);
            }
        }
        derived
    }

    fn place(&mut self, index: usize, skip: &BTreeSet<usize>) -> PlacementResult {
        match skip.contains(&index) {
            true => self.braces_only(index),
            false => self.block(index),
        }
    }

    fn block(&mut self, index: usize) -> PlacementResult {
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
                self.body(index, self.anchor(index), &self.probes.statement(index));
                Ok(())
            }
            BlockKind::ForInit => self.for_init(index),
            BlockKind::ForTest | BlockKind::WhileTest | BlockKind::DoTest => self.test(index),
            BlockKind::ForUpdate => {
                let probe = format!("{}, ", self.probes.list(index));
                self.edits.open(self.anchor(index).start_byte(), index, probe);
                Ok(())
            }
            BlockKind::SwitchCase => self.arm(index),
            BlockKind::Continuation => self.continuation(index),
            BlockKind::AndRight | BlockKind::OrRight | BlockKind::ConditionalTrue
                if evaluate_constant(self.file, self.facts, self.construct(index)).is_some() =>
            {
                Err("it is part of a constant, which isn't executed")
            }
            BlockKind::AndRight => self.operand(index, true, "&&"),
            BlockKind::OrRight => self.operand(index, false, "||"),
            BlockKind::ConditionalTrue => self.conditional(index),
            // Probed with the true arm, in the condition.
            BlockKind::ConditionalFalse => match self.conditionals.contains(&block.construct) {
                true => Ok(()),
                false => Err("the probe of its `?:` is missing"),
            },
        }
    }

    /// Adds only the braces of a block without a probe, on which the probes around it may rely.
    fn braces_only(&mut self, index: usize) -> PlacementResult {
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
            self.body(index, self.anchor(index), "");
        }
        Err("the compiler refused its probe")
    }

    fn is_broken(&self, block: &Block) -> bool {
        let unit = self.blocks.unit_of(block);
        let has_error = |node: NodeId| self.file.node(node).has_error();
        match unit.kind {
            UnitKind::StaticInitializer | UnitKind::InstanceInitializer => {
                block.kind != BlockKind::Entry && has_error(block.construct)
            }
            _ => has_error(unit.node),
        }
    }

    /// Puts `text` at the start of a body; a body without braces gets some.
    fn body(&mut self, index: usize, body: SyntaxNode<'t>, text: &str) {
        if body.kind() == kind::BLOCK {
            self.edits.open(body.start_byte() + 1, index, format!(" {text}"));
        } else {
            self.edits.open(body.start_byte(), index, format!("{{ {text} "));
            self.edits.close(body.end_byte(), index, " }");
        }
    }

    fn arm(&mut self, index: usize) -> PlacementResult {
        let arm = self.anchor(index);
        let probe = self.probes.statement(index);
        let children = syntax::children(arm);
        if arm.kind() == kind::SWITCH_GROUP {
            let colon = children.iter().rfind(|child| child.kind() == kind::COLON);
            let at = colon.ok_or("its label has no colon")?.end_byte();
            self.edits.open(at, index, format!(" {probe}"));
            return Ok(());
        }
        let body = *children.last().ok_or("its arm is empty")?;
        let gives_value = syntax::field(self.construct(index), field::BODY)
            .is_some_and(|body| self.blocks.owners.get(body.id()).is_some());
        match gives_value && body.kind() == kind::EXPRESSION_STATEMENT {
            true => self.body(index, body, &format!("{probe} yield")),
            false => self.body(index, body, &probe),
        }
        Ok(())
    }
}
