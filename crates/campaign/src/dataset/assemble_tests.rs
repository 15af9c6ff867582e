//! A campaign written by hand: two cases, one of which lacks its traced run at first.

use super::*;
use crate::blocks::BlockId;
use crate::campaign::case_planner::tests::dictionary;
use crate::campaign::count_operations;
use crate::operations::Dictionary;
use crate::run::{BoardIdentity, RunVerdict};
use crate::run_record::record;

fn planned(name: &str) -> PlannedCase {
    PlannedCase {
        name: name.into(),
        variant: "v".into(),
        input: "north".into(),
        removed: vec![BlockId(0)],
        executions: 1,
        executions_share: 1.0,
        energy_share: 1.0,
        rank: 1,
    }
}

/// Case a: power 30 and 34 J over 10 s, idle 1 W (5 s) and 2 W; case b 50 J over 10 s.
pub(crate) fn records() -> Vec<RunRecord> {
    let mut records = vec![
        record("a", RunPhase::Power, 1, 30.0, 10.0),
        record("a", RunPhase::Power, 2, 34.0, 10.0),
        record("a", RunPhase::Idle, 1, 5.0, 5.0),
        record("a", RunPhase::Idle, 2, 20.0, 10.0),
        record("b", RunPhase::Power, 1, 50.0, 10.0),
        record("b", RunPhase::Idle, 1, 10.0, 10.0),
    ];
    let mut bad = record("b", RunPhase::Power, 2, 999.0, 10.0);
    bad.verdict = RunVerdict::Bad { reasons: vec!["too hot".into(), "died".into()] };
    records.push(bad);
    records
}

fn options() -> AssembleOptions {
    AssembleOptions {
        library: LibraryTop::Most(2),
        idle: IdlePolicy::Paired,
        duration_mismatch: 0.2,
    }
}

fn program() -> Dictionary {
    dictionary(&[&[("Not", 2), ("lib:x.X.x", 1)], &[("And", 3), ("lib:y.Y.y", 1)]])
}

fn counts() -> BTreeMap<String, BTreeMap<String, u128>> {
    let of = |executions: &[u64]| count_operations(&program(), executions);
    BTreeMap::from([("a".into(), of(&[10, 100])), ("b".into(), of(&[20, 0]))])
}

pub(crate) fn dataset() -> Dataset {
    let plan = [planned("a"), planned("b")];
    assemble(&plan, &records(), &counts(), &options()).unwrap()
}

/// Collections 1 and 2 of case a are 1.5 on average: 2.
#[test]
fn cases_have_energy_and_counts() {
    let dataset = dataset();
    assert_eq!(dataset.features, ["And", "Not", "lib:GC", "lib:other", "lib:y.Y.y"]);
    let a = &dataset.cases[0];
    assert_eq!(a.energy.energy_j, 17.0);
    assert_eq!(a.energy.energy_se_j, Some(29.0f64.sqrt()));
    let table = dataset.table();
    assert_eq!(table.row(0), [300.0, 20.0, 2.0, 10.0, 100.0]);
    assert_eq!(table.row(1), [0.0, 40.0, 1.0, 20.0, 0.0]);
    assert_eq!((table.cases[1].energy_j, table.cases[1].energy_se_j), (40.0, None));
    assert_eq!(table.cases[1].device, "B1");
    assert_eq!(dataset.lumped, [("lib:x.X.x".to_string(), 30)]);
}

#[test]
fn what_is_left_out_has_a_reason() {
    let dataset = dataset();
    let expected = DatasetOmission { what: "b-power-2".into(), reason: "too hot; died".into() };
    assert_eq!(dataset.left_out, [expected]);
    assert_eq!(dataset.rule_difference, 0.5);
    assert_eq!(dataset.clock_residual_s, Some(0.02));
    assert_eq!(dataset.refresh_share, 0.025);
    let mut fewer = counts();
    fewer.remove("a");
    let plan = [planned("a"), planned("b"), planned("c")];
    let dataset = assemble(&plan, &records(), &fewer, &options()).unwrap();
    let whats: Vec<_> =
        dataset.left_out.iter().map(|o| format!("{}: {}", o.what, o.reason)).collect();
    let expected =
        ["b-power-2: too hot; died", "a: it has no good traced run", "c: it has no good power run"];
    assert_eq!(whats, expected);
    let error = assemble(&plan[..1], &records(), &fewer, &options()).unwrap_err();
    assert_eq!(error, DatasetError::NoCase { reason: "it has no good traced run".into() });
}

