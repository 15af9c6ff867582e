//! A streaming reader of Perfetto traces (`protos/perfetto/trace/*.proto` of
//! github.com/google/perfetto), plain or gzip: scheduler switches in full and compact
//! form, CPU and GPU frequencies, idle states, hotplug, atrace sections, binder
//! transactions, power rails,
//! battery counters, processes with their users, threads, packages, tracks and their
//! events. Packets are read one at a time. What a trace lost is counted ([`Losses`]); a
//! trace that ends in the middle gives what it has, and a finding.
//!
//! [`TraceBuilder`] writes traces of the same messages.
//!
//! To read one more sort of event: its message in `wire.rs` or `wire_kernel.rs`, a variant of
//! [`What`], a line in `bundle.rs` (kernel events) or `read.rs` (packets).

mod builder;
mod bundle;
mod clock;
mod event;
mod framing;
mod losses;
mod read;
mod sequence;
mod wire;
mod wire_kernel;

#[cfg(test)]
pub(crate) mod encode;
#[cfg(test)]
mod tests;

pub use builder::{TraceBuilder, TrackId};
pub use event::{TraceEvent, TraceMarker, Track, What};
pub use losses::Losses;
pub use read::TraceReader;
