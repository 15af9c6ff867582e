//! Plans of a written program: blocks with known operations, some of which crash or
//! collapse it when removed.

use std::collections::BTreeSet;

use super::*;
use crate::campaign::dry_runner::{DryCase, DryOutcome};
use crate::campaign::{PlannedCase, PlannedMicrobenchmarks};
use crate::operations::{BlockEntry, Operation, OperationCount};
use crate::scenario::{CampaignProtocol, CampaignSettings, CaseChoice, IdlePolicy, PlanOn};

/// A dictionary with one block per list of operations; all are removable.
pub(crate) fn dictionary(blocks: &[&[(&str, u32)]]) -> Dictionary {
    let block = |(index, operations): (usize, &&[(&str, u32)])| BlockEntry {
        id: BlockId(index as u32),
        name: format!("A.m().after_{index}"),
        kind: "continuation".into(),
        file: "A.java".into(),
        start_line: index as u32 + 1,
        end_line: index as u32 + 1,
        class: "A".into(),
        method: "m()".into(),
        removable: true,
        operations: (operations.iter().enumerate())
            .map(|(line, (operation, count))| OperationCount {
                context: Default::default(),
                operation: operation.parse().unwrap(),
                line: line as u32 + 1,
                count: *count,
            })
            .collect(),
    };
    Dictionary { blocks: blocks.iter().enumerate().map(block).collect() }
}

pub(crate) fn settings(cases: usize) -> CampaignSettings {
    CampaignSettings {
        plan_on: PlanOn::Host,
        repeats: 10,
        idle_repeats: 10,
        traced_repeats: 1,
        sampled_repeats: None,
        cases,
        protocol: CampaignProtocol::Paired,
        idle: IdlePolicy::Paired,
        window_s: 4.0,
        stop_lines: None,
        choice: CaseChoice::Coverage,
        line_error: None,
        removed_share: 0.3,
        candidates: 60,
        dry_runs: cases * 4,
        collapsed_share: 0.25,
        min_energy_share: 0.0,
        max_retries: 3,
        seed: 1,
    }
}

/// 60 blocks: block i runs 100 + i times (half as often with input b), 50..60 never;
/// twelve operations in turn. Removing 7 or 23 crashes, 11 collapses, 30 can't be
/// compiled away, 40 and 41 together crash.
#[derive(Default)]
struct Program {
    runs: usize,
    broken: bool,
    /// Whether a crash points at the block that causes it.
    tells: bool,
    /// With input b it waits for ever without these blocks.
    waits_without: Option<Vec<BlockId>>,
    /// Runs that hung.
    hung: Vec<DryCase>,
}

const BLOCKS: usize = 60;

fn program_dictionary() -> Dictionary {
    let names: Vec<&str> = Operation::all().map(Operation::name).collect();
    let lists: Vec<Vec<(&str, u32)>> =
        (0..BLOCKS).map(|i| vec![(names[i % 12], 1 + i as u32 % 3), (names[i % 7], 1)]).collect();
    let lists: Vec<&[(&str, u32)]> = lists.iter().map(Vec::as_slice).collect();
    dictionary(&lists)
}

impl DryRunner for Program {
    fn try_cases(&mut self, cases: &[DryCase]) -> Result<Vec<DryOutcome>, DryError> {
        self.runs += cases.len();
        let outcomes: Vec<DryOutcome> = cases.iter().map(|case| self.outcome(case)).collect();
        let ran = cases.iter().zip(&outcomes);
        let hung = ran.filter(|(_, outcome)| matches!(outcome, DryOutcome::Hung { .. }));
        self.hung.extend(hung.map(|(case, _)| case.clone()));
        Ok(outcomes)
    }
}

