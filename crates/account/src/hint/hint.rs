//! A hint: what was found where, what to do about it, and what that saves.

use crate::blocks::BlockId;
use crate::hint::board_ratio::BoardRatio;
use crate::hint::callers::Caller;
use crate::hint::confidence::Confidence;
use crate::hint::counted::Amount;
use crate::hint::prediction_basis::PredictionBasis;
use crate::hint::rewrite::Rewrite;

/// A pattern found at a place where it matters.
#[derive(Debug, Clone, PartialEq)]
pub struct Hint {
    /// Name of its pattern.
    pub pattern: &'static str,
    /// The block that it is about.
    pub block: BlockId,
    /// The block's name.
    pub block_name: String,
    /// Path relative to its source root.
    pub file: String,
    /// First line, from 1.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// What was found, in one sentence.
    pub sentence: String,
    /// What to do, in words.
    pub advice: String,
    /// The rewrite on the user's own names.
    pub rewrite: String,
    /// When the rewrite does the same.
    pub condition: String,
    /// What the rewrite would save: what the costs say, scaled by what such rewrites save on
    /// the board where that was measured.
    pub saving: Amount,
    /// What the costs alone say that it would save; where the prediction starts from lines,
    /// all that these spend.
    pub by_costs: Amount,
    /// What the saving is predicted from.
    pub basis: PredictionBasis,
    /// What decides whether and where it is listed. Where the prediction starts from lines:
    /// what such rewrites save on average over places, since one place may well save nothing
    /// where a compiler sees more of it than elsewhere. Else the saving. Where it was measured,
    /// what that and the saving say together.
    pub listed_by: Amount,
    /// What such rewrites save on the board by what is said, where that was measured.
    pub on_board: Option<BoardRatio>,
    /// What it did save: the source with it beside the one without, where that was measured.
    pub measured: Option<MeasuredSaving>,
    /// What the saving can't exceed: all that the place itself spends.
    pub bound: Amount,
    /// How sure it is.
    pub confidence: Confidence,
    /// The rewrite as edits of the file, where it can be made without a person.
    pub automatic_fix: Option<Rewrite>,
    /// The same as a unified diff of the file.
    pub diff: Option<String>,
    /// For a method to inline: who calls it most, where calls were recorded.
    pub callers: Vec<Caller>,
}

impl Hint {
    /// The saving where it is predicted by anything: by costs, or by pairs that the board ran.
    pub fn predicted(&self) -> Option<&Amount> {
        (self.basis == PredictionBasis::Costs || self.on_board.is_some()).then_some(&self.saving)
    }

    /// Takes up what it saved when it was applied: it is listed by what that and the
    /// prediction of this very place say together.
    pub(crate) fn take_measured(&mut self, measured: MeasuredSaving) {
        self.listed_by = match self.predicted() {
            Some(predicted) => predicted.and(&measured.saving),
            None => measured.saving,
        };
        self.measured = Some(measured);
    }

    /// The most that it may save, in joules: the upper end of its interval.
    pub(super) fn may_save_j(&self) -> f64 {
        self.saving.interval.map_or(self.saving.energy.0, |interval| interval.hi.0)
    }

    /// What decides the order of hints: the lower end of the interval of what it is listed by
    /// in joules, weighed by the confidence. Absent without an interval.
    pub(crate) fn sure_saving_j(&self) -> Option<f64> {
        Some(self.listed_by.interval?.lo.0 * self.confidence.weight())
    }

    /// The same as a share of the scenario's energy, 0..1; 0 without an interval.
    pub fn sure_share(&self) -> f64 {
        let (Some(sure_j), Some(share)) = (self.sure_saving_j(), self.listed_by.share) else {
            return 0.0;
        };
        let share = sure_j / self.listed_by.energy.0 * share;
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// `Called most by A.run() (80 % of the calls), ...`; none where that isn't known.
    pub fn called_most_by(&self) -> Option<String> {
        let callers: Vec<String> = self.callers.iter().map(ToString::to_string).collect();
        (!callers.is_empty()).then(|| format!("Called most by {}.", callers.join(", ")))
    }
}

/// What a hint saved when it was applied.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasuredSaving {
    /// Energy of the sessions without it less that with it; below zero where it costs more.
    pub saving: Amount,
    /// Pairs of sessions that say it.
    pub pairs: usize,
}
