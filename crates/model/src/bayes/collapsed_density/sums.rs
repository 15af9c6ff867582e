//! Sums over the measurements that the density of [`super::CollapsedDensity`] consists of.

use super::super::effects::EffectStats;
use super::super::level_group::LevelGroup;
use super::super::symmetric_matrix::SymmetricMatrix;
use super::CollapsedDensity;

/// Returns row `i` of an orthonormal matrix of order `k` whose first column is constant.
pub(super) fn split_row(i: usize, k: usize) -> impl Iterator<Item = f64> {
    (0..k).map(move |j| match j {
        0 => (k as f64).sqrt().recip(),
        j if i > j => 0.0,
        j if i == j => -(j as f64 / (j as f64 + 1.0)).sqrt(),
        j => (j as f64 * (j as f64 + 1.0)).sqrt().recip(),
    })
}

impl CollapsedDensity {
    /// Computes the sums from the statistics of a model.
    pub fn new(model: &EffectStats) -> Self {
        let factors = model.factors();
        let largest = (0..factors.len()).rev().max_by_key(|f| factors[*f].len()).unwrap_or(0);
        let (mut rest, mut others): (Vec<usize>, Vec<_>) = (Vec::new(), Vec::new());
        for (at, levels) in factors.iter().enumerate().filter(|(at, _)| *at != largest) {
            others.push((at, rest.len()..rest.len() + levels.len()));
            rest.extend(levels);
        }
        let mut found = Self {
            groups: Vec::new(),
            largest,
            products: SymmetricMatrix::zero(0),
            pulled: Vec::new(),
            meetings: vec![Vec::new(); model.pull().len()],
            pull: model.pull().to_vec(),
            energy: model.energy(),
            cases: model.cases(),
            factors: factors.len(),
            rest,
            others,
        };
        let times = |level: usize| model.row(level)[level];
        for level in &factors[largest] {
            let met: Vec<f64> = found.rest.iter().map(|r| model.row(*level)[*r]).collect();
            found.meetings[*level] = [found.to_split(&met), vec![times(*level)]].concat();
        }
        let levels = factors[largest].iter();
        let levels = levels.map(|at| (*at, times(*at), &*found.meetings[*at], found.pull[*at]));
        found.groups = LevelGroup::all(levels, found.rest.len() + 1);
        found.sum_up_the_rest(model);
        found
    }

    fn sum_up_the_rest(&mut self, model: &EffectStats) {
        let n = self.rest.len();
        let rows: Vec<Vec<f64>> = (0..n)
            .map(|i| self.rest.iter().map(|r| model.row(self.rest[i])[*r]).collect::<Vec<f64>>())
            .map(|row| self.to_split(&row))
            .collect();
        let column = |j: usize| self.to_split(&rows.iter().map(|row| row[j]).collect::<Vec<f64>>());
        let columns: Vec<Vec<f64>> = (0..n).map(column).collect();
        let largest = || self.meetings.iter().filter(|met| !met.is_empty());
        let with_largest: Vec<f64> =
            (0..=n).map(|i| largest().map(|met| met[i]).sum::<f64>()).collect();
        let element = |i: usize, j: usize| if j < n { columns[j][i] } else { with_largest[i] };
        self.products = SymmetricMatrix::from_fn(n + 1, element);
        let pull: Vec<f64> = self.rest.iter().map(|r| self.pull[*r]).collect();
        let levels = self.groups.iter().flat_map(|group| &group.levels);
        let of_largest = levels.map(|level| self.pull[*level]).sum::<f64>();
        self.pulled = [self.to_split(&pull), vec![of_largest]].concat();
    }

    /// Converts values of the rest to means and contrasts of its factors.
    fn to_split(&self, values: &[f64]) -> Vec<f64> {
        let mut to = vec![0.0; values.len()];
        for (_, levels) in &self.others {
            for (i, value) in values[levels.clone()].iter().enumerate() {
                let row = split_row(i, levels.len());
                to[levels.clone()].iter_mut().zip(row).for_each(|(to, x)| *to += value * x);
            }
        }
        to
    }
}
