//! State of the board that its packages, applications and recordings share: clock, electricity,
//! log, properties, settings and files.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use super::adb::AdbdGeneration;
use super::board_file::BoardFile;
use super::calendar::CalendarTime;
use super::clock::BoardClock;
use super::folder::BoardFolder;
use super::log_buffer::{BufferedLine, LogBuffer};
use super::power::BoardHardware;
use super::root::Tools;
use super::settings::Settings;
use super::simulated_model::SimulatedModelFamily;

/// System property with the name of the session; setting it starts a session on a cooled board.
pub(super) const SESSION_PROPERTY: &str = "wattline.session";

/// Clock, electricity, log, properties, settings and files of the board.
pub(super) struct BoardState {
    pub clock: Arc<BoardClock>,
    pub file: BoardFile,
    pub mode: AdbdGeneration,
    pub tools: Tools,
    pub log: LogBuffer,
    /// Android's settings and screen.
    pub settings: Settings,
    /// Process number of the jail's first process, once it runs.
    pub first_process: OnceLock<u32>,
    /// Files of the board.
    pub folder: Arc<BoardFolder>,
    start_ns: u64,
    hardware: Mutex<BoardHardware>,
    properties: Mutex<BTreeMap<String, String>>,
    problems: Mutex<Vec<String>>,
    /// Offset of the wall clock in nanoseconds, from moves after boot.
    moved_ns: AtomicI64,
    disk_full: AtomicBool,
    traces_cut: AtomicBool,
}

/// Description, name and simulated energy model of a board.
pub(super) struct BoardSpec<'a> {
    pub file: BoardFile,
    pub name: &'a str,
    pub simulated_model: SimulatedModelFamily,
}

impl BoardState {
    pub(super) fn new(
        folder: Arc<BoardFolder>,
        (mode, tools): (AdbdGeneration, Tools),
        BoardSpec { file, name, simulated_model }: BoardSpec<'_>,
        hardware: BoardHardware,
    ) -> Self {
        Self {
            clock: BoardClock::new(hardware.start_ns()),
            start_ns: hardware.start_ns(),
            log: LogBuffer::default(),
            folder,
            mode,
            tools,
            hardware: Mutex::new(hardware),
            properties: Mutex::new(initial_properties(&file, name, &simulated_model.to_string())),
            problems: Mutex::default(),
            settings: Settings::default(),
            first_process: OnceLock::new(),
            moved_ns: AtomicI64::new(0),
            disk_full: AtomicBool::new(false),
            traces_cut: AtomicBool::new(false),
            file,
        }
    }

