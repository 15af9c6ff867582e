//! `wattline run`: the runs of a campaign on a board.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;

use crate::build::{Variant, VariantBuilder};
use crate::campaign::{Phase, PlannedCase, PlannedRun, order_runs, read_plan};
use crate::device::{Pinning, SessionEnd, SessionKind, SessionLogs, SessionPlan};
use crate::instrument::Probe;
use crate::power::MarkTexts;
use crate::run::{
    BoardIdentity, Conditions, DriverError, ExitState, JudgeSettings, RawLogs, RawRun, RunDriver,
    RunOptions, RunSummary, Start, Trouble, read_journal, run_campaign, troubles,
};
use crate::scenario::Scenario;
use crate::toolchain::artifact::hash_of_bytes;
use crate::toolchain::{Jdk, jar};

use super::Failure;
use super::folder::{self, Loaded};
use super::output::{Existing, Output, read_text};
use super::plan;
use super::progress;
use super::sessions::{self, BoardChoice, OpenBoard, VirtualSettings};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  wattline run scenarios/orbit.toml --board virtual --out target/orbit
  wattline run scenarios/orbit.toml --board 0123456789ABCDEF --out target/orbit --resume

Plans first, where the folder has no plan. Every finished run is in the journal at once: a
campaign that was stopped goes on with --resume, and measures nothing twice.")]
pub struct Arguments {
    /// The scenario file.
    scenario: PathBuf,
    /// `virtual`, `jvm` (this machine), or a serial that `adb devices` lists.
    #[arg(long, default_value = "virtual")]
    board: BoardChoice,
    /// Folder for the results.
    #[arg(long)]
    out: PathBuf,
    /// Go on with the campaign that the folder holds.
    #[arg(long)]
    resume: bool,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let output = Output::open(&arguments.out, Existing::Keep)?;
    let start = if arguments.resume { Start::Resume } else { Start::New };
    let jdk = Jdk::find()?;
    let loaded = folder::load(&arguments.scenario)?;
    let mut builder = plan::builder(&loaded, &jdk)?;
    let plan_file = output.path("plan.csv");
    if !plan_file.exists() {
        progress::result(plan::summary(&plan::make(&loaded, &jdk, &mut builder, &output)?));
    }
    let cases = read_cases(&plan_file)?;
    let board = open_board(&arguments.board, &loaded.scenario, &output)?;
    let summary = measure(&loaded, &cases, &mut builder, &board, &output, start)?;
    progress::result(summary_text(&summary));
    progress::say(format!("written: {}", output.folder().display()));
    Ok(())
}

/// Reads `plan.csv`.
pub fn read_cases(path: &Path) -> Result<Vec<PlannedCase>, Failure> {
    read_plan(&read_text(path)?).map_err(|error| Failure::input(path, error))
}

/// Opens the scenario's board; a virtual one leaves its truth in the folder.
pub fn open_board(
    choice: &BoardChoice,
    scenario: &Scenario,
    output: &Output,
) -> Result<OpenBoard, Failure> {
    let truth = output.path("board-truth");
    let settings = VirtualSettings { truth: Some(truth), seed: scenario.seed };
    sessions::open(choice, &scenario.board, &settings)
}

/// Makes all runs of the plan that the journal does not have yet.
pub fn measure(
    loaded: &Loaded,
    cases: &[PlannedCase],
    builder: &mut VariantBuilder<'_>,
    board: &OpenBoard,
    output: &Output,
    start: Start,
) -> Result<RunSummary, Failure> {
    let scenario = &loaded.scenario;
    let names: Vec<String> = cases.iter().map(|case| case.name.clone()).collect();
    let order = order_runs(&names, &scenario.campaign);
    let options = RunOptions {
        folder: output.folder().to_path_buf(),
        start,
        fingerprint: fingerprint(scenario, output)?,
        seed: scenario.campaign.seed,
        max_retries: scenario.campaign.max_retries,
        judge: JudgeSettings { rails: board.rails.clone(), ..JudgeSettings::from(scenario) },
    };
    let folder = tempfile::tempdir().map_err(Failure::io("create", std::env::temp_dir()))?;
    let mut driver = BoardDriver {
        scenario,
        cases: cases.iter().map(|case| (case.name.as_str(), case)).collect(),
        builder,
        board,
        folder: folder.path(),
        jars: BTreeMap::new(),
        installed: None,
        time: Time::default(),
    };
    let began = Instant::now();
    let before = read_journal(output.folder()).map_or(0, |records| records.len());
    let bar = progress::bar(order.len() as u64, "measuring");
    let summary = run_campaign(&order, &mut driver, &options, &mut |progress| {
        bar.set_position(progress.done as u64);
        if let Some(record) = progress.record.filter(|record| !record.is_good()) {
            bar.suspend(|| {
                progress::warn(format!("run {} is bad: {}", record.folder, record.reasons()));
            });
        }
    })?;
    bar.finish_and_clear();
    driver.time.say(began.elapsed(), summary.records.len() - before);
    Ok(summary)
}

