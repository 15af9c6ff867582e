//! 95 % intervals from standard errors.

/// 97.5 % quantile of the normal distribution.
pub const NORMAL_975: f64 = 1.959_963_984_540_054;

/// 97.5 % quantile of Student's t distribution with `spare` degrees of freedom: exact
/// for 1 and 2, then the expansion in 1/spare (Abramowitz & Stegun 26.7.5), good to
/// 1 % at 3 and 0.1 % from 5 on.
pub fn student_975(spare: f64) -> f64 {
    if spare <= 1.0 {
        return 12.706_204_736;
    }
    if spare <= 2.0 {
        return 4.302_652_730;
    }
    let z = NORMAL_975;
    let terms = [
        (z.powi(3) + z) / 4.0,
        (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0,
        (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0,
        (79.0 * z.powi(9) + 776.0 * z.powi(7) + 1482.0 * z.powi(5)
            - 1920.0 * z.powi(3)
            - 945.0 * z)
            / 92_160.0,
    ];
    terms.iter().rev().fold(0.0, |sum, term| (sum + term) / spare) + z
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_the_tables() {
        for (spare, expected, tolerance) in [
            (1.0, 12.706, 1e-3),
            (3.0, 3.1824, 2e-2),
            (5.0, 2.5706, 2e-3),
            (10.0, 2.2281, 1e-4),
            (1e9, 1.95996, 1e-5),
        ] {
            let found = student_975(spare);
            assert!((found - expected).abs() < tolerance, "{spare}: {found} {expected}");
        }
    }
}