    /// Locks the electricity of the board.
    pub(super) fn hardware(&self) -> MutexGuard<'_, BoardHardware> {
        self.hardware.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Locks the system properties.
    pub(super) fn properties(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.properties.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Path of the board's root on the host.
    pub(super) fn root(&self) -> &Path {
        self.folder.path()
    }

    /// Unix time at boot in nanoseconds.
    pub(super) fn boot_epoch_ns(&self) -> u128 {
        let start = u128::from(self.hardware().start_ns());
        (u128::from(self.file.epoch_start_s) * 1_000_000_000).saturating_sub(start)
    }

    /// Present date and time of the wall clock.
    pub(super) fn wall_clock(&self) -> CalendarTime {
        CalendarTime::from_epoch_ns(self.wall_epoch_ns())
    }

    /// Present Unix time of the wall clock in nanoseconds.
    pub(super) fn wall_epoch_ns(&self) -> u128 {
        let now = self.boot_epoch_ns() + u128::from(self.clock.now_ns());
        now.saturating_add_signed(self.moved_ns().into())
    }

    /// Offset of the wall clock in nanoseconds.
    pub(super) fn moved_ns(&self) -> i64 {
        self.moved_ns.load(Ordering::SeqCst)
    }

    /// Moves the wall clock by some nanoseconds.
    pub(super) fn move_wall_clock(&self, nanos: i64) {
        self.moved_ns.fetch_add(nanos, Ordering::SeqCst);
    }

    /// Whether the disk is full, so that no file can grow.
    pub(super) fn is_disk_full(&self) -> bool {
        self.disk_full.load(Ordering::SeqCst)
    }

    pub(super) fn set_disk_full(&self, full: bool) {
        self.disk_full.store(full, Ordering::SeqCst);
    }

    /// Whether method traces are cut off in the middle.
    pub(super) fn cuts_traces(&self) -> bool {
        self.traces_cut.load(Ordering::SeqCst)
    }

    pub(super) fn set_cuts_traces(&self, cut: bool) {
        self.traces_cut.store(cut, Ordering::SeqCst);
    }

    /// Adds a line to the log at the present time.
    pub(super) fn log(&self, level: char, tag: &str, pid: u32, text: &str) {
        let at_ns = self.clock.now_ns();
        let (moved_ns, tag, text) = (self.moved_ns(), tag.to_owned(), text.to_owned());
        self.log.add(BufferedLine { at_ns, moved_ns, pid, level, tag, text });
    }

    /// Spends the energy of a command, beside everything else.
    pub(super) fn spend_command_energy(&self) {
        let now = self.clock.now_ns();
        let mut hardware = self.hardware();
        // What scripts wrote to files since the last look takes effect first.
        hardware.move_to(now);
        let joules = self.file.costs.command_j;
        let until = now + hardware.busy_ns(joules);
        hardware.spend(now, until, joules);
    }

    /// Seconds of the present session that have passed.
    pub(super) fn session_elapsed_s(&self) -> f64 {
        self.clock.now_ns().saturating_sub(self.start_ns) as f64 * 1e-9
    }

    /// Name of the present session, made safe as a folder name.
    pub(super) fn session_label(&self) -> String {
        let properties = self.properties();
        let label = properties.get(SESSION_PROPERTY).map_or("", String::as_str);
        let safe = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        let name: String =
            label.chars().map(|letter| if safe(letter) { letter } else { '_' }).collect();
        match name.as_str() {
            "" | "." | ".." => "unnamed".to_owned(),
            _ => name,
        }
    }

    /// Empties the log and sets the clocks to their start, as a session begins.
    pub(super) fn reset_log_and_clocks(&self) {
        self.log.clear();
        self.reset_clocks();
    }

    /// Cools the hardware down to idle and seeds its noise from the session `label`.
    pub(super) fn restart_hardware(&self, label: &str) {
        self.hardware().restart(label, self.start_ns);
    }

    /// Resets settings, log and clock as a restart of the board does.
    pub(super) fn boot(&self) {
        let mut properties = self.properties();
        let kept = [SERIAL_PROPERTY, SIMULATED_MODEL_PROPERTY];
        let [name, simulated_model] =
            kept.map(|name| properties.get(name).cloned().unwrap_or_default());
        *properties = initial_properties(&self.file, &name, &simulated_model);
        drop(properties);
        self.log.boot();
        self.settings.switch_screen(true);
        self.hardware().boot();
        self.reset_clocks();
    }

    /// Sets both clocks to their start.
    fn reset_clocks(&self) {
        self.clock.reset(self.start_ns);
        self.moved_ns.store(0, Ordering::SeqCst);
    }

    /// Records a problem of the simulation and logs it.
    pub(super) fn report_problem(&self, message: &str) {
        self.log('E', "wattline-board", 1, message);
        self.problems
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .push(message.to_owned());
    }

    /// Recorded problems of the simulation, as messages.
    pub(super) fn problems(&self) -> Vec<String> {
        self.problems.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
    }
}

/// System property with the board's name.
const SERIAL_PROPERTY: &str = "ro.serialno";

/// System property with the simulated energy model.
const SIMULATED_MODEL_PROPERTY: &str = "ro.wattline.simulated_model";

/// System properties at boot.
fn initial_properties(
    file: &BoardFile,
    serial: &str,
    simulated_model: &str,
) -> BTreeMap<String, String> {
    let sdk = file.sdk.to_string();
    [
        ("ro.product.model", file.model.as_str()),
        ("ro.product.name", &file.name),
        ("ro.product.device", &file.name),
        ("ro.product.manufacturer", "wattline"),
        ("ro.build.version.release", &file.release),
        ("ro.build.version.sdk", &sdk),
        (SERIAL_PROPERTY, serial),
        ("ro.wattline.virtual", "1"),
        (SIMULATED_MODEL_PROPERTY, simulated_model),
        ("sys.boot_completed", "1"),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .collect()
}
