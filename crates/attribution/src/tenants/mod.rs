//! Energy per tenant (XeMPower: Ferroni et al., *Enabling power-awareness for the Xen
//! hypervisor*, 2016): at every context switch on every CPU what was counted since the
//! last one is charged to the tenant that leaves, whichever CPU it was; tumbling windows
//! gather it, a meter's energy per window is shared by unhalted cycles, and what nobody is
//! known to have spent is a row of its own. docs/internals/tenants.md has the theory.
//!
//! Records come one at a time, a ring of windows is all that is held, and what is late,
//! lost or disordered is counted ([`Troubles`]) and shown.
//!
//! To add an input: a file that turns its text into [`TenantRecord`]s (see `perf.rs`), and a
//! command beside `cli/tenants/perf.rs`.

mod android;
mod android_meters;
mod basis;
mod cgroups;
mod charge;
mod console;
mod cpu;
mod dumpsys;
mod exact;
mod experiment;
mod facts;
mod log_time;
mod meter;
mod metered;
mod names;
mod options;
mod ordered;
mod output;
mod outside;
mod overhead;
mod perf;
mod perf_cpus;
mod perf_line;
mod readings;
mod record;
mod reorder;
mod share;
mod stream;
mod take;
mod trouble;
mod view;
mod window;
mod xen;

#[cfg(test)]
mod parser_tests;
#[cfg(test)]
mod stream_tests;
#[cfg(test)]
mod trouble_tests;

pub use android::{AndroidRecords, Grouping};
pub use android_meters::AndroidMeters;
pub use basis::SharingBasis;
pub use cgroups::{CgroupReading, cgroup_records, usage_ns};
pub use console::table;
pub use dumpsys::{BatteryUse, CpuUse, DumpsysError, battery_use, cpu_use, dumpsys_csv};
pub use exact::{ExactUse, exact_rows};
pub use experiment::{BASE, ExperimentTables, MeasuredRun, experiment_csv};
pub use facts::{RailChoice, TraceFacts};
pub use meter::{MeterId, UNIT_DEFAULT_J, rapl_counter, rapl_unit_j};
pub use names::{TenantId, TenantNames};
pub use options::{Charging, Counting, EnergySource, StreamOptions};
pub use ordered::OrderedEvents;
pub use output::{TenantTable, json_line, json_whole, openmetrics, rows_csv};
pub use overhead::{OverheadError, OverheadTest, Runs, epsilon, overhead_csv, parse_runs};
pub use perf::{By, Perf};
pub use readings::{MeterReadings, ReadingsError, parse_readings};
pub use record::{Counts, OTHERS, RunningTenant, TenantRecord};
pub use reorder::Reorder;
pub use stream::WindowStream;
pub use trouble::Troubles;
pub use view::{OutsideLog, TenantUse, WindowView};
pub use xen::{Xen, XenError, XenFile};
