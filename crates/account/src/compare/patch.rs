//! Prediction of a patch before it is measured: transfers the base's executions to the blocks of
//! the changed sources.
//!
//! Blocks of a method that both sides have are paired in source order: first those of equal kind
//! and operations, then, between these, those of equal kind. A paired block keeps its executions;
//! if it is the body of a loop whose header changed, a remark states the assumption. A new block
//! runs as often as the paired block before it, at least never, and at most as often as any
//! paired block of its method; in a method with a new loop the executions are unknown. Where the
//! patch removes or adds calls, the called methods run less or more often (`call_changes.rs`); a
//! new method runs as often as it is called, if it is one block.

use std::collections::{BTreeMap, BTreeSet};

use crate::account::MethodKey;
use crate::blocks::BlockId;
use crate::format::{counted, counted_as};
use crate::operations::{BlockEntry, CallGraph, Dictionary, Feature};

use super::ComparedSide;
use super::call_changes::{CallChanges, CallCounts, CallTarget, ProgramVersion};
use super::pairing::pairs;

/// The changed sources: their blocks and call graph.
#[derive(Debug, Clone, Default)]
pub struct PatchedProgram {
    /// Blocks of the changed sources.
    pub dictionary: Dictionary,
    /// Methods that the changed sources' calls may run.
    pub calls: CallGraph,
}

/// The changed sources with executions transferred from the base, and bounds of these.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CarriedCounts {
    /// Blocks of the changed sources.
    pub dictionary: Dictionary,
    /// Most likely executions by the rules of this module.
    pub likely: BTreeMap<BlockId, u64>,
    /// Fewest executions.
    pub least: BTreeMap<BlockId, u64>,
    /// Most executions.
    pub most: BTreeMap<BlockId, u64>,
    /// Methods with blocks of unknown executions, with the reason.
    pub unknown: BTreeMap<MethodKey, String>,
    /// Assumptions made for a method.
    pub remarks: BTreeMap<MethodKey, String>,
    /// Number of methods that are called more or less often than in the base.
    pub followed: usize,
}

/// Transfers the executions of `base`, whose call graph is `calls`, to the program `new`.
pub fn carry_counts(
    base: ComparedSide<'_>,
    calls: &CallGraph,
    new: PatchedProgram,
) -> CarriedCounts {
    let before = blocks_by_method(base.dictionary);
    let base = ProgramVersion { dictionary: base.dictionary, calls, executions: base.executions };
    let mut carried = CarriedCounts::default();
    let (mut fresh, mut of_new_loops) = (BTreeMap::new(), BTreeSet::new());
    for (key, blocks) in blocks_by_method(&new.dictionary) {
        match before.get(&key) {
            Some(old) => {
                let unsure = carry_method(&mut carried, &key, old, &blocks, base.executions);
                of_new_loops.extend(unsure);
            }
            None => {
                fresh.insert(key, blocks);
            }
        }
    }
    let ran = base.entries();
    let with = |executions: &BTreeMap<BlockId, u64>| {
        let new = ProgramVersion { dictionary: &new.dictionary, calls: &new.calls, executions };
        new.changes_from(base, &ran)
    };
    let changes = [&carried.least, &carried.likely, &carried.most].map(with);
    let shared =
        new.calls.sites.iter().filter(|site| site.callees.len() > 1 || site.may_run_others);
    let shared: BTreeSet<BlockId> = shared.flat_map(|site| &site.callees).copied().collect();
    for (key, blocks) in fresh {
        let is_shared = blocks.iter().any(|block| shared.contains(&block.id));
        if is_shared || is_never_called(&key, &changes) || blocks.len() > 1 {
            let why = "the method is new; its calls must be measured (wattline trace)";
            carried.unknown.insert(key, why.into());
        }
    }
    follow_call_changes(&mut carried, &blocks_by_method(&new.dictionary), changes, &ran);
    let reached = {
        let (calls, executions) = (&new.calls, &carried.likely);
        let new = ProgramVersion { dictionary: &new.dictionary, calls, executions };
        new.called_from(&of_new_loops, &ran)
    };
    carried.mark_called_from_new_loops(reached);
    carried.dictionary = new.dictionary;
    carried
}

fn is_never_called(key: &MethodKey, changes: &[CallChanges; 3]) -> bool {
    let [_, likely, _] = changes;
    !likely.contains_key(&CallTarget::Method(key.clone()))
}

