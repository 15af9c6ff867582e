//! `wattline board`: start the virtual board by hand, list boards, check one.

mod check;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::device::{self, Server, virtual_board_options};
use crate::failure::Failure;
use crate::virtual_board::simulated_model::SimulatedModelFamily;
use crate::virtual_board::{
    self, AdbdGeneration, BoardFile, BoardOptions, Fault, IdleDrift, RunningBoard, Tools,
};

use super::answer::FormatArgument;
use super::quantity::number_between;
use super::{progress, standard_output};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  wattline board list
  wattline board check 0123456789ABCDEF
  wattline board check my.toml 0123456789ABCDEF
  wattline board virtual --name left
  wattline board virtual --name right --seed 2 --device-factor 1.2 --idle-factor 0.9")]
pub struct Arguments {
    #[command(subcommand)]
    command: BoardCommand,
}

#[derive(Debug, Subcommand)]
enum BoardCommand {
    /// Start a virtual board and keep it until standard input ends.
    Virtual {
        /// Loopback port; 0 takes any free one.
        #[arg(long, default_value_t = 0)]
        port: u16,
        /// What it calls itself (`ro.serialno`): by it campaigns tell boards apart.
        #[arg(long, default_value = virtual_board::DEFAULT_NAME, value_parser = parse_name)]
        name: String,
        /// Its seed.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Its code costs so many times what the board's file says.
        #[arg(long, default_value_t = 1.0, value_parser = number_between(1e-6, 1e6, ""))]
        device_factor: f64,
        /// Of an additive chip: a device of the cost table. A pattern of code costs the table's
        /// device effect on top of its others.
        #[arg(long, value_name = "LEVEL", default_value = "Device 1")]
        device: String,
        /// Its chip: `additive`, whose energy adds up over bytecodes, or `compiled:SEED`, which
        /// spends as compiled code does.
        #[arg(long, value_name = "CHIP", default_value_t)]
        simulated_model: SimulatedModelFamily,
        /// Without code it draws so many times what the board's file says.
        #[arg(long, default_value_t = 1.0, value_parser = number_between(1e-6, 1e6, ""))]
        idle_factor: f64,
        /// Its idle power swings by so many watts, once in so many seconds of its sessions.
        #[arg(long, value_name = "WATTS:SECONDS", value_parser = parse_drift)]
        idle_drift: Option<Box<IdleDrift>>,
        /// File with public keys of adb (`adbkey.pub`): only hosts with one of them are let in. By
        /// default that of your own adb, which is made if there is none.
        #[arg(long, value_name = "FILE")]
        adb_keys: Option<PathBuf>,
        /// Folder for the ground truth of every session.
        #[arg(long, value_name = "DIR")]
        ground_truth: Option<PathBuf>,
        /// Folder that gets the board's energy as RAPL counters, laid out as
        /// /sys/class/powercap, for another tool to be scored on.
        #[arg(long, value_name = "DIR")]
        rapl: Option<PathBuf>,
        /// File that gets the power of all rails as a bench meter's log (time_s, power_w), for
        /// `meter = "external"` of a scenario.
        #[arg(long, value_name = "FILE")]
        log: Option<PathBuf>,
        /// As with Android 4.x: no exit codes, line ends of a terminal.
        #[arg(long)]
        legacy: bool,
        /// With the tools of Android 4.x only.
        #[arg(long)]
        toolbox: bool,
        /// It takes jars, too, which no Android does, for scenarios with `start = "main"`.
        #[arg(long)]
        jars: bool,
        /// Which board: `odroid-xu-e`, `odroid-xu3`, `pixel` (power rails) or `phone` (only a
        /// fuel gauge).
        #[arg(long, default_value = "odroid-xu-e")]
        board: String,
    },
    /// List the boards that the adb server knows.
    List {
        #[command(flatten)]
        format: FormatArgument,
    },
    /// Say what a board offers and what is missing: meters, rails, frequency, tools.
    Check {
        /// Serials, or `jvm` for this machine; several boards must be fit to share a campaign. With
        /// a scenario's file (`.toml`) before them: every key of it that does not fit them, also
        /// `virtual:NAME`.
        #[arg(required = true)]
        serials: Vec<String>,
        #[command(flatten)]
        format: FormatArgument,
    },
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        BoardCommand::Virtual {
            port,
            name,
            seed,
            device_factor,
            device,
            simulated_model,
            idle_factor,
            idle_drift,
            adb_keys,
            ground_truth,
            rapl,
            log,
            legacy,
            toolbox,
            jars,
            board,
        } => run_board(&BoardOptions {
            board: BoardFile::built_in(board)
                .ok_or_else(|| {
                    Failure::Usage(format!(
                        "there is no board {board:?}; there are {}",
                        virtual_board::BUILT_IN_BOARD_NAMES.join(", ")
                    ))
                })?
                .with_factors(*device_factor, *idle_factor)
                .and_then(|board| board.with_drift(idle_drift.as_deref().copied()))
                .map_err(|error| Failure::Usage(error.to_string()))?,
            name: name.clone(),
            device: device.clone(),
            simulated_model: *simulated_model,
            jars: *jars,
            tools: if *toolbox { Tools::Toolbox } else { Tools::Toybox },
            port: *port,
            seed: Some(*seed),
            adb_keys: adb_keys.clone(),
            truth: ground_truth.clone(),
            rapl: rapl.clone(),
            log: log.clone(),
            mode: if *legacy { AdbdGeneration::Legacy } else { AdbdGeneration::Modern },
            ..virtual_board_options()
        }),
        BoardCommand::List { format } => list_boards(*format),
        BoardCommand::Check { serials, format } => check::check_all(serials, *format),
    }
}