impl Program {
    fn outcome(&self, case: &DryCase) -> DryOutcome {
        let has = |block: u32| case.removed.contains(&BlockId(block));
        if case.input == "b" && self.waits_without.as_ref() == Some(&case.removed) {
            return DryOutcome::Hung { reason: "did not end within 12 s".into() };
        }
        if has(7) || has(23) || (has(40) && has(41)) || self.broken {
            let guilty = [7, 23, 40].into_iter().find(|block| self.tells && has(*block));
            let suspects = guilty.map(BlockId).into_iter().collect();
            let companions = Vec::new();
            let reason = "NullPointerException".into();
            return DryOutcome::Failed { reason, suspects, companions };
        }
        let scale = if case.input == "a" { 2 } else { 1 };
        let mut executions = vec![0; BLOCKS];
        for (block, count) in executions.iter_mut().enumerate().take(50) {
            let removed = block != 30 && has(block as u32);
            *count = if removed { 0 } else { (100 + block as u64) * scale };
            if has(11) && block > 3 {
                *count = 0;
            }
        }
        let kept = if has(30) { vec![(BlockId(30), "does not compile".into())] } else { vec![] };
        DryOutcome::Ran { executions, kept }
    }

    /// Its plan with two inputs.
    fn plan(&mut self, campaign: CampaignSettings) -> Plan {
        let settings = PlanSettings {
            inputs: vec!["a".to_string(), "b".to_string()],
            campaign,
            session_s: 100.0,
            microbenchmarks: PlannedMicrobenchmarks::default(),
        };
        plan_cases(&settings, &program_dictionary(), self).unwrap()
    }
}

fn failed(reason: &str) -> DryOutcome {
    DryOutcome::failed(reason.into())
}

fn plan_program(cases: usize, dry_runs: usize) -> (Plan, usize) {
    plan_with(CampaignSettings { dry_runs, ..settings(cases) })
}

/// A plan of the written program with two inputs, and the dry runs made.
pub(crate) fn plan_with(campaign: CampaignSettings) -> (Plan, usize) {
    let mut program = Program::default();
    (program.plan(campaign), program.runs)
}

#[test]
fn crashes_that_point_at_blocks_leave_more_dry_runs_for_others() {
    let removed = |tells: bool| {
        let mut program = Program { tells, ..Program::default() };
        let campaign = CampaignSettings { dry_runs: 40, ..settings(20) };
        program.plan(campaign).summary.removed_executed
    };
    assert!(removed(true) > removed(false), "{} {}", removed(true), removed(false));
    assert_eq!(removed(true), 47);
}

#[test]
fn every_block_that_can_be_removed_is_removed_somewhere() {
    let (plan, runs) = plan_program(44, 176);
    let dropped: Vec<_> = plan.dropped.iter().map(|d| (d.block.0, d.reason.as_str())).collect();
    let expected =
        [(7, "NullPointerException"), (23, "NullPointerException"), (30, "does not compile")];
    assert_eq!(dropped, expected);
    assert_eq!(plan.summary.removable_executed, 50);
    assert_eq!(plan.summary.removed_executed, 47);
    assert_eq!(plan.summary.dry_runs, runs);
    // Each case once more with its own build.
    assert!(runs <= 176 + 2 + plan.cases.len(), "{runs} dry runs");
}

#[test]
fn the_plan_has_the_cases_asked_for_and_can_tell_the_operations_apart() {
    let (plan, _) = plan_program(44, 176);
    assert_eq!(plan.cases.len(), 44);
    assert_eq!(plan.cases[0].name, "base-a");
    assert_eq!(plan.cases[1].name, "base-b");
    assert_eq!(plan.summary.operations, 12);
    assert_eq!(plan.summary.rank, 12);
    let reached = plan.cases.iter().position(|case| case.rank == 12).unwrap();
    assert!(reached < 24, "full rank after {reached} cases");
    assert!(plan.summary.collapsed >= 1 && plan.summary.collapsed <= 11);
    assert_eq!(plan.summary.board_s, 44.0 * 21.0 * 100.0);
    let names: BTreeSet<_> = plan.cases.iter().map(|case| &case.name).collect();
    assert_eq!(names.len(), 44);
}

