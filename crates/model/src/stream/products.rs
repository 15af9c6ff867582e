//! Cross products of weighted rows `[n e]`, exact where that matters.
//!
//! A product of two numbers of 53 bits has 106, and most of them are lost in an `f64`. So
//! numbers are cut into slices of at most [`SLICE_BITS`]: products of slices, summed over a
//! batch, are exact in an `f64`, whatever the order (Ozaki et al. 2012), and batches are
//! summed as [`DoubleDouble`]. Counts that are whole and below 2^20 are one slice anyway.

use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, Mat, MatRef, Par};

use super::super::double_double::DoubleDouble;
use super::super::linear::run_in_wide_vectors;
use crate::table::BLOCK_ROWS;

/// Bits of a slice: `2^12` rows of products of two slices fill 52 bits.
const SLICE_BITS: i32 = 20;
const _: () = assert!(BLOCK_ROWS <= 1 << (52 - 2 * SLICE_BITS));

/// Slices of a number; what is left after six is below 2^-100 of the largest.
const SLICES: usize = 6;

/// Precision of the products of counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Precision {
    /// That of an `f64`: fast, but the square of a condition number is lost.
    Double,
    /// All digits: pairs of `f64`, as [`DoubleDouble`].
    Extended,
}

/// The lower triangle of a symmetric matrix, column by column.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LowerTriangle {
    /// Number of columns w.
    pub width: usize,
    /// The `w (w + 1) / 2` elements.
    pub elements: Vec<DoubleDouble>,
}

impl LowerTriangle {
    /// Creates a triangle of zeros.
    pub fn zeros(width: usize) -> Self {
        Self { width, elements: vec![DoubleDouble::default(); width * (width + 1) / 2] }
    }

    /// Returns where column `j` begins, less `j`.
    fn start(&self, j: usize) -> usize {
        j * self.width - j * (j + 1) / 2
    }

    /// Element `(i, j)`.
    pub fn get(&self, i: usize, j: usize) -> DoubleDouble {
        self.elements[self.start(i.min(j)) + i.max(j)]
    }

    /// Adds another triangle of the same width.
    pub fn add(&mut self, other: &Self) {
        for (sum, x) in self.elements.iter_mut().zip(&other.elements) {
            *sum = sum.plus(*x);
        }
    }
}

/// Rows as columns of slices, for exact cross products.
pub(super) struct SliceBatch {
    rows: usize,
    /// Slices, column by column.
    slices: Vec<f64>,
    /// The column that each slice is of; never falling.
    of: Vec<usize>,
    /// Whether products of slices are exact.
    pub exact: bool,
    rest: Vec<f64>,
    products: Mat<f64>,
}

impl SliceBatch {
    /// Creates an empty batch.
    pub fn new() -> Self {
        let (slices, of, rest) = (Vec::new(), Vec::new(), Vec::new());
        Self { rows: 0, slices, of, exact: true, rest, products: Mat::new() }
    }

    /// Takes `width` columns of `rows` rows, the last one being the energies, which are kept
    /// with all digits.
    pub fn fill(
        &mut self,
        rows: usize,
        width: usize,
        digits: Precision,
        column: impl Fn(usize, &mut Vec<f64>),
    ) {
        (self.rows, self.exact) = (rows, true);
        self.slices.clear();
        self.of.clear();
        for j in 0..width {
            let from = self.slices.len();
            column(j, &mut self.slices);
            self.of.push(j);
            if is_one_slice(&self.slices[from..]) {
                continue;
            }
            if digits == Precision::Extended || j + 1 == width {
                self.slice_column(from, j);
            } else {
                self.exact = false;
            }
        }
    }

    /// Cuts the last column, which begins at `from`, into slices.
    fn slice_column(&mut self, from: usize, j: usize) {
        // Not finite: as it is, for the sums to show it.
        if self.slices[from..].iter().any(|x| !x.is_finite()) {
            return;
        }
        self.rest.clear();
        self.rest.extend_from_slice(&self.slices[from..]);
        self.slices.truncate(from);
        self.of.pop();
        for _ in 0..SLICES {
            let largest = self.rest.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
            if largest == 0.0 {
                return;
            }
            let unit = unit(largest);
            for x in &mut self.rest {
                let slice = (*x / unit).round_ties_even() * unit;
                *x -= slice;
                self.slices.push(slice);
            }
            self.of.push(j);
        }
    }

    /// Adds the cross products of some of the rows.
    pub fn add_to(&mut self, sums: &mut LowerTriangle, rows: std::ops::Range<usize>) {
        let width = self.of.len();
        let all = MatRef::from_column_major_slice(&self.slices, self.rows, width);
        let some = all.subrows(rows.start, rows.len());
        if self.products.nrows() != width {
            self.products = Mat::zeros(width, width);
        }
        let (lower, full) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
        let to = &mut self.products;
        matmul(to, lower, Accum::Replace, some.transpose(), full, some, full, 1.0, Par::Seq);
        let (products, of) = (&self.products, self.of.as_slice());
        run_in_wide_vectors(
            #[inline(always)]
            || add_products(sums, products, of),
        );
    }
}

