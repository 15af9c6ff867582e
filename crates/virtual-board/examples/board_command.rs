//! The board's own commands and the first process of its jail, as a program for the tests of this
//! crate: those of the whole program have `wattline-board-command`.

use std::process::ExitCode;

use wattline_virtual_board::shim;

fn main() -> ExitCode {
    shim::run_if_shim().unwrap_or(ExitCode::FAILURE)
}
