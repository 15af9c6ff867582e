//! Removal of a block's own statements, such that the rest still compiles, loops
//! still end, and every block keeps its name: a variant divides into the same blocks.
//!
//! Removed are expression statements, local variables that nothing else uses, and
//! values of fields and primitive locals (a default value takes their place). All
//! else stays: jumps, headers, `this(...)`, statements that hold blocks or units of
//! their own, what assigns final fields, what a checked exception's `catch` needs,
//! what a loop's condition depends on, and objects that remaining code uses.

mod blank_finals;
mod effects;
mod guards;
mod refusal;
mod surroundings;
mod unit_names;
mod values;

use std::collections::BTreeSet;

use self::blank_finals::blank_finals;
pub use self::guards::Removals;
pub(super) use self::guards::{SwitchTexts, guard};
use self::refusal::TOO_DEEP;
use self::unit_names::{by_unit, units_of};
use super::block_findings::BlockFindings;
use super::edits::Edits;
use crate::blocks::FileBlocks;
use crate::finding::FindingKind;
use crate::java::SourceFile;

/// Returns for each block of a file whether a variant can leave its statements out, alone, or
/// else why not.
pub fn removable(file: &SourceFile, blocks: &FileBlocks) -> Vec<Result<(), &'static str>> {
    let finals = blank_finals(file);
    let units = units_of(file, blocks, |_| true);
    let plan = |index: usize| match units.get(&blocks.blocks[index].unit.0) {
        Some(unit) => unit.plan(file, &finals, blocks, &BTreeSet::from([index])).result,
        None => Err(TOO_DEEP),
    };
    (0..blocks.blocks.len()).map(plan).collect()
}

/// Leaves the statements of the blocks `removed` out.
pub(super) fn remove(
    file: &SourceFile,
    blocks: &FileBlocks,
    removed: &BTreeSet<usize>,
    edits: &mut Edits,
    report: &mut BlockFindings<'_>,
) {
    if removed.is_empty() {
        return;
    }
    let by_unit = by_unit(blocks, removed);
    let finals = blank_finals(file);
    let units = units_of(file, blocks, |unit| by_unit.contains_key(&unit));
    for index in removed {
        let alone = match units.get(&blocks.blocks[*index].unit.0) {
            Some(unit) => unit.plan(file, &finals, blocks, &BTreeSet::from([*index])).result,
            None => Err(TOO_DEEP),
        };
        if let Err(why) = alone {
            report.block(*index, FindingKind::NotRemoved, why);
        }
    }
    for (unit, removed) in &by_unit {
        let plan = units.get(unit).map(|unit| unit.plan(file, &finals, blocks, removed).edits);
        for (range, text) in plan.into_iter().flatten() {
            edits.replace(range, text);
        }
    }
}
