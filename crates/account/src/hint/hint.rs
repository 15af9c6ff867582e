//! A hint: the pattern found at a code location, the advice, and the predicted saving.

use crate::blocks::BlockId;
use crate::hint::board_ratio::BoardRatio;
use crate::hint::callers::Caller;
use crate::hint::confidence::Confidence;
use crate::hint::context::EnergyAmount;
use crate::hint::prediction_basis::PredictionBasis;
use crate::hint::rewrite::Rewrite;

/// A pattern found at a code location with enough energy.
#[derive(Debug, Clone, PartialEq)]
pub struct Hint {
    /// Name of the pattern.
    pub pattern: &'static str,
    /// Block that the hint relates to.
    pub block: BlockId,
    /// Name of the block.
    pub block_name: String,
    /// Path relative to its source root.
    pub file: String,
    /// First line, from 1.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// The finding in one sentence.
    pub sentence: String,
    /// The advice in words.
    pub advice: String,
    /// Source text of the rewrite, with the user's own names.
    pub rewrite: String,
    /// Condition under which the rewrite is equivalent.
    pub condition: String,
    /// Predicted saving: the count-based one, scaled by that of such rewrites on the board where
    /// it was measured.
    pub saving: EnergyAmount,
    /// Count-based saving; where the prediction starts from lines, all their energy.
    pub by_costs: EnergyAmount,
    /// Reference of the prediction.
    pub basis: PredictionBasis,
    /// The saving that decides whether and where the hint is listed. Where the prediction starts
    /// from lines, it is the mean saving of such rewrites over code locations, since a single one
    /// may save nothing where a compiler optimises more; else the predicted saving. Where the
    /// hint was measured, it is combined with the measurement.
    pub listed_by: EnergyAmount,
    /// Ratio of savings on the board to predictions, where it was measured.
    pub on_board: Option<BoardRatio>,
    /// Measured saving: the source without the rewrite against that with it, where measured.
    pub measured: Option<MeasuredSaving>,
    /// Upper bound of the saving: all energy of the code location.
    pub bound: EnergyAmount,
    /// Confidence that the rewrite is equivalent and saves energy.
    pub confidence: Confidence,
    /// Edits of the file, where the rewrite needs no person.
    pub automatic_fix: Option<Rewrite>,
    /// Unified diff of these edits.
    pub diff: Option<String>,
    /// For a method to inline, its most frequent callers, where calls were recorded.
    pub callers: Vec<Caller>,
}

impl Hint {
    /// The predicted saving; `None` where neither costs nor measured pairs predict it.
    pub fn predicted(&self) -> Option<&EnergyAmount> {
        (self.basis == PredictionBasis::Costs || self.on_board.is_some()).then_some(&self.saving)
    }

    /// Adds the measured saving: the hint is then listed by the combination with its own
    /// prediction.
    pub(crate) fn take_measured(&mut self, measured: MeasuredSaving) {
        self.listed_by = match self.predicted() {
            Some(predicted) => predicted.combined_with(&measured.saving),
            None => measured.saving,
        };
        self.measured = Some(measured);
    }

    /// Largest possible saving in joules: the upper end of the interval.
    pub(super) fn largest_saving_j(&self) -> f64 {
        self.saving.interval.map_or(self.saving.energy.0, |interval| interval.hi.0)
    }

    /// Sort key of hints: the lower end of the interval of `listed_by` in joules, weighted by the
    /// confidence. `None` without an interval.
    pub(crate) fn sure_saving_j(&self) -> Option<f64> {
        Some(self.listed_by.interval?.lo.0 * self.confidence.weight())
    }

    /// The sort key as a share of the scenario's energy, 0..1; 0 without an interval.
    pub fn sure_share(&self) -> f64 {
        let (Some(sure_j), Some(share)) = (self.sure_saving_j(), self.listed_by.share) else {
            return 0.0;
        };
        let share = sure_j / self.listed_by.energy.0 * share;
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Sentence on callers: `Called most by A.run() (80 % of the calls), ...`; `None` where
    /// unknown.
    pub fn called_most_by(&self) -> Option<String> {
        let callers: Vec<String> = self.callers.iter().map(ToString::to_string).collect();
        (!callers.is_empty()).then(|| format!("Called most by {}.", callers.join(", ")))
    }
}

/// Measured saving of an applied hint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasuredSaving {
    /// Energy of the sessions without the rewrite less that with it; negative where it costs
    /// more.
    pub saving: EnergyAmount,
    /// Number of pairs of sessions.
    pub pairs: usize,
}
