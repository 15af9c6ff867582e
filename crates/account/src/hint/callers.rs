//! Who calls a method that a hint says to inline: where it pays to do so by hand.

use std::collections::BTreeMap;

use crate::account::MethodKey;
use crate::account::calls::CallTree;
use crate::blocks::BlockId;

/// Callers that a hint names.
const NAMED: usize = 3;

/// A method that calls another.
#[derive(Debug, Clone, PartialEq)]
pub struct Caller {
    /// The caller.
    pub method: MethodKey,
    /// How often it calls, in the run that recorded the calls.
    pub calls: u64,
    /// Part of all calls of the method, 0..1.
    pub share: f64,
}

impl std::fmt::Display for Caller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let class = self.method.class.rsplit('.').next().unwrap_or(&self.method.class);
        write!(f, "{class}.{} ({:.0} % of the calls)", self.method.method, 100.0 * self.share)
    }
}

/// How often each block ran below which caller; none where a thread began with it.
pub(super) type CallerCounts<'a> = BTreeMap<BlockId, BTreeMap<Option<&'a MethodKey>, u64>>;

/// Counts the callers of all blocks.
pub(super) fn count(tree: &CallTree) -> CallerCounts<'_> {
    let mut counts = CallerCounts::new();
    for thread in tree.threads.values() {
        for node in &thread.nodes {
            let caller = node.parent.map(|parent| &thread.nodes[parent].method);
            for (block, executions) in &node.executions {
                let sum = counts.entry(*block).or_default().entry(caller).or_default();
                *sum = sum.saturating_add(*executions);
            }
        }
    }
    counts
}

/// The three that call most.
pub(super) fn most(counts: &BTreeMap<Option<&MethodKey>, u64>) -> Vec<Caller> {
    let all: u64 = counts.values().fold(0, |sum, n| sum.saturating_add(*n));
    let mut callers: Vec<Caller> = counts
        .iter()
        .filter(|(_, calls)| **calls > 0)
        .filter_map(|(caller, calls)| {
            let share = *calls as f64 / all as f64;
            Some(Caller { method: (*caller)?.clone(), calls: *calls, share })
        })
        .collect();
    callers.sort_by(|a, b| b.calls.cmp(&a.calls).then_with(|| a.method.cmp(&b.method)));
    callers.truncate(NAMED);
    callers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::calls::CallTree;
    use crate::folder::Artifact;

    #[test]
    fn the_callers_of_all_threads_and_paths_are_summed() {
        let text = "thread,node,parent,class,method,block,executions\n\
            main,0,,a.A,main(),0,1\n\
            main,1,0,a.A,small(),7,10\n\
            main,2,0,a.B,step(),1,5\n\
            main,3,2,a.A,small(),7,60\n\
            main,4,2,a.C,turn(),2,5\n\
            main,5,4,a.A,small(),7,4\n\
            main,6,4,a.D,stop(),3,5\n\
            main,7,6,a.A,small(),7,1\n\
            other,0,,a.B,step(),1,5\n\
            other,1,0,a.A,small(),7,20\n\
            third,0,,a.A,small(),7,5\n";
        let tree = CallTree::parse(text).unwrap();
        let found = most(&count(&tree)[&BlockId(7)]);
        let names: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(
            names,
            [
                "B.step() (80 % of the calls)",
                "A.main() (10 % of the calls)",
                "C.turn() (4 % of the calls)"
            ]
        );
    }
}
