//! Stacks of lines with their energy, for formats of profilers: all formats have the same stacks.
//! Without recorded calls a line's callers are its class and package, else its callers and thread.

use std::collections::BTreeMap;

use super::data::ExportData;
use super::frames::frames;
use super::microjoules::{microjoules, microjoules_by_line};
use crate::account::calls::CallAccounts;
use crate::account::{BlockAccount, Femtojoules, MethodKey};
use crate::blocks::BlockId;

/// What a frame of a stack is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FrameKind {
    Method,
    Class,
    Package,
    Thread,
}

/// A frame of a stack: its name, file and line, and the first line of its method; both 0 where
/// they are unknown.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EnergyFrame {
    pub kind: FrameKind,
    pub name: String,
    pub file: String,
    pub first_line: u32,
    pub line: u32,
}

impl EnergyFrame {
    /// Frame of a package or thread, which has no file.
    fn without_file(kind: FrameKind, name: &str) -> Self {
        Self { kind, name: name.to_owned(), file: String::new(), first_line: 0, line: 0 }
    }
}

/// Energy of a line below its callers.
#[derive(Debug, Clone, Copy)]
pub(super) struct EnergyStack<'s> {
    /// The line, in its method.
    pub leaf: &'s EnergyFrame,
    /// Its callers, the nearest first.
    pub callers: &'s [EnergyFrame],
    /// Its energy in whole microjoules.
    pub microjoules: u64,
    /// Executions of its block, on the block's first line; 0 on others.
    pub executions: u64,
}

impl EnergyStack<'_> {
    /// Frames from the outermost caller to the line.
    pub(super) fn outermost_first(&self) -> impl Iterator<Item = &EnergyFrame> {
        self.callers.iter().rev().chain([self.leaf])
    }
}

/// Visits all stacks with energy or executions, in the order of calls or of blocks.
pub(super) fn visit_stacks(data: &ExportData<'_>, visit: &mut dyn FnMut(EnergyStack<'_>)) {
    match data.calls {
        Some(calls) => by_calls(calls, data, visit),
        None => by_location(data, visit),
    }
}

/// Name, file and first line of a method.
#[derive(Clone, Copy)]
struct MethodPlace<'a> {
    name: &'a str,
    file: &'a str,
    first_line: u32,
}

/// Visits the stack of each line of a block, for its energy or a part of it, below `callers`.
fn visit_lines(
    block: &BlockAccount,
    (energy, executions): (Femtojoules, u64),
    place: MethodPlace<'_>,
    callers: &[EnergyFrame],
    visit: &mut dyn FnMut(EnergyStack<'_>),
) {
    let mut executions = executions;
    for (line, microjoules) in microjoules_by_line(block, energy) {
        let executions = std::mem::take(&mut executions);
        if microjoules > 0 || executions > 0 {
            let leaf = EnergyFrame {
                kind: FrameKind::Method,
                name: place.name.to_owned(),
                file: place.file.to_owned(),
                first_line: place.first_line,
                line,
            };
            visit(EnergyStack { leaf: &leaf, callers, microjoules, executions });
        }
    }
}

/// Visits the blocks of each node of the call tree, below their callers and thread.
fn by_calls(calls: &CallAccounts, data: &ExportData<'_>, visit: &mut dyn FnMut(EnergyStack<'_>)) {
    let places = super::calls::method_locations(data.accounts);
    let blocks: BTreeMap<BlockId, &BlockAccount> =
        data.accounts.blocks.iter().map(|block| (block.entry.key, block)).collect();
    let place = |method: &MethodKey| places.get(method).copied().unwrap_or(("", 0));
    for node in &calls.nodes {
        let parts = node.blocks.iter().filter(|(.., energy)| microjoules(*energy) > 0);
        let parts: Vec<_> = parts.filter_map(|part| Some((blocks.get(&part.0)?, part))).collect();
        if parts.is_empty() {
            continue;
        }
        let mut path = super::calls::call_path(calls, node);
        path.reverse();
        let caller = |method: &MethodKey| {
            let (file, line) = place(method);
            EnergyFrame {
                kind: FrameKind::Method,
                name: super::calls::qualified_name(method),
                file: file.to_owned(),
                first_line: line,
                line,
            }
        };
        let mut callers: Vec<EnergyFrame> = path[1..].iter().map(caller).collect();
        callers.push(EnergyFrame::without_file(FrameKind::Thread, &node.thread));
        let (name, (file, first_line)) =
            (super::calls::qualified_name(&node.method), place(&node.method));
        let place = MethodPlace { name: &name, file, first_line };
        for (block, (_, executions, energy)) in parts {
            visit_lines(block, (*energy, *executions), place, &callers, visit);
        }
    }
}

