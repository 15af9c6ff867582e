//! Dry runs on a board: one package with a switch at each statement that a variant may leave out,
//! installed once; each session gets the list of switches that are off. For applications that need
//! more than this machine's JVM, or that a person operates.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::blocks::BlockId;
use crate::boards::OpenBoard;
use crate::boards::package_kind::{
    InstallableApplication, InstalledVersions, PackageKind, write_file_in,
};
use crate::boards::session::session_plan;
use crate::build::variant::Classes;
use crate::build::{DryRunEnd, DryRunJudge, DryRunOutput, TriedVariant, VariantBuilder};
use crate::campaign::{DryCase, DryError, DryOutcome, DryRunner};
use crate::device::{DeviceError, SessionEnd, SessionKind, SessionLogs, SessionPlan};
use crate::failure::Failure;
use crate::instrument::Probe;
use crate::load::LoadedScenario;
use crate::measure::driver::VariantPackager;
use crate::power::crash_trace;
use crate::private_files::TemporaryFolder;
use crate::scenario::{InputSequence, Scenario, timed_steps};

/// Least time limit of a variant on this machine's clock, ...
const LEAST: Duration = Duration::from_secs(10);

/// ... plus this many times the time of the unremoved cases, since twice their work is allowed.
const SLOWER: u32 = 3;

/// Beginning of the message with which the probes' runtime stops a program for too many executions
/// (`W.java`).
const TOO_MUCH_WORK: &str = "wattline: more executions than ";

/// Extra with the switches that are off (`Runner.java`).
const OFF: &str = "wattline.off";
const LIMIT: &str = "wattline.limit";
const INPUT: &str = "wattline.input";

/// A runner of dry runs on a board.
pub struct BoardDryRunner<'r, 'a> {
    scenario: &'r Scenario,
    board: OpenBoard<'r>,
    form: PackageKind,
    builder: &'r mut VariantBuilder<'a>,
    packing: VariantPackager<'r>,
    judge: DryRunJudge<'r>,
    folder: TemporaryFolder,
    /// File of the package that starts the application's package, if that does not start itself.
    runner: Option<PathBuf>,
    /// The package with switches.
    shared: Option<InstallableApplication>,
    /// The last variant with a package of its own.
    own: Option<(Vec<BlockId>, PlannedVariant)>,
    /// Number of packages made so far.
    packages: u32,
    installed: InstalledVersions,
    /// Time on this machine's clock after which a variant hangs, by input; absent before the
    /// unremoved case ran.
    patience: BTreeMap<String, Duration>,
    /// Sets that hung with some input, with the reason.
    hung: BTreeMap<Vec<BlockId>, String>,
    made: u32,
}

/// A variant in a package of its own, or in the one with switches.
#[derive(Debug, Clone)]
struct PlannedVariant {
    package: InstallableApplication,
    /// Switches that are off; none of a package of its own.
    off: Option<String>,
    removed: Vec<BlockId>,
    kept: Vec<(BlockId, String)>,
}

impl<'r, 'a> BoardDryRunner<'r, 'a> {
    /// A runner of dry runs with this builder's variants.
    ///
    /// # Errors
    /// The board takes the application as a jar.
    pub fn new(
        loaded: &'r LoadedScenario,
        board: OpenBoard<'r>,
        builder: &'r mut VariantBuilder<'a>,
    ) -> Result<Self, Failure> {
        let scenario = &loaded.scenario;
        let form = PackageKind::for_scenario_on(scenario, &board);
        if form == PackageKind::Jar && !board.is_local() {
            let message = "`campaign.plan_on` is \"board\", and a board gives switches to a package \
                           alone: take `start = \"instrument\"`, the default, for \"main\"";
            return Err(Failure::input(&scenario.file, message));
        }
        let folder =
            TemporaryFolder::new("plan").map_err(Failure::io("create", std::env::temp_dir()))?;
        Ok(BoardDryRunner {
            scenario,
            board,
            form,
            packing: VariantPackager::new(scenario, builder.jdk()),
            builder,
            judge: DryRunJudge::new(scenario, &loaded.application),
            folder,
            runner: None,
            shared: None,
            own: None,
            packages: 0,
            installed: InstalledVersions::default(),
            patience: BTreeMap::new(),
            hung: BTreeMap::new(),
            made: 0,
        })
    }

