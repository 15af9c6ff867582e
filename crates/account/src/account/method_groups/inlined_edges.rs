//! Detection of inlined calls. A sampler that shows no inlined frames attributes inlined code to
//! the method that it was compiled into: the group of a sample is then a unit of compiled code,
//! not a method.
//!
//! A compiler decides for each caller. A call edge with far fewer samples than its counts predict
//! is taken for inlined there. The call paths show for which caller each block ran, so each leaf
//! of the callee is split among the groups whose compiled code contains it; the sampled part
//! stays the callee's own.

use std::collections::BTreeMap;

use crate::account::calls::CallTree;
use crate::account::entry::Leaf;
use crate::assumptions::Assumptions;
use crate::blocks::BlockId;
use crate::exact::Femtojoules;

use super::split_energy::split_energy;

/// Call edge between groups: index of the callee, index of the caller.
type CallEdge = (usize, usize);

/// Samples by call edge, and samples of each group without a known caller.
#[derive(Debug)]
pub(super) struct CallEdgeSamples {
    /// Samples by callee and caller.
    pub called: BTreeMap<CallEdge, f64>,
    /// Samples of each group whose caller is unknown.
    pub alone: Vec<f64>,
}

/// A method on a call path, with the samples that its counts predict.
#[derive(Debug)]
struct CallPathNode<'c> {
    parent: Option<usize>,
    group: usize,
    depth: usize,
    executions: &'c BTreeMap<BlockId, u64>,
    /// Samples that the counts predict for this node.
    expected: f64,
}

/// Call paths of all threads as one list of nodes, callers before callees.
pub(super) struct CallPaths<'c>(Vec<CallPathNode<'c>>);

impl<'c> CallPaths<'c> {
    /// The paths of a call tree. `groups` has the group of each block, `expected_error` the
    /// predicted samples of each block; methods of other blocks are skipped.
    pub fn of(
        calls: &'c CallTree,
        groups: &BTreeMap<BlockId, usize>,
        expected: &BTreeMap<BlockId, f64>,
    ) -> Self {
        let all = calls.executions();
        let of_block = |(block, runs): (&BlockId, &u64)| match all[block] {
            0 => 0.0,
            all => expected.get(block).copied().unwrap_or(0.0) * *runs as f64 / all as f64,
        };
        let mut nodes: Vec<CallPathNode<'_>> = Vec::with_capacity(calls.paths());
        for thread in calls.threads.values() {
            // Where each of the thread's nodes is here, or the nearest of its callers that is.
            let mut places: Vec<Option<usize>> = Vec::with_capacity(thread.nodes.len());
            for node in &thread.nodes {
                let parent = node.parent.and_then(|parent| places[parent]);
                let group = node.executions.keys().find_map(|block| groups.get(block).copied());
                let Some(group) = group else {
                    places.push(parent);
                    continue;
                };
                places.push(Some(nodes.len()));
                nodes.push(CallPathNode {
                    parent,
                    group,
                    depth: parent.map_or(0, |parent| nodes[parent].depth + 1),
                    executions: &node.executions,
                    expected: node.executions.iter().map(of_block).sum(),
                });
            }
        }
        Self(nodes)
    }

    /// The group whose compiled code contains each node, given these inlined edges.
    fn owner_groups(&self, inlined: &InlinedEdges) -> Vec<usize> {
        let mut owners: Vec<usize> = Vec::with_capacity(self.0.len());
        for node in &self.0 {
            let caller = node.parent.map(|parent| owners[parent]);
            let into = caller.filter(|caller| inlined.0.contains_key(&(*caller, node.group)));
            owners.push(into.unwrap_or(node.group));
        }
        owners
    }
}

/// Inlined call edges, each with the ratio of its samples to the predicted ones, below 1.
#[derive(Debug, Default)]
pub(super) struct InlinedEdges(BTreeMap<CallEdge, f64>);

