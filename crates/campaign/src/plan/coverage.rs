//! The tables of a plan about removable blocks: which cases remove each, and which none does.

use crate::blocks::BlockId;
use crate::campaign::Plan;
use crate::csv_text::CsvText;
use crate::operations::Dictionary;
use wattline_units::file_schema::DeclaredColumn;

fn name_of(dictionary: &Dictionary, block: BlockId) -> &str {
    dictionary.blocks.get(block.0 as usize).map_or("", |block| &block.name)
}

/// Columns of `dropped.csv`.
pub(crate) const DROPPED_COLUMNS: [DeclaredColumn; 3] = [
    DeclaredColumn::integer("block", "Number of the block"),
    DeclaredColumn::text("name", "Name of the block"),
    DeclaredColumn::text("reason", "Why no case removes it"),
];

/// The text of `dropped.csv`: the blocks that no case removes, with the reason.
pub(super) fn dropped_csv(plan: &Plan, dictionary: &Dictionary) -> String {
    let mut table = CsvText::new(DROPPED_COLUMNS);
    for dropped in &plan.dropped {
        let name = name_of(dictionary, dropped.block);
        table.row([dropped.block.0.to_string().as_str(), name, &dropped.reason]);
    }
    table.text()
}

/// Columns of `coverage.csv`.
pub(crate) const COVERAGE_COLUMNS: [DeclaredColumn; 5] = [
    DeclaredColumn::integer("block", "Number of the removable block"),
    DeclaredColumn::text("name", "Name of the block"),
    DeclaredColumn::integer("cases", "Cases that remove it"),
    DeclaredColumn::text(
        "together_with",
        "Numbers of the blocks together with which alone it is removed, separated by blanks",
    ),
    DeclaredColumn::text("reason", "Why no case removes it; empty where one does"),
];

/// The text of `coverage.csv`: for each removable block the number of cases that remove it, the
/// blocks together with which alone it is removed, and the reason if no case removes it.
pub(super) fn coverage_csv(plan: &Plan, dictionary: &Dictionary) -> String {
    let mut table = CsvText::new(COVERAGE_COLUMNS);
    for block in dictionary.blocks.iter().filter(|block| block.removable) {
        let cases = plan.cases.iter().filter(|case| case.removed.contains(&block.id)).count();
        let partners = plan.joint.iter().find(|joint| joint.block == block.id);
        let partners = partners.into_iter().flat_map(|joint| &joint.partners);
        let partners: Vec<String> = partners.map(|block| block.0.to_string()).collect();
        let dropped = plan.dropped.iter().find(|dropped| dropped.block == block.id);
        table.row([
            block.id.0.to_string(),
            block.name.clone(),
            cases.to_string(),
            partners.join(" "),
            dropped.map_or(String::new(), |dropped| dropped.reason.clone()),
        ]);
    }
    table.text()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::case_planner::tests::{dictionary, plan_with, settings};
    use crate::campaign::{DroppedBlock, JointRemoval};

    #[test]
    fn every_removable_block_has_its_cases_partners_and_reason() {
        let (mut plan, _) = plan_with(settings(4));
        plan.cases.truncate(1);
        plan.cases[0].removed = vec![BlockId(0), BlockId(2)];
        plan.joint = vec![JointRemoval { block: BlockId(0), partners: vec![BlockId(2)] }];
        plan.dropped = vec![DroppedBlock { block: BlockId(1), reason: "it crashes".into() }];
        let dictionary = dictionary(&[&[("Not", 1)], &[("And", 1)], &[("Or", 1)]]);
        let expected = "block,name,cases,together_with,reason\n0,A.m().after_0,1,2,\n\
                        1,A.m().after_1,0,,it crashes\n2,A.m().after_2,1,,\n";
        assert_eq!(coverage_csv(&plan, &dictionary), expected);
        let expected = "block,name,reason\n1,A.m().after_1,it crashes\n";
        assert_eq!(dropped_csv(&plan, &dictionary), expected);
    }
}