/// Where a campaign's time goes on this machine's clock.
#[derive(Debug, Default)]
struct Time {
    /// Board calls that make sessions, installation included.
    in_sessions: Duration,
    /// Building variants.
    in_builds: Duration,
}

impl Time {
    /// Says how long the runs took and what of it was no session and no build.
    fn say(&self, whole: Duration, runs: usize) {
        if runs == 0 {
            return;
        }
        let other = whole.saturating_sub(self.in_sessions + self.in_builds).as_secs_f64();
        progress::say(format!(
            "  {runs} runs in {:.1} s: builds {:.1} s, sessions {:.1} s, the rest {:.3} s a run",
            whole.as_secs_f64(),
            self.in_builds.as_secs_f64(),
            self.in_sessions.as_secs_f64(),
            other / runs as f64
        ));
    }
}

/// What tells this campaign from others: scenario and plan.
fn fingerprint(scenario: &Scenario, output: &Output) -> Result<String, Failure> {
    let scenario = read_text(&scenario.file)?;
    let plan = read_text(&output.path("plan.csv"))?;
    Ok(hash_of_bytes(format!("{scenario}\0{plan}").as_bytes()))
}

/// How many runs there are, and what became of those that went wrong.
pub fn summary_text(summary: &RunSummary) -> String {
    let good = summary.records.iter().filter(|record| record.is_good()).count();
    let bad = summary.records.len() - good;
    let mut text = format!("{good} good runs, {bad} bad ones");
    if summary.resumed > 0 {
        text += &format!(", {} of them from before", summary.resumed);
    }
    for trouble in troubles(&summary.records) {
        let Trouble { reason, runs, first } = trouble;
        text += &format!("\n  {runs} x {reason} (first: {first})");
    }
    for (run, reason) in &summary.given_up {
        text += &format!("\n  given up: {}: {reason}", run.id());
    }
    text
}

/// Makes the sessions of a campaign on one board.
struct BoardDriver<'d, 'a> {
    scenario: &'d Scenario,
    cases: BTreeMap<&'d str, &'d PlannedCase>,
    builder: &'d mut VariantBuilder<'a>,
    board: &'d OpenBoard,
    folder: &'d Path,
    /// Jars that were built, by variant and probe, with their hash.
    jars: BTreeMap<(String, Probe), (Vec<u8>, String)>,
    /// Hash of the jar that the board has.
    installed: Option<String>,
    time: Time,
}

impl RunDriver for BoardDriver<'_, '_> {
    fn run(&mut self, run: &PlannedRun, _attempt: u32) -> Result<RawRun, DriverError> {
        let case =
            self.cases.get(run.case.as_str()).copied().ok_or_else(|| {
                Failure::input("plan.csv", format!("it has no case {}", run.case))
            })?;
        let jar = match run.phase {
            Phase::Idle => None,
            Phase::Traced => Some(self.jar(case, Probe::Count)?),
            Phase::Power => Some(self.jar(case, Probe::Plain)?),
        };
        let plan = self.session(run, case)?;
        let file = match &jar {
            Some((bytes, _)) => Some(sessions::jar_file(bytes, self.folder)?),
            None => None,
        };
        let build_sha256 = jar.map(|(_, hash)| hash);
        // A board that was lost may have been restarted: the jar is installed again.
        let installed = RefCell::new(self.installed.take());
        let session = |board: &OpenBoard| {
            if let Some(file) = file.as_ref().filter(|_| *installed.borrow() != build_sha256) {
                board.install(file)?;
                installed.replace(build_sha256.clone());
            }
            board.session(&plan)
        };
        let mut losses = Vec::new();
        let began = Instant::now();
        let logs = self.board.keep(session, |error| {
            losses.push(error.in_short());
            installed.take();
        });
        self.time.in_sessions += began.elapsed();
        self.installed = installed.into_inner();
        let logs = logs.map_err(Failure::from)?;
        Ok(self.raw_run(logs, build_sha256, losses))
    }
}

