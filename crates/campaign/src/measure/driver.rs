//! The sessions of a campaign on one board: variants built and installed when they are
//! needed, and where the time goes.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::boards::OpenBoard;
use crate::boards::package_kind::{
    InstallableApplication, InstalledVersions, PackageKind, application_file, written,
};
use crate::boards::session::{held_against, session};
use crate::build::package::PackageBuilder;
use crate::build::variant::{Classes, with_libraries};
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

/// Where a campaign's time goes on this machine's clock.
#[derive(Debug, Default)]
pub struct Time {
    /// Sessions.
    in_sessions: Duration,
    /// Building variants.
    in_builds: Duration,
}

impl std::ops::AddAssign for Time {
    fn add_assign(&mut self, other: Time) {
        self.in_sessions += other.in_sessions;
        self.in_builds += other.in_builds;
    }
}

impl Time {
    /// How long variants were built.
    pub(crate) fn in_builds(&self) -> Duration {
        self.in_builds
    }

    /// Says how long the runs took, and what of it was no session.
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

    /// The same for several boards at once, whose sessions overlap.
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

/// Makes of a variant what a board installs.
pub struct VariantPackager<'d> {
    scenario: &'d Scenario,
    jdk: Jdk,
    /// Started with the first package.
    packages: Option<PackageBuilder>,
}

impl<'d> VariantPackager<'d> {
    /// Packs variants of a scenario's application.
    pub fn new(scenario: &'d Scenario, jdk: &Jdk) -> Self {
        Self { scenario, jdk: jdk.clone(), packages: None }
    }

    /// The bytes of an application's variant.
    pub fn bytes(
        &mut self,
        application: &AnalysedApplication,
        variant: &BuiltVariant,
        probe: Probe,
        form: PackageKind,
    ) -> Result<Vec<u8>, Failure> {
        self.of_classes(application, &variant.classes, probe, form)
    }

    /// The same of classes.
    pub fn of_classes(
        &mut self,
        application: &AnalysedApplication,
        classes: &Classes,
        probe: Probe,
        form: PackageKind,
    ) -> Result<Vec<u8>, Failure> {
        let scenario = self.scenario;
        if let Some(apk) = scenario.application.apk.as_ref().filter(|_| form == PackageKind::Own) {
            let (apk, libraries) = (scenario.resolve(apk), application.sources.class_path());
            return Ok(self.packages()?.replaced((&apk, scenario), classes, &libraries)?.bytes);
        }
        let entries = with_libraries(classes, &application.sources.libraries)?;
        if form == PackageKind::Jar {
            return pack(scenario, &entries);
        }
        let probes = (probe != Probe::Plain).then(|| instrument::runtime_class(&application.files));
        Ok(self.packages()?.package(scenario, entries, probes.as_deref())?.bytes)
    }

    /// The package whose instrumentation starts that of the application's own build; none where
    /// the application's has one.
    pub fn runner(
        &mut self,
        application: &AnalysedApplication,
        form: PackageKind,
    ) -> Result<Option<Vec<u8>>, Failure> {
        if form != PackageKind::Own {
            return Ok(None);
        }
        let (scenario, probes) = (self.scenario, instrument::runtime_class(&application.files));
        Ok(Some(self.packages()?.runner(scenario, &probes)?))
    }

    fn packages(&mut self) -> Result<&mut PackageBuilder, Failure> {
        Ok(match &mut self.packages {
            Some(packages) => packages,
            none => none.insert(PackageBuilder::new(&self.jdk)?),
        })
    }
}

/// The variants of a campaign as boards install them, each built once, for all its boards.
pub struct VariantBuilds<'d, 'a> {
    packing: VariantPackager<'d>,
    builder: &'d mut VariantBuilder<'a>,
    /// Those that were built, by variant, probe and form, with their hash.
    built: BTreeMap<(String, Probe, PackageKind), (Vec<u8>, String)>,
    /// What starts them, where they don't start themselves.
    runner: Option<Vec<u8>>,
}

impl<'d, 'a> VariantBuilds<'d, 'a> {
    /// None built yet; a lock, for the boards' workers.
    pub fn new(scenario: &'d Scenario, builder: &'d mut VariantBuilder<'a>) -> Mutex<Self> {
        Self::with(
            VariantPackager::new(scenario, builder.jdk()),
            builder,
            PackageKind::Jar,
            Vec::new(),
        )
    }

