//! `wattline board`: start the virtual board by hand, list boards, check one.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::device::{
    AdbBoard, Board, BoardState, CancelFlag, PrepareOptions, Server, list, prepare, restore,
};
use crate::virtual_board::{self, BoardOptions, Fault, Mode, RunningBoard};

use super::Failure;
use super::progress;

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start a virtual board and keep it until standard input ends.
    Virtual {
        /// Loopback port; 0 takes any free one.
        #[arg(long, default_value_t = 0)]
        port: u16,
        /// Its seed.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Folder for the truth of every session.
        #[arg(long)]
        truth: Option<PathBuf>,
        /// As with Android 4.x: no exit codes, line ends of a terminal.
        #[arg(long)]
        legacy: bool,
    },
    /// List the boards that the adb server knows.
    List,
    /// Prepare a board, say what it offers, and put it back.
    Check {
        /// Its serial.
        serial: String,
    },
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Virtual { port, seed, truth, legacy } => start(&BoardOptions {
            port: *port,
            seed: Some(*seed),
            truth: truth.clone(),
            mode: if *legacy { Mode::Legacy } else { Mode::Modern },
            ..BoardOptions::default()
        }),
        Command::List => {
            for board in list(Server::from_environment())? {
                progress::result(format!("{}\t{}", board.serial, board.state));
            }
            Ok(())
        }
        Command::Check { serial } => check(serial),
    }
}

fn start(options: &BoardOptions) -> Result<(), Failure> {
    let board = virtual_board::start(options)?;
    progress::result(board.serial());
    progress::say(format!(
        "a virtual board: its energy is computed, not measured. Use it with `adb connect {}`; it \
         ends with the end of standard input (Ctrl-D). A line with a fault's name causes it \
         (`help` lists them), `lift` ends those that last",
        board.serial()
    ));
    for line in std::io::stdin().lines() {
        obey(&board, line.map_err(Failure::io("read", "standard input"))?.trim());
    }
    Ok(())
}

/// One line of the fault menu.
fn obey(board: &RunningBoard, line: &str) {
    match line {
        "" => {}
        "lift" => board.lift(),
        fault => match fault.parse::<Fault>() {
            Ok(fault) => board.cause(fault),
            Err(problem) => progress::say(format!("{problem}, lift")),
        },
    }
}

fn check(serial: &str) -> Result<(), Failure> {
    let board = AdbBoard::open(Server::from_environment(), serial, CancelFlag::default())?;
    let state = prepare(&board, &PrepareOptions::default());
    restore(&board)?;
    progress::result(description(board.serial(), &state?).trim_end());
    Ok(())
}

fn description(serial: &str, state: &BoardState) -> String {
    let or_unknown = |text: Option<String>| text.unwrap_or_else(|| "unknown".to_string());
    let kind = if state.facts.is_virtual() { "virtual: computed energy" } else { "real" };
    let period = state.update_period.map(|period| format!("{:.0} ms", period.as_secs_f64() * 1e3));
    let silent = match state.silent_rails.as_slice() {
        [] => "none".to_string(),
        rails => rails.join(", "),
    };
    format!(
        "board        {serial} ({kind})\nmodel        {}\nandroid      {}\npower rails  {}\n\
         silent rails {silent}\nrefresh      {}\nfrequency    {}\ntemperature  {}\nmissing      {}\n",
        or_unknown(state.facts.model.clone()),
        or_unknown(state.facts.android_release.clone()),
        state.rails.join(", "),
        or_unknown(period),
        or_unknown(state.frequency_khz.map(|khz| format!("{khz} kHz"))),
        or_unknown(state.temperature_c.map(|celsius| format!("{celsius:.1} degrees C"))),
        if state.missing_tools.is_empty() {
            "nothing".into()
        } else {
            state.missing_tools.join(", ")
        },
    )
}
