//! The integration tests: one binary, a module per subject.

mod activities;
mod architecture;
mod bench;
mod boards;
mod conformance;
mod device;
mod energies;
mod external;
mod faults;
mod fleet;
mod gradle;
mod hints;
mod host;
mod input_command;
mod instrumented;
mod mapping;
mod meters;
mod mistakes;
mod monitor;
mod operations;
mod package;
mod packaged;
mod pages;
mod patterns;
mod pipeline;
mod plan_on_board;
mod probes;
mod profile;
mod projects;
#[path = "../common/python.rs"]
mod python;
mod real_logs;
mod rescan;
mod robustness;
mod scale;
mod shrunk;
mod silicon;
mod sizes;
#[path = "../common/skip.rs"]
mod skip;
mod tenants;
mod trace;
mod users;
mod verify;
mod virtual_board;
mod windowed;
