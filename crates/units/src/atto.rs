//! Fixed-point quantities: whole numbers of 10^-18 of a unit (attojoules, attoseconds). Their
//! sums are the same to the last digit in whatever order and division, in this program and in
//! every database: as decimals with 38 digits, 18 of them after the point.

use std::fmt;

use crate::exact::Femtojoules;

/// Digits after the point of the decimal type in tables.
pub const DECIMAL_SCALE: u8 = 18;
/// Significant digits of the decimal type in tables.
pub const DECIMAL_PRECISION: u8 = 38;

/// Attounits in a unit.
const PER_UNIT: u128 = 1_000_000_000_000_000_000;
/// Least number of attounits that 38 digits can't hold.
const LIMIT: u128 = 100_000_000_000_000_000_000_000_000_000_000_000_000;
/// Bits of the fraction of an `f64`.
const FRACTION_BITS: u32 = 52;
/// The exponent of the last bit of the smallest numbers.
const LEAST_EXPONENT: i32 = -1074;

/// A whole number of 10^-18 of a unit, below 10^20 units.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Atto(i128);

impl Atto {
    /// Zero attounits.
    pub const ZERO: Self = Self(0);

    /// Makes a quantity of a number of attounits; `None` from 10^38 on.
    #[must_use]
    pub fn new(attounits: i128) -> Option<Self> {
        (attounits.unsigned_abs() < LIMIT).then_some(Self(attounits))
    }

    /// Rounds a value in units to the nearest attounit, the even one of two; `None` if the value
    /// isn't a number or reaches 10^20.
    #[must_use]
    pub fn nearest(value: f64) -> Option<Self> {
        if !value.is_finite() {
            return None;
        }
        let (mantissa, exponent) = mantissa_and_exponent(value);
        // 53 and 60 bits.
        let product = u128::from(mantissa) * PER_UNIT;
        let size = match u32::try_from(exponent) {
            Ok(left) => shifted_left(product, left)?,
            Err(_) => shifted_right(product, exponent.unsigned_abs()),
        };
        let size = i128::try_from(size).ok()?;
        Self::new(if value < 0.0 { -size } else { size })
    }

    /// Returns the whole number of 10^-18 of the unit.
    #[must_use]
    pub fn attounits(self) -> i128 {
        self.0
    }

    /// Returns the exact sum; `None` where 38 digits don't hold it.
    #[must_use]
    pub fn plus(self, other: Self) -> Option<Self> {
        Self::new(self.0.checked_add(other.0)?)
    }

    /// Returns the exact difference; `None` where 38 digits don't hold it.
    #[must_use]
    pub fn minus(self, other: Self) -> Option<Self> {
        Self::new(self.0.checked_sub(other.0)?)
    }

    /// Converts an exact energy to a number of 10^-18 J; `None` where 38 digits don't hold it.
    #[must_use]
    pub fn of_energy(energy: Femtojoules) -> Option<Self> {
        Self::new(energy.0.checked_mul(1000)?)
    }
}

/// Splits a finite number, without its sign, into whole mantissa and power of two.
fn mantissa_and_exponent(value: f64) -> (u64, i32) {
    let bits = value.to_bits();
    let fraction = bits & ((1 << FRACTION_BITS) - 1);
    match (bits >> FRACTION_BITS & 0x7ff) as i32 {
        0 => (fraction, LEAST_EXPONENT),
        biased => (fraction | 1 << FRACTION_BITS, LEAST_EXPONENT + biased - 1),
    }
}

fn shifted_left(size: u128, by: u32) -> Option<u128> {
    (by <= size.leading_zeros()).then(|| size << by)
}

/// Divides by a power of two, rounding to nearest, ties to even.
fn shifted_right(size: u128, by: u32) -> u128 {
    if by > 127 {
        return 0;
    }
    let (whole, rest, half) = (size >> by, size & ((1 << by) - 1), 1 << (by - 1));
    let is_up = rest > half || rest == half && whole & 1 == 1;
    whole + u128::from(is_up)
}

impl fmt::Display for Atto {
    /// Units with all 18 decimals: `0.000030600000000000`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, size) = (if self.0 < 0 { "-" } else { "" }, self.0.unsigned_abs());
        write!(f, "{sign}{}.{:018}", size / PER_UNIT, size % PER_UNIT)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::units::Joules;

    #[test]
    fn the_nearest_attounit_of_all_digits() {
        for (value, text) in [
            (0.1, "0.100000000000000006"),
            (-1.5, "-1.500000000000000000"),
            (0.0, "0.000000000000000000"),
            (5e-324, "0.000000000000000000"),
            (1e-18, "0.000000000000000001"),
            (3e19, "30000000000000000000.000000000000000000"),
            // 2^-19 has 19 decimals, the last of them a 5: ties go to the even digit.
            (2f64.powi(-19), "0.000001907348632812"),
            (3.0 * 2f64.powi(-19), "0.000005722045898438"),
        ] {
            assert_eq!(Atto::nearest(value).unwrap().to_string(), text, "{value:e}");
        }
        for strange in [f64::NAN, f64::INFINITY, -f64::INFINITY, 1e20, -1e300, f64::MAX] {
            assert_eq!(Atto::nearest(strange), None, "{strange}");
        }
        assert_eq!(Atto::new(LIMIT as i128), None);
        let most = Atto::new(LIMIT as i128 - 1).unwrap();
        assert_eq!((most.plus(most), most.minus(most)), (None, Some(Atto::ZERO)));
    }

    #[test]
    fn exact_energies_are_thousands_of_attojoules() {
        let energy = Femtojoules::from_joules(Joules(-0.25));
        assert_eq!(Atto::of_energy(energy), Atto::nearest(-0.25));
        assert_eq!(Atto::of_energy(Femtojoules(i128::MAX)), None);
    }

    proptest! {
        #[test]
        fn whole_attounits_come_back(attounits in -(1_i64 << 53)..1_i64 << 53) {
            // A power of two that leaves nothing to round.
            let value = attounits as f64 * 2f64.powi(-18);
            let expected = i128::from(attounits) * 3_814_697_265_625;
            prop_assert_eq!(Atto::nearest(value).map(Atto::attounits), Some(expected));
        }

        #[test]
        fn what_is_printed_is_within_half_an_attounit(value in -1e3..1e3_f64) {
            let printed: f64 = Atto::nearest(value).unwrap().to_string().parse().unwrap();
            prop_assert!((printed - value).abs() <= 0.5e-18_f64.max(value.abs() * 2.3e-16));
        }
    }
}
