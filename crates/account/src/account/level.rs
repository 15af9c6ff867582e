//! The levels of an account, each a different grouping of the same leaves.

use std::collections::BTreeMap;

use super::accounts::{BlockAccount, OperationAccount};
use super::cost::{CountVector, IndexedModel};
use super::entry::{self, AccountEntry, Bundle, Leaf, LineKey, MethodKey, MethodLineKey};
use super::input::AccountInput;
use super::pricing::{Pricing, sum_leaves_by_key};
use super::{class, ledger};
use crate::blocks::BlockId;
use crate::exact::Femtojoules;
use crate::operations::Feature;
use crate::units::Joules;

/// Splits the explained energy into operations and library functions.
pub(super) fn explained_energy<'a>(
    leaves: &[Leaf<'a>],
    pricing: &Pricing<'_, '_>,
) -> ledger::ExplainedEnergy<'a> {
    let (mut operations, mut library) = (Bundle::default(), Bundle::default());
    for leaf in leaves {
        let of_library = leaf.operation.operation.is_library();
        if of_library { library.add(leaf) } else { operations.add(leaf) }
    }
    let Pricing { costs, method_groups, .. } = pricing;
    let row = |bundle: &Bundle<'_>| ledger::ExplainedRow {
        energy: bundle.energy,
        interval: match method_groups {
            Some(method_groups) => method_groups.interval(bundle, costs),
            None => costs.interval(&bundle.counts),
        },
    };
    let (of_operations, of_library) = (row(&operations), row(&library));
    operations.merge(&library);
    ledger::ExplainedEnergy { operations: of_operations, library: of_library, both: operations }
}

