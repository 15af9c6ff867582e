//! Costs x counts: what every operation, line, block, method and class of one scenario
//! spends, with 95 % intervals from the model's covariance, and the ledger that adds
//! up to what was measured. Also the comparison with a known truth ([`evaluate`]).
//!
//! Owns no input or output: dictionary, counts and model in, values and CSV text out.
//! See `docs/accounts.md`.

pub mod class;
pub mod cost;
pub mod cumulative;
pub mod entry;
pub mod evaluate;
pub mod exact;
pub mod ledger;
pub mod matching;
pub mod table;
pub mod truth;

#[cfg(test)]
pub(crate) mod sample;

use std::collections::BTreeMap;

use crate::blocks::BlockId;
use crate::model::Model;
use crate::operations::Dictionary;
use crate::units::Joules;

pub use class::OperationClass;
pub use cost::{CostIndex, Costs, CountVector, Interval};
pub use entry::{Entry, LineKey, MethodKey};
pub use evaluate::{Evaluation, LevelEvaluation, evaluate};
pub use exact::Femtojoules;
pub use ledger::{Ledger, LedgerEntry, LedgerRow, Measured};
pub use truth::{Truth, TruthError};

use entry::{Bundle, Leaf, Pricing};

/// Executions that the paper's second view of blocks shows.
pub const VIEW_EXECUTIONS: f64 = 3000.0;

/// What an account is made of.
#[derive(Debug, Clone, Copy)]
pub struct Scenario<'a> {
    /// The blocks and what they hold.
    pub dictionary: &'a Dictionary,
    /// How often each block ran, over all input sequences of the scenario.
    pub executions: &'a BTreeMap<BlockId, u64>,
    /// The costs.
    pub model: &'a Model,
    /// What was measured for the same runs.
    pub measured: &'a Measured,
}

/// An operation or library function in the scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct OperationAccount {
    /// Its figure; the key is its name.
    pub entry: Entry<String>,
    /// Its class; absent for a name that the catalogue doesn't have.
    pub class: Option<OperationClass>,
    /// Energy of one execution; absent when the model doesn't know it.
    pub cost: Option<Joules>,
    /// Whether the cases alone determine the cost; absent with the cost.
    pub estimable: Option<bool>,
    /// Name of the cost that it takes: its own, or `lib:other`.
    pub costed_as: Option<String>,
}

/// A block in the scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockAccount {
    /// Its figure.
    pub entry: Entry<BlockId>,
    /// Name as in the dictionary.
    pub name: String,
    /// How it is entered, snake case.
    pub kind: String,
    /// Binary class name with package.
    pub class: String,
    /// Method with parameter types.
    pub method: String,
    /// Path relative to its source root.
    pub file: String,
    /// First line, from 1.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// Energy of one execution.
    pub cost: Joules,
    /// Its 95 % interval.
    pub cost_interval: Option<Interval>,
    /// Energy in the scenario by class, in the order of [`OperationClass::ALL`].
    pub classes: [Femtojoules; 8],
}

impl BlockAccount {
    /// The paper's second view: the energy of 3000 executions.
    pub fn energy_of_3000(&self) -> Joules {
        self.cost * VIEW_EXECUTIONS
    }

    /// Part of the block's energy that a class has, 0..1; absent for a block without
    /// positive energy.
    pub fn class_share(&self, class: OperationClass) -> Option<f64> {
        entry::share(self.classes[class.index()], self.entry.energy)
    }
}

/// All accounts of one scenario. Every level is sorted by energy, the largest first, and
/// every level's energies add up to [`Accounts::explained`], to the last digit.
#[derive(Debug, Clone, PartialEq)]
pub struct Accounts {
    /// Operations and library functions.
    pub operations: Vec<OperationAccount>,
    /// Lines.
    pub lines: Vec<Entry<LineKey>>,
    /// Blocks.
    pub blocks: Vec<BlockAccount>,
    /// Methods, constructors, initialisers, lambdas.
    pub methods: Vec<Entry<MethodKey>>,
    /// Classes, nested ones apart from what they are nested in.
    pub classes: Vec<Entry<String>>,
    /// The ledger.
    pub ledger: Ledger,
}

