//! Changes of method calls by a patch: calls that it removes or adds, and the calls that follow
//! from these.
//!
//! A call counts for the only method that it may run, among those that ran in the base where
//! there are several. A method that is called `d` times more runs each of its blocks, and makes
//! each of its calls, `d / n` times more often, where the base called it `n` times: each call is
//! taken as average. Calls that may run several methods, or an unknown one, cannot be assigned:
//! where their number changes, the executions of these methods are unknown.

use std::collections::{BTreeMap, BTreeSet};

use crate::account::MethodKey;
use crate::blocks::BlockId;
use crate::operations::{BlockEntry, CallGraph, CallSite, Dictionary};

/// Smallest change of executions: they are whole numbers.
const LEAST_CHANGE: f64 = 0.5;

/// Limit of the iterations that propagate calls to callees.
const ROUNDS_MAX: usize = 100_000;

/// A version of the program: blocks, call graph and executions.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProgramVersion<'a> {
    pub dictionary: &'a Dictionary,
    pub calls: &'a CallGraph,
    pub executions: &'a BTreeMap<BlockId, u64>,
}

/// Method that a call runs, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CallTarget {
    /// One known method.
    Method(MethodKey),
    /// One of these methods, or another one.
    Open(BTreeSet<MethodKey>),
}

impl CallTarget {
    /// The methods that the call may run.
    fn methods(self) -> BTreeSet<MethodKey> {
        match self {
            CallTarget::Method(method) => BTreeSet::from([method]),
            CallTarget::Open(methods) => methods,
        }
    }
}

/// Additional calls by target; negative for fewer.
pub(super) type CallChanges = BTreeMap<CallTarget, f64>;

/// Calls of each method in the base.
pub(super) type CallCounts = BTreeMap<MethodKey, u64>;

impl ProgramVersion<'_> {
    /// Calls of each method.
    pub fn entries(&self) -> CallCounts {
        let entries = self.dictionary.blocks.iter().filter(|block| block.kind == "entry");
        entries.map(|block| (MethodKey::of(block), self.runs(block.id))).collect()
    }

    fn runs(&self, block: BlockId) -> u64 {
        self.executions.get(&block).copied().unwrap_or(0)
    }

    fn block(&self, id: BlockId) -> &BlockEntry {
        &self.dictionary.blocks[id.0 as usize]
    }

    /// The target of a call site, given the methods that ran in the base; `None` for code outside
    /// the sources.
    fn target(&self, site: &CallSite, ran: &CallCounts) -> Option<CallTarget> {
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

    /// Calls of the whole program by target.
    fn all_calls(&self, ran: &CallCounts) -> CallChanges {
        let mut calls = CallChanges::new();
        for site in &self.calls.sites {
            let runs = self.runs(site.block) as f64;
            if let Some(target) = self.target(site, ran).filter(|_| runs > 0.0) {
                *calls.entry(target).or_default() += runs * f64::from(site.calls);
            }
        }
        calls
    }

    /// Calls that one call of each method makes, given the base's calls.
    fn calls_per_call(&self, ran: &CallCounts) -> BTreeMap<MethodKey, Vec<(CallTarget, f64)>> {
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

    /// Methods that calls in some blocks may run, with their possible callees, transitively.
    pub(crate) fn called_from(
        &self,
        blocks: &BTreeSet<BlockId>,
        ran: &CallCounts,
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

    /// Additional calls in `self` over `base`, callees included. Methods whose recursive calls do
    /// not converge become open targets.
    pub(crate) fn changes_from(&self, base: ProgramVersion<'_>, ran: &CallCounts) -> CallChanges {
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
            news = resulting_calls(&news, &rates);
            for (target, calls) in &news {
                *changes.entry(target.clone()).or_default() += calls;
            }
        }
        changes.extend(news.into_iter().map(|(target, calls)| (as_open_target(target), calls)));
        changes.retain(|_, calls| calls.abs() >= LEAST_CHANGE);
        changes
    }
}

fn as_open_target(target: CallTarget) -> CallTarget {
    CallTarget::Open(target.methods())
}

/// Calls that result from these additional calls, by the rates per call.
fn resulting_calls(
    calls: &CallChanges,
    rates: &BTreeMap<MethodKey, Vec<(CallTarget, f64)>>,
) -> CallChanges {
    let mut found = CallChanges::new();
    for (target, calls) in calls {
        let CallTarget::Method(method) = target else { continue };
        for (called, rate) in rates.get(method).into_iter().flatten() {
            *found.entry(called.clone()).or_default() += rate * calls;
        }
    }
    found
}
