//! Measured savings of hints as a table, and their assignment to hints.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::account::Interval;
use crate::csv_text;
use crate::failure::Failure;
use crate::folder::{Artifact, names};
use crate::hint::{EnergyAmount, FoundHints, Hint, MeasuredSaving};
use crate::model::csv_of;
use crate::units::Joules;

/// Row of `hint-savings.csv`: measured and predicted saving of a hint, with the hint's identity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VerifiedHint {
    /// Pattern of the hint.
    pattern: String,
    /// Path of the source file.
    file: String,
    /// First line.
    start_line: u32,
    /// Name of the block.
    block: String,
    /// Energy without the rewrite less that with it, in joules.
    saving_j: f64,
    /// Lower end of the 95 % interval; empty for a single pair.
    saving_lo_j: Option<f64>,
    /// Upper end of the 95 % interval.
    saving_hi_j: Option<f64>,
    /// Share of the energy above idle of the original in these sessions.
    share: Option<f64>,
    /// Pairs of sessions that the saving is the mean of.
    pairs: usize,
    /// Predicted saving; empty without a prediction.
    predicted_j: Option<f64>,
    /// Lower end of its 95 % interval.
    predicted_lo_j: Option<f64>,
    /// Upper end of its 95 % interval.
    predicted_hi_j: Option<f64>,
}

/// Assigns measured savings to the hints and withheld places that they belong to.
pub(super) fn attach_measured(found: &mut FoundHints, verified: &[VerifiedHint]) {
    found.take_measured(|hint| {
        let own = verified.iter().find(|verified| {
            (verified.pattern.as_str(), &verified.file, verified.start_line, &verified.block)
                == (hint.pattern, &hint.file, hint.start_line, &hint.block_name)
        });
        own.map(VerifiedHint::measured)
    });
}

impl VerifiedHint {
    /// Row of a hint with its measured and predicted saving.
    pub(super) fn of(hint: &Hint, measured: &MeasuredSaving) -> Self {
        let MeasuredSaving { saving, pairs } = measured;
        let predicted = hint.predicted();
        let interval = predicted.and_then(|saving| saving.interval);
        Self {
            pattern: hint.pattern.to_string(),
            file: hint.file.clone(),
            start_line: hint.start_line,
            block: hint.block_name.clone(),
            saving_j: saving.energy.0,
            saving_lo_j: saving.interval.map(|interval| interval.lo.0),
            saving_hi_j: saving.interval.map(|interval| interval.hi.0),
            share: saving.share,
            pairs: *pairs,
            predicted_j: predicted.map(|saving| saving.energy.0),
            predicted_lo_j: interval.map(|interval| interval.lo.0),
            predicted_hi_j: interval.map(|interval| interval.hi.0),
        }
    }

    fn measured(&self) -> MeasuredSaving {
        let ends = self.saving_lo_j.zip(self.saving_hi_j);
        let interval = ends.map(|(lo, hi)| Interval { lo: Joules(lo), hi: Joules(hi) });
        let saving = EnergyAmount { energy: Joules(self.saving_j), interval, share: self.share };
        MeasuredSaving { saving, pairs: self.pairs }
    }
}

/// Measured savings of the hints of a campaign.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct VerifiedHints(pub Vec<VerifiedHint>);

/// Stored as `hint-savings.csv`.
impl Artifact for VerifiedHints {
    const NAME: &'static str = names::VERIFIED;
    type ParseError = csv::Error;

    fn render(&self) -> Result<String, Failure> {
        Ok(csv_of(&self.0)?)
    }

    fn parse(text: &str) -> Result<Self, csv::Error> {
        csv_text::reader(text).deserialize().collect::<Result<_, _>>().map(VerifiedHints)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verified() -> VerifiedHint {
        VerifiedHint {
            pattern: "field-in-loop".into(),
            file: "demo/A, B.java".into(),
            start_line: 7,
            block: "A.run(int,int).for_1".into(),
            saving_j: -0.5,
            saving_lo_j: Some(-1.0),
            saving_hi_j: None,
            share: Some(-0.1),
            pairs: 3,
            predicted_j: Some(0.4),
            predicted_lo_j: None,
            predicted_hi_j: None,
        }
    }

    #[test]
    fn rows_read_back() {
        let rows = VerifiedHints(vec![verified()]);
        assert_eq!(VerifiedHints::parse(&rows.render().unwrap()).unwrap(), rows);
        assert!(VerifiedHints::parse("pattern,file\na,b\n").is_err());
    }
}
