//! Stacks of calls for flame graphs: a thread and the methods that called each other. The weight
//! of a stack is the self energy of its last method.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::json;

use super::collapsed::frame_name;
use super::microjoules::microjoules;
use super::sampled_stacks::SampledStacks;
use crate::account::calls::{CallAccounts, CallNodeAccount};
use crate::account::{Accounts, MethodKey};

/// Largest depth of a stack; callers above are cut off.
const FRAMES_MAX: usize = 500;

/// Methods from the thread's root to a node, inclusive.
pub(super) fn call_path(calls: &CallAccounts, node: &CallNodeAccount) -> Vec<MethodKey> {
    let mut path = vec![node.method.clone()];
    let mut above = node.parent;
    while let Some(parent) = above.filter(|_| path.len() < FRAMES_MAX) {
        path.push(calls.nodes[parent].method.clone());
        above = calls.nodes[parent].parent;
    }
    path.reverse();
    path
}

/// Qualified name of a method: `a.b.C.run(int)`.
pub(super) fn qualified_name(method: &MethodKey) -> String {
    format!("{}.{}", method.class, method.method)
}

/// Collapsed stacks by calls: a line for each node of at least half a microjoule.
pub fn collapsed(calls: &CallAccounts) -> String {
    let mut text = String::new();
    for node in calls.nodes.iter().filter(|node| microjoules(node.own.energy) > 0) {
        let methods = call_path(calls, node);
        let frames = methods.iter().map(|method| frame_name(&qualified_name(method)));
        let stack: Vec<String> = std::iter::once(frame_name(&node.thread)).chain(frames).collect();
        writeln!(text, "{} {}", stack.join(";"), microjoules(node.own.energy))
            .expect("writing to a String can't fail");
    }
    text
}

/// Samples by calls for speedscope, with the thread as the first frame.
pub(super) fn sampled_stacks(calls: &CallAccounts, accounts: &Accounts) -> SampledStacks {
    let places = method_locations(accounts);
    let mut sampled = SampledStacks::default();
    for node in calls.nodes.iter().filter(|node| microjoules(node.own.energy) > 0) {
        let thread = json!({"name": node.thread});
        let mut stack = vec![sampled.frame_index(format!("thread {}", node.thread), thread)];
        for method in call_path(calls, node) {
            let label = qualified_name(&method);
            let frame = match places.get(&method) {
                Some((file, line)) => json!({"name": label, "file": file, "line": line}),
                None => json!({"name": label}),
            };
            stack.push(sampled.frame_index(label, frame));
        }
        sampled.add(stack, microjoules(node.own.energy));
    }
    sampled
}

/// File and first line of each executed method.
pub(super) fn method_locations(accounts: &Accounts) -> BTreeMap<MethodKey, (&str, u32)> {
    let mut places: BTreeMap<MethodKey, (&str, u32)> = BTreeMap::new();
    for block in &accounts.blocks {
        let key = MethodKey { class: block.class.clone(), method: block.method.clone() };
        let place = places.entry(key).or_insert((&block.file, block.start_line));
        place.1 = place.1.min(block.start_line);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::Femtojoules;
    use crate::account::calls::SpentEnergy;
    use crate::units::Joules;

    fn node(thread: &str, parent: Option<usize>, method: &str, joules: f64) -> CallNodeAccount {
        let own = SpentEnergy {
            energy: Femtojoules::from_joules(Joules(joules)),
            ..SpentEnergy::default()
        };
        CallNodeAccount {
            thread: thread.into(),
            parent,
            depth: 0,
            method: MethodKey { class: "a.A".into(), method: method.into() },
            calls: 1,
            blocks: Vec::new(),
            own,
            cumulative: own,
        }
    }

    #[test]
    fn stacks_are_calls_and_hostile_names_are_inert() {
        let nodes = vec![
            node("ma;in\n<b>", None, "main()", 1e-6),
            node("ma;in\n<b>", Some(0), "run(int, int)", 2e-6),
            node("ma;in\n<b>", Some(1), "cheap()", 1e-9),
        ];
        let calls = CallAccounts { nodes, ..CallAccounts::default() };
        let text = collapsed(&calls);
        assert_eq!(text, "ma_in_<b>;a.A.main() 1\nma_in_<b>;a.A.main();a.A.run(int,int) 2\n");
        let sample = crate::export::sample::sample();
        let SampledStacks { frames, samples, weights, .. } =
            sampled_stacks(&calls, &sample.accounts);
        assert_eq!(
            (frames.len(), samples, weights),
            (3, vec![vec![0, 1], vec![0, 1, 2]], vec![1, 2])
        );
    }
}
