//! `wattline monitor control`: sensors and formulas of a monitor that runs are started, changed
//! and stopped by a command of the same user.

mod order;
mod socket;

use std::fs;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use wattline_units::limits::{CONTROL_ORDER_BYTES, CONTROL_SECONDS};

use crate::cli::own_socket::is_served;
use crate::cli::progress;
use crate::cli::quantity::number_between;
use crate::failure::Failure;
use crate::format::visible;
use crate::private_files::runtime_folder;
use crate::toolchain::deadline_stream::{DeadlineStream, connect_unix_socket};

pub use order::Order;
pub use socket::ControlSocket;

use super::overhead::arguments::AgentOverheadArguments;

use order::ModuleSettings;
use socket::OrderAnswer;

/// What is below `monitor`.
#[derive(Debug, Clone, Subcommand)]
pub enum MonitorSubcommand {
    /// Start, change and stop sensors and formulas of a monitor that runs with --control.
    Control(ControlArguments),
    /// What the agent costs a command: runs with and without it, in random order.
    Overhead(AgentOverheadArguments),
}

#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  wattline monitor --headless --control --out target/rec &
  wattline monitor control list
  wattline monitor control change design-power --tdp 45

Only the user who runs the monitor can connect. A change ends the current cycle, so that each
cycle has one set of formulas. docs/how-to/control-a-monitor.md lists modules and settings.")]
pub struct ControlArguments {
    /// The monitor's process, where several run with --control.
    #[arg(long)]
    pid: Option<u32>,
    #[command(subcommand)]
    order: OrderArguments,
}

#[derive(Debug, Clone, Subcommand)]
enum OrderArguments {
    /// What runs: sensors, formulas and what they take their figures from.
    List,
    /// Start a sensor or formula; a formula takes the place of another one for its part.
    Start(ModuleArguments),
    /// Give a running sensor or formula other settings.
    Change(ModuleArguments),
    /// Stop a sensor, or a formula with the sensors that no other needs.
    Stop {
        /// Its name, as `list` has it.
        name: String,
    },
    /// What a process's share is a part of, from now on.
    Share {
        /// All CPU time, or the active part of it.
        #[arg(value_parser = PossibleValuesParser::new(["capacity", "active"]))]
        share: String,
    },
}

#[derive(Debug, Clone, Args)]
struct ModuleArguments {
    /// A formula (design-power, soc-table, network-modes, or a meter such as rapl), or a sensor
    /// (processes, threads, cpufreq, network, users, cgroups).
    name: String,
    /// design-power: the processor's design power.
    #[arg(long, value_name = "WATTS", value_parser = number_between(0.001, 1e6, "W"))]
    tdp: Option<f64>,
    /// design-power: KHZ=VOLTS,KHZ=VOLTS..., or a CSV file with frequency_khz,volts.
    #[arg(long, value_name = "LIST|FILE")]
    voltages: Option<String>,
    /// soc-table: a table of freqbench.
    #[arg(long, value_name = "FILE")]
    soc: Option<PathBuf>,
    /// network-modes: eth0:1000=1.2,100=0.4; may be given more than once.
    #[arg(long, value_name = "INTERFACE:MBPS=WATTS")]
    network: Vec<String>,
    /// threads: the processes whose threads are listed one by one.
    #[arg(long)]
    pid_of: Vec<u32>,
}

impl OrderArguments {
    fn order(&self) -> Order {
        match self {
            OrderArguments::List => Order::List,
            OrderArguments::Start(module) => Order::Start(module.settings()),
            OrderArguments::Change(module) => Order::Change(module.settings()),
            OrderArguments::Stop { name } => Order::Stop { name: name.clone() },
            OrderArguments::Share { share } => Order::Share { share: share.clone() },
        }
    }
}

impl ModuleArguments {
    fn settings(&self) -> ModuleSettings {
        // The monitor may run in another folder.
        let absolute =
            |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let voltages = self.voltages.as_ref().map(|text| match Path::new(text).is_file() {
            true => absolute(Path::new(text)).display().to_string(),
            false => text.clone(),
        });
        ModuleSettings {
            name: self.name.clone(),
            tdp: self.tdp,
            voltages,
            soc: self.soc.as_deref().map(absolute),
            network: self.network.clone(),
            pid: self.pid_of.clone(),
        }
    }
}

/// Gives a running monitor an order, and prints what it says.
pub fn run(arguments: &ControlArguments) -> Result<(), Failure> {
    let path = found(arguments.pid)?;
    let failed = |error| Failure::io("give an order at", &path)(error);
    let time = Duration::from_secs(CONTROL_SECONDS.most);
    let mut stream = DeadlineStream::new(connect_unix_socket(&path, time).map_err(failed)?);
    stream.set_deadline(Some(time));
    let order = serde_json::to_string(&arguments.order.order())
        .map_err(|error| Failure::input(&path, error))?;
    stream.write_all(format!("{order}\n").as_bytes()).map_err(failed)?;
    let line = CONTROL_ORDER_BYTES.read_line(&mut BufReader::new(stream)).map_err(failed)?;
    let answer: OrderAnswer =
        serde_json::from_slice(&line).map_err(|error| Failure::input(&path, error))?;
    match answer {
        OrderAnswer::Done(said) => progress::result(visible(&said)),
        OrderAnswer::Refused(why) => return Err(Failure::Usage(visible(&why))),
    }
    Ok(())
}

/// The socket of a monitor: that of a process, or of the only one that there is.
fn found(pid: Option<u32>) -> Result<PathBuf, Failure> {
    let folder = runtime_folder().map_err(|error| Failure::Usage(error.to_string()))?;
    let start = "start one with `wattline monitor --control`";
    if let Some(pid) = pid {
        let path = folder.join(socket::name(pid));
        return match is_served(&path) {
            true => Ok(path),
            false => Err(Failure::Usage(format!(
                "--pid {pid}: no monitor of this process takes orders (there is no {}); {start}",
                path.display()
            ))),
        };
    }
    let files = fs::read_dir(&folder).map_err(Failure::io("read", &folder))?;
    let names = files.flatten().map(|file| file.file_name().to_string_lossy().into_owned());
    let mut pids: Vec<u32> = names
        .filter_map(|name| socket::pid(&name))
        .filter(|pid| is_served(&folder.join(socket::name(*pid))))
        .collect();
    pids.sort_unstable();
    match pids.as_slice() {
        [one] => Ok(folder.join(socket::name(*one))),
        [] => Err(Failure::Usage(format!(
            "no monitor of this user takes orders (none listens in {}); {start}",
            folder.display()
        ))),
        several => {
            let several: Vec<String> = several.iter().map(u32::to_string).collect();
            Err(Failure::Usage(format!(
                "several monitors take orders; --pid chooses one of {}",
                several.join(", ")
            )))
        }
    }
}
