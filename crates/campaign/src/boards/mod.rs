//! Opening of the board that a command names, and its restoration afterwards.

mod application_core;
mod board_choice;
pub mod board_fit;
pub mod package_kind;
pub mod session;
mod unfit_key;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::device::{
    AdbBoard, Board, BoardFacts, CancelFlag, ChosenMeter, DeviceError, FrequencySetting,
    GuardSetting, HostLog, LOCAL_SERIAL, LocalJvm, PrepareOptions, RECONNECT_LIMIT, Sampler,
    Server, SessionLogs, SessionPlan, await_abandoned_session, check_has_bench_log, choose_meter,
    connect, disconnect, list_boards, prepare, read_facts, reconnect, restore, run_session_watched,
    virtual_board_options, with_recovery,
};
use crate::failure::Failure;
use crate::run::JudgeSettings;
use crate::scenario::{
    BoardSettings, ExternalMeterLog, FrequencyChoice, MeterChoice, Scenario, StartKind,
};
use crate::toolchain::Jdk;
use crate::virtual_board::{self, BoardFile, RunningBoard};

use application_core::{DEFAULT_CORE, application_core};

use crate::progress::Progress;
pub use board_choice::{BoardChoice, VirtualChoice};
use package_kind::PackageKind;
use unfit_key::{needs_android, refused_levels};

/// A prepared and locked board on which sessions run; restored and released on drop.
pub struct OpenBoard<'p> {
    target: SessionTarget<'p>,
    progress: &'p dyn Progress,
    /// Facts about the board.
    pub facts: BoardFacts,
    /// Frequency in kHz after preparation, if readable.
    pub frequency_khz: Option<u32>,
    /// Fixed frequency in kHz; absent if the frequency was left to the board.
    pub fixed_khz: Option<u32>,
    /// Core of the application.
    pub big_core: u32,
    /// Name of the power meter.
    pub meter: &'static str,
    /// Rails whose power is added up.
    pub rails: Vec<String>,
    /// Time to wait for the board if it is lost.
    pub patience: Duration,
}

/// The target of the sessions.
enum SessionTarget<'p> {
    /// On a board behind the adb server.
    Adb(Box<AdbTarget<'p>>),
    /// On this machine.
    Local(Box<LocalJvm>),
}

struct AdbTarget<'p> {
    progress: &'p dyn Progress,
    board: AdbBoard,
    options: PrepareOptions,
    /// Log of an external meter, if it replaces the sampler.
    log: Option<HostLog>,
    server: Server,
    running: Option<RunningBoard>,
}

/// Seed and ground truth folder of a virtual board.
#[derive(Debug, Clone, Default)]
pub struct VirtualSettings {
    /// Folder to which the board writes its ground truth, if any.
    pub truth: Option<PathBuf>,
    /// Seed of its noise.
    pub seed: u64,
}

/// Checks that a board can be opened later, before hours of other work.
pub fn check_reachable(choice: &BoardChoice) -> Result<(), Failure> {
    match choice {
        BoardChoice::Virtual(_) => {
            virtual_board::check_programs()?;
            list_boards(server_for(choice))?;
        }
        BoardChoice::Jvm => {
            Jdk::find()?;
        }
        BoardChoice::Serial(serial) => {
            open_serial(server_for(choice), serial)?;
        }
    }
    Ok(())
}

/// The adb server of a board.
fn server_for(choice: &BoardChoice) -> Server {
    match choice {
        BoardChoice::Virtual(_) => Server::for_virtual_boards(),
        BoardChoice::Jvm | BoardChoice::Serial(_) => Server::from_environment(),
    }
}

/// Fails if an application needs Android and one of the boards has none.
pub fn check_android(choices: &[BoardChoice], scenario: &Scenario) -> Result<(), Failure> {
    let unfit = needs_android(scenario).filter(|_| choices.contains(&BoardChoice::Jvm));
    unfit.map_or(Ok(()), |unfit| Err(unfit.failure(scenario)))
}

