//! Drift of a board's idle power over its life: slower than a session, as where the air around a
//! board grows warmer and colder.

use std::f64::consts::TAU;

use serde::Deserialize;

/// A slow swing of the idle power of the big cores' rail.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IdleDrift {
    /// Greatest deviation in watts.
    pub swing_w: f64,
    /// Seconds from one greatest power to the next, on the board's clock over all sessions.
    pub period_s: f64,
}

impl IdleDrift {
    /// Deviation of the idle power in watts after `life_s` seconds of sessions.
    pub(crate) fn power_w(self, life_s: f64) -> f64 {
        self.swing_w * (TAU * life_s / self.period_s).sin()
    }

    /// First value out of its range, as a message; the rail draws `idle_w` without the drift.
    pub(crate) fn fault(self, idle_w: f64) -> Option<String> {
        if !(0.0..=idle_w).contains(&self.swing_w) {
            return Some(format!("drift.swing_w must be between 0 and the rail's {idle_w} W"));
        }
        let is_sound = self.period_s.is_finite() && self.period_s > 0.0;
        (!is_sound).then(|| "drift.period_s must be above 0".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_power_swings_once_a_period() {
        let drift = IdleDrift { swing_w: 0.02, period_s: 3600.0 };
        for (life_s, expected_w) in [(0.0, 0.0), (900.0, 0.02), (1800.0, 0.0), (2700.0, -0.02)] {
            assert!((drift.power_w(life_s) - expected_w).abs() < 1e-12, "{life_s}");
        }
    }

    #[test]
    fn no_rail_draws_less_than_nothing() {
        let fault = |swing_w, period_s| IdleDrift { swing_w, period_s }.fault(0.18);
        assert_eq!(fault(0.18, 60.0), None);
        assert!(fault(0.19, 60.0).unwrap().contains("drift.swing_w"));
        assert!(fault(f64::NAN, 60.0).unwrap().contains("drift.swing_w"));
        assert!(fault(0.1, 0.0).unwrap().contains("drift.period_s"));
    }
}
