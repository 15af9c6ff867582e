//! Physical quantities as types of their own, with only the arithmetic that makes
//! physical sense. Inside the program a bare `f64` is a pure number or a count.
//! Outside (CSV headers, JSON keys, flags) the unit ends the name: `energy_j`.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

use serde::{Deserialize, Serialize};

/// Declares one quantity: a newtype over `f64` with sums, scaling and ratios.
macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident, $symbol:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub f64);

        impl $name {
            /// Zero of the quantity.
            pub const ZERO: Self = Self(0.0);
        }
        impl Add for $name {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }
        impl AddAssign for $name {
            fn add_assign(&mut self, other: Self) {
                self.0 += other.0;
            }
        }
        impl Sub for $name {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                Self(self.0 - other.0)
            }
        }
        impl Neg for $name {
            type Output = Self;
            fn neg(self) -> Self {
                Self(-self.0)
            }
        }
        impl Mul<f64> for $name {
            type Output = Self;
            fn mul(self, factor: f64) -> Self {
                Self(self.0 * factor)
            }
        }
        impl Div<f64> for $name {
            type Output = Self;
            fn div(self, divisor: f64) -> Self {
                Self(self.0 / divisor)
            }
        }
        impl Div for $name {
            type Output = f64;
            fn div(self, other: Self) -> f64 {
                self.0 / other.0
            }
        }
        impl Sum for $name {
            fn sum<I: Iterator<Item = Self>>(values: I) -> Self {
                values.fold(Self::ZERO, Add::add)
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&with_prefix(self.0, $symbol))
            }
        }
    };
}

quantity!(
    /// Energy in joules.
    Joules, "J"
);
quantity!(
    /// Power in watts.
    Watts, "W"
);
quantity!(
    /// A span of time in seconds.
    Seconds, "s"
);
quantity!(
    /// Electric potential in volts.
    Volts, "V"
);
quantity!(
    /// Electric current in amperes.
    Amperes, "A"
);

impl Mul<Seconds> for Watts {
    type Output = Joules;
    fn mul(self, duration: Seconds) -> Joules {
        Joules(self.0 * duration.0)
    }
}

impl Div<Seconds> for Joules {
    type Output = Watts;
    fn div(self, duration: Seconds) -> Watts {
        Watts(self.0 / duration.0)
    }
}

impl Mul<Amperes> for Volts {
    type Output = Watts;
    fn mul(self, current: Amperes) -> Watts {
        Watts(self.0 * current.0)
    }
}

/// Formats three significant digits with the SI prefix that keeps them readable:
/// `0.0000306` and `J` give `30.6 uJ`.
fn with_prefix(value: f64, symbol: &str) -> String {
    const PREFIXES: [(f64, &str); 6] =
        [(1.0, ""), (1e-3, "m"), (1e-6, "u"), (1e-9, "n"), (1e-12, "p"), (1e-15, "f")];
    let size = value.abs();
    if size == 0.0 || !size.is_finite() {
        return format!("{value} {symbol}");
    }
    if size >= 1e6 {
        return format!("{value:.2e} {symbol}");
    }
    if size >= 1e3 {
        return format!("{value:.0} {symbol}");
    }
    let (unit, prefix) =
        PREFIXES.into_iter().find(|(unit, _)| size >= *unit * 0.9995).unwrap_or((1e-15, "f"));
    let scaled = value / unit;
    let digits = if scaled.abs() >= 99.95 {
        0
    } else if scaled.abs() >= 9.995 {
        1
    } else {
        2
    };
    format!("{scaled:.digits$} {prefix}{symbol}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn power_times_time_is_energy() {
        assert_eq!(Watts(2.0) * Seconds(3.0), Joules(6.0));
        assert_eq!(Joules(6.0) / Seconds(3.0), Watts(2.0));
        assert_eq!(Volts(1.5) * Amperes(2.0), Watts(3.0));
    }

    #[test]
    fn quantities_print_with_a_readable_prefix() {
        assert_eq!(Joules(30.6e-6).to_string(), "30.6 uJ");
        assert_eq!(Joules(0.0918).to_string(), "91.8 mJ");
        assert_eq!(Joules(-1.5).to_string(), "-1.50 J");
        assert_eq!(Seconds(100.0).to_string(), "100 s");
        assert_eq!(Joules(0.0).to_string(), "0 J");
        assert_eq!(Joules(0.9999).to_string(), "1.00 J");
        assert_eq!(Joules(123_456.0).to_string(), "123456 J");
        assert_eq!(Watts(-1e308).to_string(), "-1.00e308 W");
    }
}
