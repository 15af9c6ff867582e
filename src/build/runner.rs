//! Running one variant on the local JVM, and what came of it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

use crate::blocks::BlockId;
use crate::campaign::{DryCase, DryOutcome, parse_executions};
use crate::scenario::{Input, Scenario};
use crate::toolchain::Jdk;
use crate::toolchain::jvm::{self, JvmEnd, JvmOutcome, JvmRun};

use super::counts_files::read_counts;
use super::jobs::Job;
use super::last_words::last_words;
use super::suspects::suspects;
use super::variant::Classes;
use super::windowed::{Windowed, runnable};
use super::{Application, BuildError};

/// The longest dry run of the unremoved application, which doesn't wait for frames.
const BASE_LIMIT: Duration = Duration::from_secs(60);

/// The back-stop for variants that wait for ever without executing anything: this many
/// times as long as the unremoved cases, so that a busy machine is never taken for one.
const SLOWER: u32 = 10;

/// ... and at least so long.
const LEAST_LIMIT: Duration = Duration::from_secs(10);

/// A variant may execute this many times as many blocks as the unremoved case of its
/// input: a longer one takes the board for longer than the session is planned for.
const MORE_WORK: u64 = 2;

/// Executions that any variant may have on top, for applications that do next to nothing.
const SLACK: u64 = 10_000;

/// Exit code of a program that the probes' runtime ended for its work (`W.java`).
const TOO_MUCH_WORK: i32 = 99;

/// What the build with switches reads: the numbers of those that are off.
const OFF_FILE: &str = "wattline-off.txt";

fn failed(reason: String) -> DryOutcome {
    DryOutcome::Failed { reason, suspects: Vec::new() }
}

fn too_much() -> DryOutcome {
    let reason = format!("executes more than {MORE_WORK} times as many blocks, or never ends");
    failed(reason)
}

/// What several threads need to run variants at once.
pub(super) struct Runner<'r> {
    scenario: &'r Scenario,
    application: &'r Application,
    jdk: &'r Jdk,
    /// What starts an application with a window.
    windowed: Option<Windowed>,
    /// Executions of all blocks in the unremoved case, by input.
    base_work: BTreeMap<String, u64>,
    limit: Duration,
}

impl<'r> Runner<'r> {
    /// Runs cases of a scenario; nothing is known of the unremoved ones yet.
    pub(super) fn new(
        scenario: &'r Scenario,
        application: &'r Application,
        jdk: &'r Jdk,
    ) -> Result<Self, BuildError> {
        if scenario.session.input_command.is_some() {
            return Err(BuildError::InputCommand);
        }
        let windowed = Windowed::of(scenario, application, jdk)?;
        let (base_work, limit) = (BTreeMap::new(), BASE_LIMIT);
        Ok(Runner { scenario, application, jdk, windowed, base_work, limit })
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
    pub(super) fn learn(&mut self, cases: &[DryCase], outcomes: &[DryOutcome], took: Duration) {
        for (case, outcome) in cases.iter().zip(outcomes) {
            if let (true, DryOutcome::Ran { executions, .. }) = (case.removed.is_empty(), outcome) {
                self.base_work.insert(case.input.clone(), executions.iter().sum());
                self.limit = LEAST_LIMIT.max(took * SLOWER);
            }
        }
    }

    /// Runs what comes until nothing comes any more.
    pub(super) fn work(
        &self,
        cases: &[DryCase],
        queue: &Mutex<mpsc::Receiver<(usize, Arc<Job>)>>,
    ) -> Result<Vec<(usize, DryOutcome)>, BuildError> {
        let mut outcomes = Vec::new();
        loop {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok((index, job)) = next else { return Ok(outcomes) };
            outcomes.push((index, self.run(&cases[index], &job)?));
        }
    }

    fn run(&self, case: &DryCase, job: &Job) -> Result<DryOutcome, BuildError> {
        let folder = tempfile::tempdir().map_err(BuildError::io(std::env::temp_dir()))?;
        let Some(input) = self.scenario.inputs.iter().find(|input| input.name == case.input) else {
            return Ok(failed(format!("no input sequence {}", case.input)));
        };
        if let Some(off) = &job.off {
            let numbers: Vec<String> = off.iter().map(usize::to_string).collect();
            let file = folder.path().join(OFF_FILE);
            std::fs::write(&file, numbers.join(" ")).map_err(BuildError::io(&file))?;
        }
        let outcome = jvm::run(self.jdk, &self.plan(input, folder.path(), job)?)?;
        self.outcome(&outcome, folder.path(), case, job)
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
        };
        jvm::run(self.jdk, &self.plan(input, folder, &job)?)?;
        Ok(archive.exists().then(|| format!("-XX:SharedArchiveFile={}", archive.display())))
    }

