//! A fitted model as it stands in `model.json`: costs with units, intervals,
//! covariance, estimability and where they come from.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::devices::DeviceFactor;
use super::predictor_choice::{ConstantEnergy, PredictorChoice};
use super::residual_spread::ResidualSpread;
use super::validity_limits::ValidityLimits;

/// Newest format of `model.json` that this version reads, and the one it writes.
pub const MODEL_FORMAT: u32 = 1;

/// Cost of one operation with error, interval and estimability.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Catalogue name or library function.
    pub operation: String,
    /// Energy of one execution in joules.
    pub cost_j: f64,
    /// Standard error in joules; absent where neither data nor prior determine it.
    pub se_j: Option<f64>,
    /// Lower end of the 95 % interval in joules.
    pub lo_j: Option<f64>,
    /// Upper end of the 95 % interval in joules.
    pub hi_j: Option<f64>,
    /// Whether the cases alone determine this cost.
    pub estimable: bool,
    /// Number of the group of operations whose costs the cases cannot separate from it.
    pub group: Option<usize>,
}

/// A cost known before the application was measured, from microbenchmarks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CostPrior {
    /// Catalogue name or library function.
    pub operation: String,
    /// Energy of one execution in joules.
    pub cost_j: f64,
    /// Standard error in joules.
    pub se_j: f64,
}

/// Prior costs, with the covariance of their errors.
#[derive(Debug, Clone, PartialEq)]
pub struct CostPriors {
    /// The costs, k of them.
    pub costs: Vec<CostPrior>,
    /// Covariance of their errors in J^2, k x k, row by row; absent where errors are
    /// independent.
    pub covariance: Option<Vec<f64>>,
    /// Number of code locations that each was measured in: loops with other code around it.
    pub places: usize,
}

impl CostPriors {
    /// Returns the expected product of the errors of two costs in J^2.
    pub(crate) fn error_product(&self, i: usize, j: usize) -> f64 {
        match &self.covariance {
            Some(covariance) => covariance[i * self.costs.len() + j],
            None if i == j => self.costs[i].se_j.powi(2),
            None => 0.0,
        }
    }
}

impl Default for CostPriors {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl From<Vec<CostPrior>> for CostPriors {
    fn from(costs: Vec<CostPrior>) -> Self {
        Self { costs, covariance: None, places: 1 }
    }
}

/// Cost of an operation in one context, relative to its mean in the application.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContextPrice {
    /// Catalogue name.
    pub operation: String,
    /// Context by its name in the dictionary (`read object`).
    pub context: String,
    /// Cost in this context over the operation's cost.
    pub relative: f64,
    /// Standard error of `relative`; absent where it isn't known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relative_se: Option<f64>,
}

/// Origin of a model: version, data set, seed and board.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Provenance {
    /// Version of wattline.
    pub tool_version: String,
    /// SHA-256 of the data set's bytes.
    pub data_sha256: String,
    /// Seed of folds and bootstrap.
    pub seed: u64,
    /// The board, where the data set has it.
    pub board: Option<String>,
    /// Whether the board was a virtual one; absent where the data set does not contain that.
    pub virtual_board: Option<bool>,
}

/// Energies that a covariance is valid for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CovarianceScope {
    /// All: a prior supplies what the cases do not determine.
    All,
    /// Only those that the cases determine.
    Estimable,
}

/// The space spanned by the cases' rows of counts: an energy is determined by the cases
/// if its counts, divided by `scale`, lie in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RowSpace {
    /// Divisors of the counts of each column, length l.
    pub scale: Vec<f64>,
    /// Orthonormal basis, one vector after the other, rank x l.
    pub basis: Vec<f64>,
}

/// Costs by microbenchmarks alone. Totals of cases that contradict microbenchmarks give costs that
/// are right for such totals, and may be wrong for single operations: they contain the effects of
/// the compiler at code locations, too.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MicrobenchmarkCosts {
    /// The costs in joules, length l, in the order of [`Model::costs`].
    pub costs_j: Vec<f64>,
    /// Covariance of their errors in J^2, row-major l x l.
    pub covariance: Vec<f64>,
    /// Number of code locations that each microbenchmark was measured in.
    #[serde(default = "one_place")]
    pub places: usize,
}

