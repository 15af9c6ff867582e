//! First-order thermal model: the temperature approaches ambient + resistance * power with one time
//! constant; leakage grows with it.

use crate::board_file::ThermalModel;

/// Leakage of the big cores in watts at a temperature.
pub(super) fn leakage_w(heat: &ThermalModel, celsius: f64) -> f64 {
    // The exponent is bounded: a board file with a wild resistance must not give infinity.
    heat.leakage_w * ((celsius - heat.reference_c) / heat.scale_c).clamp(-20.0, 3.0).exp()
}

/// Temperature after some seconds at a power.
pub(super) fn temperature_after(
    heat: &ThermalModel,
    celsius: f64,
    power_w: f64,
    seconds: f64,
) -> f64 {
    let target = heat.ambient_c + heat.resistance_c_per_w * power_w;
    target + (celsius - target) * (-seconds / heat.time_constant_s).exp()
}

/// Equilibrium temperature for a power that depends on the temperature.
pub(super) fn equilibrium_temperature(heat: &ThermalModel, power_w: impl Fn(f64) -> f64) -> f64 {
    (0..200).fold(heat.ambient_c, |celsius, _| {
        temperature_after(heat, celsius, power_w(celsius), heat.time_constant_s)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heat() -> ThermalModel {
        ThermalModel {
            ambient_c: 20.0,
            resistance_c_per_w: 10.0,
            time_constant_s: 40.0,
            leakage_w: 0.1,
            reference_c: 40.0,
            scale_c: 30.0,
        }
    }

    #[test]
    fn one_time_constant_covers_63_percent() {
        // From 20 degrees towards 40 with 2 W: 20 + 20 (1 - 1/e) = 32.642.
        let celsius = temperature_after(&heat(), 20.0, 2.0, 40.0);
        assert!((celsius - 32.642_411).abs() < 1e-5);
        assert!((equilibrium_temperature(&heat(), |_| 2.0) - 40.0).abs() < 1e-9);
    }

    #[test]
    fn leakage_grows_by_e_per_scale() {
        let ratio = leakage_w(&heat(), 70.0) / leakage_w(&heat(), 40.0);
        assert!((ratio - std::f64::consts::E).abs() < 1e-12);
    }
}