impl BoardDriver<'_, '_> {
    /// The case's variant as a jar, and its hash.
    fn jar(&mut self, case: &PlannedCase, probe: Probe) -> Result<(Vec<u8>, String), Failure> {
        let key = (case.variant.clone(), probe);
        if !self.jars.contains_key(&key) {
            let began = Instant::now();
            let removed: BTreeSet<_> = case.removed.iter().copied().collect();
            let variant = self.builder.build(&removed, probe)?;
            let bytes =
                pack(self.scenario, &variant, &self.builder.application().sources.libraries)?;
            let hash = hash_of_bytes(&bytes);
            self.jars.insert(key.clone(), (bytes, hash));
            self.time.in_builds += began.elapsed();
        }
        Ok(self.jars[&key].clone())
    }

    fn session(&self, run: &PlannedRun, case: &PlannedCase) -> Result<SessionPlan, Failure> {
        let scenario = self.scenario;
        let session = &scenario.session;
        let input =
            scenario.inputs.iter().find(|input| input.name == case.input).ok_or_else(|| {
                let message = format!(
                    "case {} has an input {} that the scenario lacks",
                    case.name, case.input
                );
                Failure::input("plan.csv", message)
            })?;
        let kind = match run.phase {
            Phase::Idle => {
                SessionKind::Idle { duration: Duration::from_secs_f64(session.duration_s) }
            }
            Phase::Traced => SessionKind::Traced,
            Phase::Power => SessionKind::App,
        };
        Ok(SessionPlan {
            // Without the attempt: a run that is repeated on a virtual board gives what it
            // would have given.
            label: run.id(),
            package: scenario.application.package.clone(),
            main: scenario.application.main.clone(),
            extras: scenario.extras(input).into_iter().collect(),
            steps: input.steps.clone(),
            marks: MarkTexts { begin: session.begin_mark.clone(), end: session.end_mark.clone() },
            kind,
            limit: Duration::from_secs_f64(session.limit_s),
            expected: Duration::from_secs_f64(session.duration_s),
            period: Duration::from_secs_f64(1.0 / session.sample_rate_hz),
            pinning: Pinning::to_cores(scenario.board.big_core, scenario.board.sampler_core),
            deadline_real: Duration::from_secs_f64(session.limit_s + 60.0),
        })
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
                // The virtual board's port is any free one: it must not tell data sets apart.
                serial: match facts.is_virtual() {
                    true => "virtual".to_string(),
                    false => self.board.serial().to_string(),
                },
                model: facts.model.clone().unwrap_or_default(),
                runtime: facts.android_release.clone().unwrap_or_default(),
                is_virtual: facts.is_virtual(),
                meter: self.board.meter.to_string(),
                rails: self.board.rails.clone(),
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
                temperature_before_c: outcome.temperature_before_c,
                temperature_after_c: outcome.temperature_after_c,
                charging: None,
                exit: match outcome.end {
                    SessionEnd::Ok => ExitState::Ended,
                    SessionEnd::Died => ExitState::Died,
                    SessionEnd::TimedOut => ExitState::TimedOut,
                },
                uptime_s: Some([outcome.uptime_s.0, outcome.uptime_s.1]),
                warnings,
            },
            logs: RawLogs {
                samples: logs.samples,
                logcat: logs.logcat,
                session: logs.script_output,
                counts: logs.counts,
            },
        }
    }
}

/// A variant's jar as a board takes it: with the classes of the libraries.
fn pack(scenario: &Scenario, variant: &Variant, libraries: &[PathBuf]) -> Result<Vec<u8>, Failure> {
    let mut entries = BTreeMap::new();
    for library in libraries {
        entries.extend(jar::read(library, "", |name| !name.starts_with("META-INF/"))?);
    }
    entries.extend(variant.classes.clone());
    let application = &scenario.application;
    let attributes =
        [("Main-Class", application.main.as_str()), ("Wattline-Package", &application.package)];
    Ok(jar::pack(&attributes, &entries))
}