/// Opens, locks and prepares a board; the lock names `folder` as that of the results.
pub fn open<'p>(
    choice: &BoardChoice,
    scenario: &Scenario,
    virtual_settings: &VirtualSettings,
    folder: &Path,
    progress: &'p dyn Progress,
) -> Result<OpenBoard<'p>, Failure> {
    check_android(std::slice::from_ref(choice), scenario)?;
    let settings = &scenario.board;
    if *choice == BoardChoice::Jvm {
        return open_local(settings, progress);
    }
    let (mut board, running) = connect_board(choice, scenario, virtual_settings)?;
    let (server, serial) = (server_for(choice), board.serial().to_owned());
    board.lock(folder)?;
    await_abandoned_session(&board)?;
    let log = settings.log.as_ref().map(|log| open_log(&board, log, scenario)).transpose()?;
    let chosen = match &log {
        Some(log) => log.meter(),
        None => choose_meter(&board, settings.meter)?,
    };
    let rails = chosen.rails(&serial, &settings.rails)?;
    let guard = match running {
        Some(_) => GuardSetting::Off,
        None => GuardSetting::After(Duration::from_secs(900)),
    };
    let frequency = frequency_setting(settings.frequency_khz);
    let meter = chosen.meter.name();
    let options = PrepareOptions { meter, frequency, guard, ..PrepareOptions::default() };
    let state = prepare(&board, &options)?;
    // From here on the board is put back as it was, also after a failure.
    let target = AdbTarget { progress, board, options, log, server, running };
    check_levels(scenario, &state.facts)?;
    say_meter(&chosen, &rails, progress);
    let big_core = application_core(settings, state.big_core);
    let big_core = big_core.map_err(|unfit| unfit.failure(scenario))?;
    let mut board = OpenBoard {
        target: SessionTarget::Adb(Box::new(target)),
        progress,
        facts: state.facts,
        frequency_khz: state.frequency_khz,
        fixed_khz: state.fixed_khz,
        big_core,
        meter,
        rails,
        patience: RECONNECT_LIMIT,
    };
    if PackageKind::for_scenario_on(scenario, &board) == PackageKind::Jar {
        board.facts.sampler = board.facts.sampler.filter(|sampler| !sampler.is_of_packages());
    }
    if !scenario.application.can_be_sampled {
        board.facts.sampler = board.facts.sampler.filter(|sampler| sampler.is_of_packages());
    }
    Ok(board)
}

/// Fails if the board's Android would refuse to install the application for its API levels.
fn check_levels(scenario: &Scenario, facts: &BoardFacts) -> Result<(), Failure> {
    let unfit = refused_levels(&scenario.application, facts);
    unfit.first().map_or(Ok(()), |unfit| Err(unfit.failure(scenario)))
}

/// Connects a board behind adb; a virtual one is started, and runs as long as the returned
/// [`RunningBoard`] exists.
pub fn connect_board(
    choice: &BoardChoice,
    scenario: &Scenario,
    virtual_settings: &VirtualSettings,
) -> Result<(AdbBoard, Option<RunningBoard>), Failure> {
    let server = server_for(choice);
    match choice {
        BoardChoice::Jvm => Err(Failure::Usage("this machine is not reached by adb".into())),
        BoardChoice::Serial(serial) => Ok((open_serial(server, serial)?, None)),
        BoardChoice::Virtual(chosen) => {
            let jars = scenario.application.start == StartKind::Main;
            let running = start_virtual(*chosen, virtual_settings, jars)?;
            connect(server, &running.serial())?;
            Ok((open_serial(server, &running.serial())?, Some(running)))
        }
    }
}

/// The frequency that a board is prepared with.
fn frequency_setting(choice: FrequencyChoice) -> FrequencySetting {
    match choice {
        FrequencyChoice::Khz(khz) => {
            FrequencySetting::FixedKhz(u32::try_from(khz).unwrap_or(u32::MAX))
        }
        FrequencyChoice::Auto => FrequencySetting::Auto,
        FrequencyChoice::Leave => FrequencySetting::Leave,
    }
}

/// Opens the log of the external meter at a board.
fn open_log(
    board: &AdbBoard,
    log: &ExternalMeterLog,
    scenario: &Scenario,
) -> Result<HostLog, DeviceError> {
    let facts = read_facts(board)?;
    check_has_bench_log(board, &facts)?;
    let serial = recorded_serial(&facts, board.serial());
    let file = scenario.resolve(Path::new(&log.file.replace(ExternalMeterLog::BOARD, &serial)));
    HostLog::open(&serial, &file, log)
}

/// Fails if boards of these kinds can't share a campaign.
pub fn check_compatible(choices: &[BoardChoice]) -> Result<(), Failure> {
    let mut seen = Vec::new();
    for choice in choices {
        if choices.len() > 1 && !matches!(choice, BoardChoice::Serial(_)) {
            return Err(Failure::Usage(
                "`virtual` and `jvm` are one board each; for several boards give their \
                 serials with --board (virtual ones: start them with `wattline board virtual \
                 --name NAME`)"
                    .into(),
            ));
        }
        if seen.contains(&choice) {
            return Err(Failure::Usage(format!("--board names {choice:?} twice")));
        }
        seen.push(choice);
    }
    Ok(())
}

