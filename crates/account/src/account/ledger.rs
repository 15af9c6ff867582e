//! The ledger: measured = idle + operations + library + compiler + GC + unexplained, in whole
//! femtojoules, so that it adds up exactly. Energy that the model does not explain is a row of
//! its own (negative where the model explains too much), never distributed over the others.

use crate::account::cost::{CountVector, GARBAGE_COLLECTION, IndexedModel};
use crate::account::entry::Bundle;
use crate::account::pricing::Pricing;
use crate::exact::Femtojoules;
use crate::exact::share;
use crate::interval::Interval;
use crate::scenario::UnanalysedLanguage;
use crate::units::Joules;

/// Measured energies of one scenario: its cases without removals, summed over input sequences.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MeasuredEnergies {
    /// Energy of the sessions, idle included.
    pub total: Joules,
    /// Its standard error, where repeats allow one.
    pub total_se: Option<Joules>,
    /// Energy of the board in the same time without the application.
    pub idle: Joules,
    /// Its standard error, where repeats allow one.
    pub idle_se: Option<Joules>,
    /// Number of GC runs in the sessions.
    pub collections: u64,
    /// Energy of the runtime's own threads, where their CPU times are known.
    pub runtime: Option<RuntimeEnergy>,
}

/// Energy of the runtime's own threads, by their CPU times.
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
    /// Energy above idle, which shares relate to.
    pub(super) fn above_idle(&self) -> Femtojoules {
        Femtojoules::from_joules(self.total) - Femtojoules::from_joules(self.idle)
    }

    /// Energy of the garbage collector: by its threads' CPU times, else GC runs x the model's
    /// cost; zero where neither is known.
    pub(super) fn collector(&self, costs: &IndexedModel<'_>) -> Joules {
        match self.runtime {
            Some(runtime) => runtime.collector,
            None => Joules(gc_runs_energy(self.collections, costs).0.joules().0),
        }
    }

    /// Energy of the compilers; zero where it is unknown.
    pub(super) fn compiler(&self) -> Joules {
        self.runtime.map_or(Joules::ZERO, |runtime| runtime.compiler)
    }

    /// Variance of the energy of the runtime's threads, in J^2; none without repeats.
    fn runtime_variance(&self) -> Option<f64> {
        let Some(runtime) = self.runtime else { return Some(0.0) };
        Some(runtime.compiler_se?.0.powi(2) + runtime.collector_se?.0.powi(2))
    }
}

/// Name of a row of the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LedgerEntry {
    /// The whole, which the other rows add up to.
    Measured,
    /// The board without the application.
    Idle,
    /// The source's operations with known costs.
    Operations,
    /// Library functions, GC apart.
    Library,
    /// The runtime's compilers, by their threads' CPU times; no row where these are unknown.
    Compiler,
    /// GC: by the collector's threads' CPU times, else GC runs x the model's cost. Zero where
    /// neither is known: the energy is then in the unexplained row.
    Gc,
    /// The rest: operations of unknown cost, the model's error, noise.
    Unexplained,
}

impl LedgerEntry {
    /// Name of the row in `ledger.csv`.
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

/// One row of the ledger: energy, interval, share.
#[derive(Debug, Clone, PartialEq)]
pub struct LedgerRow {
    /// Name of the row.
    pub entry: LedgerEntry,
    /// Its energy.
    pub energy: Femtojoules,
    /// 95 % interval, where repeats or the model give one.
    pub interval: Option<Interval>,
    /// Share of the measured energy, idle included, 0..1.
    pub share: Option<f64>,
    /// Why a row of 0 J has no figure: `none ran`, `no cost known`, `not measured`; else empty.
    pub remark: &'static str,
}

/// The rows of a scenario's ledger: the whole first, then its parts.
#[derive(Debug, Clone, PartialEq)]
pub struct Ledger {
    /// In the order of [`LedgerEntry`].
    pub rows: Vec<LedgerRow>,
    /// Languages of the application that are not analysed, each a row without a figure. The
    /// energy of their code is in `library`, where the sources call it, and in `unexplained`.
    pub unanalysed: Vec<UnanalysedLanguage>,
}

/// Remark on idle energy where the meter has none.
pub(crate) const NOT_MEASURED: &str = "not measured";

/// Text in place of a figure that is unknown.
pub const NOT_KNOWN: &str = "not known";

/// Row name of a language that is not analysed.
pub fn unanalysed_row_name(language: UnanalysedLanguage) -> &'static str {
    match language {
        UnanalysedLanguage::Kotlin => "not analysed: Kotlin",
        UnanalysedLanguage::Groovy => "not analysed: Groovy",
        UnanalysedLanguage::Scala => "not analysed: Scala",
    }
}

impl Ledger {
    /// Energy of a row; zero for a missing one.
    pub fn energy(&self, entry: LedgerEntry) -> Femtojoules {
        self.row(entry).map_or(Femtojoules::ZERO, |row| row.energy)
    }

    /// The row of an entry, if there is one.
    pub fn row(&self, entry: LedgerEntry) -> Option<&LedgerRow> {
        self.rows.iter().find(|row| row.entry == entry)
    }

