//! Writes the logs of simulated nodes, for `wattline activities` to account for: computed, not
//! measured. `cargo run --example simulated-nodes blink|bounce FOLDER`.

use std::path::PathBuf;
use std::{env, fs, io};

use wattline::attribution::activities::simulated::{blink_files, bounce_files};

fn main() -> io::Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (files, folder) = match arguments.as_slice() {
        [application, folder] if application == "blink" => (blink_files(), folder),
        [application, folder] if application == "bounce" => (bounce_files(), folder),
        _ => return Err(io::Error::other("say blink or bounce, and a folder")),
    };
    let folder = PathBuf::from(folder);
    fs::create_dir_all(&folder)?;
    for (name, bytes) in files {
        let path = folder.join(name);
        fs::write(&path, bytes)?;
        println!("written: {} (simulated)", path.display());
    }
    Ok(())
}
