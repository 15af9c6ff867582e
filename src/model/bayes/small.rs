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

    /// The factor `U` with `U'U` this matrix; `None` if it is not positive definite. By
    /// rows, so that all inner loops run along memory.
    pub fn cholesky(mut self) -> Option<Self> {
        let n = self.n;
        for j in 0..n {
            let (above, below) = self.of.split_at_mut((j + 1) * n);
            let row = &mut above[j * n..];
            let pivot = row[j];
            if pivot.is_nan() || pivot <= 0.0 {
                return None;
            }
            let scale = pivot.sqrt().recip();
            row[j..].iter_mut().for_each(|x| *x *= scale);
            for (i, other) in (j + 1..n).zip(below.chunks_exact_mut(n)) {
                let factor = row[i];
                other[i..].iter_mut().zip(&row[i..]).for_each(|(to, x)| *to -= factor * x);
            }
        }
        Some(self)
    }

    /// Row `i` from the diagonal on, without it.
    fn right_of(&self, i: usize) -> &[f64] {
        &self.of[i * self.n + i + 1..(i + 1) * self.n]
    }

    /// For a factor `U`: solves `U'U x = b`.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut x = b.to_vec();
        for i in 0..self.n {
            let (known, rest) = x.split_at_mut(i + 1);
            known[i] /= self.at(i, i);
            rest.iter_mut().zip(self.right_of(i)).for_each(|(to, u)| *to -= known[i] * u);
        }
        self.back(&x)
    }

    /// For a factor `U`: solves `U x = b`.
    pub fn back(&self, b: &[f64]) -> Vec<f64> {
        let mut x = b.to_vec();
        for i in (0..self.n).rev() {
            let known: f64 = self.right_of(i).iter().zip(&x[i + 1..]).map(|(u, x)| u * x).sum();
            x[i] = (x[i] - known) / self.at(i, i);
        }
        x
    }

    /// For a factor `U`: the inverse of `U'U`.
    pub fn inverse(&self) -> Self {
        let n = self.n;
        // Rows of U'^-1, from the first: e_i - sum over k < i of U_ki row_k, by U_ii.
        let mut rows = vec![0.0; n * n];
        let mut inverse = Self::zero(n);
        for i in 0..n {
            let (above, own) = rows.split_at_mut(i * n);
            let own = &mut own[..=i];
            own[i] = 1.0;
            for (k, row) in above.chunks_exact(n).enumerate() {
                let factor = self.of[k * n + i];
                own[..=k].iter_mut().zip(row).for_each(|(to, x)| *to -= factor * x);
            }
            let divisor = 1.0 / self.of[i * n + i];
            own.iter_mut().for_each(|x| *x *= divisor);
            // The lower half of the sum of all rows' outer products.
            for (k, x) in own.iter().enumerate() {
                let to = &mut inverse.of[k * n..=k * n + k];
                to.iter_mut().zip(&*own).for_each(|(to, y)| *to += x * y);
            }
        }
        for i in 0..n {
            (0..i).for_each(|j| inverse.of[j * n + i] = inverse.of[i * n + j]);
        }
        inverse
    }

    /// For a factor `U`: the logarithm of the determinant of `U'U`.
    pub fn log_determinant(&self) -> f64 {
        // A product of four is no danger, and a logarithm costs as much as 20 products.
        let pivots: Vec<f64> = (0..self.n).map(|i| self.at(i, i)).collect();
        pivots.chunks(4).map(|four| 2.0 * four.iter().product::<f64>().ln()).sum()
    }

    /// Sum of the products of the last row, but for the corner, and `v`.
    pub fn edge_product(&self, v: &[f64]) -> f64 {
        let last = self.n - 1;
        self.of[last * self.n..][..last].iter().zip(v).map(|(x, y)| x * y).sum()
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

    /// [[4, 2], [2, 3]]: U = [[2, 1], [0, sqrt 2]], determinant 8.
    #[test]
    fn two_by_two_on_paper() {
        let a = Small::from_fn(2, |i, j| [[4.0, 2.0], [2.0, 3.0]][i][j]);
        let factor = a.clone().cholesky().unwrap();
        let close = |a: f64, b: f64| (a - b).abs() < 1e-14;
        assert!(close(factor.at(0, 1), 1.0) && close(factor.at(1, 1), 2f64.sqrt()));
        let x = factor.solve(&[8.0, 8.0]);
        assert!(close(x[0], 1.0) && close(x[1], 2.0), "{x:?}");
        assert!(close(factor.log_determinant(), 8f64.ln()));
        assert!(
            close(factor.inverse().at(0, 0), 0.375) && close(factor.inverse().product(&a), 2.0)
        );
        assert_eq!(a.trace_and_total(0..2), (7.0, 11.0));
        assert_eq!(a.edge_product(&[3.0]), 6.0);
        assert!(close(factor.inverse().at(0, 1), -0.25));
        assert!(Small::from_fn(2, |_, _| 1.0).cholesky().is_none());
    }
}
