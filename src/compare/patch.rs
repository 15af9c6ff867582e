//! A patch before it is measured: the base's executions, carried over to the blocks of
//! the changed sources.
//!
//! Blocks of a method that both sides have are paired in source order: first those of
//! the same kind and operations, then, between these, those of the same kind. A paired
//! block runs as often as before: also a loop's body whose header was changed, which is
//! said. A block that is new runs as often as the paired block before it, at least
//! never, and at most as often as any paired block of its method; in a method with a new
//! loop, and in a new method, nobody knows. The executions of other methods stay, also
//! where the patch calls them more or less often, which is said too.

use std::collections::BTreeMap;

use crate::account::MethodKey;
use crate::blocks::BlockId;
use crate::operations::{BlockEntry, Dictionary};

use super::Side;
use super::pairing::pairs;

/// Operations that are calls.
const CALLS: &str = "Method_Invocation";

/// The changed sources with executions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Carried {
    /// The changed sources' blocks.
    pub dictionary: Dictionary,
    /// Executions as the rules above guess them.
    pub likely: BTreeMap<BlockId, u64>,
    /// The fewest.
    pub least: BTreeMap<BlockId, u64>,
    /// The most.
    pub most: BTreeMap<BlockId, u64>,
    /// Methods with blocks whose executions nobody knows, with the reason.
    pub unknown: BTreeMap<MethodKey, String>,
    /// What is assumed of a method.
    pub remarks: BTreeMap<MethodKey, String>,
    /// How many more calls of methods the changed blocks make.
    pub further_calls: i128,
}

/// Carries the base's executions over to `new`, a dictionary of the changed sources.
pub fn carry(base: Side<'_>, new: Dictionary) -> Carried {
    let before = by_method(base.dictionary);
    let mut carried = Carried::default();
    for (key, blocks) in by_method(&new) {
        match before.get(&key) {
            Some(old) => method(&mut carried, &key, old, &blocks, base.executions),
            None => {
                let why = "the method is new; its calls must be measured (wattline trace)";
                carried.unknown.insert(key, why.into());
            }
        }
    }
    carried.further_calls += calls(&new, &carried.likely);
    carried.further_calls -= calls(base.dictionary, base.executions);
    carried.dictionary = new;
    carried
}

fn by_method(dictionary: &Dictionary) -> BTreeMap<MethodKey, Vec<&BlockEntry>> {
    let mut methods: BTreeMap<MethodKey, Vec<&BlockEntry>> = BTreeMap::new();
    for block in &dictionary.blocks {
        methods.entry(MethodKey::of(block)).or_default().push(block);
    }
    methods
}

fn calls(dictionary: &Dictionary, executions: &BTreeMap<BlockId, u64>) -> i128 {
    let of_block = |block: &BlockEntry| {
        let found = block.operations.iter().filter(|found| found.operation == CALLS);
        let each: i128 = found.map(|found| i128::from(found.count)).sum();
        each * i128::from(executions.get(&block.id).copied().unwrap_or(0))
    };
    dictionary.blocks.iter().map(of_block).sum()
}

/// Carries one method over.
fn method(
    carried: &mut Carried,
    key: &MethodKey,
    old: &[&BlockEntry],
    new: &[&BlockEntry],
    executions: &BTreeMap<BlockId, u64>,
) {
    let partner = partners(old, new);
    let runs = |block: &BlockEntry| executions.get(&block.id).copied().unwrap_or(0);
    let of_new = |j: usize| partner[j].map(|i| runs(old[i]));
    let most = (0..new.len()).filter_map(of_new).max().unwrap_or(0);
    let (mut before, mut added, mut headers) = (0, 0, 0);
    for (j, block) in new.iter().enumerate() {
        if let Some(runs) = of_new(j) {
            before = runs;
            headers += usize::from(partner[j].is_some_and(|i| is_changed_header(old[i], block)));
            carried.set(block.id, [runs, runs, runs]);
        } else {
            added += 1;
            carried.set(block.id, [0, before, most]);
        }
    }
    let is_new_loop = |j: &usize| partner[*j].is_none() && is_loop(new[*j]);
    if most > 0 && (0..new.len()).any(|j| is_new_loop(&j)) {
        let why = "it has a new loop, whose rounds must be measured (wattline trace)";
        carried.unknown.insert(key.clone(), why.into());
    }
    let mut remarks = Vec::new();
    if added > 0 && most > 0 {
        remarks.push(format!("{added} new blocks run between 0 and {most} times each"));
    }
    if headers > 0 && most > 0 {
        remarks.push(format!("{headers} loop headers changed; rounds are taken as before"));
    }
    if !remarks.is_empty() {
        carried.remarks.insert(key.clone(), remarks.join("; "));
    }
}

impl Carried {
    fn set(&mut self, block: BlockId, [least, likely, most]: [u64; 3]) {
        self.least.insert(block, least);
        self.likely.insert(block, likely);
        self.most.insert(block, most);
    }
}

