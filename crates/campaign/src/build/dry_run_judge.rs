//! Interpretation of dry runs, on the local JVM or on a board: a variant's run is compared with the
//! unremoved application's.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::blocks::BlockId;
use crate::campaign::{DryCase, DryOutcome, parse_executions};
use crate::scenario::Scenario;

use super::AnalysedApplication;
use super::companions::companions;
use super::error_output::error_output_lines;
use super::suspects::suspects;

/// Greatest ratio of a variant's executions to those of the unremoved case with the same input: a
/// longer variant would take the board for longer than the planned session.
const MORE_WORK: u64 = 2;

/// Executions that every variant may have in addition, for applications with little work.
const SLACK: u64 = 10_000;

/// End and output of a dry run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DryRunOutput {
    /// How the run ended.
    pub how: DryRunEnd,
    /// Counts in the format of the probes' runtime.
    pub counts: Option<String>,
    /// Standard output or log, with the begin and end markers.
    pub printed: String,
    /// Standard error, such as the stack trace that ended the run.
    pub trace: String,
}

/// End of a dry run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DryRunEnd {
    /// Success.
    Ended,
    /// A crash; with the exit code, if there is one.
    Crashed(Option<i32>),
    /// Stopped by the probes' runtime after too many executions.
    TooMuchWork,
    /// Stopped after this time.
    TimedOut(Duration),
    /// The input failed, for this reason.
    NoInput(String),
}

/// The variant that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriedVariant<'v> {
    /// Removed blocks.
    pub removed: &'v [BlockId],
    /// Blocks that could not be removed, with the reason.
    pub kept: &'v [(BlockId, String)],
}

/// Judge of the outcomes of dry runs of an application.
pub struct DryRunJudge<'j> {
    scenario: &'j Scenario,
    application: &'j AnalysedApplication,
    /// Executions of all blocks in the unremoved case, by input.
    base_work: BTreeMap<String, u64>,
}

fn too_much_work() -> DryOutcome {
    let reason = format!("executes more than {MORE_WORK} times as many blocks, or never ends");
    DryOutcome::failed(reason)
}

impl<'j> DryRunJudge<'j> {
    /// A judge without known results of unremoved cases yet.
    pub fn new(scenario: &'j Scenario, application: &'j AnalysedApplication) -> Self {
        DryRunJudge { scenario, application, base_work: BTreeMap::new() }
    }

    /// Records the executions of an unremoved case, for comparison with others; returns whether
    /// `case` is unremoved and succeeded.
    pub fn record_base(&mut self, case: &DryCase, outcome: &DryOutcome) -> bool {
        match outcome {
            DryOutcome::Ran { executions, .. } if case.removed.is_empty() => {
                self.base_work.insert(case.input.clone(), executions.iter().sum());
                true
            }
            _ => false,
        }
    }

    /// Greatest number of executions for a variant with an input; `None` before the unremoved case
    /// is known.
    pub(crate) fn work_limit(&self, input: &str) -> Option<u64> {
        let base = self.base_work.get(input)?;
        Some(base.saturating_mul(MORE_WORK).saturating_add(SLACK))
    }

    /// Whether a variant executed far more than the unremoved application. A run without end is
    /// stopped at the same limit, and one that crashes past the limit might have been stopped
    /// before: so the outcome does not depend on the speed of the machine.
    fn is_too_much(&self, case: &DryCase, executions: &[u64]) -> bool {
        self.work_limit(&case.input).is_some_and(|most| executions.iter().sum::<u64>() > most)
    }

    /// The outcome of a case's run.
    pub fn outcome(
        &self,
        end: &DryRunOutput,
        case: &DryCase,
        tried: &TriedVariant<'_>,
    ) -> DryOutcome {
        match &end.how {
            DryRunEnd::TimedOut(limit) => {
                return DryOutcome::Hung { reason: too_long(*limit, case) };
            }
            DryRunEnd::TooMuchWork => return too_much_work(),
            DryRunEnd::NoInput(reason) => return DryOutcome::failed(reason.clone()),
            DryRunEnd::Ended if end.counts.is_none() => {
                return DryOutcome::failed("left no counts".into());
            }
            DryRunEnd::Ended | DryRunEnd::Crashed(_) => {}
        }
        // One that crashed may have been ended too hard to write them.
        let counts = end.counts.as_deref().unwrap_or_default();
        let executions = parse_executions(counts, self.application.dictionary.blocks.len());
        match (&end.how, executions) {
            (_, Ok(executions)) if self.is_too_much(case, &executions) => too_much_work(),
            (DryRunEnd::Crashed(code), _) => self.crash(*code, &end.trace, tried),
            (_, Ok(executions)) => match self.missing_marker(&end.printed) {
                Some(mark) => DryOutcome::failed(format!("did not print {mark:?}")),
                None => DryOutcome::Ran { executions, kept: tried.kept.to_vec() },
            },
            (_, Err(error)) => DryOutcome::failed(error.to_string()),
        }
    }

