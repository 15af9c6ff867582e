//! The integration tests: one binary, a module per subject.

mod device;
mod pipeline;
mod probes;
mod silicon;
mod virtual_board;
