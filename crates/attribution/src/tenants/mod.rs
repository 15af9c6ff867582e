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
mod event_order;
mod exact;
mod experiment;
mod held_energy;
mod log_time;
mod meter;
mod names;
mod options;
mod output;
mod outside_log;
mod overhead;
mod perf;
mod perf_cpus;
mod perf_line;
mod readings;
mod record;
mod record_intake;
mod reorder;
mod share;
mod stream;
mod table_schemas;
mod trace_facts;
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

pub use android::{AndroidRecords, TraceGrouping};
pub use android_meters::AndroidMeters;
pub use basis::SharingBasis;
pub use cgroups::{CgroupReading, cgroup_records, usage_ns};
pub use console::tenant_table;
pub use dumpsys::{BatteryUse, CpuUse, DumpsysError, battery_use, cpu_use, dumpsys_csv};
pub use event_order::OrderedEvents;
pub use exact::{ExactUse, exact_rows};
pub use experiment::{BASE_NAME, ExperimentTables, MeasuredRun, experiment_csv};
pub use meter::{DEFAULT_RAPL_UNIT_J, MeterId, rapl_counter, rapl_unit_j};
pub use names::{TenantId, TenantNames};
pub use options::{CounterMode, EnergySource, RecordWindow, StreamOptions};
pub use output::{TenantTable, json_line, json_whole, openmetrics, rows_csv};
pub use overhead::{
    OverheadError, OverheadTest, RunSet, overhead_csv, overhead_epsilon, parse_runs,
};
pub use perf::{PerfReader, ThreadGrouping};
pub use readings::{MeterReadings, ReadingsError, parse_readings};
pub use record::{Counts, OTHER_COUNTERS, RunningTenant, TenantRecord};
pub use reorder::ReorderBuffer;
pub use stream::WindowStream;
pub use table_schemas::tenant_table_schemas;
pub use trace_facts::{RailChoice, TraceFacts};
pub use trouble::Troubles;
pub use view::{OutsideLog, TenantUse, WindowView};
pub use xen::{XenError, XenFile, XenReader};
