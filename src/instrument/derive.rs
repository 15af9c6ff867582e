//! Blocks that need no probe of their own: their executions are the sum of those of
//! others, whatever happens, as only code that surely completes lies between.
//!
//! | block | its executions |
//! |---|---|
//! | initialisation of a `for` | those of the block that it follows in |
//! | test of a `for` | those of its initialisation and of its update |
//! | update of a `for` | those of its body |

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::java::Node;

use super::facts::Facts;
use super::quiet::Quiet;
use crate::blocks::{BlockKind, FileBlocks, UnitKind};
use crate::java::SourceFile;
use crate::java::kinds::Field;
use crate::java::syntax::{self, field, kind};

/// Block -> the blocks whose executions add up to its own; indices into the file's.
pub type Derived = BTreeMap<usize, Vec<usize>>;

/// The blocks of `file` that can do without a probe if all others have one.
pub fn derive<'t>(file: &'t SourceFile, blocks: &FileBlocks<'t>, facts: &Facts<'t>) -> Derived {
    let mut loops: BTreeMap<usize, Parts<'t>> = BTreeMap::new();
    let mut starts = HashMap::new();
    for (index, block) in blocks.blocks.iter().enumerate() {
        let parts = loops.entry(block.construct.start_byte());
        match block.kind {
            BlockKind::ForInit => parts.or_insert(Parts::of(block.construct)).init = Some(index),
            BlockKind::ForTest => parts.or_insert(Parts::of(block.construct)).test = Some(index),
            BlockKind::ForUpdate => {
                parts.or_insert(Parts::of(block.construct)).update = Some(index);
            }
            BlockKind::ForBody => parts.or_insert(Parts::of(block.construct)).body = Some(index),
            _ => {}
        }
        if block.kind == BlockKind::Continuation || block.anchor.kind() == kind::BLOCK {
            starts.insert(block.anchor.id(), index);
        }
    }
    let mut units: HashMap<u32, Quiet<'t>> = HashMap::new();
    let mut derived = Derived::new();
    for parts in loops.values() {
        let Some(any) = parts.test.or(parts.init).or(parts.update) else { continue };
        let number = blocks.blocks[any].unit.0;
        let unit = &blocks.units[number as usize];
        if !matches!(unit.kind, UnitKind::Method | UnitKind::Constructor | UnitKind::Lambda) {
            continue;
        }
        let quiet =
            units.entry(number).or_insert_with(|| Quiet::of_unit(file, unit.node, HashSet::new()));
        parts.derive(file, facts, quiet, &starts, &mut derived);
    }
    derived
}

/// The parts of one `for`, as far as they have blocks.
struct Parts<'t> {
    node: Node<'t>,
    init: Option<usize>,
    test: Option<usize>,
    update: Option<usize>,
    body: Option<usize>,
}

impl<'t> Parts<'t> {
    fn of(node: Node<'t>) -> Parts<'t> {
        Parts { node, init: None, test: None, update: None, body: None }
    }

    fn derive(
        &self,
        file: &'t SourceFile,
        facts: &Facts<'t>,
        quiet: &Quiet<'t>,
        starts: &HashMap<usize, usize>,
        derived: &mut Derived,
    ) {
        let surely = |field: Field| {
            let parts = syntax::fields(self.node, field);
            parts.into_iter().all(|part| match part.kind() {
                kind::LOCAL_VARIABLE_DECLARATION => quiet.statement(file, part),
                _ => quiet.expression(file, part),
            })
        };
        if let Some(init) = self.init
            && let Some(before) = before(file, quiet, facts.start_of(self.node), starts)
        {
            derived.insert(init, vec![before]);
        }
        let Some((init, update)) = self.init.zip(self.update) else { return };
        if let Some(test) = self.test
            && surely(field::INIT)
            && surely(field::UPDATE)
        {
            derived.insert(test, vec![init, update]);
        }
        let body = syntax::field(self.node, field::BODY);
        if let Some(index) = self.body
            && body.is_some_and(|body| completes(file, quiet, body))
        {
            derived.insert(update, vec![index]);
        }
    }
}

/// Whether a loop's body surely completes.
fn completes(file: &SourceFile, quiet: &Quiet<'_>, body: Node<'_>) -> bool {
    match body.kind() {
        kind::BLOCK => syntax::statements(body).iter().all(|s| quiet.statement(file, *s)),
        _ => quiet.statement(file, body),
    }
}

/// The block that `statement` follows in, if what comes before it there surely completes.
fn before(
    file: &SourceFile,
    quiet: &Quiet<'_>,
    statement: Node<'_>,
    starts: &HashMap<usize, usize>,
) -> Option<usize> {
    let mut here = statement;
    loop {
        if let Some(block) = starts.get(&here.id()) {
            return Some(*block);
        }
        let mut previous = here.prev_sibling()?;
        while syntax::is_comment(previous) {
            previous = previous.prev_sibling()?;
        }
        if previous.kind() == kind::OPEN_BRACE {
            return starts.get(&here.parent()?.id()).copied();
        }
        if !quiet.statement(file, previous) {
            return None;
        }
        here = previous;
    }
}