#[inline(always)]
fn add_products(sums: &mut LowerTriangle, products: &Mat<f64>, of: &[usize]) {
    // Up to the first column of several slices, elements are side by side here and there.
    let alike = of.iter().enumerate().take_while(|(p, i)| p == *i).count();
    for (q, j) in of.iter().enumerate() {
        let start = sums.start(*j);
        if q < alike {
            let products = &products.col_as_slice(q)[q..alike];
            let elements = &mut sums.elements[start + q..start + alike];
            // Calls of closures would be compiled for narrow vectors.
            for (sum, product) in elements.iter_mut().zip(products) {
                sum.add(*product);
            }
        }
        for (p, i) in of.iter().enumerate().skip(q.max(alike)) {
            // Two slices of one column meet twice in its square.
            let twice = if p != q && i == j { 2.0 } else { 1.0 };
            sums.elements[start + i].add(twice * products[(p, q)]);
        }
    }
}

/// The unit of a slice: a power of two, `2^SLICE_BITS` of which are more than `largest`.
fn unit(largest: f64) -> f64 {
    let exponent = (largest.to_bits() >> 52) as i32 - 1023;
    // Below the normal numbers nothing can be cut off.
    2f64.powi((exponent + 1 - SLICE_BITS).max(-1022))
}

/// Whether all are whole and fit into a slice.
fn is_one_slice(column: &[f64]) -> bool {
    run_in_wide_vectors(
        #[inline(always)]
        || {
            let limit = f64::from(1 << SLICE_BITS);
            let others = |x: &f64| u64::from(x.trunc() != *x || x.abs() > limit);
            column.iter().fold(0, |any, x| any | others(x)) == 0
        },
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn products(rows: &[Vec<f64>], digits: Precision) -> (LowerTriangle, bool) {
        let width = rows[0].len();
        let (mut batch, mut sums) = (SliceBatch::new(), LowerTriangle::zeros(width));
        batch.fill(rows.len(), width, digits, |j, to| to.extend(rows.iter().map(|row| row[j])));
        batch.add_to(&mut sums, 0..rows.len());
        (sums, batch.exact)
    }

    #[test]
    fn whole_counts_have_exact_products() {
        let rows = vec![vec![3.0, 1_000_000.0, 0.5], vec![4.0, 7.0, 0.25]];
        let (sums, exact) = products(&rows, Precision::Double);
        assert!(exact);
        assert_eq!(sums.get(0, 0), DoubleDouble::of(25.0));
        assert_eq!(sums.get(1, 0), DoubleDouble::of(3_000_028.0));
        assert_eq!(sums.get(2, 1), DoubleDouble::of(500_001.75));
        assert_eq!(sums.get(2, 2), DoubleDouble::of(0.3125));
        assert!(!products(&[vec![0.1, 1.0]], Precision::Double).1);
        let (sums, _) = products(&[vec![f64::NAN, 1.0]], Precision::Extended);
        assert!(sums.get(0, 0).hi.is_nan());
    }

    proptest! {
        /// Numbers of 50 bits: their products as whole numbers of 100 bits.
        #[test]
        fn all_digits_are_kept(
            numbers in proptest::collection::vec(-(1i64 << 50)..(1i64 << 50), 3 * 5),
            shift in -40i32..40,
        ) {
            let unit = 2f64.powi(shift);
            let rows: Vec<Vec<f64>> = numbers
                .chunks(3)
                .map(|row| row.iter().map(|x| *x as f64 * unit).collect())
                .collect();
            let (sums, exact) = products(&rows, Precision::Extended);
            prop_assert!(exact);
            for i in 0..3 {
                for j in 0..=i {
                    let expected: i128 = numbers
                        .chunks(3)
                        .map(|row| i128::from(row[i]) * i128::from(row[j]))
                        .sum();
                    let found = sums.get(i, j);
                    let whole = |x: f64| (x / unit / unit) as i128;
                    prop_assert_eq!(whole(found.hi) + whole(found.lo), expected);
                }
            }
        }

        /// Any division into batches gives the same sums.
        #[test]
        fn division_is_nothing(
            numbers in proptest::collection::vec(0.0f64..1e9, 4 * 12),
            cut in 1usize..11,
        ) {
            let rows: Vec<Vec<f64>> = numbers.chunks(4).map(<[f64]>::to_vec).collect();
            let (mut parts, _) = products(&rows[..cut], Precision::Extended);
            parts.add(&products(&rows[cut..], Precision::Extended).0);
            let (whole, _) = products(&rows, Precision::Extended);
            for (a, b) in parts.elements.iter().zip(&whole.elements) {
                prop_assert!((a.minus(*b)).hi.abs() <= 1e-28 * b.hi.abs());
            }
        }
    }
}
