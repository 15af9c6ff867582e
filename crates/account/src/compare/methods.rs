//! What a model says of methods and classes: counts of both sides x costs.
//!
//! With one model for both sides its errors are shared: a cost that is wrong is wrong on
//! both, so only the difference of the counts is unsure, and a method whose counts are
//! the same has not changed, whatever it costs. With a model for each side the errors
//! are taken as independent, and everything has "changed" a little.

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
use super::change::{ALL_GONE, EnergyChange, fieller};
use super::patch::Carried;
use super::priced::{
    PricedKey, PricedSides, energy_variance, own_variance, priced, shared_variance,
};
use super::unpriced::UnpricedOperations;
use super::{ChangeRow, Subject, around, joined};

/// Blocks and how often they ran.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// Blocks and what they hold.
    pub dictionary: &'a Dictionary,
    /// Executions per block.
    pub executions: &'a BTreeMap<BlockId, u64>,
}

/// Which model prices which side.
#[derive(Debug, Clone, Copy)]
pub enum SidePrices<'m> {
    /// One for both; operations that only the new side runs may have the costs of another one in
    /// it ([`Model::with_costs_of`]).
    Shared(&'m Model),
    /// Each its own.
    Own {
        /// Of the base.
        base: &'m Model,
        /// Of the new side.
        new: &'m Model,
    },
}

/// Changes of everything that has a method.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MethodChanges {
    /// All methods together.
    pub total: EnergyChange,
    /// Operations of all methods that no cost is known for.
    pub unpriced: UnpricedOperations,
    /// Classes that changed, the largest change first.
    pub classes: Vec<ChangeRow>,
    /// Methods that changed, the largest change first.
    pub methods: Vec<ChangeRow>,
    /// Methods that ran and have not changed.
    pub unchanged: usize,
    /// The least that each side spends of a class or method that changed, by the model's errors.
    least: BTreeMap<Subject, LeastSpent>,
    /// What has the figures of the accounts of both sides: the variances of these in J^2.
    pub(super) accounted: BTreeMap<Subject, [f64; 2]>,
}

/// Lower ends of the 95 % intervals of the base and the new side; absent where the model has no
/// errors.
type LeastSpent = [Option<Joules>; 2];

