//! Joint removals in a written program, of which some blocks define what others use.

use super::*;
use crate::campaign::case_planner::tests::{dictionary, settings};
use crate::campaign::dry_runner::{DryCase, DryOutcome, DryRunner};
use crate::campaign::{Plan, PlanSettings, PlannedMicrobenchmarks, plan_cases};
use crate::operations::Operation;
use crate::scenario::CampaignSettings;

const BLOCKS: u32 = 40;

/// A block that defines what others use: without it the first user that stays crashes.
struct Definition {
    block: u32,
    users: &'static [u32],
    /// A block that each crash points at first, and that has nothing to do with it.
    decoy: Option<u32>,
}

const fn definition(block: u32, users: &'static [u32]) -> Definition {
    Definition { block, users, decoy: None }
}

/// A pair, a pair behind a decoy, a triple, two that need each other, a crash that points at no
/// block, and more users than are tried.
const DEFINITIONS: [Definition; 7] = [
    definition(6, &[10]),
    Definition { block: 8, users: &[29], decoy: Some(33) },
    definition(20, &[25, 31]),
    definition(13, &[38]),
    definition(38, &[13]),
    definition(12, &[99]),
    definition(15, &[16, 17, 18, 19, 21, 22]),
];

/// Runs cases of the program, and keeps the sets.
#[derive(Default)]
struct Program {
    tried: Vec<Vec<BlockId>>,
    /// Without this block nothing else runs.
    carries_all: Option<u32>,
}

impl Program {
    fn outcome(&self, case: &DryCase) -> DryOutcome {
        let has = |block: u32| case.removed.contains(&BlockId(block));
        for Definition { block, users, decoy } in &DEFINITIONS {
            if let Some(user) = users.iter().find(|user| has(*block) && !has(**user)) {
                let named = decoy.iter().filter(|decoy| !has(**decoy)).chain([user]);
                let is_block = |block: &&u32| **block < BLOCKS;
                return DryOutcome::Failed {
                    reason: format!("{user} uses {block}"),
                    suspects: vec![BlockId(*block)],
                    companions: named.filter(is_block).map(|block| BlockId(*block)).collect(),
                };
            }
        }
        let is_empty = self.carries_all.is_some_and(has);
        let count = |block: u32| if has(block) || is_empty { 0 } else { u64::from(100 + block) };
        DryOutcome::Ran { executions: (0..BLOCKS).map(count).collect(), kept: Vec::new() }
    }
}

impl DryRunner for Program {
    fn try_cases(&mut self, cases: &[DryCase]) -> Result<Vec<DryOutcome>, DryError> {
        self.tried.extend(cases.iter().map(|case| case.removed.clone()));
        Ok(cases.iter().map(|case| self.outcome(case)).collect())
    }
}

fn plan_program(program: &mut Program, dry_runs: usize) -> Plan {
    let names: Vec<&str> = Operation::all().map(Operation::name).collect();
    let lists: Vec<Vec<(&str, u32)>> =
        (0..BLOCKS as usize).map(|i| vec![(names[i % 12], 1 + i as u32 % 3)]).collect();
    let lists: Vec<&[(&str, u32)]> = lists.iter().map(Vec::as_slice).collect();
    let settings = PlanSettings {
        inputs: vec!["a".into(), "b".into()],
        campaign: CampaignSettings { dry_runs, ..settings(20) },
        session_s: 1.0,
        microbenchmarks: PlannedMicrobenchmarks::default(),
    };
    plan_cases(&settings, &dictionary(&lists), program).unwrap()
}

/// The partners of a block, and whether all cases that remove it remove these too.
fn partners(plan: &Plan, block: u32) -> Option<Vec<u32>> {
    let joint = plan.joint.iter().find(|joint| joint.block == BlockId(block))?;
    for case in plan.cases.iter().filter(|case| case.removed.contains(&joint.block)) {
        assert!(joint.partners.iter().all(|partner| case.removed.contains(partner)), "{case:?}");
    }
    Some(joint.partners.iter().map(|block| block.0).collect())
}

