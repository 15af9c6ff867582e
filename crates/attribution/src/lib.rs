//! Energy of an interval -> energy per principal: a process, a method, a tenant, an
//! activity. Every attribution is a [`Split`]: shares by weight, what nobody is known to
//! have spent in a row of its own, and parts that add up to what was measured.
//!
//! One folder per system; each reads its own logs and ends in the same [`Split`].

// Only the command line prints.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod activities;
mod battery;
mod descriptor;
pub mod mapping;
pub mod monitor;
pub mod perfetto;
mod quantity_too_large;
mod split;
pub mod tenants;
mod unpacking;

pub use quantity_too_large::QuantityTooLarge;
pub use split::{Capacity, Split, SplitError};
pub use unpacking::unpack_log;

#[cfg(test)]
mod identity_tests;

#[cfg(test)]
#[path = "../../../tests/common/python.rs"]
mod python;

#[cfg(test)]
#[path = "../../../tests/common/skip.rs"]
mod skip;