impl InlinedEdges {
    /// Finds the inlined edges: those with far fewer samples than predicted. Edges nearest to the
    /// beginning of their paths are decided first, because an inlined callee passes its own calls
    /// on to its caller.
    pub fn of(paths: &CallPaths<'_>, met: &CallEdgeSamples, assumed: &Assumptions) -> Self {
        let mut inlined = Self::default();
        loop {
            let hidden = inlined.find_inlined(paths, met, assumed);
            let Some(first) = hidden.values().map(|(depth, _)| *depth).min() else {
                return inlined;
            };
            let now = hidden.into_iter().filter(|(_, (depth, _))| *depth == first);
            inlined.0.extend(now.map(|(edge, (_, part))| (edge, part)));
        }
    }

    /// Further inlined edges, with their least depth on a path and the ratio of sampled to
    /// predicted samples.
    fn find_inlined(
        &self,
        paths: &CallPaths<'_>,
        met: &CallEdgeSamples,
        assumed: &Assumptions,
    ) -> BTreeMap<CallEdge, (usize, f64)> {
        let owners = paths.owner_groups(self);
        let mut edges: BTreeMap<CallEdge, (usize, f64)> = BTreeMap::new();
        let mut of_callee: BTreeMap<usize, f64> = BTreeMap::new();
        for node in &paths.0 {
            *of_callee.entry(node.group).or_default() += node.expected;
            if let Some(caller) = node.parent.map(|parent| owners[parent]) {
                let edge = edges.entry((caller, node.group)).or_insert((node.depth, 0.0));
                *edge = (edge.0.min(node.depth), edge.1 + node.expected);
            }
        }
        // Samples that no edge explains may be of any: of each as many as are expected of it.
        let mut loose = met.alone.clone();
        for (edge, samples) in met.called.iter().filter(|(edge, _)| !edges.contains_key(edge)) {
            loose[edge.1] += samples;
        }
        let is_own = |(caller, callee): &CallEdge| caller == callee;
        let further = edges.into_iter().filter(|(edge, _)| !is_own(edge));
        further
            .filter(|(edge, (_, expected))| {
                *expected >= assumed.samples_missed && !self.0.contains_key(edge)
            })
            .filter_map(|(edge, (depth, expected))| {
                let known = met.called.get(&edge).copied().unwrap_or(0.0);
                let part = known / expected + loose[edge.1] / of_callee[&edge.1];
                (part < assumed.inlined_remainder).then_some((edge, (depth, part)))
            })
            .collect()
    }

    /// The leaves with the group that each is sampled under; a leaf that is inlined somewhere is
    /// split among several. `groups` are the groups of the input leaves.
    pub fn split_leaves<'a>(
        &self,
        leaves: Vec<Leaf<'a>>,
        groups: &[usize],
        paths: &CallPaths<'_>,
    ) -> (Vec<Leaf<'a>>, Vec<usize>) {
        let shares = self.shares_by_group(paths);
        let mut divided = (Vec::with_capacity(leaves.len()), Vec::with_capacity(leaves.len()));
        for (leaf, group) in leaves.into_iter().zip(groups) {
            match shares.get(&leaf.block.id) {
                Some(shares) => {
                    let weights: Vec<f64> = shares.values().copied().collect();
                    divided.0.extend(leaf.split(&weights));
                    divided.1.extend(shares.keys());
                }
                None => {
                    divided.0.push(leaf);
                    divided.1.push(*group);
                }
            }
        }
        divided
    }

    /// For blocks that are inlined somewhere, the groups that they ran for, with weights above
    /// zero.
    fn shares_by_group(&self, paths: &CallPaths<'_>) -> BTreeMap<BlockId, BTreeMap<usize, f64>> {
        let owners = paths.owner_groups(self);
        let mut shares: BTreeMap<BlockId, BTreeMap<usize, f64>> = BTreeMap::new();
        for (node, owner) in paths.0.iter().zip(&owners) {
            let caller = node.parent.map(|parent| owners[parent]);
            let met = caller.and_then(|caller| self.0.get(&(caller, node.group)));
            let met = met.copied().unwrap_or(1.0);
            for (block, runs) in node.executions.iter().filter(|(_, runs)| **runs > 0) {
                let of_block = shares.entry(*block).or_default();
                for (group, part) in [(*owner, 1.0 - met), (node.group, met)] {
                    if part > 0.0 {
                        *of_block.entry(group).or_default() += part * *runs as f64;
                    }
                }
            }
        }
        shares
    }
}

