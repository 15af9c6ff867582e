//! Logs of all formats -> [`super::NodeLog`], one file per format.

pub mod batterystats;
pub mod csv;
pub mod intervals;
pub mod lines;
pub mod perfetto;
pub mod quanto;
pub mod samples;
