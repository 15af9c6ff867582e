//! Energies of call-tree nodes, methods and threads from call paths and the scenario's accounts.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::sampling::SampledPaths;
use super::{CallTree, CountAgreement, ThreadCalls, UNSEEN_THREAD};
use crate::account::accounts::Accounts;
use crate::account::cost::IndexedModel;
use crate::account::entry::{AccountEntry, MethodKey};
use crate::account::entry::{Bundle, Leaf};
use crate::account::input::AccountInput;
use crate::account::pricing::Pricing;
use crate::account::{Femtojoules, PricedParts};
use crate::blocks::BlockId;
use crate::exact::share;
use crate::interval::Interval;
use crate::operations::Dictionary;

/// An energy with its interval and share.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SpentEnergy {
    /// The energy.
    pub energy: Femtojoules,
    /// 95 % interval; absent where the model has none.
    pub interval: Option<Interval>,
    /// Share of the energy above idle.
    pub share: Option<f64>,
}

/// Account of a call-tree node: a method on one call path.
#[derive(Debug, Clone, PartialEq)]
pub struct CallNodeAccount {
    /// Name of the thread.
    pub thread: String,
    /// The caller, as an index into [`CallAccounts::nodes`].
    pub parent: Option<usize>,
    /// Number of callers above the node.
    pub depth: usize,
    /// The method.
    pub method: MethodKey,
    /// Calls of the method on this path.
    pub calls: u64,
    /// The node's own blocks: executions and energy.
    pub blocks: Vec<(BlockId, u64, Femtojoules)>,
    /// Self energy: of the method's own code on this path.
    pub own: SpentEnergy,
    /// Inclusive energy: with all callees below this node.
    pub cumulative: SpentEnergy,
}

/// Account of a method over all call paths.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodCallAccount {
    /// The method.
    pub method: MethodKey,
    /// Calls over all paths.
    pub calls: u64,
    /// Self energy: of the method's own code.
    pub own: SpentEnergy,
    /// Inclusive energy: with all callees, each activation counted once.
    pub cumulative: SpentEnergy,
}

/// Accounts by call path. The nodes' self energies, the threads' energies, and the inclusive
/// energies of nodes without a caller each add up to the energy that the model explains.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CallAccounts {
    /// Nodes, callers before callees.
    pub nodes: Vec<CallNodeAccount>,
    /// Methods, largest inclusive energy first.
    pub methods: Vec<MethodCallAccount>,
    /// Threads, largest energy first; executions are of their blocks.
    pub threads: Vec<AccountEntry<String>>,
    /// Agreement of the run that recorded calls with the campaign's runs.
    pub agreement: CountAgreement,
}

