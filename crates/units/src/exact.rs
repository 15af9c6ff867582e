//! Energy as an integer number of femtojoules, so that sums are exact: also the sum
//! of the decimals that are printed. A cost is rounded once, where it enters an
//! account (one operation on one line of one block); from there on only integers are
//! added, and every level of an account adds up to the last printed digit.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg, Sub};

use crate::units::Joules;

/// Decimals of an energy in joules that is a whole number of femtojoules.
const DECIMALS: usize = 15;
/// Femtojoules in a joule.
const PER_JOULE: i128 = 1_000_000_000_000_000;

/// A whole number of femtojoules. `i128` holds 1.7e23 J, so that sums can't overflow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Femtojoules(pub i128);

impl Femtojoules {
    /// No energy.
    pub const ZERO: Self = Self(0);

    /// Rounds to the nearest whole number of femtojoules; a value that isn't a number gives 0,
    /// one that is too large the largest there is.
    pub fn from_joules(energy: Joules) -> Self {
        let limit = 1e30;
        Self((energy.0 * PER_JOULE as f64).round().clamp(-limit, limit) as i128)
    }

    /// Converts to joules as an `f64`, rounded.
    pub fn joules(self) -> Joules {
        Joules(self.0 as f64 / PER_JOULE as f64)
    }

    /// Reads what [`fmt::Display`] writes: a decimal number with at most 15 decimals.
    /// `None` if `text` is anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let (sign, digits) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, text),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty()
            || fraction.len() > DECIMALS
            || !all_digits(whole)
            || !all_digits(fraction)
        {
            return None;
        }
        let whole: i128 = whole.parse().ok()?;
        let fraction: i128 = format!("{fraction:0<DECIMALS$}").parse().ok()?;
        Some(Self(sign * (whole.checked_mul(PER_JOULE)? + fraction)))
    }
}

impl fmt::Display for Femtojoules {
    /// Joules with all 15 decimals: `0.000030600000000`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let size = self.0.unsigned_abs();
        let unit = PER_JOULE as u128;
        write!(f, "{sign}{}.{:0DECIMALS$}", size / unit, size % unit)
    }
}

impl Add for Femtojoules {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Femtojoules {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Femtojoules {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Neg for Femtojoules {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Sum for Femtojoules {
    fn sum<I: Iterator<Item = Self>>(values: I) -> Self {
        values.fold(Self::ZERO, Add::add)
    }
}

/// Returns `part / whole`; `None` where the whole isn't positive.
pub fn share(part: Femtojoules, whole: Femtojoules) -> Option<f64> {
    (whole.0 > 0).then(|| part.0 as f64 / whole.0 as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_decimals_are_exact_and_read_back() {
        for (femto, text) in [
            (30_600_000_000_i128, "0.000030600000000"),
            (-1_500_000_000_000_000, "-1.500000000000000"),
            (-1, "-0.000000000000001"),
            (0, "0.000000000000000"),
        ] {
            assert_eq!(Femtojoules(femto).to_string(), text);
            assert_eq!(Femtojoules::parse(text), Some(Femtojoules(femto)));
        }
        assert_eq!(Femtojoules::parse("2"), Some(Femtojoules(2 * PER_JOULE)));
        for strange in ["", "-", "1e3", "none", "0.0000000000000001", ".5", "--1"] {
            assert_eq!(Femtojoules::parse(strange), None, "{strange}");
        }
    }

    #[test]
    fn strange_numbers_do_not_panic() {
        assert_eq!(Femtojoules::from_joules(Joules(f64::NAN)), Femtojoules::ZERO);
        assert!(Femtojoules::from_joules(Joules(f64::INFINITY)) > Femtojoules::ZERO);
        assert_eq!(Femtojoules::from_joules(Joules(1e-15)), Femtojoules(1));
    }
}
