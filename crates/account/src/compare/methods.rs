//! Changes of methods and classes by a model: counts of both sides x costs.
//!
//! With one model for both sides, the errors are shared: a wrong cost is equally wrong on both,
//! so only the difference of the counts has an error, and a method with equal counts has not
//! changed. With a model for each side, the errors are taken as independent, and every method
//! appears slightly changed.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use crate::account::{Accounts, IndexedModel, Interval, MethodKey};
use crate::blocks::BlockId;
use crate::format;
use crate::interval::NORMAL_975;
use crate::model::Model;
use crate::operations::{BlockEntry, Dictionary};
use crate::units::Joules;

use super::budget::Spending;
use super::change::{ALL_GONE, EnergyChange, fieller_interval};
use super::patch::CarriedCounts;
use super::priced_sides::{
    PricedCounts, PricedSides, energy_variance, own_variance, price_side, shared_variance,
};
use super::unpriced_operations::UnpricedOperations;
use super::{ChangeRow, Subject, around, joined};

/// One side of a comparison: blocks and their executions.
#[derive(Debug, Clone, Copy)]
pub struct ComparedSide<'a> {
    /// Blocks with their operations.
    pub dictionary: &'a Dictionary,
    /// Executions by block.
    pub executions: &'a BTreeMap<BlockId, u64>,
}

/// Models that price the two sides.
#[derive(Debug, Clone, Copy)]
pub enum SidePrices<'m> {
    /// One model for both sides; it may take costs of operations that only the new side runs from
    /// another model ([`Model::with_missing_costs_from`]).
    Shared(&'m Model),
    /// A model for each side.
    Own {
        /// Of the base.
        base: &'m Model,
        /// Of the new side.
        new: &'m Model,
    },
}

/// Changes of all methods and classes, with their sum.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MethodChanges {
    /// Sum over all methods.
    pub total: EnergyChange,
    /// Operations without a cost, over all methods.
    pub unpriced: UnpricedOperations,
    /// Classes that changed, the largest change first.
    pub classes: Vec<ChangeRow>,
    /// Methods that changed, the largest change first.
    pub methods: Vec<ChangeRow>,
    /// Number of methods that ran and have not changed.
    pub unchanged: usize,
    /// Lower ends of both sides' 95 % intervals, for each changed class or method.
    least: BTreeMap<Subject, LeastSpent>,
    /// Variances in J^2 of both sides' energies, for subjects whose figures come from the
    /// accounts.
    pub(super) accounted: BTreeMap<Subject, [f64; 2]>,
}

/// Lower ends of the 95 % intervals of the base and the new side; absent where the model has no
/// errors.
type LeastSpent = [Option<Joules>; 2];

/// Changes between two measured campaigns.
pub fn compare_methods(
    base: ComparedSide<'_>,
    new: ComparedSide<'_>,
    prices: SidePrices<'_>,
) -> MethodChanges {
    let methods = changes_by_key(base, new, prices, MethodKey::of);
    let classes = changes_by_key(base, new, prices, |block| block.class.clone());
    let total = changes_by_key(base, new, prices, |_| ()).remove(&()).unwrap_or_default();
    let least_of_classes =
        classes.iter().map(|(class, key)| (Subject::Class(class.clone()), key.least));
    let least_of_methods =
        methods.iter().map(|(method, key)| (Subject::Method(method.clone()), key.least));
    MethodChanges {
        least: least_of_classes.chain(least_of_methods).collect(),
        accounted: BTreeMap::new(),
        total: total.change,
        unpriced: total.unpriced,
        unchanged: methods.values().filter(|key| is_same(&key.change)).count(),
        classes: rows(classes, Subject::Class, |_| String::new()),
        methods: rows(methods, Subject::Method, |_| String::new()),
    }
}

/// Predicted changes by a patch. Where executions have bounds, so has the energy: the interval
/// reaches from the lower end at the fewest executions to the upper end at the most. Methods with
/// blocks of unknown executions, their classes and the sum have no new figure.
pub fn compare_patch(
    base: ComparedSide<'_>,
    carried: &CarriedCounts,
    model: &Model,
) -> MethodChanges {
    let lost: BTreeSet<&str> = carried.unknown.keys().map(|key| key.class.as_str()).collect();
    let lost_total = |_: &()| !carried.unknown.is_empty();
    let methods = predicted_changes(base, carried, model, MethodKey::of, |key| {
        carried.unknown.contains_key(key)
    });
    let classes = predicted_changes(
        base,
        carried,
        model,
        |block| block.class.clone(),
        |class| lost.contains(class.as_str()),
    );
    let total = predicted_changes(base, carried, model, |_| (), lost_total);
    let remark = |key: &MethodKey| {
        let why = carried.unknown.get(key).or_else(|| carried.remarks.get(key));
        why.cloned().unwrap_or_default()
    };
    let of_class = |class: &String| match lost.contains(class.as_str()) {
        true => "a method of it can't be predicted".to_string(),
        false => String::new(),
    };
    let total = total.into_values().next().unwrap_or_default();
    MethodChanges {
        least: BTreeMap::new(),
        accounted: BTreeMap::new(),
        total: total.change,
        unpriced: total.unpriced,
        unchanged: methods.values().filter(|key| is_same(&key.change)).count(),
        classes: rows(classes, Subject::Class, of_class),
        methods: rows(methods, Subject::Method, remark),
    }
}

