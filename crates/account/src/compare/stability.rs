//! How alike recordings are: parts of the whole with their spread over repeats, and the order of
//! methods by energy. e-Surgeon's watts of Jetty differed from run to run where parts of the whole
//! stayed the same; these figures show whether they do.

use std::collections::BTreeMap;

use crate::account::MethodKey;
use crate::dataset::energy::variance;
use crate::model::metrics::pearson_r;

use super::change::EnergyChange;
use super::recorded::{RecordedRun, RecordedSides};
use super::shares::{ShareRow, SideStability, Stability};
use super::subject::Subject;
use super::uncertain_energy::UncertainEnergy;

type Shares = BTreeMap<MethodKey, f64>;

/// Parts of the whole of classes and methods, the largest first.
pub(super) fn share_rows(sides: &RecordedSides<'_>) -> Vec<ShareRow> {
    let classes = sides.keys(RecordedRun::classes).into_iter();
    let classes = classes.filter(|_| sides.has_classes).map(|class| {
        let of = |run: &RecordedRun| run.class_j(&class);
        share_row(sides, Subject::Class(class.clone()), of)
    });
    let methods = sides.keys(|run| run.methods.keys().cloned().collect()).into_iter();
    let methods = methods.map(|key| {
        let of = |run: &RecordedRun| run.methods.get(&key).copied().unwrap_or(0.0);
        share_row(sides, Subject::Method(key.clone()), of)
    });
    let mut rows: Vec<ShareRow> = classes.chain(methods).collect();
    let size = |row: &ShareRow| row.base.max(row.new);
    rows.sort_by(|a, b| size(b).total_cmp(&size(a)).then_with(|| a.subject.cmp(&b.subject)));
    rows
}

fn share_row(
    sides: &RecordedSides<'_>,
    subject: Subject,
    of: impl Fn(&RecordedRun) -> f64,
) -> ShareRow {
    let shares = |runs: &[RecordedRun]| -> Vec<f64> {
        runs.iter().map(|run| share(of(run), run.whole_j)).collect()
    };
    let (base, new) = (shares(sides.base), shares(sides.new));
    let means = [&base, &new].map(|shares| UncertainEnergy::mean_of(shares).unwrap_or_default());
    let interval = EnergyChange::of(&means[0], &means[1]).interval;
    ShareRow {
        subject,
        base: means[0].value,
        base_sd: deviation(&base),
        new: means[1].value,
        new_sd: deviation(&new),
        interval: interval.map(|interval| (interval.lo.0, interval.hi.0)),
    }
}

fn share(joules: f64, whole_j: f64) -> f64 {
    if whole_j > 0.0 { joules / whole_j } else { 0.0 }
}

/// The standard deviation of a sample; none of fewer than two.
fn deviation(values: &[f64]) -> Option<f64> {
    variance(values).map(f64::sqrt)
}

impl Stability {
    pub(super) fn of(base: &[RecordedRun], new: &[RecordedRun]) -> Self {
        let [mean_base, mean_new] = [base, new].map(|runs| {
            let mut means = Shares::new();
            for (key, joules) in runs.iter().flat_map(shares_of) {
                *means.entry(key).or_default() += joules / runs.len() as f64;
            }
            means
        });
        Self {
            base: SideStability::of(base),
            new: SideStability::of(new),
            between: rank_correlation(&mean_base, &mean_new),
        }
    }
}

fn shares_of(run: &RecordedRun) -> Shares {
    let shares = run.methods.iter();
    shares.map(|(key, joules)| (key.clone(), share(*joules, run.whole_j))).collect()
}

impl SideStability {
    fn of(runs: &[RecordedRun]) -> Self {
        let wholes: Vec<f64> = runs.iter().map(|run| run.whole_j).collect();
        let shares: Vec<Shares> = runs.iter().map(shares_of).collect();
        let mut of_methods: BTreeMap<&MethodKey, Vec<f64>> = BTreeMap::new();
        for key in shares.iter().flat_map(BTreeMap::keys) {
            of_methods.entry(key).or_insert_with(|| {
                shares.iter().map(|shares| shares.get(key).copied().unwrap_or(0.0)).collect()
            });
        }
        let deviations: Vec<(f64, &MethodKey)> =
            of_methods.iter().filter_map(|(key, of)| Some((deviation(of)?, *key))).collect();
        let most = deviations.iter().max_by(|a, b| a.0.total_cmp(&b.0));
        let sum: f64 = deviations.iter().map(|(sd, _)| sd).sum();
        let pairs = (0..shares.len()).flat_map(|a| (a + 1..shares.len()).map(move |b| (a, b)));
        let ranks: Vec<f64> =
            pairs.filter_map(|(a, b)| rank_correlation(&shares[a], &shares[b])).collect();
        let least = ranks.iter().copied().min_by(f64::total_cmp);
        let mean = ranks.iter().sum::<f64>() / ranks.len().max(1) as f64;
        Self {
            recordings: runs.len(),
            whole_j: wholes.iter().sum::<f64>() / wholes.len().max(1) as f64,
            whole_sd_j: deviation(&wholes),
            share_sd: (!deviations.is_empty()).then(|| sum / deviations.len() as f64),
            share_sd_most: most.map(|(sd, key)| (*sd, (*key).clone())),
            rank_correlation: least.map(|least| (mean, least)),
        }
    }
}

