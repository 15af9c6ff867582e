//! Sums to some thirty digits, as a pair of numbers `hi + lo` (Dekker 1971; Knuth's sum
//! without error). Sums of whole numbers below 2^106 are exact, and so the same in any order.

use serde::{Deserialize, Serialize};

/// `hi + lo`, `lo` being at most half of the last digit of `hi`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct DoubleDouble {
    /// The value as an `f64`.
    pub hi: f64,
    /// Remainder of the value.
    pub lo: f64,
}

/// `a + b` and the error of that.
#[inline(always)]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

/// `a + b` and the error of that, where `a` is the larger one.
#[inline(always)]
fn quick_two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    (sum, b - (sum - a))
}

impl DoubleDouble {
    /// Creates a number from an `f64`.
    pub fn of(hi: f64) -> Self {
        Self { hi, lo: 0.0 }
    }

    /// Adds a number.
    #[inline(always)]
    pub fn add(&mut self, x: f64) {
        let (sum, error) = two_sum(self.hi, x);
        let (hi, lo) = quick_two_sum(sum, self.lo + error);
        *self = Self { hi, lo };
    }

    /// Returns the sum of two numbers.
    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        let (sum, error) = two_sum(self.hi, other.hi);
        let (low, low_error) = two_sum(self.lo, other.lo);
        let (sum, error) = quick_two_sum(sum, error + low);
        let (hi, lo) = quick_two_sum(sum, error + low_error);
        Self { hi, lo }
    }

    /// Returns the product of two numbers.
    #[inline(always)]
    pub fn times(self, other: Self) -> Self {
        let product = self.hi * other.hi;
        let error = self.hi.mul_add(other.hi, -product);
        let (hi, lo) = quick_two_sum(product, error + (self.hi * other.lo + self.lo * other.hi));
        Self { hi, lo }
    }

    /// Returns the difference of two numbers.
    #[inline(always)]
    pub fn minus(self, other: Self) -> Self {
        self.plus(Self { hi: -other.hi, lo: -other.lo })
    }

    /// The square root of a number above 0, by one step of Newton's from the nearest `f64`.
    pub fn sqrt(self) -> Self {
        let near = self.hi.sqrt();
        let rest = self.minus(Self::of(near).times(Self::of(near)));
        let (hi, lo) = quick_two_sum(near, rest.hi / (2.0 * near));
        Self { hi, lo }
    }

    /// Returns the reciprocal of a number, by one step of Newton's.
    pub fn inverse(self) -> Self {
        let near = 1.0 / self.hi;
        let rest = Self::of(1.0).minus(self.times(Self::of(near)));
        let (hi, lo) = quick_two_sum(near, rest.hi * near);
        Self { hi, lo }
    }
}

/// `N` sums, with high and low parts in arrays of their own, as vector instructions need them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DoubleDoubleSums<const N: usize> {
    hi: [f64; N],
    lo: [f64; N],
}

impl<const N: usize> DoubleDoubleSums<N> {
    /// Returns the sums one by one.
    pub fn to_array(self) -> [DoubleDouble; N] {
        std::array::from_fn(|i| DoubleDouble { hi: self.hi[i], lo: self.lo[i] })
    }

    /// Adds one number to each sum.
    #[inline(always)]
    pub fn add(&mut self, terms: [f64; N]) {
        for ((hi, lo), term) in self.hi.iter_mut().zip(&mut self.lo).zip(terms) {
            let mut sum = DoubleDouble { hi: *hi, lo: *lo };
            sum.add(term);
            (*hi, *lo) = (sum.hi, sum.lo);
        }
    }

    /// Adds two arrays of sums element by element.
    pub fn plus(&self, other: &Self) -> Self {
        let (ours, others) = (self.to_array(), other.to_array());
        std::array::from_fn(|i| ours[i].plus(others[i])).into()
    }
}

impl<const N: usize> From<[DoubleDouble; N]> for DoubleDoubleSums<N> {
    fn from(sums: [DoubleDouble; N]) -> Self {
        Self { hi: sums.map(|sum| sum.hi), lo: sums.map(|sum| sum.lo) }
    }
}

impl<const N: usize> Default for DoubleDoubleSums<N> {
    fn default() -> Self {
        Self { hi: [0.0; N], lo: [0.0; N] }
    }
}

impl std::iter::Sum for DoubleDouble {
    fn sum<I: Iterator<Item = Self>>(of: I) -> Self {
        of.fold(Self::default(), Self::plus)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sums_of_whole_numbers_are_exact() {
        let mut sum = DoubleDouble::default();
        for _ in 0..1000 {
            sum.add(9e15);
            sum.add(1.0);
        }
        assert_eq!((sum.hi - 9e18, sum.lo), (1024.0, -24.0));
        let third = DoubleDouble::of(3.0).inverse();
        assert!((third.times(DoubleDouble::of(3.0)).minus(DoubleDouble::of(1.0)).hi).abs() < 1e-31);
        let root = DoubleDouble::of(2.0).sqrt();
        assert!((root.times(root).minus(DoubleDouble::of(2.0)).hi).abs() < 1e-31);
    }

    #[test]
    fn sums_side_by_side_are_those_one_by_one() {
        let (mut each, mut together) = ([DoubleDouble::default(); 3], DoubleDoubleSums::default());
        for i in 0..1000 {
            let terms = [0.1, 1e9, -1e-9].map(|x| x * f64::from(i));
            each.iter_mut().zip(terms).for_each(|(sum, term)| sum.add(term));
            together.add(terms);
        }
        assert_eq!(together.to_array(), each);
        assert_eq!(together.plus(&together).to_array(), each.map(|sum| sum.plus(sum)));
    }

    proptest! {
        /// In any order, to the last bit.
        #[test]
        fn order_is_nothing_to_whole_numbers(
            numbers in proptest::collection::vec(-(1i64 << 52)..(1i64 << 52), 1..40),
            cut in 0usize..40,
        ) {
            let sum = |of: &[i64]| of.iter().map(|x| DoubleDouble::of(*x as f64)).sum::<DoubleDouble>();
            let cut = cut.min(numbers.len());
            let whole = sum(&numbers);
            prop_assert_eq!(sum(&numbers[cut..]).plus(sum(&numbers[..cut])), whole);
            let exact: i128 = numbers.iter().map(|x| i128::from(*x)).sum();
            prop_assert_eq!(whole.hi as i128 + whole.lo as i128, exact);
        }
    }
}
