//! Comparison of a model with the best baseline on held-out cases: better, as good or worse by the
//! standard error of the difference.

use std::fmt::{self, Display};

/// Names of the baselines that a solver is compared with: one cost for all operations, the mean of
/// the training cases, one power, a cost per block.
pub const BASELINES: [&str; 4] = ["flat", "mean", "duration", "blocks"];

/// Error of a model or baseline on one held-out part of the cases.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeldOutError<'a> {
    /// Name of the model, or of a baseline in [`BASELINES`].
    pub model: &'a str,
    /// Number of the part.
    pub part: usize,
    /// Number of its cases.
    pub cases: usize,
    /// NMAE of its cases.
    pub nmae: f64,
}

/// Outcome of the comparison of a model with a baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComparisonOutcome {
    /// The model's error is smaller, by more than the standard error of the difference.
    Better,
    /// The difference is within its standard error.
    AsGood,
    /// The difference is within its standard error, which is larger than the smaller of both
    /// errors: too few cases.
    Undecided,
    /// The model's error is larger, by more than the standard error of the difference.
    Worse,
}

impl ComparisonOutcome {
    /// Returns how the model predicts by this outcome: `better than`, `as well as`, `worse than`
    /// and so on.
    pub fn phrase(self) -> &'static str {
        match self {
            Self::Better => "better than",
            Self::AsGood => "as well as",
            Self::Undecided => "neither certainly better nor certainly worse than",
            Self::Worse => "worse than",
        }
    }
}

/// Factor above which a figure counts as larger than another one, in spite of rounding.
const ROUNDING: f64 = 1.0 + 1e-9;

/// Error of a model and of the best baseline over all held-out parts.
#[derive(Debug, Clone, PartialEq)]
pub struct BaselineComparison {
    /// The model's name.
    pub model: String,
    /// NMAE of the model over all parts.
    pub nmae: f64,
    /// The best baseline, of [`BASELINES`].
    pub baseline: &'static str,
    /// NMAE of the baseline over all parts.
    pub baseline_nmae: f64,
    /// Standard error of the difference of both errors, by its spread over the parts; absent with
    /// one part.
    pub difference_se: Option<f64>,
}

impl BaselineComparison {
    /// Compares a model with the best of the baselines that have errors.
    pub fn of(model: &str, errors: &[HeldOutError<'_>]) -> Option<Self> {
        let nmae = |name: &str| {
            let own = errors.iter().filter(|error| error.model == name);
            mean_nmae(own.map(|error| (error.nmae, error.cases)))
        };
        let judged = BASELINES.iter().filter_map(|name| Some((*name, nmae(name)?)));
        let (baseline, baseline_nmae) = judged.min_by(|a, b| a.1.total_cmp(&b.1))?;
        let difference_se = standard_error(&differences(errors, model, baseline));
        let nmae = nmae(model)?;
        Some(Self { model: model.to_owned(), nmae, baseline, baseline_nmae, difference_se })
    }

    /// Returns whether the model is better or worse than the baseline by more than the error of the
    /// difference.
    pub fn outcome(&self) -> ComparisonOutcome {
        let difference = self.nmae - self.baseline_nmae;
        let se = self.difference_se.unwrap_or(0.0);
        match difference.abs() > se {
            true if difference < 0.0 => ComparisonOutcome::Better,
            true => ComparisonOutcome::Worse,
            false if se > ROUNDING * self.nmae.min(self.baseline_nmae) => {
                ComparisonOutcome::Undecided
            }
            false => ComparisonOutcome::AsGood,
        }
    }
}

/// `ls predicts held-out cases better than the best baseline, flat: NMAE 1.60 % against 2.10 %
/// (difference 0.50 %, standard error 0.10 %)`.
impl Display for BaselineComparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { model, baseline, .. } = self;
        let (ours, theirs) = (100.0 * self.nmae, 100.0 * self.baseline_nmae);
        let se = match self.difference_se {
            Some(se) => format!("{:.2} %", 100.0 * se),
            None => "none".to_owned(),
        };
        write!(
            f,
            "{model} predicts held-out cases {} the best baseline, {baseline}: NMAE {ours:.2} % \
             against {theirs:.2} % (difference {:.2} %, standard error {se})",
            self.outcome().phrase(),
            (ours - theirs).abs()
        )
    }
}

