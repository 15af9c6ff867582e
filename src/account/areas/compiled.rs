//! What compilers have put into their callers. A sampler that shows no inlined frames calls
//! such code by the name of the method that it was compiled into: the area of a sample is
//! compiled code then, not a method.
//!
//! A method that by its counts should have been met often and was not is taken for inlined.
//! The paths of calls say for whom its blocks ran, so each of its leaves is divided among
//! the areas of those who called; the part that samples did meet stays its own.

use std::collections::BTreeMap;

use crate::account::calls::{CallTree, ThreadCalls};
use crate::account::entry::{Leaf, MethodKey};
use crate::assumptions::ASSUMED;
use crate::blocks::BlockId;
use crate::exact::Femtojoules;

use super::parts;

/// Where the leaves of inlined methods belong.
pub(super) struct Inlined<'c> {
    calls: &'c CallTree,
    /// The part of each inlined method that was met by its own name, below 1.
    own: BTreeMap<MethodKey, f64>,
}

/// Samples of a method: met, and expected by its counts.
pub(super) struct Met {
    pub methods: Vec<MethodKey>,
    pub samples: f64,
    pub expected: f64,
}

impl<'c> Inlined<'c> {
    /// Methods that were met by far less often than expected are inlined.
    pub fn of(met: &[Met], calls: &'c CallTree) -> Self {
        let is_hidden = |met: &&Met| {
            met.expected >= ASSUMED.samples_missed
                && met.samples < ASSUMED.inlined_remainder * met.expected
        };
        let own = met.iter().filter(is_hidden).flat_map(|met| {
            met.methods.iter().map(|key| (key.clone(), met.samples / met.expected))
        });
        Self { calls, own: own.collect() }
    }

    /// Each leaf with the method by whose name samples call it; those of inlined methods are
    /// divided.
    pub fn divide<'a>(&self, leaves: Vec<Leaf<'a>>) -> Vec<(Leaf<'a>, MethodKey)> {
        let owners = self.owners();
        let mut divided = Vec::with_capacity(leaves.len());
        for leaf in leaves {
            match owners.get(&leaf.block.id) {
                Some(owners) => {
                    let (owners, weights): (Vec<_>, Vec<f64>) =
                        owners.iter().map(|(owner, weight)| (owner.clone(), *weight)).unzip();
                    divided.extend(leaf.divided(&weights).into_iter().zip(owners));
                }
                None => {
                    let own = MethodKey::of(leaf.block);
                    divided.push((leaf, own));
                }
            }
        }
        divided
    }

    /// For whom the blocks of inlined methods ran: the nearest callers that are not inlined,
    /// with their parts, and the method itself with what was met of it.
    fn owners(&self) -> BTreeMap<BlockId, BTreeMap<MethodKey, f64>> {
        let mut owners: BTreeMap<BlockId, BTreeMap<MethodKey, f64>> = BTreeMap::new();
        for thread in self.calls.threads.values() {
            for (number, node) in thread.nodes.iter().enumerate() {
                let Some(met) = self.own.get(&node.method) else { continue };
                // What nobody called can't have been inlined.
                let owner = self.owner(thread, number).unwrap_or(&node.method);
                for (block, executions) in node.executions.iter().filter(|(_, n)| **n > 0) {
                    let of_block = owners.entry(*block).or_default();
                    for (method, part) in [(owner, 1.0 - met), (&node.method, *met)] {
                        let weight = of_block.entry(method.clone()).or_default();
                        *weight += part * *executions as f64;
                    }
                    of_block.retain(|_, weight| *weight > 0.0);
                }
            }
        }
        owners
    }

    /// The nearest caller on a node's path that is not inlined.
    fn owner<'t>(&self, thread: &'t ThreadCalls, number: usize) -> Option<&'t MethodKey> {
        let mut above = thread.nodes[number].parent;
        let path = std::iter::from_fn(|| {
            let node = &thread.nodes[above?];
            above = node.parent;
            Some(&node.method)
        });
        path.into_iter().find(|method| !self.own.contains_key(*method))
    }
}

impl Leaf<'_> {
    /// The leaf in parts by weights; executions and energies add up to its own.
    fn divided(self, weights: &[f64]) -> Vec<Self> {
        let all: f64 = weights.iter().sum();
        let energies = parts(self.energy, weights);
        let executions = parts(Femtojoules(i128::from(self.executions)), weights);
        let part = |((weight, energy), executions): ((&f64, _), Femtojoules)| Self {
            executions: u64::try_from(executions.0).unwrap_or(0),
            weighted: self.weighted * weight / all,
            context_error_j: self.context_error_j * weight / all,
            energy,
            ..self
        };
        weights.iter().zip(energies).zip(executions).map(part).collect()
    }
}
