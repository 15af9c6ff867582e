//! What a dry run means, wherever it was made: that of a variant is held against the unremoved
//! application's.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::blocks::BlockId;
use crate::campaign::{DryCase, DryOutcome, parse_executions};
use crate::scenario::Scenario;

use super::AnalysedApplication;
use super::last_words::last_words;
use super::suspects::suspects;

/// A variant may execute this many times as many blocks as the unremoved case of its
/// input: a longer one takes the board for longer than the session is planned for.
const MORE_WORK: u64 = 2;

/// Executions that any variant may have on top, for applications that do next to nothing.
const SLACK: u64 = 10_000;

/// How a dry run ended, and what it left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DryEnd {
    /// How it ended.
    pub how: DryRunEnd,
    /// What its probes counted, as the runtime writes it.
    pub counts: Option<String>,
    /// What it printed, its marks among it.
    pub said: String,
    /// What it was ended by: its standard error, a stack trace.
    pub trace: String,
}

/// How a dry run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DryRunEnd {
    /// By itself, well.
    Ended,
    /// Badly; with an exit code, where there is one.
    Crashed(Option<i32>),
    /// By the probes' runtime, for its work.
    TooMuchWork,
    /// It was ended after so long.
    TimedOut(Duration),
    /// It did not get its input, for this reason.
    NoInput(String),
}

/// The variant that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriedVariant<'v> {
    /// Blocks that it was without.
    pub removed: &'v [BlockId],
    /// Blocks that it could not leave out, with the reason.
    pub kept: &'v [(BlockId, String)],
}

/// Tells what dry runs of an application mean.
pub struct DryRunJudge<'j> {
    scenario: &'j Scenario,
    application: &'j AnalysedApplication,
    /// Executions of all blocks in the unremoved case, by input.
    base_work: BTreeMap<String, u64>,
}

pub(super) fn failed(reason: String) -> DryOutcome {
    DryOutcome::Failed { reason, suspects: Vec::new() }
}

fn too_much() -> DryOutcome {
    let reason = format!("executes more than {MORE_WORK} times as many blocks, or never ends");
    failed(reason)
}

impl<'j> DryRunJudge<'j> {
    /// One that knows nothing of the unremoved cases yet.
    pub fn new(scenario: &'j Scenario, application: &'j AnalysedApplication) -> Self {
        DryRunJudge { scenario, application, base_work: BTreeMap::new() }
    }

    /// Keeps what an unremoved case did, for others to be held against; whether it was one.
    pub fn learn(&mut self, case: &DryCase, outcome: &DryOutcome) -> bool {
        match outcome {
            DryOutcome::Ran { executions, .. } if case.removed.is_empty() => {
                self.base_work.insert(case.input.clone(), executions.iter().sum());
                true
            }
            _ => false,
        }
    }

    /// The most blocks that a variant may execute with an input; none before it is known
    /// what the unremoved application does.
    pub(crate) fn most_work(&self, input: &str) -> Option<u64> {
        let base = self.base_work.get(input)?;
        Some(base.saturating_mul(MORE_WORK).saturating_add(SLACK))
    }

    /// Whether a variant executed far more than the unremoved application. One that goes
    /// on for ever is ended at the same limit while it runs, and one that crashes past the
    /// limit may have been ended before: so the outcome does not depend on the speed of
    /// whatever ran it.
    fn is_too_much(&self, case: &DryCase, executions: &[u64]) -> bool {
        self.most_work(&case.input).is_some_and(|most| executions.iter().sum::<u64>() > most)
    }

