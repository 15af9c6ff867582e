//! Convergence diagnostics of chains: rank-normalised split R-hat, bulk and tail effective sample
//! size and the error of the mean, as in Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021).
//! Agrees with ArviZ on saved draws (see the tests).

use super::super::quantiles::normal_quantile;
use wattline_units::quantile::quantile;

/// Convergence diagnostics of the draws of one quantity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Diagnosis {
    /// Largest of the R-hats of ranks and of folded ranks; near 1 where chains agree.
    pub rhat: f64,
    /// Effective number of draws for the centre.
    pub ess_bulk: f64,
    /// Effective number of draws for the 5 % and 95 % quantiles, the smaller of both.
    pub ess_tail: f64,
    /// Standard error of the mean over the draws, in the unit of the quantity.
    pub mcse_mean: f64,
}

/// Diagnoses chains of equal length, at least two of at least four draws; `None` for
/// fewer, and for a quantity that is not finite or never changes.
pub fn diagnose(chains: &[Vec<f64>]) -> Option<Diagnosis> {
    let draws = chains.first()?.len();
    let all = chains.concat();
    let fits = chains.len() >= 2 && draws >= 4 && chains.iter().all(|c| c.len() == draws);
    if !fits || all.iter().any(|x| !x.is_finite()) || all.iter().all(|x| *x == all[0]) {
        return None;
    }
    let halves = half_chains(chains);
    let ranks = normal_scores(&halves);
    let folded = distances_from_median(&halves);
    let mut sorted = all;
    sorted.sort_unstable_by(f64::total_cmp);
    let tail = |at: f64| {
        let limit = quantile(&sorted, at);
        let below = |x: &f64| f64::from(u8::from(*x <= limit));
        ess(&map_draws(&halves, below))
    };
    Some(Diagnosis {
        rhat: rhat(&ranks).max(rhat(&normal_scores(&folded))),
        ess_bulk: ess(&ranks),
        ess_tail: tail(0.05).min(tail(0.95)),
        mcse_mean: variance(&sorted).sqrt() / ess(&halves).sqrt(),
    })
}

fn map_draws(chains: &[Vec<f64>], of: impl Fn(&f64) -> f64) -> Vec<Vec<f64>> {
    chains.iter().map(|chain| chain.iter().map(&of).collect()).collect()
}

/// Returns the first and last half of each chain; the middle draw of an odd number is dropped.
fn half_chains(chains: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let half = chains[0].len() / 2;
    let first = chains.iter().map(|chain| chain[..half].to_vec());
    let last = chains.iter().map(|chain| chain[chain.len() - half..].to_vec());
    first.chain(last).collect()
}

/// Returns the absolute distances of all draws from their common median.
fn distances_from_median(chains: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut sorted = chains.concat();
    sorted.sort_unstable_by(f64::total_cmp);
    let median = quantile(&sorted, 0.5);
    map_draws(chains, |x| (x - median).abs())
}

