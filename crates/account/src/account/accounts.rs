//! All accounts of one scenario.

use std::collections::BTreeMap;

use crate::account::class::{self, OperationClass};
use crate::account::concentration::Concentration;
use crate::account::entry::{AccountEntry, LineKey, MethodKey, MethodLineKey};
use crate::account::ledger::{Ledger, LedgerEntry};
use crate::account::method_groups::MethodGroups;
use crate::blocks::BlockId;
use crate::exact::Femtojoules;
use crate::interval::Interval;
use crate::operations::Feature;
use crate::units::Joules;

/// Executions for which the paper's second view of blocks gives the energy.
pub const VIEW_EXECUTIONS: f64 = 3000.0;

/// Account of one operation or library function of the scenario: energy, and cost of one
/// execution.
#[derive(Debug, Clone, PartialEq)]
pub struct OperationAccount {
    /// Executions, energy and share, by operation.
    pub entry: AccountEntry<Feature>,
    /// Energy of one execution; absent for an operation without a cost in the model.
    pub cost: Option<Joules>,
    /// Whether the cases alone determine the cost; absent with the cost.
    pub estimable: Option<bool>,
    /// Name of the model's cost that applies: the operation's own, or `lib:other`.
    pub costed_as: Option<String>,
}

/// Account of one block of the scenario: energy, cost of one execution, parts by class and by
/// line.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockAccount {
    /// Executions, energy and share, by block number.
    pub entry: AccountEntry<BlockId>,
    /// Name as in the dictionary.
    pub name: String,
    /// How control enters the block, in snake case: `for_body`.
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
    /// 95 % interval of the cost of one execution.
    pub cost_interval: Option<Interval>,
    /// Energy in the scenario by class, in the order of [`CLASSES`](crate::account::CLASSES).
    pub classes: [Femtojoules; 8],
    /// Energy in the scenario by line of the file, which add up to the block's; empty where the
    /// lines are unknown.
    pub lines: BTreeMap<u32, Femtojoules>,
}

impl BlockAccount {
    /// The paper's second view: the energy of 3000 executions.
    pub fn energy_of_3000(&self) -> Joules {
        self.cost * VIEW_EXECUTIONS
    }

    /// Share of the block's energy that a class of operations has, 0..1; absent for a block
    /// without positive energy.
    pub fn class_share(&self, class: OperationClass) -> Option<f64> {
        crate::exact::share(self.classes[class::index_of(class)], self.entry.energy)
    }
}

/// All accounts of one scenario. Every level is sorted by energy, the largest first, and
/// every level's energies add up to [`Accounts::explained_energy`], to the last digit.
#[derive(Debug, Clone, PartialEq)]
pub struct Accounts {
    /// By operation and library function.
    pub operations: Vec<OperationAccount>,
    /// By source line.
    pub lines: Vec<AccountEntry<LineKey>>,
    /// By block.
    pub blocks: Vec<BlockAccount>,
    /// By method, constructor, initialiser and lambda.
    pub methods: Vec<AccountEntry<MethodKey>>,
    /// By line and method: the lines of a method add up to the method.
    pub parts: Vec<AccountEntry<MethodLineKey>>,
    /// By class; a nested class counts apart from its outer class.
    pub classes: Vec<AccountEntry<String>>,
    /// By package.
    pub packages: Vec<AccountEntry<String>>,
    /// Estimates of methods from samples and counts; absent without samples.
    pub method_groups: Option<MethodGroups>,
    /// Shares of the costliest operations and blocks.
    pub concentration: Concentration,
    /// Measured energy in parts that add up to it.
    pub ledger: Ledger,
}

impl Accounts {
    /// Energy of the source's operations and library calls by the model, without GC.
    pub fn explained_energy(&self) -> Femtojoules {
        self.ledger.energy(LedgerEntry::Operations) + self.ledger.energy(LedgerEntry::Library)
    }

    /// Energy above idle that no entry of a level holds: compilers, GC and the unexplained rest.
    pub fn unattributed(&self) -> Femtojoules {
        self.ledger.above_idle() - self.explained_energy()
    }

    /// The account of a block; `None` for one that did not run.
    pub fn block(&self, id: BlockId) -> Option<&BlockAccount> {
        self.blocks.iter().find(|block| block.entry.key == id)
    }

    /// Energy of the scenario's blocks by class, in the order of
    /// [`CLASSES`](crate::account::CLASSES).
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
