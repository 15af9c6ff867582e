//! The data that a campaign's costs are fitted to: its cases, and facts about them.

use std::collections::BTreeSet;

use crate::failure::Failure;
use crate::format::counted_as;
use crate::model::table::{Case, Table};
use crate::model::{ContextPrice, FoldOptions, FoldUnit};
use crate::operations::unmeasured_cost_ratio;

use super::{CaseMixes, DatasetFacts};

/// A campaign's data set with counts by context, facts, and the file's hash.
#[derive(Debug, Clone)]
pub struct CampaignData {
    /// The cases.
    pub table: Table,
    /// Executions of the cases by operation and context.
    pub mixes: CaseMixes,
    /// Facts about the data set.
    pub facts: DatasetFacts,
    /// SHA-256 of the data set's file.
    pub sha256: String,
}

impl CampaignData {
    /// Folds of the cross-validation: with fewer cases than the usual number of folds each is held
    /// out alone.
    ///
    /// # Errors
    /// There are fewer than two cases: nothing could be fitted with one held out.
    pub fn folds(&self, seed: u64) -> Result<FoldOptions, Failure> {
        let usual =
            FoldOptions { seed, unit: self.facts.held_out_unit(), ..FoldOptions::default() };
        let cases: BTreeSet<&str> =
            self.table.cases.iter().map(|case| unit_of(case, usual.unit)).collect();
        match cases.len() {
            0 | 1 => Err(Failure::NoData(self.too_few(cases.len()))),
            cases => Ok(FoldOptions { folds: usual.folds.min(cases), ..usual }),
        }
    }

    fn too_few(&self, cases: usize) -> String {
        let why = self.facts.left_out.iter().map(|out| format!("\n  {}: {}", out.what, out.reason));
        format!(
            "{} left of the campaign, and a fit needs 2 at least; inputs that do more (`frames`) \
             make sessions longer, and a new campaign (another --out) may have more cases{}",
            counted_as(cases, "case is", "cases are"),
            why.collect::<String>()
        )
    }

    /// The table of the cases with counts weighed by the costs of contexts.
    pub fn weighed_table(&self, prices: &[ContextPrice]) -> Table {
        weigh_table(self.table.clone(), &self.mixes, prices)
    }
}

/// Name of the unit that is held out together with a case.
fn unit_of(case: &Case, unit: FoldUnit) -> &str {
    match unit {
        FoldUnit::Case => &case.name,
        FoldUnit::Group => &case.group,
    }
}

/// The table with counts weighed by the costs of contexts; operations that a compiler removes
/// entirely count as 0.
pub fn weigh_table(mut table: Table, mixes: &CaseMixes, prices: &[ContextPrice]) -> Table {
    let relative = ContextPrice::index(prices);
    let relative = |operation: &str, context: &str| {
        let unpriced = || unmeasured_cost_ratio(operation, context);
        relative.get(&(operation, context)).copied().unwrap_or_else(unpriced)
    };
    mixes.weigh(&mut table, relative);
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::DatasetOmission;

    fn data(names: &[&str]) -> CampaignData {
        let case = |name: &&str| Case {
            name: (*name).to_owned(),
            group: (*name).to_owned(),
            device: String::new(),
            energy_j: 1.0,
            duration_s: None,
            energy_se_j: None,
            weight: None,
            executions: None,
        };
        let table = Table { cases: names.iter().map(case).collect(), ..Table::default() };
        let left_out =
            vec![DatasetOmission { what: "r01".into(), reason: "it lasted 0.67 s".into() }];
        let facts = DatasetFacts { left_out, ..DatasetFacts::default() };
        CampaignData { table, mixes: CaseMixes::default(), facts, sha256: String::new() }
    }

    #[test]
    fn few_cases_are_held_out_one_by_one_and_a_single_one_is_none() {
        let folds = |names: &[&str]| data(names).folds(1).map(|options| options.folds);
        assert_eq!(folds(&["a", "b", "c", "d", "e"]).unwrap(), 4);
        assert_eq!(folds(&["a", "b", "c"]).unwrap(), 3);
        assert_eq!(folds(&["a", "b", "b"]).unwrap(), 2, "one case on two boards");
        let failure = folds(&["a"]).unwrap_err();
        assert!(!failure.can_be_resumed());
        let told = failure.to_string();
        assert!(told.starts_with("1 case is left of the campaign, and a fit needs 2"), "{told}");
        assert!(told.ends_with("\n  r01: it lasted 0.67 s"), "{told}");
    }
}
