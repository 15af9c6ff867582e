//! Opening the board that a command was given, and putting it back afterwards.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use crate::device::{
    AdbBoard, Board, BoardState, CancelFlag, DeviceError, Frequency, Guard, PrepareOptions, Server,
    await_abandoned, connect, disconnect, list, prepare, reconnect, restore, with_recovery,
};
use crate::scenario::BoardSettings;
use crate::virtual_board::{self, RunningBoard};

use super::Failure;
use super::progress;

/// `--board`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BoardChoice {
    /// The virtual board, started for this command.
    Virtual,
    /// A board that adb knows by this serial.
    Serial(String),
}

impl FromStr for BoardChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "" => Err("give `virtual` or a serial that `adb devices` lists".to_string()),
            "virtual" => Ok(BoardChoice::Virtual),
            "jvm" => Err("the local JVM is no board of this version; use `virtual`".to_string()),
            serial => Ok(BoardChoice::Serial(serial.to_string())),
        }
    }
}

/// A prepared board; restored and let go of when dropped.
pub struct OpenBoard {
    board: AdbBoard,
    /// What it said when it was prepared.
    pub state: BoardState,
    options: PrepareOptions,
    server: Server,
    running: Option<RunningBoard>,
}

/// How a virtual board is to be started.
#[derive(Debug, Clone, Default)]
pub struct VirtualSettings {
    /// Where it leaves its truth, if anywhere.
    pub truth: Option<PathBuf>,
    /// Its seed.
    pub seed: u64,
}

/// Whether a board can be opened later: asked before hours of other work.
pub fn check(choice: &BoardChoice) -> Result<(), Failure> {
    let server = Server::from_environment();
    match choice {
        BoardChoice::Virtual => {
            virtual_board::check_programs()?;
            list(server)?;
        }
        BoardChoice::Serial(serial) => {
            open_serial(server, serial)?;
        }
    }
    Ok(())
}

/// Opens and prepares a board.
pub fn open(
    choice: &BoardChoice,
    settings: &BoardSettings,
    virtual_settings: &VirtualSettings,
) -> Result<OpenBoard, Failure> {
    let server = Server::from_environment();
    let (serial, running) = match choice {
        BoardChoice::Serial(serial) => (serial.clone(), None),
        BoardChoice::Virtual => {
            let running = start_virtual(virtual_settings)?;
            connect(server, &running.serial())?;
            (running.serial(), Some(running))
        }
    };
    let board = open_serial(server, &serial)?;
    await_abandoned(&board)?;
    let khz = u32::try_from(settings.frequency_khz).unwrap_or(u32::MAX);
    let guard = match running {
        Some(_) => Guard::Off,
        None => Guard::After(Duration::from_secs(900)),
    };
    let options =
        PrepareOptions { frequency: Frequency::FixedKhz(khz), guard, ..PrepareOptions::default() };
    let state = prepare(&board, &options)?;
    if let Some(rail) = settings.rails.iter().find(|rail| !state.rails.contains(rail)) {
        return Err(Failure::Board(format!(
            "board {serial} has no power rail {rail:?}; it has {}: change `board.rails` of the scenario",
            state.rails.join(", ")
        )));
    }
    Ok(OpenBoard { board, state, options, server, running })
}

/// Opens a board; one over TCP that the server does not know (any more) is connected.
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

fn start_virtual(settings: &VirtualSettings) -> Result<RunningBoard, Failure> {
    let options = virtual_board::BoardOptions {
        truth: settings.truth.clone(),
        seed: Some(settings.seed),
        ..virtual_board::BoardOptions::default()
    };
    Ok(virtual_board::start(&options)?)
}

impl OpenBoard {
    /// The board.
    pub fn board(&self) -> &dyn Board {
        &self.board
    }

    /// Makes a call. Where the board is lost meanwhile, it is connected and prepared again,
    /// and the call is made again: it must bring along what it needs on the board.
    pub fn keep<T>(
        &self,
        mut call: impl FnMut(&dyn Board) -> Result<T, DeviceError>,
        mut lost: impl FnMut(&DeviceError),
    ) -> Result<T, DeviceError> {
        let recover = |error: &DeviceError| {
            progress::warn(format!("{error}; the board is connected and prepared again"));
            lost(error);
            reconnect(self.server, self.board.serial())?;
            await_abandoned(&self.board)?;
            prepare(&self.board, &self.options).map(drop)
        };
        with_recovery(|| call(&self.board), recover)
    }
}

impl Drop for OpenBoard {
    fn drop(&mut self) {
        if let Err(error) = restore(&self.board) {
            progress::warn(format!("the board was not put back as it was: {error}"));
        }
        if self.running.is_some() {
            let _ = disconnect(self.server, self.board.serial());
        }
    }
}

/// Installs a jar's bytes through a file, as adb wants it.
pub fn install(board: &dyn Board, jar: &[u8], folder: &Path) -> Result<(), Failure> {
    board.install(&jar_file(jar, folder)?)?;
    Ok(())
}

/// A file with a jar's bytes.
pub fn jar_file(jar: &[u8], folder: &Path) -> Result<PathBuf, Failure> {
    let path = folder.join("application.jar");
    std::fs::write(&path, jar).map_err(Failure::io("write", &path))?;
    Ok(path)
}