    /// What a case's run comes to.
    pub fn outcome(&self, end: &DryEnd, case: &DryCase, tried: &TriedVariant<'_>) -> DryOutcome {
        match &end.how {
            DryRunEnd::TimedOut(limit) => {
                return DryOutcome::Hung { reason: too_long(*limit, case) };
            }
            DryRunEnd::TooMuchWork => return too_much(),
            DryRunEnd::NoInput(reason) => return failed(reason.clone()),
            DryRunEnd::Ended if end.counts.is_none() => return failed("left no counts".into()),
            DryRunEnd::Ended | DryRunEnd::Crashed(_) => {}
        }
        // One that crashed may have been ended too hard to write them.
        let counts = end.counts.as_deref().unwrap_or_default();
        let executions = parse_executions(counts, self.application.dictionary.blocks.len());
        match (&end.how, executions) {
            (_, Ok(executions)) if self.is_too_much(case, &executions) => too_much(),
            (DryRunEnd::Crashed(code), _) => self.crash(*code, &end.trace, tried),
            (_, Ok(executions)) => match self.missing_marker(&end.said) {
                Some(mark) => failed(format!("did not print {mark:?}")),
                None => DryOutcome::Ran { executions, kept: tried.kept.to_vec() },
            },
            (_, Err(error)) => failed(error.to_string()),
        }
    }

    fn crash(&self, code: Option<i32>, trace: &str, tried: &TriedVariant<'_>) -> DryOutcome {
        // Of a variant the first line is enough: that it fails is its blocks' fault.
        let said = match tried.removed.is_empty() {
            true => last_words(trace),
            false => trace.lines().find(|line| !line.trim().is_empty()).map(str::to_string),
        };
        let how = code.map_or("crashed".to_owned(), |code| format!("exit code {code}"));
        let reason = format!("{how}: {}", said.as_deref().unwrap_or("no message"));
        let application = self.application;
        // Where a stack overflows is chance.
        let suspects = match trace.contains("StackOverflowError") {
            true => Vec::new(),
            false => suspects(trace, &application.sources, &application.dictionary, tried.removed),
        };
        DryOutcome::Failed { reason, suspects }
    }

    fn missing_marker(&self, said: &str) -> Option<&String> {
        let session = &self.scenario.session;
        [&session.begin_marker, &session.end_marker].into_iter().find(|mark| !said.contains(*mark))
    }
}

/// What is told of a run that did not end; of the unremoved application, what helps.
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
    fn outcome(end: DryEnd) -> DryOutcome {
        outcome_of(&[BlockId(0)], end)
    }

    fn outcome_of(removed: &[BlockId], end: DryEnd) -> DryOutcome {
        let (scenario, sources) = (scenario(), Sources::of_texts([("A.java", JAVA)]));
        let application = AnalysedApplication::analyse(sources, Granularity::Statement).unwrap();
        let mut judge = DryRunJudge::new(&scenario, &application);
        let base = DryCase { input: "one".into(), removed: Vec::new() };
        let ran = DryOutcome::Ran { executions: vec![100_000], kept: Vec::new() };
        assert!(judge.learn(&base, &ran));
        let case = DryCase { input: "one".into(), removed: removed.to_vec() };
        judge.outcome(&end, &case, &TriedVariant { removed, kept: &[] })
    }

    fn end(how: DryRunEnd, counts: &str) -> DryEnd {
        let said = "wattline: begin\nwattline: end\n".into();
        DryEnd { how, counts: Some(counts.into()), said, trace: String::new() }
    }

    fn reason(end: DryEnd) -> String {
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
        let unmarked = DryEnd { said: "wattline: begin".into(), ..end(DryRunEnd::Ended, FEW) };
        assert_eq!(reason(unmarked), "did not print \"wattline: end\"");
        let uncounted = DryEnd { counts: None, ..end(DryRunEnd::Ended, FEW) };
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
        let crash = |code| DryEnd { trace: trace.clone(), ..end(DryRunEnd::Crashed(code), FEW) };
        assert_eq!(reason(crash(Some(1))), "exit code 1: X: why");
        assert_eq!(reason(crash(None)), "crashed: X: why");
        let DryOutcome::Failed { suspects, .. } = outcome(crash(None)) else { panic!() };
        assert_eq!(suspects, [BlockId(0)]);
        let torn = DryEnd { trace, ..end(DryRunEnd::Crashed(None), "block,execu") };
        assert_eq!(reason(torn), "crashed: X: why");
        let hung = end(DryRunEnd::TimedOut(Duration::from_secs(12)), "");
        let DryOutcome::Hung { reason: of_base } = outcome_of(&[], hung.clone()) else { panic!() };
        assert!(of_base.contains("within 12 s") && of_base.contains("session.dry_extras"));
        assert_eq!(reason(hung), "did not end within 12 s");
    }
}
