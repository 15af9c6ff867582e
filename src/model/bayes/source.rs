//! The hierarchical model of costs at source level, drawn by Gibbs sampling from
//! sufficient statistics:
//!
//! ```text
//! e_i ~ Normal(n_i c, s^2 / w_i)          s^2 ~ scaled inverse chi^2 (4, supposed noise)
//! c_j ~ Normal+(0, tau_family)            operations of one family
//! tau_f ~ Exponential(mean level)         families
//! level ~ LogNormal(ln common cost, 1)    the whole
//! c_k ~ Normal+(g kernel_k, its error)    operations with a micro-kernel
//! g ~ Normal(1, 0.2)                      all kernels
//! ```
//!
//! The measurement error of the repeats is in the weights `w_i`. Half-normal costs have
//! sd / mean = 0.756. A family's costs and its scale also move together, which is what
//! lets the chains mix: given the costs alone, a scale hardly moves.

use std::collections::BTreeMap;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{ChiSquared, Distribution, StandardNormal};

use super::super::design::Design;
use super::super::fitted::CostPrior;
use super::super::gram::Gram;
use super::chains::Sampler;
use super::slice;
use super::truncated::{above_zero, between};

/// How far a cost in an application is from a good kernel's, relative.
const KERNEL_MISFIT: f64 = 0.1;

/// How far all kernels may be off by one factor.
const KERNEL_LEVEL: f64 = 0.2;

/// Degrees of freedom of what the weights suppose about the noise.
const NOISE_FREEDOM: f64 = 4.0;

/// Noise supposed where weights are only ratios: 2 % of the energy.
const NOISE_UNKNOWN: f64 = 4e-4;

/// Cosine of two columns from which on their costs also move against each other: one at
/// a time they would hardly move.
const ALIKE: f64 = 0.8;

/// Mean of a half-normal distribution over its scale: sqrt(2 / pi).
const HALF_NORMAL_MEAN: f64 = 0.797_884_560_802_865_4;

/// What is known beforehand and from the cases, in scaled units.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// `X'X`, l x l.
    products: Vec<f64>,
    /// `X'y`.
    pull: Vec<f64>,
    /// `y'y`.
    energy: f64,
    cases: f64,
    scale: Vec<f64>,
    /// Columns of every family, of those without a kernel.
    families: Vec<Vec<usize>>,
    /// The family of a column.
    family_of: Vec<Option<usize>>,
    /// Scaled cost and error of a kernel.
    kernels: Vec<Option<(f64, f64)>>,
    /// Columns that resemble each other.
    pairs: Vec<(usize, usize)>,
    noise: f64,
    /// Common cost in joules.
    common_j: f64,
}

impl Source {
    /// The model of a problem.
    pub fn new(design: &Design, priors: &[CostPrior]) -> Self {
        let gram = Gram::of(design);
        let l = design.columns();
        let known: BTreeMap<&str, &CostPrior> =
            priors.iter().map(|prior| (prior.operation.as_str(), prior)).collect();
        let kernels: Vec<Option<(f64, f64)>> = (0..l)
            .map(|j| Some(kernel(known.get(design.features[j].as_str())?, design.scale[j])))
            .collect();
        let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for j in (0..l).filter(|j| kernels[*j].is_none()) {
            by_name.entry(family(&design.features[j])).or_default().push(j);
        }
        let families: Vec<Vec<usize>> = by_name.into_values().collect();
        let mut family_of = vec![None; l];
        for (at, family) in families.iter().enumerate() {
            family.iter().for_each(|j| family_of[*j] = Some(at));
        }
        Self {
            products: (0..l * l).map(|at| gram.xx[(at % l, at / l)]).collect(),
            pull: gram.xy.clone(),
            energy: gram.yy,
            cases: gram.rows as f64,
            scale: design.scale.clone(),
            families,
            family_of,
            kernels,
            pairs: pairs(&gram),
            noise: design.noise.unwrap_or(NOISE_UNKNOWN),
            common_j: common_cost(&gram, &design.scale),
        }
    }

    /// Number of costs.
    pub fn columns(&self) -> usize {
        self.scale.len()
    }

