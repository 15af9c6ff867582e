//! The flags of `monitor`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::super::answer::FormatArgument;
use super::super::quantity::number_between;
use super::super::schedule::Schedule;
use super::control::MonitorSubcommand;

/// What to do instead of monitoring a virtual board.
pub(super) const NO_VIRTUAL_BOARD: &str = "--board: a virtual board has no processes (no /proc/stat), and its clock stands still while \
     nothing runs on it; monitor a real device, or measure an application there with `wattline run`";

#[derive(Debug, Clone, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  wattline monitor --jvm 4711 --tdp 65
  wattline monitor --out target/rec --duration 60 -- java -jar server.jar
  wattline monitor --headless --duration 10 >processes.csv

Keys of the live view: q quit, p pause, s sort, / filter, Tab view, a share, r record. The
first lines of the output name the meter, or the model where there is none."
)]
pub struct Arguments {
    #[command(subcommand)]
    pub(super) below: Option<MonitorSubcommand>,
    /// Length of a cycle in seconds; the last one ends with the duration.
    #[arg(long, default_value_t = 1.0, value_parser = number_between(0.05, 1e9, "s"))]
    pub(super) interval: f64,
    /// Stop after so many seconds; without it, at the end of the command or by Ctrl-C.
    #[arg(long, value_parser = number_between(0.05, 1e9, "s"))]
    pub(super) duration: Option<f64>,
    /// A device behind adb instead of this machine.
    #[arg(long, value_name = "SERIAL")]
    pub(super) board: Option<String>,
    /// Also tell the threads of this process apart; may be given more than once.
    #[arg(long)]
    pub(super) pid: Vec<u32>,

