//! The driver of a campaign's sessions on one board: builds and installs variants when they are
//! needed, and records the time spent.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::boards::OpenBoard;
use crate::boards::package_kind::{
    InstallableApplication, InstalledVersions, PackageKind, write_application_file, write_file_in,
};
use crate::boards::session::{limit_variant_session, session_plan};
use crate::build::package::PackageBuilder;
use crate::build::variant::{Classes, add_libraries};
use crate::build::{AnalysedApplication, BuildError, BuiltVariant, VariantBuilder};
use crate::campaign::{PlannedCase, PlannedRun, RunPhase};
use crate::device::{SessionEnd, SessionKind, SessionLogs, SessionPlan};
use crate::failure::Failure;
use crate::folder::names::PLAN;
use crate::format::counted;
use crate::instrument::{self, Probe};
use crate::progress::Progress;
use crate::run::{
    BoardIdentity, Conditions, DriverError, ExitState, RawLogs, RawProfile, RawRun, RunDriver,
};
use crate::scenario::{CampaignProtocol, Scenario};
use crate::toolchain::artifact::hash_of_bytes;
use crate::toolchain::{Jdk, jar};

/// Time that a campaign spends in sessions and in builds, on this machine's clock.
#[derive(Debug, Default)]
pub struct TimeSpent {
    /// Time in sessions.
    in_sessions: Duration,
    /// Time in builds of variants.
    in_builds: Duration,
}

impl std::ops::AddAssign for TimeSpent {
    fn add_assign(&mut self, other: TimeSpent) {
        self.in_sessions += other.in_sessions;
        self.in_builds += other.in_builds;
    }
}

impl TimeSpent {
    /// Time in builds of variants.
    pub(crate) fn in_builds(&self) -> Duration {
        self.in_builds
    }

    /// Prints how long the runs took, and how much of it was spent outside of sessions.
    pub fn say(&self, whole: Duration, runs: usize, progress: &dyn Progress) {
        if runs == 0 {
            return;
        }
        let per_run = |time: Duration| time.as_secs_f64() / runs as f64;
        progress.say(&format!(
            "  {runs} runs in {:.1} s: {:.2} s a run in the session, {:.2} s outside, of which \
             {:.2} s for building variants",
            whole.as_secs_f64(),
            per_run(self.in_sessions),
            per_run(whole.saturating_sub(self.in_sessions)),
            per_run(self.in_builds)
        ));
    }

    /// Prints how long the runs of several boards took, whose sessions overlap.
    pub(crate) fn say_of_fleet(
        &self,
        whole: Duration,
        runs: usize,
        boards: usize,
        progress: &dyn Progress,
    ) {
        if runs == 0 {
            return;
        }
        progress.say(&format!(
            "  {} on {boards} boards in {:.1} s: {:.1} s of sessions, {:.1} s of waiting for \
             variants",
            counted(runs, "run"),
            whole.as_secs_f64(),
            self.in_sessions.as_secs_f64(),
            self.in_builds.as_secs_f64()
        ));
    }
}

/// A packager that turns variants into the packages that boards install.
pub struct VariantPackager<'d> {
    scenario: &'d Scenario,
    jdk: Jdk,
    /// Started with the first package.
    packages: Option<PackageBuilder>,
}

impl<'d> VariantPackager<'d> {
    /// A packager for variants of a scenario's application.
    pub fn new(scenario: &'d Scenario, jdk: &Jdk) -> Self {
        Self { scenario, jdk: jdk.clone(), packages: None }
    }

    /// The bytes of an application's variant.
    pub fn package_of_variant(
        &mut self,
        application: &AnalysedApplication,
        variant: &BuiltVariant,
        probe: Probe,
        form: PackageKind,
    ) -> Result<Vec<u8>, Failure> {
        self.package_of_classes(application, &variant.classes, probe, form)
    }

    /// Bytes of the package with these classes.
    pub fn package_of_classes(
        &mut self,
        application: &AnalysedApplication,
        classes: &Classes,
        probe: Probe,
        form: PackageKind,
    ) -> Result<Vec<u8>, Failure> {
        let scenario = self.scenario;
        if let Some(apk) = scenario.application.apk.as_ref().filter(|_| form == PackageKind::Own) {
            let (apk, libraries) = (scenario.resolve(apk), application.sources.class_path());
            return Ok(self
                .packages()?
                .build_from_own((&apk, scenario), classes, &libraries)?
                .bytes);
        }
        let entries = add_libraries(classes, &application.sources.libraries)?;
        if form == PackageKind::Jar {
            return pack(scenario, &entries);
        }
        let probes = (probe != Probe::Plain).then(|| instrument::runtime_class(&application.files));
        Ok(self.packages()?.build(scenario, entries, probes.as_deref())?.bytes)
    }

