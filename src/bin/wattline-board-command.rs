//! Program of the virtual board's own commands, and nothing else: a shell of the board starts
//! hundreds of them in a session, and the whole program takes several times as long to start.

use std::process::ExitCode;

use wattline_virtual_board::shim;

fn main() -> ExitCode {
    shim::run_if_shim().unwrap_or_else(|| {
        eprintln!("this program is for the shells of wattline's virtual board, which start it");
        ExitCode::from(2)
    })
}
