//! The sets that cases are chosen from.

use crate::blocks::BlockId;

use super::by_lines::LineChoice;
use super::counts::OperationMatrix;
use super::planned::PlanSettings;
use super::search::{Proof, SetSearch, count_collapsed};

/// What there is to choose from.
pub(super) struct CandidatePool<'p, 'd> {
    pub settings: &'p PlanSettings,
    pub matrix: &'p OperationMatrix,
    pub removable: &'p [BlockId],
    pub lines: &'p LineChoice,
    pub search: &'p SetSearch<'d>,
}

impl CandidatePool<'_, '_> {
    fn is_base(&self, index: usize) -> bool {
        self.search.found[index].removed.is_empty()
    }

    /// Whether a set may become a case at all.
    pub(crate) fn is_strong(&self, index: usize) -> bool {
        let found = &self.search.found[index];
        !found.weak && !matches!(found.proof, Proof::Failed(_))
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
