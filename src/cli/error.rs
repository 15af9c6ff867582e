//! Exit codes of the program, and remedies of errors.

use std::io;

use crate::failure::Failure;
use crate::run::{DriverError, RunError};

/// Exit codes of the program.
pub(crate) mod exit {
    /// A check failed: an increase over its limit.
    pub const CHECK_FAILED: u8 = 1;
    /// Wrong use of the command line.
    pub const USAGE: u8 = 2;
    /// Invalid input.
    pub const INPUT: u8 = 3;
    /// A board fails or is missing.
    pub const BOARD: u8 = 4;
    /// There are no data to check.
    pub const NO_DATA: u8 = 5;
}

/// Exit code for a failure.
pub fn exit_code(failure: &Failure) -> u8 {
    match failure {
        Failure::Usage(_) | Failure::Exists { .. } => exit::USAGE,
        Failure::InUse { .. } | Failure::CampaignExists { .. } => exit::USAGE,
        Failure::Board(_) | Failure::Device(_) | Failure::VirtualBoard(_) => exit::BOARD,
        Failure::Host(_) | Failure::Attach(_) | Failure::Threads { .. } => exit::BOARD,
        Failure::Run(RunError::Driver { source: DriverError::BoardLost(_), .. })
        | Failure::Run(RunError::TooManyFailures { .. } | RunError::Open { .. }) => exit::BOARD,
        Failure::Run(RunError::Exists { .. } | RunError::NotAssigned { .. }) => exit::USAGE,
        Failure::NoData(_) => exit::NO_DATA,
        _ => exit::INPUT,
    }
}

/// Remedy of an error cause that has the same one wherever it comes from.
pub fn remedy(cause: &(dyn std::error::Error + 'static)) -> Option<&'static str> {
    match cause.downcast_ref::<io::Error>()?.kind() {
        io::ErrorKind::StorageFull => Some(
            "free some space, then run it again (`run` and `pipeline` go on from there with --resume)",
        ),
        io::ErrorKind::PermissionDenied => Some("check who owns it"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_says_what_to_do() {
        let failure = Failure::io("write", "a/b")(io::Error::from(io::ErrorKind::StorageFull));
        let cause = std::error::Error::source(&failure).unwrap();
        assert!(failure.to_string().contains("a/b"));
        assert!(remedy(cause).unwrap().contains("--resume"));
    }

    #[test]
    fn exit_codes_tell_use_input_and_board_apart() {
        assert_eq!(exit_code(&Failure::Usage(String::new())), 2);
        assert_eq!(exit_code(&Failure::input("f", "m")), 3);
        assert_eq!(exit_code(&Failure::Board(String::new())), 4);
    }
}