/// Normal quantiles of the ranks over all chains; equal values share their mean rank.
fn normal_scores(chains: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let values = chains.concat();
    let n = values.len();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_unstable_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut scores = vec![0.0; n];
    let mut first = 0;
    while first < n {
        let tied = order[first..].iter().take_while(|at| values[**at] == values[order[first]]);
        let last = first + tied.count();
        let rank = (first + 1 + last) as f64 / 2.0;
        let score = normal_quantile((rank - 0.375) / (n as f64 + 0.25));
        order[first..last].iter().for_each(|at| scores[*at] = score);
        first = last;
    }
    scores.chunks(chains[0].len()).map(<[f64]>::to_vec).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Returns the unbiased variance.
fn variance(values: &[f64]) -> f64 {
    let centre = mean(values);
    let squares: f64 = values.iter().map(|x| (x - centre).powi(2)).sum();
    squares / (values.len() as f64 - 1.0)
}

fn rhat(chains: &[Vec<f64>]) -> f64 {
    let n = chains[0].len() as f64;
    let means: Vec<f64> = chains.iter().map(|chain| mean(chain)).collect();
    let within = chains.iter().map(|chain| variance(chain)).sum::<f64>() / chains.len() as f64;
    ((variance(&means) * n / within + n - 1.0) / n).sqrt()
}

/// Effective sample size by Geyer's initial monotone sequence.
fn ess(chains: &[Vec<f64>]) -> f64 {
    let (count, n) = (chains.len() as f64, chains[0].len());
    let first = chains[0][0];
    if chains.iter().flatten().all(|x| *x == first) {
        return count * n as f64;
    }
    let centred: Vec<Vec<f64>> = chains
        .iter()
        .map(|chain| {
            let centre = mean(chain);
            chain.iter().map(|x| x - centre).collect()
        })
        .collect();
    let means: Vec<f64> = chains.iter().map(|chain| mean(chain)).collect();
    let length = n as f64;
    let within = autocovariance(&centred, 0) * length / (length - 1.0);
    let between = if chains.len() > 1 { variance(&means) } else { 0.0 };
    let total = within * (length - 1.0) / length + between;
    let rho = |lag: usize| 1.0 - (within - autocovariance(&centred, lag)) / total;
    let tau = integrated_time(n, rho).max(1.0 / (count * length).log10());
    count * length / tau
}

/// Mean over the chains of the autocovariance at a lag (divided by n).
fn autocovariance(centred: &[Vec<f64>], lag: usize) -> f64 {
    let n = centred[0].len() as f64;
    let of = |chain: &Vec<f64>| -> f64 {
        chain[..chain.len() - lag].iter().zip(&chain[lag..]).map(|(a, b)| a * b).sum()
    };
    centred.iter().map(of).sum::<f64>() / (n * centred.len() as f64)
}

/// `1 + 2 sum rho`, as far as sums of neighbouring pairs stay positive, pairs not rising.
fn integrated_time(n: usize, rho: impl Fn(usize) -> f64) -> f64 {
    let mut kept = vec![1.0, rho(1)];
    let (mut even, mut odd) = (1.0, kept[1]);
    let mut t = 1;
    while t + 3 < n && even + odd > 0.0 {
        (even, odd) = (rho(t + 1), rho(t + 2));
        if even + odd >= 0.0 {
            kept.extend([even, odd]);
        }
        t += 2;
    }
    let last = t.saturating_sub(2);
    kept.resize(last + 2, 0.0);
    if even > 0.0 {
        kept[last + 1] = even;
    }
    let mut t = 1;
    while t + 2 <= last {
        if kept[t + 1] + kept[t + 2] > kept[t - 1] + kept[t] {
            kept[t + 1] = (kept[t - 1] + kept[t]) / 2.0;
            kept[t + 2] = kept[t + 1];
        }
        t += 2;
    }
    -1.0 + 2.0 * kept[..=last].iter().sum::<f64>() + kept[last + 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: &str = include_str!("fixtures/draws.csv");
    const FIGURES: &str = include_str!("fixtures/figures.csv");

    fn saved(name: &str) -> Vec<Vec<f64>> {
        let mut lines = DRAWS.lines();
        let column = lines.next().unwrap().split(',').position(|c| c == name).unwrap();
        let mut chains = vec![Vec::new(); 4];
        for line in lines {
            let cells: Vec<&str> = line.split(',').collect();
            chains[cells[0].parse::<usize>().unwrap()].push(cells[column].parse().unwrap());
        }
        chains
    }

    /// `benches/reference_diagnostics.py` made draws and figures by ArviZ 0.23.
    #[test]
    fn figures_are_those_of_the_reference() {
        for line in FIGURES.lines().skip(1) {
            let (name, figures) = line.split_once(',').unwrap();
            let expected: Vec<f64> = figures.split(',').map(|f| f.parse().unwrap()).collect();
            let found = diagnose(&saved(name)).unwrap();
            let found = [found.rhat, found.ess_bulk, found.ess_tail, found.mcse_mean];
            for (found, expected) in found.into_iter().zip(expected) {
                assert!((found / expected - 1.0).abs() < 1e-6, "{name}: {found} {expected}");
            }
        }
    }

    #[test]
    fn what_cannot_be_diagnosed_is_none() {
        assert_eq!(diagnose(&[vec![1.0; 10], vec![1.0; 10]]), None);
        assert_eq!(diagnose(&[vec![1.0, 2.0, 3.0, 4.0]]), None);
        assert_eq!(diagnose(&[vec![1.0, 2.0], vec![1.0, 3.0]]), None);
        assert_eq!(diagnose(&[vec![1.0, f64::NAN, 2.0, 3.0], vec![1.0, 2.0, 3.0, 4.0]]), None);
        assert_eq!(diagnose(&[]), None);
    }
}