    /// Measure the methods of this running JVM.
    #[arg(long, value_name = "PID", help_heading = "Methods of a JVM")]
    pub(super) jvm: Option<u32>,
    /// Measure the JVM whose agent wrote this file (see --agent-jar). With --jvm PID that is the
    /// number of its process here, where it has another one inside a container.
    #[arg(long, value_name = "FILE", help_heading = "Methods of a JVM")]
    pub(super) link: Option<PathBuf>,
    /// Write the agent as one jar, and do nothing else: a JVM started with -javaagent:FILE can be
    /// measured by --link, without a JDK or Maven on its machine.
    #[arg(long, value_name = "FILE", help_heading = "Methods of a JVM",
          conflicts_with_all = ["jvm", "link", "board", "pid", "out", "command"])]
    pub(super) agent_jar: Option<PathBuf>,
    /// How: looking at stacks, or probes in methods (which count calls).
    #[arg(long, default_value = "sampling", help_heading = "Methods of a JVM",
          value_parser = PossibleValuesParser::new(["sampling", "instrumentation"]))]
    pub(super) mode: String,
    /// Only classes whose names begin so; may be given more than once.
    #[arg(long, value_name = "PREFIX", help_heading = "Methods of a JVM")]
    pub(super) include: Vec<String>,
    /// No classes whose names begin so.
    #[arg(long, value_name = "PREFIX", help_heading = "Methods of a JVM")]
    pub(super) exclude: Vec<String>,
    /// Mapping file of ProGuard or R8: the view has the names of the sources. A recording
    /// keeps those that run, and `report`, `account` and `export` take the file again.
    #[arg(long, value_name = "FILE", help_heading = "Methods of a JVM")]
    pub(super) mapping: Option<PathBuf>,
    /// Sampling: milliseconds between two samples of Flight Recorder or, in a JVM without one,
    /// between two snapshots of stacks. Default: each tick of the system's clock from JDK 25 on
    /// (Linux), 40 on older ones, 20 of CPU time without Flight Recorder.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000),
          help_heading = "Methods of a JVM")]
    pub(super) period_ms: Option<u32>,
    /// Instrumentation: percent of the time in which calls are timed, in windows of 2 ms.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100),
          help_heading = "Methods of a JVM")]
    pub(super) duty: u32,
    /// Instrumentation: percent of the JVM's CPU time that probes may take before
    /// the most called methods are counted in windows alone, and the shortest lose theirs.
    #[arg(long, default_value_t = 5.0, value_parser = number_between(0.0, 100.0, "%"),
          help_heading = "Methods of a JVM")]
    pub(super) budget: f64,
    /// Instrumentation: all calls of all methods are counted and timed, whatever it costs:
    /// --duty 100 --budget 100 --small.
    #[arg(long, conflicts_with_all = ["duty", "budget"], help_heading = "Methods of a JVM")]
    pub(super) exact: bool,
    /// Instrumentation: probes also in methods that are cheaper than a probe.
    #[arg(long, help_heading = "Methods of a JVM")]
    pub(super) small: bool,

    /// The meter; `auto` takes the best there is, `model` none.
    #[arg(long, default_value = "auto", help_heading = "Power")]
    pub(super) meter: String,
    /// Design power of the processor in watts, for the software model.
    #[arg(long, value_name = "WATTS", value_parser = number_between(0.001, 1e6, "W"),
          help_heading = "Power")]
    pub(super) tdp: Option<f64>,
    /// Voltages for the software model: KHZ=VOLTS,KHZ=VOLTS..., or a CSV file with
    /// frequency_khz,volts.
    #[arg(long, value_name = "LIST|FILE", help_heading = "Power")]
    pub(super) voltages: Option<String>,
    /// Power per frequency of the chip: a table of freqbench (CSV or JSON).
    #[arg(long, value_name = "FILE", help_heading = "Power")]
    pub(super) soc: Option<PathBuf>,
    /// What a process's share is a part of: all CPU time, or the active part of it.
    #[arg(long, default_value = "capacity", help_heading = "Power",
          value_parser = PossibleValuesParser::new(["capacity", "active"]))]
    pub(super) share: String,
    /// Watts of a network card by throughput mode: eth0:1000=1.2,100=0.4.
    #[arg(long, value_name = "INTERFACE:MBPS=WATTS", help_heading = "Power")]
    pub(super) network: Vec<String>,

    /// No live view: CSV on standard output, or a recording with --out.
    #[arg(long, help_heading = "Output")]
    pub(super) headless: bool,
    /// Folder for a recording.
    #[arg(long, help_heading = "Output")]
    pub(super) out: Option<PathBuf>,
    /// A file that always holds the last cycle as OpenMetrics text.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) openmetrics: Option<PathBuf>,
    /// Serve the last cycle and energies since the start at http://ADDRESS:PORT/metrics, for
    /// Prometheus, with containers and pods where control groups tell them.
    #[arg(long, value_name = "ADDRESS:PORT", help_heading = "Output")]
    pub(super) prometheus: Option<String>,
    /// Take orders of `wattline monitor control`, from this user alone.
    #[arg(long, help_heading = "Power")]
    pub(super) control: bool,
    /// Replace an existing recording.
    #[arg(long, help_heading = "Output")]
    pub(super) force: bool,
    #[command(flatten, next_help_heading = "Output")]
    pub(super) format: FormatArgument,

    /// A command to start and monitor; a JVM's methods are measured from its start.
    #[arg(last = true)]
    pub(super) command: Vec<String>,
}

impl Arguments {
    pub(super) fn schedule(&self) -> Schedule {
        let limit = self.duration.map(Duration::from_secs_f64);
        Schedule::new(Duration::from_secs_f64(self.interval), limit)
    }

    /// Returns the percentage of time in which the probes of the JVM measure; 100 with `--exact`.
    pub(super) fn duty(&self) -> u32 {
        if self.exact { 100 } else { self.duty }
    }

    /// Returns the share (0..1) of the JVM's CPU time that probes may take; 1 with `--exact`.
    pub(super) fn budget(&self) -> f64 {
        if self.exact { 1.0 } else { self.budget / 100.0 }
    }
}