/// Fails if several boards share one log of an external meter.
pub(crate) fn check_logs(boards: &[BoardChoice], settings: &BoardSettings) -> Result<(), Failure> {
    match &settings.log {
        Some(log) if boards.len() > 1 && !log.file.contains(ExternalMeterLog::BOARD) => {
            Err(Failure::Usage(format!(
                "`board.log.file` names one log for {} boards; write {} in its name, which stands \
                 for the board's serial",
                boards.len(),
                ExternalMeterLog::BOARD
            )))
        }
        _ => Ok(()),
    }
}

/// Prints the chosen meter, what it measures, and the rails.
fn say_meter(chosen: &ChosenMeter, rails: &[String], progress: &dyn Progress) {
    let meter = chosen.meter;
    progress.say(&format!(
        "  power by {} ({}): {}",
        meter.name(),
        meter.measures(),
        rails.join(", ")
    ));
}

/// Opens this machine's JVM, and prints its meter.
fn open_local<'p>(
    settings: &BoardSettings,
    progress: &'p dyn Progress,
) -> Result<OpenBoard<'p>, Failure> {
    let jvm = LocalJvm::open(&Jdk::find()?, settings.meter)?;
    let rails = match jvm.meter.rails(LOCAL_SERIAL, &settings.rails) {
        // Scenarios name the rails of the board they were written for.
        Err(_) if settings.meter == MeterChoice::Auto => jvm.meter.offer.default_rails.clone(),
        rails => rails?,
    };
    match jvm.remark() {
        None => say_meter(&jvm.meter, &rails, progress),
        Some(remark) => progress.warn_once(&remark),
    }
    Ok(OpenBoard {
        progress,
        facts: jvm.facts(),
        frequency_khz: None,
        fixed_khz: None,
        big_core: settings.big_core.unwrap_or(DEFAULT_CORE),
        meter: jvm.meter(),
        rails,
        patience: RECONNECT_LIMIT,
        target: SessionTarget::Local(Box::new(jvm)),
    })
}

/// Opens a board by its serial; connects one over TCP that the server does not list.
pub fn open_serial(server: Server, serial: &str) -> Result<AdbBoard, Failure> {
    match AdbBoard::open(server, serial, CancelFlag::default()) {
        Err(error @ DeviceError::NotReady { .. }) if serial.contains(':') => {
            // Where that fails too, the first answer tells more.
            connect(server, serial).map_err(|_| error)?;
            Ok(AdbBoard::open(server, serial, CancelFlag::default())?)
        }
        opened => Ok(opened?),
    }
}

fn start_virtual(
    VirtualChoice { kind, simulated_model }: VirtualChoice,
    settings: &VirtualSettings,
    jars: bool,
) -> Result<RunningBoard, Failure> {
    let options = virtual_board::BoardOptions {
        board: BoardFile::built_in(kind).unwrap_or_else(BoardFile::odroid_xu_e),
        simulated_model,
        truth: settings.truth.clone(),
        seed: Some(settings.seed),
        jars,
        ..virtual_board_options()
    };
    Ok(virtual_board::start(&options)?)
}

/// The serial in records of the board with the adb serial `serial`.
pub fn recorded_serial(facts: &BoardFacts, serial: &str) -> String {
    match (facts.is_virtual(), &facts.own_serial) {
        (true, Some(name)) => name.clone(),
        (true, None) => virtual_board::DEFAULT_NAME.to_string(),
        (false, _) => serial.to_string(),
    }
}

/// Indices of the first two equal names in the list.
pub fn first_duplicate(names: &[String]) -> Option<(usize, usize)> {
    let with_name = |at: usize| names[..at].iter().position(|name| *name == names[at]);
    (0..names.len()).find_map(|at| Some((with_name(at)?, at)))
}

