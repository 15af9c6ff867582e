//! Choice of cases that determine the costs well: greedy D-optimal choice among candidate rows of
//! counts.
//!
//! Every column is divided by its root mean square over the candidates, so that a rare
//! operation weighs as much as a frequent one, and every row by its length, so that a
//! case is chosen for its mix and not for its size. `log det(I + X X' / r)` grows most
//! by the candidate whose remaining variance is largest; the variances are kept up to
//! date as in a pivoted Cholesky factorisation.

/// Constant added to the diagonal: a row counts as different from its neighbours down to this share
/// of its length.
const RIDGE: f64 = 1e-4;

/// Candidate rows of counts, scaled, with the state of the greedy choice among them.
#[derive(Debug, Clone)]
pub(crate) struct Candidates {
    rows: Vec<Vec<f64>>,
    /// Remaining variance of each row, given the chosen ones.
    left: Vec<f64>,
    /// A column of the Cholesky factor for each chosen row.
    factor: Vec<Vec<f64>>,
    chosen: Vec<usize>,
}

impl Candidates {
    /// Scales rows of counts, all of the same length; none is chosen yet.
    pub fn new(counts: &[Vec<u128>]) -> Self {
        let mut rows: Vec<Vec<f64>> =
            counts.iter().map(|row| row.iter().map(|count| *count as f64).collect()).collect();
        scale_columns(&mut rows);
        for row in &mut rows {
            let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
            if length > 0.0 {
                row.iter_mut().for_each(|x| *x /= length);
            }
        }
        let left = rows.iter().map(|row| dot(row, row)).collect();
        Self { rows, left, factor: Vec::new(), chosen: Vec::new() }
    }

    /// Indices of the chosen rows, in the order of choice.
    pub fn chosen(&self) -> &[usize] {
        &self.chosen
    }

    /// Chooses the candidate at this index, however little it adds.
    pub fn take(&mut self, index: usize) {
        let pivot = (self.left[index].max(0.0) + RIDGE).sqrt();
        let column: Vec<f64> = (0..self.rows.len())
            .map(|other| {
                let known: f64 = self.factor.iter().map(|f| f[index] * f[other]).sum();
                (dot(&self.rows[index], &self.rows[other]) - known) / pivot
            })
            .collect();
        for (left, value) in self.left.iter_mut().zip(&column) {
            *left -= value * value;
        }
        self.factor.push(column);
        self.chosen.push(index);
    }

    /// Chooses the allowed candidate with the largest remaining variance, the first of equals, and
    /// returns its index; none when nothing is allowed.
    pub(crate) fn take_best(&mut self, allowed: impl Fn(usize) -> bool) -> Option<usize> {
        let free = |index: &usize| allowed(*index) && !self.chosen.contains(index);
        let best = (0..self.rows.len())
            .filter(free)
            .max_by(|a, b| self.left[*a].total_cmp(&self.left[*b]).then(b.cmp(a)))?;
        self.take(best);
        Some(best)
    }
}

/// Divides each column by its root mean square; columns of zeros stay.
pub(super) fn scale_columns(rows: &mut [Vec<f64>]) {
    let columns = rows.first().map_or(0, Vec::len);
    for column in 0..columns {
        let squares: f64 = rows.iter().map(|row| row[column] * row[column]).sum();
        let scale = (squares / rows.len() as f64).sqrt();
        if scale > 0.0 {
            rows.iter_mut().for_each(|row| row[column] /= scale);
        }
    }
}

/// Share of a row's length that must remain, once its projection on the rows before it is
/// subtracted, for the row to raise the rank.
const RANK_TOLERANCE: f64 = 1e-9;

/// The numerical rank of the first 1, 2, 3, ... rows of counts, columns scaled, by
/// Gram-Schmidt with a second pass.
pub fn ranks(counts: &[Vec<u128>]) -> Vec<usize> {
    let mut rows: Vec<Vec<f64>> =
        counts.iter().map(|row| row.iter().map(|count| *count as f64).collect()).collect();
    scale_columns(&mut rows);
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut ranks = Vec::new();
    for mut row in rows {
        let length = dot(&row, &row).sqrt();
        for _pass in 0..2 {
            for direction in &basis {
                let part = dot(&row, direction);
                row.iter_mut().zip(direction).for_each(|(x, d)| *x -= part * d);
            }
        }
        let left = dot(&row, &row).sqrt();
        if left > RANK_TOLERANCE * length {
            row.iter_mut().for_each(|x| *x /= left);
            basis.push(row);
        }
        ranks.push(basis.len());
    }
    ranks
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_choice_prefers_another_mix_over_a_larger_size() {
        let rows = vec![vec![10, 10], vec![1000, 1000], vec![10, 0]];
        let mut candidates = Candidates::new(&rows);
        candidates.take(0);
        assert_eq!(candidates.take_best(|_| true), Some(2));
        assert_eq!(candidates.take_best(|index| index != 1), None);
        assert_eq!(candidates.chosen(), [0, 2]);
    }

    #[test]
    fn the_rank_is_that_of_the_counts() {
        assert_eq!(ranks(&[vec![1, 2, 0], vec![2, 4, 0], vec![0, 0, 5]]), [1, 1, 2]);
        assert_eq!(ranks(&[vec![1, 1_000_000_000], vec![2, 1_000_000_000]]), [1, 2]);
        assert_eq!(ranks(&[vec![0, 0]]), [0]);
        assert!(ranks(&[]).is_empty());
    }
}
