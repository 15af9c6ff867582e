//! Check of the priors of the model of factors: energies drawn from them, to compare with the
//! measurements. A prior under which the measurements are improbable would distort the posterior.

use std::collections::BTreeMap;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Exp1, StandardNormal};

use super::effects::{EffectSign, FACTOR_MEAN_PRIOR_SD};
use super::factors::FactorMeasurements;
use wattline_units::interval::Interval;
use wattline_units::quantile::quantile;
use wattline_units::units::Joules;

/// Number of draws from the priors.
const DRAWS: usize = 4000;

/// Returns, for each set of factors that measurements have, in the order of the factors, the 95 %
/// interval of the expected energy by the priors. Levels of one factor are alike before they are
/// measured. The residual has no part in it: its prior is flat.
pub(super) fn prior_intervals(
    data: &FactorMeasurements,
    sign: EffectSign,
    typical_j: f64,
    seed: u64,
) -> BTreeMap<Vec<usize>, Interval> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    // A stream that no chain has.
    random.set_stream(u64::MAX);
    let draws: Vec<Vec<f64>> = (0..DRAWS)
        .map(|_| data.names.iter().map(|_| draw_effect(sign, &mut random)).collect())
        .collect();
    let mut found = BTreeMap::new();
    for row in &data.rows {
        let factors = factors_of(data, row);
        found.entry(factors).or_insert_with_key(|factors| {
            let sum = |draw: &Vec<f64>| factors.iter().map(|at| draw[*at]).sum::<f64>();
            let mut sums: Vec<f64> = draws.iter().map(sum).collect();
            sums.sort_unstable_by(f64::total_cmp);
            let at = |part| Joules(typical_j * quantile(&sums, part));
            Interval { lo: at(0.025), hi: at(0.975) }
        });
    }
    found
}

/// Returns the indices of the factors that apply to a measurement.
pub(super) fn factors_of(data: &FactorMeasurements, row: &[usize]) -> Vec<usize> {
    let has = |factor: &String| row.iter().any(|at| data.levels[*at].factor == *factor);
    (0..data.names.len()).filter(|at| has(&data.names[*at])).collect()
}

/// Draws an effect of one factor, in typical energies, from its prior in `effects.rs`.
fn draw_effect(sign: EffectSign, random: &mut ChaCha8Rng) -> f64 {
    let scale: f64 = random.sample(Exp1);
    let spread = scale * random.sample::<f64, _>(StandardNormal);
    match sign {
        EffectSign::Positive => spread.abs(),
        EffectSign::Free => FACTOR_MEAN_PRIOR_SD * random.sample::<f64, _>(StandardNormal) + spread,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priors_span_the_typical_energy_whatever_its_unit() {
        let names = ["operation".to_owned(), "device".to_owned()];
        let row = |operation: &str, device: &str| vec![operation.to_owned(), device.to_owned()];
        let measured = [(row("Add", "A"), 3e-8), (row("Else", ""), 1e-8)];
        let data = FactorMeasurements::new(&names, &measured).unwrap();
        let of = |sign| prior_intervals(&data, sign, 2e-8, 1);
        let positive = of(EffectSign::Positive);
        assert_eq!(positive.keys().collect::<Vec<_>>(), [&vec![0], &vec![0, 1]]);
        let Interval { lo: Joules(lo), hi: Joules(hi) } = positive[&vec![0, 1]];
        // Scales are exponential with a mean of one typical energy: of half-normals with such
        // scales 97.5 % lie below four, of two together below six.
        assert!(lo > 0.0 && lo < 4e-9 && (1.0e-7..1.4e-7).contains(&hi), "{lo:e} {hi:e}");
        assert!(positive[&vec![0]].hi.0 < hi);
        let Interval { lo: Joules(lo), hi: Joules(hi) } = of(EffectSign::Free)[&vec![0]];
        assert!((lo / -3.9e-7 - 1.0).abs() < 0.1 && (hi / 3.9e-7 - 1.0).abs() < 0.1);
    }
}
