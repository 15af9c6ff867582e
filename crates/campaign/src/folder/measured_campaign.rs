//! The plan and the measurements of a campaign, as read from its folder.

use std::collections::{BTreeMap, BTreeSet};

use crate::campaign::PlannedCase;
use crate::operations::Dictionary;
use crate::run::RunRecord;
use crate::scenario::{IdlePolicy, Scenario, UnanalysedLanguage};

/// The plan and the measurements of a campaign: dictionary, cases, records, executions.
#[derive(Debug, Clone)]
pub struct MeasuredCampaign {
    /// Blocks with their operations.
    pub dictionary: Dictionary,
    /// The plan's cases.
    pub cases: Vec<PlannedCase>,
    /// All runs.
    pub records: Vec<RunRecord>,
    /// Executions per block of every case with a good traced run, by case.
    pub executions: BTreeMap<String, Vec<u64>>,
    /// Languages of the application that are not analysed.
    pub unanalysed: Vec<UnanalysedLanguage>,
    /// Idle runs that the idle power of a case comes from.
    pub idle: IdlePolicy,
}

impl MeasuredCampaign {
    /// The cases without removed blocks, one for each input.
    pub fn unremoved_cases(&self) -> impl Iterator<Item = &PlannedCase> {
        self.cases.iter().filter(|case| case.removed.is_empty())
    }
}

/// Languages of a scenario's application that wattline does not analyse.
pub fn unanalysed_languages(scenario: &Scenario) -> Vec<UnanalysedLanguage> {
    let languages = scenario.libraries.iter().filter_map(|library| library.language);
    languages.collect::<BTreeSet<_>>().into_iter().collect()
}
