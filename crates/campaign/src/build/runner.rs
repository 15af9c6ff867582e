//! Running one variant on the local JVM, and what came of it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc};
use std::time::{Duration, Instant};

use crate::blocks::BlockId;
use crate::campaign::{DryCase, DryOutcome};
use crate::private_files::TemporaryFolder;
use crate::scenario::{InputSequence, Scenario};
use crate::toolchain::Jdk;
use crate::toolchain::jvm::{self, JvmEnd, JvmOutcome, JvmRun};

use super::counts_files::read_counts;
use super::jobs::Job;
use super::variant::Classes;
use super::verdict::{DryEnd, DryRunEnd, DryRunJudge, TriedVariant, failed};
use super::windowed::{Windowed, runnable};
use super::{AnalysedApplication, BuildError};

/// A dry run of the unremoved application counts as hung after a session's limit, and not
/// before this: it counts what it executes, which is slow, but doesn't wait for frames.
const BASE_LIMIT: Duration = Duration::from_secs(60);

/// The back-stop for variants that wait for ever without executing anything: this many
/// times as long as the unremoved case of the same input, so that a busy machine is never taken
/// for one.
const SLOWER: u32 = 10;

/// ... and at least so long.
const LEAST_LIMIT: Duration = Duration::from_secs(10);

/// How long a program may take to write its calls at its limit.
const WRITING: Duration = Duration::from_secs(60);

/// Exit code of a program that the probes' runtime ended for its work (`W.java`).
const TOO_MUCH_WORK: i32 = 99;

fn base_limit(scenario: &Scenario) -> Duration {
    BASE_LIMIT.max(Duration::from_secs_f64(scenario.session.limit_s))
}

/// What came of a dry run, and how long it took.
pub(super) struct DryRun {
    pub outcome: DryOutcome,
    pub took: Duration,
}

/// What several threads need to run variants at once.
pub(super) struct VariantRunner<'r> {
    scenario: &'r Scenario,
    application: &'r AnalysedApplication,
    jdk: &'r Jdk,
    /// What starts an application with a window.
    windowed: Option<Windowed>,
    judge: DryRunJudge<'r>,
    /// By input, how long a run may take, where it is known how long the unremoved case takes.
    limits: BTreeMap<String, Duration>,
}

impl<'r> VariantRunner<'r> {
    /// Runs cases of a scenario; nothing is known of the unremoved ones yet.
    pub(super) fn new(
        scenario: &'r Scenario,
        application: &'r AnalysedApplication,
        jdk: &'r Jdk,
    ) -> Result<Self, BuildError> {
        if scenario.application.apk.is_some() {
            return Err(BuildError::NoAndroid);
        }
        if scenario.session.input_command.is_some() {
            return Err(BuildError::InputCommand);
        }
        let windowed = Windowed::of(scenario, application, jdk)?;
        let (judge, limits) = (DryRunJudge::new(scenario, application), BTreeMap::new());
        Ok(VariantRunner { scenario, application, jdk, windowed, judge, limits })
    }