    fn try_case(&mut self, case: &DryCase) -> Result<DryOutcome, Failure> {
        let removed: BTreeSet<BlockId> = case.removed.iter().copied().collect();
        let variant = match self.builder.switches_of(&removed)? {
            Some(off) => PlannedVariant {
                package: self.shared()?,
                off: Some(off),
                removed: case.removed.clone(),
                kept: Vec::new(),
            },
            None => self.own(&case.removed)?,
        };
        self.run(case, &variant)
    }

    fn verify_case(&mut self, case: &DryCase) -> Result<DryOutcome, Failure> {
        let variant = self.own(&case.removed)?;
        self.run(case, &variant)
    }

    /// The package with switches.
    fn shared(&mut self) -> Result<InstallableApplication, Failure> {
        if self.shared.is_none() {
            let classes = self.builder.switched_classes()?.clone();
            self.shared = Some(self.package(&classes)?);
        }
        // It is there by now.
        self.shared.clone().ok_or_else(|| Failure::Board("no package was made".into()))
    }

    /// The variant without these blocks in a package of its own.
    fn own(&mut self, removed: &[BlockId]) -> Result<PlannedVariant, Failure> {
        if let Some((_, known)) = self.own.as_ref().filter(|(blocks, _)| blocks == removed) {
            return Ok(known.clone());
        }
        let built = self.builder.build(&removed.iter().copied().collect(), Probe::Count)?;
        let package = self.package(&built.classes)?;
        let left_out = built.removed.into_iter().collect();
        let variant = PlannedVariant { package, off: None, removed: left_out, kept: built.kept };
        if let Some((_, before)) = self.own.replace((removed.to_vec(), variant.clone())) {
            // One that stays is in a temporary folder.
            std::fs::remove_file(before.package.file).ok();
        }
        Ok(variant)
    }

    fn package(&mut self, classes: &Classes) -> Result<InstallableApplication, Failure> {
        self.packages += 1;
        let number = self.packages;
        let application = self.builder.application();
        let bytes =
            self.packing.package_of_classes(application, classes, Probe::Count, self.form)?;
        let file = write_file_in(self.folder.path(), &format!("dry-{number}"), &bytes)?;
        Ok(InstallableApplication { file, version: number.to_string(), runner: self.runner()? })
    }

    /// The package that starts the application, if its own package does not.
    fn runner(&mut self) -> Result<Option<PathBuf>, Failure> {
        if self.runner.is_none() {
            let bytes = self.packing.runner(self.builder.application(), self.form)?;
            let file = bytes.map(|bytes| write_file_in(self.folder.path(), "runner.apk", &bytes));
            self.runner = file.transpose()?;
        }
        Ok(self.runner.clone())
    }

    fn run(&mut self, case: &DryCase, variant: &PlannedVariant) -> Result<DryOutcome, Failure> {
        let scenario = self.scenario;
        let Some(input) = scenario.inputs.iter().find(|input| input.name == case.input) else {
            let reason = format!("no input sequence {}", case.input);
            return Ok(DryOutcome::failed(reason));
        };
        if let Some(reason) = self.hung.get(&case.removed) {
            return Ok(DryOutcome::Hung { reason: reason.clone() });
        }
        let plan = self.plan(input, variant)?;
        let began = Instant::now();
        let patience = self.patience.get(&case.input).copied();
        let (logs, stopped) = self.session(&plan, &variant.package, patience)?;
        let took = began.elapsed();
        let end = end_of(logs, &plan, stopped);
        let tried = TriedVariant { removed: &variant.removed, kept: &variant.kept };
        let outcome = self.judge.outcome(&end, case, &tried);
        if self.judge.record_base(case, &outcome) {
            self.patience.insert(case.input.clone(), LEAST + SLOWER * took);
        }
        if let DryOutcome::Hung { reason } = &outcome
            && !case.removed.is_empty()
        {
            self.hung.insert(case.removed.clone(), reason.clone());
        }
        Ok(outcome)
    }

