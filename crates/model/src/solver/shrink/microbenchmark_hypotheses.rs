//! Microbenchmarks taken at their word: costs are off by what the prior states, so that only the
//! noise of the cases and how far microbenchmarks are off beyond their own errors are unknown. Both
//! are found where the cases' energies are most probable with the costs integrated out (type II
//! maximum likelihood, MacKay 1992): a large noise and microbenchmarks that are far off explain
//! residuals differently, since the latter's go along the cases' counts.

use super::super::super::design::Design;
use super::super::super::error::ModelError;
use super::super::super::gram::Gram;
use super::super::super::options::FitOptions;
use super::super::nnls::NnlsStart;
use super::beliefs::Beliefs;
use super::prior::GaussianPrior;
use super::{covariance, freedom, most_probable, pull_squared, trace_of_product};

/// How much farther than supposed microbenchmarks may be off: 10 % supposed, up to 640 %.
const MISFITS: [f64; 6] = [2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

/// By how much minus twice the logarithm of a probability must fall for one number more to be
/// believed: the 95 % point of chi-squared with one degree of freedom.
const EVIDENT: f64 = 3.84;

/// Rounds in which noise and costs settle.
const ROUNDS: usize = 20;

/// Relative change of the noise's variance at which they have.
const SETTLED: f64 = 0.01;

/// What explains the cases' energies best.
pub(super) struct Stated {
    pub word: MicrobenchmarkHypothesis,
    /// How far microbenchmarks are off, relative, beside the errors that they state.
    pub misfit: f64,
    /// Microbenchmarks as far off as supposed, where the cases contradict that.
    pub contradicted: Option<MicrobenchmarkHypothesis>,
}

/// Microbenchmarks with some misfit, and the noise that is most probable then.
pub(super) struct MicrobenchmarkHypothesis {
    pub beliefs: Beliefs,
    /// Variance of the noise in the design's energies.
    pub noise: f64,
}

/// Microbenchmarks are off as far as supposed, unless the cases contradict that at the 5 % level (a
/// likelihood-ratio test); then as far as they make most probable.
pub(super) fn stated(
    design: &Design,
    options: &FitOptions,
    gram: &Gram,
) -> Result<Stated, ModelError> {
    let supposed = design.assumed.microbenchmark_misfit;
    let with = |misfit: f64| {
        let beliefs = Beliefs::new(design, &options.priors, misfit)?;
        let Noise { noise, surprise } = most_probable_noise(design, gram, &beliefs.prior(gram))?;
        Ok::<_, ModelError>((MicrobenchmarkHypothesis { beliefs, noise }, surprise))
    };
    let (as_supposed, surprise) = with(supposed)?;
    let mut best: Option<(MicrobenchmarkHypothesis, f64)> = None;
    let mut least = surprise - EVIDENT;
    let farther = if as_supposed.beliefs.microbenchmarks() > 0 { &MISFITS[..] } else { &[] };
    for times in farther {
        let (word, surprise) = with(times * supposed)?;
        if surprise < least {
            (best, least) = (Some((word, times * supposed)), surprise);
        }
    }
    Ok(match best {
        Some((word, misfit)) => Stated { word, misfit, contradicted: Some(as_supposed) },
        None => Stated { word: as_supposed, misfit: supposed, contradicted: None },
    })
}

/// The noise under which energies are most probable.
struct Noise {
    /// Its variance.
    noise: f64,
    /// Minus twice the logarithm of the energies' probability, but for a constant.
    surprise: f64,
}

/// What the weights suppose of the noise counts as much as `noise_freedom` cases.
fn most_probable_noise(
    design: &Design,
    gram: &Gram,
    prior: &GaussianPrior,
) -> Result<Noise, ModelError> {
    let rows = gram.rows as f64;
    let supposed = design.noise.unwrap_or(design.assumed.case_noise_unknown.powi(2));
    let freedom = design.assumed.noise_freedom;
    let (mut noise, mut start) = (supposed, prior.mean.clone());
    for round in 1.. {
        let (b, near) = most_probable(gram, prior, noise, NnlsStart::Near(&start))?;
        let of_b = covariance(gram, &near, noise, 1.0)?;
        let told = f64::min(trace_of_product(&of_b, &gram.xx) / noise, rows);
        let squares = gram.squared_error(&b) + freedom * supposed;
        let next = squares / (rows - told + freedom);
        if (next / noise - 1.0).abs() < SETTLED || round == ROUNDS {
            let of_noise = freedom * (noise.ln() + supposed / noise);
            let surprise = of_energies(gram, &near, noise, &b)? + of_noise;
            return Ok(Noise { noise, surprise });
        }
        (noise, start) = (next, b);
    }
    unreachable!("the last round returns")
}

/// `m ln(noise) + |Xb - y|^2 / noise + (b - mean)' P (b - mean) + ln det(X'X / noise + P) -
/// ln det P`: the bound at zero is left out of account. (Times the noise, both determinants
/// grow alike.)
fn of_energies(
    gram: &Gram,
    near: &GaussianPrior,
    noise: f64,
    b: &[f64],
) -> Result<f64, ModelError> {
    let misfit = gram.squared_error(b) / noise + pull_squared(near, b);
    Ok(gram.rows as f64 * noise.ln() + misfit + freedom(gram, near, noise)?)
}