/// The accounts by call path of a scenario: divides the energies of `accounts` over `tree`.
pub fn call_accounts(
    scenario: &AccountInput<'_>,
    accounts: &Accounts,
    tree: &CallTree,
) -> CallAccounts {
    let PricedParts { leaves, method_groups, model } = scenario.priced();
    let costs = IndexedModel::new(&model);
    let above_idle = accounts.ledger.above_idle();
    let pricing = Pricing { costs: &costs, above_idle, method_groups: method_groups.as_ref() };
    let agreement = tree.agreement(scenario.executions);
    let tree = with_unseen_blocks(tree, &leaves);
    let mut divider = BlockEnergyDivider::new(scenario.dictionary, &tree, &leaves);
    let once_j = divider.joules_of_one();
    let once_j = |block: BlockId| once_j.get(&block).copied().unwrap_or(0.0);
    let mut out = CallAccounts { agreement, ..CallAccounts::default() };
    let mut methods: BTreeMap<&MethodKey, MethodSums<'_>> = BTreeMap::new();
    for (name, thread) in &tree.threads {
        let first = out.nodes.len();
        let mut whole = Bundle::default();
        let mut runs: u64 = 0;
        out.nodes.extend(thread.nodes.iter().map(|node| empty_account(name, node, first)));
        let mut below: Vec<Bundle<'_>> = vec![Bundle::default(); thread.nodes.len()];
        let mut paths = SampledPaths::of(thread, &once_j);
        for (number, node) in thread.nodes.iter().enumerate().rev() {
            let account = &mut out.nodes[first + number];
            let own = divider.bundle(node, &mut account.blocks);
            let variances = paths.close(number, node);
            account.calls = divider.calls(node);
            account.own = spent_energy(&own, variances.own_j2, &pricing);
            whole.merge(&own);
            runs = node.executions.values().fold(runs, |sum, n| sum.saturating_add(*n));
            let mut cumulative = std::mem::take(&mut below[number]);
            cumulative.merge(&own);
            account.cumulative = spent_energy(&cumulative, variances.cumulative_j2, &pricing);
            methods.entry(&node.method).or_default().add(account.calls, &own, &cumulative);
            if let Some(parent) = node.parent {
                below[parent].merge(&cumulative);
            }
        }
        for (method, variance_j2) in paths.variances_by_method() {
            methods.entry(method).or_default().variance_j2 += variance_j2;
        }
        set_depths(&mut out.nodes[first..], first);
        out.threads.push(pricing.entry(name.clone(), runs, &whole));
    }
    out.methods =
        methods.into_iter().map(|(method, sums)| sums.into_account(method, &pricing)).collect();
    out.methods.sort_by_key(|method| Reverse(method.cumulative.energy));
    out.threads.sort_by_key(|thread| Reverse(thread.energy));
    out
}

/// Running sums of a method over all call paths.
#[derive(Default)]
struct MethodSums<'a> {
    calls: u64,
    own: Bundle<'a>,
    cumulative: Bundle<'a>,
    /// Variance of the inclusive energy from path sampling, in J^2; a method's self energy has
    /// none.
    variance_j2: f64,
}

impl<'a> MethodSums<'a> {
    fn add(&mut self, calls: u64, own: &Bundle<'a>, cumulative: &Bundle<'a>) {
        self.calls = self.calls.saturating_add(calls);
        self.own.merge(own);
        self.cumulative.merge(cumulative);
    }

    fn into_account(self, method: &MethodKey, pricing: &Pricing<'_, '_>) -> MethodCallAccount {
        MethodCallAccount {
            method: method.clone(),
            calls: self.calls,
            own: spent_energy(&self.own, 0.0, pricing),
            cumulative: spent_energy(&self.cumulative, self.variance_j2, pricing),
        }
    }
}

/// Energy, interval and share of a bundle; `variance_j2` is the additional variance from path
/// sampling.
fn spent_energy(bundle: &Bundle<'_>, variance_j2: f64, pricing: &Pricing<'_, '_>) -> SpentEnergy {
    let interval = pricing.interval(bundle);
    SpentEnergy {
        energy: bundle.energy,
        interval: interval.map(|of| match variance_j2 > 0.0 {
            true => of.widened(bundle.energy.joules(), variance_j2),
            false => of,
        }),
        share: share(bundle.energy, pricing.above_idle),
    }
}

fn empty_account(thread: &str, node: &super::CallNode, first: usize) -> CallNodeAccount {
    CallNodeAccount {
        thread: thread.to_string(),
        parent: node.parent.map(|parent| first + parent),
        depth: 0,
        method: node.method.clone(),
        calls: 0,
        blocks: Vec::new(),
        own: SpentEnergy::default(),
        cumulative: SpentEnergy::default(),
    }
}

fn set_depths(nodes: &mut [CallNodeAccount], first: usize) {
    for number in 0..nodes.len() {
        if let Some(parent) = nodes[number].parent {
            nodes[number].depth = nodes[parent - first].depth + 1;
        }
    }
}