/// Without block 11 the program runs 4 of 50 blocks: about 7 % of its operations.
#[test]
fn cases_with_too_little_energy_are_left_out() {
    let (plan, _) = plan_with(CampaignSettings { min_energy_share: 0.1, ..settings(44) });
    assert!(plan.cases.iter().all(|case| case.energy_share >= 0.1));
    assert_eq!((plan.cases.len(), plan.summary.collapsed), (44, 0));
    let dropped = plan.dropped.iter().find(|dropped| dropped.block.0 == 11).unwrap();
    assert_eq!(dropped.reason, "without it the application spends too little energy to measure");
}

/// A set that two inputs share, and that hangs with the second of them.
#[test]
fn a_set_that_hangs_is_tried_once_and_left_out_with_every_input() {
    let (undisturbed, _) = plan_program(44, 176);
    let (with_a, with_b): (Vec<&PlannedCase>, Vec<&PlannedCase>) =
        undisturbed.cases.iter().partition(|case| case.input == "a");
    let is_shared = |case: &&&PlannedCase| {
        !case.removed.is_empty() && with_b.iter().any(|other| other.removed == case.removed)
    };
    let shared = with_a.iter().find(is_shared).expect("variants are shared").removed.clone();
    let mut program = Program { waits_without: Some(shared.clone()), ..Program::default() };
    let plan = program.plan(CampaignSettings { dry_runs: 176, ..settings(44) });
    assert_eq!(program.hung.len(), 1, "{:?}", program.hung);
    assert!(plan.cases.iter().all(|case| case.removed != shared));
    assert_eq!(plan.cases.len(), 44, "another set takes its place");
}

#[test]
fn sets_are_of_the_size_asked_for() {
    let (plan, _) = plan_program(44, 176);
    let sizes: Vec<usize> = plan.cases.iter().map(|case| case.removed.len()).collect();
    let large = sizes.iter().filter(|size| **size >= 8).count();
    assert!(large >= 20, "{sizes:?}");
    let shared = plan.cases.len() - plan.summary.variants;
    assert!(shared > 1, "no variant is shared by two inputs");
}

#[test]
fn the_same_seed_gives_the_same_plan() {
    assert_eq!(plan_program(44, 176), plan_program(44, 176));
}

#[test]
fn a_small_budget_is_kept_and_said() {
    let (plan, runs) = plan_program(40, 20);
    assert!(runs <= 22 + plan.cases.len());
    assert!(plan.dropped.iter().any(|d| d.reason.contains("used up")), "{:?}", plan.dropped);
}

#[test]
fn a_broken_base_case_is_an_error() {
    let mut program = Program { broken: true, ..Program::default() };
    let settings = PlanSettings {
        inputs: vec!["a".into()],
        campaign: settings(3),
        session_s: 1.0,
        microbenchmarks: PlannedMicrobenchmarks::default(),
    };
    let error = plan_cases(&settings, &program_dictionary(), &mut program).unwrap_err();
    assert_eq!(error.to_string(), "the base case of input `a` fails: NullPointerException");
}

/// A program in which every sixth block crashes it: 240 blocks, four inputs that each run
/// most of them.
struct Fragile;

impl DryRunner for Fragile {
    fn try_cases(&mut self, cases: &[DryCase]) -> Result<Vec<DryOutcome>, DryError> {
        let outcome = |case: &DryCase| {
            if case.removed.iter().any(|block| block.0 % 6 == 5) {
                return failed("crash");
            }
            let input = case.input.as_bytes()[0] as usize;
            let count = |block: usize| {
                let skipped = block % 10 == input % 10;
                let removed = case.removed.contains(&BlockId(block as u32));
                if skipped || removed { 0 } else { 100 + (block * input % 37) as u64 }
            };
            DryOutcome::Ran { executions: (0..240).map(count).collect(), kept: Vec::new() }
        };
        Ok(cases.iter().map(outcome).collect())
    }
}

