//! `wattline activities simulate`: logs of simulated nodes, to try the rest on.

use std::path::Path;

use clap::ValueEnum;

use crate::attribution::activities::simulated::{blink, bounce};

use super::super::Failure;
use super::super::output::{Existing, Output};
use super::super::progress;

/// What the nodes run.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Application {
    /// Three LEDs, toggled every 1, 2 and 4 s, for 48 s.
    Blink,
    /// Two nodes that send two packets to and fro, for 6 s.
    Bounce,
}

/// Where the meter stands within a count at the start.
const PHASE: f64 = 0.781_25;
/// How long Bounce runs, in seconds, and how much earlier node 4 was switched on.
const BOUNCE_S: f64 = 6.0;
const OFFSET_S: f64 = 0.35;

/// Writes the logs and their names.
pub fn run(application: Application, out: &Path, existing: Existing) -> Result<(), Failure> {
    let output = Output::open(out, existing)?;
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    match application {
        Application::Blink => {
            let mut run = blink(0, PHASE);
            files.push(("blink.quanto".into(), run.node.buffer.dump()));
            files.push(("blink.toml".into(), run.names.into()));
        }
        Application::Bounce => {
            let mut run = bounce(BOUNCE_S, OFFSET_S);
            for (at, number) in [1, 4].into_iter().enumerate() {
                files.push((format!("node{number}.quanto"), run.nodes[at].buffer.dump()));
                files.push((format!("node{number}.toml"), run.names[at].clone().into_bytes()));
            }
        }
    }
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    output.check_free(&names)?;
    for (name, bytes) in &files {
        let path = output.write(name, bytes)?;
        progress::say(format!("written: {} (simulated)", path.display()));
    }
    Ok(())
}