impl Leaf<'_> {
    /// Splits the leaf by weights; the parts' executions and energies add up to the leaf's.
    fn split(self, weights: &[f64]) -> Vec<Self> {
        let all: f64 = weights.iter().sum();
        let energies = split_energy(self.energy, weights);
        let executions = split_energy(Femtojoules(i128::from(self.executions)), weights);
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{CallEdgeSamples, CallPaths, InlinedEdges};
    use crate::account::calls::CallTree;
    use crate::account::profile::Hits;
    use crate::account::sample::{OwnedScenario, block, model, with_relative_error};
    use crate::account::{AccountInput, Accounts, MeasuredEnergies, SampledCase, account};
    use crate::assumptions::{ASSUMED, Assumptions};
    use crate::blocks::BlockId;
    use crate::exact::Femtojoules;
    use crate::folder::Artifact;
    use crate::operations::Dictionary;
    use crate::units::Joules;

    const ADDITION: &str = "Addition_int_int";

    const CALLS: &str = "thread,node,parent,class,method,block,executions\n\
        main,0,,d.A,run(),0,100\nmain,1,0,d.A,get(),1,300\n\
        main,2,,d.A,go(),2,100\nmain,3,2,d.A,get(),1,100\n";

    /// `run` and `go` call `get`, 300 and 100 times. By counts they spend 200, 100 and 400 uJ.
    fn program(get: &str, other: &str) -> OwnedScenario {
        let of = |id, method, n| {
            block(id, ("d.A", method), ("", "entry"), (id, id), &[(ADDITION, id, n)])
        };
        let blocks = vec![of(0, "run()", 2), of(1, get, 1), of(2, "go()", 1), of(3, other, 1)];
        OwnedScenario {
            dictionary: Dictionary { blocks },
            executions: (0..).map(BlockId).zip([100, 400, 100, 0]).collect(),
            model: with_relative_error(model(&[(ADDITION, 1e-6)]), 0.1),
            measured: MeasuredEnergies { total: Joules(700e-6), ..MeasuredEnergies::default() },
        }
    }

    fn sampled(program: &OwnedScenario, hides_inlined: bool, of: &[(&str, u64)]) -> Accounts {
        let methods = of.iter().map(|(name, n)| (("d.A".into(), (*name).into()), *n)).collect();
        accounted(program, Hits { methods, hides_inlined, ..Hits::default() })
    }

    fn accounted(program: &OwnedScenario, hits: Hits) -> Accounts {
        let calls = CallTree::parse(CALLS).unwrap();
        let cases = [SampledCase::of(Joules(700e-6), vec![hits]).unwrap()];
        account(&AccountInput { samples: &cases, calls: Some(&calls), ..program.scenario() })
    }

    fn microjoules(accounts: &Accounts, method: &str) -> f64 {
        let own = accounts.methods.iter().filter(|entry| entry.key.method == method);
        own.map(|entry| 1e6 * entry.joules().0).sum()
    }

    #[test]
    fn what_no_sample_names_is_in_its_callers() {
        let met = [("run()", 5000), ("go()", 2000)];
        let program = program("get()", "never()");
        let hidden = sampled(&program, true, &met);
        for (method, expected) in [("run()", 200.0), ("get()", 400.0), ("go()", 100.0)] {
            let found = microjoules(&hidden, method);
            assert!((found - expected).abs() < 5.0, "{method}: {found} uJ");
        }
        assert_eq!(hidden.method_groups.as_ref().unwrap().groups.len(), 2);
        let sum: Femtojoules = hidden.methods.iter().map(|entry| entry.energy).sum();
        assert_eq!(sum, hidden.explained_energy());
        assert_eq!(hidden.operations[0].entry.executions, 700);
        // A sampler that shows inlined frames means what it says.
        let shown = sampled(&program, false, &met);
        assert!(microjoules(&shown, "get()") < 20.0);
    }

    fn groups(program: &OwnedScenario) -> BTreeMap<BlockId, usize> {
        program.dictionary.blocks.iter().map(|block| (block.id, block.id.0 as usize)).collect()
    }

    /// Of calls that could be either, doubling makes the samples of `go`'s too few to miss, and
    /// `run`'s inlined.
    #[test]
    fn doubled_assumptions_move_what_is_inlined() {
        let calls = CallTree::parse(CALLS).unwrap();
        let expected = [0.0, 60.0, 0.0, 0.0].into_iter().enumerate();
        let expected = expected.map(|(block, n)| (BlockId(block as u32), n)).collect();
        let paths = CallPaths::of(&calls, &groups(&program("get()", "never()")), &expected);
        // 45 and 15 are expected, 7 and none were met.
        let met = CallEdgeSamples { called: [((0, 1), 7.0)].into(), alone: vec![0.0; 4] };
        let inlined = |samples_missed, inlined_remainder| -> Vec<(usize, usize)> {
            let assumed = Assumptions { samples_missed, inlined_remainder, ..ASSUMED };
            InlinedEdges::of(&paths, &met, &assumed).0.into_keys().collect()
        };
        let (missed, remainder) = (ASSUMED.samples_missed, ASSUMED.inlined_remainder);
        assert_eq!(inlined(missed, remainder), [(2, 1)]);
        assert!(inlined(2.0 * missed, remainder).is_empty());
        assert_eq!(inlined(missed, 2.0 * remainder), [(0, 1), (2, 1)]);
    }

    /// `run` has `get` compiled into it, `go` calls it.
    #[test]
    fn a_method_is_inlined_where_its_caller_has_it() {
        let program = program("get()", "never()");
        let name = |method: &str| ("d.A".to_owned(), method.to_owned());
        let hits = |calls: &[(&str, &str, u64)]| Hits {
            methods: [(name("run()"), 5000), (name("go()"), 1000), (name("get()"), 1000)].into(),
            calls: calls.iter().map(|(by, of, n)| ((name(by), name(of)), *n)).collect(),
            hides_inlined: true,
            ..Hits::default()
        };
        let accounts = accounted(&program, hits(&[("go()", "get()", 1000)]));
        for (method, expected) in [("run()", 200.0), ("get()", 400.0), ("go()", 100.0)] {
            let found = microjoules(&accounts, method);
            assert!((found - expected).abs() < 8.0, "{method}: {found} uJ");
        }
        // Where stacks show no callers, a quarter of its samples says that it was called.
        let flat = accounted(&program, hits(&[]));
        assert!(microjoules(&flat, "get()") < 150.0);
    }

    #[test]
    fn callers_share_as_they_called() {
        let twice = sampled(&program("get()", "never()"), true, &[("run()", 6000), ("go()", 1000)]);
        // 600 of 700 uJ are run's, three fifths of them for get; 100 are go's, half of them.
        let found = microjoules(&twice, "get()");
        assert!((found - 410.0).abs() < 10.0, "{found} uJ");
    }

    #[test]
    fn a_method_that_was_met_is_its_own() {
        let met = [("run()", 2000), ("go()", 1000), ("get()", 4000)];
        let accounts = sampled(&program("get()", "never()"), true, &met);
        assert_eq!(accounts.method_groups.as_ref().unwrap().groups.len(), 3);
        assert!((microjoules(&accounts, "get()") - 400.0).abs() < 5.0);
    }

    #[test]
    fn overloads_without_parameters_are_one_area() {
        let met = [("run", 2000), ("go", 1000), ("get", 4000)];
        let mut program = program("get(int)", "get(float)");
        program.executions.insert(BlockId(3), 400);
        let accounts = sampled(&program, true, &met);
        let groups = &accounts.method_groups.as_ref().unwrap().groups;
        assert_eq!(groups.iter().map(|group| group.methods.len()).collect::<Vec<_>>(), [2, 1, 1]);
        let both = ["get(int)", "get(float)"].map(|method| microjoules(&accounts, method));
        assert!((both[0] - both[1]).abs() < 1e-6 && (both[0] - 200.0).abs() < 30.0, "{both:?}");
    }
}
