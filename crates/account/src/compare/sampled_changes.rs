//! Changes by the accounts of both campaigns, where both were sampled, beside counts x costs by
//! one model. The latter assumes that an operation costs the same in both builds, and its costs
//! may have large errors; samples need no such assumption, and their errors are independent.

use crate::account::Interval;
use crate::format;
use crate::interval::NORMAL_975;
use crate::units::Joules;

use super::budget::Spending;
use super::methods::MethodChanges;
use super::uncertain_energy::{ErrorSource, UncertainEnergy};
use super::{ChangeRow, EnergyChange, joined};

impl MethodChanges {
    /// Replaces figures of changed rows by those of both accounts, where these have less variance
    /// than counts x costs, or contradict them, or where counts x costs had no possible figure.
    /// Rows with equal counts on both sides have not changed.
    #[must_use]
    pub fn with_accounts(mut self, base: &Spending, new: &Spending) -> Self {
        for row in self.classes.iter_mut().chain(&mut self.methods) {
            let Some(sides) = account_energies(row, base, new) else { continue };
            let [base, new] = &sides;
            let accounted = EnergyChange::of(base, new);
            if is_account_better(&accounted, &row.change) {
                let counted = row.change.difference().zip(row.change.interval);
                let counted = counted.map(|(difference, interval)| {
                    format!(
                        "by the accounts of both; counts and costs alone say {} ({})",
                        format::energy(difference),
                        format::interval(Some(interval))
                    )
                });
                let said = counted.unwrap_or_else(|| "by the accounts of both".to_owned());
                row.change = accounted;
                let variances = sides.map(|side| side.variance().unwrap_or_default());
                self.accounted.insert(row.subject.clone(), variances);
                row.remark = joined([row.remark.clone(), said]);
            }
        }
        self.sort();
        self
    }
}

/// Energies of a row by the accounts of both campaigns; `None` where one has no interval. A row
/// that is missing in one spends nothing there.
fn account_energies(
    row: &ChangeRow,
    base: &Spending,
    new: &Spending,
) -> Option<[UncertainEnergy; 2]> {
    let name = (row.subject.level(), row.subject.name());
    let of = |spending: &Spending| match spending.get(&name) {
        None => Some(UncertainEnergy { value: 0.0, parts: Some(Vec::new()) }),
        Some(figure) => {
            let (energy, interval) = (*figure)?;
            Some(uncertain(energy, interval?))
        }
    };
    Some([of(base)?, of(new)?])
}

/// An energy with the error from its 95 % interval.
fn uncertain(energy: Joules, interval: Interval) -> UncertainEnergy {
    let half = (interval.hi - energy).0.max((energy - interval.lo).0);
    let variance = (half / NORMAL_975).powi(2);
    let part = ErrorSource { variance, freedom: f64::INFINITY };
    UncertainEnergy { value: energy.0, parts: Some(vec![part]) }
}

/// Whether the accounts' change has less variance than the counted one, or contradicts it.
fn is_account_better(accounted: &EnergyChange, counted: &EnergyChange) -> bool {
    let Some(own) = accounted.interval else { return false };
    let Some(other) = counted.difference().and(counted.interval) else { return true };
    let width = |interval: Interval| interval.hi.0 - interval.lo.0;
    let are_apart = own.hi.0 < other.lo.0 || other.hi.0 < own.lo.0;
    are_apart || width(own) < width(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::MethodKey;
    use crate::compare::{Subject, around};

    /// A method's change by counts x costs, in joules, with half an interval.
    fn counted(difference: f64, half: f64) -> MethodChanges {
        let change = EnergyChange {
            base: Some(Joules(1.0)),
            new: Some(Joules(1.0 + difference)),
            interval: Some(around(difference, half)),
            share_interval: None,
        };
        let method = MethodKey { class: "a.A".into(), method: "m()".into() };
        let subject = Subject::Method(method);
        let row = ChangeRow { subject, change, verdict: None, remark: String::new() };
        let mut changes = MethodChanges::default();
        changes.methods.push(row);
        changes
    }

    fn spending(energy: f64, half: f64) -> Spending {
        let figure = Some((Joules(energy), Some(around(energy, half))));
        Spending::from([(("method", "a.A.m()".to_owned()), figure)])
    }

    fn told(counted: MethodChanges, base: Spending, new: Spending) -> (f64, String) {
        let row = counted.with_accounts(&base, &new).methods.remove(0);
        (row.change.difference().unwrap().0, row.remark)
    }

    #[test]
    fn the_surer_of_counts_and_accounts_is_told() {
        let (base, new) = (spending(4.0, 0.3), spending(10.6, 0.4));
        let (difference, remark) = told(counted(2.2, 3.0), base.clone(), new.clone());
        assert!((difference - 6.6).abs() < 1e-9, "{difference}");
        assert!(
            remark.contains("counts and costs alone say 2.20 J (−800 mJ to 5.20 J)"),
            "{remark}"
        );
        let (difference, remark) = told(counted(6.5, 0.1), base, new);
        assert!((difference - 6.5).abs() < 1e-9 && remark.is_empty(), "{difference} {remark}");
    }

    #[test]
    fn accounts_that_contradict_the_counts_win() {
        let (difference, _) = told(counted(2.2, 0.1), spending(4.0, 0.3), spending(10.6, 0.4));
        assert!((difference - 6.6).abs() < 1e-9, "{difference}");
        let (difference, _) = told(counted(2.2, 0.1), Spending::new(), spending(10.6, 0.05));
        assert!((difference - 10.6).abs() < 1e-9, "a method that the base does not have");
        let absurd = counted(99.0, 1.0).without_impossible_figures(None, Some(Joules(12.0)));
        let (difference, remark) = told(absurd, spending(4.0, 0.3), spending(10.6, 0.4));
        assert!((difference - 6.6).abs() < 1e-9, "what is taken back has accounts: {difference}");
        assert!(remark.contains("and the scenario spends at most 12.0 J; by the acc"), "{remark}");
        let unknown = Spending::from([(("method", "a.A.m()".to_owned()), None)]);
        let (difference, _) = told(counted(2.2, 3.0), unknown, spending(10.6, 0.1));
        assert!((difference - 2.2).abs() < 1e-9, "no figure is no nothing");
    }
}
