//! Quantities on their way to whole attounits: rounded once, and refused where 38 digits don't
//! hold them.

use wattline_units::atto::Atto;
use wattline_units::shortened::shortened;

/// A quantity that 38 digits don't hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{what} of {} is {}, which 20 digits before the point don't hold",
    shortened(whose),
    shortened(value)
)]
pub struct QuantityTooLarge {
    /// Which quantity.
    pub what: &'static str,
    /// Whose it is.
    pub whose: String,
    /// Its value.
    pub value: String,
}

impl QuantityTooLarge {
    /// Returns a value in whole attounits.
    ///
    /// # Errors
    /// 38 digits do not hold it, or it is no number.
    pub fn check(what: &'static str, whose: &str, value: f64) -> Result<Atto, Self> {
        let too_large = || Self { what, whose: whose.to_owned(), value: value.to_string() };
        Atto::nearest(value).ok_or_else(too_large)
    }

    /// Returns the energy that parts leave of a total, in whole attojoules.
    pub(crate) fn rest(
        whose: &str,
        total_j: f64,
        mut parts: impl Iterator<Item = Atto>,
    ) -> Result<Atto, Self> {
        let total = Self::check("energy_j", whose, total_j)?;
        let too_large = || Self {
            what: "energy_j",
            whose: format!("what parts leave of {whose}"),
            value: total_j.to_string(),
        };
        parts.try_fold(total, Atto::minus).ok_or_else(too_large)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantity_that_does_not_fit_is_named() {
        let error = QuantityTooLarge::check("energy_j", "a", 1e21).unwrap_err().to_string();
        assert!(error.starts_with("energy_j of a is 1000000000000000000000, which"), "{error}");
        let parts = [Atto::nearest(0.1), Atto::nearest(0.2)].into_iter().flatten();
        let rest = QuantityTooLarge::rest("all", 0.3, parts).unwrap();
        // As `f64`s, 0.1 and 0.2 are together more than 0.3.
        assert_eq!(rest.attounits(), -28);
    }
}
