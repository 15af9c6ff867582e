//! Symmetric matrices of a handful of rows, for which the set-up of a library costs more than the
//! work. Only the upper half is held, row after row, so that all inner loops run along memory.

/// A symmetric matrix, or the upper factor of one, and its order.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct SymmetricMatrix {
    n: usize,
    of: Vec<f64>,
}

impl SymmetricMatrix {
    /// Creates a matrix of zeros of order `n`.
    pub fn zero(n: usize) -> Self {
        Self { n, of: vec![0.0; n * (n + 1) / 2] }
    }

    /// Creates a matrix of order `n` from elements by row and column, for a column not left of the
    /// row.
    pub fn from_fn(n: usize, of: impl Fn(usize, usize) -> f64) -> Self {
        let row = |i: usize| (i..n).map(move |j| (i, j));
        Self { n, of: (0..n).flat_map(row).map(|(i, j)| of(i, j)).collect() }
    }

    /// Returns where row `i` begins, with its diagonal.
    fn start(&self, i: usize) -> usize {
        i * (2 * self.n + 1 - i) / 2
    }

    /// Row `i` from the diagonal on.
    pub fn row(&self, i: usize) -> &[f64] {
        let start = self.start(i);
        &self.of[start..start + self.n - i]
    }

    /// Row `i` from the diagonal on, mutable. For the test oracle (`positive_density`) alone.
    #[cfg(test)]
    pub(crate) fn row_mut(&mut self, i: usize) -> &mut [f64] {
        let start = self.start(i);
        &mut self.of[start..start + self.n - i]
    }

    /// An element of the diagonal.
    pub fn diagonal(&self, i: usize) -> f64 {
        self.of[self.start(i)]
    }

    /// Sets the matrix to a multiple of another one of the same order.
    pub fn set(&mut self, factor: f64, other: &Self) {
        self.of.iter_mut().zip(&other.of).for_each(|(to, x)| *to = factor * x);
    }

    /// Adds a multiple of another matrix of the same order.
    pub fn add(&mut self, factor: f64, other: &Self) {
        self.of.iter_mut().zip(&other.of).for_each(|(to, x)| *to += factor * x);
    }

    /// Adds `v v'`.
    pub(crate) fn add_outer(&mut self, v: &[f64]) {
        let mut rest = self.of.as_mut_slice();
        for (i, x) in v.iter().enumerate() {
            let (row, behind) = rest.split_at_mut(v.len() - i);
            row.iter_mut().zip(&v[i..]).for_each(|(to, y)| *to += x * y);
            rest = behind;
        }
    }

    /// Multiplies rows and columns by `by`, and adds `diagonal` to the diagonal.
    pub fn scale(&mut self, by: &[f64], diagonal: f64) {
        let mut rest = self.of.as_mut_slice();
        for (i, x) in by.iter().enumerate() {
            let (row, behind) = rest.split_at_mut(by.len() - i);
            row.iter_mut().zip(&by[i..]).for_each(|(to, y)| *to *= x * y);
            row[0] += diagonal;
            rest = behind;
        }
    }

    /// Sets `to` to this matrix times `v`.
    #[cfg(test)]
    pub fn times(&self, v: &[f64], to: &mut [f64]) {
        to.fill(0.0);
        for i in 0..self.n {
            let row = self.row(i);
            to[i] += row.iter().zip(&v[i..]).map(|(a, x)| a * x).sum::<f64>();
            to[i + 1..].iter_mut().zip(&row[1..]).for_each(|(to, a)| *to += a * v[i]);
        }
    }

    /// Replaces this matrix by the factor `U` with `U'U` this matrix; returns false if it is not
    /// positive definite.
    pub fn factor(&mut self) -> bool {
        let mut rest = self.of.as_mut_slice();
        for n in (1..=self.n).rev() {
            let (row, behind) = rest.split_at_mut(n);
            if row[0].is_nan() || row[0] <= 0.0 {
                return false;
            }
            let scale = row[0].sqrt().recip();
            row.iter_mut().for_each(|x| *x *= scale);
            let mut below = &mut *behind;
            for i in 1..n {
                let (other, next) = below.split_at_mut(n - i);
                let factor = row[i];
                other.iter_mut().zip(&row[i..]).for_each(|(to, x)| *to -= factor * x);
                below = next;
            }
            rest = behind;
        }
        true
    }

    /// For a factor `U`: `slopes`, the derivatives of some function by the elements of `U`,
    /// become those by the elements held of `U'U`: the steps of `factor` backwards
    /// (Smith 1995).
    #[cfg(test)]
    pub(crate) fn pull_back(&self, slopes: &mut Self) {
        for k in (0..self.n).rev() {
            let row = self.row(k);
            let (above, below) = slopes.of.split_at_mut(self.start(k) + row.len());
            let own = &mut above[self.start(k)..];
            let mut rest = &*below;
            for i in 1..row.len() {
                let (of_row, next) = rest.split_at(row.len() - i);
                own[i..].iter_mut().zip(of_row).for_each(|(to, x)| *to -= x * row[i]);
                own[i] -= of_row.iter().zip(&row[i..]).map(|(x, u)| x * u).sum::<f64>();
                rest = next;
            }
            let divisor = row[0].recip();
            own[1..].iter_mut().for_each(|x| *x *= divisor);
            let along: f64 = own[1..].iter().zip(&row[1..]).map(|(x, u)| x * u).sum();
            own[0] = (own[0] - along) * divisor / 2.0;
        }
    }