    /// The most blocks that a variant may execute with an input; none before it is known
    /// what the unremoved application does.
    fn most_work(&self, input: &str) -> Option<u64> {
        let base = self.base_work.get(input)?;
        Some(base.saturating_mul(MORE_WORK).saturating_add(SLACK))
    }

    /// Whether a variant executed far more than the unremoved application. One that goes
    /// on for ever is ended at the same limit while it runs, and one that crashes past the
    /// limit may have been ended before: so the outcome does not depend on the speed of
    /// this machine.
    fn is_too_much(&self, case: &DryCase, executions: &[u64]) -> bool {
        self.most_work(&case.input).is_some_and(|most| executions.iter().sum::<u64>() > most)
    }

    fn suspects(&self, stderr: &str, job: &Job) -> Vec<BlockId> {
        let removed: Vec<BlockId> = job.removed.iter().copied().collect();
        let application = self.application;
        suspects(stderr, &application.sources, &application.dictionary, &removed)
    }

    /// The option that makes the probes' runtime end the program past the limit.
    fn work_limit(&self, input: &str) -> Option<String> {
        self.most_work(input).map(|most| format!("-Dwattline.limit={most}"))
    }

    /// A run that is as long as it is: with the call-tree probe, which is slow.
    pub(super) fn unlimited(
        &self,
        input: &Input,
        folder: &Path,
        classes: &Path,
    ) -> Result<JvmRun, BuildError> {
        let job = Job {
            classes: classes.to_path_buf(),
            options: Vec::new(),
            off: None,
            removed: BTreeSet::new(),
            kept: Vec::new(),
        };
        Ok(JvmRun { limit: BASE_LIMIT * SLOWER, ..self.plan(input, folder, &job)? })
    }

    fn plan(&self, input: &Input, folder: &Path, job: &Job) -> Result<JvmRun, BuildError> {
        let libraries = self.application.sources.class_path();
        let mut extras = self.scenario.extras(input);
        extras.extend(self.scenario.session.dry_extras.clone());
        let program = JvmRun {
            classpath: std::iter::once(job.classes.clone()).chain(libraries).collect(),
            main: self.scenario.application.main.clone().ok_or(BuildError::NoMain)?,
            arguments: extras.iter().map(|(key, value)| format!("{key}={value}")).collect(),
            options: job.options.iter().cloned().chain(self.work_limit(&input.name)).collect(),
            directory: folder.to_path_buf(),
            input: input.steps.iter().map(|step| step.timed() + "\n").collect(),
            limit: self.limit,
        };
        Ok(match &self.windowed {
            Some(windowed) => windowed.run(program, &job.classes, &extras, &input.steps),
            None => program,
        })
    }

    fn outcome(
        &self,
        outcome: &JvmOutcome,
        folder: &Path,
        case: &DryCase,
        job: &Job,
    ) -> Result<DryOutcome, BuildError> {
        let code = match outcome.end {
            JvmEnd::TimedOut => {
                return Ok(failed(format!("did not end within {} s", self.limit.as_secs())));
            }
            JvmEnd::Exited(TOO_MUCH_WORK) => return Ok(too_much()),
            JvmEnd::Exited(code) => code,
        };
        let left = self.left(folder);
        let text = match read_counts(&left).map_err(BuildError::io(&left))? {
            Some(text) => text,
            None if code == 0 => {
                let none = std::io::Error::other("the program left no counts");
                return Err(BuildError::io(folder)(none));
            }
            // It was ended too hard to write them.
            None => String::new(),
        };
        let executions = parse_executions(&text, self.application.dictionary.blocks.len());
        match executions {
            Ok(executions) if self.is_too_much(case, &executions) => Ok(too_much()),
            _ if code != 0 => Ok(self.crash(code, &outcome.stderr, job)),
            Ok(executions) => match self.missing_mark(&outcome.stdout) {
                Some(mark) => Ok(failed(format!("did not print {mark:?}"))),
                None => Ok(DryOutcome::Ran { executions, kept: job.kept.clone() }),
            },
            Err(error) => Ok(failed(error.to_string())),
        }
    }

    fn crash(&self, code: i32, stderr: &str, job: &Job) -> DryOutcome {
        // Of a variant the first line is enough: that it fails is its blocks' fault.
        let said = match job.removed.is_empty() {
            true => last_words(stderr),
            false => stderr.lines().find(|line| !line.trim().is_empty()).map(str::to_string),
        };
        let reason = format!("exit code {code}: {}", said.as_deref().unwrap_or("no message"));
        // Where a stack overflows is chance.
        let suspects = match stderr.contains("StackOverflowError") {
            true => Vec::new(),
            false => self.suspects(stderr, job),
        };
        DryOutcome::Failed { reason, suspects }
    }

    fn missing_mark(&self, stdout: &str) -> Option<&String> {
        let session = &self.scenario.session;
        [&session.begin_mark, &session.end_mark].into_iter().find(|mark| !stdout.contains(*mark))
    }
}
