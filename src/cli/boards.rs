//! Flags that name boards, and say what becomes of those that are lost.

use std::time::Duration;

use clap::Args;

use crate::device::RECONNECT_LIMIT;
use crate::run::WhenLost;
use crate::stage::Failure;
use crate::stage::boards::{BoardChoice, check_together};

/// `--board`, as often as there are boards.
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
    pub board: Vec<BoardChoice>,
}

impl BoardArguments {
    /// Refuses what can't go together.
    pub fn check(&self) -> Result<(), Failure> {
        check_together(&self.board)
    }
}

/// What becomes of the runs of boards that are lost.
#[derive(Debug, Clone, Args)]
pub struct LostArguments {
    /// With several boards: the others make what one that is lost, or not named any more,
    /// left open. Else it stays open until that board is back.
    #[arg(long = "move")]
    moves: bool,
    /// Seconds for which a board that is lost is waited for.
    #[arg(long, value_name = "SECONDS", default_value_t = RECONNECT_LIMIT.as_secs(),
          value_parser = clap::value_parser!(u64).range(..=1_000_000_000))]
    wait: u64,
}

impl LostArguments {
    /// How long a board is waited for.
    pub fn patience(&self) -> Duration {
        Duration::from_secs(self.wait)
    }

    /// As a policy.
    pub fn policy(&self) -> WhenLost {
        if self.moves { WhenLost::Move } else { WhenLost::KeepOpen }
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
        assert_eq!(parse(&[]).board, [BoardChoice::Virtual("odroid-xu-e")]);
        assert_eq!(parse(&["--board", "virtual:phone"]).board, [BoardChoice::Virtual("phone")]);
        assert!("virtual:toaster".parse::<BoardChoice>().unwrap_err().contains("pixel"));
        let two = ["A", "B"].map(|serial| BoardChoice::Serial(serial.into()));
        assert_eq!(parse(&["--serial", "A", "--serial", "B"]).board, two);
        assert_eq!(parse(&["--board", "A,B"]).board, two);
        assert!(parse(&["--board", "A,B"]).check().is_ok());
        for wrong in ["A,virtual", "jvm,A", "A,A"] {
            assert!(parse(&["--board", wrong]).check().is_err(), "{wrong}");
        }
    }
}