/// Prints the boards that the adb server knows.
fn list_boards(format: FormatArgument) -> Result<(), Failure> {
    let boards = device::list_boards(Server::from_environment())?;
    if boards.is_empty() {
        progress::say(
            "adb knows no board. Plug one in and allow USB debugging on it, or name one in a \
             network by `adb connect ADDRESS`; `--board virtual` needs none",
        );
    }
    let listed = boards
        .iter()
        .map(|board| json!({"serial": board.serial, "state": board.state, "model": board.model}));
    format.print_figures("board list", || json!({"boards": listed.collect::<Vec<Value>>()}));
    if !format.is_json() {
        for board in &boards {
            progress::document(format!("{}\t{}", board.serial, board.state));
        }
    }
    Ok(())
}

/// Starts a virtual board and keeps it until standard input ends.
fn run_board(options: &BoardOptions) -> Result<(), Failure> {
    let board = virtual_board::start(options)?;
    progress::result(board.serial());
    // Nobody could use a board whose serial has not arrived.
    standard_output::check()?;
    let server = Server::for_virtual_boards();
    let setting = match server == Server::from_environment() {
        true => String::new(),
        false => format!("ANDROID_ADB_SERVER_PORT={} ", server.address.port()),
    };
    progress::say(format!(
        "a virtual board: its energy is computed, not measured. Use it with `{setting}adb connect \
         {}`; it ends with the end of standard input (Ctrl-D). A line with a fault's name causes \
         it (`help` lists them), `lift` ends those that last",
        board.serial()
    ));
    if !setting.is_empty() {
        progress::say(
            "the adb server at the usual port is another user's, whose key the board refuses: \
             wattline needs the same setting to use this board",
        );
    }
    if !board.is_confined() {
        progress::say(
            "its shells are not confined, since this machine lets ordinary users make no name \
             spaces: what runs on the board can do what you can do",
        );
    }
    for line in std::io::stdin().lines() {
        run_fault_line(&board, line.map_err(Failure::io("read", "standard input"))?.trim());
    }
    Ok(())
}

/// Carries out one line of standard input: a fault to cause, or `lift`.
fn run_fault_line(board: &RunningBoard, line: &str) {
    match line {
        "" => {}
        "lift" => board.lift_faults(),
        fault => match fault.parse::<Fault>() {
            Ok(fault) => board.cause_fault(fault),
            Err(problem) => progress::say(format!("{problem}, lift")),
        },
    }
}

/// Parses a drift of the idle power: `0.02:3600`.
fn parse_drift(text: &str) -> Result<Box<IdleDrift>, String> {
    let numbers = text.split_once(':').and_then(|(swing_w, period_s)| {
        Some(Box::new(IdleDrift {
            swing_w: swing_w.parse().ok()?,
            period_s: period_s.parse().ok()?,
        }))
    });
    numbers.ok_or_else(|| "give watts and seconds, such as 0.02:3600".to_owned())
}

/// Parses a board's name, which goes into tables and folder names.
fn parse_name(text: &str) -> Result<String, String> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    match !text.is_empty() && text.chars().all(plain) {
        true => Ok(text.to_owned()),
        false => Err("use letters, digits, `-`, `_` and `.`".to_owned()),
    }
}
