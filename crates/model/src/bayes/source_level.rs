//! The hierarchical model of costs at source level, drawn by Gibbs sampling from
//! sufficient statistics:
//!
//! ```text
//! e_i ~ Normal(n_i c, s^2 / w_i)          s^2 ~ scaled inverse chi^2 (4, supposed noise)
//! c_j ~ Normal+(0, tau_family)            operations of one family
//! tau_f ~ Exponential(mean level)         families
//! level ~ LogNormal(ln common cost, 1)    the whole
//! c_k ~ Normal+(g microbenchmark_k, its error)    operations with a microbenchmark
//! g ~ Normal(1, 0.2)                      all microbenchmarks
//! ```
//!
//! The measurement error of the repeats is in the weights `w_i`. Half-normal costs have
//! sd / mean = 0.756. A family's costs and its scale also move together, which is what
//! lets the chains mix: given the costs alone, a scale hardly moves.

mod chain;

use std::collections::BTreeMap;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use wattline_units::assumptions::Assumptions;

use self::chain::SourceLevelChain;
use super::super::design::Design;
use super::super::error::ModelError;
use super::super::fitted_model::CostPriors;
use super::super::gram::Gram;
use super::super::microbenchmark_prior::{MicrobenchmarkPrior, operation_family};

/// Cosine of two columns from which on their costs also move against each other: one at
/// a time they would hardly move.
const ALIKE: f64 = 0.8;

/// Mean of a half-normal distribution over its scale: sqrt(2 / pi).
const HALF_NORMAL_MEAN: f64 = 0.797_884_560_802_865_4;

/// Priors of the costs and sufficient statistics of the cases, in scaled units.
#[derive(Debug, Clone)]
pub(crate) struct SourceLevelStats {
    /// `X'X`, l x l.
    products: Vec<f64>,
    /// `X'y`.
    pull: Vec<f64>,
    /// `y'y`.
    energy: f64,
    cases: f64,
    scale: Vec<f64>,
    /// Columns of every family, of those without a microbenchmark.
    families: Vec<Vec<usize>>,
    /// The family of a column.
    family_of: Vec<Option<usize>>,
    /// Prior of scaled costs by microbenchmarks.
    microbenchmarks: MicrobenchmarkPrior,
    /// Columns that resemble each other.
    pairs: Vec<(usize, usize)>,
    noise: f64,
    /// Common cost in joules.
    common_j: f64,
    assumed: Assumptions,
}

impl SourceLevelStats {
    /// Computes the statistics of a problem with its priors.
    ///
    /// # Errors
    /// Errors of the priors that no covariance has.
    pub fn new(design: &Design, priors: &CostPriors) -> Result<Self, ModelError> {
        let gram = design.gram();
        let l = design.columns();
        let microbenchmarks =
            MicrobenchmarkPrior::new(design, priors, design.assumed.microbenchmark_misfit)?;
        let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for j in (0..l).filter(|j| microbenchmarks.place(*j).is_none()) {
            by_name.entry(operation_family(&design.features[j])).or_default().push(j);
        }
        let families: Vec<Vec<usize>> = by_name.into_values().collect();
        let mut family_of = vec![None; l];
        for (at, family) in families.iter().enumerate() {
            family.iter().for_each(|j| family_of[*j] = Some(at));
        }
        Ok(Self {
            products: (0..l * l).map(|at| gram.xx[(at % l, at / l)]).collect(),
            pull: gram.xy.clone(),
            energy: gram.yy,
            cases: gram.rows as f64,
            scale: design.scale.clone(),
            families,
            family_of,
            microbenchmarks,
            pairs: alike_pairs(&gram),
            noise: design.noise.unwrap_or(design.assumed.case_noise_unknown.powi(2)),
            common_j: common_cost(&gram, &design.scale),
            assumed: design.assumed,
        })
    }

    /// Number of costs.
    pub fn columns(&self) -> usize {
        self.scale.len()
    }

    /// Returns a chain at a start drawn from about the prior, so that chains begin apart.
    pub fn start(&self, random: &mut ChaCha8Rng) -> SourceLevelChain<'_> {
        let mut spread = |sd: f64| (sd * random.sample::<f64, _>(StandardNormal)).exp();
        let b = (0..self.columns())
            .map(|j| match self.microbenchmarks.place(j) {
                Some(at) => {
                    let sd = self.microbenchmarks.covariance[(at, at)].sqrt();
                    f64::max(self.microbenchmarks.costs[at], 0.1 * sd) * spread(0.2)
                }
                None => self.common_j * self.scale[j] * spread(1.0),
            })
            .collect();
        let level = self.common_j / HALF_NORMAL_MEAN * spread(0.5);
        let tau = self.families.iter().map(|_| level * spread(0.5)).collect();
        SourceLevelChain::new(self, b, tau, level, self.noise * spread(1.0))
    }

    fn column(&self, j: usize) -> &[f64] {
        let l = self.columns();
        &self.products[j * l..(j + 1) * l]
    }
}

/// Returns pairs of similar columns: each column with its most similar one, where their cosine is
/// above [`ALIKE`].
fn alike_pairs(gram: &Gram) -> Vec<(usize, usize)> {
    let l = gram.xy.len();
    let nearest = |j: usize| {
        let others = (0..l).filter(|k| *k != j && gram.xx[(j, *k)] > ALIKE);
        others.max_by(|a, b| gram.xx[(j, *a)].total_cmp(&gram.xx[(j, *b)]))
    };
    let mut pairs: Vec<(usize, usize)> =
        (0..l).filter_map(|j| nearest(j).map(|k| (j.min(k), j.max(k)))).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// Returns the one cost for all operations in joules that explains the energies best; their size
/// where that is not positive.
fn common_cost(gram: &Gram, scale: &[f64]) -> f64 {
    let energy: f64 = scale.iter().zip(&gram.xy).map(|(s, xy)| s * xy).sum();
    let l = scale.len();
    let row = |i: usize| (0..l).map(|j| gram.xx[(i, j)] * scale[j]).sum::<f64>();
    let square: f64 = (0..l).map(|i| scale[i] * row(i)).sum();
    let cost = energy / square;
    if cost.is_finite() && cost > 0.0 {
        return cost;
    }
    let size = (gram.yy / square).sqrt();
    if size.is_finite() && size > 0.0 { size } else { 1e-60 }
}