/// Visits each block, below its class and package.
fn by_location(data: &ExportData<'_>, visit: &mut dyn FnMut(EnergyStack<'_>)) {
    let places = super::calls::method_locations(data.accounts);
    let mut blocks: Vec<_> = data.accounts.blocks.iter().collect();
    blocks.sort_by_key(|block| block.entry.key);
    for block in blocks.into_iter().filter(|block| microjoules(block.entry.energy) > 0) {
        let [package, class, method, _] = frames(block);
        let key = MethodKey { class: block.class.clone(), method: block.method.clone() };
        let first_line = places.get(&key).map_or(block.start_line, |(_, first)| *first);
        let name = format!("{package}.{class}.{method}");
        let of_class = EnergyFrame {
            kind: FrameKind::Class,
            name: format!("{package}.{class}"),
            file: block.file.clone(),
            first_line: 0,
            line: 0,
        };
        let callers = [of_class, EnergyFrame::without_file(FrameKind::Package, package)];
        let spent = (block.entry.energy, block.entry.executions);
        let place = MethodPlace { name: &name, file: &block.file, first_line };
        visit_lines(block, spent, place, &callers, visit);
    }
}

/// Microjoules of stacks that were read back: name, file and line of each frame, the line first.
#[cfg(test)]
pub(super) type DecodedStacks = BTreeMap<Vec<(String, String, u32)>, u64>;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::account::calls::{CallAccounts, CallNodeAccount, SpentEnergy};
    use crate::export::sample::{self, OwnedExportData};
    use crate::export::{firefox, otlp, pprof};

    /// A thread in which each method of the sample calls the next.
    fn calls(sample: &OwnedExportData) -> CallAccounts {
        let mut nodes: Vec<CallNodeAccount> = Vec::new();
        for block in &sample.accounts.blocks {
            let spent = SpentEnergy { energy: block.entry.energy, ..SpentEnergy::default() };
            nodes.push(CallNodeAccount {
                thread: "main".into(),
                parent: nodes.len().checked_sub(1),
                depth: nodes.len(),
                method: MethodKey { class: block.class.clone(), method: block.method.clone() },
                calls: 1,
                blocks: vec![(block.entry.key, block.entry.executions, block.entry.energy)],
                own: spent,
                cumulative: spent,
            });
        }
        CallAccounts { nodes, ..CallAccounts::default() }
    }

    fn assert_equal_stacks(data: &ExportData<'_>) -> DecodedStacks {
        let stacks = pprof::decoded_stacks(&pprof::pprof(data));
        assert_eq!(otlp::decoded_stacks(&otlp::otlp(data)), stacks);
        assert_eq!(firefox::decoded_stacks(&firefox::firefox(data)), stacks);
        stacks
    }

    #[test]
    fn all_formats_of_profilers_have_the_same_stacks() {
        let sample = sample::sample();
        let by_location = assert_equal_stacks(&sample.data());
        assert!(by_location.keys().all(|stack| stack.len() == 3), "{by_location:?}");
        let calls = calls(&sample);
        let by_calls = assert_equal_stacks(&ExportData { calls: Some(&calls), ..sample.data() });
        let deepest = by_calls.keys().map(Vec::len).max();
        assert_eq!(deepest, Some(calls.nodes.len() + 1));
        assert!(by_calls.keys().all(|stack| stack.last().is_some_and(|of| of.0 == "main")));
        let sum = |stacks: &DecodedStacks| stacks.values().sum::<u64>();
        assert!(sum(&by_location).abs_diff(sum(&by_calls)) < 5);
    }

    proptest! {
        /// Whatever energies, lines and names accounts have, formats agree and none panics.
        #[test]
        fn no_accounts_panic(
            energies in prop::collection::vec(any::<i64>(), 1..8),
            lines in prop::collection::vec((any::<u32>(), any::<i64>()), 0..6),
            executions in any::<u64>(),
            name in "\\PC{0,12}",
            by_calls in any::<bool>(),
        ) {
            let mut sample = sample::sample();
            let femtojoules = |energy: i64| Femtojoules(i128::from(energy) * 1_000_000);
            for (at, block) in sample.accounts.blocks.iter_mut().enumerate() {
                block.entry.energy = femtojoules(energies[at % energies.len()]);
                block.entry.executions = executions;
                block.class.clone_from(&name);
                block.file.clone_from(&name);
                block.lines = lines.iter().map(|(line, of)| (*line, femtojoules(*of))).collect();
            }
            let calls = calls(&sample);
            let calls = by_calls.then_some(&calls);
            assert_equal_stacks(&ExportData { calls, ..sample.data() });
        }
    }
}
