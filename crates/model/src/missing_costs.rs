//! Completion of a model with costs of another one, as where a new version of a program runs
//! operations that the old one never ran.

use std::collections::BTreeSet;

use super::fitted_model::{Cost, Model};

impl Model {
    /// Returns the model with the costs of `other` for operations that it has no cost for, and the
    /// names of these. Errors of the two models are independent. The cases of neither determine the
    /// new costs.
    pub fn with_missing_costs_from(&self, other: &Model) -> (Model, Vec<String>) {
        let own = self.index();
        let is_new = |(_, cost): &(usize, &Cost)| {
            own.of(&cost.operation).is_none() && cost.cost_j.is_finite()
        };
        let taken: Vec<usize> =
            other.costs.iter().enumerate().filter(is_new).map(|(at, _)| at).collect();
        if taken.is_empty() {
            return (self.clone(), Vec::new());
        }
        let costs = taken.iter().map(|at| Cost {
            estimable: false,
            group: None,
            ..other.costs[*at].clone()
        });
        let names: Vec<String> = costs.clone().map(|cost| cost.operation).collect();
        let mut model = Model {
            covariance: self.covariance.as_ref().zip(other.covariance.as_ref()).map(
                |(covariance, others)| {
                    let own = (covariance.as_slice(), self.costs.len());
                    joined_covariances(own, (others, other.costs.len()), &taken)
                },
            ),
            // These are of whole cases and of this model's own columns.
            choice: None,
            case_costs_j: None,
            of_microbenchmarks: None,
            reach: None,
            draws: Vec::new(),
            row_space: self.row_space.clone(),
            ..self.clone()
        };
        model.costs.extend(costs);
        if let Some(space) = &mut model.row_space {
            space.widen(self.costs.len(), taken.len());
        }
        let new: BTreeSet<&str> = names.iter().map(String::as_str).collect();
        let contexts = other.contexts.iter().filter(|price| new.contains(&*price.operation));
        model.contexts.extend(contexts.cloned());
        (model, names)
    }
}

/// Joins two covariances in one matrix, of the second one the columns `taken`; row-major.
fn joined_covariances(
    (own, l): (&[f64], usize),
    (others, k): (&[f64], usize),
    taken: &[usize],
) -> Vec<f64> {
    let n = l + taken.len();
    let mut all = vec![0.0; n * n];
    for i in 0..l {
        all[i * n..i * n + l].copy_from_slice(&own[i * l..(i + 1) * l]);
    }
    for (i, from) in taken.iter().enumerate() {
        for (j, to) in taken.iter().enumerate() {
            all[(l + i) * n + l + j] = others[from * k + to];
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::fitted_model::RowSpace;
    use super::*;

    fn model(costs: &[(&str, f64)], covariance: &[f64]) -> Model {
        let mut model = Model::of_prices("shrink", costs.iter().copied());
        model.covariance = Some(covariance.to_vec());
        model
    }

    #[test]
    fn missing_costs_come_with_their_errors() {
        let mut own = model(&[("A", 1.0), ("B", 2.0)], &[1.0, 0.5, 0.5, 4.0]);
        own.row_space = Some(RowSpace { scale: vec![1.0, 2.0], basis: vec![1.0, 0.0] });
        let other = model(
            &[("B", 9.0), ("C", 3.0), ("D", f64::NAN), ("E", 5.0)],
            &[9.0, 1.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.25, 0.0, 0.0, 0.0, 0.0, 0.0, 0.25, 0.0, 3.0],
        );
        let (all, names) = own.with_missing_costs_from(&other);
        assert_eq!(names, ["C", "E"]);
        let found = all.predict(&[(0, 1.0), (1, 1.0), (2, 1.0), (3, 2.0)]);
        assert_eq!((found.energy_j, found.se_j), (16.0, Some(21f64.sqrt())));
        assert!(all.is_estimable(&[(0, 1.0)]));
        assert!(!all.is_estimable(&[(1, 1.0)]) && !all.is_estimable(&[(2, 1.0)]));
        assert_eq!(all.with_missing_costs_from(&other).1, [""; 0]);
    }
}
