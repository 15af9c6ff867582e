//! Models with replaced costs: those by microbenchmarks alone, or those learned from samples.

use super::fitted_model::{CovarianceScope, Model};
use super::quantiles::NORMAL_975;

impl Model {
    /// Returns the model with the costs by microbenchmarks alone; `None` where the cases do not
    /// contradict microbenchmarks, so that the model's own costs agree with them.
    pub fn with_microbenchmark_costs(&self) -> Option<Self> {
        let microbenchmarks = self.of_microbenchmarks.as_ref()?;
        Some(self.with_costs(&microbenchmarks.costs_j, microbenchmarks.covariance.clone()))
    }

    /// Returns the model with other costs in joules, length l, and the covariance of their errors
    /// in J^2, row-major l x l. What the cases determine stays what it is.
    pub fn with_costs(&self, costs_j: &[f64], covariance: Vec<f64>) -> Self {
        let l = self.costs.len();
        let mut model = Self { of_microbenchmarks: None, draws: Vec::new(), ..self.clone() };
        for (j, (cost, cost_j)) in model.costs.iter_mut().zip(costs_j).enumerate() {
            let se = covariance[j * l + j].max(0.0).sqrt();
            cost.cost_j = *cost_j;
            cost.se_j = Some(se);
            cost.lo_j = Some((cost_j - NORMAL_975 * se).max(0.0));
            cost.hi_j = Some(cost_j + NORMAL_975 * se);
        }
        Self { covariance: Some(covariance), covariance_scope: CovarianceScope::All, ..model }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fitted_model::MicrobenchmarkCosts;
    use super::*;

    #[test]
    fn other_costs_have_their_own_errors() {
        let mut model = Model::of_prices("shrink", [("Increment", 1.0), ("Decrement", 2.0)]);
        assert!(model.with_microbenchmark_costs().is_none());
        let covariance = vec![4.0, 1.0, 1.0, 0.01];
        model.of_microbenchmarks =
            Some(MicrobenchmarkCosts { costs_j: vec![3.0, 5.0], covariance, places: 1 });
        let told = model.with_microbenchmark_costs().unwrap();
        let figures = |j: usize| (told.costs[j].cost_j, told.costs[j].se_j, told.costs[j].lo_j);
        assert_eq!(figures(0), (3.0, Some(2.0), Some(0.0)));
        assert_eq!(figures(1), (5.0, Some(0.1), Some(5.0 - NORMAL_975 * 0.1)));
        assert_eq!(told.predict(&[(0, 1.0), (1, 1.0)]).se_j, Some(6.01f64.sqrt()));
        assert!(told.of_microbenchmarks.is_none());
    }
}
