//! A measured mean and where its uncertainty comes from: independent parts, each a
//! variance with the degrees of freedom that it was estimated with.
//!
//! The difference of two such means has the Welch-Satterthwaite degrees of freedom
//! (B. L. Welch, Biometrika 34, 1947), rounded down, so that few repeats give a wide
//! interval and not a false alarm.

use crate::account::Interval;
use crate::model::student_975;

/// One independent source of error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorSource {
    /// Variance in J^2.
    pub variance: f64,
    /// Degrees of freedom of the estimate; infinite for a variance that is given.
    pub freedom: f64,
}

/// A value in joules with its sources of error.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Uncertain {
    /// The value in joules.
    pub value: f64,
    /// Its errors; none where one of them is not known (a single run).
    pub parts: Option<Vec<ErrorSource>>,
}

impl Uncertain {
    /// The mean of repeats; without an error where there is only one, `None` of none.
    pub(crate) fn mean_of(values: &[f64]) -> Option<Uncertain> {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        if values.is_empty() || !mean.is_finite() {
            return None;
        }
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let part = || ErrorSource { variance: squares / (n - 1.0) / n, freedom: n - 1.0 };
        let parts = (values.len() > 1).then(|| vec![part()]);
        Some(Uncertain { value: mean, parts })
    }

    /// The sum with another, independent value.
    pub fn plus(mut self, other: Uncertain) -> Uncertain {
        self.value += other.value;
        self.parts = self.parts.zip(other.parts).map(|(mut own, more)| {
            own.extend(more);
            own
        });
        self
    }

    /// The value times a factor.
    pub fn times(mut self, factor: f64) -> Uncertain {
        self.value *= factor;
        for part in self.parts.iter_mut().flatten() {
            part.variance *= factor * factor;
        }
        self
    }

    /// With a further error of this share of the value, known beforehand.
    pub fn with_relative_error(mut self, share: f64) -> Uncertain {
        let variance = (self.value * share).powi(2);
        if let Some(parts) = self.parts.as_mut().filter(|_| share != 0.0) {
            parts.push(ErrorSource { variance, freedom: f64::INFINITY });
        }
        self
    }

    /// Its 95 % interval, where the errors are known.
    pub fn interval(&self) -> Option<Interval> {
        let exact = Uncertain { value: 0.0, parts: Some(Vec::new()) };
        let half = student_of(self, &exact)? * self.variance()?.sqrt();
        half.is_finite().then(|| super::around(self.value, half))
    }

    /// Its variance in J^2, where it is known.
    pub fn variance(&self) -> Option<f64> {
        self.parts.as_ref().map(|parts| parts.iter().map(|part| part.variance).sum())
    }
}

/// The factor between the standard error of `a` with `b` and half their 95 % interval:
/// Student's t at the degrees of freedom of both together.
pub(crate) fn student_of(a: &Uncertain, b: &Uncertain) -> Option<f64> {
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
        let a = Uncertain::mean_of(&[1.0, 2.0, 3.0]).unwrap();
        let b = Uncertain::mean_of(&[1.0, 5.0, 1.0, 5.0]).unwrap();
        assert!((a.variance().unwrap() - 1.0 / 3.0).abs() < 1e-12);
        assert!((b.variance().unwrap() - 4.0 / 3.0).abs() < 1e-12);
        let t = student_of(&a, &b).unwrap();
        assert!((t - 2.776).abs() < 0.01, "{t}");
    }

    #[test]
    fn a_single_run_has_no_error_and_none_has_no_mean() {
        let one = Uncertain::mean_of(&[1.0]).unwrap();
        assert_eq!((one.value, one.variance()), (1.0, None));
        assert_eq!(Uncertain::mean_of(&[]), None);
        assert_eq!(Uncertain::mean_of(&[f64::NAN]), None);
        assert_eq!(student_of(&one, &one), None);
        let two = Uncertain::mean_of(&[1.0, 3.0]).unwrap();
        assert_eq!(one.plus(two).variance(), None, "a sum is as unknown as its parts");
    }

    #[test]
    fn errors_scale_with_the_value() {
        let two = Uncertain::mean_of(&[1.0, 3.0]).unwrap().times(-3.0);
        assert_eq!((two.value, two.variance()), (-6.0, Some(9.0)));
        let wider = two.with_relative_error(0.5);
        assert_eq!(wider.variance(), Some(18.0));
    }
}