#[test]
fn blocks_that_run_only_in_company_are_planned_with_their_partners() {
    let plan = plan_program(&mut Program::default(), 300);
    let of = |block| partners(&plan, block);
    assert_eq!((of(6), of(10)), (Some(vec![10]), None));
    assert_eq!((of(13), of(38)), (Some(vec![38]), Some(vec![13])));
    assert_eq!(of(20), Some(vec![25, 31]));
    assert_eq!(of(8), Some(vec![29]));
    assert_eq!(plan.summary.removed_jointly, 5);
    let dropped: Vec<u32> = plan.dropped.iter().map(|dropped| dropped.block.0).collect();
    assert_eq!(dropped, [12, 15]);
    assert_eq!(plan.summary.removed_executed, 38);
}

#[test]
fn what_was_tried_is_part_of_the_reason() {
    let plan = plan_program(&mut Program::default(), 300);
    let reason = |block: u32| {
        let dropped = plan.dropped.iter().find(|dropped| dropped.block == BlockId(block));
        dropped.unwrap().reason.clone()
    };
    assert_eq!(reason(12), "99 uses 12");
    let many = reason(15);
    assert!(many.starts_with("16 uses 15; together with block 16: 17 uses 15; "), "{many}");
    assert!(many.ends_with("together with blocks 16, 17, 18, 19: 21 uses 15"), "{many}");
    assert_eq!(many.matches("together with").count(), MOST_REMOVED_JOINTLY - 1);
}

#[test]
fn the_search_is_the_same_every_time_and_tries_no_set_twice() {
    let (mut first, mut second) = (Program::default(), Program::default());
    assert_eq!(plan_program(&mut first, 300), plan_program(&mut second, 300));
    assert_eq!(first.tried, second.tried);
    let is_pair = |set: &&Vec<BlockId>| set[..] == [BlockId(6), BlockId(10)];
    let of_six: Vec<_> = first.tried.iter().filter(is_pair).collect();
    // The try itself, of each input, and a build of its own if it is a case.
    assert!(of_six.len() <= 4, "{}", of_six.len());
}

#[test]
fn without_dry_runs_to_spare_the_reason_names_the_set_that_was_not_tried() {
    let mut program = Program::default();
    let plan = plan_program(&mut program, 40);
    assert!(program.tried.len() <= 40 + 2 + plan.cases.len());
    let untried =
        plan.dropped.iter().find(|dropped| dropped.reason.contains("no dry run was left"));
    let untried = &untried.unwrap_or_else(|| panic!("{:?}", plan.dropped)).reason;
    assert!(untried.contains("no dry run was left to remove it together with block"), "{untried}");
}

/// Together with block 10, without which nothing runs, block 6 does no harm: that is no case.
#[test]
fn a_joint_removal_that_leaves_little_is_no_case() {
    let mut program = Program { carries_all: Some(10), ..Program::default() };
    let plan = plan_program(&mut program, 300);
    assert!(plan.cases.iter().all(|case| !case.removed.contains(&BlockId(6))));
    let dropped = plan.dropped.iter().find(|dropped| dropped.block == BlockId(6)).unwrap();
    assert_eq!(
        dropped.reason,
        "10 uses 6; together with block 10: little of the program is left to run"
    );
}

#[test]
fn small_sets_and_first_companions_are_tried_first() {
    let blocks = |ids: &[u32]| ids.iter().map(|id| BlockId(*id)).collect::<Vec<_>>();
    let mut tries = JointTries::new(0, BlockId(1), &blocks(&[5, 6, 7]));
    assert_eq!(tries.take_next(), Some((0, blocks(&[1, 5]))));
    tries.extend(0, &blocks(&[1, 5]), &blocks(&[8, 9]));
    assert_eq!(tries.take_next(), Some((1, blocks(&[1, 6]))));
    assert_eq!(tries.take_next(), Some((0, blocks(&[1, 5, 8]))));
    assert_eq!(tries.take_next(), Some((1, blocks(&[1, 5, 9]))));
    assert_eq!(tries.take_next(), None);
}
