//! Dry runs: a variant with the count probe on the local JVM, without a board and without waiting,
//! to see whether it ends and how often each block runs. Tries share one build with a switch at
//! each removable statement, and need no compiler.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use crate::blocks::BlockId;
use crate::campaign::{DryCase, DryError, DryOutcome, DryRunner};
use crate::private_files::TemporaryFolder;
use crate::scenario::Scenario;
use crate::toolchain::{Jdk, jar};

use super::dry_run_jobs::{DryRunJob, JobMaker, SwitchBuild};
use super::variant_runner::{DryRun, VariantRunner};
use super::{BuildError, VariantBuilder};

/// Dry runner that runs variants on the local JVM.
pub struct HostDryRunner<'r, 'a> {
    runner: VariantRunner<'r>,
    builder: &'r mut VariantBuilder<'a>,
    shared: Option<SwitchBuild>,
}

impl<'r, 'a> HostDryRunner<'r, 'a> {
    /// A dry runner of the variants of this builder.
    ///
    /// # Errors
    /// The virtual Android for an application with a window can't be built.
    pub fn new(
        scenario: &'r Scenario,
        jdk: &'r Jdk,
        builder: &'r mut VariantBuilder<'a>,
    ) -> Result<HostDryRunner<'r, 'a>, BuildError> {
        let runner = VariantRunner::new(scenario, builder.application(), jdk)?;
        Ok(HostDryRunner { runner, builder, shared: None })
    }
}

/// Number of parallel dry runs where the number of processors is unknown.
const WORKERS: usize = 2;

/// Builds that dry runs use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DryBuilds {
    /// One build with switches for all variants that it covers.
    Shared,
    /// A build of each variant.
    Own,
}

impl HostDryRunner<'_, '_> {
    /// Builds the switch build, if absent, and its class data sharing archive.
    fn prepare_switch_build(&mut self) -> Result<&SwitchBuild, BuildError> {
        let shared = match self.shared.take() {
            Some(shared) => shared,
            None => {
                let folder = TemporaryFolder::new("dry-run")
                    .map_err(BuildError::io(std::env::temp_dir()))?;
                let jar = folder.path().join("dry.jar");
                let classes = self.runner.loadable(self.builder.switched_classes()?)?;
                let bytes = jar::pack(&[], &classes);
                std::fs::write(&jar, bytes).map_err(BuildError::io(&jar))?;
                let options = self.runner.archive_classes(folder.path(), &jar)?;
                SwitchBuild { _folder: folder, jar, options: options.into_iter().collect() }
            }
        };
        Ok(self.shared.insert(shared))
    }

    /// Runs all cases; builds jobs one after the other while earlier ones run.
    fn run_all(
        &mut self,
        cases: &[DryCase],
        builds: DryBuilds,
    ) -> Result<Vec<DryOutcome>, BuildError> {
        if builds == DryBuilds::Shared {
            self.prepare_switch_build()?;
        }
        let folder =
            TemporaryFolder::new("dry-run").map_err(BuildError::io(std::env::temp_dir()))?;
        let shared = self.shared.as_ref().filter(|_| builds == DryBuilds::Shared);
        let runner = &self.runner;
        let folder = folder.path();
        let mut maker = JobMaker { runner, builder: &mut *self.builder, shared, folder };
        let mut jobs: BTreeMap<&[BlockId], Arc<DryRunJob>> = BTreeMap::new();
        let (send, receive) = mpsc::channel::<(usize, Arc<DryRunJob>)>();
        let queue = Mutex::new(receive);
        let mut runs = thread::scope(|scope| {
            let count = thread::available_parallelism().map_or(WORKERS, NonZero::get);
            let workers: Vec<_> =
                (0..count).map(|_| scope.spawn(|| runner.run_jobs(cases, &queue))).collect();
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
            let mut runs = Vec::new();
            for worker in workers {
                runs.extend(worker.join().expect("a worker does not panic")?);
            }
            Ok::<_, BuildError>(runs)
        })?;
        runs.sort_by_key(|(index, _)| *index);
        let runs: Vec<DryRun> = runs.into_iter().map(|(_, run)| run).collect();
        self.runner.record_bases(cases, &runs);
        Ok(runs.into_iter().map(|run| run.outcome).collect())
    }
}

impl HostDryRunner<'_, '_> {
    /// Runs the unremoved cases that the given cases are compared with, where their results come
    /// from an earlier plan and are not known to this runner.
    fn run_missing_bases(&mut self, cases: &[DryCase]) -> Result<(), BuildError> {
        let unknown: BTreeSet<&String> = cases
            .iter()
            .filter(|case| !case.removed.is_empty() && !self.runner.has_base(&case.input))
            .map(|case| &case.input)
            .collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let base = |input: &String| DryCase { input: input.clone(), removed: Vec::new() };
        let bases: Vec<DryCase> = unknown.into_iter().map(base).collect();
        self.run_all(&bases, DryBuilds::Shared).map(drop)
    }
}

impl DryRunner for HostDryRunner<'_, '_> {
    fn try_cases(&mut self, cases: &[DryCase]) -> Result<Vec<DryOutcome>, DryError> {
        self.run_missing_bases(cases)?;
        Ok(self.run_all(cases, DryBuilds::Shared)?)
    }

    fn verify(&mut self, cases: &[DryCase]) -> Result<Vec<DryOutcome>, DryError> {
        self.run_missing_bases(cases)?;
        Ok(self.run_all(cases, DryBuilds::Own)?)
    }
}
