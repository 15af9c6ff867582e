//! The ledger: measured = idle + operations + library + GC + unexplained, in whole
//! femtojoules, so that it adds up exactly. What the model doesn't explain is a row
//! (it may be negative: then the model explains too much), never spread over others.

use crate::account::cost::{Costs, CountVector, GARBAGE_COLLECTION};
use crate::exact::Femtojoules;
use crate::exact::share;
use crate::interval::Interval;
use crate::units::Joules;

/// What was measured for one scenario: its base cases summed over input sequences.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Measured {
    /// Energy of the sessions, idle included.
    pub total: Joules,
    /// Its standard error, where repeats allow one.
    pub total_se: Option<Joules>,
    /// Energy that the board spends in the same time without the application.
    pub idle: Joules,
    /// Its standard error, where repeats allow one.
    pub idle_se: Option<Joules>,
    /// Garbage collections in the sessions.
    pub collections: u64,
}

/// A row of the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LedgerEntry {
    /// The whole: what the others add up to.
    Measured,
    /// The board without the application.
    Idle,
    /// The source's own operations whose costs are known.
    Operations,
    /// Library functions, garbage collection apart.
    Library,
    /// Garbage collections. Zero when the model has no cost for them: then they are in
    /// the unexplained row.
    Gc,
    /// What is left: operations of unknown cost, the model's error, noise.
    Unexplained,
}

impl LedgerEntry {
    /// Its name in `ledger.csv`.
    pub fn name(self) -> &'static str {
        match self {
            LedgerEntry::Measured => "measured",
            LedgerEntry::Idle => "idle",
            LedgerEntry::Operations => "operations",
            LedgerEntry::Library => "library",
            LedgerEntry::Gc => "gc",
            LedgerEntry::Unexplained => "unexplained",
        }
    }
}

/// One row with its figure.
#[derive(Debug, Clone, PartialEq)]
pub struct LedgerRow {
    /// Which row.
    pub entry: LedgerEntry,
    /// Its energy.
    pub energy: Femtojoules,
    /// 95 % interval, where repeats or the model give one.
    pub interval: Option<Interval>,
    /// Part of what was measured, idle included, 0..1.
    pub share: Option<f64>,
    /// Why a row of 0 J has no figure of its own: `none ran`, `no cost known`; else empty.
    pub remark: &'static str,
}

/// The rows: the whole first, then its parts.
#[derive(Debug, Clone, PartialEq)]
pub struct Ledger {
    /// In the order of [`LedgerEntry`].
    pub rows: Vec<LedgerRow>,
}

impl Ledger {
    /// The energy of a row; zero for one that isn't there.
    pub fn energy(&self, entry: LedgerEntry) -> Femtojoules {
        self.row(entry).map_or(Femtojoules::ZERO, |row| row.energy)
    }

    /// A row.
    pub fn row(&self, entry: LedgerEntry) -> Option<&LedgerRow> {
        self.rows.iter().find(|row| row.entry == entry)
    }

    /// Whether the parts add up to the whole, exactly.
    pub fn adds_up(&self) -> bool {
        let parts = self.rows.iter().filter(|row| row.entry != LedgerEntry::Measured);
        parts.map(|row| row.energy).sum::<Femtojoules>() == self.energy(LedgerEntry::Measured)
    }

    /// Energy above idle: what the application spent, explained or not.
    pub fn above_idle(&self) -> Femtojoules {
        self.energy(LedgerEntry::Measured) - self.energy(LedgerEntry::Idle)
    }
}

/// What the model explains, split as the ledger wants it.
pub(super) struct Explained {
    /// The source's operations: energy and counts.
    pub operations: (Femtojoules, CountVector),
    /// Library functions: energy and counts.
    pub library: (Femtojoules, CountVector),
}

/// Makes the ledger.
pub(super) fn ledger(measured: &Measured, explained: &Explained, costs: &Costs<'_>) -> Ledger {
    let total = Femtojoules::from_joules(measured.total);
    let idle = Femtojoules::from_joules(measured.idle);
    let (gc, gc_counts) = collections(measured.collections, costs);
    let gc_remark = match (measured.collections, &gc_counts) {
        (0, _) => "none ran",
        (_, None) => "no cost known",
        _ => "",
    };
    let priced = explained.operations.0 + explained.library.0 + gc;
    let some = gc_counts.as_ref().filter(|_| measured.collections > 0);
    let gc_interval = some.and_then(|counts| costs.interval(counts));
    let gc_counts = gc_counts.unwrap_or_default();
    let rows = [
        (LedgerEntry::Measured, total, spread(measured.total, measured.total_se)),
        (LedgerEntry::Idle, idle, spread(measured.idle, measured.idle_se)),
        (LedgerEntry::Operations, explained.operations.0, costs.interval(&explained.operations.1)),
        (LedgerEntry::Library, explained.library.0, costs.interval(&explained.library.1)),
        (LedgerEntry::Gc, gc, gc_interval),
        (
            LedgerEntry::Unexplained,
            total - idle - priced,
            remainder_interval(measured, explained, &gc_counts, total - idle - priced, costs),
        ),
    ];
    let rows = rows.map(|(entry, energy, interval)| LedgerRow {
        entry,
        energy,
        interval,
        share: share(energy, total),
        remark: if entry == LedgerEntry::Gc { gc_remark } else { "" },
    });
    Ledger { rows: rows.into() }
}

/// Energy and counts of the garbage collections; no counts when there were some and the
/// model has no cost for them.
fn collections(count: u64, costs: &Costs<'_>) -> (Femtojoules, Option<CountVector>) {
    let mut counts = CountVector::default();
    if count == 0 {
        return (Femtojoules::ZERO, Some(counts));
    }
    let Some(cost) = costs.of(GARBAGE_COLLECTION) else { return (Femtojoules::ZERO, None) };
    counts.add(cost, count as f64);
    (Femtojoules::from_joules(costs.energy(&counts)), Some(counts))
}

/// The interval of a measured mean.
fn spread(energy: Joules, se: Option<Joules>) -> Option<Interval> {
    se.map(|se| Interval::of_difference(energy, se.0 * se.0))
}

/// Measured, idle and explained vary independently, so the remainder's variance is the
/// sum of theirs; absent when one of them is.
fn remainder_interval(
    measured: &Measured,
    explained: &Explained,
    gc: &CountVector,
    remainder: Femtojoules,
    costs: &Costs<'_>,
) -> Option<Interval> {
    let mut counts = explained.operations.1.clone();
    for (&cost, &count) in explained.library.1.0.iter().chain(&gc.0) {
        counts.add(cost, count);
    }
    let (total, idle) = (measured.total_se?, measured.idle_se?);
    let variance = costs.variance(&counts)? + total.0 * total.0 + idle.0 * idle.0;
    Some(Interval::of_difference(remainder.joules(), variance))
}
