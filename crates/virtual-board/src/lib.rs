//! Virtual Android board in software. The stock adb server drives it over loopback TCP; its shell
//! is mksh with toybox in a private root; its applications are real JVM processes; its clock,
//! sensors and energy are simulated. See `docs/internals/virtual-board.md`.

mod adb;
mod android;
mod apps;
mod board_file;
mod board_state;
mod calendar;
mod clock;
mod commands;
mod control;
mod error;
mod fault;
mod fault_effects;
mod folder;
mod idle_drift;
mod jail;
mod janitor;
mod jdk;
mod log_buffer;
mod machine;
mod meters_file;
mod package;
mod power;
mod proc_state;
mod processes;
mod root;
mod sampler;
mod secret;
mod session;
mod settings;
mod shells;
pub mod shim;
mod signals;
pub mod simulated_model;
mod unauthenticated;
mod user;
mod wire;

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

pub use adb::{AdbKeyError, AdbdGeneration};
pub use android::{FetchAndroid, android_framework, least_target_sdk, package_name_fault};
pub use board_file::{
    BUILT_IN_BOARD_NAMES, BoardFile, GcCost, ODROID_XU_E, ODROID_XU3, OverheadCosts, PHONE, PIXEL,
    Processor, Rail, Rails, ThermalModel,
};
use board_state::{BoardSpec, BoardState};
pub use error::BoardError;
pub use fault::{Fault, FaultAction, FaultTime};
pub use idle_drift::IdleDrift;
pub use janitor::clean_up_all_boards;
use machine::Machine;
pub use meters_file::{BatteryGauge, ChipRail, Ina231Sensors, MeterChip, RailName};
pub use proc_state::children_by_parents;
pub use root::Tools;
pub use shells::is_signal_ignored;
use wattline_private_files::private_folder_builder;

use simulated_model::{
    AgentOptions, CostTable, FetchAsm, SimulatedModelFamily, SimulatedModelOptions,
};

/// Default name of a board.
pub const DEFAULT_NAME: &str = "virtual";

/// Options with which a virtual board starts.
#[derive(Debug, Clone)]
pub struct BoardOptions {
    /// Loopback port of the ADB device side; 0 takes any free one.
    pub port: u16,
    /// Generation of adbd.
    pub mode: AdbdGeneration,
    /// Tool set of the shell.
    pub tools: Tools,
    /// Program that answers to the names of the board's own commands: an executable that calls
    /// [`shim::run_if_shim`] first. `None` is this program. If the program of the commands alone
    /// lies beside it, the board takes that.
    pub executable: Option<PathBuf>,
    /// Description of the board.
    pub board: BoardFile,
    /// Name of the board (`ro.serialno`), which identifies it in records and data sets: its port
    /// may be any free one.
    pub name: String,
    /// Seed of all randomness; `None` takes the board file's.
    pub seed: Option<u64>,
    /// Family of the simulated energy model.
    pub simulated_model: SimulatedModelFamily,
    /// Costs of executed code in an additive model.
    pub costs: CostTable,
    /// Device level of the cost file, like "Device 1".
    pub device: String,
    /// Folder for built agents; `None` is the user's cache folder.
    pub agent_cache: Option<PathBuf>,
    /// Function that fetches the library that weaves classes; `None` takes an installed one.
    pub fetch_asm: Option<FetchAsm>,
    /// Function that fetches the libraries that read Android packages; `None` makes a board that
    /// cannot install any.
    pub fetch_android: Option<FetchAndroid>,
    /// Whether the board also installs jars whose manifest names a package (`Wattline-Package`),
    /// which no Android does: they install and start in less time, for tests of all else.
    pub jars: bool,
    /// File with the public keys of adb whose hosts may connect; `None` is that of the user's own
    /// adb (`~/.android/adbkey.pub`), which is created if it is missing.
    pub adb_keys: Option<PathBuf>,
    /// Folder for the ground truth of each session, which only evaluation may read; `None` writes
    /// none.
    pub truth: Option<PathBuf>,
    /// Folder of the host for RAPL counters of the board's energy, for other tools; `None` makes
    /// none.
    pub rapl: Option<PathBuf>,
    /// File of the host for a bench meter's log of the board's power; `None` makes none.
    pub log: Option<PathBuf>,
    /// Real time after which a board whose clock stands, though something on it waits for time to
    /// pass, counts as broken: all its processes are then ended.
    pub patience: Duration,
}

impl Default for BoardOptions {
    fn default() -> Self {
        Self {
            port: 0,
            mode: AdbdGeneration::Modern,
            tools: Tools::Toybox,
            executable: None,
            board: BoardFile::odroid_xu_e(),
            name: DEFAULT_NAME.into(),
            seed: None,
            simulated_model: SimulatedModelFamily::default(),
            costs: CostTable::raspberry_pi_5(),
            device: SimulatedModelOptions::default().device,
            agent_cache: None,
            fetch_asm: None,
            fetch_android: None,
            jars: false,
            adb_keys: None,
            truth: None,
            rapl: None,
            log: None,
            patience: Duration::from_secs(60),
        }
    }
}

