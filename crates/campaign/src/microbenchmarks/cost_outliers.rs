//! Which operations cost many times what others do, by the microbenchmarks alone.
//!
//! On a processor a division takes ten times as long as an addition, and the remainder of
//! doubles a thousand times. A fit that guesses all costs alike gives a microbenchmark's energy to
//! what stands beside such an operation.

use crate::model::table::{GARBAGE_COLLECTION, Table};
use crate::quantile::median;

/// Estimates for each column how many times the usual cost its cost is at least; 1 unless
/// microbenchmarks show more.
///
/// A column costs no more than the cheapest microbenchmark with it, `most = min E / n`, and no less
/// than a microbenchmark leaves when all other columns cost the most that they can. The usual cost
/// is the median of `most`, and so is most columns' guess: only what can't cost that little is
/// more. That a GC is like nothing else the fit knows by itself.
pub(crate) fn cost_multiples(table: &Table) -> Vec<f64> {
    let most = greatest_costs(table);
    let usual = median(most.iter().copied().filter(|cost| *cost > 0.0)).unwrap_or(0.0);
    let factor = |(feature, least): (&String, f64)| match feature == GARBAGE_COLLECTION {
        false if usual > 0.0 => f64::max(least / usual, 1.0),
        _ => 1.0,
    };
    table.features.iter().zip(least_costs(table, &most)).map(factor).collect()
}

/// Upper bound of the cost of each column's execution in joules; 0 for a column that only
/// microbenchmarks without energy execute.
fn greatest_costs(table: &Table) -> Vec<f64> {
    let of_column = |column: usize| {
        let cases = table.cases.iter().enumerate();
        let costs = cases.map(|(index, case)| case.energy_j / table.row(index)[column]);
        let known = costs.filter(|cost| *cost > 0.0 && cost.is_finite());
        known.reduce(f64::min).unwrap_or(0.0)
    };
    (0..table.features.len()).map(of_column).collect()
}

/// Lower bound of the cost of each column's execution in joules: the largest remainder that a
/// microbenchmark leaves for it. A microbenchmark that leaves more than the upper bound is not the
/// sum of its operations, and is ignored.
fn least_costs(table: &Table, most: &[f64]) -> Vec<f64> {
    let mut least = vec![0.0; most.len()];
    for (index, case) in table.cases.iter().enumerate() {
        let parts: Vec<f64> = table.row(index).iter().zip(most).map(|(n, most)| n * most).collect();
        for (column, count) in table.row(index).iter().enumerate().filter(|(_, n)| **n > 0.0) {
            let others: f64 = parts[..column].iter().chain(&parts[column + 1..]).sum();
            let left = (case.energy_j - others) / count;
            if left > least[column] && left <= most[column] {
                least[column] = left;
            }
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::table::Case;

    fn microbenchmarks(energies: &[f64], counts: &[f64], columns: usize) -> Table {
        let case = |energy_j: &f64| Case {
            name: String::new(),
            group: String::new(),
            device: String::new(),
            duration_s: None,
            energy_j: *energy_j,
            energy_se_j: None,
            weight: None,
            executions: None,
        };
        Table {
            features: (0..columns).map(|column| format!("op_{column}")).collect(),
            cases: energies.iter().map(case).collect(),
            counts: counts.to_vec(),
        }
    }

    /// 6 J for two A; 2 J for an A and four B; the third has no energy.
    #[test]
    fn a_column_costs_between_what_a_microbenchmark_leaves_and_the_cheapest_microbenchmark_with_it()
    {
        let table =
            microbenchmarks(&[6.0, 2.0, 0.0], &[2.0, 0.0, 0.0, 1.0, 4.0, 0.0, 0.0, 0.0, 1.0], 3);
        assert_eq!(greatest_costs(&table), [2.0, 0.5, 0.0]);
        assert_eq!(least_costs(&table, &[2.0, 0.5, 0.0]), [0.0; 3], "6 J are more than two A cost");
        let sums = microbenchmarks(&[2.0, 9.0], &[1.0, 0.0, 1.0, 2.0], 2);
        assert_eq!(greatest_costs(&sums), [2.0, 4.5]);
        assert_eq!(least_costs(&sums, &[2.0, 4.5]), [2.0, 3.5]);
    }

    /// A and B cost 1 to 2 J; C beside an A 100 J. What only may be dear is not.
    #[test]
    fn only_what_can_not_cost_the_usual_is_dear() {
        let table =
            microbenchmarks(&[2.0, 2.0, 102.0], &[1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0], 3);
        let [a, b, c] = cost_multiples(&table)[..] else { panic!() };
        assert_eq!((a, b, c), (1.0, 1.0, 50.0));
        let mut collects = table.clone();
        collects.features[2] = GARBAGE_COLLECTION.into();
        assert_eq!(cost_multiples(&collects), [1.0, 1.0, 1.0]);
        let mean = microbenchmarks(&[100.0, 2.0], &[0.0, 1.0, 1.0, 2.0, 0.0, 0.0], 3);
        assert_eq!(cost_multiples(&mean), [1.0, 1.0, 1.0]);
    }

    #[test]
    fn no_microbenchmark_is_no_multiple() {
        assert!(cost_multiples(&Table::default()).is_empty());
        assert_eq!(cost_multiples(&microbenchmarks(&[0.0], &[1.0], 1)), [1.0]);
    }
}
