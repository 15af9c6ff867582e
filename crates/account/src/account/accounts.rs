//! All accounts of one scenario.

use std::collections::BTreeMap;

use crate::account::areas::MethodGroups;
use crate::account::class::{self, OperationClass};
use crate::account::concentration::Concentration;
use crate::account::entry::{AccountEntry, LineKey, MethodKey, PartKey};
use crate::account::ledger::{Ledger, LedgerEntry};
use crate::blocks::BlockId;
use crate::exact::Femtojoules;
use crate::interval::Interval;
use crate::operations::Feature;
use crate::units::Joules;

/// Executions that the paper's second view of blocks shows.
pub const VIEW_EXECUTIONS: f64 = 3000.0;

/// An operation or library function in the scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct OperationAccount {
    /// Its figure.
    pub entry: AccountEntry<Feature>,
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
    pub entry: AccountEntry<BlockId>,
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
    /// Energy in the scenario by class, in the order of [`CLASSES`](crate::account::CLASSES).
    pub classes: [Femtojoules; 8],
    /// Energy in the scenario by line of the file; adds up to the block's. Empty where
    /// lines are not known.
    pub lines: BTreeMap<u32, Femtojoules>,
}

impl BlockAccount {
    /// The paper's second view: the energy of 3000 executions.
    pub fn energy_of_3000(&self) -> Joules {
        self.cost * VIEW_EXECUTIONS
    }

    /// Part of the block's energy that a class has, 0..1; absent for a block without
    /// positive energy.
    pub fn class_share(&self, class: OperationClass) -> Option<f64> {
        crate::exact::share(self.classes[class::index_of(class)], self.entry.energy)
    }
}

/// All accounts of one scenario. Every level is sorted by energy, the largest first, and
/// every level's energies add up to [`Accounts::explained`], to the last digit.
#[derive(Debug, Clone, PartialEq)]
pub struct Accounts {
    /// Operations and library functions.
    pub operations: Vec<OperationAccount>,
    /// Lines.
    pub lines: Vec<AccountEntry<LineKey>>,
    /// Blocks.
    pub blocks: Vec<BlockAccount>,
    /// Methods, constructors, initialisers, lambdas.
    pub methods: Vec<AccountEntry<MethodKey>>,
    /// Lines by method: those of a method add up to it.
    pub parts: Vec<AccountEntry<PartKey>>,
    /// Classes, nested ones apart from what they are nested in.
    pub classes: Vec<AccountEntry<String>>,
    /// Packages.
    pub packages: Vec<AccountEntry<String>>,
    /// What samples and counts say of methods; absent without samples.
    pub areas: Option<MethodGroups>,
    /// How much of the energy the costliest operations and blocks have.
    pub concentration: Concentration,
    /// The ledger.
    pub ledger: Ledger,
}

impl Accounts {
    /// What the model explains of the source: operations and library, without GC.
    pub fn explained(&self) -> Femtojoules {
        self.ledger.energy(LedgerEntry::Operations) + self.ledger.energy(LedgerEntry::Library)
    }

    /// Energy above idle that no entry of a level holds: compilers, GC and what is unexplained.
    pub fn unattributed(&self) -> Femtojoules {
        self.ledger.above_idle() - self.explained()
    }

    /// The account of a block; `None` for one that didn't run.
    pub fn block(&self, id: BlockId) -> Option<&BlockAccount> {
        self.blocks.iter().find(|block| block.entry.key == id)
    }

    /// Energy of the scenario's blocks by class, in the order of [`CLASSES`](crate::account::CLASSES).
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