    /// The package whose instrumentation starts the package of the application's own build; none
    /// for other kinds of packages.
    pub fn runner(
        &mut self,
        application: &AnalysedApplication,
        form: PackageKind,
    ) -> Result<Option<Vec<u8>>, Failure> {
        if form != PackageKind::Own {
            return Ok(None);
        }
        let (scenario, probes) = (self.scenario, instrument::runtime_class(&application.files));
        Ok(Some(self.packages()?.build_runner(scenario, &probes)?))
    }

    fn packages(&mut self) -> Result<&mut PackageBuilder, Failure> {
        Ok(match &mut self.packages {
            Some(packages) => packages,
            none => none.insert(PackageBuilder::new(&self.jdk)?),
        })
    }
}

/// The packages of a campaign's variants, each built once for all boards.
pub struct VariantBuilds<'d, 'a> {
    packing: VariantPackager<'d>,
    builder: &'d mut VariantBuilder<'a>,
    /// Built packages with their hash, by variant, probe and kind of package.
    built: BTreeMap<(String, Probe, PackageKind), (Vec<u8>, String)>,
    /// The package that starts the variants, if they don't start themselves.
    runner: Option<Vec<u8>>,
}

impl<'d, 'a> VariantBuilds<'d, 'a> {
    /// Packages of which none is built yet, in a lock for the boards' workers.
    pub fn new(scenario: &'d Scenario, builder: &'d mut VariantBuilder<'a>) -> Mutex<Self> {
        Self::with_variants(
            VariantPackager::new(scenario, builder.jdk()),
            builder,
            PackageKind::Jar,
            Vec::new(),
        )
    }

    /// Packages of variants without probes that were built elsewhere, by the variants' names.
    pub fn with_variants(
        packing: VariantPackager<'d>,
        builder: &'d mut VariantBuilder<'a>,
        form: PackageKind,
        plain: Vec<(String, Vec<u8>)>,
    ) -> Mutex<Self> {
        let build = |(variant, bytes): (String, Vec<u8>)| {
            let hash = hash_of_bytes(&bytes);
            ((variant, Probe::Plain, form), (bytes, hash))
        };
        let built = plain.into_iter().map(build).collect();
        Mutex::new(Self { packing, builder, built, runner: None })
    }

    /// The hashes of the built packages, by the variants' names.
    pub fn hashes(builds: &Mutex<Self>) -> BTreeMap<String, String> {
        let builds = builds.lock().unwrap_or_else(PoisonError::into_inner);
        builds.built.iter().map(|((name, ..), (_, hash))| (name.clone(), hash.clone())).collect()
    }

    /// Package of a case's variant and its hash, built if needed.
    fn get(
        &mut self,
        case: &PlannedCase,
        probe: Probe,
        form: PackageKind,
    ) -> Result<(Vec<u8>, String), Failure> {
        let key = (case.variant.clone(), probe, form);
        if !self.built.contains_key(&key) {
            let removed: BTreeSet<_> = case.removed.iter().copied().collect();
            let variant = self.builder.build(&removed, probe)?;
            let bytes = self.packing.package_of_variant(
                self.builder.application(),
                &variant,
                probe,
                form,
            )?;
            let hash = hash_of_bytes(&bytes);
            self.built.insert(key.clone(), (bytes, hash));
        }
        Ok(self.built[&key].clone())
    }

    /// The package that starts the variants, if they don't start themselves, built if needed.
    fn runner(&mut self, form: PackageKind) -> Result<Option<&[u8]>, Failure> {
        if self.runner.is_none() {
            self.runner = self.packing.runner(self.builder.application(), form)?;
        }
        Ok(self.runner.as_deref())
    }
}