/// Scales the executions of methods by the changes of their calls.
fn follow_call_changes(
    carried: &mut CarriedCounts,
    blocks: &BTreeMap<MethodKey, Vec<&BlockEntry>>,
    changes: [CallChanges; 3],
    ran: &CallCounts,
) {
    let targets: BTreeSet<&CallTarget> = changes.iter().flat_map(BTreeMap::keys).collect();
    for target in targets {
        let calls = [0, 1, 2].map(|i| changes[i].get(target).copied().unwrap_or(0.0));
        match target {
            CallTarget::Open(methods) => carried.mark_open_calls(methods, calls[1]),
            CallTarget::Method(key) => {
                let Some(blocks) = blocks.get(key) else { continue };
                carried.follow_calls(key, blocks, calls, ran.get(key).copied().unwrap_or(0));
            }
        }
    }
}

fn blocks_by_method(dictionary: &Dictionary) -> BTreeMap<MethodKey, Vec<&BlockEntry>> {
    let mut methods: BTreeMap<MethodKey, Vec<&BlockEntry>> = BTreeMap::new();
    for block in &dictionary.blocks {
        methods.entry(MethodKey::of(block)).or_default().push(block);
    }
    methods
}

/// Transfers one method's executions; returns the blocks that a new loop may contain, whose
/// executions are unknown.
fn carry_method(
    carried: &mut CarriedCounts,
    key: &MethodKey,
    old: &[&BlockEntry],
    new: &[&BlockEntry],
    executions: &BTreeMap<BlockId, u64>,
) -> Vec<BlockId> {
    let partner = paired_blocks(old, new);
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
    let first_loop = (0..new.len()).find(is_new_loop).filter(|_| most > 0);
    if first_loop.is_some() {
        let why = "it has a new loop, whose rounds must be measured (wattline trace)";
        carried.unknown.insert(key.clone(), why.into());
    }
    let mut remarks = Vec::new();
    if added > 0 && most > 0 {
        let alone = format!("new block runs between 0 and {most} times");
        let each = format!("new blocks run between 0 and {most} times each");
        remarks.push(counted_as(added, &alone, &each));
    }
    if headers > 0 && most > 0 {
        let headers = counted(headers, "loop header");
        remarks.push(format!("{headers} changed; rounds are taken as before"));
    }
    remarks.into_iter().for_each(|remark| carried.remark(key, remark));
    // Where the loop ends is not known from its blocks.
    first_loop.map_or(Vec::new(), |first| new[first..].iter().map(|block| block.id).collect())
}

impl CarriedCounts {
    fn set(&mut self, block: BlockId, [least, likely, most]: [u64; 3]) {
        self.least.insert(block, least);
        self.likely.insert(block, likely);
        self.most.insert(block, most);
    }

    fn remark(&mut self, key: &MethodKey, remark: String) {
        let remarks = self.remarks.entry(key.clone()).or_default();
        let separator = if remarks.is_empty() { "" } else { "; " };
        *remarks += &format!("{separator}{remark}");
    }

    /// Marks methods as unknown that any of `calls` additional calls may run.
    fn mark_open_calls(&mut self, methods: &BTreeSet<MethodKey>, calls: f64) {
        for key in methods {
            let why = format!(
                "the patch makes {calls:+.0} calls that may run it, one of {}, or code that is \
                 not known; measure it",
                counted(methods.len() - 1, "other method")
            );
            self.unknown.entry(key.clone()).or_insert(why);
        }
    }

    /// Marks methods as unknown that a new loop may call, directly or through others.
    fn mark_called_from_new_loops(&mut self, methods: BTreeSet<MethodKey>) {
        for key in methods {
            let why = "a new loop may call it, whose rounds must be measured (wattline trace)";
            self.unknown.entry(key).or_insert_with(|| why.into());
        }
    }

    /// Scales a method of `entries` calls by the additional calls `[fewest, likely, most]`.
    fn follow_calls(
        &mut self,
        key: &MethodKey,
        blocks: &[&BlockEntry],
        calls: [f64; 3],
        entries: u64,
    ) {
        if entries == 0 && blocks.len() > 1 {
            let why = "no call of it ran in the base; what calls of it do must be measured";
            self.unknown.entry(key.clone()).or_insert_with(|| why.into());
            return;
        }
        self.followed += 1;
        for block in blocks {
            for (executions, calls) in
                [&mut self.least, &mut self.likely, &mut self.most].into_iter().zip(calls)
            {
                let before = executions.get(&block.id).copied().unwrap_or(0);
                let after = match entries {
                    0 => calls,
                    _ => before as f64 * (1.0 + calls / entries as f64),
                };
                executions.insert(block.id, after.round().max(0.0) as u64);
            }
        }
        let after = (entries as f64 + calls[1]).round().max(0.0);
        self.remark(key, format!("called {} instead of {entries}", counted(after, "time")));
    }
}