impl Accounts {
    /// What the model explains of the source: operations and library, without GC.
    pub fn explained(&self) -> Femtojoules {
        self.ledger.energy(LedgerEntry::Operations) + self.ledger.energy(LedgerEntry::Library)
    }

    /// Energy above idle that no entry of a level holds: GC and what is unexplained.
    pub fn unattributed(&self) -> Femtojoules {
        self.ledger.above_idle() - self.explained()
    }

    /// The account of a block; `None` for one that didn't run.
    pub fn block(&self, id: BlockId) -> Option<&BlockAccount> {
        self.blocks.iter().find(|block| block.entry.key == id)
    }

    /// Energy of the scenario's blocks by class, in the order of [`OperationClass::ALL`].
    pub fn class_totals(&self) -> [Femtojoules; 8] {
        let mut totals = [Femtojoules::ZERO; 8];
        for block in &self.blocks {
            for (total, energy) in totals.iter_mut().zip(block.classes) {
                *total += energy;
            }
        }
        totals
    }
}

/// Accounts for a scenario.
pub fn account(scenario: &Scenario<'_>) -> Accounts {
    let costs = Costs::new(scenario.model);
    let leaves = entry::leaves(scenario.dictionary, scenario.executions, &costs);
    let ledger = ledger::ledger(scenario.measured, &explained(&leaves), &costs);
    let pricing = Pricing { costs: &costs, above_idle: ledger.above_idle() };
    Accounts {
        operations: operations(&leaves, &pricing),
        lines: lines(scenario, &leaves, &pricing),
        blocks: blocks(scenario, &leaves, &pricing),
        methods: methods(scenario, &leaves, &pricing),
        classes: classes(scenario, &leaves, &pricing),
        ledger,
    }
}

