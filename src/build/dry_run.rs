//! Dry runs: a variant with the count probe on the local JVM, without a board and
//! without waiting, to see whether it ends and how often each block runs. Tries share one
//! build with a switch at each removable statement, and need no compiler.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use crate::blocks::BlockId;
use crate::campaign::{Dry, DryCase, DryError, DryOutcome, parse_executions};
use crate::instrument::Probe;
use crate::scenario::{Input, Scenario};
use crate::toolchain::jvm::{self, JvmEnd, JvmOutcome, JvmRun};
use crate::toolchain::{Jdk, jar};

use super::suspects::suspects;
use super::{Application, BuildError, VariantBuilder};

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

/// What the probes' runtime writes to its working directory.
pub const COUNTS_FILE: &str = "wattline-counts.csv";

/// Runs cases of a scenario on the local JVM.
pub struct DryRunner<'r, 'a> {
    scenario: &'r Scenario,
    jdk: &'r Jdk,
    builder: &'r mut VariantBuilder<'a>,
    libraries: Vec<PathBuf>,
    blocks: usize,
    /// Executions of all blocks in the unremoved case, by input.
    base_work: BTreeMap<String, u64>,
    limit: Duration,
    shared: Option<Shared>,
}

/// The build with switches, on disk.
struct Shared {
    /// Deleted with this.
    _folder: tempfile::TempDir,
    jar: PathBuf,
    /// What the JVM has to be told to start fast with this jar.
    options: Vec<String>,
}

impl<'r, 'a> DryRunner<'r, 'a> {
    /// Dry runs with this builder's variants.
    pub fn new(
        scenario: &'r Scenario,
        jdk: &'r Jdk,
        builder: &'r mut VariantBuilder<'a>,
    ) -> DryRunner<'r, 'a> {
        let libraries = builder.application().sources.libraries.clone();
        let blocks = builder.application().dictionary.blocks.len();
        let (base_work, limit) = (BTreeMap::new(), BASE_LIMIT);
        let shared = None;
        DryRunner { scenario, jdk, builder, libraries, blocks, base_work, limit, shared }
    }

    /// Keeps what the unremoved cases did, for others to be held against.
    fn learn(&mut self, cases: &[DryCase], outcomes: &[DryOutcome], took: Duration) {
        for (case, outcome) in cases.iter().zip(outcomes) {
            if let (true, DryOutcome::Ran { executions, .. }) = (case.removed.is_empty(), outcome) {
                self.base_work.insert(case.input.clone(), executions.iter().sum());
                self.limit = LEAST_LIMIT.max(took * SLOWER);
            }
        }
    }
}

fn failed(reason: String) -> DryOutcome {
    DryOutcome::Failed { reason, suspects: Vec::new() }
}

fn too_much() -> DryOutcome {
    let reason = format!("executes more than {MORE_WORK} times as many blocks, or never ends");
    failed(reason)
}

/// How many dry runs are made at once.
const WORKERS: usize = 2;

/// A variant that is to be run.
struct Job {
    /// Its classes: a folder or a jar.
    classes: PathBuf,
    /// More options of the JVM.
    options: Vec<String>,
    /// Switches that are off; none for a variant that was compiled for itself.
    off: Option<Vec<usize>>,
    removed: BTreeSet<BlockId>,
    kept: Vec<(BlockId, String)>,
}

/// Which builds are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Builds {
    /// One build with switches for all variants, where that can do what they do.
    Shared,
    /// Each variant's own.
    Own,
}

/// What several threads need to run variants at once.
struct Runner<'r> {
    scenario: &'r Scenario,
    application: &'r Application,
    jdk: &'r Jdk,
    libraries: Vec<PathBuf>,
    blocks: usize,
    base_work: BTreeMap<String, u64>,
    limit: Duration,
}