impl MethodChanges {
    /// Removes impossible figures: those without an interval, and those of parts that exceed the
    /// measured energy of the whole, at most `base_most` and `new_most` in joules. A part that is
    /// within the whole by the model's errors keeps its figures.
    #[must_use]
    pub fn without_impossible_figures(
        mut self,
        base_most: Option<Joules>,
        new_most: Option<Joules>,
    ) -> Self {
        for row in self.classes.iter_mut().chain(&mut self.methods) {
            let change = row.change;
            if change.difference().is_none() {
                continue;
            }
            let [least_base, least_new] = self.least.get(&row.subject).copied().unwrap_or_default();
            let why = excess_remark(change.new, least_new, new_most)
                .or_else(|| excess_remark(change.base, least_base, base_most))
                .or_else(|| {
                    change.interval.is_none().then(|| "the model has no errors for it".to_owned())
                });
            if let Some(why) = why {
                row.change = EnergyChange::default();
                row.remark = joined([row.remark.clone(), why]);
            }
        }
        self.sort();
        self
    }

    pub(super) fn sort(&mut self) {
        self.classes.sort_by(by_size);
        self.methods.sort_by(by_size);
    }
}

/// Ratio to the whole above which a part has no figure, whatever its error.
const ABSURD_RATIO: f64 = 2.0;

/// Remark on a part whose costs exceed the energy of the whole, at their lower end or by far;
/// `None` for others.
fn excess_remark(
    part: Option<Joules>,
    least: Option<Joules>,
    most: Option<Joules>,
) -> Option<String> {
    let (part, most) = (part?, most?);
    let least = least.unwrap_or(part);
    let said = match () {
        () if least.0 > most.0 => format!("at least {}", format::energy(least)),
        () if part.0 > ABSURD_RATIO * most.0 => format::energy(part),
        () => return None,
    };
    let most = format::energy(most);
    Some(format!("its costs add up to {said}, and the scenario spends at most {most}"))
}

/// Energy of every method and class by the accounts of a campaign: exactly zero for one that did
/// not run.
pub fn accounted_spending(dictionary: &Dictionary, accounts: &Accounts) -> Spending {
    let mut all = nothing_spent(dictionary);
    for class in &accounts.classes {
        let figure = (class.energy.joules(), class.interval);
        all.insert(("class", class.key.clone()), Some(figure));
    }
    for method in &accounts.methods {
        let figure = (method.energy.joules(), method.interval);
        all.insert(("method", Subject::Method(method.key.clone()).name()), Some(figure));
    }
    all
}

fn nothing_spent(dictionary: &Dictionary) -> Spending {
    let none = (Joules::ZERO, Some(around(0.0, 0.0)));
    let names = dictionary.blocks.iter().flat_map(|block| {
        let method = Subject::Method(MethodKey::of(block)).name();
        [("class", block.class.clone()), ("method", method)]
    });
    names.map(|name| (name, Some(none))).collect()
}

/// Energy of every method and class of a dictionary by a model: exactly zero for one that did not
/// run; no figure for one with operations without a cost.
pub fn modelled_spending(side: ComparedSide<'_>, model: &Model) -> Spending {
    let costs = IndexedModel::new(model);
    let mut all = nothing_spent(side.dictionary);
    let figure = |priced: &PricedCounts| {
        if !priced.unpriced.is_empty() {
            return None;
        }
        let interval = own_variance(priced, &costs)
            .map(|variance| Interval::around(Joules(priced.energy_j), variance));
        Some((Joules(priced.energy_j), interval))
    };
    for (class, sum) in price_side(side, &costs, |block| block.class.clone()) {
        all.insert(("class", class), figure(&sum));
    }
    for (key, sum) in price_side(side, &costs, MethodKey::of) {
        all.insert(("method", Subject::Method(key).name()), figure(&sum));
    }
    all
}