/// For each new block the index of the old block that it is paired with.
fn paired_blocks(old: &[&BlockEntry], new: &[&BlockEntry]) -> Vec<Option<usize>> {
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

/// Whether a loop's test or update differs, on which its iterations depend.
fn is_changed_header(old: &BlockEntry, new: &BlockEntry) -> bool {
    fn words(block: &BlockEntry) -> impl Iterator<Item = (&Feature, &str, u32)> {
        block.operations.iter().map(|f| (&f.operation, f.context.as_str(), f.count))
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

    fn carried(old: Vec<BlockEntry>, runs: &[u64], new: Vec<BlockEntry>) -> CarriedCounts {
        let no_calls = CallGraph::default();
        carried_with((old, no_calls.clone()), runs, (new, no_calls))
    }

    fn carried_with(
        (old, calls): (Vec<BlockEntry>, CallGraph),
        runs: &[u64],
        (new, new_calls): (Vec<BlockEntry>, CallGraph),
    ) -> CarriedCounts {
        let executions = runs.iter().enumerate().map(|(i, &n)| (BlockId(i as u32), n)).collect();
        let dictionary = Dictionary { blocks: old };
        let new = PatchedProgram { dictionary: Dictionary { blocks: new }, calls: new_calls };
        carry_counts(ComparedSide { dictionary: &dictionary, executions: &executions }, &calls, new)
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

    /// run() has a new loop, which calls small(), which calls deep(); other() is called before it.
    #[test]
    fn what_a_new_loop_calls_must_be_measured_too() {
        let before =
            [("run()", "entry"), ("small()", "entry"), ("deep()", "entry"), ("other()", "entry")];
        let after = [&before[..], &[("run()", "for_test"), ("run()", "for_body")]].concat();
        let calls = [(0, 1, &[3][..]), (1, 2, &[2][..])];
        let old = graph(&calls);
        let new = graph(&[&calls[..], &[(5, 1, &[1][..])]].concat());
        let with = |runs: &[u64]| {
            let old = (program(&before), old.clone());
            carried_with(old, runs, (program(&after), new.clone()))
        };
        assert_eq!(unknown(&with(&[10, 40, 80, 10])), ["deep()", "run()", "small()"]);
        assert!(unknown(&with(&[0, 40, 80, 10])).is_empty(), "run() does not run");
    }

    #[test]
    fn changed_headers_are_said() {
        let old = vec![
            block(0, "for_test", &[("Less_int_int", 1, 1)]),
            block(1, "for_body", &[("Increment", 2, 1)]),
        ];
        let new = vec![
            block(0, "for_test", &[("Less_int_int", 1, 2)]),
            block(1, "for_body", &[("Increment", 2, 1)]),
        ];
        let carried = carried(old, &[11, 10], new);
        assert_eq!(runs(&carried.likely), vec![11, 10]);
        assert!(carried.remarks.values().next().unwrap().contains("1 loop header changed"));
    }

    /// Blocks with ids as numbered: `(method, kind)`.
    fn program(units: &[(&str, &str)]) -> Vec<BlockEntry> {
        let entry = |(i, (method, kind)): (usize, &(&str, &str))| {
            sample::block(i as u32, ("a.A", method), ("", kind), (1, 1), &[("Not", 1, 1)])
        };
        units.iter().enumerate().map(entry).collect()
    }

    /// `(block, calls, entry blocks that they may run)`.
    fn graph(sites: &[(u32, u32, &[u32])]) -> CallGraph {
        let site = |&(block, calls, callees): &(u32, u32, &[u32])| crate::operations::CallSite {
            block: BlockId(block),
            calls,
            callees: callees.iter().map(|id| BlockId(*id)).collect(),
            may_run_others: false,
        };
        CallGraph { sites: sites.iter().map(site).collect() }
    }

    fn unknown(carried: &CarriedCounts) -> Vec<&str> {
        carried.unknown.keys().map(|key| key.method.as_str()).collect()
    }

    /// run() calls small() 30 times of its 40 and loses these calls; small() runs a block
    /// every other time, which calls deep() twice; deep() is called 10 times by others.
    #[test]
    fn calls_that_are_gone_take_their_share_of_what_they_ran() {
        let units =
            [("run()", "entry"), ("small()", "entry"), ("small()", "then"), ("deep()", "entry")];
        let old = graph(&[(0, 3, &[1]), (2, 2, &[3])]);
        let new = graph(&[(2, 2, &[3])]);
        let counts = [10, 40, 20, 50];
        let carried = carried_with((program(&units), old), &counts, (program(&units), new));
        assert_eq!(runs(&carried.likely), [10, 10, 5, 20]);
        assert_eq!((runs(&carried.least), carried.followed), (vec![10, 10, 5, 20], 2));
        assert!(carried.unknown.is_empty());
        let remarks: Vec<&String> = carried.remarks.values().collect();
        assert_eq!(remarks, ["called 20 times instead of 50", "called 10 times instead of 40"]);
    }

    /// One call from outside makes nine of its own: without it none is left. A call more
    /// makes ten more.
    #[test]
    fn recursion_goes_with_the_call_that_began_it() {
        let units = [("run()", "entry"), ("down()", "entry"), ("down()", "then")];
        let both = graph(&[(0, 1, &[1]), (2, 1, &[1])]);
        let (inner, twice) = (graph(&[(2, 1, &[1])]), graph(&[(0, 2, &[1]), (2, 1, &[1])]));
        let with = |new| {
            let old = (program(&units), both.clone());
            carried_with(old, &[1, 10, 9], (program(&units), new)).likely
        };
        assert_eq!(runs(&with(inner)), [1, 0, 0]);
        assert_eq!(runs(&with(twice)), [1, 20, 18]);
        assert_eq!(runs(&with(both.clone())), [1, 10, 9]);
    }

    /// Of two methods that a call may run, only one ran: it is that one. If both did,
    /// nobody knows; and neither where an unresolved call may run it.
    #[test]
    fn open_dispatch_is_no_data() {
        let units = [("run()", "entry"), ("one()", "entry"), ("two()", "entry")];
        let (old, new) = (graph(&[(0, 2, &[1, 2])]), graph(&[(0, 1, &[1, 2])]));
        let with = |counts: &[u64], old: &CallGraph, new: &CallGraph| {
            carried_with((program(&units), old.clone()), counts, (program(&units), new.clone()))
        };
        let one_ran = with(&[5, 10, 0], &old, &new);
        assert_eq!((runs(&one_ran.likely), unknown(&one_ran)), (vec![5, 5, 0], vec![]));
        let both_ran = with(&[5, 6, 4], &old, &new);
        assert_eq!(unknown(&both_ran), ["one()", "two()"]);
        assert!(both_ran.unknown.values().all(|why| why.contains("-5 calls")));
        let others = |sites: &[(u32, u32, &[u32])]| {
            let mut calls = graph(sites);
            calls.sites.iter_mut().for_each(|site| site.may_run_others = true);
            calls
        };
        let (old, new) = (others(&[(0, 2, &[1])]), others(&[(0, 1, &[1])]));
        assert_eq!(unknown(&with(&[5, 10, 0], &old, &new)), ["one()"]);
        let library = with(&[5, 0, 0], &old, &new);
        assert!(library.unknown.is_empty(), "it never ran one(): it is not in the sources");
        assert!(with(&[5, 6, 4], &old, &old).unknown.is_empty(), "the calls are the same");
    }

    /// A new method of one block runs as often as it is called, one that never ran too;
    /// what more blocks do must be measured.
    #[test]
    fn new_methods_run_as_often_as_they_are_called() {
        let old = [("run()", "entry"), ("idle()", "entry")];
        let new = [("run()", "entry"), ("idle()", "entry"), ("fresh()", "entry")];
        let calls = graph(&[(0, 2, &[2]), (2, 3, &[1])]);
        let before = || (program(&old), CallGraph::default());
        let carried = carried_with(before(), &[5, 0], (program(&new), calls.clone()));
        assert_eq!((runs(&carried.likely), unknown(&carried)), (vec![5, 30, 10], vec![]));
        let mut more = new.to_vec();
        more.push(("fresh()", "then"));
        let carried = carried_with(before(), &[5, 0], (program(&more), calls));
        assert_eq!(unknown(&carried), ["fresh()"]);
    }
}
