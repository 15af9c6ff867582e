//! Spread of inputs about their predictions from accounts of other inputs, beyond the accounts'
//! own errors: code spends different energy on other data.

use crate::model::student_975;
use crate::root::root_of_falling;

use super::unseen::UnseenInput;

/// Relative spread of inputs about their predictions, with the number of inputs that it is
/// estimated from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InputSpread {
    /// Standard deviation relative to the predicted energy; 0 where the accounts' own errors
    /// explain the differences.
    relative: f64,
    /// Number of inputs with a standard error.
    inputs: usize,
}

impl InputSpread {
    /// Estimates the spread from inputs, each predicted from the others; `None` where no
    /// prediction has a standard error. With relative errors `r`, and variances `v` of the
    /// accounts, it is the `t` for which the sum of `r^2 / (v + t^2)` is the number of inputs (R.
    /// C. Paule and J. Mandel, J. Res. NBS 87, 377, 1982, for a mean that is known to be zero).
    pub fn of<'i>(inputs: impl IntoIterator<Item = &'i UnseenInput>) -> Option<Self> {
        let errors: Vec<(f64, f64)> =
            inputs.into_iter().filter_map(squared_error_and_variance).collect();
        let excess = |tau2: f64| {
            let sum: f64 = errors.iter().map(|(error, own)| error / (own + tau2)).sum();
            sum - errors.len() as f64
        };
        let most = errors.iter().map(|(error, _)| error).sum();
        let relative = root_of_falling(excess, 0.0, most).sqrt();
        (!errors.is_empty()).then_some(Self { relative, inputs: errors.len() })
    }

    /// Standard deviation relative to the predicted energy.
    pub fn relative(&self) -> f64 {
        self.relative
    }

    /// Number of inputs that it is estimated from: its degrees of freedom.
    pub fn inputs(&self) -> f64 {
        self.inputs as f64
    }

    /// Half the width of the 95 % interval of a further input relative to its energy, without the
    /// accounts' own errors, by Student's t for the number of inputs.
    pub fn half_width(&self) -> f64 {
        student_975(self.inputs as f64) * self.relative
    }
}

/// Square of an input's relative error, and its variance by the accounts.
fn squared_error_and_variance(input: &UnseenInput) -> Option<(f64, f64)> {
    let predicted = input.predicted.energy.0;
    let error = input.measured.0 / predicted - 1.0;
    let se = input.predicted.se?.0 / predicted;
    error.is_finite().then_some((error.powi(2), se.powi(2)))
}

#[cfg(test)]
mod tests {
    use super::super::unseen::tests::input;
    use super::*;

    fn spread(inputs: &[UnseenInput]) -> InputSpread {
        InputSpread::of(inputs).unwrap()
    }

    /// Errors of 3 and 4 % of what was predicted, by accounts that know themselves exact.
    #[test]
    fn without_errors_of_accounts_it_is_the_root_mean_square() {
        let found = spread(&[input("a", 1.03, 1.0, 0.0), input("b", 1.92, 2.0, 0.0)]);
        assert!((found.relative - (0.0025_f64 / 2.0).sqrt()).abs() < 1e-9, "{found:?}");
        assert!((found.half_width() / found.relative - 4.3027).abs() < 1e-3, "{found:?}");
    }

    /// What accounts are unsure of is taken off: 5 % of 13 leave 12. An input of which nothing is
    /// known tells nothing.
    #[test]
    fn what_accounts_know_to_be_unsure_is_no_spread() {
        let off = |se: f64| [input("a", 1.13, 1.0, se), input("b", 0.87, 1.0, se)];
        assert!((spread(&off(0.05)).relative - 0.12).abs() < 1e-6);
        assert!(spread(&off(0.2)).relative < 1e-9);
        let mut with_unknown = off(0.05).to_vec();
        with_unknown.push(input("c", 1.0, 1.0, 100.0));
        assert!(spread(&with_unknown).relative < 0.12);
        with_unknown[2].predicted.se = None;
        assert_eq!(spread(&with_unknown), spread(&off(0.05)));
        assert_eq!(InputSpread::of(&with_unknown[2..]), None);
    }
}
