//! Coordinates in which a density is nearly normal: along each coordinate the profile is
//! integrated, and a smooth curve leads from the quantiles of the standard normal
//! distribution to its. Only a change of coordinates: the density is the same, whatever
//! the curves, which merely decide how far a sampler gets in a step.

use super::super::quantiles::normal_quantile;

/// Points at which a profile is integrated.
const POINTS: usize = 96;

/// Knots of a curve, in normal standard deviations.
const KNOTS: [f64; 11] = [-3.0, -2.4, -1.8, -1.2, -0.6, 0.0, 0.6, 1.2, 1.8, 2.4, 3.0];

/// Fall of the logarithm of a profile from its top beyond which nothing is integrated.
const DEPTH: f64 = 9.0;

/// Number of passes over the profiles, each time with the others at new medians.
const ROUNDS: usize = 3;

/// A rising curve: a natural cubic spline, straight beyond its ends.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Curve {
    /// Values and second derivatives at the knots.
    at: Vec<f64>,
    bend: Vec<f64>,
}

/// Value, slope and second derivative of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CurvePoint {
    pub value: f64,
    pub slope: f64,
    pub bend: f64,
}

impl Curve {
    /// The line `centre + width z`.
    fn line(centre: f64, width: f64) -> Self {
        Self { at: KNOTS.map(|z| centre + width * z).to_vec(), bend: vec![0.0; KNOTS.len()] }
    }

    /// Fits a curve through rising values at the knots; a line where the curve would not rise.
    fn through(at: Vec<f64>) -> Self {
        let (n, h) = (at.len(), KNOTS[1] - KNOTS[0]);
        // Tridiagonal equations 1 4 1 of a natural spline, by elimination.
        let (mut upper, mut bend) = (vec![0.0; n], vec![0.0; n]);
        for i in 1..n - 1 {
            let right = 6.0 * (at[i + 1] - 2.0 * at[i] + at[i - 1]) / (h * h);
            let pivot = 4.0 - upper[i - 1];
            upper[i] = 1.0 / pivot;
            bend[i] = (right - bend[i - 1]) / pivot;
        }
        for i in (1..n - 1).rev() {
            bend[i] -= upper[i] * bend[i + 1];
        }
        let (centre, width) = (at[n / 2], (at[n - 1] - at[0]) / (KNOTS[n - 1] - KNOTS[0]));
        let curve = Self { at, bend };
        let tests = (0..=60).map(|i| -3.0 + 0.1 * f64::from(i));
        match tests.into_iter().all(|z| curve.at(z).slope > 0.02 * width) {
            true => curve,
            false => Self::line(centre, width),
        }
    }

    /// Evaluates the curve at `z`.
    pub fn at(&self, z: f64) -> CurvePoint {
        let (n, h) = (KNOTS.len(), KNOTS[1] - KNOTS[0]);
        let place = ((z - KNOTS[0]) / h).floor().clamp(0.0, (n - 2) as f64);
        let i = place as usize;
        let t = (z - KNOTS[i]) / h;
        let (low, high) = (self.at[i], self.at[i + 1]);
        let (m, o) = (self.bend[i], self.bend[i + 1]);
        let slope_at = |t: f64| {
            (high - low) / h
                + h / 6.0 * ((1.0 - 3.0 * (1.0 - t) * (1.0 - t)) * m + (3.0 * t * t - 1.0) * o)
        };
        if (0.0..=1.0).contains(&t) {
            let s = 1.0 - t;
            let cubic = (s * s * s - s) * m + (t * t * t - t) * o;
            let value = s * low + t * high + h * h / 6.0 * cubic;
            return CurvePoint { value, slope: slope_at(t), bend: s * m + t * o };
        }
        let end = t.clamp(0.0, 1.0);
        let slope = slope_at(end);
        let start = if end == 0.0 { low } else { high };
        CurvePoint { value: start + (t - end) * h * slope, slope, bend: 0.0 }
    }
}

/// Curves for every coordinate of a density; a coordinate whose profile has no top or no
/// end keeps a line.
pub(super) fn straightening_curves(
    dimension: usize,
    mut log_density: impl FnMut(&[f64]) -> Option<f64>,
) -> Vec<Curve> {
    let mut place = vec![0.0; dimension];
    let mut found = vec![Curve::line(0.0, 1.0); dimension];
    for _ in 0..ROUNDS {
        for i in 0..place.len() {
            let old = place[i];
            let along = |x: f64| {
                place[i] = x;
                let height = log_density(&place);
                height.filter(|height| height.is_finite()).unwrap_or(f64::NEG_INFINITY)
            };
            let width = found[i].at(0.0).slope;
            if let Some(curve) = profile_curve(old, width, along) {
                found[i] = curve;
            }
            place[i] = found[i].at(0.0).value;
        }
    }
    found
}