/// The changes between two measured campaigns.
pub fn compare_methods(base: Side<'_>, new: Side<'_>, prices: SidePrices<'_>) -> MethodChanges {
    let methods = changes(base, new, prices, MethodKey::of);
    let classes = changes(base, new, prices, |block| block.class.clone());
    let total = changes(base, new, prices, |_| ()).remove(&()).unwrap_or_default();
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

/// The changes by a patch. Where executions are only known between bounds, so is the
/// energy: the interval reaches from the lower end at the fewest to the upper end at the
/// most; methods with blocks of unknown executions, their classes and the total have no
/// new figure.
pub fn compare_patch(base: Side<'_>, carried: &Carried, model: &Model) -> MethodChanges {
    let lost: BTreeSet<&str> = carried.unknown.keys().map(|key| key.class.as_str()).collect();
    let lost_total = |_: &()| !carried.unknown.is_empty();
    let methods =
        predicted(base, carried, model, MethodKey::of, |key| carried.unknown.contains_key(key));
    let classes = predicted(
        base,
        carried,
        model,
        |block| block.class.clone(),
        |class| lost.contains(class.as_str()),
    );
    let total = predicted(base, carried, model, |_| (), lost_total);
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
    /// Takes figures back that can't be: without an interval nothing is known of them, and a part
    /// spends no more than what was measured of the whole, in joules at most `base_most` and
    /// `new_most`. A part that may be within the whole by the model's errors keeps its figures.
    #[must_use]
    pub fn within(mut self, base_most: Option<Joules>, new_most: Option<Joules>) -> Self {
        for row in self.classes.iter_mut().chain(&mut self.methods) {
            let change = row.change;
            if change.difference().is_none() {
                continue;
            }
            let [least_base, least_new] = self.least.get(&row.subject).copied().unwrap_or_default();
            let why = beyond(change.new, least_new, new_most)
                .or_else(|| beyond(change.base, least_base, base_most))
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

/// A part whose costs add up to so many times the whole has no figure, however unsure they are.
const ABSURD: f64 = 2.0;

/// What is said of a part whose costs add up to more than the whole spends: at the least of them,
/// or to much more.
fn beyond(part: Option<Joules>, least: Option<Joules>, most: Option<Joules>) -> Option<String> {
    let (part, most) = (part?, most?);
    let least = least.unwrap_or(part);
    let said = match () {
        () if least.0 > most.0 => format!("at least {}", format::energy(least)),
        () if part.0 > ABSURD * most.0 => format::energy(part),
        () => return None,
    };
    let most = format::energy(most);
    Some(format!("its costs add up to {said}, and the scenario spends at most {most}"))
}

/// What every method and class spends by the accounts of a campaign: nothing, surely, where it
/// did not run.
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

/// What every method and class of a dictionary spends by a model: nothing, surely, where
/// it didn't run; no figure where it ran operations without a cost.
pub fn spending(side: Side<'_>, model: &Model) -> Spending {
    let costs = IndexedModel::new(model);
    let mut all = nothing_spent(side.dictionary);
    let figure = |priced: &PricedKey| {
        if !priced.unpriced.is_empty() {
            return None;
        }
        let interval = own_variance(priced, &costs)
            .map(|variance| Interval::around(Joules(priced.energy_j), variance));
        Some((Joules(priced.energy_j), interval))
    };
    for (class, sum) in priced(side, &costs, |block| block.class.clone()) {
        all.insert(("class", class), figure(&sum));
    }
    for (key, sum) in priced(side, &costs, MethodKey::of) {
        all.insert(("method", Subject::Method(key).name()), figure(&sum));
    }
    all
}

fn predicted<K: Ord + Clone>(
    base: Side<'_>,
    carried: &Carried,
    model: &Model,
    key: impl Fn(&BlockEntry) -> K + Copy,
    is_lost: impl Fn(&K) -> bool,
) -> BTreeMap<K, PricedChange> {
    let with = |executions| {
        let new = Side { dictionary: &carried.dictionary, executions };
        changes(base, new, SidePrices::Shared(model), key)
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

/// A change, and what of it no cost is known for.
#[derive(Debug, Default)]
struct PricedChange {
    change: EnergyChange,
    unpriced: UnpricedOperations,
    least: LeastSpent,
}

/// Variances in J^2 of what the model says of both sides and of their difference; absent where it
/// has no errors.
#[derive(Debug, Clone, Copy)]
struct Variances {
    base: Option<f64>,
    new: Option<f64>,
    difference: Option<f64>,
}

/// The change of every key that ran on one of the sides.
fn changes<K: Ord>(
    base: Side<'_>,
    new: Side<'_>,
    prices: SidePrices<'_>,
    key: impl Fn(&BlockEntry) -> K,
) -> BTreeMap<K, PricedChange> {
    let PricedSides { base: mut before, new: now, costs: [of_base, of_new], is_shared } =
        PricedSides::of(base, new, prices, key);
    let nothing = PricedKey::default();
    let variances = |before: &PricedKey, now: &PricedKey| Variances {
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
        all.insert(key, change(&before, &now, variances(&before, &now)));
    }
    for (key, before) in before {
        all.insert(key, change(&before, &nothing, variances(&before, &nothing)));
    }
    all
}

/// No figure for a side with operations that have no cost, unless the other side has as many of
/// them: then the difference is known.
fn change(base: &PricedKey, new: &PricedKey, variances: Variances) -> PricedChange {
    let unpriced = UnpricedOperations::of(&base.unpriced, &new.unpriced);
    let least = [(base, variances.base), (new, variances.new)].map(|(side, variance)| {
        variance.map(|variance| Interval::around(Joules(side.energy_j), variance).lo)
    });
    if unpriced.differ() {
        let figure = |side: usize, priced: &PricedKey| {
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

/// The interval of the change as a share of the base, which is as unsure as the new side, and
/// shares its errors as far as the difference is surer than both. What runs no more is all gone,
/// whatever it cost.
fn share_interval(base: &PricedKey, new: &PricedKey, of: Variances) -> Option<(f64, f64)> {
    let difference = of.difference?;
    if base.energy_j > 0.0 && new.counts.0.is_empty() && new.unpriced.is_empty() {
        return Some((ALL_GONE, ALL_GONE));
    }
    let (base_variance, new_variance) = (of.base?, of.new?);
    let covariance = 0.5 * (base_variance + new_variance - difference);
    fieller((base.energy_j, base_variance), (new.energy_j, new_variance), covariance, NORMAL_975)
}

/// Whether nothing changed, to the last digit.
fn is_same(change: &EnergyChange) -> bool {
    change.difference() == Some(Joules::ZERO)
        && change.interval.is_none_or(|i| i.lo == Joules::ZERO && i.hi == Joules::ZERO)
}

/// Rows of what changed; what has no figure first, then the largest change.
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

/// What has no figure first, then the largest change.
fn by_size(a: &ChangeRow, b: &ChangeRow) -> Ordering {
    let size = |row: &ChangeRow| row.change.difference().map_or(f64::INFINITY, |d| d.0.abs());
    size(b).total_cmp(&size(a))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::sample;
    use crate::compare::patch::{Patched, carry};
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
        let side = |executions| Side { dictionary: &dictionary, executions };
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
        let side = |executions| Side { dictionary: &dictionary, executions };
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
        let side = |executions| Side { dictionary: &dictionary, executions };
        let changes = compare_methods(side(&before), side(&now), SidePrices::Shared(&model));
        assert!(changes.total.interval.is_none());
    }

    /// The patch takes the decrement's line twice: 100 x 3 uJ more.
    #[test]
    fn a_patch_is_the_new_text_times_the_old_counts() {
        let (dictionary, [before, _], model) = sides();
        let mut twice = dictionary.clone();
        twice.blocks[1].operations[0].count = 2;
        let base = Side { dictionary: &dictionary, executions: &before };
        let calls = CallGraph::default();
        let patched = |dictionary| Patched { dictionary, calls: calls.clone() };
        let carried = carry(base, &calls, patched(twice));
        let changes = compare_patch(base, &carried, &model);
        assert_eq!((changes.unchanged, changes.methods.len()), (1, 1));
        assert!((changes.total.difference().unwrap().0 - 300e-6).abs() < 1e-12);
        let same = compare_patch(base, &carry(base, &calls, patched(dictionary.clone())), &model);
        assert_eq!((same.unchanged, same.total.interval.unwrap().hi), (2, Joules::ZERO));
    }

    /// The new side's costs, 430 uJ and at least 355, are the whole application: it may spend 400
    /// uJ, and not 250.
    #[test]
    fn a_part_that_may_be_within_the_whole_keeps_its_figures() {
        let (dictionary, [before, now], model) = sides();
        let side = |executions| Side { dictionary: &dictionary, executions };
        let class = |most_j: f64| {
            let prices = SidePrices::Shared(&model);
            let changes = compare_methods(side(&before), side(&now), prices);
            changes.within(None, Some(Joules(most_j))).classes.remove(0)
        };
        let kept = class(400e-6);
        assert!((kept.change.new.unwrap().0 - 430e-6).abs() < 1e-12 && kept.remark.is_empty());
        let refused = class(250e-6);
        assert_eq!(refused.change, EnergyChange::default());
        assert!(refused.remark.contains("add up to at least 3"), "{}", refused.remark);
        let unsure = beyond(Some(Joules(9.0)), Some(Joules(0.0)), Some(Joules(4.0))).unwrap();
        assert!(unsure.contains("add up to 9.00 J, and the scenario"), "{unsure}");
    }

    /// What runs no more falls by all of it, whatever it cost, and what runs less by no more.
    #[test]
    fn no_method_falls_by_more_than_all_of_it() {
        let (dictionary, [before, _], model) = sides();
        let unsure = sample::with_relative_error(model, 0.4);
        let change = |runs: &[(u32, u64)]| {
            let now = runs.iter().map(|(block, runs)| (BlockId(*block), *runs)).collect();
            let [base, new] =
                [&before, &now].map(|executions| Side { dictionary: &dictionary, executions });
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
