//! The value of `--board`.

use std::str::FromStr;

use crate::device::LOCAL_SERIAL;
use crate::virtual_board;
use crate::virtual_board::simulated_model::SimulatedModelFamily;

/// The board that `--board` names: virtual, this machine's JVM, or by serial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BoardChoice {
    /// A virtual board, started for this command.
    Virtual(VirtualChoice),
    /// This machine's own JVM.
    Jvm,
    /// The board with this adb serial.
    Serial(String),
}

/// The kind and simulated energy model of a virtual board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VirtualChoice {
    /// Kind of board, of `virtual_board::BUILT_IN_BOARD_NAMES`.
    pub kind: &'static str,
    /// Simulated energy model.
    pub simulated_model: SimulatedModelFamily,
}

impl VirtualChoice {
    fn of(kind: &'static str) -> VirtualChoice {
        VirtualChoice { kind, simulated_model: SimulatedModelFamily::default() }
    }
}

impl Default for BoardChoice {
    /// The first virtual board.
    fn default() -> BoardChoice {
        BoardChoice::Virtual(VirtualChoice::of(virtual_board::BUILT_IN_BOARD_NAMES[0]))
    }
}

impl FromStr for BoardChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "" => Err("give `virtual`, `jvm` or a serial that `adb devices` lists".to_string()),
            "virtual" => Ok(BoardChoice::default()),
            LOCAL_SERIAL => Ok(BoardChoice::Jvm),
            text => match text.strip_prefix("virtual:") {
                None => Ok(BoardChoice::Serial(text.to_string())),
                Some(name) => virtual_board::BUILT_IN_BOARD_NAMES
                    .into_iter()
                    .find(|known| *known == name)
                    .map(|kind| BoardChoice::Virtual(VirtualChoice::of(kind)))
                    .ok_or_else(|| {
                        let names = virtual_board::BUILT_IN_BOARD_NAMES.join(", ");
                        format!("there is no virtual board {name:?}; there are {names}")
                    }),
            },
        }
    }
}