    /// Displayed energy of a row: zero for a remainder from rounding, below 10^-9 of the measured
    /// energy.
    pub fn displayed_energy(&self, row: &LedgerRow) -> Joules {
        let energy = row.energy.joules();
        let measured = self.energy(LedgerEntry::Measured).joules();
        if energy.0.abs() < 1e-9 * measured.0 { Joules(0.0) } else { energy }
    }

    /// Whether the parts add up to the whole exactly.
    pub fn adds_up(&self) -> bool {
        let parts = self.rows.iter().filter(|row| row.entry != LedgerEntry::Measured);
        parts.map(|row| row.energy).sum::<Femtojoules>() == self.energy(LedgerEntry::Measured)
    }

    /// Measured energy less idle: what the application spent, explained or not.
    pub fn above_idle(&self) -> Femtojoules {
        self.energy(LedgerEntry::Measured) - self.energy(LedgerEntry::Idle)
    }
}

/// Energy that the model explains, by row of the ledger.
pub(super) struct ExplainedEnergy<'a> {
    /// The source's operations.
    pub operations: ExplainedRow,
    /// Library functions.
    pub library: ExplainedRow,
    /// The sum of operations and library functions, for its interval.
    pub both: Bundle<'a>,
}

/// Energy and interval of one explained row.
pub(super) struct ExplainedRow {
    pub energy: Femtojoules,
    pub interval: Option<Interval>,
}

/// Computes the ledger from measured and explained energies.
pub(super) fn ledger(
    measured: &MeasuredEnergies,
    explained: &ExplainedEnergy<'_>,
    pricing: &Pricing<'_, '_>,
) -> Ledger {
    let total = Femtojoules::from_joules(measured.total);
    let idle = Femtojoules::from_joules(measured.idle);
    let gc = gc_row(measured, pricing.costs);
    let runtime = measured.runtime.map(|runtime| {
        let spread = mean_interval(runtime.compiler, runtime.compiler_se);
        (LedgerEntry::Compiler, Femtojoules::from_joules(runtime.compiler), spread)
    });
    let compiler = runtime.map_or(Femtojoules::ZERO, |(_, energy, _)| energy);
    let (operations, library) = (&explained.operations, &explained.library);
    let rest = total - idle - operations.energy - library.energy - compiler - gc.energy;
    let unsure = remainder_interval(measured, explained, &gc.counts, rest, pricing);
    let before = [
        (LedgerEntry::Measured, total, mean_interval(measured.total, measured.total_se)),
        (LedgerEntry::Idle, idle, mean_interval(measured.idle, measured.idle_se)),
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

/// The GC row, with the model's counts in it.
struct GcRow {
    energy: Femtojoules,
    interval: Option<Interval>,
    /// Counts of costs that the energy was computed from; empty where it was measured.
    counts: CountVector,
    remark: &'static str,
}

fn gc_row(measured: &MeasuredEnergies, costs: &IndexedModel<'_>) -> GcRow {
    if let Some(RuntimeEnergy { collector, collector_se, .. }) = measured.runtime {
        let remark = if collector == Joules::ZERO { "none ran" } else { "" };
        return GcRow {
            energy: Femtojoules::from_joules(collector),
            interval: mean_interval(collector, collector_se).filter(|_| remark.is_empty()),
            counts: CountVector::default(),
            remark,
        };
    }
    let (energy, counts) = gc_runs_energy(measured.collections, costs);
    let remark = match (measured.collections, &counts) {
        (0, _) => "none ran",
        (_, None) => "no cost known",
        _ => "",
    };
    let some = counts.as_ref().filter(|_| measured.collections > 0);
    let interval = some.and_then(|counts| costs.interval(counts));
    GcRow { energy, interval, counts: counts.unwrap_or_default(), remark }
}

/// Energy and counts of the GC runs by the model; no counts where GC ran and the model has no
/// cost for it.
fn gc_runs_energy(count: u64, costs: &IndexedModel<'_>) -> (Femtojoules, Option<CountVector>) {
    let mut counts = CountVector::default();
    if count == 0 {
        return (Femtojoules::ZERO, Some(counts));
    }
    let Some(cost) = costs.of(GARBAGE_COLLECTION) else { return (Femtojoules::ZERO, None) };
    counts.add(cost, count as f64);
    (Femtojoules::from_joules(costs.energy(&counts)), Some(counts))
}

/// The 95 % interval of a measured mean.
fn mean_interval(energy: Joules, se: Option<Joules>) -> Option<Interval> {
    se.map(|se| Interval::of_difference(energy, se.0 * se.0))
}

/// The interval of the remainder. Measured, idle, runtime and explained energies vary
/// independently, so its variance is the sum of theirs; absent where one is.
fn remainder_interval(
    measured: &MeasuredEnergies,
    explained: &ExplainedEnergy<'_>,
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
        let rest = |ledger: &Ledger| {
            ledger.displayed_energy(ledger.row(LedgerEntry::Unexplained).unwrap())
        };
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
