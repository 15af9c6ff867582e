//! First-order heat: the temperature goes to ambient + resistance * power with one
//! time constant; leakage grows with it.

use crate::board_file::Heat;

/// Leakage of the big cores at a temperature.
pub(super) fn leakage_w(heat: &Heat, celsius: f64) -> f64 {
    // The exponent is bounded: a board file with a wild resistance must not give infinity.
    heat.leakage_w * ((celsius - heat.reference_c) / heat.scale_c).clamp(-20.0, 3.0).exp()
}

/// The temperature after some time at a power.
pub(super) fn after(heat: &Heat, celsius: f64, power_w: f64, seconds: f64) -> f64 {
    let target = heat.ambient_c + heat.resistance_c_per_w * power_w;
    target + (celsius - target) * (-seconds / heat.time_constant_s).exp()
}

/// The temperature at which a power that depends on it holds its own.
pub(super) fn settled(heat: &Heat, power_w: impl Fn(f64) -> f64) -> f64 {
    (0..200).fold(heat.ambient_c, |celsius, _| {
        after(heat, celsius, power_w(celsius), heat.time_constant_s)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heat() -> Heat {
        Heat {
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
        let celsius = after(&heat(), 20.0, 2.0, 40.0);
        assert!((celsius - 32.642_411).abs() < 1e-5);
        assert!((settled(&heat(), |_| 2.0) - 40.0).abs() < 1e-9);
    }

    #[test]
    fn leakage_grows_by_e_per_scale() {
        let ratio = leakage_w(&heat(), 70.0) / leakage_w(&heat(), 40.0);
        assert!((ratio - std::f64::consts::E).abs() < 1e-12);
    }
}
