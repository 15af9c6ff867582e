//! Fetches an artifact by name and hash into the cache, with the user's own Maven, and
//! prints where it is: `fetch GROUP:ARTIFACT:VERSION SHA256`.

use std::process::ExitCode;

use wattline::toolchain::artifact::fetch;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, hash] = arguments.as_slice() else {
        eprintln!("usage: fetch GROUP:ARTIFACT:VERSION SHA256");
        return ExitCode::from(2);
    };
    match fetch(name, hash) {
        Ok(path) => {
            println!("{}", path.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(3)
        }
    }
}
