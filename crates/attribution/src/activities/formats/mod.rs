//! Logs of all formats -> [`super::NodeLog`], one file per format.

mod battery_histories;
pub mod batterystats;
pub mod csv;
mod history_time;
pub mod intervals;
pub mod lines;
mod open_sections;
pub mod perfetto;
pub mod quanto;
pub mod samples;
mod trace_meter;
