//! The `wattline` program: hands the command line to [`wattline::cli`] and exits
//! with the code it returns.

use std::process::ExitCode;

fn main() -> ExitCode {
    wattline::cli::main()
}