pub(crate) fn one_place() -> usize {
    1
}

/// A fitted model `e = N cost`: costs, uncertainty and provenance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// Version of this format; readers refuse a newer one.
    pub format: u32,
    /// The solver's name (`shrink`, `nnls`, `ls`, `gd`, `ridge`, ...).
    pub solver: String,
    /// Costs, length l, in the table's column order.
    pub costs: Vec<Cost>,
    /// The predictor that was chosen by validation inside the cases, and why; of `stack` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<PredictorChoice>,
    /// Costs in joules by which whole cases are predicted, length l, where totals of cases give
    /// others than `costs`; of `stack` with microbenchmarks only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case_costs_j: Option<Vec<f64>>,
    /// Costs by microbenchmarks alone, where the cases contradict them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_microbenchmarks: Option<MicrobenchmarkCosts>,
    /// Limits within which the costs hold; of `stack` only: costs of others have no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<ValidityLimits>,
    /// Energy that does not depend on operations; absent if none is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constant: Option<ConstantEnergy>,
    /// Relative costs of contexts, from microbenchmarks; those that are not here cost the mean of
    /// their operation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contexts: Vec<ContextPrice>,
    /// Covariance of the costs in J^2, row-major l x l; absent where there is none.
    pub covariance: Option<Vec<f64>>,
    /// Energies that the covariance is valid for.
    pub covariance_scope: CovarianceScope,
    /// The counts whose energies the cases determine; absent if that is all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row_space: Option<RowSpace>,
    /// The boards that the cases were measured on, where there are several: the first is the
    /// one whose costs these are, the others spend `factor` times as much.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<DeviceFactor>,
    /// Some draws of all costs from their posterior in joules, draw by draw: sums over a
    /// draw are draws of sums. Of `bayes` only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub draws: Vec<Vec<f64>>,
    /// Standard deviation of the residuals in joules.
    pub residual_sd_j: Option<f64>,
    /// Spread of measurements about the fit, absolute or relative as its weights suppose; absent
    /// where the cases leave no degrees of freedom, and of rows that were streamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub residual: Option<ResidualSpread>,
    /// Spread of cases that were held out about their predictions, which contains the errors of
    /// the costs; of `stack` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_out: Option<ResidualSpread>,
    /// Rank of the count matrix, at `rank_tolerance`.
    pub rank: usize,
    /// Relative tolerance on singular values that the rank was found with.
    pub rank_tolerance: f64,
    /// Condition number of the scaled count matrix over its rank.
    pub condition: Option<f64>,
    /// Solver settings and results worth keeping (penalty, iterations, ...).
    pub diagnostics: BTreeMap<String, f64>,
    /// Origin of the model.
    pub provenance: Provenance,
}

impl Model {
    /// Creates a model from a list of prices without any fit: no case determines a cost, and none
    /// has an error or interval.
    pub fn of_prices<'n>(solver: &str, prices: impl IntoIterator<Item = (&'n str, f64)>) -> Self {
        let cost = |(operation, cost_j): (&str, f64)| Cost {
            operation: operation.to_owned(),
            cost_j,
            se_j: None,
            lo_j: None,
            hi_j: None,
            estimable: false,
            group: None,
        };
        Self {
            format: MODEL_FORMAT,
            solver: solver.to_owned(),
            costs: prices.into_iter().map(cost).collect(),
            covariance: None,
            choice: None,
            case_costs_j: None,
            of_microbenchmarks: None,
            reach: None,
            constant: None,
            contexts: Vec::new(),
            devices: Vec::new(),
            covariance_scope: CovarianceScope::All,
            row_space: None,
            draws: Vec::new(),
            residual_sd_j: None,
            residual: None,
            held_out: None,
            rank: 0,
            rank_tolerance: 1e-9,
            condition: None,
            diagnostics: BTreeMap::new(),
            provenance: Provenance::default(),
        }
    }
}
