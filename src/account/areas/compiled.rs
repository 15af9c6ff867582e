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
use crate::assumptions::Assumptions;
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
    pub fn of(met: &[Met], calls: &'c CallTree, assumed: &Assumptions) -> Self {
        let is_hidden = |met: &&Met| {
            met.expected >= assumed.samples_missed
                && met.samples < assumed.inlined_remainder * met.expected
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
        let mut path = std::iter::from_fn(|| {
            let node = &thread.nodes[above?];
            above = node.parent;
            Some(&node.method)
        });
        path.find(|method| !self.own.contains_key(*method))
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

#[cfg(test)]
mod tests {
    use super::{Inlined, Met};
    use crate::account::MethodKey;
    use crate::account::calls::{CallTree, read_calls};
    use crate::account::profile::Hits;
    use crate::account::sample::{Sample, block, model, with_relative_error};
    use crate::account::{AccountInput, Accounts, Measured, SampledCase, account};
    use crate::assumptions::{ASSUMED, Assumptions};
    use crate::blocks::BlockId;
    use crate::exact::Femtojoules;
    use crate::operations::Dictionary;
    use crate::units::Joules;

    const ADDITION: &str = "Addition_int_int";

    /// `run` and `go` call `get`, 300 and 100 times. By counts they spend 200, 100 and 400 uJ.
    fn program(get: &str, other: &str) -> Sample {
        let of = |id, method, n| {
            block(id, ("d.A", method), ("", "entry"), (id, id), &[(ADDITION, id, n)])
        };
        let blocks = vec![of(0, "run()", 2), of(1, get, 1), of(2, "go()", 1), of(3, other, 1)];
        Sample {
            dictionary: Dictionary { blocks },
            executions: (0..).map(BlockId).zip([100, 400, 100, 0]).collect(),
            model: with_relative_error(model(&[(ADDITION, 1e-6)]), 0.1),
            measured: Measured { total: Joules(700e-6), ..Measured::default() },
        }
    }

    fn sampled(program: &Sample, hides_inlined: bool, of: &[(&str, u64)]) -> Accounts {
        let calls = "thread,node,parent,class,method,block,executions\n\
                     main,0,,d.A,run(),0,100\nmain,1,0,d.A,get(),1,300\n\
                     main,2,,d.A,go(),2,100\nmain,3,2,d.A,get(),1,100\n";
        let calls = read_calls(calls).unwrap();
        let methods = of.iter().map(|(name, n)| (("d.A".into(), (*name).into()), *n)).collect();
        let hits = Hits { methods, hides_inlined, ..Hits::default() };
        let cases = [SampledCase { energy: Joules(700e-6), hits }];
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
        assert_eq!(hidden.areas.as_ref().unwrap().areas.len(), 2);
        let sum: Femtojoules = hidden.methods.iter().map(|entry| entry.energy).sum();
        assert_eq!(sum, hidden.explained());
        assert_eq!(hidden.operations[0].entry.executions, 700);
        // A sampler that shows inlined frames means what it says.
        let shown = sampled(&program, false, &met);
        assert!(microjoules(&shown, "get()") < 20.0);
    }

    /// Of methods that could be either, doubling makes the first one's samples too few to miss,
    /// and the second inlined.
    #[test]
    fn doubled_assumptions_move_what_is_inlined() {
        let met = |name: &str, samples, expected| Met {
            methods: vec![MethodKey { class: "d.A".into(), method: name.into() }],
            samples,
            expected,
        };
        let met =
            [met("rare()", 0.0, 15.0), met("before()", 15.0, 100.0), met("own()", 90.0, 80.0)];
        let calls = CallTree::default();
        let inlined = |assumed: &Assumptions| -> Vec<String> {
            Inlined::of(&met, &calls, assumed).own.into_keys().map(|key| key.method).collect()
        };
        let of = |samples_missed, inlined_remainder| {
            inlined(&Assumptions { samples_missed, inlined_remainder, ..ASSUMED })
        };
        let (missed, remainder) = (ASSUMED.samples_missed, ASSUMED.inlined_remainder);
        assert_eq!(of(missed, remainder), ["rare()"]);
        assert!(of(2.0 * missed, remainder).is_empty());
        assert_eq!(of(missed, 2.0 * remainder), ["before()", "rare()"]);
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
        assert_eq!(accounts.areas.as_ref().unwrap().areas.len(), 3);
        assert!((microjoules(&accounts, "get()") - 400.0).abs() < 5.0);
    }

    #[test]
    fn overloads_without_parameters_are_one_area() {
        let met = [("run", 2000), ("go", 1000), ("get", 4000)];
        let mut program = program("get(int)", "get(float)");
        program.executions.insert(BlockId(3), 400);
        let accounts = sampled(&program, true, &met);
        let areas = &accounts.areas.as_ref().unwrap().areas;
        assert_eq!(areas.iter().map(|area| area.methods.len()).collect::<Vec<_>>(), [2, 1, 1]);
        let both = ["get(int)", "get(float)"].map(|method| microjoules(&accounts, method));
        assert!((both[0] - both[1]).abs() < 1e-6 && (both[0] - 200.0).abs() < 30.0, "{both:?}");
    }
}
