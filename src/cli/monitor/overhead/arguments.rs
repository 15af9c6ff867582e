//! The flags of `monitor overhead`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::answer::FormatArgument;
use crate::cli::quantity::{number_between, whole_number_between};

#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  wattline monitor overhead
  wattline monitor overhead --mode sampling --mode exact --repeats 20 --out target/overhead
  wattline monitor overhead --url http://127.0.0.1:8080/ -- java -jar server.jar

Each repetition runs the command without the agent and with each mode, in random order. The CPU
time of the reader is not part of the figures. docs/how-to/monitor-overhead.md explains them.")]
pub struct AgentOverheadArguments {
    /// How the agent measures: sampling, sampling:MS (period), instrumentation or exact; may be
    /// given more than once. Without this flag: sampling and sampling:10.
    #[arg(long, value_name = "MODE")]
    pub(super) mode: Vec<String>,
    /// Runs with each mode, and without the agent.
    #[arg(long, default_value_t = 10, value_parser = whole_number_between(2, 10_000))]
    pub(super) repeats: usize,
    /// Seed of the random order.
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// The command has started when a line of its standard output contains this text. Without
    /// this flag the first line is the start.
    #[arg(long, value_name = "TEXT", conflicts_with = "url", requires = "command")]
    pub(super) start_line: Option<String>,
    /// The number after this text, in the last such line of the standard output, is the time of a
    /// request in seconds.
    #[arg(long, value_name = "TEXT", conflicts_with = "url", requires = "command")]
    pub(super) request_line: Option<String>,
    /// A page of the server that the command starts: the start ends with its first response, then
    /// requests follow one after the other, and the command is stopped.
    #[arg(long, value_name = "http://HOST:PORT/PATH", requires = "command")]
    pub(super) url: Option<String>,
    /// Seconds of requests to --url that are not measured.
    #[arg(long, default_value_t = 5.0, value_parser = number_between(0.0, 1e6, "s"))]
    pub(super) warm_up: f64,
    /// Seconds of requests to --url that are measured.
    #[arg(long, default_value_t = 10.0, value_parser = number_between(0.1, 1e6, "s"))]
    pub(super) seconds: f64,
    /// Requests that the built-in program serves in a run.
    #[arg(long, default_value_t = 20_000, value_parser = whole_number_between(2, 100_000_000),
          conflicts_with = "command")]
    pub(super) requests: usize,
    /// Folder for runs.csv and overhead.csv.
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Replace an existing result.
    #[arg(long)]
    pub(super) force: bool,
    #[command(flatten)]
    pub(super) format: FormatArgument,
    /// The command, `java` with its arguments; without one a built-in program runs.
    #[arg(last = true)]
    pub(super) command: Vec<String>,
}
