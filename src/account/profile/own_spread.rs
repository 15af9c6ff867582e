//! How far the campaign's own runs differ, for what nobody profiled twice.

use std::collections::BTreeMap;

use crate::account::Accounts;
use crate::account::entry::{Entry, LineKey, MethodKey};
use crate::units::Joules;

/// Relative spreads between sampled runs.
pub(super) struct OwnSpread<'a> {
    /// Of all methods together.
    pub common: f64,
    /// Each method's.
    methods: BTreeMap<&'a MethodKey, f64>,
}

impl<'a> OwnSpread<'a> {
    /// `None` where no case was sampled twice.
    pub fn of(accounts: &'a Accounts) -> Option<Self> {
        let areas = accounts.areas.as_ref()?;
        let own = areas.areas.iter().filter_map(|area| Some((area, area.run_spread?)));
        let methods = own.flat_map(|(area, own)| area.methods.iter().map(move |key| (key, own)));
        Some(Self { common: areas.run_spread?, methods: methods.collect() })
    }

    /// Standard deviation of what a method spends in one run; methods that were compiled into
    /// their callers differ as is usual.
    pub fn method(&self, entry: &Entry<MethodKey>) -> Joules {
        Joules(entry.joules().0.max(0.0) * self.of_method(&entry.key))
    }

    /// The same of lines: their methods' spreads and, of their parts of them, the usual one,
    /// as their intervals have it.
    pub fn lines(&self, accounts: &'a Accounts) -> BTreeMap<&'a LineKey, Joules> {
        let mut of_methods: BTreeMap<&LineKey, f64> = BTreeMap::new();
        for part in &accounts.parts {
            *of_methods.entry(&part.key.line).or_default() +=
                part.joules().0.max(0.0) * self.of_method(&part.key.method);
        }
        let whole = |entry: &'a Entry<LineKey>| {
            let of_method = of_methods.get(&entry.key).copied().unwrap_or(0.0);
            let within = self.common * entry.joules().0.max(0.0);
            (&entry.key, Joules(of_method.hypot(within)))
        };
        accounts.lines.iter().map(whole).collect()
    }

    fn of_method(&self, key: &MethodKey) -> f64 {
        self.methods.get(key).copied().unwrap_or(self.common)
    }
}
