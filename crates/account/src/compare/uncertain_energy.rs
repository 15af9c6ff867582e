//! A measured mean and its sources of error: independent variances, each with its degrees of
//! freedom.
//!
//! The difference of two such means has the Welch-Satterthwaite degrees of freedom
//! (B. L. Welch, Biometrika 34, 1947), rounded down, so that few repeats give a wide
//! interval and not a false alarm.

use crate::account::Interval;
use crate::dataset::energy::{mean, variance};
use crate::model::student_975;

/// One independent source of error: variance and degrees of freedom.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorSource {
    /// Variance in J^2.
    pub variance: f64,
    /// Degrees of freedom of the variance; infinite for a given variance.
    pub freedom: f64,
}

/// A value in joules with its sources of error.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct UncertainEnergy {
    /// The value in joules.
    pub value: f64,
    /// Sources of error; none where one is unknown (a single run).
    pub parts: Option<Vec<ErrorSource>>,
}

impl UncertainEnergy {
    /// Mean of repeats; without an error for a single one, `None` for none.
    pub(crate) fn mean_of(values: &[f64]) -> Option<UncertainEnergy> {
        let n = values.len() as f64;
        let value = mean(values).filter(|mean| mean.is_finite())?;
        let part = |variance: f64| ErrorSource { variance: variance / n, freedom: n - 1.0 };
        let parts = variance(values).map(|variance| vec![part(variance)]);
        Some(UncertainEnergy { value, parts })
    }

    /// Sum with another, independent value.
    pub fn plus(mut self, other: UncertainEnergy) -> UncertainEnergy {
        self.value += other.value;
        self.parts = self.parts.zip(other.parts).map(|(mut own, more)| {
            own.extend(more);
            own
        });
        self
    }

    /// The value times a factor.
    pub fn times(mut self, factor: f64) -> UncertainEnergy {
        self.value *= factor;
        for part in self.parts.iter_mut().flatten() {
            part.variance *= factor * factor;
        }
        self
    }

    /// The error alone of a power in watts over a time, as an energy of 0 J.
    pub(crate) fn error_over(&self, seconds: f64) -> UncertainEnergy {
        UncertainEnergy { value: 0.0, ..self.clone().times(seconds) }
    }

    /// Adds an independent relative error of `share`, given in advance.
    pub fn with_relative_error(mut self, share: f64) -> UncertainEnergy {
        let variance = (self.value * share).powi(2);
        if let Some(parts) = self.parts.as_mut().filter(|_| share != 0.0) {
            parts.push(ErrorSource { variance, freedom: f64::INFINITY });
        }
        self
    }

    /// 95 % interval, where the errors are known.
    pub fn interval(&self) -> Option<Interval> {
        let exact = UncertainEnergy { value: 0.0, parts: Some(Vec::new()) };
        let half = student_factor(self, &exact)? * self.variance()?.sqrt();
        half.is_finite().then(|| super::around(self.value, half))
    }

    /// Variance in J^2, where the errors are known.
    pub fn variance(&self) -> Option<f64> {
        self.parts.as_ref().map(|parts| parts.iter().map(|part| part.variance).sum())
    }
}

/// Ratio of half the 95 % interval of `a` and `b` combined to their standard error: Student's t
/// at their joint degrees of freedom.
pub(crate) fn student_factor(a: &UncertainEnergy, b: &UncertainEnergy) -> Option<f64> {
    let parts = || a.parts.iter().chain(&b.parts).flatten();
    a.parts.as_ref().and(b.parts.as_ref())?;
    let total: f64 = parts().map(|part| part.variance).sum();
    let unsure: f64 = parts().map(|part| part.variance.powi(2) / part.freedom).sum();
    let freedom = if unsure > 0.0 { total * total / unsure } else { f64::INFINITY };
    Some(student_975(freedom.floor().max(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Means of 3 and 4 values with variances 1 and 16/3: s^2/n = 1/3 and 4/3;
    /// (5/3)^2 / ((1/3)^2/2 + (4/3)^2/3) = 4.29, down to 4: t = 2.776.
    #[test]
    fn welchs_degrees_of_freedom() {
        let a = UncertainEnergy::mean_of(&[1.0, 2.0, 3.0]).unwrap();
        let b = UncertainEnergy::mean_of(&[1.0, 5.0, 1.0, 5.0]).unwrap();
        assert!((a.variance().unwrap() - 1.0 / 3.0).abs() < 1e-12);
        assert!((b.variance().unwrap() - 4.0 / 3.0).abs() < 1e-12);
        let t = student_factor(&a, &b).unwrap();
        assert!((t - 2.776).abs() < 0.01, "{t}");
    }

    #[test]
    fn a_single_run_has_no_error_and_none_has_no_mean() {
        let one = UncertainEnergy::mean_of(&[1.0]).unwrap();
        assert_eq!((one.value, one.variance()), (1.0, None));
        assert_eq!(UncertainEnergy::mean_of(&[]), None);
        assert_eq!(UncertainEnergy::mean_of(&[f64::NAN]), None);
        assert_eq!(student_factor(&one, &one), None);
        let two = UncertainEnergy::mean_of(&[1.0, 3.0]).unwrap();
        assert_eq!(one.plus(two).variance(), None, "a sum is as unknown as its parts");
    }

    #[test]
    fn errors_scale_with_the_value() {
        let two = UncertainEnergy::mean_of(&[1.0, 3.0]).unwrap().times(-3.0);
        assert_eq!((two.value, two.variance()), (-6.0, Some(9.0)));
        let wider = two.with_relative_error(0.5);
        assert_eq!(wider.variance(), Some(18.0));
    }
}
