//! Paths of calls and the scenario's accounts -> energies of nodes, methods and threads.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::sampling::SampledPaths;
use super::{CallTree, CountAgreement, NOT_SEEN, ThreadCalls};
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

/// An energy with what is known of it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SpentEnergy {
    /// The energy.
    pub energy: Femtojoules,
    /// 95 % interval; absent as for all accounts.
    pub interval: Option<Interval>,
    /// Part of the energy above idle.
    pub share: Option<f64>,
}

/// A method on a path of calls.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeAccount {
    /// Its thread's name.
    pub thread: String,
    /// Its caller, as an index into [`CallAccounts::nodes`].
    pub parent: Option<usize>,
    /// Callers above it.
    pub depth: usize,
    /// The method.
    pub method: MethodKey,
    /// How often it was entered on this path.
    pub calls: u64,
    /// Its own blocks: executions and energy.
    pub blocks: Vec<(BlockId, u64, Femtojoules)>,
    /// What its own code spends here.
    pub own: SpentEnergy,
    /// The same with all that it calls from here.
    pub cumulative: SpentEnergy,
}

/// A method over all paths.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodCalls {
    /// The method.
    pub method: MethodKey,
    /// How often it was entered.
    pub calls: u64,
    /// What its own code spends.
    pub own: SpentEnergy,
    /// The same with all that it calls; each activation once.
    pub cumulative: SpentEnergy,
}

/// Accounts by calls. The nodes' own energies, the threads', and the cumulative ones of
/// nodes without a caller each add up to what the model explains.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CallAccounts {
    /// Nodes; callers stand before what they call.
    pub nodes: Vec<NodeAccount>,
    /// Methods, what spends most with its callees first.
    pub methods: Vec<MethodCalls>,
    /// Threads, what spends most first; executions are those of their blocks.
    pub threads: Vec<AccountEntry<String>>,
    /// How well the run that recorded calls agrees with the campaign's.
    pub agreement: CountAgreement,
}

/// The accounts by calls of a scenario whose accounts are `accounts`.
pub fn call_accounts(
    scenario: &AccountInput<'_>,
    accounts: &Accounts,
    tree: &CallTree,
) -> CallAccounts {
    let PricedParts { leaves, areas, model } = scenario.priced();
    let costs = IndexedModel::new(&model);
    let above_idle = accounts.ledger.above_idle();
    let pricing = Pricing { costs: &costs, above_idle, areas: areas.as_ref() };
    let agreement = tree.agreement(scenario.executions);
    let tree = completed(tree, &leaves);
    let mut divider = Divider::new(scenario.dictionary, &tree, &leaves);
    let once_j = divider.joules_of_one();
    let once_j = |block: BlockId| once_j.get(&block).copied().unwrap_or(0.0);
    let mut out = CallAccounts { agreement, ..CallAccounts::default() };
    let mut methods: BTreeMap<&MethodKey, MethodSums<'_>> = BTreeMap::new();
    for (name, thread) in &tree.threads {
        let first = out.nodes.len();
        let mut whole = Bundle::default();
        let mut runs: u64 = 0;
        out.nodes.extend(thread.nodes.iter().map(|node| blank(name, node, first)));
        let mut below: Vec<Bundle<'_>> = vec![Bundle::default(); thread.nodes.len()];
        let mut paths = SampledPaths::of(thread, &once_j);
        for (number, node) in thread.nodes.iter().enumerate().rev() {
            let account = &mut out.nodes[first + number];
            let own = divider.bundle(node, &mut account.blocks);
            let variances = paths.close(number, node);
            account.calls = divider.calls(node);
            account.own = figures(&own, variances.own_j2, &pricing);
            whole.merge(&own);
            runs = node.executions.values().fold(runs, |sum, n| sum.saturating_add(*n));
            let mut cumulative = std::mem::take(&mut below[number]);
            cumulative.merge(&own);
            account.cumulative = figures(&cumulative, variances.cumulative_j2, &pricing);
            methods.entry(&node.method).or_default().add(account.calls, &own, &cumulative);
            if let Some(parent) = node.parent {
                below[parent].merge(&cumulative);
            }
        }
        for (method, variance_j2) in paths.of_methods() {
            methods.entry(method).or_default().variance_j2 += variance_j2;
        }
        set_depths(&mut out.nodes[first..], first);
        out.threads.push(pricing.entry(name.clone(), runs, &whole));
    }
    out.methods = methods.into_iter().map(|(method, sums)| sums.calls(method, &pricing)).collect();
    out.methods.sort_by_key(|method| Reverse(method.cumulative.energy));
    out.threads.sort_by_key(|thread| Reverse(thread.energy));
    out
}

