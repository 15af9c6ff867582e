//! Table -> model: check, lump, weigh, solve, and put costs, errors and estimability
//! together.

use super::bootstrap::bootstrap;
use super::case_predictor::CasePredictor;
use super::design::Design;
use super::devices::{device_factors, with_energies_at_reference};
use super::error::ModelError;
use super::estimability::{Estimability, Occurrences, design_estimability};
use super::fitted_model::{
    Cost, CovarianceScope, MODEL_FORMAT, MicrobenchmarkCosts, Model, Provenance, RowSpace,
};
use super::library::lump_columns;
use super::linear::Spectrum;
use super::options::{FitOptions, Solver};
use super::quantiles::{NORMAL_975, student_975};
use super::residual_spread::ResidualSpread;
use super::solver::{Solution, SolvedScope, solve};
use super::table_check::check_table;
use crate::table::{Case, Table};

/// Fits costs to a table.
///
/// The provenance holds version and seed; hash and board are the caller's to add. Same
/// table and options, same model, to the last bit.
///
/// Cases of several boards are fitted as the reference board's (`devices`).
pub fn fit(table: &Table, options: &FitOptions) -> Result<Model, ModelError> {
    options.check()?;
    check_table(table)?;
    let devices = device_factors(table, options.reference.as_deref(), &options.assumed)?;
    if devices.is_empty() {
        return fit_one_board(table, options);
    }
    let model = fit_one_board(&with_energies_at_reference(table, &devices), options)?;
    Ok(Model { devices, ..model }.with_factors_errors())
}

/// Fits costs to cases of one board.
fn fit_one_board(table: &Table, options: &FitOptions) -> Result<Model, ModelError> {
    let (table, design) = prepare_design(table, options)?;
    let spectrum = Spectrum::of(design.x.as_ref(), options.rank_tolerance)?;
    let known =
        design_estimability(&Occurrences::of(&table), &design, &spectrum, options.rank_tolerance);
    let mut solution = solve(&design, options)?;
    if let Some(settings) = options.bootstrap {
        let repeated = bootstrap(&design, &solution, options, settings)?;
        solution.covariance = Some(repeated.covariance());
        solution.intervals = Some(repeated.percentiles(0.025));
        let replicates = settings.replicates as f64;
        solution.diagnostics.insert("bootstrap_replicates".to_owned(), replicates);
    }
    let predicted = predicted_energies(&table, &case_predictor(&design, &solution));
    let residuals: Vec<f64> =
        table.cases.iter().zip(&predicted).map(|(case, found)| case.energy_j - found).collect();
    let squares = residuals.iter().map(|residual| residual * residual).sum();
    let fitted =
        SolvedFit { design: &design, spectrum: &spectrum, known: &known, solution: &solution };
    let spare = design.rows() as f64 - solution.parameters;
    Ok(Model {
        residual: ResidualSpread::of(&residuals, &predicted, options.weighting, spare),
        held_out: held_out_spread(&table, &design, &solution, options),
        ..assemble_model(&fitted, Some(squares), options)?
    })
}

/// Returns the spread of the cases that `stack` held out about their predictions.
fn held_out_spread(
    table: &Table,
    design: &Design,
    solution: &Solution,
    options: &FitOptions,
) -> Option<ResidualSpread> {
    let held_out = solution.stacked.as_ref()?.held_out.as_ref()?;
    let unweighted = held_out.residuals.iter().zip(&design.roots);
    let residuals: Vec<f64> = unweighted.map(|(residual, root)| residual / root).collect();
    let predicted: Vec<f64> =
        table.cases.iter().zip(&residuals).map(|(case, off)| case.energy_j + off).collect();
    // Each residual is of a fit to other cases: none of them takes a degree of freedom.
    let all = ResidualSpread::of(&residuals, &predicted, options.weighting, residuals.len() as f64);
    all.map(|spread| ResidualSpread { degrees_of_freedom: held_out.units as f64, ..spread })
}

/// Sets intervals that don't follow from the covariance, where the cost is determined at all.
fn set_intervals(model: &mut Model, design: &Design, intervals: &[(f64, f64)]) {
    for ((cost, scale), (low, high)) in model.costs.iter_mut().zip(&design.scale).zip(intervals) {
        if cost.se_j.is_some() {
            (cost.lo_j, cost.hi_j) = (Some(low / scale), Some(high / scale));
        }
    }
}

/// A solved problem with its decomposition and estimability.
pub(crate) struct SolvedFit<'a> {
    /// The problem.
    pub design: &'a Design,
    /// Decomposition of the problem.
    pub spectrum: &'a Spectrum,
    /// Estimability of the costs by the cases.
    pub known: &'a Estimability,
    /// The solution: scaled costs with their errors.
    pub solution: &'a Solution,
}

/// Assembles a model; `squares` is the sum of squared residuals, unweighted, in J^2, where it is
/// known.
pub(crate) fn assemble_model(
    fitted: &SolvedFit<'_>,
    squares: Option<f64>,
    options: &FitOptions,
) -> Result<Model, ModelError> {
    let SolvedFit { design, spectrum, known, solution } = *fitted;
    let mut model = model_without_row_space(design, known, solution, squares, options);
    if let Some(intervals) = &solution.intervals {
        set_intervals(&mut model, design, intervals);
    }
    let finite = |value: &f64| value.is_finite();
    if !model.costs.iter().all(|cost| finite(&cost.cost_j) && cost.se_j.iter().all(finite)) {
        return Err(ModelError::Decomposition { what: "the counts" });
    }
    let full_rank = spectrum.rank() == design.columns();
    Ok(Model { row_space: (!full_rank).then(|| row_space(design, spectrum)), ..model })
}

