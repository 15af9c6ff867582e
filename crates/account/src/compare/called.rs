//! How often methods are called after a patch: calls that it removes or adds, and what
//! follows from them.
//!
//! A call belongs to the only method that it may run, among those that ran in the base
//! where there are several. A method that is called `d` times more runs each of its
//! blocks, and makes each of its calls, `d / n` times more often, where the base called
//! it `n` times: a call does what its calls do on average. Of calls that may run several
//! methods, or one that is not known, nobody knows who gains or loses: where their number
//! changes, the executions of these methods are unknown.

use std::collections::{BTreeMap, BTreeSet};

use crate::account::MethodKey;
use crate::blocks::BlockId;
use crate::operations::{BlockEntry, CallGraph, CallSite, Dictionary};

/// A change of fewer executions is none: they are whole numbers.
const LEAST: f64 = 0.5;

/// Most rounds in which calls follow from calls.
const ROUNDS_MAX: usize = 100_000;

/// A version of the program: its blocks, what their calls may run, and executions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Version<'a> {
    pub dictionary: &'a Dictionary,
    pub calls: &'a CallGraph,
    pub executions: &'a BTreeMap<BlockId, u64>,
}

/// What a call runs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CallTarget {
    /// This method.
    Method(MethodKey),
    /// One of these, or something else.
    Open(BTreeSet<MethodKey>),
}

impl CallTarget {
    /// The methods that it may be.
    fn methods(self) -> BTreeSet<MethodKey> {
        match self {
            CallTarget::Method(method) => BTreeSet::from([method]),
            CallTarget::Open(methods) => methods,
        }
    }
}

/// How many calls more there are of what (fewer: negative).
pub(super) type Changes = BTreeMap<CallTarget, f64>;

/// How often methods were called in the base.
pub(super) type Entries = BTreeMap<MethodKey, u64>;

impl Version<'_> {
    /// How often each method was called.
    pub fn entries(&self) -> Entries {
        let entries = self.dictionary.blocks.iter().filter(|block| block.kind == "entry");
        entries.map(|block| (MethodKey::of(block), self.runs(block.id))).collect()
    }

    fn runs(&self, block: BlockId) -> u64 {
        self.executions.get(&block).copied().unwrap_or(0)
    }

    fn block(&self, id: BlockId) -> &BlockEntry {
        &self.dictionary.blocks[id.0 as usize]
    }

    /// What the site's calls run, given who ran in the base; none of code outside of the
    /// sources.
    fn target(&self, site: &CallSite, ran: &Entries) -> Option<CallTarget> {
        let all: BTreeSet<MethodKey> =
            site.callees.iter().map(|entry| MethodKey::of(self.block(*entry))).collect();
        let ran = |key: &&MethodKey| ran.get(*key).is_some_and(|entries| *entries > 0);
        let those: BTreeSet<MethodKey> = all.iter().filter(ran).cloned().collect();
        let mut possible = if those.is_empty() { all } else { those.clone() };
        match (site.may_run_others, possible.len()) {
            (true, _) => (!those.is_empty()).then_some(CallTarget::Open(possible)),
            (false, 1) => possible.pop_first().map(CallTarget::Method),
            (false, _) => Some(CallTarget::Open(possible)),
        }
    }

    /// The calls of the whole program.
    fn all_calls(&self, ran: &Entries) -> Changes {
        let mut calls = Changes::new();
        for site in &self.calls.sites {
            let runs = self.runs(site.block) as f64;
            if let Some(target) = self.target(site, ran).filter(|_| runs > 0.0) {
                *calls.entry(target).or_default() += runs * f64::from(site.calls);
            }
        }
        calls
    }

    /// What one call of each method calls, given how often the base called it.
    fn calls_per_call(&self, ran: &Entries) -> BTreeMap<MethodKey, Vec<(CallTarget, f64)>> {
        let mut rates: BTreeMap<MethodKey, Vec<(CallTarget, f64)>> = BTreeMap::new();
        for site in &self.calls.sites {
            let block = self.block(site.block);
            let key = MethodKey::of(block);
            let runs = match ran.get(&key).copied().unwrap_or(0) {
                0 => f64::from(u8::from(block.kind == "entry")),
                entries => self.runs(site.block) as f64 / entries as f64,
            };
            if let Some(target) = self.target(site, ran).filter(|_| runs > 0.0) {
                rates.entry(key).or_default().push((target, runs * f64::from(site.calls)));
            }
        }
        rates
    }

    /// The methods that calls in some blocks may run, and those that these may call.
    pub(crate) fn called_from(
        &self,
        blocks: &BTreeSet<BlockId>,
        ran: &Entries,
    ) -> BTreeSet<MethodKey> {
        let rates = self.calls_per_call(ran);
        let sites = self.calls.sites.iter().filter(|site| blocks.contains(&site.block));
        let mut open: Vec<CallTarget> = sites.filter_map(|site| self.target(site, ran)).collect();
        let mut found = BTreeSet::new();
        while let Some(target) = open.pop() {
            for method in target.methods() {
                if found.insert(method.clone()) {
                    let called = rates.get(&method).into_iter().flatten();
                    open.extend(called.map(|(target, _)| target.clone()));
                }
            }
        }
        found
    }

    /// How many calls more `self` makes than `base`, with all that follows. Methods that
    /// call themselves so often that no end is seen are open.
    pub(crate) fn changes_from(&self, base: Version<'_>, ran: &Entries) -> Changes {
        let mut changes = self.all_calls(ran);
        for (target, calls) in base.all_calls(ran) {
            *changes.entry(target).or_default() -= calls;
        }
        let rates = self.calls_per_call(ran);
        let whole: f64 = changes.values().map(|calls| calls.abs()).sum();
        let mut news = changes.clone();
        for _ in 0..ROUNDS_MAX {
            news.retain(|_, calls| calls.abs() > 1e-9 * whole);
            if news.is_empty() {
                break;
            }
            news = followed(&news, &rates);
            for (target, calls) in &news {
                *changes.entry(target.clone()).or_default() += calls;
            }
        }
        changes.extend(news.into_iter().map(|(target, calls)| (opened(target), calls)));
        changes.retain(|_, calls| calls.abs() >= LEAST);
        changes
    }
}

fn opened(target: CallTarget) -> CallTarget {
    CallTarget::Open(target.methods())
}

/// The calls that so many more calls make.
fn followed(calls: &Changes, rates: &BTreeMap<MethodKey, Vec<(CallTarget, f64)>>) -> Changes {
    let mut found = Changes::new();
    for (target, calls) in calls {
        let CallTarget::Method(method) = target else { continue };
        for (called, rate) in rates.get(method).into_iter().flatten() {
            *found.entry(called.clone()).or_default() += rate * calls;
        }
    }
    found
}
