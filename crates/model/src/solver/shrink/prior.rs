//! The prior of `shrink` as numbers: mean and inverse covariance of scaled costs.

use faer::Mat;
use wattline_units::assumptions::Assumptions;

use super::super::super::microbenchmark_prior::MicrobenchmarkPrior;

/// A Gaussian over scaled costs: independent or joint errors, and levels common to
/// several.
#[derive(Debug, Clone)]
pub(super) struct GaussianPrior {
    /// Mean, length l, not negative.
    pub mean: Vec<f64>,
    /// Inverse covariance, l x l.
    pub precision: Mat<f64>,
    /// The common cost in joules.
    pub common_cost: f64,
    /// Standard deviations of the independent errors, length l; unused for costs that are known
    /// beforehand.
    sd: Vec<f64>,
    known: MicrobenchmarkPrior,
    levels: Vec<SharedLevel>,
    /// Whether a cost is guessed from others, rather than measured by a microbenchmark.
    guessed: Vec<bool>,
    assumed: Assumptions,
}

/// Relative error of a factor that is common to some costs, and the columns of these.
pub(super) type SharedLevel = (f64, Vec<usize>);

impl GaussianPrior {
    pub fn new(
        mean: Vec<f64>,
        sd: Vec<f64>,
        known: MicrobenchmarkPrior,
        levels: Vec<SharedLevel>,
        guessed: Vec<bool>,
        common_cost: f64,
        assumed: Assumptions,
    ) -> Self {
        let precision = precision(&mean, &sd, &known, &levels);
        Self { mean, precision, common_cost, sd, known, levels, guessed, assumed }
    }

    /// Returns the Gaussian that stands for the t distribution of guessed costs near the costs `b`,
    /// where the variance of the prior is `spread` times its own: one step of the usual
    /// reweighting. Costs that the cases find far out are let go, the rest held a little tighter.
    pub(crate) fn reweighted(&self, b: &[f64], spread: f64) -> Self {
        let Assumptions { guess_freedom, guess_reach, .. } = self.assumed;
        let sd = (0..b.len())
            .map(|j| {
                let off = (b[j] - self.mean[j]).powi(2) / (spread * self.sd[j].powi(2));
                let factor = (guess_freedom + off) / (guess_freedom + 1.0);
                let factor = factor.min(guess_reach.powi(2));
                if self.guessed[j] { self.sd[j] * factor.sqrt() } else { self.sd[j] }
            })
            .collect::<Vec<f64>>();
        let precision = precision(&self.mean, &sd, &self.known, &self.levels);
        Self { precision, ..self.clone() }
    }
}

/// Returns the inverse of `diag(sd^2) + sum over levels of a a'`, with the covariance of what is
/// known beforehand in place of its columns' own, by Sherman and Morrison; no cost is in two
/// levels, and those known beforehand are all in one or in none.
fn precision(
    mean: &[f64],
    sd: &[f64],
    known: &MicrobenchmarkPrior,
    levels: &[SharedLevel],
) -> Mat<f64> {
    let l = mean.len();
    let mut precision = Mat::from_fn(l, l, |i, j| if i == j { sd[i].powi(-2) } else { 0.0 });
    for (a, i) in known.columns.iter().enumerate() {
        for (b, j) in known.columns.iter().enumerate() {
            precision[(*i, *j)] = known.precision[(a, b)];
        }
    }
    for (relative_sd, members) in levels {
        let pull_of = |i: &usize| members.iter().map(|j| precision[(*i, *j)] * mean[*j]).sum();
        let pull: Vec<f64> = members.iter().map(pull_of).collect();
        let total: f64 = members.iter().zip(&pull).map(|(j, pull)| mean[*j] * pull).sum();
        let divisor = relative_sd.powi(-2) + total;
        for (i, pull_i) in members.iter().zip(&pull) {
            for (j, pull_j) in members.iter().zip(&pull) {
                precision[(*i, *j)] -= pull_i * pull_j / divisor;
            }
        }
    }
    precision
}

#[cfg(test)]
mod tests {
    use wattline_units::assumptions::ASSUMED;

    use super::*;

    #[test]
    fn nothing_is_let_go_without_limit() {
        let known = MicrobenchmarkPrior::none();
        let prior =
            GaussianPrior::new(vec![1.0], vec![2.0], known, Vec::new(), vec![true], 1.0, ASSUMED);
        let variance = 1.0 / prior.reweighted(&[1e9], 1.0).precision[(0, 0)];
        assert!((variance / (4.0 * ASSUMED.guess_reach.powi(2)) - 1.0).abs() < 1e-12, "{variance}");
        let assumed = Assumptions { guess_reach: 2.0 * ASSUMED.guess_reach, ..ASSUMED };
        let farther =
            GaussianPrior { assumed, ..prior }.reweighted(&[1e9], 1.0).precision[(0, 0)].recip();
        assert!((farther / variance - 4.0).abs() < 1e-12, "{farther}");
    }

    /// Off by 0, 1 and 5 standard deviations: variances times 3/4, 1 and 28/4; the third
    /// again, but measured: as it was.
    #[test]
    fn outliers_are_let_go_unless_measured() {
        let guessed = vec![true, true, true, false];
        let prior = GaussianPrior::new(
            vec![1.0; 4],
            vec![1.0; 4],
            MicrobenchmarkPrior::none(),
            Vec::new(),
            guessed,
            1.0,
            ASSUMED,
        );
        let near = prior.reweighted(&[1.0, 3.0, 11.0, 11.0], 4.0);
        let variance = |j| 1.0 / near.precision[(j, j)];
        for (j, expected) in [0.75, 1.0, 7.0, 1.0].into_iter().enumerate() {
            assert!((variance(j) - expected).abs() < 1e-12, "{j}: {}", variance(j));
        }
    }
}