/// Makes the sessions of a campaign on one board.
pub struct BoardDriver<'d, 'j, 'a> {
    scenario: &'d Scenario,
    cases: BTreeMap<&'d str, &'d PlannedCase>,
    builds: &'d Mutex<VariantBuilds<'j, 'a>>,
    board: &'d OpenBoard<'d>,
    folder: &'d Path,
    installed: InstalledVersions,
    /// Longest session of unremoved cases, by phase and input.
    took: BTreeMap<(RunPhase, String), Duration>,
    /// Time spent by the runs.
    pub time: TimeSpent,
}

impl RunDriver for BoardDriver<'_, '_, '_> {
    fn run(&mut self, run: &PlannedRun, _attempt: u32) -> Result<RawRun, DriverError> {
        Ok(self.build_and_run(run)?)
    }
}

impl BoardDriver<'_, '_, '_> {
    /// Builds and installs what the run needs, and makes its session.
    pub fn build_and_run(&mut self, run: &PlannedRun) -> Result<RawRun, Failure> {
        let case = self
            .cases
            .get(run.case.as_str())
            .copied()
            .ok_or_else(|| Failure::input(PLAN, format!("it has no case {}", run.case)))?;
        let form = PackageKind::for_scenario_on(self.scenario, self.board);
        let build = match run.phase {
            RunPhase::Idle => None,
            RunPhase::Traced => Some(self.build(case, self.probe(), form)?),
            RunPhase::Power | RunPhase::Sampled => Some(self.build(case, Probe::Plain, form)?),
        };
        let plan = self.session(run, case)?;
        let build_sha256 = build.as_ref().map(|build| build.version.clone());
        // A board that was lost may have been restarted: it is installed again.
        let installed = RefCell::new(std::mem::take(&mut self.installed));
        let in_session = Cell::new(Duration::ZERO);
        let session = |board: &OpenBoard<'_>| {
            if let Some(build) = &build {
                installed.borrow_mut().install(board, build, &plan.package)?;
            }
            let began = Instant::now();
            let logs = board.session(&plan);
            in_session.set(in_session.get() + began.elapsed());
            logs
        };
        let mut losses = Vec::new();
        let logs = self.board.with_recovery(session, |error| {
            losses.push(error.in_short());
            installed.borrow_mut().forget();
        });
        self.time.in_sessions += in_session.get();
        self.installed = installed.into_inner();
        let logs = logs.map_err(Failure::from)?;
        self.learn(run, case, &logs);
        Ok(self.raw_run(logs, build_sha256, losses))
    }
}

impl<'d, 'j, 'a> BoardDriver<'d, 'j, 'a> {
    /// A driver that has built and installed nothing; packages are written to `folder` for
    /// installation.
    pub fn new(
        scenario: &'d Scenario,
        cases: &'d [PlannedCase],
        builds: &'d Mutex<VariantBuilds<'j, 'a>>,
        board: &'d OpenBoard<'d>,
        folder: &'d Path,
    ) -> Self {
        let cases = cases.iter().map(|case| (case.name.as_str(), case)).collect();
        let time = TimeSpent::default();
        let (installed, took) = (InstalledVersions::default(), BTreeMap::new());
        Self { scenario, cases, builds, board, folder, installed, time, took }
    }
}

