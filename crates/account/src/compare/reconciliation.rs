//! Reconciliation of the changes of methods and classes with their measured sum.
//!
//! Runs measure the change of the whole scenario far more precisely than costs predict that of
//! one method. So the sum of the methods' changes is compared with it, and each method takes its
//! part of the difference by the covariance of its error with that of the sum: the conditional
//! mean of a normal distribution (as in forecast reconciliation and in benchmarking of small
//! areas). A method that certainly has not changed takes none.

use std::collections::BTreeMap;

use crate::account::{Interval, MethodKey};
use crate::format;
use crate::interval::NORMAL_975;
use crate::operations::BlockEntry;
use crate::units::Joules;

use super::change::{ALL_GONE, EnergyChange, fieller_interval};
use super::methods::{ComparedSide, MethodChanges, SidePrices};
use super::priced_sides::{
    CostErrors, PricedCounts, PricedSides, energy_variance, line_pairs, line_variance,
};
use super::{ChangeRow, Subject, around, joined};

/// Measured change of the scenario, as far as operations can explain it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasuredChange {
    /// The difference in joules.
    pub difference_j: f64,
    /// Variance in J^2 of its error and of its part that operations leave unexplained.
    pub variance_j2: f64,
}

impl MeasuredChange {
    /// From a measured change, and the SD in joules of a model's unexplained energy for each of
    /// `inputs` runs on both sides. `None` where one of these is unknown.
    pub fn of(
        change: &EnergyChange,
        residual_sd_j: [Option<f64>; 2],
        inputs: usize,
    ) -> Option<MeasuredChange> {
        let interval = change.interval?;
        let half = (interval.hi - interval.lo).0 / 2.0;
        let [base, new] = residual_sd_j;
        let unexplained = inputs as f64 * (base?.powi(2) + new?.powi(2));
        Some(MeasuredChange {
            difference_j: change.difference()?.0,
            variance_j2: (half / NORMAL_975).powi(2) + unexplained,
        })
    }
}

/// Variances and covariances in J^2 of the errors of a row's two energies, and their covariances
/// with the error of the sum of all rows' changes.
#[derive(Debug, Clone, Copy, Default)]
struct JointErrors {
    base: f64,
    new: f64,
    between: f64,
    base_with_sum: f64,
    new_with_sum: f64,
}

impl JointErrors {
    fn with_sum(&self) -> f64 {
        self.new_with_sum - self.base_with_sum
    }
}

