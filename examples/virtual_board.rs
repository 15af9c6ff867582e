//! Starts a virtual board and keeps it until standard input ends:
//! `cargo run --example virtual_board -- [PORT] [legacy]`, then
//! `adb connect 127.0.0.1:PORT`.

use std::process::ExitCode;

use wattline::virtual_board::{BoardOptions, Mode, shim, start};

fn main() -> ExitCode {
    if let Some(code) = shim::run_if_shim() {
        return code;
    }
    let mut arguments = std::env::args().skip(1);
    let port = arguments.next().and_then(|port| port.parse().ok()).unwrap_or(0);
    let mode = if arguments.any(|word| word == "legacy") { Mode::Legacy } else { Mode::Modern };
    let truth = std::env::var_os("WATTLINE_TRUTH").map(Into::into);
    match start(&BoardOptions { port, mode, truth, ..BoardOptions::default() }) {
        Ok(board) => {
            println!("{}", board.serial());
            std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).ok();
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(4)
        }
    }
}