impl BoardDriver<'_, '_, '_> {
    fn build(
        &mut self,
        case: &PlannedCase,
        probe: Probe,
        form: PackageKind,
    ) -> Result<InstallableApplication, Failure> {
        let began = Instant::now();
        let mut builds = self.builds.lock().unwrap_or_else(PoisonError::into_inner);
        let build = builds.get(case, probe, form);
        let runner = builds.runner(form);
        self.time.in_builds += began.elapsed();
        let (bytes, version) = build?;
        let runner =
            runner?.map(|bytes| write_file_in(self.folder, "runner.apk", bytes)).transpose()?;
        let file = write_application_file(&bytes, form, self.folder)?;
        Ok(InstallableApplication { file, version, runner })
    }

    /// The probes of traced runs.
    fn probe(&self) -> Probe {
        match self.scenario.campaign.protocol {
            CampaignProtocol::Paired => Probe::Count,
            CampaignProtocol::Windows => Probe::Window,
        }
    }

    fn session(&self, run: &PlannedRun, case: &PlannedCase) -> Result<SessionPlan, Failure> {
        let scenario = self.scenario;
        let input =
            scenario.inputs.iter().find(|input| input.name == case.input).ok_or_else(|| {
                let message = format!(
                    "case {} has an input {} that the scenario lacks",
                    case.name, case.input
                );
                Failure::input(PLAN, message)
            })?;
        let kind = match run.phase {
            RunPhase::Idle => {
                SessionKind::Idle { duration: Duration::from_secs_f64(scenario.session.duration_s) }
            }
            RunPhase::Traced => SessionKind::Traced,
            RunPhase::Power => SessionKind::App,
            RunPhase::Sampled => SessionKind::Sampled(self.board.sampler()?),
        };
        // Without the attempt: a run that is repeated gives what it would have given.
        let plan = session_plan(scenario, self.board, input, kind, run.id())?;
        let took = self.took.get(&(run.phase, case.input.clone())).copied();
        Ok(limit_variant_session(took.filter(|_| !case.removed.is_empty()), plan))
    }

    /// Records how long the session of an unremoved case took.
    fn learn(&mut self, run: &PlannedRun, case: &PlannedCase, logs: &SessionLogs) {
        let (begin_s, end_s) = logs.outcome.uptime_s;
        if case.removed.is_empty()
            && logs.outcome.end == SessionEnd::Ok
            && let Ok(lasted) = Duration::try_from_secs_f64(end_s - begin_s)
        {
            let longest = self.took.entry((run.phase, case.input.clone())).or_default();
            *longest = lasted.max(*longest);
        }
    }

    /// Identity and settings of the board, for the record of a run.
    fn identity(&self) -> BoardIdentity {
        let facts = &self.board.facts;
        BoardIdentity {
            serial: self.board.recorded_serial(),
            model: facts.model.clone().unwrap_or_default(),
            runtime: facts.android_release.clone().unwrap_or_default(),
            is_virtual: facts.is_virtual(),
            simulated_model: facts.simulated_model.clone(),
            sampler: facts.sampler.map(|sampler| sampler.to_string()),
            meter: self.board.meter.to_string(),
            rails: self.board.rails.clone(),
            fixed_khz: self.board.fixed_khz,
        }
    }

    /// The run of a session; `losses` are the reasons for which the session was begun again.
    fn raw_run(
        &self,
        logs: SessionLogs,
        build_sha256: Option<String>,
        losses: Vec<String>,
    ) -> RawRun {
        let outcome = logs.outcome;
        let mut warnings: Vec<String> =
            losses.into_iter().map(|loss| format!("begun again: {loss}")).collect();
        warnings.extend(outcome.warnings);
        RawRun {
            board: self.identity(),
            conditions: Conditions {
                build_sha256,
                frequency_before_khz: outcome
                    .frequency_start_khz
                    .or(self.board.frequency_khz)
                    .map(u64::from),
                frequency_after_khz: outcome.frequency_khz.map(u64::from),
                frequency_min_khz: outcome.frequency_min_khz.map(u64::from),
                throttled_s: outcome.throttled_s,
                thermal_status: outcome.thermal_status,
                screen_on: outcome.screen_on,
                compiled: outcome.compiled,
                load: outcome.load,
                temperature_before_c: outcome.temperature_before_c,
                temperature_after_c: outcome.temperature_after_c,
                charging: None,
                exit: match outcome.end {
                    SessionEnd::Ok => ExitState::Ended,
                    SessionEnd::Died => ExitState::Died,
                    SessionEnd::TimedOut => ExitState::TimedOut,
                },
                input_fault: outcome.input_fault,
                uptime_s: Some([outcome.uptime_s.0, outcome.uptime_s.1]),
                warnings,
            },
            logs: RawLogs {
                samples: logs.samples,
                logcat: logs.logcat,
                session: logs.script_output,
                counts: logs.counts,
                windows: logs.windows,
                profile: logs.profile.map(|profile| RawProfile {
                    recording: profile.recording,
                    stacks: profile.stacks,
                }),
            },
        }
    }
}

/// Packs classes into a jar as a board installs it.
fn pack(scenario: &Scenario, entries: &Classes) -> Result<Vec<u8>, Failure> {
    let application = &scenario.application;
    let main = application.main.as_deref().ok_or(BuildError::NoMain)?;
    let mut attributes = vec![("Main-Class", main), ("Wattline-Package", &application.package)];
    if application.preview {
        attributes.push(jar::PREVIEW);
    }
    if entries.keys().any(|name| name.starts_with(jar::VERSIONS_FOLDER)) {
        attributes.push(jar::MULTI_RELEASE);
    }
    Ok(jar::pack(&attributes, entries))
}