/// Spearman's correlation over the methods of both; a method that one lacks has nothing there.
/// None of fewer than three methods, or where one side has them all alike.
fn rank_correlation(a: &Shares, b: &Shares) -> Option<f64> {
    let keys: std::collections::BTreeSet<&MethodKey> = a.keys().chain(b.keys()).collect();
    let of = |shares: &Shares| -> Vec<f64> {
        keys.iter().map(|key| shares.get(*key).copied().unwrap_or(0.0)).collect()
    };
    pearson_r(&ranks(&of(a)), &ranks(&of(b)))
}

/// Ranks from 1; equal values share the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    for equal in order.chunk_by(|a, b| values[*a] == values[*b]) {
        let below = order.iter().filter(|at| values[**at] < values[equal[0]]).count();
        for at in equal {
            ranks[*at] = below as f64 + (equal.len() as f64 + 1.0) / 2.0;
        }
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::super::recorded::tests::{key, run, sides};
    use super::*;

    #[test]
    fn equal_values_share_their_rank() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), [3.5, 1.0, 3.5, 2.0]);
        assert_eq!(ranks(&[]), Vec::<f64>::new());
    }

    /// Five pairs with ranks 1 2 3 4 5 against 2 1 4 3 5: 1 - 6 x 4 / (5 x 24) = 0.8.
    #[test]
    fn spearmans_correlation_is_that_of_the_formula_without_ties() {
        let shares = |values: [f64; 5]| -> Shares {
            (0..5).map(|n| (key(&format!("m{n}()")), values[n])).collect()
        };
        let (a, b) = (shares([0.1, 0.2, 0.3, 0.4, 0.5]), shares([0.02, 0.01, 0.4, 0.3, 0.9]));
        assert!((rank_correlation(&a, &b).unwrap() - 0.8).abs() < 1e-12);
        assert!((rank_correlation(&a, &a).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(rank_correlation(&shares([0.2; 5]), &a), None, "all alike");
    }

    /// Shares of x: 10/18 and 14/22; their deviation is the distance over the root of 2.
    #[test]
    fn the_spread_of_parts_and_of_the_whole() {
        let base = [run(10.0, 5.0, 2.0), run(14.0, 5.0, 2.0)];
        let new = [run(2.0, 5.0, 10.0)];
        let stability = Stability::of(&base, &new);
        let half_root = |a: f64, b: f64| (a - b).abs() / 2_f64.sqrt();
        assert!((stability.base.whole_sd_j.unwrap() - half_root(18.0, 22.0)).abs() < 1e-12);
        let (most, whose) = stability.base.share_sd_most.clone().unwrap();
        let x = half_root(10.0 / 18.0, 14.0 / 22.0);
        assert!((most - x).abs() < 1e-12 && whose == key("x()"));
        let others = half_root(5.0 / 18.0, 5.0 / 22.0) + half_root(2.0 / 18.0, 2.0 / 22.0);
        assert!((stability.base.share_sd.unwrap() - (x + others) / 3.0).abs() < 1e-12);
        let (mean, least) = stability.base.rank_correlation.unwrap();
        assert!((mean - 1.0).abs() < 1e-12 && (least - 1.0).abs() < 1e-12);
        assert_eq!((stability.new.whole_sd_j, stability.new.rank_correlation), (None, None));
        assert!((stability.between.unwrap() + 1.0).abs() < 1e-12, "x and z have changed places");
        let rows = share_rows(&sides(&base, &new));
        assert_eq!(rows[0].subject, Subject::Class("a.A".into()));
        let of_x = rows.iter().find(|row| row.subject == Subject::Method(key("x()"))).unwrap();
        assert!((of_x.base - (10.0 / 18.0 + 14.0 / 22.0) / 2.0).abs() < 1e-12);
        assert_eq!((of_x.new_sd, of_x.interval), (None, None));
    }
}
