//! Runs of one variant on the local JVM, and their outcomes.

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
use super::dry_run_jobs::DryRunJob;
use super::dry_run_judge::{DryRunEnd, DryRunJudge, DryRunOutput, TriedVariant};
use super::variant::Classes;
use super::windowed_application::{WindowedApplication, dry_run_classes};
use super::{AnalysedApplication, BuildError};

/// Least time limit of a dry run of the unremoved application, whose limit is otherwise a
/// session's: counting is slow, but a dry run does not wait for frames.
const BASE_LIMIT: Duration = Duration::from_secs(60);

/// Time limit of variants, as a multiple of the run time of the unremoved case with the same input;
/// it only stops variants that wait for ever without executing blocks, and is so high that a busy
/// machine never reaches it.
const TIME_LIMIT_FACTOR: u32 = 10;

/// Least time limit of variants.
const LEAST_LIMIT: Duration = Duration::from_secs(10);

/// Additional time for a program to write its calls at its time limit.
const CALL_LOG_TIME: Duration = Duration::from_secs(60);

/// Exit code of a program that the probes' runtime ended after too many executions (`W.java`).
const TOO_MUCH_WORK: i32 = 99;

fn base_limit(scenario: &Scenario) -> Duration {
    BASE_LIMIT.max(Duration::from_secs_f64(scenario.session.limit_s))
}

/// Outcome and duration of a dry run.
pub(super) struct DryRun {
    pub outcome: DryOutcome,
    pub took: Duration,
}

/// Shared state of the threads that run variants.
pub(super) struct VariantRunner<'r> {
    scenario: &'r Scenario,
    application: &'r AnalysedApplication,
    jdk: &'r Jdk,
    /// The setup for an application with a window.
    windowed: Option<WindowedApplication>,
    judge: DryRunJudge<'r>,
    /// Time limit of a run by input, where the duration of the unremoved case is known.
    limits: BTreeMap<String, Duration>,
}

