//! How far the campaign's own runs differ, for what nobody profiled twice.

use std::collections::BTreeMap;

use crate::account::Accounts;
use crate::account::entry::{Entry, LineKey, MethodKey};
use crate::units::Joules;

/// Relative spreads between sampled runs.
pub(super) struct OwnSpread<'a> {
    /// Of all methods together.
    pub of_methods: f64,
    /// Of all lines together: of their methods and of their parts of these.
    pub of_lines: f64,
    /// Each method's.
    methods: BTreeMap<&'a MethodKey, f64>,
    /// Of lines' parts of their methods: all together, and each line's.
    parts: f64,
    lines: BTreeMap<(&'a MethodKey, u32), f64>,
}

impl<'a> OwnSpread<'a> {
    /// `None` where no case was sampled twice.
    pub fn of(accounts: &'a Accounts) -> Option<Self> {
        let areas = accounts.areas.as_ref()?;
        let own = areas.areas.iter().filter_map(|area| Some((area, area.run_spread?)));
        let methods = own.flat_map(|(area, own)| area.methods.iter().map(move |key| (key, own)));
        let lines = areas.line_run_spreads.iter().flat_map(|((area, line), own)| {
            areas.areas[*area].methods.iter().map(move |key| ((key, *line), *own))
        });
        let of_methods = areas.run_spread?;
        let parts = areas.line_run_spread.unwrap_or(0.0);
        Some(Self {
            of_methods,
            of_lines: of_methods.hypot(parts),
            methods: methods.collect(),
            parts,
            lines: lines.collect(),
        })
    }

    /// Standard deviation of what a method spends in one run; methods that were compiled into
    /// their callers differ as is usual.
    pub fn method(&self, entry: &Entry<MethodKey>) -> Joules {
        Joules(entry.joules().0.max(0.0) * self.of_method(&entry.key))
    }

    /// The same of lines, by what they have of methods.
    pub fn lines(&self, accounts: &'a Accounts) -> BTreeMap<&'a LineKey, Joules> {
        let mut lines: BTreeMap<&LineKey, Joules> = BTreeMap::new();
        for part in &accounts.parts {
            let (method, line) = (&part.key.method, &part.key.line);
            let own = self.lines.get(&(method, line.line)).copied().unwrap_or(self.parts);
            let spread = self.of_method(method).hypot(own);
            let sum = lines.entry(line).or_insert(Joules(0.0));
            *sum = Joules(sum.0 + part.joules().0.max(0.0) * spread);
        }
        lines
    }

    fn of_method(&self, key: &MethodKey) -> f64 {
        self.methods.get(key).copied().unwrap_or(self.of_methods)
    }
}
