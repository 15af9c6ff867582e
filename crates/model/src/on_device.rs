//! Costs of a model of several boards for one of them: costs and their errors times that board's
//! factor, whose own error is included.

use super::devices::DeviceFactor;
use super::fitted_model::Model;
use super::quantiles::NORMAL_975;

impl Model {
    /// Returns the board whose costs these are, where cases of several were fitted.
    pub fn reference_device(&self) -> Option<&str> {
        self.devices.first().map(|factor| factor.device.as_str())
    }

    /// Returns the model for another of its boards: costs and their errors times its factor, of
    /// which the factor's own error is a part. (Costs and factor were found from the same cases;
    /// their errors are taken as independent, which makes intervals wider, not narrower, than need
    /// be.) `None` for a board without a factor.
    pub fn on_device(&self, device: &str) -> Option<Self> {
        let own = self.devices.iter().find(|factor| factor.device == device)?;
        let mut devices = self.devices.clone();
        for other in &mut devices {
            other.rebase(own);
        }
        let (ours, others): (Vec<_>, Vec<_>) =
            devices.into_iter().partition(|d: &DeviceFactor| d.device == device);
        let devices = [ours, others].concat();
        Some(Self { devices, ..self.scaled(own.factor, own.factor_se.unwrap_or(0.0)) })
    }

    /// Adds the errors of the factors to those of the costs: energies of a board whose factor is
    /// wrong by a part move all costs by that part of the board's share of the cases.
    pub(crate) fn with_factors_errors(self) -> Self {
        let all: usize = self.devices.iter().map(|factor| factor.cases).sum();
        let moved = |of: &DeviceFactor| {
            let share = of.cases as f64 / all as f64;
            of.factor_se.map_or(0.0, |se| (share * se / of.factor).powi(2))
        };
        let relative_se = self.devices.iter().map(moved).sum::<f64>().sqrt();
        self.scaled(1.0, relative_se)
    }

    /// Returns the model with costs times a factor of a standard error.
    fn scaled(&self, factor: f64, factor_se: f64) -> Self {
        let mut model = self.clone();
        for (cost, before) in model.costs.iter_mut().zip(&self.costs) {
            let apart = before.cost_j * factor_se;
            cost.cost_j *= factor;
            cost.se_j = before.se_j.map(|se| (factor * se).hypot(apart));
            let reach = |end_j: f64| (factor * (end_j - before.cost_j)).hypot(NORMAL_975 * apart);
            cost.lo_j = before.lo_j.map(|lo| {
                let least = if before.cost_j >= 0.0 && lo >= 0.0 { 0.0 } else { f64::NEG_INFINITY };
                (cost.cost_j - reach(lo)).max(least)
            });
            cost.hi_j = before.hi_j.map(|hi| cost.cost_j + reach(hi));
        }
        model.case_costs_j.iter_mut().flatten().for_each(|cost_j| *cost_j *= factor);
        if let Some(reach) = &mut model.reach {
            reach.cost_j *= factor;
        }
        if let Some(constant) = &mut model.constant {
            (constant.case_j, constant.second_w) =
                (factor * constant.case_j, factor * constant.second_w);
        }
        if let Some(covariance) = &mut model.covariance {
            let costs: Vec<f64> = self.costs.iter().map(|cost| cost.cost_j).collect();
            scale(covariance, &costs, factor, factor_se);
        }
        if let Some(microbenchmarks) = &mut model.of_microbenchmarks {
            scale(&mut microbenchmarks.covariance, &microbenchmarks.costs_j, factor, factor_se);
            microbenchmarks.costs_j.iter_mut().for_each(|cost_j| *cost_j *= factor);
        }
        model.draws.iter_mut().flatten().for_each(|cost| *cost *= factor);
        model.residual_sd_j = self.residual_sd_j.map(|sd| sd * factor);
        model.residual = self.residual.map(|spread| spread.times(factor));
        model.held_out = self
            .held_out
            .and_then(|spread| spread.times(factor).with_relative_error(factor_se / factor));
        model
    }
}

/// Multiplies a covariance of costs by a factor of a standard error.
fn scale(covariance: &mut [f64], costs: &[f64], factor: f64, factor_se: f64) {
    let l = costs.len();
    for (at, value) in covariance.iter_mut().enumerate() {
        let product = costs[at / l] * costs[at % l];
        *value = factor * factor * *value + factor_se * factor_se * product;
    }
}

impl DeviceFactor {
    /// Converts the factor to another reference board.
    fn rebase(&mut self, by: &DeviceFactor) {
        if self.device == by.device {
            (self.factor, self.factor_se) = (1.0, None);
            (self.factor_lo, self.factor_hi) = (None, None);
            return;
        }
        let relative = |one: &DeviceFactor| one.factor_se.map_or(0.0, |se| se / one.factor);
        let both = relative(self).hypot(relative(by));
        let known = by.factor_se.is_some() || self.factor_se.is_some();
        self.factor /= by.factor;
        let reach = (NORMAL_975 * both).exp();
        self.factor_se = known.then_some(self.factor * both);
        self.factor_lo = known.then_some(self.factor / reach);
        self.factor_hi = known.then_some(self.factor * reach);
    }
}
