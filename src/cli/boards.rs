//! Flags that name boards, and that decide about the runs of lost boards.

use std::time::Duration;

use clap::Args;

use crate::boards::{BoardChoice, VirtualChoice, check_compatible};
use crate::device::RECONNECT_LIMIT;
use crate::failure::Failure;
use crate::run::LostBoardPolicy;
use crate::virtual_board::simulated_model::SimulatedModelFamily;

/// Boards of a command: `--board`, and the energy model of a virtual one.
#[derive(Debug, Clone, Args)]
pub struct BoardArguments {
    /// `virtual` (`virtual:pixel` and others: see `board virtual`), `jvm` (this machine), or
    /// a serial that `adb devices` lists. Several serials, apart by commas or with a flag
    /// each, share the work.
    #[arg(
        long,
        visible_alias = "serial",
        default_value = "virtual",
        value_delimiter = ',',
        value_name = "BOARD"
    )]
    board: Vec<BoardChoice>,
    /// The chip of the virtual board: `additive`, whose energy adds up over bytecodes, or
    /// `compiled:SEED`, which spends as compiled code does (docs/internals/simulated-energy-models.md).
    #[arg(long, value_name = "CHIP")]
    simulated_model: Option<SimulatedModelFamily>,
}

impl BoardArguments {
    /// Chosen boards. Refuses combinations that cannot go together.
    pub fn choices(&self) -> Result<Vec<BoardChoice>, Failure> {
        check_compatible(&self.board)?;
        let Some(simulated_model) = self.simulated_model else { return Ok(self.board.clone()) };
        let chosen = self.board.iter().map(|board| match board {
            BoardChoice::Virtual(chosen) => {
                Ok(BoardChoice::Virtual(VirtualChoice { simulated_model, ..*chosen }))
            }
            BoardChoice::Jvm | BoardChoice::Serial(_) => Err(Failure::Usage(
                "--simulated-model is the chip of a virtual board that this command starts (--board \
                 virtual); one that runs already got its own from `wattline board virtual \
                 --simulated-model`, and others have real ones"
                    .into(),
            )),
        });
        chosen.collect()
    }
}

/// Flags for lost boards: how long they are waited for, and whether their runs move to others.
#[derive(Debug, Clone, Args)]
pub struct LostArguments {
    /// With several boards: the others make what one that is lost, or not named any more,
    /// left open. Else it stays open until that board is back.
    #[arg(long = "move")]
    moves: bool,
    #[command(flatten)]
    wait: WaitArgument,
}

/// Flag `--wait`: the time for which a lost board is waited for.
#[derive(Debug, Clone, Args)]
pub struct WaitArgument {
    /// Seconds for which a board that is lost is waited for.
    #[arg(long, value_name = "SECONDS", default_value_t = RECONNECT_LIMIT.as_secs(),
          value_parser = clap::value_parser!(u64).range(..=1_000_000_000))]
    wait: u64,
}

impl WaitArgument {
    /// Time for which a lost board is waited for.
    pub fn patience(&self) -> Duration {
        Duration::from_secs(self.wait)
    }
}

impl LostArguments {
    /// Time for which a lost board is waited for.
    pub fn patience(&self) -> Duration {
        self.wait.patience()
    }

    /// Policy for the runs of lost boards.
    pub fn policy(&self) -> LostBoardPolicy {
        if self.moves { LostBoardPolicy::Move } else { LostBoardPolicy::KeepOpen }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        boards: BoardArguments,
    }

    fn parse(words: &[&str]) -> BoardArguments {
        let words = [&["wattline"], words].concat();
        Line::try_parse_from(words).unwrap().boards
    }

    #[test]
    fn boards_are_named_once_each_in_either_form() {
        let additive = SimulatedModelFamily::Additive;
        let of =
            |kind, simulated_model| BoardChoice::Virtual(VirtualChoice { kind, simulated_model });
        assert_eq!(parse(&[]).board, [of("odroid-xu-e", additive)]);
        let phone = ["--board", "virtual:phone"];
        assert_eq!(parse(&phone).board, [of("phone", additive)]);
        let compiled = parse(&[&phone[..], &["--simulated-model", "compiled:3"]].concat());
        assert_eq!(compiled.choices().unwrap(), [of("phone", SimulatedModelFamily::Compiled(3))]);
        assert!(parse(&["--board", "jvm", "--simulated-model", "compiled:3"]).choices().is_err());
        assert!("virtual:toaster".parse::<BoardChoice>().unwrap_err().contains("pixel"));
        let two = ["A", "B"].map(|serial| BoardChoice::Serial(serial.into()));
        assert_eq!(parse(&["--serial", "A", "--serial", "B"]).board, two);
        assert_eq!(parse(&["--board", "A,B"]).board, two);
        assert!(parse(&["--board", "A,B"]).choices().is_ok());
        for wrong in ["A,virtual", "jvm,A", "A,A"] {
            assert!(parse(&["--board", wrong]).choices().is_err(), "{wrong}");
        }
    }
}
