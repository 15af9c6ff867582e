//! The estimator of areas at the size of a large application: 2 000 areas by 200 operations.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{StandardNormal, StudentT};
use wattline::model::areas::{
    AreaCostPrior, BlockEffectTails, DirectEstimate, SmallArea, estimate_areas,
};

const AREAS: usize = 2_000;
const OPERATIONS: usize = 200;

/// Each area has a fifth of the operations, place effects of Student's t with 3 degrees of
/// freedom and width 0.3, and samples with an error of 20 %.
fn areas() -> Vec<SmallArea> {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let student = StudentT::new(3.0).expect("a positive number");
    let costs: Vec<f64> = (0..OPERATIONS)
        .map(|_| 1e-9 * (0.5 * random.sample::<f64, _>(StandardNormal)).exp())
        .collect();
    let mut area = || {
        let size = 10f64.powf(3.0 + 3.0 * random.random::<f64>());
        let counts: Vec<f64> = (0..OPERATIONS)
            .map(|_| {
                if random.random_bool(0.2) { (size * random.random::<f64>()).floor() } else { 0.0 }
            })
            .collect();
        let scale = counts.iter().sum::<f64>() * 1e-9;
        let mean: f64 = counts.iter().zip(&costs).map(|(n, c)| n * c).sum();
        let effect: f64 = random.sample(student);
        let error: f64 = random.sample(StandardNormal);
        let energy_j = mean + scale * (0.3 * effect + 0.2 * error);
        let variance_j2 = (0.2 * scale).powi(2);
        SmallArea { counts, scale, direct: Some(DirectEstimate { energy_j, variance_j2 }) }
    };
    (0..AREAS).map(|_| area()).collect()
}

fn estimator(criterion: &mut Criterion) {
    let areas = areas();
    let mut covariance = vec![0.0; OPERATIONS * OPERATIONS];
    (0..OPERATIONS).for_each(|j| covariance[j * OPERATIONS + j] = 0.25e-18);
    let belief = AreaCostPrior::Normal { mean: vec![1e-9; OPERATIONS], covariance };
    let mut group = criterion.benchmark_group("areas, 2000 x 200");
    group.sample_size(10);
    for (name, tails) in
        [("normal", BlockEffectTails::Normal), ("tails", BlockEffectTails::Estimated)]
    {
        group
            .bench_function(name, |b| b.iter(|| estimate_areas(black_box(&areas), &belief, tails)));
    }
    group.finish();
}

criterion_group!(benches, estimator);
criterion_main!(benches);