    /// For a factor `U`: `b` becomes `U'^-1 b`.
    pub fn forward(&self, b: &mut [f64]) {
        for i in 0..self.n {
            let row = self.row(i);
            let (known, rest) = b.split_at_mut(i + 1);
            known[i] /= row[0];
            rest.iter_mut().zip(&row[1..]).for_each(|(to, u)| *to -= known[i] * u);
        }
    }

    /// For a factor `U`: `b` becomes `U^-1 b`.
    pub fn back(&self, b: &mut [f64]) {
        for i in (0..self.n).rev() {
            let row = self.row(i);
            let known: f64 = row[1..].iter().zip(&b[i + 1..]).map(|(u, x)| u * x).sum();
            b[i] = (b[i] - known) / row[0];
        }
    }

    /// For a factor `U`: `to` becomes the inverse of `U'U`; `rows` is room for n x n.
    pub(crate) fn invert(&self, to: &mut Self, rows: &mut [f64]) {
        let n = self.n;
        to.of.fill(0.0);
        rows.fill(0.0);
        // Rows of U'^-1, from the first: e_i - sum over k < i of U_ki row_k, by U_ii.
        for i in 0..n {
            let (above, own) = rows.split_at_mut(i * n);
            let own = &mut own[..=i];
            own[i] = 1.0;
            for (k, row) in above.chunks_exact(n).enumerate() {
                let factor = self.of[self.start(k) + i - k];
                own[..=k].iter_mut().zip(row).for_each(|(to, x)| *to -= factor * x);
            }
            let divisor = self.of[self.start(i)].recip();
            own.iter_mut().for_each(|x| *x *= divisor);
            // Their outer products add up to the inverse.
            let mut rest = to.of.as_mut_slice();
            for (k, x) in own.iter().enumerate() {
                let (row, behind) = rest.split_at_mut(n - k);
                row.iter_mut().zip(&own[k..]).for_each(|(to, y)| *to += x * y);
                rest = behind;
            }
        }
    }

    /// For a factor `U`: the logarithm of the determinant of `U'U`.
    pub(crate) fn log_determinant(&self) -> f64 {
        // A product of four is no danger, and a logarithm costs as much as 20 products.
        let four = |first: usize| {
            let pivots = first..(first + 4).min(self.n);
            2.0 * pivots.map(|i| self.diagonal(i)).product::<f64>().ln()
        };
        (0..self.n).step_by(4).map(four).sum()
    }

    /// Doubles the elements off the diagonal: products with such a matrix add up to a trace.
    pub(crate) fn double_off_diagonal(&mut self) {
        let mut rest = self.of.as_mut_slice();
        for n in (1..=self.n).rev() {
            let (row, behind) = rest.split_at_mut(n);
            row[1..].iter_mut().for_each(|x| *x *= 2.0);
            rest = behind;
        }
    }

    /// Sum of the products of all elements held: `trace(A B)` if one of both is doubled
    /// off the diagonal.
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
        let a = SymmetricMatrix::from_fn(2, |i, j| [[4.0, 2.0], [2.0, 3.0]][i][j]);
        let close = |a: f64, b: f64| (a - b).abs() < 1e-14;
        let mut factor = a.clone();
        assert!(factor.factor() && close(factor.of[1], 1.0));
        assert!(close(factor.diagonal(0), 2.0) && close(factor.diagonal(1), 2f64.sqrt()));
        let mut x = [8.0, 8.0];
        factor.forward(&mut x);
        factor.back(&mut x);
        assert!(close(x[0], 1.0) && close(x[1], 2.0), "{x:?}");
        assert!(close(factor.log_determinant(), 8f64.ln()));
        let mut inverse = SymmetricMatrix::zero(2);
        factor.invert(&mut inverse, &mut [0.0; 4]);
        assert!(close(inverse.diagonal(0), 0.375) && close(inverse.of[1], -0.25));
        inverse.double_off_diagonal();
        assert!(close(inverse.product(&a), 2.0));
        assert!(!SymmetricMatrix::from_fn(2, |_, _| 1.0).factor());
    }

    /// Slopes of `sum over i <= j of c_ij U_ij` by the elements of `U'U`, against differences.
    #[test]
    fn slopes_go_back_through_the_factor() {
        let (a, c) = ([[4.0, 2.0, -1.0], [2.0, 3.0, 0.5], [-1.0, 0.5, 5.0]], [1.0, -2.0, 0.3]);
        let sum = |element: usize, by: f64| {
            let mut factor = SymmetricMatrix::from_fn(3, |i, j| a[i][j]);
            factor.of[element] += by;
            assert!(factor.factor());
            let slopes = SymmetricMatrix::from_fn(3, |i, j| c[i] + c[j] * c[j]);
            (factor.product(&slopes), factor, slopes)
        };
        let (_, factor, mut slopes) = sum(0, 0.0);
        factor.pull_back(&mut slopes);
        for (element, slope) in slopes.of.iter().enumerate() {
            let expected = (sum(element, 1e-6).0 - sum(element, -1e-6).0) / 2e-6;
            assert!((slope - expected).abs() < 1e-8, "{element}: {slope} {expected}");
        }
    }

    #[test]
    fn scaling_and_outer_products() {
        let mut a = SymmetricMatrix::zero(2);
        a.add_outer(&[1.0, 2.0]);
        a.scale(&[2.0, 3.0], 1.0);
        assert_eq!(a.of, [5.0, 12.0, 37.0]);
        let mut to = [0.0; 2];
        a.times(&[1.0, 2.0], &mut to);
        assert_eq!(to, [29.0, 86.0]);
    }
}
