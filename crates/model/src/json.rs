//! `model.json`: written whole, read with a check of version and shape.

use serde::Deserialize;

use super::error::ModelError;
use super::fitted_model::{MODEL_FORMAT, Model};

/// Field that every version of the format has.
#[derive(Deserialize)]
struct FormatHeader {
    format: u64,
}

impl Model {
    /// The text of `model.json`.
    pub fn to_json(&self) -> Result<String, ModelError> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        Ok(text)
    }

    /// Reads `model.json`; refuses newer formats and parts that don't fit together.
    pub fn from_json(text: &str) -> Result<Self, ModelError> {
        let header: FormatHeader = serde_json::from_str(text)?;
        if header.format > u64::from(MODEL_FORMAT) {
            return Err(ModelError::NewerFormat { found: header.format, supported: MODEL_FORMAT });
        }
        let model: Self = serde_json::from_str(text)?;
        model.check_shape()?;
        Ok(model)
    }

    fn check_shape(&self) -> Result<(), ModelError> {
        let l = self.costs.len();
        let damaged = |reason: String| Err(ModelError::Damaged { reason });
        if let Some(found) = self.case_costs_j.as_ref().map(Vec::len).filter(|n| *n != l) {
            return damaged(format!("{found} costs of cases for {l} costs"));
        }
        if let Some(found) = self.covariance.as_ref().map(Vec::len).filter(|n| *n != l * l) {
            return damaged(format!("{found} covariances for {l} costs"));
        }
        if let Some(microbenchmarks) = &self.of_microbenchmarks
            && (microbenchmarks.costs_j.len() != l || microbenchmarks.covariance.len() != l * l)
        {
            return damaged(format!("costs of microbenchmarks that are not {l}"));
        }
        if let Some(space) = &self.row_space
            && (space.scale.len() != l || space.basis.len() != self.rank * l)
        {
            return damaged(format!("a row space that is not of {l} costs and rank {}", self.rank));
        }
        if self.draws.iter().any(|draw| draw.len() != l) {
            return damaged(format!("a draw that is not of {l} costs"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::table;
    use crate::{FitOptions, Solver, fit};

    fn model() -> Model {
        let data = table(&[&[1.0, 1.0], &[2.0, 2.0]], &[2e-7, 5.1e-7]);
        fit(&data, &FitOptions::new(Solver::Shrink)).unwrap()
    }

    #[test]
    fn a_model_survives_the_file_to_the_last_bit() {
        let model = model();
        assert_eq!(Model::from_json(&model.to_json().unwrap()).unwrap(), model);
    }

    #[test]
    fn a_newer_format_is_refused_even_if_its_fields_are_unknown() {
        let error = Model::from_json(r#"{"format": 99, "posterior": []}"#).unwrap_err();
        assert!(matches!(error, ModelError::NewerFormat { found: 99, .. }), "{error}");
        assert!(matches!(Model::from_json("{}"), Err(ModelError::Json(_))));
    }

    #[test]
    fn parts_that_do_not_fit_are_refused() {
        let mut damaged = model();
        damaged.covariance = Some(vec![1.0; 3]);
        let error = Model::from_json(&damaged.to_json().unwrap()).unwrap_err();
        assert!(error.to_string().contains("3 covariances for 2 costs"), "{error}");
        let mut damaged = model();
        damaged.case_costs_j = Some(vec![1.0]);
        let error = Model::from_json(&damaged.to_json().unwrap()).unwrap_err();
        assert!(error.to_string().contains("1 costs of cases for 2 costs"), "{error}");
    }
}