/// Board that runs on threads of this process until it is dropped. Then all its processes end and
/// its root is removed.
pub struct RunningBoard {
    server: adb::AdbServer,
    machine: Arc<Machine>,
    shells: Arc<shells::Shells>,
    clock: Option<JoinHandle<()>>,
    confinement: jail::Confinement,
    janitor: janitor::Janitor,
    root: root::BoardRoot,
    _scratch: tempfile::TempDir,
}

/// Checks that the host has the programs that a virtual board needs.
///
/// # Errors
/// The first that is missing.
pub fn check_programs() -> Result<(), BoardError> {
    root::PROGRAMS.iter().try_for_each(|name| root::find_program(name).map(drop))
}

/// Starts a virtual board.
///
/// # Errors
/// When a program of the host is missing, the root can't be built, or the port is
/// taken.
pub fn start(options: &BoardOptions) -> Result<RunningBoard, BoardError> {
    let executable = match &options.executable {
        Some(path) => path.clone(),
        None => std::env::current_exe()?,
    };
    let keys = adb::AuthorizedKeys::read(options.adb_keys.as_deref())?;
    let user = user::BoardUser::find();
    jdk::check_jdk_access(user)?;
    let (tools, release) = (options.tools, options.board.major_release());
    let root = root::BoardRoot::build(&command_program(executable), tools, release, user)?;
    let scratch =
        private_folder_builder("wattline-simulation-").tempdir_in(user.temporary_folder())?;
    let janitor = janitor::Janitor::start(root.path(), scratch.path())?;
    let machine = Arc::new(new_machine(options, &root, &scratch, user)?);
    let failed = |source| BoardError::Root { path: root.path().to_owned(), source };
    user.take_ownership_of_all(root.path())
        .and_then(|()| user.grant_read(scratch.path()))
        .map_err(failed)?;
    let jail = jail::Jail::start_strongest(root.path(), user)?;
    let confinement = jail.confinement();
    machine.state.first_process.set(jail.first_process()).ok();
    let full = machine.clone();
    let is_full = Box::new(move || full.state.is_disk_full());
    let shells = Arc::new(shells::Shells::new(jail, machine.state.clock.clone(), is_full));
    let device = adb_device(options, shells.clone(), keys, &machine);
    let server = adb::AdbServer::start(options.port, device, machine.connections.clone())
        .map_err(|source| BoardError::Port { port: options.port, source })?;
    control::start(machine.clone())?;
    let clock = Some(run_clock(&machine, options.patience)?);
    Ok(RunningBoard {
        server,
        machine,
        shells,
        clock,
        confinement,
        janitor,
        root,
        _scratch: scratch,
    })
}

/// Path of the small program of the commands, if it is beside `whole`; else `whole`.
fn command_program(whole: PathBuf) -> PathBuf {
    let alone = whole.with_file_name("wattline-board-command");
    if alone.is_file() { alone } else { whole }
}

/// Parts of the board that adb connections need.
fn adb_device(
    options: &BoardOptions,
    shells: Arc<shells::Shells>,
    keys: adb::AuthorizedKeys,
    machine: &Arc<Machine>,
) -> adb::AdbDevice {
    let (counted, full) = (machine.clone(), machine.clone());
    adb::AdbDevice {
        mode: options.mode,
        shells,
        keys,
        folder: machine.state.folder.clone(),
        model: options.board.name.replace([';', ':', '='], "_"),
        on_stream_opened: Box::new(move || {
            fault_effects::perform(&counted, counted.schedule.take_due_at_request())
        }),
        is_disk_full: Box::new(move || full.state.is_disk_full()),
    }
}

/// Builds the parts of a board: state, applications, packages, recordings, faults.
fn new_machine(
    options: &BoardOptions,
    root: &root::BoardRoot,
    scratch: &tempfile::TempDir,
    user: user::BoardUser,
) -> Result<Machine, BoardError> {
    let (simulated_model, agent) = simulated_model_options(options);
    // A wrong device is better told now than when an application starts.
    simulated_model::open(scratch.path(), &options.costs, &simulated_model)?;
    let cache = simulated_model::cache_dir(&agent);
    let scratch_folder = scratch.path().to_owned();
    let android =
        android::InstalledPackages::new(options.fetch_android, options.jars, cache, scratch_folder);
    let settings = apps::AppSettings {
        costs: options.costs.clone(),
        simulated_model,
        agent,
        truth: options.truth.clone(),
        scratch: scratch.path().to_owned(),
    };
    let seed = options.seed.unwrap_or(options.board.seed);
    let state = Arc::new(initial_state(options, root, user, seed)?);
    let recordings = Arc::new(sampler::Recordings::new(seed));
    let apps = Arc::new(apps::RunningApps::new(settings, state.clone(), recordings.clone()));
    let (schedule, connections) = (fault::FaultSchedule::default(), Arc::default());
    Ok(Machine { state, apps, android, recordings, schedule, connections })
}