impl<'r> Runner<'r> {
    fn of(dry: &DryRunner<'r, '_>) -> Runner<'r> {
        Runner {
            scenario: dry.scenario,
            application: dry.builder.application(),
            jdk: dry.jdk,
            libraries: dry.libraries.clone(),
            blocks: dry.blocks,
            base_work: dry.base_work.clone(),
            limit: dry.limit,
        }
    }

    /// Runs what comes until nothing comes any more.
    fn work(
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
        let outcome = jvm::run(self.jdk, &self.plan(input, folder.path(), job))?;
        let outcome = self.outcome(&outcome, folder.path(), job)?;
        Ok(self.within_reason(case, outcome))
    }

    /// Makes the JVM keep what it learns of the classes while it starts, so that all
    /// later starts are faster. Its option; none if the JVM can't do so.
    fn archive(&self, folder: &Path, jar: &Path) -> Result<Option<String>, BuildError> {
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
        jvm::run(self.jdk, &self.plan(input, folder, &job))?;
        Ok(archive.exists().then(|| format!("-XX:SharedArchiveFile={}", archive.display())))
    }

    /// The most blocks that a variant may execute with an input; none before it is known
    /// what the unremoved application does.
    fn most_work(&self, input: &str) -> Option<u64> {
        let base = self.base_work.get(input)?;
        Some(base.saturating_mul(MORE_WORK).saturating_add(SLACK))
    }

    /// Refuses a variant that executes far more than the unremoved application. One that
    /// goes on for ever is ended at the same limit while it runs: so the outcome does not
    /// depend on the speed of this machine.
    fn within_reason(&self, case: &DryCase, outcome: DryOutcome) -> DryOutcome {
        match (self.most_work(&case.input), &outcome) {
            (Some(most), DryOutcome::Ran { executions, .. })
                if executions.iter().sum::<u64>() > most =>
            {
                too_much()
            }
            _ => outcome,
        }
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

    fn plan(&self, input: &Input, folder: &Path, job: &Job) -> JvmRun {
        let libraries = self.libraries.iter().cloned();
        let mut extras = self.scenario.extras(input);
        extras.extend(self.scenario.session.dry_extras.clone());
        let steps = input.steps.iter();
        JvmRun {
            classpath: std::iter::once(job.classes.clone()).chain(libraries).collect(),
            main: self.scenario.application.main.clone(),
            arguments: extras.iter().map(|(key, value)| format!("{key}={value}")).collect(),
            options: job.options.iter().cloned().chain(self.work_limit(&input.name)).collect(),
            directory: folder.to_path_buf(),
            input: steps
                .map(|step| format!("@{} {}\n", step.at_s, step.action.command()))
                .collect(),
            limit: self.limit,
        }
    }

    fn outcome(
        &self,
        outcome: &JvmOutcome,
        folder: &Path,
        job: &Job,
    ) -> Result<DryOutcome, BuildError> {
        match outcome.end {
            JvmEnd::TimedOut => {
                return Ok(failed(format!("did not end within {} s", self.limit.as_secs())));
            }
            JvmEnd::Exited(0) => {}
            JvmEnd::Exited(TOO_MUCH_WORK) => return Ok(too_much()),
            JvmEnd::Exited(code) => {
                let first = outcome.stderr.lines().find(|line| !line.trim().is_empty());
                let reason = format!("exit code {code}: {}", first.unwrap_or("no message"));
                let suspects = self.suspects(&outcome.stderr, job);
                return Ok(DryOutcome::Failed { reason, suspects });
            }
        }
        let session = &self.scenario.session;
        let marks = [&session.begin_mark, &session.end_mark];
        if let Some(mark) = marks.into_iter().find(|mark| !outcome.stdout.contains(*mark)) {
            return Ok(failed(format!("did not print {mark:?}")));
        }
        let file = folder.join(COUNTS_FILE);
        let text = std::fs::read_to_string(&file).map_err(BuildError::io(&file))?;
        match parse_executions(&text, self.blocks) {
            Ok(executions) => Ok(DryOutcome::Ran { executions, kept: job.kept.clone() }),
            Err(error) => Ok(failed(error.to_string())),
        }
    }
}

