//! What hints saved, as a table, and back to the hints.

use crate::csv_text;
use serde::{Deserialize, Serialize};

use crate::account::Interval;
use crate::hint::{Amount, FoundHints, Hint, MeasuredSaving};
use crate::stage::Failure;
use crate::units::Joules;

/// What a hint saved, with what tells it from others; a row of `hint-savings.csv`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct VerifiedHint {
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
pub(crate) fn attach(found: &mut FoundHints, verified: &[VerifiedHint]) {
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

/// `hint-savings.csv`.
///
/// # Errors
/// None in memory; the writer's.
pub(crate) fn to_csv(verified: &[VerifiedHint]) -> Result<String, Failure> {
    Ok(crate::model::csv_of(verified)?)
}

/// Reads it.
///
/// # Errors
/// A row of another form.
pub(crate) fn from_csv(text: &str) -> Result<Vec<VerifiedHint>, csv::Error> {
    csv_text::reader(text).deserialize().collect()
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
        let rows = [verified()];
        assert_eq!(from_csv(&to_csv(&rows).unwrap()).unwrap(), rows);
        assert!(from_csv("pattern,file\na,b\n").is_err());
    }
}
