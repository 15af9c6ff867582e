//! `wattline tenants`: the energy of a machine, shared among its tenants (virtual machines,
//! processes, control groups, applications) by what each used between context switches.

mod cgroups;
mod dumpsys;
mod options;
mod overhead;
mod perf;
mod perfetto;
mod powercap;
mod publish;
mod session;
mod watch;
mod xen;

use clap::{Args, Subcommand};

use crate::failure::Failure;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  perf sched record -- sleep 10 && perf script | wattline tenants perf - --watts 15:5
  wattline tenants cgroups --for 10
  wattline tenants perfetto trace.pftrace --by user
  wattline tenants xen rapl.csv ctr.csv pmc.csv --tsc-hz 3.4e9

docs/reference/tenants-logs.md describes the formats.")]
pub struct Arguments {
    #[command(subcommand)]
    input: TenantInput,
}

#[derive(Debug, Subcommand)]
enum TenantInput {
    /// Xen traces: CSV files of energy, cycles and other counters per context switch.
    Xen(xen::Arguments),
    /// The text of `perf script`, ftrace or `trace-cmd report`; `-` reads a running one.
    Perf(perf::Arguments),
    /// A Perfetto trace of Android or Linux, also packed or in an archive.
    Perfetto(perfetto::Arguments),
    /// Control groups of this machine, live.
    Cgroups(cgroups::Arguments),
    /// `dumpsys batterystats` or `dumpsys cpuinfo` of a phone.
    Dumpsys(dumpsys::Arguments),
    /// Read the views that another tenants command publishes (`--serve`).
    Watch(watch::Arguments),
    /// The most that a change can cost in power, at 5 %: of two sets of runs, or of runs that
    /// are made.
    Overhead(overhead::Arguments),
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.input {
        TenantInput::Xen(arguments) => xen::run(arguments),
        TenantInput::Perf(arguments) => perf::run(arguments),
        TenantInput::Perfetto(arguments) => perfetto::run(arguments),
        TenantInput::Cgroups(arguments) => cgroups::run(arguments),
        TenantInput::Dumpsys(arguments) => dumpsys::run(arguments),
        TenantInput::Watch(arguments) => watch::run(arguments),
        TenantInput::Overhead(arguments) => overhead::run(arguments),
    }
}
