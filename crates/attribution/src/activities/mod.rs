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
mod combine;
mod containing;
mod entry;
mod equations;
mod formats;
mod independent;
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

pub use account::{Account, AccountOptions, Bin, Key, LoggingAs, Payer};
pub use analysis::{Analysis, AnalysisOptions, analyse, network};
pub use api::{API_FILE, API_SOURCE};
pub use combine::{together, with_frequencies};
pub use containing::{Containing, ContainingQuestion, CountedOccurrences, UnknownName, containing};
pub use entry::{BUFFER_ENTRIES, Buffer, ENTRY_BYTES, EntryKind, LogEntry};
pub use equations::{Equation, Equations, StateColumns};
pub use formats::batterystats::read_batterystats;
pub use formats::csv::{HEADER as CSV_HEADER, read_csv};
pub use formats::intervals::{HEADER as INTERVALS_HEADER, read_intervals};
pub use formats::lines::{has_lines, read_lines};
pub use formats::perfetto::{PerfettoOptions, read_perfetto, read_traces};
pub use formats::quanto::{QuantoError, read_quanto};
pub use formats::samples::readings;
pub use independent::ColumnRole;
pub use label::{Label, LabelCode, Labels};
pub use log::{
    Component, ComponentEvent, LoggedReading, NodeLog, StateChange, nanoseconds, seconds,
};
pub use logging::LoggingCost;
pub use names::{NamesError, NodeNames};
pub use offsets::{ClockIs, aligned};
pub use periods::{ActivityPeriod, ComponentPeriods, StatePeriod};
pub use powers::{FittedPower, Powers, Weights};
pub use remark::{Remark, RemarkKind};
pub use usage::{Occupancy, Usage};
