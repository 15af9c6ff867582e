//! The integration tests: one binary, a module per subject.

mod activities;
mod architecture;
mod bench;
mod boards;
mod device;
mod external;
mod faults;
mod fleet;
mod gradle;
mod hints;
mod host;
mod mapping;
mod meters;
mod monitor;
mod operations;
mod patterns;
mod pipeline;
mod probes;
mod projects;
mod real_logs;
mod robustness;
mod shrunk;
mod silicon;
mod tenants;
mod virtual_board;