fn predicted_changes<K: Ord + Clone>(
    base: ComparedSide<'_>,
    carried: &CarriedCounts,
    model: &Model,
    key: impl Fn(&BlockEntry) -> K + Copy,
    is_lost: impl Fn(&K) -> bool,
) -> BTreeMap<K, PricedChange> {
    let with = |executions| {
        let new = ComparedSide { dictionary: &carried.dictionary, executions };
        changes_by_key(base, new, SidePrices::Shared(model), key)
    };
    let (least, most) = (with(&carried.least), with(&carried.most));
    let mut all = with(&carried.likely);
    for block in &carried.dictionary.blocks {
        if is_lost(&key(block)) {
            all.entry(key(block)).or_default();
        }
    }
    for (key, PricedChange { change, .. }) in &mut all {
        let bounds = [&least, &most].map(|side| side.get(key).map(|bound| bound.change));
        let ends = bounds.map(|bound| bound.and_then(|change| change.interval));
        let shares = bounds.map(|bound| bound.and_then(|change| change.share_interval));
        let hull = |few: Interval, many: Interval| Interval {
            lo: Joules(few.lo.0.min(many.lo.0)),
            hi: Joules(few.hi.0.max(many.hi.0)),
        };
        let hull_of_shares =
            |few: (f64, f64), many: (f64, f64)| (few.0.min(many.0), few.1.max(many.1));
        change.interval = change.interval.and(ends[0].zip(ends[1]).map(|(a, b)| hull(a, b)));
        let shares = shares[0].zip(shares[1]).map(|(a, b)| hull_of_shares(a, b));
        change.share_interval = change.share_interval.and(shares);
        if is_lost(key) {
            *change = EnergyChange { base: change.base, ..EnergyChange::default() };
        }
    }
    all
}

/// A change with its operations without a cost, and the lower ends of both sides.
#[derive(Debug, Default)]
struct PricedChange {
    change: EnergyChange,
    unpriced: UnpricedOperations,
    least: LeastSpent,
}

/// Variances in J^2 of both sides' energies and of their difference; absent where the model has
/// no errors.
#[derive(Debug, Clone, Copy)]
struct Variances {
    base: Option<f64>,
    new: Option<f64>,
    difference: Option<f64>,
}

/// Change of every key that ran on either side.
fn changes_by_key<K: Ord>(
    base: ComparedSide<'_>,
    new: ComparedSide<'_>,
    prices: SidePrices<'_>,
    key: impl Fn(&BlockEntry) -> K,
) -> BTreeMap<K, PricedChange> {
    let PricedSides { base: mut before, new: now, costs: [of_base, of_new], is_shared } =
        PricedSides::of(base, new, prices, key);
    let nothing = PricedCounts::default();
    let variances = |before: &PricedCounts, now: &PricedCounts| Variances {
        base: energy_variance(before, &of_base),
        new: energy_variance(now, &of_new),
        difference: match is_shared {
            true => shared_variance(before, now, &of_base),
            false => own_variance(before, &of_base)
                .zip(own_variance(now, &of_new))
                .map(|(before, now)| before + now),
        },
    };
    let mut all = BTreeMap::new();
    for (key, now) in now {
        let before = before.remove(&key).unwrap_or_default();
        all.insert(key, priced_change(&before, &now, variances(&before, &now)));
    }
    for (key, before) in before {
        all.insert(key, priced_change(&before, &nothing, variances(&before, &nothing)));
    }
    all
}

/// The change of one key. A side with operations without a cost has no figure, unless the other
/// side has equally many: then the difference is known.
fn priced_change(base: &PricedCounts, new: &PricedCounts, variances: Variances) -> PricedChange {
    let unpriced = UnpricedOperations::of(&base.unpriced, &new.unpriced);
    let least = [(base, variances.base), (new, variances.new)].map(|(side, variance)| {
        variance.map(|variance| Interval::around(Joules(side.energy_j), variance).lo)
    });
    if unpriced.has_difference() {
        let figure = |side: usize, priced: &PricedCounts| {
            unpriced.is_priced(side).then_some(Joules(priced.energy_j))
        };
        let (base, new) = (figure(0, base), figure(1, new));
        let change = EnergyChange { base, new, ..EnergyChange::default() };
        return PricedChange { change, unpriced, least };
    }
    let half = variances.difference.map(|variance| NORMAL_975 * variance.max(0.0).sqrt());
    let interval = half.map(|half| around(new.energy_j - base.energy_j, half));
    let share_interval = share_interval(base, new, variances);
    let (base, new) = (Some(Joules(base.energy_j)), Some(Joules(new.energy_j)));
    PricedChange { change: EnergyChange { base, new, interval, share_interval }, unpriced, least }
}