impl<'p> OpenBoard<'p> {
    /// Returns the receiver of messages about the board, which shows progress and warnings.
    pub fn progress(&self) -> &'p dyn Progress {
        self.progress
    }

    /// Serial of the board; `jvm` for this machine.
    pub fn serial(&self) -> &str {
        match &self.target {
            SessionTarget::Adb(adb) => adb.board.serial(),
            SessionTarget::Local(_) => LOCAL_SERIAL,
        }
    }

    /// The serial in records. A virtual board is recorded by its name, since its port, a free one,
    /// must not make data sets differ.
    pub fn recorded_serial(&self) -> String {
        recorded_serial(&self.facts, self.serial())
    }

    /// The board's sampling profiler.
    ///
    /// # Errors
    /// The board has no supported profiler.
    pub fn sampler(&self) -> Result<Sampler, Failure> {
        self.facts.sampler.ok_or_else(|| {
            Failure::Board(format!(
                "board {} has no sampler that is known (Android has one from release 4.4 on, before \
                 10 for packages only: `start = \"instrument\"` or `\"activity\"`): set \
                 `sampled_repeats = 0` in [campaign], or leave it out",
                self.serial()
            ))
        })
    }

    /// Prints which profiler samples on this machine; a device has the one of its Android.
    pub fn say_sampler(&self) {
        if let SessionTarget::Local(jvm) = &self.target {
            self.progress.say(&format!("  {}", jvm.sampler_remark()));
        }
    }

    /// The settings by which runs on this board are judged.
    pub fn judge_settings(&self, scenario: &Scenario) -> JudgeSettings {
        let (rails, frequency_khz) = (self.rails.clone(), self.fixed_khz.map(u64::from));
        JudgeSettings { rails, frequency_khz, ..JudgeSettings::from(scenario) }
    }

    /// Whether the board is this machine.
    pub fn is_local(&self) -> bool {
        matches!(self.target, SessionTarget::Local(_))
    }

    /// Whether the board's runtime compiles all code (see [`BoardFacts::compiles`]).
    pub fn compiles(&self) -> bool {
        self.facts.compiles
    }

    /// Installs an application, over an older version.
    pub fn install(&self, file: &Path, package: &str) -> Result<(), DeviceError> {
        match &self.target {
            SessionTarget::Adb(adb) => adb.board.install(file, package),
            SessionTarget::Local(jvm) => jvm.install(file),
        }
    }

    /// Runs one session to its end.
    pub fn session(&self, plan: &SessionPlan) -> Result<SessionLogs, DeviceError> {
        self.session_watched(plan, &mut |_| {})
    }

    /// Runs one session as [`OpenBoard::session`] does; calls `closed` with the number of
    /// microbenchmarks that have ended, if the board reports it; on this machine plus the number
    /// compiled before.
    pub(crate) fn session_watched(
        &self,
        plan: &SessionPlan,
        closed: &mut dyn FnMut(u64),
    ) -> Result<SessionLogs, DeviceError> {
        match &self.target {
            SessionTarget::Adb(adb) => match &adb.log {
                Some(log) => log.session(&adb.board, plan),
                None => run_session_watched(&adb.board, plan, closed),
            },
            SessionTarget::Local(jvm) => jvm.run_session_watched(plan, closed),
        }
    }

    /// Stops an application, so that its session ends. On this machine nothing is done: a session
    /// ends by itself at its limit.
    pub fn stop(&self, package: &str) -> Result<(), DeviceError> {
        match &self.target {
            SessionTarget::Adb(adb) => {
                let command = format!("am force-stop {package}");
                adb.board.shell(&command, Duration::from_secs(20)).map(drop)
            }
            SessionTarget::Local(_) => Ok(()),
        }
    }

    /// Makes a call. If the board is lost meanwhile, it is connected and prepared again, and the
    /// call is repeated, so it must install what it needs on the board.
    pub fn with_recovery<T>(
        &self,
        mut call: impl FnMut(&Self) -> Result<T, DeviceError>,
        mut lost: impl FnMut(&DeviceError),
    ) -> Result<T, DeviceError> {
        let SessionTarget::Adb(adb) = &self.target else { return call(self) };
        let recover = |error: &DeviceError| {
            self.progress.warn(&format!("{error}; the board is connected and prepared again"));
            lost(error);
            reconnect(adb.server, adb.board.serial(), self.patience)?;
            adb.board.renew_lock()?;
            await_abandoned_session(&adb.board)?;
            prepare(&adb.board, &adb.options).map(drop)
        };
        with_recovery(self.patience, || call(self), recover)
    }
}

impl Drop for AdbTarget<'_> {
    fn drop(&mut self) {
        let put_back = restore(&self.board).or_else(|_| {
            // It may be back by now.
            reconnect_soon(self.server, self.board.serial())?;
            await_abandoned_session(&self.board)?;
            restore(&self.board)
        });
        if let Err(error) = put_back {
            self.progress.warn(&format!("the board was not put back as it was: {error}"));
        }
        self.board.unlock();
        if self.running.is_some() {
            let _ = disconnect(self.server, self.board.serial());
        }
    }
}

/// Reconnects a lost board if it is there again, without waiting.
fn reconnect_soon(server: Server, serial: &str) -> Result<(), DeviceError> {
    match serial.contains(':') {
        true => disconnect(server, serial).and_then(|()| connect(server, serial)),
        false => Ok(()),
    }
}