impl<'r> VariantRunner<'r> {
    /// A runner without known results of unremoved cases yet.
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
        let windowed = WindowedApplication::of(scenario, application, jdk)?;
        let (judge, limits) = (DryRunJudge::new(scenario, application), BTreeMap::new());
        Ok(VariantRunner { scenario, application, jdk, windowed, judge, limits })
    }

    /// The classes of a build in the form that dry runs load.
    pub(super) fn loadable<'c>(
        &self,
        classes: &'c Classes,
    ) -> Result<Cow<'c, Classes>, BuildError> {
        dry_run_classes(self.windowed.as_ref(), self.scenario, classes)
    }

    /// Folder with the probes' counts of a run in `folder`.
    pub(super) fn counts_folder(&self, folder: &Path) -> PathBuf {
        match self.windowed {
            Some(_) => WindowedApplication::counts_folder(folder),
            None => folder.to_path_buf(),
        }
    }

    /// Records the results of unremoved cases, with which other cases are compared.
    pub(super) fn record_bases(&mut self, cases: &[DryCase], runs: &[DryRun]) {
        for (case, run) in cases.iter().zip(runs) {
            if self.judge.record_base(case, &run.outcome) {
                self.limits
                    .insert(case.input.clone(), LEAST_LIMIT.max(run.took * TIME_LIMIT_FACTOR));
            }
        }
    }

    /// Time limit of a run with this input.
    fn limit(&self, input: &str) -> Duration {
        self.limits.get(input).copied().unwrap_or_else(|| base_limit(self.scenario))
    }

    /// Whether the result of the unremoved application with an input is known.
    pub(super) fn has_base(&self, input: &str) -> bool {
        self.judge.work_limit(input).is_some()
    }

    /// Runs jobs from the queue until it is closed.
    pub(super) fn run_jobs(
        &self,
        cases: &[DryCase],
        queue: &Mutex<mpsc::Receiver<(usize, Arc<DryRunJob>)>>,
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

    fn run(&self, case: &DryCase, job: &DryRunJob) -> Result<DryOutcome, BuildError> {
        let folder =
            TemporaryFolder::new("dry-run").map_err(BuildError::io(std::env::temp_dir()))?;
        let Some(input) = self.scenario.inputs.iter().find(|input| input.name == case.input) else {
            return Ok(DryOutcome::failed(format!("no input sequence {}", case.input)));
        };
        let outcome = jvm::run_program(self.jdk, &self.jvm_run(input, folder.path(), job)?)?;
        let end = self.output_of(outcome, folder.path(), self.limit(&case.input))?;
        let removed: Vec<BlockId> = job.removed.iter().copied().collect();
        let tried = TriedVariant { removed: &removed, kept: &job.kept };
        Ok(self.judge.outcome(&end, case, &tried))
    }

    /// Writes a class data sharing archive for the jar, so that later JVMs start faster; returns
    /// the JVM option that uses it, or `None` if the JVM can't write one.
    pub(super) fn archive_classes(
        &self,
        folder: &Path,
        jar: &Path,
    ) -> Result<Option<String>, BuildError> {
        let (Some(input), archive) = (self.scenario.inputs.first(), folder.join("dry.jsa")) else {
            return Ok(None);
        };
        let job = DryRunJob {
            classes: jar.to_path_buf(),
            options: vec![format!("-XX:ArchiveClassesAtExit={}", archive.display())],
            off: None,
            removed: BTreeSet::new(),
            kept: Vec::new(),
            hung: OnceLock::new(),
        };
        jvm::run_program(self.jdk, &self.jvm_run(input, folder, &job)?)?;
        Ok(archive.exists().then(|| format!("-XX:SharedArchiveFile={}", archive.display())))
    }

    /// The JVM option that limits the number of executions, where the limit is known.
    fn work_limit_option(&self, input: &str) -> Option<String> {
        self.judge.work_limit(input).map(|most| format!("-Dwattline.limit={most}"))
    }

    /// The settings of a run with the call-tree probe, which ends the run at `limit`.
    pub(super) fn call_recording_run(
        &self,
        input: &InputSequence,
        folder: &Path,
        classes: &Path,
        limit: Duration,
    ) -> Result<JvmRun, BuildError> {
        let ends = format!("-Dwattline.limit_ms={}", limit.as_millis());
        let job = DryRunJob {
            classes: classes.to_path_buf(),
            options: vec![ends],
            off: None,
            removed: BTreeSet::new(),
            kept: Vec::new(),
            hung: OnceLock::new(),
        };
        Ok(JvmRun { limit: limit + CALL_LOG_TIME, ..self.jvm_run(input, folder, &job)? })
    }

    fn jvm_run(
        &self,
        input: &InputSequence,
        folder: &Path,
        job: &DryRunJob,
    ) -> Result<JvmRun, BuildError> {
        let libraries = self.application.sources.class_path();
        let mut extras = self.scenario.extras(input);
        extras.extend(self.scenario.session.dry_extras.clone());
        let off = job.off.as_ref().map(|off| format!("-Dwattline.off={off}"));
        let properties = self.work_limit_option(&input.name).into_iter().chain(off);
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

    fn output_of(
        &self,
        outcome: JvmOutcome,
        folder: &Path,
        limit: Duration,
    ) -> Result<DryRunOutput, BuildError> {
        let how = match outcome.end {
            JvmEnd::TimedOut => DryRunEnd::TimedOut(limit),
            JvmEnd::Exited(TOO_MUCH_WORK) => DryRunEnd::TooMuchWork,
            JvmEnd::Exited(0) => DryRunEnd::Ended,
            JvmEnd::Exited(code) => DryRunEnd::Crashed(Some(code)),
        };
        let left = self.counts_folder(folder);
        let counts = read_counts(&left).map_err(BuildError::io(&left))?;
        Ok(DryRunOutput { how, counts, printed: outcome.stdout, trace: outcome.stderr })
    }
}
