//! Costs with the errors that the prior states, so that only the noise of the cases and how far
//! microbenchmarks are off beyond their own errors are unknown. Both are found where the cases'
//! energies are most probable with the costs integrated out (type II maximum likelihood, MacKay
//! 1992): a large noise and microbenchmarks that are far off explain residuals differently, since
//! the latter's go along the cases' counts.

use super::super::super::design::Design;
use super::super::super::error::ModelError;
use super::super::super::gram::Gram;
use super::super::super::options::FitOptions;
use super::super::nnls::NnlsStart;
use super::beliefs::Beliefs;
use super::prior::GaussianPrior;
use super::{covariance, log_determinant_ratio, most_probable, pull_squared, trace_of_product};

/// Multiples of the assumed misfit of microbenchmarks that are tried: 10 % assumed, up to 640 %.
const MISFITS: [f64; 6] = [2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

/// Fall of minus twice the logarithm of a probability from which one parameter more is accepted:
/// the 95 % point of chi-squared with one degree of freedom.
const EVIDENT: f64 = 3.84;

/// Largest number of iterations for noise and costs.
const ROUNDS: usize = 20;

/// Relative change of the noise's variance at which the iterations end.
const SETTLED: f64 = 0.01;

/// The hypothesis that explains the cases' energies best.
pub(super) struct MisfitChoice {
    pub hypothesis: MicrobenchmarkHypothesis,
    /// Relative misfit of microbenchmarks beside the errors that they state.
    pub misfit: f64,
    /// The hypothesis of the assumed misfit, where the cases contradict it.
    pub contradicted: Option<MicrobenchmarkHypothesis>,
}

/// Beliefs for one misfit of microbenchmarks, and the noise that is most probable then.
pub(super) struct MicrobenchmarkHypothesis {
    pub beliefs: Beliefs,
    /// Variance of the noise in the design's energies.
    pub noise: f64,
}

/// Chooses the assumed misfit, unless the cases contradict it at the 5 % level (a likelihood-ratio
/// test); then the most probable one.
pub(super) fn choose_misfit(
    design: &Design,
    options: &FitOptions,
    gram: &Gram,
) -> Result<MisfitChoice, ModelError> {
    let supposed = design.assumed.microbenchmark_misfit;
    let with = |misfit: f64| {
        let beliefs = Beliefs::new(design, &options.priors, misfit)?;
        let NoiseEstimate { noise, surprise } =
            most_probable_noise(design, gram, &beliefs.prior(gram))?;
        Ok::<_, ModelError>((MicrobenchmarkHypothesis { beliefs, noise }, surprise))
    };
    let (as_supposed, surprise) = with(supposed)?;
    let mut best: Option<(MicrobenchmarkHypothesis, f64)> = None;
    let mut least = surprise - EVIDENT;
    let farther = if as_supposed.beliefs.microbenchmarks() > 0 { &MISFITS[..] } else { &[] };
    for times in farther {
        let (hypothesis, surprise) = with(times * supposed)?;
        if surprise < least {
            (best, least) = (Some((hypothesis, times * supposed)), surprise);
        }
    }
    Ok(match best {
        Some((hypothesis, misfit)) => {
            MisfitChoice { hypothesis, misfit, contradicted: Some(as_supposed) }
        }
        None => MisfitChoice { hypothesis: as_supposed, misfit: supposed, contradicted: None },
    })
}

/// The noise under which energies are most probable.
struct NoiseEstimate {
    /// Variance of the noise.
    noise: f64,
    /// Minus twice the logarithm of the energies' probability, but for a constant.
    surprise: f64,
}

/// Finds the most probable noise; the noise that the weights suppose counts as much as
/// `noise_freedom` cases.
fn most_probable_noise(
    design: &Design,
    gram: &Gram,
    prior: &GaussianPrior,
) -> Result<NoiseEstimate, ModelError> {
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
            let surprise = surprise_of_energies(gram, &near, noise, &b)? + of_noise;
            return Ok(NoiseEstimate { noise, surprise });
        }
        (noise, start) = (next, b);
    }
    unreachable!("the last round returns")
}

/// `m ln(noise) + |Xb - y|^2 / noise + (b - mean)' P (b - mean) + ln det(X'X / noise + P) -
/// ln det P`: the bound at zero is left out of account. (Times the noise, both determinants
/// grow alike.)
fn surprise_of_energies(
    gram: &Gram,
    near: &GaussianPrior,
    noise: f64,
    b: &[f64],
) -> Result<f64, ModelError> {
    let misfit = gram.squared_error(b) / noise + pull_squared(near, b);
    Ok(gram.rows as f64 * noise.ln() + misfit + log_determinant_ratio(gram, near, noise)?)
}