/// Interval of the change as a share of the base. The base is as uncertain as the new side, and
/// shares its errors as far as the difference has less variance than both. An energy that is no
/// longer spent changes by exactly -100 %.
fn share_interval(base: &PricedCounts, new: &PricedCounts, of: Variances) -> Option<(f64, f64)> {
    let difference = of.difference?;
    if base.energy_j > 0.0 && new.counts.0.is_empty() && new.unpriced.is_empty() {
        return Some((ALL_GONE, ALL_GONE));
    }
    let (base_variance, new_variance) = (of.base?, of.new?);
    let covariance = 0.5 * (base_variance + new_variance - difference);
    fieller_interval(
        (base.energy_j, base_variance),
        (new.energy_j, new_variance),
        covariance,
        NORMAL_975,
    )
}

/// Whether the energies are equal to the last digit.
fn is_same(change: &EnergyChange) -> bool {
    change.difference() == Some(Joules::ZERO)
        && change.interval.is_none_or(|i| i.lo == Joules::ZERO && i.hi == Joules::ZERO)
}

/// Rows of the changed keys; those without a figure first, then by descending change.
fn rows<K>(
    changes: BTreeMap<K, PricedChange>,
    subject: impl Fn(K) -> Subject,
    remark: impl Fn(&K) -> String,
) -> Vec<ChangeRow> {
    let changed = changes.into_iter().filter(|(_, key)| !is_same(&key.change));
    let mut rows: Vec<ChangeRow> = changed
        .map(|(key, PricedChange { change, unpriced, .. })| {
            let unpriced = (!unpriced.is_empty()).then(|| unpriced.to_string());
            let remark = joined([remark(&key), unpriced.unwrap_or_default()]);
            ChangeRow { subject: subject(key), change, verdict: None, remark }
        })
        .collect();
    rows.sort_by(by_size);
    rows
}

