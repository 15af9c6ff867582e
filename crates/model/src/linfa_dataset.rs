//! Tables to and from data sets of linfa, for models of one's own.
//!
//! ```
//! use linfa::traits::Fit;
//! use wattline_model::table::{Case, Table};
//!
//! // Three cases of two operations, of 2 J and 0.5 J.
//! let case = |name: &str, energy_j| Case {
//!     name: name.to_owned(),
//!     group: name.to_owned(),
//!     device: "board".to_owned(),
//!     duration_s: None,
//!     energy_j,
//!     energy_se_j: None,
//!     weight: None,
//!     executions: None,
//! };
//! let table = Table {
//!     cases: vec![case("a", 4.0), case("b", 3.5), case("c", 5.0)],
//!     features: vec!["Not".to_owned(), "And".to_owned()],
//!     counts: vec![1.0, 4.0, 1.0, 3.0, 2.0, 2.0],
//! };
//! let dataset = linfa::Dataset::try_from(&table)?;
//! assert_eq!(dataset.feature_names(), ["Not", "And"]);
//! let costs = linfa_linear::LinearRegression::new().with_intercept(false).fit(&dataset)?;
//! assert!((costs.params()[0] - 2.0).abs() < 1e-9 && (costs.params()[1] - 0.5).abs() < 1e-9);
//!
//! // And back: counts, energies, weights and names of features are kept.
//! let again = Table::try_from(&dataset)?;
//! assert_eq!((again.features, again.counts), (table.features, table.counts));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use linfa::Dataset;
use ndarray::{Array1, Array2, Ix1};

use super::error::ModelError;
use super::options::FitOptions;
use super::weights::weights;
use crate::table::{Case, Table};

/// A data set of counts and energies.
pub(crate) type EnergyDataset = Dataset<f64, f64, Ix1>;

impl TryFrom<&Table> for EnergyDataset {
    type Error = ModelError;

    /// Counts as records, energies as targets. The weights are those that a fit takes by
    /// default; linfa has them in single precision.
    fn try_from(table: &Table) -> Result<Self, ModelError> {
        let (m, l) = (table.cases.len(), table.features.len());
        let counts = Array2::from_shape_vec((m, l), table.counts.clone());
        let counts = counts.map_err(|_| ModelError::Decomposition { what: "the counts" })?;
        let energies: Array1<f64> = table.cases.iter().map(|case| case.energy_j).collect();
        let options = FitOptions::default();
        let all = weights(table, options.weighting, &options.assumed)?;
        let most = all.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let relative = all.iter().map(|weight| (weight / most) as f32).collect();
        let features = table.features.iter().map(String::as_str).collect();
        Ok(Dataset::new(counts, energies).with_weights(relative).with_feature_names(features))
    }
}

impl TryFrom<&EnergyDataset> for Table {
    type Error = ModelError;

    /// Cases are named by their places, and each is a group of its own; so are features, where
    /// the data set has no names.
    fn try_from(dataset: &EnergyDataset) -> Result<Self, ModelError> {
        let weights = dataset.weights().map(|all| all.to_vec()).unwrap_or_default();
        let case = |(i, energy_j): (usize, &f64)| Case {
            name: format!("case {i}"),
            group: format!("case {i}"),
            device: String::new(),
            duration_s: None,
            energy_j: *energy_j,
            energy_se_j: None,
            weight: weights.get(i).map(|weight| f64::from(*weight)),
            executions: None,
        };
        let features = match dataset.feature_names() {
            [] => (0..dataset.records().ncols()).map(|j| format!("feature {j}")).collect(),
            names => names.to_vec(),
        };
        let table = Table {
            cases: dataset.targets().iter().enumerate().map(case).collect(),
            features,
            counts: dataset.records().iter().copied().collect(),
        };
        super::table_check::check_table(&table)?;
        Ok(table)
    }
}
