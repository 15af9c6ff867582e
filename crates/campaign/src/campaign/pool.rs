//! The candidate sets that cases are chosen from, with rules for which may become cases.

use crate::blocks::BlockId;

use super::counts::OperationMatrix;
use super::line_error_criterion::LineErrorCriterion;
use super::plan_contents::PlanSettings;
use super::search::{OwnBuildResult, SetSearch, count_collapsed};

/// The candidate sets of a search, with what a choice among them depends on.
pub(super) struct CandidatePool<'p, 'd> {
    pub settings: &'p PlanSettings,
    pub matrix: &'p OperationMatrix,
    pub removable: &'p [BlockId],
    pub lines: &'p LineErrorCriterion,
    pub search: &'p SetSearch<'d>,
}

impl CandidatePool<'_, '_> {
    fn is_base(&self, index: usize) -> bool {
        self.search.found[index].removed.is_empty()
    }

    /// Whether a set may become a case: it leaves enough energy to measure, and its own build did
    /// not fail.
    pub(crate) fn is_strong(&self, index: usize) -> bool {
        let found = &self.search.found[index];
        !found.weak && !matches!(found.own_build, OwnBuildResult::Failed(_))
    }

    /// Whether a set may be one more case beside the chosen ones.
    fn is_bearable(&self, index: usize, chosen: &[usize]) -> bool {
        let campaign = &self.settings.campaign;
        let most = (campaign.collapsed_share * campaign.cases as f64) as usize;
        !self.search.found[index].collapsed || count_collapsed(self.search, chosen) < most
    }

    /// Whether the plan may take this set beside the chosen ones.
    pub(crate) fn may_take(&self, index: usize, chosen: &[usize]) -> bool {
        !self.is_base(index) && self.is_strong(index) && self.is_bearable(index, chosen)
    }

    pub fn bases(&self) -> Vec<usize> {
        (0..self.search.found.len()).filter(|index| self.is_base(*index)).collect()
    }
}
