//! What a campaign planned and measured, before anything is made of it.

use std::collections::{BTreeMap, BTreeSet};

use crate::campaign::PlannedCase;
use crate::operations::Dictionary;
use crate::run::RunRecord;
use crate::scenario::{Scenario, UnanalysedLanguage};

/// What a campaign planned and measured.
#[derive(Debug, Clone)]
pub struct MeasuredCampaign {
    /// Blocks and what they hold.
    pub dictionary: Dictionary,
    /// The plan's cases.
    pub cases: Vec<PlannedCase>,
    /// All runs.
    pub records: Vec<RunRecord>,
    /// Executions per block of every case with a good traced run, by case.
    pub executions: BTreeMap<String, Vec<u64>>,
    /// Languages of the application that are not analysed.
    pub unanalysed: Vec<UnanalysedLanguage>,
}

impl MeasuredCampaign {
    /// Its cases without a removed block, one for each input.
    pub fn unremoved(&self) -> impl Iterator<Item = &PlannedCase> {
        self.cases.iter().filter(|case| case.removed.is_empty())
    }
}

/// Languages of a scenario's application that are not analysed.
pub fn unanalysed(scenario: &Scenario) -> Vec<UnanalysedLanguage> {
    let languages = scenario.libraries.iter().filter_map(|library| library.language);
    languages.collect::<BTreeSet<_>>().into_iter().collect()
}