impl MethodChanges {
    /// Reconciles the changes of methods, and those of classes, with the measured change; returns
    /// a note about the methods. The figures stay where a row has none, and where the sum
    /// contradicts the measured change: then something else has changed.
    #[must_use]
    pub fn reconcile_with(
        mut self,
        measured: MeasuredChange,
        [base, new]: [ComparedSide<'_>; 2],
        prices: SidePrices<'_>,
    ) -> (Self, Option<String>) {
        let class_of = |block: &BlockEntry| Subject::Class(block.class.clone());
        let classes = PricedSides::of(base, new, prices, class_of);
        reconcile(&mut self.classes, &self.accounted, &classes, measured);
        let method_of = |block: &BlockEntry| Subject::Method(MethodKey::of(block));
        let methods = PricedSides::of(base, new, prices, method_of);
        let said = reconcile(&mut self.methods, &self.accounted, &methods, measured);
        self.sort();
        (self, said)
    }
}

impl<'a> PricedSides<'a, Subject> {
    /// Joint errors by subject, for subjects with count-based figures.
    fn joint_errors<'s>(
        &self,
        counted: impl Iterator<Item = &'s Subject> + Clone,
    ) -> Option<BTreeMap<&'s Subject, JointErrors>> {
        let nothing = PricedCounts::default();
        let sides = |subject: &Subject| {
            [&self.base, &self.new].map(|side| side.get(subject).unwrap_or(&nothing))
        };
        let mut sum = [CostErrors::default(), CostErrors::default()];
        for subject in counted.clone() {
            let [before, now] = sides(subject);
            sum[0].add(before, -1.0);
            sum[1].add(now, 1.0);
            if self.is_shared {
                sum[0].add(now, 1.0);
                sum[1].add(before, -1.0);
            }
        }
        let of = |subject: &'s Subject| Some((subject, self.joint_of(sides(subject), &sum)?));
        counted.map(of).collect()
    }

    fn joint_of(
        &self,
        sides: [&PricedCounts<'a>; 2],
        sum: &[CostErrors<'a>; 2],
    ) -> Option<JointErrors> {
        let [base, new] = sides.map(|side| {
            let mut errors = CostErrors::default();
            errors.add(side, 1.0);
            errors
        });
        let [of_base, of_new] = &self.costs;
        let [base_variance, new_variance] = [(sides[0], of_base), (sides[1], of_new)]
            .map(|(side, costs)| energy_variance(side, costs));
        // Lines that consist of the same operations share their errors as far as costs do.
        let pairs: Vec<(f64, f64)> = line_pairs(sides[0], sides[1]).collect();
        let products =
            |product: fn(&(f64, f64)) -> f64| line_variance(pairs.iter().map(product), of_base);
        let (base_lines, new_lines) = (products(|pair| pair.0 * pair.0), products(|p| p.1 * p.1));
        let (mut between, mut lines) = (0.0, 0.0);
        if self.is_shared {
            lines = products(|pair| pair.0 * pair.1);
            between = base.covariance(&new, of_base)? + lines;
        }
        Some(JointErrors {
            base: base_variance?,
            new: new_variance?,
            between,
            base_with_sum: base.covariance(&sum[0], of_base)? + lines - base_lines,
            new_with_sum: new.covariance(&sum[1], of_new)? + new_lines - lines,
        })
    }
}

/// Joint errors of rows, in their order; none for a row without a figure, and `None` for all
/// where a model has no errors for a row with one.
fn errors_of(
    rows: &[ChangeRow],
    accounted: &BTreeMap<Subject, [f64; 2]>,
    sides: &PricedSides<'_, Subject>,
) -> Option<Vec<Option<JointErrors>>> {
    let has_figure = |row: &ChangeRow| row.change.difference().is_some();
    let counted = rows.iter().filter(|row| has_figure(row)).map(|row| &row.subject);
    let counted = counted.filter(|subject| !accounted.contains_key(subject));
    let mut joint = sides.joint_errors(counted)?;
    // The accounts of two campaigns share nothing.
    joint.extend(accounted.iter().map(|(subject, &[base, new])| {
        let (base_with_sum, new_with_sum) = (-base, new);
        (subject, JointErrors { base, new, between: 0.0, base_with_sum, new_with_sum })
    }));
    let of_row = |row: &ChangeRow| joint.get(&row.subject).copied().filter(|_| has_figure(row));
    Some(rows.iter().map(of_row).collect())
}

/// Reconciles rows with the measured change; returns a note about the result.
fn reconcile(
    rows: &mut [ChangeRow],
    accounted: &BTreeMap<Subject, [f64; 2]>,
    sides: &PricedSides<'_, Subject>,
    measured: MeasuredChange,
) -> Option<String> {
    if rows.is_empty() {
        return None;
    }
    let joint = errors_of(rows, accounted, sides)?;
    let sum_j: f64 =
        rows.iter().filter_map(|row| row.change.difference()).map(|found| found.0).sum();
    let sum_variance: f64 = joint.iter().flatten().map(JointErrors::with_sum).sum();
    let missing = measured.difference_j - sum_j;
    let variance = sum_variance.max(0.0) + measured.variance_j2;
    let without = joint.iter().filter(|joint| joint.is_none()).count();
    if without > 0 {
        return remark_remainder(rows, without, around(missing, NORMAL_975 * variance.sqrt()));
    }
    let sum = around(sum_j, NORMAL_975 * sum_variance.max(0.0).sqrt());
    let told = format!(
        "by themselves the methods' changes add up to {} ({}), and {} was measured",
        format::energy(Joules(sum_j)),
        format::interval(Some(sum)),
        format::energy(Joules(measured.difference_j)),
    );
    if missing.abs() > NORMAL_975 * variance.sqrt() {
        return Some(format!("{told}: something else has changed, too, which no method holds"));
    }
    for (row, joint) in rows.iter_mut().zip(joint.into_iter().flatten()) {
        apply_conditional_mean(&mut row.change, joint, missing, variance);
    }
    Some(format!("{told}: each has its part of the difference, as far as it is unsure"))
}

/// Adds the remainder of the measured change to the remark of the only row without a figure;
/// where several have none, returns a note.
fn remark_remainder(rows: &mut [ChangeRow], without: usize, left: Interval) -> Option<String> {
    if without > 1 {
        return Some(format!(
            "{} without a figure: the others are not held against the measured change",
            format::counted_as(without, "method is", "methods are")
        ));
    }
    let row = rows.iter_mut().find(|row| row.change.difference().is_none())?;
    let middle = Joules((left.lo.0 + left.hi.0) / 2.0);
    let said = format!(
        "the measured change less those of all others is {} ({})",
        format::energy(middle),
        format::interval(Some(left))
    );
    row.remark = joined([row.remark.clone(), said]);
    None
}

/// Sets both energies to their conditional means and variances, given the difference `missing`
/// between the measured change and the sum; `variance` in J^2 is that of both together.
fn apply_conditional_mean(
    change: &mut EnergyChange,
    joint: JointErrors,
    missing: f64,
    variance: f64,
) {
    let (Some(base), Some(new)) = (change.base, change.new) else { return };
    if variance <= 0.0 {
        return;
    }
    let (gone, gain) = (change.share_interval, missing / variance);
    let base = (base.0 + joint.base_with_sum * gain).max(0.0);
    let new = (new.0 + joint.new_with_sum * gain).max(0.0);
    let taken = |one: f64, other: f64| one * other / variance;
    let base_variance = (joint.base - taken(joint.base_with_sum, joint.base_with_sum)).max(0.0);
    let new_variance = (joint.new - taken(joint.new_with_sum, joint.new_with_sum)).max(0.0);
    let between = joint.between - taken(joint.base_with_sum, joint.new_with_sum);
    let of_difference = (base_variance + new_variance - 2.0 * between).max(0.0);
    let is_gone = gone == Some((ALL_GONE, ALL_GONE));
    *change = EnergyChange {
        base: Some(Joules(base)),
        new: Some(Joules(new)),
        interval: Some(around(new - base, NORMAL_975 * of_difference.sqrt())),
        share_interval: match is_gone {
            true => gone,
            false => {
                fieller_interval((base, base_variance), (new, new_variance), between, NORMAL_975)
            }
        },
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::sample;
    use crate::blocks::BlockId;
    use crate::compare::compare_methods;
    use crate::model::Model;
    use crate::operations::Dictionary;

    /// Three methods of an operation each: increments cost 1 uJ, decrements 3 uJ, both unsure by
    /// 40 %, and the errors of the costs are independent.
    fn program() -> (Dictionary, Model) {
        let block = |id, method, operation: &str| {
            let lines = (id + 1, id + 1);
            sample::block(id, ("a.A", method), ("", "entry"), lines, &[(operation, id + 1, 1)])
        };
        let blocks = vec![
            block(0, "same()", "Increment"),
            block(1, "more()", "Decrement"),
            block(2, "less()", "Increment"),
        ];
        let costs = sample::model(&[("Increment", 1e-6), ("Decrement", 3e-6)]);
        (Dictionary { blocks }, sample::with_relative_error(costs, 0.4))
    }

    type Runs = [u64; 3];

    fn reconcile_with(
        runs: [Runs; 2],
        difference_j: f64,
        sd_j: f64,
    ) -> (MethodChanges, Option<String>) {
        reconciled_of(&program(), runs, [difference_j, sd_j], |_| ())
    }

    /// Of a program; `before` may do something to the changes before they are reconciled.
    fn reconciled_of(
        (dictionary, model): &(Dictionary, Model),
        runs: [Runs; 2],
        [difference_j, sd_j]: [f64; 2],
        before: impl FnOnce(&mut MethodChanges),
    ) -> (MethodChanges, Option<String>) {
        let runs = runs.map(|runs| (0..3).map(BlockId).zip(runs).collect::<BTreeMap<_, _>>());
        let sides = [&runs[0], &runs[1]].map(|executions| ComparedSide { dictionary, executions });
        let prices = SidePrices::Shared(model);
        let measured = MeasuredChange { difference_j, variance_j2: sd_j * sd_j };
        let mut changes = compare_methods(sides[0], sides[1], prices);
        before(&mut changes);
        changes.reconcile_with(measured, sides, prices)
    }

    fn row(changes: &MethodChanges, method: &str) -> EnergyChange {
        let name = format!("a.A.{method}");
        changes.methods.iter().find(|row| row.subject.name() == name).unwrap().change
    }

    /// By its counts `more()` spends 30 uJ more, unsure by 12; 21 uJ were measured: so its
    /// operation costs 2.1 uJ, on both sides, and ten of a hundred runs are a tenth more.
    #[test]
    fn the_one_method_that_changed_has_changed_by_what_was_measured() {
        let (changes, said) = reconcile_with([[100, 100, 0], [100, 110, 0]], 21e-6, 1e-7);
        let more = row(&changes, "more()");
        let (base, difference) = (more.base.unwrap().0, more.difference().unwrap().0);
        assert!((difference - 21e-6).abs() < 1e-8, "{difference}");
        assert!((base - 210e-6).abs() < 3e-6, "{base}");
        assert!((more.share().unwrap() - 0.1).abs() < 2e-3, "{:?}", more.share());
        let interval = more.interval.unwrap();
        let half = (interval.hi - interval.lo).0 / 2.0;
        assert!((half - NORMAL_975 * 1e-7).abs() < 1e-8, "as sure as the measurement: {half}");
        assert_eq!((changes.methods.len(), changes.unchanged), (1, 1));
        let class = changes.classes[0].change.difference().unwrap().0;
        assert!((class - 21e-6).abs() < 1e-8, "{class}");
        assert!(said.unwrap().contains("add up to 30.0 µJ"));
    }

    /// 30 uJ +- 12 and 10 uJ +- 4 add up to 40 uJ, and 30 were measured: of the 10 too much each
    /// has its part by the variance, 144 to 16 (with the error of its line: 5 % of 30 and of 10).
    #[test]
    fn each_takes_its_part_as_far_as_it_is_unsure() {
        let (changes, _) = reconcile_with([[100, 100, 0], [100, 110, 10]], 30e-6, 1e-9);
        let difference = |method| row(&changes, method).difference().unwrap().0;
        assert!((difference("more()") + difference("less()") - 30e-6).abs() < 1e-11);
        assert!((difference("more()") - 21e-6).abs() < 1e-8, "{}", difference("more()"));
        let interval = row(&changes, "less()").interval.unwrap();
        assert!((interval.hi - interval.lo).0 / 2.0 < NORMAL_975 * 4e-6, "{interval:?}");
    }

    /// 200 uJ can't be 30 +- 12: nothing of the methods is changed, and it is said.
    #[test]
    fn what_contradicts_the_measured_change_is_not_drawn_to_it() {
        let (changes, said) = reconcile_with([[100, 100, 0], [100, 110, 0]], 200e-6, 1e-7);
        assert!((row(&changes, "more()").difference().unwrap().0 - 30e-6).abs() < 1e-12);
        assert!(said.unwrap().ends_with("something else has changed, too, which no method holds"));
    }

    /// What runs no more is all gone, and its energy is what was measured less.
    #[test]
    fn a_method_that_is_gone_spent_what_is_missing_now() {
        let (changes, _) = reconcile_with([[100, 100, 0], [100, 0, 0]], -200e-6, 1e-7);
        let more = row(&changes, "more()");
        assert!((more.base.unwrap().0 - 200e-6).abs() < 1e-6, "{more:?}");
        assert_eq!(more.share_interval, Some((ALL_GONE, ALL_GONE)));
    }

    #[test]
    fn the_figures_of_accounts_share_no_errors() {
        let runs = [[100, 100, 0], [100, 110, 0]];
        let (changes, _) = reconciled_of(&program(), runs, [32e-6, 1e-9], |changes| {
            let subject = changes.methods[0].subject.clone();
            changes.accounted.insert(subject, [1e-12, 3e-12]);
        });
        let more = row(&changes, "more()");
        assert!((more.difference().unwrap().0 - 32e-6).abs() < 1e-11, "{more:?}");
        assert!((more.base.unwrap().0 - 299.5e-6).abs() < 1e-11, "a quarter of 2 uJ: {more:?}");
        assert!((more.new.unwrap().0 - 331.5e-6).abs() < 1e-11, "three quarters of it");
    }

    #[test]
    fn what_is_left_is_told_of_a_single_method_without_a_figure() {
        let mut program = program();
        program.1.costs.retain(|cost| cost.operation != "Decrement");
        program.1.covariance = None;
        let runs = [[100, 100, 0], [100, 110, 10]];
        let (changes, _) = reconciled_of(&program, runs, [50e-6, 1e-7], |_| ());
        let unpriced = &changes.methods[0];
        assert_eq!(unpriced.subject.name(), "a.A.more()");
        assert!(unpriced.remark.contains("less those of all others is 40.0 µJ"), "{unpriced:?}");
        assert!((row(&changes, "less()").difference().unwrap().0 - 10e-6).abs() < 1e-12);
    }
}
