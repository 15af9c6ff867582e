//! The Cholesky factor of the rows and columns of a matrix that are in use, kept up to
//! date while single ones enter and leave: an active set changes by one at a time, and
//! decomposing anew would cost a power more.

use faer::Mat;

use super::super::linear::run_in_wide_vectors;

/// A column of which less than this part (squared) is left beside those before it depends
/// on them.
const PIVOT_TOLERANCE: f64 = 1e-13;

/// Cholesky factor `L L' = A[order, order]` with `y = L^-1 rhs[order]`, kept up to date, too: it
/// spares half of every solution.
#[derive(Debug, Clone, Default)]
pub(super) struct ActiveFactor {
    /// Rows and columns in use, in the order in which they entered.
    order: Vec<usize>,
    /// Rows of `L`, row i of length i + 1.
    rows: Vec<Vec<f64>>,
    y: Vec<f64>,
}

impl ActiveFactor {
    /// Rows and columns in use.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Adds row and column `j`, with its right-hand side; returns false, and changes nothing, where
    /// it depends on those in use to working precision.
    pub fn enter(&mut self, a: &Mat<f64>, rhs: &[f64], j: usize) -> bool {
        run_in_wide_vectors(|| self.append(a, rhs, j))
    }

    #[inline(always)]
    fn append(&mut self, a: &Mat<f64>, rhs: &[f64], j: usize) -> bool {
        let column = a.col_as_slice(j);
        let mut row: Vec<f64> = self.order.iter().map(|i| column[*i]).collect();
        self.forward(&mut row);
        let left = a[(j, j)] - row.iter().map(|x| x * x).sum::<f64>();
        // Not `<`: a NaN is refused, too.
        if !(left >= PIVOT_TOLERANCE * a[(j, j)] && left > 0.0) {
            return false;
        }
        let pivot = left.sqrt();
        self.y.push((rhs[j] - dot(&row, &self.y)) / pivot);
        row.push(pivot);
        self.rows.push(row);
        self.order.push(j);
        true
    }

    /// Removes row and column `j`: rotations make the rows below triangular again.
    pub fn leave(&mut self, j: usize) {
        let Some(at) = self.order.iter().position(|i| *i == j) else { return };
        self.order.remove(at);
        self.rows.remove(at);
        for k in at..self.rows.len() {
            // Row k has one element too many: rotate columns k and k + 1 to clear it.
            let (x, y) = (self.rows[k][k], self.rows[k][k + 1]);
            let length = (x * x + y * y).sqrt();
            let (c, s) = (x / length, y / length);
            let (x, y) = (self.y[k], self.y[k + 1]);
            (self.y[k], self.y[k + 1]) = (c * x + s * y, c * y - s * x);
            self.rows[k].truncate(k + 1);
            self.rows[k][k] = length;
            for row in &mut self.rows[k + 1..] {
                let (x, y) = (row[k], row[k + 1]);
                (row[k], row[k + 1]) = (c * x + s * y, c * y - s * x);
            }
        }
        self.y.pop();
    }

    /// Solves `A[order, order] x = rhs[order]`.
    pub fn solve(&self) -> Vec<f64> {
        let mut x = self.y.clone();
        run_in_wide_vectors(|| {
            for (i, row) in self.rows.iter().enumerate().rev() {
                let known = x[i] / row[i];
                x[i] = known;
                x[..i].iter_mut().zip(row).for_each(|(x, l)| *x -= l * known);
            }
        });
        x
    }

    /// `x := L^-1 x`.
    #[inline(always)]
    fn forward(&self, x: &mut [f64]) {
        for (i, row) in self.rows.iter().enumerate().take(x.len()) {
            let (known, rest) = x.split_at_mut(i);
            rest[0] = (rest[0] - dot(&row[..i], known)) / row[i];
        }
    }
}

/// Returns the sum of products, in eight sums side by side for vector instructions.
#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (a_blocks, b_blocks) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = a_blocks.remainder().iter().zip(b_blocks.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a_blocks.zip(b_blocks) {
        sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use faer::Mat;
    use proptest::prelude::*;

    use super::*;
    use crate::linear::{invert_positive, matrix_times_vector};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// However columns came and went, the solution is that of a fresh decomposition.
        #[test]
        fn coming_and_going_changes_nothing(
            values in proptest::collection::vec(-9i32..9, 14 * 9),
            moves in proptest::collection::vec(0usize..9, 30),
        ) {
            let x = Mat::from_fn(14, 9, |i, j| f64::from(values[i * 9 + j]));
            let a = x.transpose() * &x + Mat::<f64>::identity(9, 9);
            let rhs: Vec<f64> = (0..9).map(|j| j as f64 - 4.0).collect();
            let mut factor = ActiveFactor::default();
            for j in moves {
                if factor.order().contains(&j) {
                    factor.leave(j);
                } else {
                    prop_assert!(factor.enter(&a, &rhs, j));
                }
                let of = factor.order().to_vec();
                let part: Vec<f64> = of.iter().map(|j| rhs[*j]).collect();
                let used = Mat::from_fn(of.len(), of.len(), |i, j| a[(of[i], of[j])]);
                let fresh = matrix_times_vector(invert_positive(used.as_ref()).unwrap().as_ref(), &part);
                for (kept, fresh) in factor.solve().iter().zip(&fresh) {
                    prop_assert!((kept - fresh).abs() < 1e-9 * (1.0 + fresh.abs()));
                }
            }
        }
    }

    #[test]
    fn what_depends_on_others_stays_outside() {
        let a = Mat::from_fn(2, 2, |_, _| 1.0);
        let mut factor = ActiveFactor::default();
        let rhs = [3.0, 3.0];
        assert!(factor.enter(&a, &rhs, 0) && !factor.enter(&a, &rhs, 1));
        assert_eq!((factor.order(), factor.solve()), (&[0][..], vec![3.0]));
    }
}
