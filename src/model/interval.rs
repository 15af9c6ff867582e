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
    student_expansion(NORMAL_975, spare)
}

/// Student's quantile where the normal distribution's is `z`, by the expansion.
fn student_expansion(z: f64, spare: f64) -> f64 {
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

/// Quantile of Student's t distribution where the normal distribution's is `z`: by the
/// expansion, which is good to 1 % from 3 degrees of freedom on, and below that too small.
pub(crate) fn student_quantile(z: f64, spare: f64) -> f64 {
    student_expansion(z, spare.max(1.0))
}

/// Quantile of the standard normal distribution at `p` between 0 and 1, to a relative
/// error of 1.2e-9 (P. J. Acklam's rational approximation).
pub(crate) fn normal_quantile(p: f64) -> f64 {
    const A: [f64; 6] = [
        -3.969683028665376e1,
        2.209460984245205e2,
        -2.759285104469687e2,
        1.38357751867269e2,
        -3.066479806614716e1,
        2.506628277459239,
    ];
    const B: [f64; 6] = [
        -5.447609879822406e1,
        1.615858368580409e2,
        -1.556989798598866e2,
        6.680131188771972e1,
        -1.328068155288572e1,
        1.0,
    ];
    const C: [f64; 6] = [
        -7.784894002430293e-3,
        -3.223964580411365e-1,
        -2.400758277161838,
        -2.549732539343734,
        4.374664141464968,
        2.938163982698783,
    ];
    const D: [f64; 5] =
        [7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416, 1.0];
    let polynomial = |of: &[f64], x: f64| of.iter().fold(0.0, |sum, term| sum * x + term);
    let tail = p.min(1.0 - p);
    if tail < 0.02425 {
        let q = (-2.0 * tail.ln()).sqrt();
        let z = polynomial(&C, q) / polynomial(&D, q);
        return if p < 0.5 { z } else { -z };
    }
    let (q, r) = (p - 0.5, (p - 0.5) * (p - 0.5));
    q * polynomial(&A, r) / polynomial(&B, r)
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

    #[test]
    fn normal_quantiles_of_the_tables() {
        for (p, z) in [
            (0.975, NORMAL_975),
            (0.5, 0.0),
            (0.001, -3.090_232_306_167_813_5),
            (0.2, -0.841_621_233_572_914_2),
        ] {
            assert!((normal_quantile(p) - z).abs() < 4e-9, "{p}");
        }
    }
}