/// Options of the simulated energy model and of its agent.
fn simulated_model_options(options: &BoardOptions) -> (SimulatedModelOptions, AgentOptions) {
    let simulated_model = SimulatedModelOptions {
        family: options.simulated_model,
        device: options.device.clone(),
        multiplier: options.board.costs.multiplier,
        ahead: false,
    };
    let agent = AgentOptions {
        cache_dir: options.agent_cache.clone(),
        fetch_asm: options.fetch_asm,
        family: options.simulated_model,
        ..AgentOptions::default()
    };
    (simulated_model, agent)
}

/// State of a board that has just been switched on.
fn initial_state(
    options: &BoardOptions,
    root: &root::BoardRoot,
    user: user::BoardUser,
    seed: u64,
) -> Result<BoardState, BoardError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| BoardError::Root { path, source }
    };
    let file = options.board.clone();
    let mut hardware =
        power::BoardHardware::new(root.path(), file.clone(), seed).map_err(failed(root.path()))?;
    if let Some(folder) = &options.rapl {
        hardware.add_rapl(folder).map_err(failed(folder))?;
    }
    if let Some(path) = &options.log {
        hardware.add_log(path).map_err(failed(path))?;
    }
    let folder = folder::BoardFolder::open_root(root.path(), user).map_err(failed(root.path()))?;
    let spec = BoardSpec { file, name: &options.name, simulated_model: options.simulated_model };
    let generation = (options.mode, options.tools);
    Ok(BoardState::new(Arc::new(folder), generation, spec, hardware))
}

/// Starts the thread that moves the clock and settles the hardware.
fn run_clock(machine: &Arc<Machine>, patience: Duration) -> std::io::Result<JoinHandle<()>> {
    let machine = machine.clone();
    std::thread::Builder::new().name("clock".into()).spawn(move || {
        machine.state.clock.run(
            patience,
            |now| machine.state.hardware().move_to(now),
            || fault_effects::perform_due(&machine),
            |processes| machine.end_stalled_processes(&processes),
        );
    })
}

impl RunningBoard {
    /// Serial number by which adb knows the board after `adb connect`.
    pub fn serial(&self) -> String {
        format!("127.0.0.1:{}", self.port())
    }

    /// Loopback port of the ADB device side.
    pub fn port(&self) -> u16 {
        self.server.port()
    }

    /// Confinement of the board's shells: `name spaces`, `chroot` or `path prefix`.
    pub fn confinement(&self) -> &'static str {
        self.confinement.name()
    }

    /// Whether the board's shells are kept from the host's files and processes.
    pub fn is_confined(&self) -> bool {
        self.confinement != jail::Confinement::Prefix
    }

    /// Seconds since the board's boot, on its own clock.
    pub fn uptime_s(&self) -> f64 {
        self.machine.state.clock.now_ns() as f64 / 1e9
    }

    /// Problems of the simulation so far, as sentences.
    pub fn problems(&self) -> Vec<String> {
        self.machine.state.problems()
    }

    /// Causes a fault now.
    pub fn cause_fault(&self, fault: Fault) {
        fault_effects::perform(&self.machine, vec![FaultAction::Cause(fault)]);
    }

    /// Lifts all faults that last.
    pub fn lift_faults(&self) {
        fault_effects::perform(&self.machine, vec![FaultAction::Lift]);
    }

    /// Schedules an action. A session's moment that does not come before its end is that of the
    /// next session's start.
    pub fn schedule(&self, moment: FaultTime, act: FaultAction) {
        self.machine.schedule.add(moment, act);
    }

    /// Labels of all sessions that were started so far.
    pub fn sessions(&self) -> Vec<String> {
        self.machine.schedule.session_labels()
    }

    /// Number of streams (shells, transfers) that hosts have opened so far.
    pub fn requests(&self) -> u64 {
        self.machine.schedule.requests()
    }

    /// Text of a file of the board, without its last line end; `None` if it cannot be read.
    pub fn read_file(&self, path: &str) -> Option<String> {
        // What scripts wrote takes effect first.
        let board = &self.machine.state;
        board.hardware().move_to(board.clock.now_ns());
        let mut bytes = Vec::new();
        board.folder.open(path).and_then(|mut file| file.read_to_end(&mut bytes)).ok()?;
        Some(String::from_utf8_lossy(&bytes).trim_end().to_owned())
    }
}

impl Drop for RunningBoard {
    fn drop(&mut self) {
        self.server.stop();
        self.machine.state.clock.stop();
        control::stop(&self.machine);
        self.machine.apps.stop_all();
        shells::kill_all_processes(self.root.path());
        self.shells.close();
        if let Some(clock) = self.clock.take() {
            clock.join().ok();
        }
        self.janitor.dismiss();
    }
}

#[cfg(test)]
#[path = "../../../tests/common/skip.rs"]
mod skip;