/// Accounts by operation.
pub(super) fn accounts_by_operation(
    leaves: &[Leaf<'_>],
    pricing: &Pricing<'_, '_>,
) -> Vec<OperationAccount> {
    let mut executions: BTreeMap<Feature, u64> = BTreeMap::new();
    for leaf in leaves {
        add(&mut executions, leaf.operation.operation.clone(), leaf.executions);
    }
    sum_leaves_by_key(leaves, executions, |leaf| leaf.operation.operation.clone(), pricing)
        .into_iter()
        .map(|entry| {
            let cost = pricing.costs.of(entry.key.name());
            OperationAccount {
                cost: cost.map(|cost| match pricing.method_groups {
                    // Its mean over places.
                    Some(_) => mean_execution_cost(&entry),
                    None => pricing.costs.cost(cost),
                }),
                estimable: cost.map(|cost| pricing.costs.fitted(cost).estimable),
                costed_as: cost.map(|cost| pricing.costs.name(cost).to_string()),
                entry,
            }
        })
        .collect()
}

/// Accounts by source line.
pub(super) fn accounts_by_line(
    scenario: &AccountInput<'_>,
    leaves: &[Leaf<'_>],
    pricing: &Pricing<'_, '_>,
) -> Vec<AccountEntry<LineKey>> {
    by_most_executed(scenario, leaves, line_of, pricing)
}

/// Accounts by method and line.
pub(super) fn accounts_by_part(
    scenario: &AccountInput<'_>,
    leaves: &[Leaf<'_>],
    pricing: &Pricing<'_, '_>,
) -> Vec<AccountEntry<MethodLineKey>> {
    let key =
        |leaf: &Leaf<'_>| MethodLineKey { method: MethodKey::of(leaf.block), line: line_of(leaf) };
    by_most_executed(scenario, leaves, key, pricing)
}

fn line_of(leaf: &Leaf<'_>) -> LineKey {
    LineKey { file: leaf.block.file.clone(), line: leaf.operation.line }
}

/// Entries by a key; an entry's executions are those of its most executed block.
fn by_most_executed<K: Ord + Clone>(
    scenario: &AccountInput<'_>,
    leaves: &[Leaf<'_>],
    key: impl Fn(&Leaf<'_>) -> K,
    pricing: &Pricing<'_, '_>,
) -> Vec<AccountEntry<K>> {
    let mut executions: BTreeMap<K, u64> = BTreeMap::new();
    for leaf in leaves {
        let runs = scenario.executions.get(&leaf.block.id).copied().unwrap_or(0);
        let most = executions.entry(key(leaf)).or_default();
        *most = runs.max(*most);
    }
    sum_leaves_by_key(leaves, executions, key, pricing)
}

/// Accounts by block.
pub(super) fn accounts_by_block(
    scenario: &AccountInput<'_>,
    leaves: &[Leaf<'_>],
    pricing: &Pricing<'_, '_>,
) -> Vec<BlockAccount> {
    let ran = entry::executed_blocks(scenario.dictionary, scenario.executions);
    let executions = ran.map(|(block, runs)| (block.id, runs)).collect();
    let mut classes: BTreeMap<BlockId, [Femtojoules; 8]> = BTreeMap::new();
    let mut lines: BTreeMap<BlockId, BTreeMap<u32, Femtojoules>> = BTreeMap::new();
    for leaf in leaves {
        let of_block = lines.entry(leaf.block.id).or_default();
        *of_block.entry(leaf.operation.line).or_default() += leaf.energy;
        let class = leaf.operation.operation.class();
        classes.entry(leaf.block.id).or_default()[class::index_of(class)] += leaf.energy;
    }
    let by_id: BTreeMap<BlockId, _> =
        scenario.dictionary.blocks.iter().map(|block| (block.id, block)).collect();
    sum_leaves_by_key(leaves, executions, |leaf| leaf.block.id, pricing)
        .into_iter()
        .filter_map(|entry| {
            let classes = classes.get(&entry.key).copied().unwrap_or_default();
            let lines = lines.remove(&entry.key).unwrap_or_default();
            let block = by_id.get(&entry.key)?;
            Some(block_account(entry, block, (classes, lines), pricing))
        })
        .collect()
}

/// One block's account from its entry, with the cost of one execution.
fn block_account(
    entry: AccountEntry<BlockId>,
    block: &crate::operations::BlockEntry,
    (classes, lines): ([Femtojoules; 8], BTreeMap<u32, Femtojoules>),
    pricing: &Pricing<'_, '_>,
) -> BlockAccount {
    BlockAccount {
        cost: match pricing.method_groups {
            Some(_) => mean_execution_cost(&entry),
            None => block_cost(block, pricing.costs),
        },
        cost_interval: entry.interval.map(|interval| interval.per_execution(entry.executions)),
        entry,
        name: block.name.clone(),
        kind: block.kind.to_string(),
        class: block.class.clone(),
        method: block.method.clone(),
        file: block.file.clone(),
        start_line: block.start_line,
        end_line: block.end_line,
        classes,
        lines,
    }
}

/// Energy of one execution of a block by costs alone, without samples.
fn block_cost(block: &crate::operations::BlockEntry, costs: &IndexedModel<'_>) -> Joules {
    let mut once = CountVector::default();
    for operation in &block.operations {
        if let Some(cost) = costs.of(operation.operation.name()) {
            once.add(cost, f64::from(operation.count) * costs.context_factor(operation));
        }
    }
    costs.energy(&once)
}

/// Mean energy of one of an entry's executions.
fn mean_execution_cost<K>(entry: &AccountEntry<K>) -> Joules {
    entry.joules() * (1.0 / entry.executions.max(1) as f64)
}

/// Accounts by method; a method's executions are those of its entry block.
pub(super) fn accounts_by_method(
    scenario: &AccountInput<'_>,
    leaves: &[Leaf<'_>],
    pricing: &Pricing<'_, '_>,
) -> Vec<AccountEntry<MethodKey>> {
    let mut executions: BTreeMap<MethodKey, u64> = BTreeMap::new();
    for (block, runs) in entry::executed_blocks(scenario.dictionary, scenario.executions) {
        add(&mut executions, MethodKey::of(block), entries_of(block, runs));
    }
    sum_leaves_by_key(leaves, executions, |leaf| MethodKey::of(leaf.block), pricing)
}

/// Accounts by class.
pub(super) fn accounts_by_class(
    scenario: &AccountInput<'_>,
    leaves: &[Leaf<'_>],
    pricing: &Pricing<'_, '_>,
) -> Vec<AccountEntry<String>> {
    let mut executions: BTreeMap<String, u64> = BTreeMap::new();
    for (block, runs) in entry::executed_blocks(scenario.dictionary, scenario.executions) {
        add(&mut executions, block.class.clone(), entries_of(block, runs));
    }
    sum_leaves_by_key(leaves, executions, |leaf| leaf.block.class.clone(), pricing)
}

/// Accounts by package; `(default)` is the unnamed package.
pub(super) fn accounts_by_package(
    scenario: &AccountInput<'_>,
    leaves: &[Leaf<'_>],
    pricing: &Pricing<'_, '_>,
) -> Vec<AccountEntry<String>> {
    let package = |block: &crate::operations::BlockEntry| {
        block.class.rsplit_once('.').map_or("(default)", |(package, _)| package).to_string()
    };
    let mut executions: BTreeMap<String, u64> = BTreeMap::new();
    for (block, runs) in entry::executed_blocks(scenario.dictionary, scenario.executions) {
        add(&mut executions, package(block), entries_of(block, runs));
    }
    sum_leaves_by_key(leaves, executions, |leaf| package(leaf.block), pricing)
}

/// Entries of the block's unit through this block: `runs` for an entry block, else zero.
fn entries_of(block: &crate::operations::BlockEntry, runs: u64) -> u64 {
    if block.kind == "entry" { runs } else { 0 }
}

/// Adds to a count, saturating on overflow.
fn add<K: Ord>(counts: &mut BTreeMap<K, u64>, key: K, count: u64) {
    let sum = counts.entry(key).or_default();
    *sum = sum.saturating_add(count);
}
