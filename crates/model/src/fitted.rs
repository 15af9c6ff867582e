//! A fitted model as it stands in `model.json`: costs with units, intervals,
//! covariance, estimability and where they come from.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::choice::{ConstantEnergy, PredictorChoice};
use super::devices::DeviceFactor;
use super::reach::Reach;

/// Newest format of `model.json` that this version reads, and the one it writes.
pub const FORMAT: u32 = 1;

/// What one operation costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Catalogue name or library function.
    pub operation: String,
    /// Energy of one execution in joules.
    pub cost_j: f64,
    /// Standard error in joules; absent where the data and the prior tell nothing.
    pub se_j: Option<f64>,
    /// Lower end of the 95 % interval in joules.
    pub lo_j: Option<f64>,
    /// Upper end of the 95 % interval in joules.
    pub hi_j: Option<f64>,
    /// Whether the cases alone determine this cost.
    pub estimable: bool,
    /// Number of the group of operations that the cases can't tell apart from it.
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

/// Costs known beforehand, and how their errors hang together.
#[derive(Debug, Clone, PartialEq)]
pub struct CostPriors {
    /// The costs, k of them.
    pub costs: Vec<CostPrior>,
    /// Covariance of their errors in J^2, k x k, row by row; absent where errors are
    /// independent.
    pub covariance: Option<Vec<f64>>,
    /// In how many places each was measured: loops with other code around it.
    pub places: usize,
}

impl CostPriors {
    /// Expected product of the errors of two costs in J^2.
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

/// What an operation costs in one context, relative to its mean in the application.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContextPrice {
    /// Catalogue name.
    pub operation: String,
    /// Context, as the dictionary says it (`read object`).
    pub context: String,
    /// Cost in this context by the operation's cost.
    pub relative: f64,
    /// Its standard error; absent where it isn't known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relative_se: Option<f64>,
}

/// Where a model comes from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Provenance {
    /// Version of wattline.
    pub tool_version: String,
    /// SHA-256 of the data set's bytes.
    pub data_sha256: String,
    /// Seed of folds and bootstrap.
    pub seed: u64,
    /// The board, where the data set says it.
    pub board: Option<String>,
    /// Whether the board was a virtual one; absent where the data set doesn't say.
    pub virtual_board: Option<bool>,
}

/// Which energies a covariance is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CovarianceScope {
    /// All: what the cases don't tell comes from a prior.
    All,
    /// Only those that the cases determine.
    Estimable,
}

/// The space spanned by the cases' rows of counts: an energy is determined by the cases
/// if its counts, divided by `scale`, lie in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RowSpace {
    /// What the counts of each column are divided by, length l.
    pub scale: Vec<f64>,
    /// Orthonormal basis, one vector after the other, rank x l.
    pub basis: Vec<f64>,
}

/// Costs that hold to microbenchmarks. Totals of cases that contradict microbenchmarks tell costs
/// that are right for such totals, and may tell little of single costs: what a compiler makes of
/// places is in them, too.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MicrobenchmarkCosts {
    /// The costs in joules, length l, in the order of [`Model::costs`].
    pub costs_j: Vec<f64>,
    /// Covariance of their errors in J^2, row-major l x l.
    pub covariance: Vec<f64>,
    /// In how many places each microbenchmark was measured.
    #[serde(default = "one")]
    pub places: usize,
}

pub(crate) fn one() -> usize {
    1
}

/// A fitted model: `e = N cost`, and how sure that is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// Version of this format; readers refuse a newer one.
    pub format: u32,
    /// The solver's name (`shrink`, `nnls`, `ls`, `gd`, `ridge`, ...).
    pub solver: String,
    /// Costs, length l, in the table's column order.
    pub costs: Vec<Cost>,
    /// Which predictor was chosen by validation inside the cases, and why; of `stack` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<PredictorChoice>,
    /// Costs in joules by which whole cases are predicted, length l, where totals of cases tell
    /// others than `costs`; of `stack` with microbenchmarks only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case_costs_j: Option<Vec<f64>>,
    /// What microbenchmarks by themselves say of the costs, where the cases contradict them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_microbenchmarks: Option<MicrobenchmarkCosts>,
    /// How far the costs reach; of `stack` only: costs of others have no bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<Reach>,
    /// What is spent beside operations; absent if nothing is known to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constant: Option<ConstantEnergy>,
    /// What contexts cost beside their operation's mean, from microbenchmarks; those that
    /// are not here cost the mean.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contexts: Vec<ContextPrice>,
    /// Covariance of the costs in J^2, row-major l x l; absent where there is none.
    pub covariance: Option<Vec<f64>>,
    /// Which energies the covariance is about.
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
    /// Rank of the count matrix, at `rank_tolerance`.
    pub rank: usize,
    /// Relative tolerance on singular values that the rank was found with.
    pub rank_tolerance: f64,
    /// Condition number of the scaled count matrix over its rank.
    pub condition: Option<f64>,
    /// Solver settings and results worth keeping (penalty, iterations, ...).
    pub diagnostics: BTreeMap<String, f64>,
    /// Where it comes from.
    pub provenance: Provenance,
}

impl Model {
    /// A list of prices that were fitted to nothing: no case determines any, and none has
    /// an interval of its own or with others.
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
            format: FORMAT,
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
            rank: 0,
            rank_tolerance: 1e-9,
            condition: None,
            diagnostics: BTreeMap::new(),
            provenance: Provenance::default(),
        }
    }
}
