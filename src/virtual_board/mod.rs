//! A board in a box: an Android board without the board. The stock adb server drives
//! it over loopback TCP; its shell is mksh with toybox in a private root; its
//! applications are real JVM processes; its clock, sensors and energy are simulated.
//! See `docs/virtual-board.md`.

mod adb;
mod apps;
mod board_file;
mod calendar;
mod clock;
mod commands;
mod control;
mod error;
mod jail;
mod janitor;
mod log_buffer;
mod machine;
mod package;
mod power;
mod processes;
mod root;
mod shells;
pub mod shim;
pub mod silicon;
mod wire;

use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

pub use adb::Mode;
pub use board_file::{
    BoardFile, Collector, Costs, Heat, ODROID_XU_E, Processor, Rail, Rails, Sensors,
};
pub use error::BoardError;
use machine::Machine;
use silicon::{AgentOptions, CostTable, SiliconOptions};

/// How a board is started.
#[derive(Debug, Clone)]
pub struct BoardOptions {
    /// Loopback port of the ADB device side; 0 takes any free one.
    pub port: u16,
    /// Generation of adbd.
    pub mode: Mode,
    /// The program that answers to the names of the board's own commands: an
    /// executable that calls [`shim::run_if_shim`] first. `None` is this program.
    pub executable: Option<PathBuf>,
    /// What the board is like.
    pub board: BoardFile,
    /// Seed of all randomness; `None` takes the board file's.
    pub seed: Option<u64>,
    /// What executed code costs.
    pub costs: CostTable,
    /// Device level of the cost file.
    pub device: String,
    /// Where built agents are kept; `None` is the user's cache folder.
    pub agent_cache: Option<PathBuf>,
    /// Folder for the truth of each session, which only evaluation may read; `None`
    /// writes none.
    pub truth: Option<PathBuf>,
    /// Real time after which a board that stands still, though somebody on it waits
    /// for time to pass, is broken: everything on it is then ended.
    pub patience: Duration,
}

impl Default for BoardOptions {
    fn default() -> Self {
        Self {
            port: 0,
            mode: Mode::Modern,
            executable: None,
            board: BoardFile::odroid_xu_e(),
            seed: None,
            costs: CostTable::raspberry_pi_5(),
            device: SiliconOptions::default().device,
            agent_cache: None,
            truth: None,
            patience: Duration::from_secs(60),
        }
    }
}

/// A board that runs on threads of this process until it is dropped. Then all its
/// processes end and its root is removed.
pub struct RunningBoard {
    server: adb::AdbServer,
    machine: Arc<Machine>,
    clock: Option<JoinHandle<()>>,
    confinement: &'static str,
    janitor: janitor::Janitor,
    root: root::Root,
    _scratch: tempfile::TempDir,
}

/// Whether the programs that a virtual board needs are on this machine.
///
/// # Errors
/// The first that is missing.
pub fn check_programs() -> Result<(), BoardError> {
    root::PROGRAMS.iter().try_for_each(|name| root::find_program(name).map(drop))
}

/// Starts a board.
///
/// # Errors
/// When a program of the host is missing, the root can't be built, or the port is
/// taken.
pub fn start(options: &BoardOptions) -> Result<RunningBoard, BoardError> {
    let executable = match &options.executable {
        Some(path) => path.clone(),
        None => std::env::current_exe()?,
    };
    let root = root::Root::build(&executable)?;
    let scratch = tempfile::Builder::new().prefix("wattline-silicon-").tempdir()?;
    let janitor = janitor::Janitor::start(root.path(), scratch.path())?;
    let jail = jail::Jail::find(root.path())?;
    let confinement = jail.name();
    let machine = Arc::new(machine(options, &root, &scratch)?);
    let shells = Arc::new(shells::Shells::new(jail, root.path(), machine.clock.clone()));
    let model = options.board.name.replace([';', ':', '='], "_");
    let device = adb::Device { mode: options.mode, shells, model };
    let server = adb::AdbServer::start(options.port, device)
        .map_err(|source| BoardError::Port { port: options.port, source })?;
    control::start(machine.clone())?;
    let clock = Some(run_clock(&machine, options.patience)?);
    Ok(RunningBoard { server, machine, clock, confinement, janitor, root, _scratch: scratch })
}

fn machine(
    options: &BoardOptions,
    root: &root::Root,
    scratch: &tempfile::TempDir,
) -> Result<Machine, BoardError> {
    let file = options.board.clone();
    let silicon =
        SiliconOptions { device: options.device.clone(), multiplier: file.costs.multiplier };
    // A wrong device is better told now than when an application starts.
    silicon::open(scratch.path(), &options.costs, &silicon)?;
    let agent = AgentOptions { cache_dir: options.agent_cache.clone(), ..AgentOptions::default() };
    let apps = apps::Apps::new(apps::Settings {
        costs: options.costs.clone(),
        silicon,
        agent,
        truth: options.truth.clone(),
        scratch: scratch.path().to_owned(),
    });
    let seed = options.seed.unwrap_or(file.seed);
    let hardware = power::Hardware::new(root.path(), file.clone(), seed)
        .map_err(|source| BoardError::Root { path: root.path().to_owned(), source })?;
    Ok(Machine::new(root.path(), options.mode, file, hardware, apps))
}

fn run_clock(machine: &Arc<Machine>, patience: Duration) -> std::io::Result<JoinHandle<()>> {
    let machine = machine.clone();
    std::thread::Builder::new().name("clock".into()).spawn(move || {
        machine.clock.run(
            patience,
            |now| machine.hardware().move_to(now),
            |processes| machine.give_up(&processes),
        );
    })
}

impl RunningBoard {
    /// The name under which adb knows the board after `adb connect`.
    pub fn serial(&self) -> String {
        format!("127.0.0.1:{}", self.port())
    }

    /// The loopback port of the ADB device side.
    pub fn port(&self) -> u16 {
        self.server.port()
    }

    /// How the board's shell is confined: `chroot`, `name space` or `path prefix`.
    pub fn confinement(&self) -> &'static str {
        self.confinement
    }

    /// Seconds since the board's boot, on its own clock.
    pub fn uptime_s(&self) -> f64 {
        self.machine.clock.now_ns() as f64 / 1e9
    }

    /// What went wrong on the board so far, in sentences.
    pub fn problems(&self) -> Vec<String> {
        self.machine.problems()
    }

    /// Closes all connections, as a pulled cable does. New ones are accepted.
    pub fn drop_connections(&self) {
        self.server.drop_connections();
    }
}

impl Drop for RunningBoard {
    fn drop(&mut self) {
        self.server.stop();
        self.machine.clock.stop();
        control::stop(&self.machine);
        self.machine.apps.stop_all(&self.machine);
        shells::end_all(self.root.path());
        if let Some(clock) = self.clock.take() {
            clock.join().ok();
        }
        self.janitor.dismiss();
    }
}