/// Order of rows: those without a figure first, then by descending change.
fn by_size(a: &ChangeRow, b: &ChangeRow) -> Ordering {
    let size = |row: &ChangeRow| row.change.difference().map_or(f64::INFINITY, |d| d.0.abs());
    size(b).total_cmp(&size(a))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::sample;
    use crate::compare::patch::{PatchedProgram, carry_counts};
    use crate::operations::CallGraph;

    /// Increment costs 1 uJ +- 10 %, Decrement 3 uJ +- 10 %; the first method runs 100
    /// times on both sides, the second 100 and 110 times.
    fn sides() -> (Dictionary, [BTreeMap<BlockId, u64>; 2], Model) {
        let block = |id, method, operation: &str| {
            sample::block(
                id,
                ("a.A", method),
                ("", "entry"),
                (id + 1, id + 1),
                &[(operation, id + 1, 1)],
            )
        };
        let dictionary = Dictionary {
            blocks: vec![block(0, "same()", "Increment"), block(1, "more()", "Decrement")],
        };
        let runs = |more| BTreeMap::from([(BlockId(0), 100), (BlockId(1), more)]);
        let costs = sample::model(&[("Increment", 1e-6), ("Decrement", 3e-6)]);
        (dictionary, [runs(100), runs(110)], sample::with_relative_error(costs, 0.1))
    }

    /// The difference of 10 x 3 uJ: 10 % from the cost, 5 % from the line, both of the
    /// difference only.
    #[test]
    fn one_models_errors_are_shared() {
        let (dictionary, [before, now], model) = sides();
        let side = |executions| ComparedSide { dictionary: &dictionary, executions };
        let changes = compare_methods(side(&before), side(&now), SidePrices::Shared(&model));
        assert_eq!((changes.unchanged, changes.methods.len()), (1, 1));
        let change = changes.methods[0].change;
        let half = (change.interval.unwrap().hi - change.interval.unwrap().lo).0 / 2.0;
        assert!((change.difference().unwrap().0 - 30e-6).abs() < 1e-12);
        assert!((half - NORMAL_975 * 30e-6 * 0.1f64.hypot(0.05)).abs() < 1e-12, "{half}");
        assert!((change.share().unwrap() - 0.1).abs() < 1e-9);
        assert!((changes.total.difference().unwrap().0 - 30e-6).abs() < 1e-12);
    }

    #[test]
    fn two_models_errors_add_up() {
        let (dictionary, [before, now], model) = sides();
        let side = |executions| ComparedSide { dictionary: &dictionary, executions };
        let own = SidePrices::Own { base: &model, new: &model };
        let changes = compare_methods(side(&before), side(&now), own);
        let more = changes.methods.iter().find(|row| row.subject.name() == "a.A.more()").unwrap();
        let interval = more.change.interval.unwrap();
        let half = (interval.hi - interval.lo).0 / 2.0;
        let expected = NORMAL_975 * 0.1f64.hypot(0.05) * (300e-6f64).hypot(330e-6);
        assert!((half / expected - 1.0).abs() < 1e-9, "{half} {expected}");
        assert_eq!(changes.unchanged, 0);
    }

    #[test]
    fn an_operation_without_a_price_leaves_no_interval() {
        let (dictionary, [before, now], _) = sides();
        let model = sample::with_relative_error(sample::model(&[("Increment", 1e-6)]), 0.1);
        let side = |executions| ComparedSide { dictionary: &dictionary, executions };
        let changes = compare_methods(side(&before), side(&now), SidePrices::Shared(&model));
        assert!(changes.total.interval.is_none());
    }

    /// The patch takes the decrement's line twice: 100 x 3 uJ more.
    #[test]
    fn a_patch_is_the_new_text_times_the_old_counts() {
        let (dictionary, [before, _], model) = sides();
        let mut twice = dictionary.clone();
        twice.blocks[1].operations[0].count = 2;
        let base = ComparedSide { dictionary: &dictionary, executions: &before };
        let calls = CallGraph::default();
        let patched = |dictionary| PatchedProgram { dictionary, calls: calls.clone() };
        let carried = carry_counts(base, &calls, patched(twice));
        let changes = compare_patch(base, &carried, &model);
        assert_eq!((changes.unchanged, changes.methods.len()), (1, 1));
        assert!((changes.total.difference().unwrap().0 - 300e-6).abs() < 1e-12);
        let same =
            compare_patch(base, &carry_counts(base, &calls, patched(dictionary.clone())), &model);
        assert_eq!((same.unchanged, same.total.interval.unwrap().hi), (2, Joules::ZERO));
    }

    /// The new side's costs, 430 uJ and at least 355, are the whole application: it may spend 400
    /// uJ, and not 250.
    #[test]
    fn a_part_that_may_be_within_the_whole_keeps_its_figures() {
        let (dictionary, [before, now], model) = sides();
        let side = |executions| ComparedSide { dictionary: &dictionary, executions };
        let class = |most_j: f64| {
            let prices = SidePrices::Shared(&model);
            let changes = compare_methods(side(&before), side(&now), prices);
            changes.without_impossible_figures(None, Some(Joules(most_j))).classes.remove(0)
        };
        let kept = class(400e-6);
        assert!((kept.change.new.unwrap().0 - 430e-6).abs() < 1e-12 && kept.remark.is_empty());
        let refused = class(250e-6);
        assert_eq!(refused.change, EnergyChange::default());
        assert!(refused.remark.contains("add up to at least 3"), "{}", refused.remark);
        let unsure =
            excess_remark(Some(Joules(9.0)), Some(Joules(0.0)), Some(Joules(4.0))).unwrap();
        assert!(unsure.contains("add up to 9.00 J, and the scenario"), "{unsure}");
    }

    /// What runs no more falls by all of it, whatever it cost, and what runs less by no more.
    #[test]
    fn no_method_falls_by_more_than_all_of_it() {
        let (dictionary, [before, _], model) = sides();
        let unsure = sample::with_relative_error(model, 0.4);
        let change = |runs: &[(u32, u64)]| {
            let now = runs.iter().map(|(block, runs)| (BlockId(*block), *runs)).collect();
            let [base, new] = [&before, &now]
                .map(|executions| ComparedSide { dictionary: &dictionary, executions });
            let changes = compare_methods(base, new, SidePrices::Shared(&unsure));
            changes.methods.into_iter().find(|row| row.subject.name() == "a.A.more()").unwrap()
        };
        let gone = change(&[(0, 100)]).change;
        assert_eq!((gone.share(), gone.share_interval), (Some(-1.0), Some((-1.0, -1.0))));
        assert!(gone.interval.unwrap().lo.0 < -300e-6, "joules are as unsure as the cost");
        let halved = change(&[(0, 100), (1, 50)]).change;
        let (lo, hi) = halved.share_interval.unwrap();
        assert!(lo >= -1.0 && hi < 0.0, "{lo} {hi}");
        assert!((lo + 0.5).abs() < 0.2 && (hi + 0.5).abs() < 0.2, "the cost is shared: {lo} {hi}");
    }
}