    /// A build's classes as they are run.
    pub(super) fn runnable<'c>(
        &self,
        classes: &'c Classes,
    ) -> Result<Cow<'c, Classes>, BuildError> {
        runnable(self.windowed.as_ref(), self.scenario, classes)
    }

    /// Where a run in this folder leaves what its probes counted.
    pub(super) fn left(&self, folder: &Path) -> PathBuf {
        match self.windowed {
            Some(_) => Windowed::left(folder),
            None => folder.to_path_buf(),
        }
    }

    /// Keeps what the unremoved cases did, for others to be held against.
    pub(super) fn learn(&mut self, cases: &[DryCase], runs: &[DryRun]) {
        for (case, run) in cases.iter().zip(runs) {
            if self.judge.learn(case, &run.outcome) {
                self.limits.insert(case.input.clone(), LEAST_LIMIT.max(run.took * SLOWER));
            }
        }
    }

    /// How long a run with this input may take.
    fn limit(&self, input: &str) -> Duration {
        self.limits.get(input).copied().unwrap_or_else(|| base_limit(self.scenario))
    }

    /// Whether it is known what the unremoved application does with an input.
    pub(super) fn knows(&self, input: &str) -> bool {
        self.judge.most_work(input).is_some()
    }

    /// Runs what comes until nothing comes any more.
    pub(super) fn work(
        &self,
        cases: &[DryCase],
        queue: &Mutex<mpsc::Receiver<(usize, Arc<Job>)>>,
    ) -> Result<Vec<(usize, DryRun)>, BuildError> {
        let mut runs = Vec::new();
        loop {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok((index, job)) = next else { return Ok(runs) };
            let begun = Instant::now();
            let outcome = match job.hung.get() {
                Some(reason) => DryOutcome::Hung { reason: reason.clone() },
                None => self.run(&cases[index], &job)?,
            };
            if let DryOutcome::Hung { reason } = &outcome
                && !job.removed.is_empty()
            {
                job.hung.set(reason.clone()).ok();
            }
            runs.push((index, DryRun { outcome, took: begun.elapsed() }));
        }
    }

    fn run(&self, case: &DryCase, job: &Job) -> Result<DryOutcome, BuildError> {
        let folder =
            TemporaryFolder::new("dry-run").map_err(BuildError::io(std::env::temp_dir()))?;
        let Some(input) = self.scenario.inputs.iter().find(|input| input.name == case.input) else {
            return Ok(failed(format!("no input sequence {}", case.input)));
        };
        let outcome = jvm::run(self.jdk, &self.plan(input, folder.path(), job)?)?;
        let end = self.end(outcome, folder.path(), self.limit(&case.input))?;
        let removed: Vec<BlockId> = job.removed.iter().copied().collect();
        let tried = TriedVariant { removed: &removed, kept: &job.kept };
        Ok(self.judge.outcome(&end, case, &tried))
    }

    /// Makes the JVM keep what it learns of the classes while it starts, so that all
    /// later starts are faster. Its option; none if the JVM can't do so.
    pub(super) fn archive(&self, folder: &Path, jar: &Path) -> Result<Option<String>, BuildError> {
        let (Some(input), archive) = (self.scenario.inputs.first(), folder.join("dry.jsa")) else {
            return Ok(None);
        };
        let job = Job {
            classes: jar.to_path_buf(),
            options: vec![format!("-XX:ArchiveClassesAtExit={}", archive.display())],
            off: None,
            removed: BTreeSet::new(),
            kept: Vec::new(),
            hung: OnceLock::new(),
        };
        jvm::run(self.jdk, &self.plan(input, folder, &job)?)?;
        Ok(archive.exists().then(|| format!("-XX:SharedArchiveFile={}", archive.display())))
    }

    /// The option that makes the probes' runtime end the program past the limit.
    fn work_limit(&self, input: &str) -> Option<String> {
        self.judge.most_work(input).map(|most| format!("-Dwattline.limit={most}"))
    }

    /// A run with the call-tree probe, which ends it by itself at its limit.
    pub(super) fn recording(
        &self,
        input: &InputSequence,
        folder: &Path,
        classes: &Path,
        limit: Duration,
    ) -> Result<JvmRun, BuildError> {
        let ends = format!("-Dwattline.limit_ms={}", limit.as_millis());
        let job = Job {
            classes: classes.to_path_buf(),
            options: vec![ends],
            off: None,
            removed: BTreeSet::new(),
            kept: Vec::new(),
            hung: OnceLock::new(),
        };
        Ok(JvmRun { limit: limit + WRITING, ..self.plan(input, folder, &job)? })
    }

    fn plan(&self, input: &InputSequence, folder: &Path, job: &Job) -> Result<JvmRun, BuildError> {
        let libraries = self.application.sources.class_path();
        let mut extras = self.scenario.extras(input);
        extras.extend(self.scenario.session.dry_extras.clone());
        let off = job.off.as_ref().map(|off| format!("-Dwattline.off={off}"));
        let properties = self.work_limit(&input.name).into_iter().chain(off);
        let program = JvmRun {
            classpath: std::iter::once(job.classes.clone()).chain(libraries).collect(),
            main: self.scenario.application.main.clone().ok_or(BuildError::NoMain)?,
            arguments: extras.iter().map(|(key, value)| format!("{key}={value}")).collect(),
            options: self
                .application
                .sources
                .javac
                .jvm_options()
                .chain(job.options.iter().cloned())
                .chain(properties)
                .collect(),
            directory: folder.to_path_buf(),
            input: input.steps.iter().map(|step| step.timed() + "\n").collect(),
            limit: self.limit(&input.name),
        };
        Ok(match &self.windowed {
            Some(windowed) => windowed.run(program, &job.classes, &extras, &input.steps),
            None => program,
        })
    }

    fn end(
        &self,
        outcome: JvmOutcome,
        folder: &Path,
        limit: Duration,
    ) -> Result<DryEnd, BuildError> {
        let how = match outcome.end {
            JvmEnd::TimedOut => DryRunEnd::TimedOut(limit),
            JvmEnd::Exited(TOO_MUCH_WORK) => DryRunEnd::TooMuchWork,
            JvmEnd::Exited(0) => DryRunEnd::Ended,
            JvmEnd::Exited(code) => DryRunEnd::Crashed(Some(code)),
        };
        let left = self.left(folder);
        let counts = read_counts(&left).map_err(BuildError::io(&left))?;
        Ok(DryEnd { how, counts, said: outcome.stdout, trace: outcome.stderr })
    }
}
