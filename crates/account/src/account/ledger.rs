//! The ledger: measured = idle + operations + library + compiler + GC + unexplained, in whole
//! femtojoules, so that it adds up exactly. What the model doesn't explain is a row
//! (it may be negative: then the model explains too much), never spread over others.

use crate::account::cost::{CountVector, GARBAGE_COLLECTION, IndexedModel};
use crate::account::entry::Bundle;
use crate::account::pricing::Pricing;
use crate::exact::Femtojoules;
use crate::exact::share;
use crate::interval::Interval;
use crate::scenario::UnanalysedLanguage;
use crate::units::Joules;

/// What was measured for one scenario: its base cases summed over input sequences.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MeasuredEnergies {
    /// Energy of the sessions, idle included.
    pub total: Joules,
    /// Its standard error, where repeats allow one.
    pub total_se: Option<Joules>,
    /// Energy that the board spends in the same time without the application.
    pub idle: Joules,
    /// Its standard error, where repeats allow one.
    pub idle_se: Option<Joules>,
    /// GC in the sessions.
    pub collections: u64,
    /// What the runtime's own threads spent, where their times tell it.
    pub runtime: Option<RuntimeEnergy>,
}

/// What the runtime's own threads spent, by their CPU times.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RuntimeEnergy {
    /// The compilers.
    pub compiler: Joules,
    /// Its standard error, where repeats allow one.
    pub compiler_se: Option<Joules>,
    /// The garbage collector.
    pub collector: Joules,
    /// Its standard error, where repeats allow one.
    pub collector_se: Option<Joules>,
}

impl MeasuredEnergies {
    /// What was spent above idle: what shares are parts of.
    pub(super) fn above_idle(&self) -> Femtojoules {
        Femtojoules::from_joules(self.total) - Femtojoules::from_joules(self.idle)
    }

    /// What the collector spent: by its threads' times, else by the model's cost for each
    /// collection; zero where neither is known.
    pub(super) fn collector(&self, costs: &IndexedModel<'_>) -> Joules {
        match self.runtime {
            Some(runtime) => runtime.collector,
            None => Joules(collections(self.collections, costs).0.joules().0),
        }
    }

    /// What the compilers spent, where that is known.
    pub(super) fn compiler(&self) -> Joules {
        self.runtime.map_or(Joules::ZERO, |runtime| runtime.compiler)
    }

    /// The variance of what the runtime's threads spent, in J^2; none without repeats.
    fn runtime_variance(&self) -> Option<f64> {
        let Some(runtime) = self.runtime else { return Some(0.0) };
        Some(runtime.compiler_se?.0.powi(2) + runtime.collector_se?.0.powi(2))
    }
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
    /// Library functions, GC apart.
    Library,
    /// The runtime's compilers, by their threads' times; no row where these are not known.
    Compiler,
    /// GC: by the collector's threads' times, else by the model's cost for
    /// one. Zero when neither is known: then they are in the unexplained row.
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
            LedgerEntry::Compiler => "compiler",
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
    /// Why a row of 0 J has no figure of its own: `none ran`, `no cost known`, `not measured`;
    /// else empty.
    pub remark: &'static str,
}

/// The rows: the whole first, then its parts.
#[derive(Debug, Clone, PartialEq)]
pub struct Ledger {
    /// In the order of [`LedgerEntry`].
    pub rows: Vec<LedgerRow>,
    /// Languages of the application that are not analysed, each a row without a figure: what
    /// their code spends is in `library`, where the sources call it, and in `unexplained`.
    pub unanalysed: Vec<UnanalysedLanguage>,
}

/// Of idle energy where the meter tells none.
pub(crate) const NOT_MEASURED: &str = "not measured";

/// The figure of a row that has none, and why.
pub const NOT_KNOWN: &str = "not known";

