//! How far the campaign's own runs differ, for what nobody profiled twice.

use std::collections::BTreeMap;

use crate::account::accounts::Accounts;
use crate::account::areas::MethodGroup;
use crate::account::entry::{AccountEntry, LineKey, MethodKey};
use crate::account::matching::Spread;
use crate::units::Joules;

/// Relative spreads between sampled runs.
pub(super) struct OwnSpread<'a> {
    /// Of all methods together.
    pub of_methods: f64,
    /// Of all lines together: of their methods and of their parts of these.
    pub of_lines: f64,
    /// Each method's, and what sessions that differ make of it.
    methods: BTreeMap<&'a MethodKey, (f64, f64)>,
    /// Of lines' parts of their methods: all together, and each line's.
    parts: f64,
    lines: BTreeMap<(&'a MethodKey, u32), f64>,
}

impl<'a> OwnSpread<'a> {
    /// `None` where no case was sampled twice.
    pub fn of(accounts: &'a Accounts) -> Option<Self> {
        let areas = accounts.areas.as_ref()?;
        let spreads =
            |area: &MethodGroup| Some((area.run_spread?, area.session_spread.unwrap_or(0.0)));
        let own = areas.areas.iter().filter_map(|area| Some((area, spreads(area)?)));
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

    /// How far what a method spends in one run differs; methods that were compiled into their
    /// callers differ as is usual.
    pub fn method(&self, entry: &AccountEntry<MethodKey>) -> Spread {
        let energy = Joules(entry.joules().0.max(0.0));
        let (parts, sessions) = self.of_method(&entry.key);
        Spread { parts: energy * parts, sessions: energy * sessions }
    }

    /// The same of lines, by what they have of methods.
    pub fn lines(&self, accounts: &'a Accounts) -> BTreeMap<&'a LineKey, Spread> {
        let mut lines: BTreeMap<&LineKey, Spread> = BTreeMap::new();
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
