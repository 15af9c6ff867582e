//! Coordinates of scales for NUTS: `x` with `tau = ln(1 + e^x)`. Logarithms for small
//! scales, the scales themselves for large ones, where the exponential prior would be a
//! wall to logarithms. The noise, whose prior is flat in its logarithm, has that.

/// Largest logarithm of a scale in typical energies, in either direction; anything beyond is
/// implausible.
const LOG_SCALE_MAX: f64 = 100.0;

/// Error of a density at a position where it cannot be evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a scale beyond all reason")]
pub(crate) struct OutOfRange;

/// Sets the logarithms of the scales, and of the noise at last, from coordinates.
pub(super) fn set_logs(coordinates: &[f64], logs: &mut [f64]) {
    logs.copy_from_slice(coordinates);
    let noise = logs.len() - 1;
    for log in &mut logs[..noise] {
        // ln(1 + e^x) is x above 40 and e^x below -40, to working precision.
        if *log > 40.0 {
            *log = log.ln();
        } else if *log > -40.0 {
            *log = log.exp().ln_1p().ln();
        }
    }
}

/// Refuses logarithms beyond [`LOG_SCALE_MAX`], which rounding errors would spoil.
pub(super) fn check_range(logs: &[f64]) -> Result<(), OutOfRange> {
    let fit = logs.iter().all(|scale| scale.abs() < LOG_SCALE_MAX);
    fit.then_some(()).ok_or(OutOfRange)
}

/// Returns the log density of the exponential prior of the scales by their logarithms; adds its
/// slopes.
pub(super) fn add_prior(logs: &[f64], slopes: &mut [f64]) -> f64 {
    let scales = &logs[..logs.len() - 1];
    let add = |(log, to): (&f64, &mut f64)| {
        let scale = log.exp();
        *to += 1.0 - scale;
        log - scale
    };
    scales.iter().zip(slopes).map(add).sum()
}

/// Turns slopes by logarithms into those by coordinates, and returns the logarithm of the
/// volume that goes with it.
pub(super) fn slopes_to_coordinates(coordinates: &[f64], logs: &[f64], slopes: &mut [f64]) -> f64 {
    let scales = logs.len() - 1;
    let mut volume = 1.0;
    for ((to, x), log) in slopes.iter_mut().zip(coordinates).zip(logs).take(scales) {
        let rising = 1.0 / (1.0 + (-x).exp());
        let by_log = rising / log.exp();
        volume *= by_log;
        *to = *to * by_log + 1.0 - rising - by_log;
    }
    volume.ln()
}