/// The call tree with an extra thread for blocks that only the campaign's run executed.
fn with_unseen_blocks(tree: &CallTree, leaves: &[Leaf<'_>]) -> CallTree {
    let seen = tree.executions();
    let mut tree = tree.clone();
    let mut missing = ThreadCalls::default();
    for leaf in leaves {
        if seen.get(&leaf.block.id).copied().unwrap_or(0) == 0 {
            let node = missing.step(None, &MethodKey::of(leaf.block));
            missing.nodes[node].executions.insert(leaf.block.id, 1);
        }
    }
    if !missing.nodes.is_empty() {
        tree.threads.insert(UNSEEN_THREAD.to_string(), missing);
    }
    tree
}

/// Divides each block's leaves over nodes by executions, so that the parts add up exactly.
struct BlockEnergyDivider<'l, 'a> {
    dictionary: &'a Dictionary,
    /// Leaves by block.
    leaves: BTreeMap<BlockId, Vec<&'l Leaf<'a>>>,
    /// For each block its executions in all, and those already assigned to nodes.
    totals: BTreeMap<BlockId, (u64, u64)>,
}

impl<'l, 'a> BlockEnergyDivider<'l, 'a> {
    fn new(dictionary: &'a Dictionary, tree: &CallTree, leaves: &'l [Leaf<'a>]) -> Self {
        let mut by_block: BTreeMap<BlockId, Vec<&Leaf<'a>>> = BTreeMap::new();
        for leaf in leaves {
            by_block.entry(leaf.block.id).or_default().push(leaf);
        }
        let totals = tree.executions().into_iter().map(|(block, n)| (block, (n, 0))).collect();
        BlockEnergyDivider { dictionary, leaves: by_block, totals }
    }

    /// Energy of one execution of each block, in joules.
    fn joules_of_one(&self) -> BTreeMap<BlockId, f64> {
        let of_block = |(block, (total, _)): (&BlockId, &(u64, u64))| {
            let leaves = self.leaves.get(block).into_iter().flatten();
            let joules: f64 = leaves.map(|leaf| leaf.energy.joules().0).sum();
            (*block, joules / (*total).max(1) as f64)
        };
        self.totals.iter().map(of_block).collect()
    }

    /// The self bundle of a node; adds its blocks with executions and energy to `blocks`.
    fn bundle(
        &mut self,
        node: &super::CallNode,
        blocks: &mut Vec<(BlockId, u64, Femtojoules)>,
    ) -> Bundle<'a> {
        let mut bundle = Bundle::default();
        for (block, count) in &node.executions {
            let Some((total, done)) = self.totals.get_mut(block) else { continue };
            let (from, to) = (*done, done.saturating_add(*count));
            *done = to;
            let part = |whole: i128| {
                let total = i128::from((*total).max(1));
                let up_to = |n: u64| {
                    let n = i128::from(n).min(total);
                    // In two steps, so that no product is too large.
                    whole.div_euclid(total) * n + whole.rem_euclid(total) * n / total
                };
                up_to(to) - up_to(from)
            };
            let before = bundle.energy;
            for leaf in self.leaves.get(block).into_iter().flatten() {
                let executions = part(i128::from(leaf.executions));
                let executions = u64::try_from(executions).unwrap_or(0);
                let fraction = *count as f64 / (*total).max(1) as f64;
                let energy = Femtojoules(part(leaf.energy.0));
                bundle.add_part(leaf, fraction, energy, executions);
            }
            blocks.push((*block, *count, bundle.energy - before));
        }
        bundle
    }

    /// Calls of a node's method on its path.
    fn calls(&self, node: &super::CallNode) -> u64 {
        let is_entry = |block: &BlockId| {
            let entry = self.dictionary.blocks.get(block.0 as usize);
            entry.is_some_and(|entry| entry.kind == "entry")
        };
        let entries = node.executions.iter().filter(|(block, _)| is_entry(block));
        entries.fold(0, |sum, (_, n)| sum.saturating_add(*n))
    }
}