/// The name of the row of a language that is not analysed.
pub fn unanalysed(language: UnanalysedLanguage) -> &'static str {
    match language {
        UnanalysedLanguage::Kotlin => "not analysed: Kotlin",
        UnanalysedLanguage::Groovy => "not analysed: Groovy",
        UnanalysedLanguage::Scala => "not analysed: Scala",
    }
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

    /// A row's energy as it is shown: what is left of rounding, less than a thousandth of a
    /// millionth of what was measured, is nothing.
    pub fn shown(&self, row: &LedgerRow) -> Joules {
        let energy = row.energy.joules();
        let measured = self.energy(LedgerEntry::Measured).joules();
        if energy.0.abs() < 1e-9 * measured.0 { Joules(0.0) } else { energy }
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
pub(super) struct Explained<'a> {
    /// The source's operations.
    pub operations: ExplainedRow,
    /// Library functions.
    pub library: ExplainedRow,
    /// Both together.
    pub both: Bundle<'a>,
}

/// One of its rows.
pub(super) struct ExplainedRow {
    pub energy: Femtojoules,
    pub interval: Option<Interval>,
}

/// Makes the ledger.
pub(super) fn ledger(
    measured: &MeasuredEnergies,
    explained: &Explained<'_>,
    pricing: &Pricing<'_, '_>,
) -> Ledger {
    let total = Femtojoules::from_joules(measured.total);
    let idle = Femtojoules::from_joules(measured.idle);
    let gc = collector(measured, pricing.costs);
    let runtime = measured.runtime.map(|runtime| {
        let spread = spread(runtime.compiler, runtime.compiler_se);
        (LedgerEntry::Compiler, Femtojoules::from_joules(runtime.compiler), spread)
    });
    let compiler = runtime.map_or(Femtojoules::ZERO, |(_, energy, _)| energy);
    let (operations, library) = (&explained.operations, &explained.library);
    let rest = total - idle - operations.energy - library.energy - compiler - gc.energy;
    let unsure = remainder_interval(measured, explained, &gc.counts, rest, pricing);
    let before = [
        (LedgerEntry::Measured, total, spread(measured.total, measured.total_se)),
        (LedgerEntry::Idle, idle, spread(measured.idle, measured.idle_se)),
        (LedgerEntry::Operations, operations.energy, operations.interval),
        (LedgerEntry::Library, library.energy, library.interval),
    ];
    let after =
        [(LedgerEntry::Gc, gc.energy, gc.interval), (LedgerEntry::Unexplained, rest, unsure)];
    let rows = before.into_iter().chain(runtime).chain(after);
    let row = |(entry, energy, interval): (LedgerEntry, Femtojoules, Option<Interval>)| {
        let remark = match entry {
            LedgerEntry::Gc => gc.remark,
            // No board spends nothing: an estimate by CPU time knows no idle power.
            LedgerEntry::Idle if energy == Femtojoules::ZERO => NOT_MEASURED,
            _ => "",
        };
        let interval = interval.filter(|_| remark != NOT_MEASURED);
        LedgerRow { entry, energy, interval, share: share(energy, total), remark }
    };
    Ledger { rows: rows.map(row).collect(), unanalysed: Vec::new() }
}

/// The row of the collector.
struct GcRow {
    energy: Femtojoules,
    interval: Option<Interval>,
    /// What of the model is in it.
    counts: CountVector,
    remark: &'static str,
}

fn collector(measured: &MeasuredEnergies, costs: &IndexedModel<'_>) -> GcRow {
    if let Some(RuntimeEnergy { collector, collector_se, .. }) = measured.runtime {
        let remark = if collector == Joules::ZERO { "none ran" } else { "" };
        return GcRow {
            energy: Femtojoules::from_joules(collector),
            interval: spread(collector, collector_se).filter(|_| remark.is_empty()),
            counts: CountVector::default(),
            remark,
        };
    }
    let (energy, counts) = collections(measured.collections, costs);
    let remark = match (measured.collections, &counts) {
        (0, _) => "none ran",
        (_, None) => "no cost known",
        _ => "",
    };
    let some = counts.as_ref().filter(|_| measured.collections > 0);
    let interval = some.and_then(|counts| costs.interval(counts));
    GcRow { energy, interval, counts: counts.unwrap_or_default(), remark }
}

