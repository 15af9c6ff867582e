//! Names in each unit of a file, and the removal of blocks from one unit.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::effects::StatementEffects;
use super::refusal::{NOTHING_TO_REMOVE, Replacement, VARIABLES_NEEDED};
use super::surroundings::{FARTHEST_LOOP, Surroundings, catches_checked, loop_surroundings};
use super::values::{
    RemainingMentions, default_value, field_value, is_literal, remove_declaration, without_value,
};
use crate::blocks::{BlockKind, BodyUnit, FileBlocks, UnitKind};
use crate::java::fast_hash::{Map, Set};
use crate::java::syntax::{self, field, kind};
use crate::java::{NodeId, SourceFile, SyntaxNode};

/// Groups block indices by unit.
pub(super) fn by_unit(
    blocks: &FileBlocks,
    indices: &BTreeSet<usize>,
) -> BTreeMap<u32, BTreeSet<usize>> {
    let mut by_unit: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
    for index in indices {
        by_unit.entry(blocks.blocks[*index].unit.0).or_default().insert(*index);
    }
    by_unit
}

/// Edits that remove some blocks of one unit.
pub(super) struct UnitRemoval<'t> {
    pub edits: Vec<Replacement>,
    /// Statements that are removed or changed.
    pub parts: Vec<SyntaxNode<'t>>,
    /// Success if any statement is changed, else the reason.
    pub result: Result<(), &'static str>,
}

pub(super) fn units_of<'t>(
    file: &'t SourceFile,
    blocks: &FileBlocks,
    wanted: impl Fn(u32) -> bool,
) -> Map<u32, UnitNames<'t>> {
    let numbers = 0..u32::try_from(blocks.units.len()).expect("fewer than 2^32 units");
    let depths = unit_depths(file, blocks);
    let wanted = numbers.filter(|n| wanted(*n) && depths[*n as usize] < DEEPEST_UNIT);
    let is_fine = blocks.blocks.iter().any(|block| OF_EXPRESSIONS.contains(&block.kind));
    let names =
        |n: u32| UnitNames::gather(file, &code_of(file, &blocks.units[n as usize]), is_fine);
    wanted.map(|n| (n, names(n))).collect()
}

/// Returns the nodes with all code of a unit: the unit itself, of a class's initialisers its
/// members but for methods and types, which are units of their own.
fn code_of<'t>(file: &'t SourceFile, unit: &BodyUnit) -> Vec<SyntaxNode<'t>> {
    let node = file.node(unit.node);
    if !matches!(unit.kind, UnitKind::StaticInitializer | UnitKind::InstanceInitializer) {
        return vec![node];
    }
    let is_code = |member: &SyntaxNode<'_>| {
        !syntax::is_type_declaration(*member)
            && !matches!(
                syntax::kind_of(member),
                kind::METHOD_DECLARATION
                    | kind::CONSTRUCTOR_DECLARATION
                    | kind::COMPACT_CONSTRUCTOR_DECLARATION
            )
    };
    syntax::members(node).into_iter().filter(is_code).collect()
}

/// Kinds of blocks within expressions.
const OF_EXPRESSIONS: [BlockKind; 4] = [
    BlockKind::AndRight,
    BlockKind::OrRight,
    BlockKind::ConditionalTrue,
    BlockKind::ConditionalFalse,
];

/// Deepest nesting of units that is analysed: a unit is read once for each unit around it.
const DEEPEST_UNIT: usize = 32;

/// Returns the number of units around each unit.
fn unit_depths(file: &SourceFile, blocks: &FileBlocks) -> Vec<usize> {
    let range = |unit: usize| file.tree.range(blocks.units[unit].node);
    let mut order: Vec<usize> = (0..blocks.units.len()).collect();
    order.sort_by_key(|unit| (range(*unit).start, Reverse(range(*unit).end)));
    let mut depths = vec![0; order.len()];
    let mut around: Vec<usize> = Vec::new();
    for unit in order {
        while around.last().is_some_and(|end| *end <= range(unit).start) {
            around.pop();
        }
        depths[unit] = around.len();
        around.push(range(unit).end);
    }
    depths
}

/// Local variable whose declaration may be removed or replaced by a default value.
#[derive(Debug, Clone, Copy)]
pub(super) struct RemovableLocal {
    /// Default value if it is of a primitive type.
    pub default: Option<&'static str>,
    /// Whether it is declared without a value.
    blank: bool,
}

