//! Small tables for the tests of this module.

use crate::table::{Case, Table};

/// A table of cases `case_0`, ... (each its own group) and features `op_0`, ...
pub(crate) fn table(rows: &[&[f64]], energies_j: &[f64]) -> Table {
    let cases = energies_j.iter().enumerate().map(|(i, energy_j)| case(i, *energy_j)).collect();
    let l = rows.first().map_or(0, |row| row.len());
    let features = (0..l).map(|j| format!("op_{j}")).collect();
    Table { cases, features, counts: rows.concat() }
}

fn case(i: usize, energy_j: f64) -> Case {
    Case {
        name: format!("case_{i}"),
        group: format!("group_{i}"),
        device: "board".to_owned(),
        duration_s: None,
        energy_j,
        energy_se_j: None,
        weight: None,
        executions: None,
    }
}

/// Fails with both sides unless every pair agrees within `tolerance` of the larger.
pub(crate) fn assert_close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    let size = expected.iter().fold(0.0f64, |size, e| size.max(e.abs()));
    for (f, e) in found.iter().zip(expected) {
        assert!((f - e).abs() <= tolerance * size, "{found:?}\n{expected:?}");
    }
}

/// A campaign with a known ground truth: blocks of operations that run together, costs spread
/// log-normally by 0.8, energies with relative noise.
pub(crate) struct Campaign {
    /// Cases by operations.
    pub table: Table,
    /// Operations in one execution of each block.
    pub blocks: Vec<Vec<f64>>,
    /// True cost of every operation in joules.
    pub costs: Vec<f64>,
}

impl Campaign {
    /// `noise` is the relative standard deviation of an energy.
    pub fn new(seed: u64, cases: usize, operations: usize, blocks: usize, noise: f64) -> Self {
        use rand::RngExt;
        use rand_chacha::rand_core::SeedableRng;
        let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        let normal = rand_distr::StandardNormal;
        let costs: Vec<f64> =
            (0..operations).map(|_| 1e-9 * (0.8 * random.sample::<f64, _>(normal)).exp()).collect();
        let few = |random: &mut rand_chacha::ChaCha8Rng| {
            if random.random_bool(0.25) { f64::from(random.random_range(1..6u32)) } else { 0.0 }
        };
        let blocks: Vec<Vec<f64>> = (0..blocks)
            .map(|b| {
                let mut block: Vec<f64> = (0..operations).map(|_| few(&mut random)).collect();
                block[b % operations] += 1.0;
                block
            })
            .collect();
        let mut table = Table {
            features: (0..operations).map(|j| format!("op{}_{j}", j % 7)).collect(),
            ..Table::default()
        };
        for i in 0..cases {
            let runs: Vec<f64> =
                blocks.iter().map(|_| (1e6 * random.random::<f64>().powi(3)).floor()).collect();
            let count = |j: usize| runs.iter().zip(&blocks).map(|(n, b)| n * b[j]).sum::<f64>();
            let counts: Vec<f64> = (0..operations).map(count).collect();
            let energy: f64 = counts.iter().zip(&costs).map(|(n, c)| n * c).sum();
            table.cases.push(case(i, energy * (1.0 + noise * random.sample::<f64, _>(normal))));
            table.counts.extend(counts);
        }
        Self { table, blocks, costs }
    }

    /// Of the blocks' 95 % intervals by a model (normal, by its standard errors), the
    /// number that hold the ground truth, and of all.
    pub fn intervals_with_truth(&self, model: &crate::Model) -> (usize, usize) {
        let intervals = self.blocks.iter().filter_map(|block| {
            let counts: Vec<(usize, f64)> = block.iter().copied().enumerate().collect();
            let found = model.predict(&counts);
            let truth: f64 = block.iter().zip(&self.costs).map(|(n, c)| n * c).sum();
            Some((found.energy_j - truth).abs() <= 1.96 * found.se_j?)
        });
        intervals.fold((0, 0), |(held, all), holds| (held + usize::from(holds), all + 1))
    }
}