    /// Some that were built elsewhere, without probes, by their variants' names.
    pub fn with(
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

    /// The hashes of those that are built, by their variants' names.
    pub fn hashes(builds: &Mutex<Self>) -> BTreeMap<String, String> {
        let builds = builds.lock().unwrap_or_else(PoisonError::into_inner);
        builds.built.iter().map(|((name, ..), (_, hash))| (name.clone(), hash.clone())).collect()
    }

    /// The case's variant as a board installs it, and its hash.
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
            let bytes = self.packing.bytes(self.builder.application(), &variant, probe, form)?;
            let hash = hash_of_bytes(&bytes);
            self.built.insert(key.clone(), (bytes, hash));
        }
        Ok(self.built[&key].clone())
    }

    /// What starts them, where they don't start themselves.
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
    /// The longest sessions of unremoved cases, by what they are for and input.
    took: BTreeMap<(RunPhase, String), Duration>,
    /// What the runs took.
    pub time: Time,
}

impl RunDriver for BoardDriver<'_, '_, '_> {
    fn run(&mut self, run: &PlannedRun, _attempt: u32) -> Result<RawRun, DriverError> {
        Ok(self.make(run)?)
    }
}

impl BoardDriver<'_, '_, '_> {
    /// Builds and installs what the run needs, and makes its session.
    pub fn make(&mut self, run: &PlannedRun) -> Result<RawRun, Failure> {
        let case = self
            .cases
            .get(run.case.as_str())
            .copied()
            .ok_or_else(|| Failure::input(PLAN, format!("it has no case {}", run.case)))?;
        let form = PackageKind::of(self.scenario, self.board);
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
        let logs = self.board.keep(session, |error| {
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
    /// A driver that has built and installed nothing; builds pass through the folder.
    pub fn new(
        scenario: &'d Scenario,
        cases: &'d [PlannedCase],
        builds: &'d Mutex<VariantBuilds<'j, 'a>>,
        board: &'d OpenBoard<'d>,
        folder: &'d Path,
    ) -> Self {
        let cases = cases.iter().map(|case| (case.name.as_str(), case)).collect();
        let time = Time::default();
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
        let runner = runner?.map(|bytes| written(self.folder, "runner.apk", bytes)).transpose()?;
        let file = application_file(&bytes, form, self.folder)?;
        Ok(InstallableApplication { file, version, runner })
    }

    /// Of traced runs.
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
        let plan = session(scenario, self.board, input, kind, run.id())?;
        let took = self.took.get(&(run.phase, case.input.clone())).copied();
        Ok(held_against(took.filter(|_| !case.removed.is_empty()), plan))
    }

    /// Keeps how long an unremoved case took.
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

    /// `losses` are the reasons for which the session was begun again.
    fn raw_run(
        &self,
        logs: SessionLogs,
        build_sha256: Option<String>,
        losses: Vec<String>,
    ) -> RawRun {
        let facts = &self.board.facts;
        let outcome = logs.outcome;
        let mut warnings: Vec<String> =
            losses.into_iter().map(|loss| format!("begun again: {loss}")).collect();
        warnings.extend(outcome.warnings);
        RawRun {
            board: BoardIdentity {
                serial: self.board.recorded_serial(),
                model: facts.model.clone().unwrap_or_default(),
                runtime: facts.android_release.clone().unwrap_or_default(),
                is_virtual: facts.is_virtual(),
                simulated_model: facts.simulated_model.clone(),
                sampler: facts.sampler.map(|sampler| sampler.to_string()),
                meter: self.board.meter.to_string(),
                rails: self.board.rails.clone(),
                fixed_khz: self.board.fixed_khz,
            },
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

/// A jar of these entries as a board takes it.
fn pack(scenario: &Scenario, entries: &Classes) -> Result<Vec<u8>, Failure> {
    let application = &scenario.application;
    let main = application.main.as_deref().ok_or(BuildError::NoMain)?;
    let mut attributes = vec![("Main-Class", main), ("Wattline-Package", &application.package)];
    if application.preview {
        attributes.push(jar::PREVIEW);
    }
    if entries.keys().any(|name| name.starts_with(jar::VERSIONS)) {
        attributes.push(jar::MULTI_RELEASE);
    }
    Ok(jar::pack(&attributes, entries))
}