/// Fits a predictor of whole cases without errors, as cross-validation needs it.
pub(crate) fn fit_case_predictor(
    table: &Table,
    options: &FitOptions,
) -> Result<CasePredictor, ModelError> {
    let (_, design) = prepare_design(table, options)?;
    let options = &FitOptions { chains: options.chains.as_draft(), ..options.clone() };
    Ok(case_predictor(&design, &solve(&design, options)?))
}

fn case_predictor(design: &Design, solution: &Solution) -> CasePredictor {
    let stacked = solution.stacked.as_ref();
    CasePredictor {
        features: design.features.clone(),
        costs: design.costs(stacked.and_then(|s| s.case_b.as_ref()).unwrap_or(&solution.b)),
        reach: stacked.map(|stacked| stacked.reach.clone()),
        constant: stacked.and_then(|stacked| stacked.constant),
    }
}

fn prepare_design(table: &Table, options: &FitOptions) -> Result<(Table, Design), ModelError> {
    options.check()?;
    check_table(table)?;
    let table = lump_columns(table, options.library);
    let design = Design::new(&table, options.weighting, options.assumed)?;
    Ok((table, design))
}

fn model_without_row_space(
    design: &Design,
    known: &Estimability,
    solution: &Solution,
    squares: Option<f64>,
    options: &FitOptions,
) -> Model {
    let (covariance, stacked) = (solution.covariance.as_ref(), solution.stacked.as_ref());
    let mut diagnostics = solution.diagnostics.clone();
    diagnostics.insert("cases".to_owned(), design.rows() as f64);
    diagnostics.insert("rare_operations".to_owned(), known.rare() as f64);
    Model {
        format: MODEL_FORMAT,
        solver: options.solver.name().to_owned(),
        costs: costs(design, known, solution, options.solver),
        covariance: covariance.map(|covariance| design.covariance(&covariance.of_b)),
        choice: stacked.map(|stacked| stacked.choice.clone()),
        case_costs_j: stacked.and_then(|stacked| Some(design.costs(stacked.case_b.as_ref()?))),
        of_microbenchmarks: solution.of_microbenchmarks.as_ref().map(|word| MicrobenchmarkCosts {
            costs_j: design.costs(&word.b),
            covariance: design.covariance(&word.of_b),
            places: options.priors.places,
        }),
        reach: stacked.map(|stacked| stacked.reach.clone()),
        constant: stacked.and_then(|stacked| stacked.constant),
        contexts: Vec::new(),
        devices: Vec::new(),
        covariance_scope: match covariance.map(|covariance| covariance.scope) {
            Some(SolvedScope::All) => CovarianceScope::All,
            _ => CovarianceScope::Estimable,
        },
        row_space: None,
        draws: draws(design, &solution.draws),
        residual_sd_j: squares.and_then(|squares| residual_sd_j(design, solution, squares)),
        residual: None,
        held_out: None,
        rank: known.rank,
        rank_tolerance: known.tolerance,
        condition: known.condition,
        diagnostics,
        provenance: Provenance {
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            seed: options.inner_folds.seed,
            ..Provenance::default()
        },
    }
}

fn costs(design: &Design, known: &Estimability, solution: &Solution, solver: Solver) -> Vec<Cost> {
    let spare = design.rows() as f64 - solution.parameters;
    let (factor, least) = match solver.has_normal_errors() {
        true => (NORMAL_975, 0.0),
        false => (student_975(spare), f64::NEG_INFINITY),
    };
    let errors = standard_errors(design, known, solution);
    design
        .costs(&solution.b)
        .into_iter()
        .zip(&known.operations)
        .zip(errors)
        .map(|((cost_j, known), se_j)| Cost {
            operation: known.operation.clone(),
            cost_j,
            se_j,
            lo_j: se_j.map(|se| f64::max(cost_j - factor * se, least)),
            hi_j: se_j.map(|se| cost_j + factor * se),
            estimable: known.estimable,
            group: known.group,
        })
        .collect()
}

/// Converts draws to costs in joules, rounded to six digits.
fn draws(design: &Design, of_b: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let short = |cost: f64| format!("{cost:.5e}").parse().unwrap_or(cost);
    of_b.iter().map(|b| design.costs(b).into_iter().map(short).collect()).collect()
}

/// Returns standard errors in joules, for costs that the covariance is valid for.
fn standard_errors(design: &Design, known: &Estimability, solution: &Solution) -> Vec<Option<f64>> {
    let Some(covariance) = &solution.covariance else { return vec![None; design.columns()] };
    let holds = |j: usize| covariance.scope == SolvedScope::All || known.operations[j].estimable;
    let error = |j: usize| covariance.of_b[(j, j)].max(0.0).sqrt() / design.scale[j];
    (0..design.columns()).map(|j| holds(j).then(|| error(j))).collect()
}

fn predicted_energies(table: &Table, priced: &CasePredictor) -> Vec<f64> {
    let energy = |(i, case): (usize, &Case)| priced.energy_j(table.row(i), case);
    table.cases.iter().enumerate().map(energy).collect()
}

/// Returns the root of the squared residuals per degree of freedom left, unweighted, in joules.
fn residual_sd_j(design: &Design, solution: &Solution, squares: f64) -> Option<f64> {
    let spare = design.rows() as f64 - solution.parameters;
    (spare > 1e-6).then(|| (squares / spare).sqrt())
}

fn row_space(design: &Design, spectrum: &Spectrum) -> RowSpace {
    let basis = (0..spectrum.rank()).flat_map(|k| spectrum.v.col(k).iter().copied()).collect();
    RowSpace { scale: design.scale.clone(), basis }
}
