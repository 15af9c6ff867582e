//! Accounts by call path of a recording, from samples.

use std::collections::BTreeMap;

use super::Recording;
use super::rows::NodeRow;
use crate::account::calls::{CallAccounts, CallNodeAccount, MethodCallAccount, SpentEnergy};
use crate::account::{AccountEntry, Femtojoules, MethodKey};
use crate::exact::share;

/// Energies by thread and call path, which add up to those of the methods. Energy of a method
/// without sampled callers is at the root of a path. `None` where nothing was sampled.
pub fn call_accounts(recording: &Recording) -> Option<CallAccounts> {
    if recording.stacks.is_empty() {
        return None;
    }
    let mut tree = ThreadStacks::default();
    let names = thread_names(recording);
    let name = |thread: u64| names.get(&thread).copied().unwrap_or("(ended)");
    let nodes = recording.nodes.iter().map(|row| (row.node, row)).collect();
    let mut rest: BTreeMap<(&str, MethodKey), Femtojoules> = BTreeMap::new();
    for row in &recording.methods {
        let key = MethodKey { class: row.class.clone(), method: row.method.clone() };
        let energy = row.cpu_j + row.network_j.unwrap_or(Femtojoules::ZERO);
        let sum = rest.entry((name(row.thread), key)).or_insert(Femtojoules::ZERO);
        *sum += energy;
    }
    for row in &recording.stacks {
        let path = path(&nodes, row.node);
        let Some(last) = path.last() else { continue };
        tree.add(name(row.thread), &path, row.cpu_j);
        if let Some(sum) = rest.get_mut(&(name(row.thread), last.clone())) {
            *sum = *sum - row.cpu_j;
        }
    }
    for ((thread, method), energy) in rest {
        if energy != Femtojoules::ZERO {
            tree.add(thread, &[method], energy);
        }
    }
    let whole = recording.jvm.iter();
    let whole = whole.map(|row| row.cpu_j + row.network_j.unwrap_or(Femtojoules::ZERO)).sum();
    Some(tree.accounts(whole))
}

fn thread_names(recording: &Recording) -> BTreeMap<u64, &str> {
    let pid = recording.about.jvm.as_ref().map(|jvm| jvm.pid);
    let own = recording.threads.iter().filter(|row| Some(row.pid) == pid && !row.name.is_empty());
    own.map(|row| (row.thread, row.name.as_str())).collect()
}

/// Methods from the root of a path to a node; empty for a missing node. Each parent has a lower
/// number than its children, so that a path ends.
fn path(nodes: &BTreeMap<u64, &NodeRow>, node: u64) -> Vec<MethodKey> {
    let mut path = Vec::new();
    let mut next = nodes.get(&node);
    while let Some(row) = next {
        path.push(MethodKey { class: row.class.clone(), method: row.method.clone() });
        next = row.parent.filter(|parent| *parent < row.node).and_then(|at| nodes.get(&at));
    }
    path.reverse();
    path
}

/// Call paths by thread; threads of equal names are merged.
#[derive(Default)]
struct ThreadStacks {
    nodes: Vec<CallNodeAccount>,
    children: BTreeMap<(String, Option<usize>, MethodKey), usize>,
}

impl ThreadStacks {
    fn add(&mut self, thread: &str, path: &[MethodKey], energy: Femtojoules) {
        let mut at = None;
        for (depth, method) in path.iter().enumerate() {
            let next = self.nodes.len();
            let key = (thread.to_string(), at, method.clone());
            let number = *self.children.entry(key).or_insert(next);
            if number == next {
                self.nodes.push(CallNodeAccount {
                    thread: thread.to_string(),
                    parent: at,
                    depth,
                    method: method.clone(),
                    calls: 0,
                    blocks: Vec::new(),
                    own: SpentEnergy::default(),
                    cumulative: SpentEnergy::default(),
                });
            }
            at = Some(number);
        }
        if let Some(number) = at {
            let own = &mut self.nodes[number].own;
            own.energy += energy;
        }
    }

    fn accounts(mut self, whole: Femtojoules) -> CallAccounts {
        let spent = |energy| SpentEnergy { energy, interval: None, share: share(energy, whole) };
        for number in (0..self.nodes.len()).rev() {
            let node = &mut self.nodes[number];
            let energy = node.own.energy + node.cumulative.energy;
            (node.own, node.cumulative) = (spent(node.own.energy), spent(energy));
            if let Some(parent) = node.parent {
                let above = &mut self.nodes[parent].cumulative;
                above.energy += energy;
            }
        }
        let mut methods: BTreeMap<&MethodKey, (Femtojoules, Femtojoules)> = BTreeMap::new();
        let mut threads: BTreeMap<&str, Femtojoules> = BTreeMap::new();
        for node in &self.nodes {
            let sums = methods.entry(&node.method).or_default();
            sums.0 += node.own.energy;
            if !self.is_recursive(node) {
                sums.1 += node.cumulative.energy;
            }
            let thread = threads.entry(&node.thread).or_default();
            *thread += node.own.energy;
        }
        let mut methods: Vec<MethodCallAccount> = methods
            .into_iter()
            .map(|(method, (own, all))| MethodCallAccount {
                method: method.clone(),
                calls: 0,
                own: spent(own),
                cumulative: spent(all),
            })
            .collect();
        methods.sort_by_key(|method| std::cmp::Reverse(method.cumulative.energy));
        let mut threads: Vec<AccountEntry<String>> = threads
            .into_iter()
            .map(|(name, energy)| AccountEntry {
                key: name.to_string(),
                executions: 0,
                energy,
                interval: None,
                share: share(energy, whole),
                unknown: 0,
                determined: true,
            })
            .collect();
        threads.sort_by_key(|thread| std::cmp::Reverse(thread.energy));
        CallAccounts { nodes: self.nodes, methods, threads, ..CallAccounts::default() }
    }

    /// Whether a caller of the node is the same method.
    fn is_recursive(&self, node: &CallNodeAccount) -> bool {
        let mut above = node.parent;
        while let Some(number) = above {
            if self.nodes[number].method == node.method {
                return true;
            }
            above = self.nodes[number].parent;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::accounts::tests::{fj, recording};
    use super::super::{NodeRow, StackRow};
    use super::*;
    use crate::export::collapsed_calls;

    #[test]
    fn paths_add_up_to_the_methods() {
        let mut recording = recording();
        assert_eq!(call_accounts(&recording), None);
        for (node, parent, class) in [(0, None, "a.B"), (1, Some(0), "a.A"), (2, Some(0), "a.A")] {
            recording.nodes.push(NodeRow {
                node,
                parent,
                class: class.into(),
                method: "x(int)".into(),
                ..NodeRow::default()
            });
        }
        for (cycle, node, joules) in [(1, 1, 3.0), (1, 2, 1.0), (2, 1, 2.5), (1, 0, 1.0)] {
            recording.stacks.push(StackRow { cycle, thread: 5, node, cpu_j: fj(joules) });
        }
        let calls = call_accounts(&recording).unwrap();
        let text = collapsed_calls(&calls);
        // 1.5 J of the second cycle have no caller
        assert_eq!(
            text,
            "pool-5;a.B.x(int) 2000000\npool-5;a.B.x(int);a.A.x(int) 6500000\npool-5;a.A.x(int) \
             1500000\n"
        );
        assert_eq!(calls.methods[0].cumulative.energy, fj(8.5), "with what it calls");
        assert_eq!(calls.threads[0].energy, fj(10.0));
    }
}
