//! What a campaign's costs are fitted to: its cases, and what is known of them.

use crate::dataset::CaseMixes;
use crate::model::ContextPrice;
use crate::model::table::Table;
use crate::stage::folder::DatasetFacts;

/// A campaign's data set.
#[derive(Debug, Clone)]
pub struct CampaignData {
    /// The cases.
    pub table: Table,
    /// Their executions by context.
    pub mixes: CaseMixes,
    /// Where they come from.
    pub facts: DatasetFacts,
    /// Hash of the file that holds them.
    pub sha256: String,
}

impl CampaignData {
    /// The cases with their counts weighed by what contexts cost.
    pub fn weighed(&self, prices: &[ContextPrice]) -> Table {
        weighed(self.table.clone(), &self.mixes, prices)
    }
}

/// A table with its counts weighed by what contexts cost.
pub(crate) fn weighed(mut table: Table, mixes: &CaseMixes, prices: &[ContextPrice]) -> Table {
    if !prices.is_empty() {
        let relative = ContextPrice::index(prices);
        let relative = |operation: &str, context: &str| {
            relative.get(&(operation, context)).copied().unwrap_or(1.0)
        };
        mixes.weigh(&mut table, relative);
    }
    table
}
