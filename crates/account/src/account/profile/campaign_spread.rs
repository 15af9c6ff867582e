//! Spread between the campaign's own sampled runs, for profiles of a single run.

use std::collections::BTreeMap;

use crate::account::accounts::Accounts;
use crate::account::entry::{AccountEntry, LineKey, MethodKey};
use crate::account::matching::FigureSpread;
use crate::account::method_groups::MethodGroup;
use crate::units::Joules;

/// Relative spreads between the campaign's sampled runs.
pub(super) struct CampaignSpread<'a> {
    /// Spread of methods, pooled.
    pub of_methods: f64,
    /// Spread of lines, pooled: of their methods and of their parts of these.
    pub of_lines: f64,
    /// For each method its spread between runs, and the spread from sessions that differ.
    methods: BTreeMap<&'a MethodKey, (f64, f64)>,
    /// Spread of lines' parts of their methods: pooled, and of each line.
    parts: f64,
    lines: BTreeMap<(&'a MethodKey, u32), f64>,
}

impl<'a> CampaignSpread<'a> {
    /// Collects the spreads of accounts; `None` where no case was sampled twice.
    pub fn of(accounts: &'a Accounts) -> Option<Self> {
        let method_groups = accounts.method_groups.as_ref()?;
        let spreads =
            |area: &MethodGroup| Some((area.run_spread?, area.session_spread.unwrap_or(0.0)));
        let own = method_groups.groups.iter().filter_map(|area| Some((area, spreads(area)?)));
        let methods = own.flat_map(|(area, own)| area.methods.iter().map(move |key| (key, own)));
        let lines = method_groups.line_run_spreads.iter().flat_map(|((area, line), own)| {
            method_groups.groups[*area].methods.iter().map(move |key| ((key, *line), *own))
        });
        let of_methods = method_groups.run_spread?;
        let parts = method_groups.line_run_spread.unwrap_or(0.0);
        Some(Self {
            of_methods,
            of_lines: of_methods.hypot(parts),
            methods: methods.collect(),
            parts,
            lines: lines.collect(),
        })
    }

    /// Spread of a method's energy in one run; methods that were inlined into their callers have
    /// the pooled spread.
    pub fn method(&self, entry: &AccountEntry<MethodKey>) -> FigureSpread {
        let energy = Joules(entry.joules().0.max(0.0));
        let (parts, sessions) = self.of_method(&entry.key);
        FigureSpread { parts: energy * parts, sessions: energy * sessions }
    }

    /// Spread of each line's energy in one run, summed over the methods on it.
    pub fn lines(&self, accounts: &'a Accounts) -> BTreeMap<&'a LineKey, FigureSpread> {
        let mut lines: BTreeMap<&LineKey, FigureSpread> = BTreeMap::new();
        for part in &accounts.parts {
            let (method, line) = (&part.key.method, &part.key.line);
            let own = self.lines.get(&(method, line.line)).copied().unwrap_or(self.parts);
            let (parts, sessions) = self.of_method(method);
            let energy = Joules(part.joules().0.max(0.0));
            let sum = lines.entry(line).or_default();
            sum.parts += energy * parts.hypot(own);
            sum.sessions += energy * sessions;
        }
        lines
    }

    fn of_method(&self, key: &MethodKey) -> (f64, f64) {
        self.methods.get(key).copied().unwrap_or((self.of_methods, 0.0))
    }
}
