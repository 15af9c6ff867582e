//! Results of this crate and the crates below it that are stored in one file of a campaign's
//! folder.

use crate::campaign::{ResidualCounts, ResidualCountsError};
use crate::failure::Failure;
use crate::model::{Model, ModelError};

use super::{Artifact, names};

/// `residual-counts.csv`.
impl Artifact for ResidualCounts {
    const NAME: &'static str = names::RESIDUAL_COUNTS;
    type ParseError = ResidualCountsError;

    fn render(&self) -> Result<String, Failure> {
        Ok(self.to_csv())
    }

    fn parse(text: &str) -> Result<Self, ResidualCountsError> {
        ResidualCounts::from_csv(text)
    }
}

/// `model.json`.
impl Artifact for Model {
    const NAME: &'static str = names::MODEL;
    type ParseError = ModelError;

    fn render(&self) -> Result<String, Failure> {
        Ok(self.to_json()?)
    }

    fn parse(text: &str) -> Result<Self, ModelError> {
        Model::from_json(text)
    }
}
