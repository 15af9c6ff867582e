//! What hints saved, as a table, and back to the hints.

use serde::{Deserialize, Serialize};

use crate::account::Interval;
use crate::csv_text;
use crate::failure::Failure;
use crate::folder::{Artifact, names};
use crate::hint::{Amount, FoundHints, Hint, MeasuredSaving};
use crate::model::csv_of;
use crate::units::Joules;

/// What a hint saved, with what tells it from others; a row of `hint-savings.csv`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VerifiedHint {
    pattern: String,
    file: String,
    start_line: u32,
    block: String,
    /// Energy without it less that with it, in joules.
    saving_j: f64,
    /// Ends of its 95 % interval; none of a single pair.
    saving_lo_j: Option<f64>,
    saving_hi_j: Option<f64>,
    /// Part of the energy above idle of the original, beside which it ran.
    share: Option<f64>,
    /// Pairs of sessions.
    pairs: usize,
    /// What was predicted to be saved, in joules, with its 95 % interval; none where nothing
    /// predicts it.
    predicted_j: Option<f64>,
    predicted_lo_j: Option<f64>,
    predicted_hi_j: Option<f64>,
}

/// Gives places what their rewrites saved when they were measured.
pub fn attach(found: &mut FoundHints, verified: &[VerifiedHint]) {
    found.take_measured(|hint| {
        let own = verified.iter().find(|verified| {
            (verified.pattern.as_str(), &verified.file, verified.start_line, &verified.block)
                == (hint.pattern, &hint.file, hint.start_line, &hint.block_name)
        });
        own.map(VerifiedHint::measured)
    });
}

impl VerifiedHint {
    /// What a hint saved, beside what is predicted.
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
        let saving = Amount { energy: Joules(self.saving_j), interval, share: self.share };
        MeasuredSaving { saving, pairs: self.pairs }
    }
}

/// What the hints of a campaign saved.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct VerifiedHints(pub Vec<VerifiedHint>);

/// `hint-savings.csv`.
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