/// Energy and counts of the GC runs; no counts when there were some and the
/// model has no cost for them.
fn collections(count: u64, costs: &IndexedModel<'_>) -> (Femtojoules, Option<CountVector>) {
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

/// Measured, idle, the runtime's threads and explained vary independently, so the remainder's
/// variance is the sum of theirs; absent when one of them is.
fn remainder_interval(
    measured: &MeasuredEnergies,
    explained: &Explained<'_>,
    gc: &CountVector,
    remainder: Femtojoules,
    pricing: &Pricing<'_, '_>,
) -> Option<Interval> {
    let (total, idle) = (measured.total_se?, measured.idle_se?);
    let variance = pricing.variance(&explained.both, gc)? + measured.runtime_variance()?;
    let variance = variance + total.0 * total.0 + idle.0 * idle.0;
    Some(Interval::of_difference(remainder.joules(), variance))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::{account, sample};

    /// An estimate by CPU time has no idle energy: that is no measurement of 0 J.
    #[test]
    fn idle_energy_of_zero_is_not_measured() {
        let mut sample = sample::program_1();
        let idle = |sample: &sample::OwnedScenario| {
            account(&sample.scenario()).ledger.row(LedgerEntry::Idle).unwrap().clone()
        };
        sample.measured.idle = Joules(0.25);
        sample.measured.idle_se = Some(Joules(0.01));
        let measured = idle(&sample);
        assert!(measured.remark.is_empty() && measured.interval.is_some());
        sample.measured.idle = Joules::ZERO;
        let none = idle(&sample);
        assert_eq!((none.remark, none.interval), (NOT_MEASURED, None));
        assert!(account(&sample.scenario()).ledger.adds_up());
    }

    #[test]
    fn what_rounding_leaves_is_shown_as_nothing() {
        let mut ledger = account(&sample::program_1().scenario()).ledger;
        let measured = ledger.energy(LedgerEntry::Measured);
        let rest = |ledger: &Ledger| ledger.shown(ledger.row(LedgerEntry::Unexplained).unwrap());
        let set = |ledger: &mut Ledger, energy: Femtojoules| {
            let rows = ledger.rows.iter_mut();
            rows.filter(|row| row.entry == LedgerEntry::Unexplained)
                .for_each(|row| row.energy = energy);
        };
        set(&mut ledger, Femtojoules(-16));
        assert_eq!(rest(&ledger), Joules(0.0));
        let millionth = Femtojoules(measured.0 / 1_000_000);
        set(&mut ledger, millionth);
        assert_eq!(rest(&ledger), millionth.joules());
    }

    /// 1.25 J above idle, of which the compilers spent 0.5 and the collector 0.125 J.
    #[test]
    fn threads_of_the_runtime_have_rows_and_all_adds_up() {
        let mut sample = sample::program_1();
        let plain = account(&sample.scenario());
        assert!(plain.ledger.row(LedgerEntry::Compiler).is_none(), "it is not known");
        let se = Some(Joules(0.01));
        sample.measured.runtime = Some(RuntimeEnergy {
            compiler: Joules(0.5),
            compiler_se: se,
            collector: Joules(0.125),
            collector_se: se,
        });
        let ledger = account(&sample.scenario()).ledger;
        assert!(ledger.adds_up());
        let row = |entry| ledger.row(entry).unwrap();
        assert_eq!(row(LedgerEntry::Compiler).energy, Femtojoules::from_joules(Joules(0.5)));
        assert_eq!(row(LedgerEntry::Gc).energy, Femtojoules::from_joules(Joules(0.125)));
        let half = |ledger: &Ledger| {
            let interval = ledger.row(LedgerEntry::Unexplained).unwrap().interval.unwrap();
            (interval.hi - interval.lo).0 / 2.0 / 1.96
        };
        let (before, after) = (half(&plain.ledger), half(&ledger));
        assert!((after.powi(2) - before.powi(2) - 2e-4).abs() < 1e-6, "{before} {after}");
        assert_eq!(ledger.above_idle(), plain.ledger.above_idle());
    }
}