/// For each new block the index of the old one that it is.
fn partners(old: &[&BlockEntry], new: &[&BlockEntry]) -> Vec<Option<usize>> {
    let mut partner = vec![None; new.len()];
    let words = |block: &BlockEntry| {
        let found = block.operations.iter();
        let mut words: Vec<_> =
            found.map(|f| (f.operation.clone(), f.context.clone(), f.count)).collect();
        words.sort_unstable();
        (block.kind.clone(), words)
    };
    let old_words: Vec<_> = old.iter().map(|block| words(block)).collect();
    let new_words: Vec<_> = new.iter().map(|block| words(block)).collect();
    let mut anchors = pairs(&old_words, &new_words);
    anchors.push((old.len(), new.len()));
    let (mut i, mut j) = (0, 0);
    for (next_i, next_j) in anchors {
        let kinds = |blocks: &[&BlockEntry]| blocks.iter().map(|b| b.kind.to_string()).collect();
        let (left, right): (Vec<String>, Vec<String>) =
            (kinds(&old[i..next_i]), kinds(&new[j..next_j]));
        for (a, b) in pairs(&left, &right) {
            partner[j + b] = Some(i + a);
        }
        if next_j < new.len() {
            partner[next_j] = Some(next_i);
        }
        (i, j) = (next_i + 1, next_j + 1);
    }
    partner
}

fn is_loop(block: &BlockEntry) -> bool {
    ["for_", "while_", "do_"].iter().any(|loops| block.kind.starts_with(loops))
}

/// Whether a loop's own test or update differs, on which its rounds depend.
fn is_changed_header(old: &BlockEntry, new: &BlockEntry) -> bool {
    fn words(block: &BlockEntry) -> impl Iterator<Item = (&str, &str, u32)> {
        block.operations.iter().map(|f| (f.operation.as_str(), f.context.as_str(), f.count))
    }
    is_loop(new) && !new.kind.ends_with("_body") && words(old).ne(words(new))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::sample;

    fn block(id: u32, kind: &str, operations: &[(&str, u32, u32)]) -> BlockEntry {
        sample::block(id, ("a.A", "run()"), ("", kind), (id + 1, id + 1), operations)
    }

    fn carried(old: Vec<BlockEntry>, runs: &[u64], new: Vec<BlockEntry>) -> Carried {
        let executions = runs.iter().enumerate().map(|(i, &n)| (BlockId(i as u32), n)).collect();
        let dictionary = Dictionary { blocks: old };
        carry(Side { dictionary: &dictionary, executions: &executions }, Dictionary { blocks: new })
    }

    fn runs(carried: &BTreeMap<BlockId, u64>) -> Vec<u64> {
        carried.values().copied().collect()
    }

    /// A condition is put before the one that was there: numbers of names shift, counts
    /// don't.
    #[test]
    fn blocks_keep_their_counts_when_others_come_before_them() {
        let old = vec![
            block(0, "entry", &[("Not", 1, 1)]),
            block(1, "then", &[("Increment", 2, 1)]),
            block(2, "continuation", &[("Decrement", 3, 1)]),
        ];
        let new = vec![
            block(0, "entry", &[("Not", 1, 1)]),
            block(1, "then", &[("And", 2, 1)]),
            block(2, "continuation", &[("Not", 3, 1)]),
            block(3, "then", &[("Increment", 4, 1)]),
            block(4, "continuation", &[("Decrement", 5, 1)]),
        ];
        let carried = carried(old, &[10, 3, 9], new);
        assert_eq!(runs(&carried.likely), [10, 10, 10, 3, 9]);
        assert_eq!(runs(&carried.least), [10, 0, 0, 3, 9]);
        assert_eq!(runs(&carried.most), [10, 10, 10, 3, 9]);
        assert!(carried.unknown.is_empty() && carried.remarks.len() == 1);
    }

    #[test]
    fn new_loops_and_methods_must_be_measured() {
        let old = vec![block(0, "entry", &[("Not", 1, 1)])];
        let mut new = vec![
            block(0, "entry", &[("Not", 1, 1)]),
            block(1, "for_test", &[("Not", 2, 1)]),
            block(2, "for_body", &[("Not", 3, 1)]),
        ];
        let with_loop = carried(old.clone(), &[10], new.clone());
        assert!(with_loop.unknown.values().any(|why| why.contains("new loop")));
        let never_ran = carried(old.clone(), &[0], new.clone());
        assert!(never_ran.unknown.is_empty(), "a method that doesn't run costs nothing");
        new[2].method = "other()".into();
        let with_method = carried(old, &[10], new);
        assert!(with_method.unknown.values().any(|why| why.contains("method is new")));
    }

    #[test]
    fn changed_headers_and_further_calls_are_said() {
        let old = vec![
            block(0, "for_test", &[("Less_int_int", 1, 1)]),
            block(1, "for_body", &[("Increment", 2, 1)]),
        ];
        let new = vec![
            block(0, "for_test", &[("Less_int_int", 1, 2)]),
            block(1, "for_body", &[("Increment", 2, 1), ("Method_Invocation", 2, 2)]),
        ];
        let carried = carried(old, &[11, 10], new);
        assert_eq!((runs(&carried.likely), carried.further_calls), (vec![11, 10], 20));
        assert!(carried.remarks.values().next().unwrap().contains("1 loop headers"));
    }
}