/// Case b has one power run of this energy and length, beside 1 W of idle power; only it is left
/// out.
fn why_b_is_left_out(energy_j: f64, duration_s: f64) -> String {
    let power = record("b", RunPhase::Power, 1, energy_j, duration_s);
    let of_b = [power, record("b", RunPhase::Idle, 1, 10.0, 10.0)];
    let of_a = records().into_iter().filter(|record| record.run.case == "a");
    let records: Vec<RunRecord> = of_a.chain(of_b).collect();
    let plan = [planned("a"), planned("b")];
    let dataset = assemble(&plan, &records, &counts(), &options()).unwrap();
    let [DatasetOmission { what, reason }] = &dataset.left_out[..] else { panic!("{dataset:?}") };
    assert_eq!((what.as_str(), dataset.cases.len()), ("b", 1));
    reason.clone()
}

#[test]
fn a_case_that_is_short_for_the_meter_is_left_out() {
    let reason = why_b_is_left_out(50.0, 2.4);
    assert!(reason.starts_with("it lasted 2.40 s, less than 10 refreshes of the meter (2.50 s)"));
}

#[test]
fn a_case_that_the_meter_saw_nothing_of_is_left_out() {
    let reason = why_b_is_left_out(10.0, 10.0);
    assert!(reason.starts_with("the meter saw it spend nothing beside idle"), "{reason}");
}

#[test]
fn a_run_of_another_length_is_left_out() {
    let mut records = records();
    records.push(record("a", RunPhase::Power, 3, 90.0, 20.0));
    let plan = [planned("a")];
    let dataset = assemble(&plan, &records, &counts(), &options()).unwrap();
    assert_eq!(dataset.cases[0].energy.power_runs, 2);
    assert_eq!(dataset.left_out[1].reason, "it lasted 20.00 s, the case's median is 10.00 s");
}

/// Idle powers 1, 2 and 1 W: 4/3 W over 10 s.
#[test]
fn idle_power_may_come_from_the_whole_campaign() {
    let options = AssembleOptions { idle: IdlePolicy::Campaign, ..options() };
    let plan = [planned("b")];
    let dataset = assemble(&plan, &records(), &counts(), &options).unwrap();
    assert!((dataset.cases[0].energy.energy_j - (50.0 - 40.0 / 3.0)).abs() < 1e-12);
}

/// Two boards: case a on both, case b on the second alone. Idle 1 W on B1, 3 W on B2.
#[test]
fn every_board_has_rows_of_its_own_with_its_own_idle_power_in_any_order_of_runs() {
    let on = |serial: &str, record: RunRecord| RunRecord {
        board: BoardIdentity { serial: serial.into(), ..BoardIdentity::default() },
        ..record
    };
    let mut records = vec![
        on("B1", record("a", RunPhase::Power, 1, 30.0, 10.0)),
        on("B1", record("a", RunPhase::Idle, 1, 10.0, 10.0)),
        on("B2", record("a", RunPhase::Power, 1, 70.0, 10.0)),
        on("B2", record("a", RunPhase::Power, 2, 70.1, 10.0)),
        on("B2", record("a", RunPhase::Power, 3, 70.3, 10.0)),
        on("B2", record("a", RunPhase::Idle, 1, 30.0, 10.0)),
        on("B2", record("b", RunPhase::Power, 1, 90.0, 10.0)),
    ];
    let options = AssembleOptions { idle: IdlePolicy::Campaign, ..options() };
    let plan = [planned("a"), planned("b")];
    let whole = assemble(&plan, &records, &counts(), &options).unwrap();
    let rows: Vec<_> =
        whole.cases.iter().map(|case| (case.name.as_str(), case.device.as_str())).collect();
    assert_eq!(rows, [("a", "B1"), ("a", "B2"), ("b", "B2")]);
    assert_eq!(whole.cases[0].energy.energy_j, 20.0);
    assert_eq!(whole.cases[2].energy.energy_j, 60.0);
    assert_eq!(whole.cases[0].counts["And"], whole.cases[1].counts["And"]);
    for _ in 0..records.len() {
        records.rotate_left(1);
        assert_eq!(assemble(&plan, &records, &counts(), &options).unwrap(), whole);
    }
}
