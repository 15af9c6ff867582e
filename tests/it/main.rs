//! The integration tests: one binary, a module per subject.

mod activities;
mod architecture;
mod archives;
mod bench;

mod boards;
mod builds;
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
mod locks;
mod log_files;
mod mapping;
mod meters;
mod mistakes;
mod monitor;
mod operations;
mod output;
mod own_package;
mod package;
mod packaged;
mod pages;
mod patterns;
mod pipeline;
mod plan_on_board;
mod private;
mod probes;
mod profile;
mod projects;
#[path = "../common/python.rs"]
mod python;
mod real_logs;
mod rescan;
mod robustness;
mod scale;
mod second_user;
mod shrunk;
mod simulated_model;
mod sizes;
#[path = "../common/skip.rs"]
mod skip;
mod tables;
mod tenants;
mod trace;
mod users;
mod verify;
mod virtual_board;
mod windowed;
