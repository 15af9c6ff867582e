//! The model of free effects with all effects integrated out: given the scales they are
//! normal, so NUTS needs to sample the scales and the noise only, and the effects are
//! drawn exactly afterwards. No direction is left along which chains would creep: neither
//! sums moved from one factor to another, which measurements don't see, nor the funnel of
//! a factor whose levels hardly differ. The density is that of [`super::effects`].
//!
//! Two levels of one factor never meet, so the precision of the factor with most levels
//! is diagonal, and its levels go out one by one (Schur complement). Levels that occur
//! equally often go out together, by sums that are made once.

use std::collections::BTreeMap;
use std::ops::Range;

use super::effects::{Effects, MEAN_SD};
use super::small::Small;

/// Scales beyond `e^+-this` typical energies are out of any reason.
const LOG_SCALE_MAX: f64 = 60.0;

/// Levels of the largest factor that occur equally often.
#[derive(Debug, Clone, Default)]
struct Group {
    /// Measurements of each.
    times: f64,
    levels: Vec<usize>,
    /// Sums over the levels of `u u'` and `u`, with `u` how often a level meets each of
    /// the rest, as parts of the rest's precision: `u u'` above left, `u` at the edge.
    square: Small,
    edge: Vec<f64>,
    /// Sums of `u h`, `h` and `h^2`, with `h` a level's sum of energies.
    pulled: Vec<f64>,
    pull: f64,
    pull_square: f64,
}

/// The model, ready to be evaluated often.
#[derive(Debug, Clone)]
pub(crate) struct Collapsed {
    groups: Vec<Group>,
    /// Number of the factor with most levels, and how many these are.
    largest: usize,
    size: f64,
    /// All other levels, and the place in this list of each other factor's.
    rest: Vec<usize>,
    others: Vec<(usize, Range<usize>)>,
    /// How often the rest meet.
    products: Small,
    /// Energies summed by level, all and of the rest.
    pull: Vec<f64>,
    /// How often each level meets the rest.
    meetings: Vec<Vec<f64>>,
    energy: f64,
    cases: f64,
    factors: usize,
}

/// Where the density can't be evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a scale beyond all reason")]
pub(crate) struct OutOfRange;

/// Prior of one factor's effects, its mean integrated out: `P = a I - c 11'`, the inverse
/// of `t I + s 11'`, `t = tau^2`.
#[derive(Debug, Clone, Copy)]
struct Precision {
    own: f64,
    shared: f64,
    /// Derivatives by the logarithm of the scale.
    own_slope: f64,
    shared_slope: f64,
    /// `log det P` and its derivative.
    log_determinant: f64,
    log_determinant_slope: f64,
}

impl Precision {
    fn new(log_scale: f64, levels: usize) -> Self {
        let (k, t, s) = (levels as f64, (2.0 * log_scale).exp(), MEAN_SD * MEAN_SD);
        let all = t + s * k;
        Self {
            own: 1.0 / t,
            shared: s / (t * all),
            own_slope: -2.0 / t,
            shared_slope: -2.0 * s * (2.0 * t + s * k) / (t * all * all),
            log_determinant: -(k - 1.0) * 2.0 * log_scale - all.ln(),
            log_determinant_slope: -2.0 * (k - 1.0) - 2.0 * t / all,
        }
    }
}

/// The rest and the largest factor's mean (last) given the scales: normal.
struct Rest {
    mean: Vec<f64>,
    /// Factor of their precision.
    factor: Small,
    /// Of the largest factor.
    t: f64,
    variance: f64,
    priors: Vec<Precision>,
    /// `h'A^-1 h`, the part of the energies' squares that is explained.
    explained: f64,
    log_determinant: f64,
}