/// Local variables, name counts and surroundings of the statements of one unit.
pub(super) struct UnitNames<'t> {
    /// Occurrences of the name of each local variable.
    mentions: Map<&'t str, usize>,
    pub(super) locals: Map<&'t str, Vec<RemovableLocal>>,
    surroundings: Vec<Surroundings<'t>>,
    /// Statement ids, ascending, with the indices of their surroundings.
    around: Vec<(NodeId, usize)>,
    /// Statements that are an arm of a `switch`.
    arms: Set<NodeId>,
    /// Whether expressions contain blocks of their own (expression granularity).
    is_fine: bool,
}

impl<'t> UnitNames<'t> {
    fn gather(file: &'t SourceFile, code: &[SyntaxNode<'t>], is_fine: bool) -> UnitNames<'t> {
        let mut names = UnitNames {
            mentions: Map::default(),
            locals: Map::default(),
            surroundings: vec![Surroundings::default()],
            around: Vec::new(),
            arms: Set::default(),
            is_fine,
        };
        let mut identifiers = Vec::new();
        for node in code {
            // The surroundings of what is at each depth.
            let mut around = vec![0];
            syntax::walk(*node, |node, depth| {
                around.truncate(depth + 1);
                if syntax::kind_of(node) == kind::IDENTIFIER {
                    identifiers.push(node);
                } else {
                    around.push(names.visit(file, node, around[depth]));
                }
                true
            });
        }
        names.mentions = names.locals.keys().map(|name| (*name, 0)).collect();
        if !names.locals.is_empty() {
            for node in identifiers {
                if let Some(mentions) = names.mentions.get_mut(file.text_of(node)) {
                    *mentions += 1;
                }
            }
        }
        names
    }

    /// Visits `node`; returns the index of the surroundings of its children.
    fn visit(&mut self, file: &'t SourceFile, node: SyntaxNode<'t>, around: usize) -> usize {
        match syntax::kind_of(node) {
            kind::EXPRESSION_STATEMENT => {
                self.around.push((node.id(), around));
            }
            kind::LOCAL_VARIABLE_DECLARATION => {
                self.around.push((node.id(), around));
                self.declare(file, node);
            }
            kind::WHILE_STATEMENT | kind::DO_STATEMENT | kind::FOR_STATEMENT => {
                return self.enter(loop_surroundings(file, node, around));
            }
            kind::TRY_STATEMENT | kind::TRY_WITH_RESOURCES_STATEMENT => {
                let checked = catches_checked(file, node);
                let around = Surroundings { parent: Some(around), checked, ..Default::default() };
                return self.enter(around);
            }
            kind::SWITCH_RULE => {
                let arms = syntax::named_children(node);
                self.arms.extend(arms.iter().map(SyntaxNode::id));
            }
            _ => {}
        }
        around
    }

    fn enter(&mut self, surroundings: Surroundings<'t>) -> usize {
        self.surroundings.push(surroundings);
        self.surroundings.len() - 1
    }

    fn declare(&mut self, file: &'t SourceFile, node: SyntaxNode<'t>) {
        for declarator in syntax::fields(node, field::DECLARATOR) {
            let Some(name) = syntax::field(declarator, field::NAME) else { continue };
            let name = file.text_of(name);
            let default = default_value(file, node, declarator);
            // One of a `switch` group has no value in the groups after it.
            let shared = node.parent().is_some_and(|parent| parent.kind() == kind::SWITCH_GROUP);
            let blank = shared || syntax::field(declarator, field::VALUE).is_none();
            self.locals.entry(name).or_default().push(RemovableLocal { default, blank });
        }
    }

    /// Plans the removal of the blocks `removed` of this unit.
    pub(super) fn plan(
        &self,
        file: &'t SourceFile,
        finals: &Set<&str>,
        blocks: &FileBlocks,
        removed: &BTreeSet<usize>,
    ) -> UnitRemoval<'t> {
        let mut why = NOTHING_TO_REMOVE;
        let mut candidates = Vec::new();
        for index in removed {
            for part in blocks.blocks[*index].parts.iter().map(|part| file.node(*part)) {
                match self.candidate(file, finals, blocks, *index, part) {
                    Ok(names) => candidates.push((part, names)),
                    Err(reason) if reason != NOTHING_TO_REMOVE => why = reason,
                    Err(_) => {}
                }
            }
        }
        let mut remaining = RemainingMentions { all: &self.mentions, gone: Map::default() };
        candidates.iter().for_each(|(_, names)| remaining.mention(names, false));
        let (mut edits, mut parts) = (Vec::new(), Vec::new());
        candidates.sort_by_key(|(part, _)| part.start_byte());
        for (part, names) in candidates.into_iter().rev() {
            match self.edit(file, part, &remaining) {
                Ok(replacements) => {
                    edits.extend(replacements);
                    parts.push(part);
                }
                Err(reason) => {
                    why = reason;
                    remaining.mention(&names, true);
                }
            }
        }
        let result = if edits.is_empty() { Err(why) } else { Ok(()) };
        UnitRemoval { edits, parts, result }
    }

    /// Returns the names in one part of block `index`, if the part may be removed whatever else is.
    pub(super) fn candidate(
        &self,
        file: &'t SourceFile,
        finals: &Set<&str>,
        blocks: &FileBlocks,
        index: usize,
        part: SyntaxNode<'t>,
    ) -> Result<Vec<&'t str>, &'static str> {
        let block = &blocks.blocks[index];
        let unit = blocks.unit_of(block);
        if matches!(block.kind, BlockKind::ForInit | BlockKind::ForUpdate) {
            return Err("it is the header of a loop");
        }
        if part.has_error() {
            return Err("the parser can't follow it");
        }
        if syntax::kind_of(part) == kind::VARIABLE_DECLARATOR {
            field_value(file, file.node(unit.node), part)?;
            return Ok(StatementEffects::of(file, part).mentioned);
        }
        if !matches!(
            syntax::kind_of(part),
            kind::EXPRESSION_STATEMENT | kind::LOCAL_VARIABLE_DECLARATION
        ) {
            return Err(NOTHING_TO_REMOVE);
        }
        let effects = StatementEffects::of(file, part);
        if effects.holds_code || (self.is_fine && has_other_blocks(blocks, index, part)) {
            return Err("its statements hold lambdas, classes or blocks of their own");
        }
        let initializes = !matches!(unit.kind, UnitKind::Method | UnitKind::Lambda);
        if initializes && effects.assigned.iter().any(|name| finals.contains(name)) {
            return Err("it assigns a final field");
        }
        if effects.nested.iter().any(|name| self.is_blank(name)) {
            return Err("it assigns a variable inside an expression");
        }
        self.check_surroundings(part, &effects)?;
        Ok(effects.mentioned)
    }

    /// Checks that the loops and `try` statements around a statement allow its removal.
    fn check_surroundings(
        &self,
        part: SyntaxNode<'t>,
        effects: &StatementEffects<'t>,
    ) -> Result<(), &'static str> {
        let found = self.around.binary_search_by_key(&part.id(), |(id, _)| *id);
        let mut around = found.ok().map(|found| self.around[found].1);
        for _ in 0..FARTHEST_LOOP {
            let Some(surroundings) = around.map(|index| &self.surroundings[index]) else { break };
            if surroundings.checked && effects.may_throw {
                return Err("a catch of a checked exception may need it");
            }
            let steers =
                |names: &[&str]| names.iter().any(|name| surroundings.condition.contains(name));
            if steers(&effects.assigned) || (surroundings.calls_count && steers(&effects.receivers))
            {
                return Err("a loop's condition depends on it");
            }
            around = surroundings.parent;
        }
        Ok(())
    }

    pub(super) fn is_blank(&self, name: &str) -> bool {
        self.locals.get(name).is_some_and(|locals| locals.iter().any(|local| local.blank))
    }

    /// Returns the edits that remove one statement, given the names in the code that stays.
    fn edit(
        &self,
        file: &SourceFile,
        part: SyntaxNode<'t>,
        remaining: &RemainingMentions<'_, '_>,
    ) -> Result<Vec<Replacement>, &'static str> {
        match syntax::kind_of(part) {
            kind::VARIABLE_DECLARATOR => Ok(without_value(file, part)),
            kind::LOCAL_VARIABLE_DECLARATION => remove_declaration(file, part, remaining),
            _ => self.expression(file, part, remaining),
        }
    }

    fn expression(
        &self,
        file: &SourceFile,
        part: SyntaxNode<'t>,
        remaining: &RemainingMentions<'_, '_>,
    ) -> Result<Vec<Replacement>, &'static str> {
        let nothing = if self.arms.contains(&part.id()) { "{ }" } else { ";" };
        let gone = || Ok(vec![(part.byte_range(), nothing.to_owned())]);
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
        if syntax::kind_of(left) != kind::IDENTIFIER || !self.is_blank(name) || !remaining.has(name)
        {
            return gone();
        }
        let defaults: Set<_> = self.locals[name].iter().map(|local| local.default).collect();
        match defaults.into_iter().collect::<Vec<_>>()[..] {
            [Some(default)] if !is_literal(right) => {
                Ok(vec![(right.byte_range(), default.to_owned())])
            }
            _ => Err(VARIABLES_NEEDED),
        }
    }
}

/// Whether a part contains blocks other than its own.
fn has_other_blocks(blocks: &FileBlocks, index: usize, part: SyntaxNode<'_>) -> bool {
    let mut found = false;
    syntax::walk(part, |node, _| {
        found |= blocks.owners.get(node.id()).is_some_and(|owner| owner != index);
        !found
    });
    found
}
