//! Symmetric matrices of a handful of rows, for which a library's setting up costs more
//! than the work.

use std::ops::Range;

/// A matrix, row-major, and its order.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Small {
    n: usize,
    of: Vec<f64>,
}

impl Small {
    /// Zeros.
    pub fn zero(n: usize) -> Self {
        Self { n, of: vec![0.0; n * n] }
    }

    /// Element by element.
    pub fn from_fn(n: usize, of: impl Fn(usize, usize) -> f64) -> Self {
        Self { n, of: (0..n * n).map(|at| of(at / n, at % n)).collect() }
    }

    /// One element.
    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.of[i * self.n + j]
    }

    /// Element by element, with a row and a column of zeros behind.
    pub fn padded(n: usize, of: impl Fn(usize, usize) -> f64) -> Self {
        Self::from_fn(n + 1, |i, j| if i < n && j < n { of(i, j) } else { 0.0 })
    }

    /// Adds a multiple of another.
    pub fn add(&mut self, factor: f64, other: &Self) {
        self.of.iter_mut().zip(&other.of).for_each(|(to, x)| *to += factor * x);
    }

    /// Adds a multiple of `v` to the last column and row, but for the corner.
    pub fn add_edge(&mut self, factor: f64, v: &[f64]) {
        let last = self.n - 1;
        for (i, x) in v.iter().enumerate().take(last) {
            self.of[i * self.n + last] += factor * x;
            self.of[last * self.n + i] += factor * x;
        }
    }

    /// Adds `own I + shared 11'` on some rows and columns.
    pub fn add_exchangeable(&mut self, on: Range<usize>, own: f64, shared: f64) {
        for i in on.clone() {
            self.of[i * self.n + i] += own;
            on.clone().for_each(|j| self.of[i * self.n + j] += shared);
        }
    }

    /// Adds `factor v v'` above left.
    pub fn add_outer(&mut self, factor: f64, v: &[f64]) {
        for (row, x) in self.of.chunks_exact_mut(self.n.max(1)).zip(v) {
            row.iter_mut().zip(v).for_each(|(to, y)| *to += factor * x * y);
        }
    }

    /// `L` with `L L'` this matrix; `None` if it is not positive definite.
    pub fn cholesky(mut self) -> Option<Self> {
        for j in 0..self.n {
            for i in j..self.n {
                let known: f64 = (0..j).map(|k| self.at(i, k) * self.at(j, k)).sum();
                let left = self.at(i, j) - known;
                self.of[i * self.n + j] = if i > j {
                    left / self.at(j, j)
                } else if left > 0.0 {
                    left.sqrt()
                } else {
                    return None;
                };
            }
        }
        Some(self)
    }

    /// For a factor `L`: solves `L L' x = b`.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut x = b.to_vec();
        for i in 0..self.n {
            let known: f64 = (0..i).map(|k| self.at(i, k) * x[k]).sum();
            x[i] = (x[i] - known) / self.at(i, i);
        }
        self.back(&x)
    }

    /// For a factor `L`: solves `L' x = b`.
    pub fn back(&self, b: &[f64]) -> Vec<f64> {
        let mut x = b.to_vec();
        for i in (0..self.n).rev() {
            let known: f64 = (i + 1..self.n).map(|k| self.at(k, i) * x[k]).sum();
            x[i] = (x[i] - known) / self.at(i, i);
        }
        x
    }

    /// For a factor `L`: the inverse of `L L'`.
    pub fn inverse(&self) -> Self {
        let n = self.n;
        // Rows of L^-1, from the first: e_i - sum over k < i of L_ik row_k, by L_ii.
        let mut rows = vec![0.0; n * n];
        for i in 0..n {
            let (above, own) = rows.split_at_mut(i * n);
            let own = &mut own[..n];
            own[i] = 1.0;
            for (k, row) in above.chunks_exact(n).enumerate() {
                let factor = self.of[i * n + k];
                own[..=k].iter_mut().zip(row).for_each(|(to, x)| *to -= factor * x);
            }
            let divisor = self.of[i * n + i];
            own[..=i].iter_mut().for_each(|x| *x /= divisor);
        }
        let mut inverse = Self::zero(n);
        for row in rows.chunks_exact(n.max(1)) {
            for (to, x) in inverse.of.chunks_exact_mut(n.max(1)).zip(row) {
                to.iter_mut().zip(row).for_each(|(to, y)| *to += x * y);
            }
        }
        inverse
    }

    /// For a factor `L`: the logarithm of the determinant of `L L'`.
    pub fn log_determinant(&self) -> f64 {
        (0..self.n).map(|i| 2.0 * self.at(i, i).ln()).sum()
    }

    /// Trace and sum of the elements on some rows and columns.
    pub fn trace_and_total(&self, on: Range<usize>) -> (f64, f64) {
        let trace = on.clone().map(|i| self.at(i, i)).sum();
        let row = |i: usize| self.of[i * self.n..][on.clone()].iter().sum::<f64>();
        (trace, on.clone().map(row).sum())
    }

    /// Sum of the products of all elements: `trace(A B)` for symmetric ones.
    pub fn product(&self, other: &Self) -> f64 {
        let mut sums = [0.0; 4];
        let (a, b) = (self.of.chunks_exact(4), other.of.chunks_exact(4));
        let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
        for (a, b) in a.zip(b) {
            sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
        }
        sums.iter().sum::<f64>() + rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [[4, 2], [2, 3]]: L = [[2, 0], [1, sqrt 2]], determinant 8.
    #[test]
    fn two_by_two_on_paper() {
        let a = Small::from_fn(2, |i, j| [[4.0, 2.0], [2.0, 3.0]][i][j]);
        let factor = a.clone().cholesky().unwrap();
        let close = |a: f64, b: f64| (a - b).abs() < 1e-14;
        assert!(close(factor.at(1, 0), 1.0) && close(factor.at(1, 1), 2f64.sqrt()));
        let x = factor.solve(&[8.0, 8.0]);
        assert!(close(x[0], 1.0) && close(x[1], 2.0), "{x:?}");
        assert!(close(factor.log_determinant(), 8f64.ln()));
        assert!(
            close(factor.inverse().at(0, 0), 0.375) && close(factor.inverse().product(&a), 2.0)
        );
        assert_eq!(a.trace_and_total(0..2), (7.0, 11.0));
        assert!(Small::from_fn(2, |_, _| 1.0).cholesky().is_none());
    }
}