impl Collapsed {
    /// Sums up what the density needs.
    pub fn new(model: &Effects) -> Self {
        let factors = model.factors();
        let largest = (0..factors.len()).rev().max_by_key(|f| factors[*f].len()).unwrap_or(0);
        let (mut rest, mut others): (Vec<usize>, Vec<_>) = (Vec::new(), Vec::new());
        for (at, levels) in factors.iter().enumerate().filter(|(at, _)| *at != largest) {
            others.push((at, rest.len()..rest.len() + levels.len()));
            rest.extend(levels);
        }
        let meet = |level: usize| rest.iter().map(|r| model.row(level)[*r]).collect::<Vec<f64>>();
        let meetings: Vec<Vec<f64>> = (0..model.pull().len()).map(meet).collect();
        let mut groups: BTreeMap<u64, Group> = BTreeMap::new();
        for level in &factors[largest] {
            let times = model.row(*level)[*level];
            let group = groups.entry(times as u64).or_insert_with(|| Group::new(times, rest.len()));
            group.add(*level, &meetings[*level], model.pull()[*level]);
        }
        let products = Small::padded(rest.len(), |i, j| meetings[rest[i]][j]);
        Self {
            groups: groups.into_values().collect(),
            largest,
            size: factors[largest].len() as f64,
            rest,
            others,
            products,
            pull: model.pull().to_vec(),
            meetings,
            energy: model.energy(),
            cases: model.cases(),
            factors: factors.len(),
        }
    }

    /// Number of coordinates: the logarithms of the factors' scales and of the noise.
    pub fn dimension(&self) -> usize {
        self.factors + 1
    }

    fn rest(&self, position: &[f64]) -> Result<Rest, OutOfRange> {
        if !position.iter().all(|scale| scale.abs() < LOG_SCALE_MAX) {
            return Err(OutOfRange);
        }
        let (n, variance) = (self.rest.len(), (2.0 * position[self.factors]).exp());
        let t = (2.0 * position[self.largest]).exp();
        let priors: Vec<Precision> = self
            .others
            .iter()
            .map(|(at, levels)| Precision::new(position[*at], levels.len()))
            .collect();
        let mut precision = Small::zero(n + 1);
        precision.add(1.0 / variance, &self.products);
        for ((_, levels), prior) in self.others.iter().zip(&priors) {
            precision.add_exchangeable(levels.clone(), prior.own, -prior.shared);
        }
        precision.add_exchangeable(n..n + 1, self.size / t + MEAN_SD.powi(-2), 0.0);
        let mut pull: Vec<f64> = self.rest.iter().map(|r| self.pull[*r] / variance).collect();
        pull.push(0.0);
        let (mut explained, mut log_determinant) = (0.0, 0.0);
        for group in &self.groups {
            let own = group.times / variance + 1.0 / t;
            precision.add(-1.0 / (own * variance * variance), &group.square);
            precision.add_edge(1.0 / (own * variance * t), &group.edge);
            precision.add_exchangeable(n..n + 1, -(group.levels.len() as f64) / (own * t * t), 0.0);
            let factor = 1.0 / (own * variance);
            add(&mut pull[..n], -factor / variance, &group.pulled);
            pull[n] += factor * group.pull / t;
            explained += factor * group.pull_square / variance;
            log_determinant += group.levels.len() as f64 * own.ln();
        }
        let factor = precision.cholesky().ok_or(OutOfRange)?;
        let mean = factor.solve(&pull);
        explained += dot(&pull, &mean);
        log_determinant += factor.log_determinant();
        Ok(Rest { mean, factor, t, variance, priors, explained, log_determinant })
    }

    /// Log density up to a constant, and its gradient. Coordinates of scales are `x` with
    /// `tau = ln(1 + e^x)`: logarithms for small scales, the scales themselves for large
    /// ones, where the prior would be a wall to logarithms.
    pub fn density(&self, position: &[f64], gradient: &mut [f64]) -> Result<f64, OutOfRange> {
        let logs = self.logs(position);
        let mut density = self.density_of_logs(&logs, gradient)?;
        for ((to, x), log) in gradient.iter_mut().zip(position).zip(&logs).take(self.factors) {
            let rising = 1.0 / (1.0 + (-x).exp());
            let by_log = rising / log.exp();
            density += by_log.ln();
            *to = *to * by_log + 1.0 - rising - by_log;
        }
        Ok(density)
    }

    /// Logarithms of the scales and the noise at a position.
    fn logs(&self, position: &[f64]) -> Vec<f64> {
        let mut logs = position.to_vec();
        for log in &mut logs[..self.factors] {
            // ln(1 + e^x) is x, to working precision, from 40 on.
            *log =
                if *log > 40.0 { log.ln() } else { log.exp().ln_1p().max(f64::MIN_POSITIVE).ln() };
        }
        logs
    }

