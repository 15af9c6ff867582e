//! Logs of all formats -> [`super::NodeLog`], one file per format.

pub mod quanto;