    /// A start drawn from about the prior, so that chains begin apart.
    pub fn start(&self, random: &mut ChaCha8Rng) -> Chain<'_> {
        let mut spread = |sd: f64| (sd * random.sample::<f64, _>(StandardNormal)).exp();
        let b = (0..self.columns())
            .map(|j| match self.kernels[j] {
                Some((cost, sd)) => f64::max(cost, 0.1 * sd) * spread(0.2),
                None => self.common_j * self.scale[j] * spread(1.0),
            })
            .collect();
        let level = self.common_j / HALF_NORMAL_MEAN * spread(0.5);
        let tau = self.families.iter().map(|_| level * spread(0.5)).collect();
        let mut chain = Chain {
            of: self,
            b,
            fitted: vec![0.0; self.columns()],
            tau,
            level,
            variance: self.noise * spread(1.0),
            factor: 1.0,
        };
        chain.refresh();
        chain
    }

    fn column(&self, j: usize) -> &[f64] {
        let l = self.columns();
        &self.products[j * l..(j + 1) * l]
    }
}

/// Every column with the one it resembles most, where that is much.
fn pairs(gram: &Gram) -> Vec<(usize, usize)> {
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

fn kernel(prior: &CostPrior, scale: f64) -> (f64, f64) {
    let cost_j = prior.cost_j.max(0.0);
    let measured = f64::max(prior.se_j.abs(), -prior.cost_j);
    let sd_j = f64::hypot(measured, KERNEL_MISFIT * cost_j).max(f64::MIN_POSITIVE);
    (cost_j * scale, sd_j * scale)
}

/// The one cost for all that explains the energies best; their size where that is not
/// positive.
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

/// The family of an operation: the verb before the first `_`; `lib:` for library
/// functions.
fn family(operation: &str) -> &str {
    if operation.starts_with("lib:") {
        return "lib:";
    }
    operation.split('_').next().unwrap_or(operation)
}

/// The state of a chain.
#[derive(Debug, Clone)]
pub(crate) struct Chain<'a> {
    of: &'a Source,
    /// Scaled costs.
    b: Vec<f64>,
    /// `X'X b`, kept up to date.
    fitted: Vec<f64>,
    /// Scale of every family in joules.
    tau: Vec<f64>,
    /// Mean of the scales in joules.
    level: f64,
    /// `s^2`.
    variance: f64,
    /// g.
    factor: f64,
}

impl Sampler for Chain<'_> {
    fn sweep(&mut self, random: &mut ChaCha8Rng) {
        (0..self.b.len()).for_each(|j| self.move_cost(j, random));
        (0..self.of.pairs.len()).for_each(|pair| self.move_pair(pair, random));
        (0..self.tau.len()).for_each(|family| self.move_family(family, random));
        (0..self.tau.len()).for_each(|family| self.move_scale(family, random));
        self.move_level(random);
        self.move_factor(random);
        self.move_variance(random);
    }

    fn record(&self, to: &mut Vec<f64>) {
        to.extend(&self.b);
        to.extend(&self.tau);
        to.extend([self.level, self.variance.sqrt()]);
        if self.of.kernels.iter().any(Option::is_some) {
            to.push(self.factor);
        }
    }
}

