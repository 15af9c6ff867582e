//! The cost of executed probes, from the cases that ran with and without probes. A probe in a
//! condition (`W.t(7) && (c)`, `W.b(7, 8, c) ? ...`) is a call more than one that is a statement of
//! its own, so the two sorts have separate costs.

use super::energy::mean;

/// Energy of one executed probe, with its spread over cases.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ProbeCost {
    /// Joules of a probe that is a statement, and of one in a condition; equal if the cases cannot
    /// separate the two.
    pub energy_j: [f64; 2],
    /// Standard deviation of single cases around that cost, in joules per probe; none with too few
    /// cases.
    pub spread_j: Option<f64>,
    /// Energy of probes as a share of the cases' energy above idle.
    pub share: f64,
}

/// A case that ran with and without probes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ProbePair {
    /// Energy above idle of the sessions with probes, in joules.
    pub probed_j: f64,
    /// Energy above idle of the sessions without probes, in joules.
    pub plain_j: f64,
    /// Executed probes: statements, in conditions.
    pub probes: [f64; 2],
}

/// A pair's shares of the two sorts of probes, and joules per probe.
type ProbeShares = ([f64; 2], f64);

/// Estimates the cost of probes by least squares over the pairs, each weighed by its number of
/// probes, so that cases count alike. None without executed probes.
pub(crate) fn probe_cost(pairs: &[ProbePair]) -> Option<ProbeCost> {
    let rows: Vec<ProbeShares> = pairs
        .iter()
        .filter(|pair| pair.probes.iter().sum::<f64>() > 0.0)
        .map(|pair| {
            let all: f64 = pair.probes.iter().sum();
            (pair.probes.map(|probes| probes / all), (pair.probed_j - pair.plain_j) / all)
        })
        .collect();
    let each: Vec<f64> = rows.iter().map(|(_, energy_j)| *energy_j).collect();
    let mean_j = mean(&each)?;
    let (energy_j, free) = match two_costs(&rows) {
        Some(costs) => (costs, 2),
        None => ([mean_j; 2], 1),
    };
    let left = |(shares, found): &ProbeShares| found - dot(*shares, energy_j);
    let squares: f64 = rows.iter().map(left).map(|left| left * left).sum();
    let spread_j = (rows.len() > free).then(|| (squares / (rows.len() - free) as f64).sqrt());
    let sum = |of: fn(&ProbePair) -> f64| pairs.iter().map(of).sum::<f64>();
    let share = sum(|pair| pair.probed_j) / sum(|pair| pair.plain_j) - 1.0;
    Some(ProbeCost { energy_j, spread_j, share })
}

/// The costs of the two sorts of probes; none if there are too few rows, if they are too much
/// alike, or if a cost would be negative.
fn two_costs(rows: &[ProbeShares]) -> Option<[f64; 2]> {
    let sum = |of: &dyn Fn(&ProbeShares) -> f64| rows.iter().map(of).sum::<f64>();
    let (aa, ab) = (sum(&|(s, _)| s[0] * s[0]), sum(&|(s, _)| s[0] * s[1]));
    let bb = sum(&|(s, _)| s[1] * s[1]);
    let (ay, by) = (sum(&|(s, y)| s[0] * y), sum(&|(s, y)| s[1] * y));
    let determinant = aa * bb - ab * ab;
    let costs = [(ay * bb - by * ab) / determinant, (by * aa - ay * ab) / determinant];
    let is_known = rows.len() > 2 && determinant > 1e-6 * aa * bb;
    (is_known && costs.iter().all(|cost| *cost >= 0.0)).then_some(costs)
}

pub(super) fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_with_probes_and_without_tell_what_a_probe_costs() {
        let pair =
            |added_j: f64, probes| ProbePair { probed_j: 10.0 + added_j, plain_j: 10.0, probes };
        // 20 mJ a statement, 30 mJ in a condition.
        let three = [pair(2.0, [100.0, 0.0]), pair(5.0, [100.0, 100.0]), pair(3.0, [0.0, 100.0])];
        let cost = probe_cost(&three).unwrap();
        assert!((cost.energy_j[0] - 0.02).abs() < 1e-12 && (cost.energy_j[1] - 0.03).abs() < 1e-12);
        assert!((cost.share - 1.0 / 3.0).abs() < 1e-12);
        assert!(cost.spread_j.unwrap() < 1e-12);
        // Two, or any number that are alike, can't tell the sorts apart.
        let two = probe_cost(&[pair(2.0, [100.0, 0.0]), pair(8.0, [200.0, 0.0])]).unwrap();
        assert!((two.energy_j[0] - 0.03).abs() < 1e-12 && two.energy_j[0] == two.energy_j[1]);
        assert!((two.spread_j.unwrap() - 0.01 * 2f64.sqrt()).abs() < 1e-12);
        assert_eq!(probe_cost(&two_alike(&pair)).unwrap().energy_j, [0.02; 2]);
        assert_eq!(probe_cost(&[pair(2.0, [100.0, 0.0])]).unwrap().spread_j, None);
        assert_eq!(probe_cost(&[]), None);
    }

    fn two_alike(pair: &dyn Fn(f64, [f64; 2]) -> ProbePair) -> Vec<ProbePair> {
        vec![pair(2.0, [50.0, 50.0]); 4]
    }
}
