//! Dry runs: a variant with the count probe on the local JVM, without a board and
//! without waiting, to see whether it ends and how often each block runs.

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
use super::{Application, BuildError, Variant, VariantBuilder};

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
        DryRunner { scenario, jdk, builder, libraries, blocks, base_work, limit }
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
        queue: &Mutex<mpsc::Receiver<(usize, Arc<Variant>)>>,
    ) -> Result<Vec<(usize, DryOutcome)>, BuildError> {
        let mut outcomes = Vec::new();
        loop {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok((index, variant)) = next else { return Ok(outcomes) };
            outcomes.push((index, self.run(&cases[index], &variant)?));
        }
    }

    fn run(&self, case: &DryCase, variant: &Variant) -> Result<DryOutcome, BuildError> {
        let folder = tempfile::tempdir().map_err(BuildError::io(std::env::temp_dir()))?;
        let classes = folder.path().join("classes");
        jar::write_folder(&classes, &variant.classes)?;
        let Some(input) = self.scenario.inputs.iter().find(|input| input.name == case.input) else {
            return Ok(failed(format!("no input sequence {}", case.input)));
        };
        let outcome = jvm::run(self.jdk, &self.plan(input, folder.path(), classes))?;
        let outcome = self.outcome(&outcome, folder.path(), variant)?;
        Ok(self.within_reason(case, outcome))
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

    fn suspects(&self, stderr: &str, variant: &Variant) -> Vec<BlockId> {
        let removed: Vec<BlockId> = variant.removed.iter().copied().collect();
        let application = self.application;
        suspects(stderr, &application.sources, &application.dictionary, &removed)
    }

    /// The option that makes the probes' runtime end the program past the limit.
    fn work_limit(&self, input: &str) -> Option<String> {
        self.most_work(input).map(|most| format!("-Dwattline.limit={most}"))
    }

    fn plan(&self, input: &Input, folder: &Path, classes: PathBuf) -> JvmRun {
        let mut extras = self.scenario.extras(input);
        extras.extend(self.scenario.session.dry_extras.clone());
        let steps = input.steps.iter();
        JvmRun {
            classpath: std::iter::once(classes).chain(self.libraries.iter().cloned()).collect(),
            main: self.scenario.application.main.clone(),
            arguments: extras.iter().map(|(key, value)| format!("{key}={value}")).collect(),
            options: self.work_limit(&input.name).into_iter().collect(),
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
        variant: &Variant,
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
                let suspects = self.suspects(&outcome.stderr, variant);
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
            Ok(executions) => Ok(DryOutcome::Ran { executions, kept: variant.kept.clone() }),
            Err(error) => Ok(failed(error.to_string())),
        }
    }
}

impl Dry for DryRunner<'_, '_> {
    /// Builds one variant after the other, while those that are built already run.
    fn try_cases(&mut self, cases: &[DryCase]) -> Result<Vec<DryOutcome>, DryError> {
        let start = Instant::now();
        let mut variants: BTreeMap<&[BlockId], Arc<Variant>> = BTreeMap::new();
        let runner = Runner::of(self);
        let (send, receive) = mpsc::channel::<(usize, Arc<Variant>)>();
        let queue = Mutex::new(receive);
        let builder = &mut *self.builder;
        let outcomes = thread::scope(|scope| {
            let workers: Vec<_> =
                (0..WORKERS).map(|_| scope.spawn(|| runner.work(cases, &queue))).collect();
            for (index, case) in cases.iter().enumerate() {
                let variant = match variants.get(case.removed.as_slice()) {
                    Some(variant) => variant.clone(),
                    None => {
                        let removed: BTreeSet<BlockId> = case.removed.iter().copied().collect();
                        let built = Arc::new(builder.build(&removed, Probe::Count)?);
                        variants.insert(&case.removed, built.clone());
                        built
                    }
                };
                // Workers that ended early say why when they are joined.
                let _ = send.send((index, variant));
            }
            drop(send);
            let mut outcomes = Vec::new();
            for worker in workers {
                outcomes.extend(worker.join().expect("a worker does not panic")?);
            }
            Ok::<_, BuildError>(outcomes)
        })?;
        let mut outcomes = outcomes;
        outcomes.sort_by_key(|(index, _)| *index);
        let outcomes: Vec<DryOutcome> = outcomes.into_iter().map(|(_, outcome)| outcome).collect();
        self.learn(cases, &outcomes, start.elapsed());
        Ok(outcomes)
    }
}
