//! Callers of a method that a hint suggests to inline, as recorded in the call tree.

use std::collections::BTreeMap;

use crate::account::MethodKey;
use crate::account::calls::CallTree;
use crate::blocks::BlockId;

/// Number of callers that a hint lists.
const NAMED: usize = 3;

/// A caller of a method, with its number and share of the calls.
#[derive(Debug, Clone, PartialEq)]
pub struct Caller {
    /// The caller.
    pub method: MethodKey,
    /// Number of its calls, in the run that recorded the calls.
    pub calls: u64,
    /// Share of all calls of the method, 0..1.
    pub share: f64,
}

impl std::fmt::Display for Caller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let class = self.method.class.rsplit('.').next().unwrap_or(&self.method.class);
        write!(f, "{class}.{} ({:.0} % of the calls)", self.method.method, 100.0 * self.share)
    }
}

/// Executions of each block by caller; `None` is a thread that began with the block's method.
pub(super) type CallerCounts<'a> = BTreeMap<BlockId, BTreeMap<Option<&'a MethodKey>, u64>>;

/// Counts the executions of all blocks by caller.
pub(super) fn callers_by_block(tree: &CallTree) -> CallerCounts<'_> {
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

/// The three callers with most calls.
pub(super) fn top_callers(counts: &BTreeMap<Option<&MethodKey>, u64>) -> Vec<Caller> {
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
        let found = top_callers(&callers_by_block(&tree)[&BlockId(7)]);
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