impl Chain<'_> {
    /// Undoes the rounding errors of many updates.
    fn refresh(&mut self) {
        self.fitted.fill(0.0);
        for j in 0..self.b.len() {
            add(&mut self.fitted, self.b[j], self.of.column(j));
        }
    }

    /// Mean and precision of a scaled cost's prior, before it is cut at zero.
    fn prior(&self, j: usize) -> (f64, f64) {
        match (self.of.kernels[j], self.of.family_of[j]) {
            (Some((cost, sd)), _) => (self.factor * cost, sd.powi(-2)),
            (None, family) => {
                let tau = family.map_or(self.level, |family| self.tau[family]);
                (0.0, (tau * self.of.scale[j]).powi(-2))
            }
        }
    }

    /// One cost up and its like down by the same (scaled) amount.
    fn move_pair(&mut self, pair: usize, random: &mut ChaCha8Rng) {
        let (i, j) = self.of.pairs[pair];
        let at = |i: usize, j: usize| self.of.column(i)[j];
        let square = (at(i, i) + at(j, j) - 2.0 * at(i, j)).max(0.0);
        let slope = |j: usize| self.of.pull[j] - self.fitted[j];
        let ((mean_i, precision_i), (mean_j, precision_j)) = (self.prior(i), self.prior(j));
        let precision = square / self.variance + precision_i + precision_j;
        let pull = (slope(i) - slope(j)) / self.variance + precision_i * (mean_i - self.b[i])
            - precision_j * (mean_j - self.b[j]);
        let sd = precision.sqrt().recip();
        let step = between(random, pull / precision, sd, -self.b[i], self.b[j]);
        self.b[i] = (self.b[i] + step).max(0.0);
        self.b[j] = (self.b[j] - step).max(0.0);
        add(&mut self.fitted, step, self.of.column(i));
        add(&mut self.fitted, -step, self.of.column(j));
    }

    fn move_cost(&mut self, j: usize, random: &mut ChaCha8Rng) {
        let (mean, precision) = self.prior(j);
        let own = self.of.products[j * (self.b.len() + 1)];
        let slope = self.of.pull[j] - self.fitted[j] + own * self.b[j];
        let total = own / self.variance + precision;
        let mean = (slope / self.variance + precision * mean) / total;
        let new = above_zero(random, mean, total.sqrt().recip());
        let step = new - self.b[j];
        self.b[j] = new;
        add(&mut self.fitted, step, self.of.column(j));
    }

    /// Costs and scale of a family times one factor k: the likelihood is normal in k, the
    /// half-normals don't change, and the prior of the scale is exponential in k.
    fn move_family(&mut self, family: usize, random: &mut ChaCha8Rng) {
        let members = &self.of.families[family];
        let mut share = vec![0.0; self.b.len()];
        members.iter().for_each(|j| add(&mut share, self.b[*j], self.of.column(*j)));
        let over = |of: &dyn Fn(usize) -> f64| members.iter().map(|j| self.b[*j] * of(*j)).sum();
        let square: f64 = over(&|j| share[j]);
        let pull: f64 = over(&|j| self.of.pull[j] - self.fitted[j] + share[j]);
        let precision = square / self.variance;
        // Operations that never ran: the prior moves them.
        if !(precision > 1e-12) {
            return;
        }
        let mean = (pull / self.variance - self.tau[family] / self.level) / precision;
        let factor = above_zero(random, mean, precision.sqrt().recip());
        if factor > 0.0 && factor.is_finite() {
            members.iter().for_each(|j| self.b[*j] *= factor);
            self.tau[family] *= factor;
            add(&mut self.fitted, factor - 1.0, &share);
        }
    }

    fn move_scale(&mut self, family: usize, random: &mut ChaCha8Rng) {
        let members = &self.of.families[family];
        let n = members.len() as f64;
        let squares: f64 = members.iter().map(|j| (self.b[*j] / self.of.scale[*j]).powi(2)).sum();
        let level = self.level;
        let log_density = |tau: f64| -n * tau.ln() - squares / (2.0 * tau * tau) - tau / level;
        self.tau[family] = slice::positive(random, self.tau[family], log_density);
    }

    fn move_level(&mut self, random: &mut ChaCha8Rng) {
        let (n, sum) = (self.tau.len() as f64, self.tau.iter().sum::<f64>());
        let centre = (self.of.common_j / HALF_NORMAL_MEAN).ln();
        let log_density = |level: f64| {
            let off = level.ln() - centre;
            -off * off / 2.0 - level.ln() - n * level.ln() - sum / level
        };
        self.level = slice::positive(random, self.level, log_density);
    }

    fn move_factor(&mut self, random: &mut ChaCha8Rng) {
        let (mut precision, mut pull) = (KERNEL_LEVEL.powi(-2), KERNEL_LEVEL.powi(-2));
        for (b, kernel) in self.b.iter().zip(&self.of.kernels) {
            if let Some((cost, sd)) = kernel {
                precision += (cost / sd).powi(2);
                pull += cost * b / (sd * sd);
            }
        }
        let step: f64 = random.sample(StandardNormal);
        self.factor = pull / precision + step / precision.sqrt();
    }

    fn move_variance(&mut self, random: &mut ChaCha8Rng) {
        self.refresh();
        let cross: f64 = self.b.iter().zip(&self.of.pull).map(|(b, xy)| b * xy).sum();
        let square: f64 = self.b.iter().zip(&self.fitted).map(|(b, f)| b * f).sum();
        let squares = (self.of.energy - 2.0 * cross + square).max(0.0);
        let freedom = NOISE_FREEDOM + self.of.cases;
        let draw = ChiSquared::new(freedom).expect("positive degrees of freedom").sample(random);
        self.variance = (NOISE_FREEDOM * self.of.noise + squares) / draw;
    }
}

/// `to += factor * column`.
fn add(to: &mut [f64], factor: f64, column: &[f64]) {
    to.iter_mut().zip(column).for_each(|(to, column)| *to += factor * column);
}