#[test]
fn a_fragile_program_still_gets_its_cases() {
    let names: Vec<&str> = Operation::all().map(Operation::name).collect();
    let lists: Vec<Vec<(&str, u32)>> =
        (0..240).map(|i| vec![(names[i % 40], 1), (names[i * 7 % 40], 2)]).collect();
    let lists: Vec<&[(&str, u32)]> = lists.iter().map(Vec::as_slice).collect();
    let inputs = ["a", "b", "c", "d"].map(str::to_string).to_vec();
    let planned = |dry_runs| {
        let campaign = CampaignSettings { dry_runs, ..settings(44) };
        let settings = PlanSettings {
            inputs: inputs.clone(),
            campaign,
            session_s: 1.0,
            microbenchmarks: PlannedMicrobenchmarks::default(),
        };
        plan_cases(&settings, &dictionary(&lists), &mut Fragile).unwrap()
    };
    let full = planned(400);
    assert_eq!((full.summary.removed_executed, full.summary.rank), (200, 40));
    assert_eq!(full.dropped.len(), 40);
    assert!(full.dropped.iter().all(|d| d.block.0 % 6 == 5 && d.reason == "crash"));
    let short = planned(176);
    assert_eq!(short.summary.cases, 44);
    assert!(short.summary.removed_executed > 120, "{:?}", short.summary);
}

/// A program whose tries and own builds disagree: without block 7 only the try runs, and
/// javac leaves block 9 in.
struct Disagreeing;

impl DryRunner for Disagreeing {
    fn try_cases(&mut self, cases: &[DryCase]) -> Result<Vec<DryOutcome>, DryError> {
        let count = |case: &DryCase, block: u32| match case.removed.contains(&BlockId(block)) {
            true => 0,
            false => 100 + u64::from(block),
        };
        let executions = |case: &DryCase| (0..20).map(|block| count(case, block)).collect();
        let ran =
            |case: &DryCase| DryOutcome::Ran { executions: executions(case), kept: Vec::new() };
        Ok(cases.iter().map(ran).collect())
    }

    fn verify(&mut self, cases: &[DryCase]) -> Result<Vec<DryOutcome>, DryError> {
        let outcomes = self.try_cases(cases)?.into_iter().zip(cases);
        let verified = outcomes.map(|(outcome, case)| match outcome {
            _ if case.removed.contains(&BlockId(7)) => failed("VerifyError"),
            DryOutcome::Ran { mut executions, .. } if case.removed.contains(&BlockId(9)) => {
                executions[9] = 109;
                DryOutcome::Ran { executions, kept: vec![(BlockId(9), "line 9: no".into())] }
            }
            outcome => outcome,
        });
        Ok(verified.collect())
    }
}

#[test]
fn what_is_planned_has_run_with_its_own_build() {
    let lists = vec![&[("Not", 1)][..]; 20];
    let settings = PlanSettings {
        inputs: vec!["a".into()],
        campaign: settings(12),
        session_s: 1.0,
        microbenchmarks: PlannedMicrobenchmarks::default(),
    };
    let plan = plan_cases(&settings, &dictionary(&lists), &mut Disagreeing).unwrap();
    let removes = |block| plan.cases.iter().any(|case| case.removed.contains(&BlockId(block)));
    assert!(plan.cases.len() > 4, "{:?}", plan.cases);
    assert!(removes(3) && !removes(7) && !removes(9));
    for case in &plan.cases {
        let removed: u64 = case.removed.iter().map(|block| 100 + u64::from(block.0)).sum();
        assert_eq!(case.executions, (100..120).sum::<u64>() - removed, "{}", case.name);
    }
    let reason = |block| plan.dropped.iter().find(|d| d.block.0 == block).unwrap().reason.as_str();
    assert_eq!(reason(7), "the build of a set with it does not run: VerifyError");
    assert_eq!(reason(9), "line 9: no");
}