impl DryRunner<'_, '_> {
    /// Writes the build with switches, and lets the JVM learn to start it.
    fn share(&mut self) -> Result<&Shared, BuildError> {
        let shared = match self.shared.take() {
            Some(shared) => shared,
            None => {
                let folder = tempfile::tempdir().map_err(BuildError::io(std::env::temp_dir()))?;
                let jar = folder.path().join("dry.jar");
                let bytes = jar::pack(&[], self.builder.switched_classes()?);
                std::fs::write(&jar, bytes).map_err(BuildError::io(&jar))?;
                let options = Runner::of(self).archive(folder.path(), &jar)?;
                Shared { _folder: folder, jar, options: options.into_iter().collect() }
            }
        };
        Ok(self.shared.insert(shared))
    }

    /// Makes one job after the other, while those that are made already run.
    fn run_all(
        &mut self,
        cases: &[DryCase],
        builds: Builds,
    ) -> Result<Vec<DryOutcome>, BuildError> {
        if builds == Builds::Shared {
            self.share()?;
        }
        let start = Instant::now();
        let runner = Runner::of(self);
        let folder = tempfile::tempdir().map_err(BuildError::io(std::env::temp_dir()))?;
        let shared = self.shared.as_ref().filter(|_| builds == Builds::Shared);
        let mut maker = Maker { builder: &mut *self.builder, shared, folder: folder.path() };
        let mut jobs: BTreeMap<&[BlockId], Arc<Job>> = BTreeMap::new();
        let (send, receive) = mpsc::channel::<(usize, Arc<Job>)>();
        let queue = Mutex::new(receive);
        let mut outcomes = thread::scope(|scope| {
            let workers: Vec<_> =
                (0..WORKERS).map(|_| scope.spawn(|| runner.work(cases, &queue))).collect();
            // Dropped on every way out, so that the workers end.
            let send = send;
            for (index, case) in cases.iter().enumerate() {
                let job = match jobs.get(case.removed.as_slice()) {
                    Some(job) => job.clone(),
                    None => {
                        let job = Arc::new(maker.job(&case.removed, index)?);
                        jobs.insert(&case.removed, job.clone());
                        job
                    }
                };
                // Workers that ended early say why when they are joined.
                let _ = send.send((index, job));
            }
            drop(send);
            let mut outcomes = Vec::new();
            for worker in workers {
                outcomes.extend(worker.join().expect("a worker does not panic")?);
            }
            Ok::<_, BuildError>(outcomes)
        })?;
        outcomes.sort_by_key(|(index, _)| *index);
        let outcomes: Vec<DryOutcome> = outcomes.into_iter().map(|(_, outcome)| outcome).collect();
        self.learn(cases, &outcomes, start.elapsed());
        Ok(outcomes)
    }
}

/// Makes jobs: without compiling where the switches can do it.
struct Maker<'m, 'a> {
    builder: &'m mut VariantBuilder<'a>,
    shared: Option<&'m Shared>,
    folder: &'m Path,
}

impl Maker<'_, '_> {
    /// The variant without `removed`; `number` tells it from others in the folder.
    fn job(&mut self, removed: &[BlockId], number: usize) -> Result<Job, BuildError> {
        let removed: BTreeSet<BlockId> = removed.iter().copied().collect();
        if let Some(shared) = self.shared
            && let Some(off) = self.builder.switches_of(&removed)?
        {
            let (classes, options) = (shared.jar.clone(), shared.options.clone());
            return Ok(Job { classes, options, off: Some(off), removed, kept: Vec::new() });
        }
        let variant = self.builder.build(&removed, Probe::Count)?;
        let classes = self.folder.join(number.to_string());
        jar::write_folder(&classes, &variant.classes)?;
        let (removed, kept) = (variant.removed, variant.kept);
        Ok(Job { classes, options: Vec::new(), off: None, removed, kept })
    }
}

impl Dry for DryRunner<'_, '_> {
    fn try_cases(&mut self, cases: &[DryCase]) -> Result<Vec<DryOutcome>, DryError> {
        Ok(self.run_all(cases, Builds::Shared)?)
    }

    fn verify(&mut self, cases: &[DryCase]) -> Result<Vec<DryOutcome>, DryError> {
        Ok(self.run_all(cases, Builds::Own)?)
    }
}