/// Splits what the model explains into operations and library.
fn explained(leaves: &[Leaf<'_>]) -> ledger::Explained {
    let (mut operations, mut library) = (Bundle::default(), Bundle::default());
    for leaf in leaves {
        let of_library = leaf.operation.operation.starts_with("lib:");
        if of_library { library.add(leaf) } else { operations.add(leaf) }
    }
    ledger::Explained {
        operations: (operations.energy, operations.counts),
        library: (library.energy, library.counts),
    }
}

/// The accounts of operations.
fn operations(leaves: &[Leaf<'_>], pricing: &Pricing<'_, '_>) -> Vec<OperationAccount> {
    let mut executions: BTreeMap<String, u64> = BTreeMap::new();
    for leaf in leaves {
        add(&mut executions, leaf.operation.operation.clone(), leaf.executions);
    }
    entry::group(leaves, executions, |leaf| leaf.operation.operation.clone(), pricing)
        .into_iter()
        .map(|entry| {
            let cost = pricing.costs.of(&entry.key);
            OperationAccount {
                class: OperationClass::of(&entry.key),
                cost: cost.map(|cost| pricing.costs.cost(cost)),
                estimable: cost.map(|cost| pricing.costs.fitted(cost).estimable),
                costed_as: cost.map(|cost| pricing.costs.name(cost).to_string()),
                entry,
            }
        })
        .collect()
}

/// The accounts of lines.
fn lines(
    scenario: &Scenario<'_>,
    leaves: &[Leaf<'_>],
    pricing: &Pricing<'_, '_>,
) -> Vec<Entry<LineKey>> {
    let key =
        |leaf: &Leaf<'_>| LineKey { file: leaf.block.file.clone(), line: leaf.operation.line };
    let mut executions: BTreeMap<LineKey, u64> = BTreeMap::new();
    for leaf in leaves {
        let runs = scenario.executions.get(&leaf.block.id).copied().unwrap_or(0);
        let most = executions.entry(key(leaf)).or_default();
        *most = runs.max(*most);
    }
    entry::group(leaves, executions, key, pricing)
}

/// The accounts of blocks.
fn blocks(
    scenario: &Scenario<'_>,
    leaves: &[Leaf<'_>],
    pricing: &Pricing<'_, '_>,
) -> Vec<BlockAccount> {
    let ran = entry::executed(scenario.dictionary, scenario.executions);
    let executions = ran.map(|(block, runs)| (block.id, runs)).collect();
    let mut classes: BTreeMap<BlockId, [Femtojoules; 8]> = BTreeMap::new();
    for leaf in leaves {
        let class = OperationClass::of(&leaf.operation.operation).unwrap_or(OperationClass::Object);
        classes.entry(leaf.block.id).or_default()[class.index()] += leaf.energy;
    }
    let by_id: BTreeMap<BlockId, _> =
        scenario.dictionary.blocks.iter().map(|block| (block.id, block)).collect();
    entry::group(leaves, executions, |leaf| leaf.block.id, pricing)
        .into_iter()
        .filter_map(|entry| {
            let classes = classes.get(&entry.key).copied().unwrap_or_default();
            by_id.get(&entry.key).map(|block| block_account(entry, block, classes, pricing.costs))
        })
        .collect()
}

/// One block's account: its figure, and the cost of one execution.
fn block_account(
    entry: Entry<BlockId>,
    block: &crate::operations::BlockEntry,
    classes: [Femtojoules; 8],
    costs: &Costs<'_>,
) -> BlockAccount {
    let mut once = CountVector::default();
    for operation in &block.operations {
        if let Some(cost) = costs.of(&operation.operation) {
            once.add(cost, f64::from(operation.count));
        }
    }
    BlockAccount {
        cost: costs.energy(&once),
        cost_interval: if entry.unknown > 0 { None } else { costs.interval(&once) },
        entry,
        name: block.name.clone(),
        kind: block.kind.clone(),
        class: block.class.clone(),
        method: block.method.clone(),
        file: block.file.clone(),
        start_line: block.start_line,
        end_line: block.end_line,
        classes,
    }
}

/// The accounts of methods; a method runs as often as its entry block.
fn methods(
    scenario: &Scenario<'_>,
    leaves: &[Leaf<'_>],
    pricing: &Pricing<'_, '_>,
) -> Vec<Entry<MethodKey>> {
    let key = |block: &crate::operations::BlockEntry| MethodKey {
        class: block.class.clone(),
        method: block.method.clone(),
    };
    let mut executions: BTreeMap<MethodKey, u64> = BTreeMap::new();
    for (block, runs) in entry::executed(scenario.dictionary, scenario.executions) {
        add(&mut executions, key(block), entries_of(block, runs));
    }
    entry::group(leaves, executions, |leaf| key(leaf.block), pricing)
}

/// The accounts of classes.
fn classes(
    scenario: &Scenario<'_>,
    leaves: &[Leaf<'_>],
    pricing: &Pricing<'_, '_>,
) -> Vec<Entry<String>> {
    let mut executions: BTreeMap<String, u64> = BTreeMap::new();
    for (block, runs) in entry::executed(scenario.dictionary, scenario.executions) {
        add(&mut executions, block.class.clone(), entries_of(block, runs));
    }
    entry::group(leaves, executions, |leaf| leaf.block.class.clone(), pricing)
}

/// How often a block's unit was entered through it.
fn entries_of(block: &crate::operations::BlockEntry, runs: u64) -> u64 {
    if block.kind == "entry" { runs } else { 0 }
}

/// Adds to a count, without overflow.
fn add<K: Ord>(counts: &mut BTreeMap<K, u64>, key: K, count: u64) {
    let sum = counts.entry(key).or_default();
    *sum = sum.saturating_add(count);
}
