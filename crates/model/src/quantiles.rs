//! Quantiles of 95 % intervals.

use distrs::{Normal, StudentsT};

pub use wattline_units::interval::NORMAL_975;

/// 97.5 % quantile of Student's t distribution with `spare` degrees of freedom.
pub fn student_975(spare: f64) -> f64 {
    student_quantile(0.975, spare)
}

/// Quantile of Student's t distribution at `p` between 0 and 1 (G. W. Hill's algorithm): to
/// 1e-5 of it from 3 degrees of freedom on and at whole ones, 3e-5 from 2.5 on and up to 3 %
/// too large between 1 and 2. Fewer than 1 count as 1.
pub fn student_quantile(p: f64, spare: f64) -> f64 {
    StudentsT::ppf(p, spare.max(1.0))
}

/// Quantile of the standard normal distribution at `p` between 0 and 1, to the last digits
/// of a number (M. J. Wichura's AS 241).
pub fn normal_quantile(p: f64) -> f64 {
    Normal::ppf(p, 0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: [f64; 6] = [0.5, 0.9, 0.95, 0.975, 0.995, 0.9995];

    /// By integration with 40 digits (mpmath): degrees of freedom, quantiles.
    const REFERENCE: [(f64, [f64; 6]); 8] = [
        (1.0, [0.0, 3.077_683_537, 6.313_751_515, 12.706_204_74, 63.656_741_16, 636.619_248_8]),
        (2.0, [0.0, 1.885_618_083, 2.919_985_58, 4.302_652_73, 9.924_843_201, 31.599_054_58]),
        (3.0, [0.0, 1.637_744_354, 2.353_363_435, 3.182_446_305, 5.840_909_31, 12.923_978_64]),
        (5.0, [0.0, 1.475_884_049, 2.015_048_373, 2.570_581_836, 4.032_142_984, 6.868_826_626]),
        (10.0, [0.0, 1.372_183_641, 1.812_461_123, 2.228_138_852, 3.169_272_673, 4.586_893_859]),
        (30.0, [0.0, 1.310_415_025, 1.697_260_887, 2.042_272_456, 2.749_995_654, 3.645_958_635]),
        (100.0, [0.0, 1.290_074_761, 1.660_234_326, 1.983_971_519, 2.625_890_521, 3.390_491_311]),
        (1e9, [0.0, 1.281_551_566, 1.644_853_628, 1.959_963_987, 2.575_829_308, 3.290_526_741]),
    ];

    #[test]
    fn students_quantiles_are_those_of_the_reference() {
        for (spare, row) in REFERENCE {
            for (p, expected) in AT.into_iter().zip(row) {
                let found = student_quantile(p, spare);
                let off = (found - expected).abs() / expected.max(1.0);
                assert!(off < 1e-5, "{spare} {p}: {found} {expected}");
            }
        }
        assert_eq!(student_975(0.5), student_975(1.0));
        assert_eq!(student_975(f64::INFINITY), normal_quantile(0.975));
    }

    /// Welch's degrees of freedom are no whole numbers.
    #[test]
    fn students_quantiles_between_whole_degrees_of_freedom() {
        let reference =
            [(1.3, 7.500_529_325, 0.03), (2.5, 3.574_654_842, 2e-5), (4.7, 2.620_726_075, 1e-6)];
        for (spare, expected, allowed) in reference {
            let found = student_975(spare);
            assert!((found / expected - 1.0).abs() < allowed, "{spare}: {found} {expected}");
        }
    }

    #[test]
    fn normal_quantiles_are_those_of_the_reference() {
        let reference = [
            0.0,
            1.281_551_565_544_6,
            1.644_853_626_951_473,
            NORMAL_975,
            2.575_829_303_548_901,
            3.290_526_731_491_895,
        ];
        for (p, z) in AT.into_iter().zip(reference) {
            assert!((normal_quantile(p) - z).abs() < 1e-13, "{p}");
            assert!((normal_quantile(1.0 - p) + z).abs() < 1e-13, "{p}");
        }
    }
}