/// The curve of one profile; `None` where it has no top or no end.
fn profile_curve(start: f64, width: f64, mut log_density: impl FnMut(f64) -> f64) -> Option<Curve> {
    let (middle, top) = find_top(start, width, &mut log_density);
    let mut end = |step: f64| {
        let mut far = middle + step;
        let mut reach = step;
        for _ in 0..40 {
            if log_density(far) < top - DEPTH {
                return Some(far);
            }
            reach *= 1.3;
            far = middle + reach;
        }
        None
    };
    let (low, high) = (end(-0.5 * width)?, end(0.5 * width)?);
    let step = (high - low) / (POINTS - 1) as f64;
    let height = |k: usize| (log_density(low + step * k as f64) - top).exp();
    let heights: Vec<f64> = (0..POINTS).map(height).collect();
    let scores = normal_scores_of_heights(&heights)?;
    let quantile = |z: f64| {
        let k = scores.partition_point(|score| *score < z).clamp(1, POINTS - 1);
        let share = (z - scores[k - 1]) / (scores[k] - scores[k - 1]);
        low + step * ((k - 1) as f64 + share)
    };
    Some(Curve::through(KNOTS.map(quantile).to_vec()))
}

/// Finds a top of a profile and its height by steps uphill that grow while they lead up.
fn find_top(start: f64, width: f64, log_density: &mut impl FnMut(f64) -> f64) -> (f64, f64) {
    let (mut at, mut height, mut step) = (start, log_density(start), width);
    for _ in 0..60 {
        let (up, down) = (log_density(at + step), log_density(at - step));
        if up.max(down) > height {
            (at, height) = if up > down { (at + step, up) } else { (at - step, down) };
            step *= 1.5;
        } else if step < 0.1 * width {
            break;
        } else {
            step *= 0.4;
        }
    }
    (at, height)
}

/// Returns the normal scores of the distribution with these heights, evenly spaced.
fn normal_scores_of_heights(heights: &[f64]) -> Option<Vec<f64>> {
    let mut sums = vec![0.0];
    for pair in heights.windows(2) {
        sums.push(sums[sums.len() - 1] + (pair[0] + pair[1]) / 2.0);
    }
    let total = *sums.last()?;
    let score = |sum: &f64| normal_quantile((sum / total).clamp(1e-12, 1.0 - 1e-12));
    let found: Vec<f64> = sums.iter().map(score).collect();
    total.is_finite().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Log-normal in its own coordinate, so that normal quantiles are known: e^(0.4 z).
    #[test]
    fn the_curve_of_a_skew_density_leads_to_its_quantiles() {
        let log_density =
            |x: &[f64]| (x[0] > 0.0).then(|| -x[0].ln() - (x[0].ln() / 0.4).powi(2) / 2.0);
        let found = &straightening_curves(1, |x| log_density(&[x[0] + 2.0]))[0];
        for z in [-2.7f64, -1.0, -0.1, 0.0, 0.5, 1.7, 2.9] {
            let (at, expected) = (found.at(z).value + 2.0, (0.4 * z).exp());
            assert!((at / expected - 1.0).abs() < 0.01, "{z}: {at} {expected}");
        }
    }

    /// Slope and second derivative are those of the value, at the knots and beyond the
    /// ends, too.
    #[test]
    fn a_curve_is_smooth() {
        let curve = Curve::through(KNOTS.map(|z| (0.5 * z).exp() + z).to_vec());
        for z in [-4.0, -3.0, -1.9, 0.0, 0.31, 1.2, 2.999, 3.0, 5.0] {
            let (low, high) = (curve.at(z - 1e-6), curve.at(z + 1e-6));
            let (slope, bend) = ((high.value - low.value) / 2e-6, (high.slope - low.slope) / 2e-6);
            let at = curve.at(z);
            assert!((at.slope - slope).abs() < 1e-6 && (at.bend - bend).abs() < 1e-4, "{z} {at:?}");
            assert!(at.slope > 0.0);
        }
    }

    /// Where a curve would not rise, and where a profile has no top, there is a line.
    #[test]
    fn what_is_odd_gets_a_line() {
        let mut steps = KNOTS.map(|z| 100.0 * f64::from(u8::from(z > 0.0)) + 0.001 * z).to_vec();
        steps[5] = 0.001;
        assert!(Curve::through(steps).bend.iter().all(|bend| *bend == 0.0));
        assert_eq!(straightening_curves(1, |_| Some(0.0))[0], Curve::line(0.0, 1.0));
        assert_eq!(straightening_curves(1, |x| Some(x[0]))[0], Curve::line(0.0, 1.0));
    }
}