/// A method over all paths, while they are gone through.
#[derive(Default)]
struct MethodSums<'a> {
    calls: u64,
    own: Bundle<'a>,
    cumulative: Bundle<'a>,
    /// Of the cumulative energy, by sampling; all that a method itself does is on its own paths.
    variance_j2: f64,
}

impl<'a> MethodSums<'a> {
    fn add(&mut self, calls: u64, own: &Bundle<'a>, cumulative: &Bundle<'a>) {
        self.calls = self.calls.saturating_add(calls);
        self.own.merge(own);
        self.cumulative.merge(cumulative);
    }

    fn calls(self, method: &MethodKey, pricing: &Pricing<'_, '_>) -> MethodCalls {
        MethodCalls {
            method: method.clone(),
            calls: self.calls,
            own: figures(&self.own, 0.0, pricing),
            cumulative: figures(&self.cumulative, self.variance_j2, pricing),
        }
    }
}

/// A bundle's figures; `variance_j2` is what sampling of paths adds.
fn figures(bundle: &Bundle<'_>, variance_j2: f64, pricing: &Pricing<'_, '_>) -> SpentEnergy {
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

fn blank(thread: &str, node: &super::CallNode, first: usize) -> NodeAccount {
    NodeAccount {
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

fn set_depths(nodes: &mut [NodeAccount], first: usize) {
    for number in 0..nodes.len() {
        if let Some(parent) = nodes[number].parent {
            nodes[number].depth = nodes[parent - first].depth + 1;
        }
    }
}

/// The tree with a thread for blocks that only the campaign's run executed.
fn completed(tree: &CallTree, leaves: &[Leaf<'_>]) -> CallTree {
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
        tree.threads.insert(NOT_SEEN.to_string(), missing);
    }
    tree
}

/// Divides the parts of each block by counts, so that they add up exactly.
struct Divider<'l, 'a> {
    dictionary: &'a Dictionary,
    /// Leaves by block.
    leaves: BTreeMap<BlockId, Vec<&'l Leaf<'a>>>,
    /// Executions of a block in all, and those that were divided already.
    totals: BTreeMap<BlockId, (u64, u64)>,
}

impl<'l, 'a> Divider<'l, 'a> {
    fn new(dictionary: &'a Dictionary, tree: &CallTree, leaves: &'l [Leaf<'a>]) -> Self {
        let mut by_block: BTreeMap<BlockId, Vec<&Leaf<'a>>> = BTreeMap::new();
        for leaf in leaves {
            by_block.entry(leaf.block.id).or_default().push(leaf);
        }
        let totals = tree.executions().into_iter().map(|(block, n)| (block, (n, 0))).collect();
        Divider { dictionary, leaves: by_block, totals }
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

    /// A node's own part of its blocks.
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

    /// How often a node's method was entered there.
    fn calls(&self, node: &super::CallNode) -> u64 {
        let is_entry = |block: &BlockId| {
            let entry = self.dictionary.blocks.get(block.0 as usize);
            entry.is_some_and(|entry| entry.kind == "entry")
        };
        let entries = node.executions.iter().filter(|(block, _)| is_entry(block));
        entries.fold(0, |sum, (_, n)| sum.saturating_add(*n))
    }
}