    /// The same by the logarithms.
    fn density_of_logs(&self, position: &[f64], gradient: &mut [f64]) -> Result<f64, OutOfRange> {
        let found = self.rest(position)?;
        let n = self.rest.len();
        let scales = &position[..self.factors];
        let mut density = -self.cases * position[self.factors]
            + (found.explained - self.energy / found.variance - found.log_determinant) / 2.0;
        density += scales.iter().map(|log_scale| log_scale - log_scale.exp()).sum::<f64>();
        // Second moments of the rest: of these the gradient is made.
        let mut moments = found.factor.inverse();
        moments.add_outer(1.0, &found.mean);
        let mut squares = moments.at(n, n) * MEAN_SD.powi(-2);
        for ((at, levels), prior) in self.others.iter().zip(&found.priors) {
            let (own, total) = moments.trace_and_total(levels.clone());
            squares += prior.own * own - prior.shared * total;
            let bend = prior.own_slope * own - prior.shared_slope * total;
            gradient[*at] = (prior.log_determinant_slope - bend) / 2.0;
            density += prior.log_determinant / 2.0;
        }
        let largest = self.about_the_mean(&found, &moments) / found.t;
        squares += largest;
        gradient[self.largest] = largest - self.size;
        density -= self.size * position[self.largest];
        for (to, log_scale) in gradient.iter_mut().zip(scales) {
            *to += 1.0 - log_scale.exp();
        }
        let parameters = self.size + n as f64 + 1.0;
        gradient[self.factors] =
            self.energy / found.variance - found.explained - squares - self.cases + parameters;
        Ok(density)
    }

    /// Expected sum of squares of the largest factor's effects about their mean:
    /// `beta - m = a (h - u'rest) + b m`, and its own variance beside.
    fn about_the_mean(&self, found: &Rest, moments: &Small) -> f64 {
        let (n, t, variance) = (self.rest.len(), found.t, found.variance);
        let (rest, m) = (&found.mean[..n], found.mean[n]);
        let of = |group: &Group| {
            let (own, count) = (group.times / variance + 1.0 / t, group.levels.len() as f64);
            let (a, b) = (1.0 / (own * variance), 1.0 / (own * t) - 1.0);
            let pulled = group.pull_square - 2.0 * dot(&group.pulled, rest);
            count / own
                + a * a * (pulled + moments.product(&group.square))
                + a * b * (2.0 * m * group.pull - 2.0 * moments.edge_product(&group.edge))
                + b * b * count * moments.at(n, n)
        };
        self.groups.iter().map(of).sum()
    }

    /// Effects, scales and noise; the effects drawn by `normal`.
    pub fn complete(
        &self,
        position: &[f64],
        mut normal: impl FnMut() -> f64,
    ) -> Result<Vec<f64>, OutOfRange> {
        let position = self.logs(position);
        let found = self.rest(&position)?;
        let noise: Vec<f64> = found.mean.iter().map(|_| normal()).collect();
        let step = found.factor.back(&noise);
        let rest: Vec<f64> = found.mean.iter().zip(&step).map(|(mean, step)| mean + step).collect();
        let (m, rest) = rest.split_last().ok_or(OutOfRange)?;
        let mut all = vec![0.0; self.pull.len()];
        self.rest.iter().zip(rest).for_each(|(level, value)| all[*level] = *value);
        for group in &self.groups {
            let own = group.times / found.variance + 1.0 / found.t;
            for level in &group.levels {
                let off = self.pull[*level] - dot(&self.meetings[*level], rest);
                let mean = (off / found.variance + m / found.t) / own;
                all[*level] = mean + normal() / own.sqrt();
            }
        }
        all.extend(position.iter().map(|scale| scale.exp()));
        Ok(all)
    }
}

impl Group {
    fn new(times: f64, rest: usize) -> Self {
        let (square, edge) = (Small::zero(rest + 1), vec![0.0; rest]);
        Self { times, square, edge, pulled: vec![0.0; rest], ..Self::default() }
    }

    fn add(&mut self, level: usize, meetings: &[f64], pull: f64) {
        self.levels.push(level);
        self.square.add_outer(1.0, meetings);
        add(&mut self.edge, 1.0, meetings);
        add(&mut self.pulled, pull, meetings);
        self.pull += pull;
        self.pull_square += pull * pull;
    }
}

/// `to += factor * of`.
fn add(to: &mut [f64], factor: f64, of: &[f64]) {
    to.iter_mut().zip(of).for_each(|(to, of)| *to += factor * of);
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
#[path = "collapsed_tests.rs"]
mod tests;
