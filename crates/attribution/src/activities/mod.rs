//! Power states and activities -> energy by component, by activity and over time, after
//! Quanto (Fonseca et al., OSDI 2008). `docs/internals/activities.md` has the theory,
//! `docs/reference/activity-logs.md` the formats.
//!
//! A log of any format becomes a [`NodeLog`]; [`analyse`] makes equations of it, fits the
//! power of every state and accounts for the energy. To add a format: a file in
//! `formats/` with one function from text or bytes to a [`NodeLog`].

mod account;
mod analysis;
mod api;
mod binder;
mod column_roles;
mod combine;
mod containment;
mod entry;
mod equations;
mod formats;
mod label;
mod ledger;
mod log;
mod logging;
mod names;
mod offsets;
pub mod output;
mod periods;
mod powers;
mod remark;
mod sections;
#[cfg(any(test, feature = "simulated-nodes"))]
pub mod simulated;
mod sweep;
mod usage;

pub use account::{Account, AccountKey, AccountOptions, LoggingAttribution, Payer, TimeStepEnergy};
pub use analysis::{Analysis, AnalysisOptions, analyse, payer_energies_of_nodes};
pub use api::{API_FILE, API_SOURCE};
pub use column_roles::ColumnRole;
pub use combine::{merge_frequencies_into_states, merge_logs};
pub use containment::{
    ContainmentCounts, ContainmentQuestion, CountedOccurrences, UnknownName, count_containing,
};
pub use entry::{BUFFER_ENTRIES, ENTRY_BYTES, EntryBuffer, EntryKind, LogEntry};
pub use equations::{Equation, Equations, StateColumns};
pub use formats::batterystats::read_batterystats;
pub use formats::csv::{LEADING_COLUMNS as CSV_HEADER, read_csv};
pub use formats::intervals::{REQUIRED_COLUMNS as INTERVALS_HEADER, read_intervals};
pub use formats::lines::{has_lines, read_lines};
pub use formats::perfetto::{PerfettoOptions, read_perfetto, read_traces};
pub use formats::quanto::{QuantoError, read_quanto};
pub use formats::samples::readings_of_rails;
pub use label::{Label, LabelCode, Labels};
pub use log::{
    Component, ComponentEvent, LoggedReading, NodeLog, StateChange, nanoseconds_to_seconds,
    seconds_to_nanoseconds,
};
pub use logging::LoggingCost;
pub use names::{NamesError, NodeNames, node_names_json_schema, node_names_sections};
pub use offsets::{ClockKnowledge, align_clocks};
pub use periods::{ActivityPeriod, ComponentPeriods, StatePeriod};
pub use powers::{EquationWeights, FittedPower, Powers};
pub use remark::{Remark, RemarkKind};
pub use usage::{NodeUsage, Occupancy};
