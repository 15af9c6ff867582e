//! What of this crate and those below it stands in one file of a campaign's folder.

use crate::campaign::{RemainsError, ResidualCounts};
use crate::failure::Failure;
use crate::model::{Model, ModelError};

use super::{Artifact, names};

/// What removed blocks still hold.
impl Artifact for ResidualCounts {
    const NAME: &'static str = names::REMAINS;
    type ParseError = RemainsError;

    fn render(&self) -> Result<String, Failure> {
        Ok(self.to_csv())
    }

    fn parse(text: &str) -> Result<Self, RemainsError> {
        ResidualCounts::from_csv(text)
    }
}

/// The costs.
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