/// Returns the NMAE over all parts from NMAE and number of cases of each; `None` without cases.
pub fn mean_nmae(parts: impl IntoIterator<Item = (f64, usize)>) -> Option<f64> {
    let add = |(sum, all), (nmae, cases)| (sum + nmae * cases as f64, all + cases);
    let (sum, cases) = parts.into_iter().fold((0.0, 0), add);
    (cases > 0).then(|| sum / cases as f64)
}

/// Returns number of cases and difference of the errors, part by part.
fn differences(errors: &[HeldOutError<'_>], model: &str, baseline: &str) -> Vec<(f64, f64)> {
    let of = |name: &str, part: usize| {
        errors.iter().find(|error| error.model == name && error.part == part)
    };
    let own = errors.iter().filter(|error| error.model == model);
    own.filter_map(|own| Some((own.cases as f64, own.nmae - of(baseline, own.part)?.nmae)))
        .collect()
}

/// Returns the standard error of the mean of differences that are weighted by their cases.
fn standard_error(differences: &[(f64, f64)]) -> Option<f64> {
    let n = differences.len() as f64;
    let cases: f64 = differences.iter().map(|(cases, _)| cases).sum();
    let mean = differences.iter().map(|(cases, d)| cases * d).sum::<f64>() / cases;
    let squares = differences.iter().map(|(weight, d)| (weight / cases * (d - mean)).powi(2));
    let variance = squares.sum::<f64>() * n / (n - 1.0);
    (differences.len() > 1 && cases > 0.0).then(|| variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(own: &[f64], flat: &[f64]) -> Vec<HeldOutError<'static>> {
        let of = |model, values: &[f64]| -> Vec<HeldOutError<'static>> {
            let parts = values.iter().enumerate();
            parts.map(|(part, nmae)| HeldOutError { model, part, cases: 2, nmae: *nmae }).collect()
        };
        [of("ls", own), of("flat", flat), of("duration", &[9.0; 4])].concat()
    }

    /// Differences 0.2, 0, 0, 0.2: mean 0.1, standard deviation 0.115, of the mean 0.0577.
    #[test]
    fn a_difference_within_its_error_is_none() {
        let of = |own: [f64; 4], flat: [f64; 4]| {
            BaselineComparison::of("ls", &errors(&own, &flat)).unwrap()
        };
        let worse = of([0.3, 0.1, 0.1, 0.3], [0.1; 4]);
        assert_eq!(worse.outcome(), ComparisonOutcome::Worse);
        assert!((worse.difference_se.unwrap() - 0.057_735).abs() < 1e-6, "{worse:?}");
        assert_eq!(
            worse.to_string(),
            "ls predicts held-out cases worse than the best baseline, flat: NMAE 20.00 % against \
             10.00 % (difference 10.00 %, standard error 5.77 %)"
        );
        assert_eq!(of([0.5, 0.1, 0.1, 0.1], [0.1; 4]).outcome(), ComparisonOutcome::AsGood);
        // One part of four has all of the difference: 0.24 with a standard error of 0.25.
        assert_eq!(of([1.1, 0.1, 0.1, 0.05], [0.1; 4]).outcome(), ComparisonOutcome::Undecided);
        assert_eq!(of([0.1, 0.1, 0.1, 0.1], [0.2; 4]).outcome(), ComparisonOutcome::Better);
        assert_eq!(of([0.1; 4], [0.1; 4]).outcome(), ComparisonOutcome::AsGood);
    }

    #[test]
    fn there_is_nothing_to_compare_without_a_baseline() {
        let own = HeldOutError { model: "ls", part: 0, cases: 1, nmae: 0.1 };
        assert_eq!(BaselineComparison::of("ls", &[own]), None);
        let flat = HeldOutError { model: "flat", ..own };
        assert_eq!(BaselineComparison::of("ls", &[flat]), None);
        let both = BaselineComparison::of("ls", &[own, flat]).unwrap();
        assert_eq!((both.difference_se, both.outcome()), (None, ComparisonOutcome::AsGood));
    }
}
