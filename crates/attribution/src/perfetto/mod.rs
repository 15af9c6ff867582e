//! A streaming reader of Perfetto traces (`protos/perfetto/trace/*.proto` of
//! github.com/google/perfetto), plain, gzip or zstd, also by bundles of packets: scheduler switches
//! in full and compact form, CPU and GPU frequencies, idle states, hotplug, atrace sections, binder
//! transactions, power rails, battery counters, processes with their users, threads, packages,
//! tracks and their events. PacketReader are read one at a time. What a trace lost is counted
//! ([`Losses`]), and so is what it has that is not read and could hold an answer; a trace that ends
//! in the middle gives what it has, and a finding.
//!
//! [`TraceBuilder`] writes traces of the same messages.
//!
//! To read one more sort of event: its message in `wire.rs` or `wire_kernel.rs`, a variant of
//! [`TraceEventKind`], a line in `bundle.rs` (kernel events) or `read.rs` (packets); its line in
//! `unread.rs` goes.

mod builder;
mod bundle;
mod clock;
mod event;
mod fields;
mod framing;
mod losses;
mod packets;
mod rails;
mod reader;
mod sequence;
mod survey;
mod unread;
mod wire;
mod wire_kernel;

#[cfg(test)]
pub(crate) mod encode;
#[cfg(test)]
mod tests;

pub use builder::{TraceBuilder, TrackId};
pub use event::{RailKey, RailSession, TraceEvent, TraceEventKind, TraceMarker, Track};
pub use losses::Losses;
pub use rails::{RailCatalogue, RailMeter};
pub use reader::TraceReader;
pub use survey::{MachineSurvey, TraceSurvey, survey_trace};
pub use unread::{RecordContent, UnreadCounts};