    fn crash(&self, code: Option<i32>, trace: &str, tried: &TriedVariant<'_>) -> DryOutcome {
        // Of a variant the first line is enough: that it fails is its blocks' fault.
        let printed = match tried.removed.is_empty() {
            true => error_output_lines(trace),
            false => trace.lines().find(|line| !line.trim().is_empty()).map(str::to_string),
        };
        let how = code.map_or("crashed".to_owned(), |code| format!("exit code {code}"));
        let reason = format!("{how}: {}", printed.as_deref().unwrap_or("no message"));
        let application = self.application;
        // Where a stack overflows is chance.
        if trace.contains("StackOverflowError") {
            return DryOutcome::failed(reason);
        }
        let (sources, dictionary) = (&application.sources, &application.dictionary);
        DryOutcome::Failed {
            reason,
            suspects: suspects(trace, sources, dictionary, tried.removed),
            companions: companions(trace, sources, dictionary, tried.removed),
        }
    }

    fn missing_marker(&self, printed: &str) -> Option<&String> {
        let session = &self.scenario.session;
        [&session.begin_marker, &session.end_marker]
            .into_iter()
            .find(|mark| !printed.contains(*mark))
    }
}

/// The message for a run that did not end; for the unremoved application, with a remedy.
fn too_long(limit: Duration, case: &DryCase) -> String {
    let seconds = limit.as_secs();
    match case.removed.is_empty() {
        false => format!("did not end within {seconds} s"),
        true => format!(
            "a dry run of it did not end within {seconds} s: let dry runs do less \
             (session.dry_extras, such as {{ frames = 100 }} or what leaves waiting out), or raise \
             session.limit_s"
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::blocks::Granularity;
    use crate::build::Sources;
    use crate::scenario::parse_scenario;

    const JAVA: &str = "class A {\n  void a() {\n    b = 1;\n  }\n  int b;\n}\n";

    fn scenario() -> Scenario {
        let text = "name = 'a'\n[application]\npackage = 'a.b'\nmain = 'A'\n[[source]]\n\
                    path = 's'\n[[input]]\nname = 'one'\n";
        parse_scenario(text, Path::new("s.toml")).unwrap()
    }

    /// The outcome of a variant's run beside a base case with 100 000 executions.
    fn outcome(end: DryRunOutput) -> DryOutcome {
        outcome_of(&[BlockId(0)], end)
    }

    fn outcome_of(removed: &[BlockId], end: DryRunOutput) -> DryOutcome {
        let (scenario, sources) = (scenario(), Sources::of_texts([("A.java", JAVA)]));
        let application = AnalysedApplication::analyse(sources, Granularity::Statement).unwrap();
        let mut judge = DryRunJudge::new(&scenario, &application);
        let base = DryCase { input: "one".into(), removed: Vec::new() };
        let ran = DryOutcome::Ran { executions: vec![100_000], kept: Vec::new() };
        assert!(judge.record_base(&base, &ran));
        let case = DryCase { input: "one".into(), removed: removed.to_vec() };
        judge.outcome(&end, &case, &TriedVariant { removed, kept: &[] })
    }

    fn end(how: DryRunEnd, counts: &str) -> DryRunOutput {
        let printed = "wattline: begin\nwattline: end\n".into();
        DryRunOutput { how, counts: Some(counts.into()), printed, trace: String::new() }
    }

    fn reason(end: DryRunOutput) -> String {
        match outcome(end) {
            DryOutcome::Failed { reason, .. } | DryOutcome::Hung { reason } => reason,
            DryOutcome::Ran { .. } => "it ran".into(),
        }
    }

    const FEW: &str = "block,executions\n0,7\n";

    #[test]
    fn a_run_to_the_end_mark_counts() {
        let DryOutcome::Ran { executions, .. } = outcome(end(DryRunEnd::Ended, FEW)) else {
            panic!()
        };
        assert_eq!(executions[0], 7);
        let unmarked =
            DryRunOutput { printed: "wattline: begin".into(), ..end(DryRunEnd::Ended, FEW) };
        assert_eq!(reason(unmarked), "did not print \"wattline: end\"");
        let uncounted = DryRunOutput { counts: None, ..end(DryRunEnd::Ended, FEW) };
        assert_eq!(reason(uncounted), "left no counts");
    }

    #[test]
    fn more_work_than_twice_the_bases_is_too_much_however_it_ended() {
        let much = "block,executions\n0,210001\n";
        for how in [DryRunEnd::Ended, DryRunEnd::Crashed(Some(1)), DryRunEnd::Crashed(None)] {
            assert!(reason(end(how, much)).starts_with("executes more than 2 times"));
        }
        assert!(reason(end(DryRunEnd::TooMuchWork, "")).starts_with("executes more than 2 times"));
    }

    #[test]
    fn crashes_and_hangs_are_told_and_point_at_blocks() {
        let trace = "X: why\n\tat A.a(A.java:3)\n".to_owned();
        let crash =
            |code| DryRunOutput { trace: trace.clone(), ..end(DryRunEnd::Crashed(code), FEW) };
        assert_eq!(reason(crash(Some(1))), "exit code 1: X: why");
        assert_eq!(reason(crash(None)), "crashed: X: why");
        let DryOutcome::Failed { suspects, .. } = outcome(crash(None)) else { panic!() };
        assert_eq!(suspects, [BlockId(0)]);
        let torn = DryRunOutput { trace, ..end(DryRunEnd::Crashed(None), "block,execu") };
        assert_eq!(reason(torn), "crashed: X: why");
        let hung = end(DryRunEnd::TimedOut(Duration::from_secs(12)), "");
        let DryOutcome::Hung { reason: of_base } = outcome_of(&[], hung.clone()) else { panic!() };
        assert!(of_base.contains("within 12 s") && of_base.contains("session.dry_extras"));
        assert_eq!(reason(hung), "did not end within 12 s");
    }
}
