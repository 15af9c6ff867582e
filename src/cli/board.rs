//! `wattline board`: start the virtual board by hand, list boards, check one.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command as Process;
use std::time::Duration;

use clap::{Args, Subcommand};

use crate::device::{
    Board, BoardState, DeviceError, LOCAL_SERIAL, PrepareOptions, Server, list, prepare, restore,
};
use crate::power::{METERS, Meter, MeterError, Offer};
use crate::virtual_board::{self, BoardFile, BoardOptions, Fault, Mode, RunningBoard, Tools};

use super::Failure;
use super::progress;
use super::sessions;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  wattline board list
  wattline board check 0123456789ABCDEF
  wattline board virtual --name left
  wattline board virtual --name right --seed 2 --device-factor 1.2 --idle-factor 0.9")]
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
        /// What it calls itself (`ro.serialno`): by it campaigns tell boards apart.
        #[arg(long, default_value = virtual_board::DEFAULT_NAME, value_parser = name)]
        name: String,
        /// Its seed.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Its code costs so many times what the board's file says.
        #[arg(long, default_value_t = 1.0)]
        device_factor: f64,
        /// Without code it draws so many times what the board's file says.
        #[arg(long, default_value_t = 1.0)]
        idle_factor: f64,
        /// Folder for the truth of every session.
        #[arg(long)]
        truth: Option<PathBuf>,
        /// As with Android 4.x: no exit codes, line ends of a terminal.
        #[arg(long)]
        legacy: bool,
        /// With the tools of Android 4.x only.
        #[arg(long)]
        toolbox: bool,
        /// Which board: `odroid-xu-e` or `odroid-xu3`.
        #[arg(long, default_value = "odroid-xu-e")]
        board: String,
    },
    /// List the boards that the adb server knows.
    List,
    /// Say what a board offers and what is missing: meters, rails, frequency, tools.
    Check {
        /// Serials, or `jvm` for this machine; several boards must be fit to share a campaign.
        #[arg(required = true)]
        serials: Vec<String>,
    },
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Virtual {
            port,
            name,
            seed,
            device_factor,
            idle_factor,
            truth,
            legacy,
            toolbox,
            board,
        } => start(&BoardOptions {
            board: BoardFile::built_in(board)
                .ok_or_else(|| {
                    Failure::Usage(format!(
                        "there is no board {board:?}; there are odroid-xu-e, odroid-xu3"
                    ))
                })?
                .with_factors(*device_factor, *idle_factor)
                .map_err(|error| Failure::Usage(error.to_string()))?,
            name: name.clone(),
            tools: if *toolbox { Tools::Toolbox } else { Tools::Toybox },
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
        Command::Check { serials } => check_all(serials),
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

/// A board's name: it stands in tables and names of folders.
fn name(text: &str) -> Result<String, String> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    match !text.is_empty() && text.chars().all(plain) {
        true => Ok(text.to_owned()),
        false => Err("use letters, digits, `-`, `_` and `.`".to_owned()),
    }
}

/// Checks boards one after the other, and whether they can share a campaign. The first fault
/// is told in the end, after what all of them say.
fn check_all(serials: &[String]) -> Result<(), Failure> {
    let mut fault = None;
    let mut states = Vec::new();
    for serial in serials {
        match check(serial) {
            Ok(state) => states.extend(state.map(|state| (serial, state))),
            Err(failure) if serials.len() == 1 => return Err(failure),
            Err(failure) => {
                progress::result(format!("board        {serial}\nfault        {failure}"));
                fault.get_or_insert(failure);
            }
        }
    }
    if let Some(failure) = fault {
        return Err(failure);
    }
    if serials.len() > 1 {
        progress::result(together(&states)?);
    }
    Ok(())
}

/// Whether boards can share a campaign: each under a name of its own, with the same rails.
fn together(states: &[(&String, BoardState)]) -> Result<String, Failure> {
    let name =
        |(serial, state): &(&String, BoardState)| sessions::recorded_serial(&state.facts, serial);
    let names: Vec<String> = states.iter().map(name).collect();
    if let Some((one, other)) = sessions::namesakes(&names) {
        return Err(Failure::Board(format!(
            "{} and {} both call themselves {:?} and could not be told apart; start virtual boards \
             with --name",
            states[other].0, states[one].0, names[one]
        )));
    }
    let rails: BTreeSet<&Vec<String>> = states.iter().map(|(_, state)| &state.rails).collect();
    let models: BTreeSet<&Option<String>> =
        states.iter().map(|(_, state)| &state.facts.model).collect();
    let mut text = format!("together     {} can share a campaign", names.join(", "));
    if rails.len() > 1 {
        text += "\n  note       they have other power rails; `board.rails` must be on each";
    }
    if models.len() > 1 {
        text += "\n  note       they are of several models: a factor per board may not tell their \
                 difference";
    }
    Ok(text)
}

/// Asks a board, or this machine, what it offers. One without any real meter is at fault:
/// what it can't measure is not 0 J.
fn check(serial: &str) -> Result<Option<BoardState>, Failure> {
    let (answers, prepared) = match serial {
        LOCAL_SERIAL => (answers(local_shell)?, None),
        serial => {
            let board = sessions::open_serial(Server::from_environment(), serial)?;
            let shell = |question: &str| {
                let answer = board.shell(question, Duration::from_secs(20))?;
                Ok(answer.all_output())
            };
            let answers = answers(shell)?;
            let state = prepare(&board, &PrepareOptions::default());
            restore(&board)?;
            (answers, Some(state))
        }
    };
    match &prepared {
        Some(Ok(state)) => progress::result(description(serial, state).trim_end()),
        Some(Err(error)) => {
            progress::result(format!("board        {serial}\nprepared     no: {error}"))
        }
        None => progress::result(format!("board        {serial} (this machine)")),
    }
    progress::result(meters_text(&answers).trim_end());
    let real =
        |(meter, offer): &(&dyn Meter, _)| meter.name() != "software" && Result::is_ok(offer);
    if !answers.iter().any(real) {
        return Err(Failure::Board(format!(
            "{serial} has no power meter that can be read; what it spends is unknown, not 0 J"
        )));
    }
    match prepared {
        Some(Err(error)) => Err(error.into()),
        Some(Ok(state)) => Ok(Some(state)),
        None => Ok(None),
    }
}

/// A meter and what a board offers of it.
type Answer = (&'static dyn Meter, Result<Offer, MeterError>);

/// What a board's shell says to each meter's question.
fn answers(shell: impl Fn(&str) -> Result<String, DeviceError>) -> Result<Vec<Answer>, Failure> {
    let ask = |meter: &'static dyn Meter| {
        let said = shell(meter.question())?;
        Ok((meter, meter.offer(&said)))
    };
    METERS.into_iter().map(ask).collect()
}

fn local_shell(question: &str) -> Result<String, DeviceError> {
    let failed = |source| DeviceError::File { path: "/bin/sh".into(), source };
    let output = Process::new("/bin/sh").args(["-c", question]).output().map_err(failed)?;
    Ok(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

fn meters_text(answers: &[Answer]) -> String {
    let mut text = String::new();
    for (meter, offer) in answers {
        let name = meter.name();
        match offer {
            Ok(offer) => {
                text += &format!("meter        {name}: {}\n", meter.measures());
                text += &format!("  rails      {}\n", offer.rails.join(", "));
                for remark in &offer.remarks {
                    text += &format!("  note       {remark}\n");
                }
            }
            Err(error) => text += &format!("missing      {error}\n"),
        }
    }
    text
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
