//! Coordinates in SVG pictures.

use std::fmt::{self, Display, Formatter};
use std::ops::{Add, Sub};

/// A coordinate or a length in a picture, written with one decimal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Px(pub f64);

impl Px {
    /// Returns the coordinate half way to another.
    pub fn middle(self, other: &Px) -> Px {
        Px((self.0 + other.0) / 2.0)
    }
}

impl Display for Px {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1}", self.0)
    }
}

impl Add<f64> for Px {
    type Output = Px;

    fn add(self, more: f64) -> Px {
        Px(self.0 + more)
    }
}

impl Sub<f64> for Px {
    type Output = Px;

    fn sub(self, less: f64) -> Px {
        Px(self.0 - less)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_have_one_decimal() {
        let (left, right) = (Px(76.0), Px(100.25));
        assert_eq!(left.to_string(), "76.0");
        assert_eq!((left + 4.0 - 0.04).to_string(), "80.0");
        assert_eq!(left.middle(&right).to_string(), "88.1");
    }
}