    /// The plan of a traced session, with the extras of dry runs and of the variant. The runner gets
    /// the input steps as an extra instead of at their times, since a session without waiting may
    /// end before the first.
    fn plan(
        &mut self,
        input: &InputSequence,
        variant: &PlannedVariant,
    ) -> Result<SessionPlan, Failure> {
        self.made += 1;
        let label = format!("dry-{}", self.made);
        let plan = session_plan(self.scenario, &self.board, input, SessionKind::Traced, label)?;
        let mut extras = self.scenario.extras(input);
        extras.extend(self.scenario.session.dry_extras.clone());
        let mut own = |key: &str, value: Option<String>| {
            extras.extend(value.map(|value| (key.to_owned(), value)));
        };
        own(OFF, variant.off.clone().filter(|off| !off.is_empty()));
        own(LIMIT, self.judge.work_limit(&input.name).map(|most| most.to_string()));
        own(INPUT, Some(timed_steps(&input.steps)).filter(|steps| !steps.is_empty()));
        Ok(SessionPlan { extras: extras.into_iter().collect(), steps: Vec::new(), ..plan })
    }

    /// Runs a session; returns its logs, and the time after which it was stopped, if it was. A
    /// board that is lost meanwhile is reconnected, and the session is begun again.
    fn session(
        &mut self,
        plan: &SessionPlan,
        package: &InstallableApplication,
        patience: Option<Duration>,
    ) -> Result<(SessionLogs, Option<Duration>), Failure> {
        let installed = RefCell::new(std::mem::take(&mut self.installed));
        let call = |board: &OpenBoard<'_>| {
            installed.borrow_mut().install(board, package, &plan.package)?;
            run_guarded(board, plan, patience)
        };
        let lost = |_: &DeviceError| installed.borrow_mut().forget();
        let ended = self.board.with_recovery(call, lost);
        self.installed = installed.into_inner();
        Ok(ended?)
    }
}

/// Runs a session and stops its application when it takes longer than `patience`: an application
/// that computes or waits for ever would keep a virtual board's clock standing, so that the
/// session's own limit never passes.
fn run_guarded(
    board: &OpenBoard<'_>,
    plan: &SessionPlan,
    patience: Option<Duration>,
) -> Result<(SessionLogs, Option<Duration>), DeviceError> {
    thread::scope(|scope| {
        let (session_plan, over) = channel::<()>();
        let guard = scope.spawn(move || {
            let patience = patience?;
            if over.recv_timeout(patience) != Err(RecvTimeoutError::Timeout) {
                return None;
            }
            // A board that is lost is told of by the session.
            board.stop(&plan.package).ok();
            Some(patience)
        });
        let logs = board.session(plan);
        drop(session_plan);
        Ok((logs?, guard.join().ok().flatten()))
    })
}

/// The end of a session in the form in which dry runs are judged.
fn end_of(logs: SessionLogs, plan: &SessionPlan, stopped: Option<Duration>) -> DryRunOutput {
    let outcome = logs.outcome;
    let how = match (outcome.end, stopped) {
        (SessionEnd::Died, _) if logs.logcat.contains(TOO_MUCH_WORK) => DryRunEnd::TooMuchWork,
        (SessionEnd::Died, Some(after)) => DryRunEnd::TimedOut(after),
        (SessionEnd::TimedOut, _) => DryRunEnd::TimedOut(plan.limit),
        _ if logs.crash.is_some() => DryRunEnd::Crashed(None),
        _ => outcome.input_fault.map_or(DryRunEnd::Ended, DryRunEnd::NoInput),
    };
    let said = logs.crash.unwrap_or_default();
    // Android tells no frames of an exception that nobody caught; its log has them.
    let trace = match said.contains("\tat ") {
        true => said,
        false => crash_trace(&logs.logcat).unwrap_or(said),
    };
    DryRunOutput { how, counts: logs.counts, printed: logs.logcat, trace }
}

impl DryRunner for BoardDryRunner<'_, '_> {
    fn try_cases(&mut self, cases: &[DryCase]) -> Result<Vec<DryOutcome>, DryError> {
        let outcomes: Result<_, Failure> = cases.iter().map(|case| self.try_case(case)).collect();
        Ok(outcomes?)
    }

    fn verify(&mut self, cases: &[DryCase]) -> Result<Vec<DryOutcome>, DryError> {
        let outcomes: Result<_, Failure> =
            cases.iter().map(|case| self.verify_case(case)).collect();
        Ok(outcomes?)
    }
}
