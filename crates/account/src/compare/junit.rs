//! A comparison as JUnit XML for build servers: a test case for the scenario and for each budget.
//! An increase and an exceeded budget are failures, missing data an error. Times are the total
//! duration of the new side's power runs; budgets are checked against these runs and have a time
//! of zero.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::text::verdict_sentence;
use super::{BudgetRow, Comparison, GateVerdict};
use crate::format;

/// The text of `compare.xml`.
pub fn junit(comparison: &Comparison) -> String {
    let time = Duration::try_from_secs_f64(comparison.duration_s).unwrap_or_default();
    let mut suite = TestSuite::new("wattline compare");
    suite.set_time(time).add_test_case(scenario(comparison, time));
    suite.add_test_cases(comparison.budgets.iter().map(budget));
    let mut report = Report::new("wattline compare");
    report.set_time(time).add_test_suite(suite);
    report.to_string().expect("memory has no errors")
}

fn scenario(comparison: &Comparison, time: Duration) -> TestCase {
    let alone = Comparison { budgets: Vec::new(), ..comparison.clone() };
    let subject = &comparison.headline.subject;
    let name = format!("{} {}", subject.level(), subject.name());
    case(&name, alone.verdict(), &verdict_sentence(&alone), time)
}

fn budget(row: &BudgetRow) -> TestCase {
    let name = format!("budget of {} {}", row.budget.level, row.budget.name);
    let energy = row.energy.map_or(format::NONE.into(), format::energy);
    let interval = format::interval(row.interval);
    let budget = format::energy(row.budget.joules);
    case(&name, row.verdict, &format!("{energy} ({interval}) of {budget}"), Duration::ZERO)
}

/// A test case. XML has no control characters, so names and messages are made visible.
fn case(name: &str, verdict: GateVerdict, message: &str, time: Duration) -> TestCase {
    let (name, message) = (&format::visible_name(name), &format::visible(message));
    let ended = |kind| {
        let mut status = TestCaseStatus::non_success(kind);
        status.set_type(verdict.name()).set_message(message);
        status
    };
    let status = match verdict {
        GateVerdict::Pass => TestCaseStatus::success(),
        GateVerdict::OverBudget | GateVerdict::Increase => ended(NonSuccessKind::Failure),
        GateVerdict::NoData => ended(NonSuccessKind::Error),
    };
    let mut case = TestCase::new(name, status);
    case.set_classname("energy").set_time(time);
    if verdict == GateVerdict::Pass {
        case.set_system_out(message);
    }
    case
}
