//! Power of processes, threads and methods while they run: e-Surgeon (ASE 2012) with its
//! two levels, PowerAPI for the operating system and Jalen for a JVM.
//!
//! [`sensors`] turn the system's files into [`facts`], [`formulas`] turn two facts into
//! the energy of a part of the machine, [`RunningModules`] starts and stops both and shares the
//! energies among processes, [`jvm`] shares a process's energy among its methods. All of
//! it is pure but [`machine`], which reads this machine or, through
//! a [`host`], a device. `docs/internals/monitor.md` has the theory.

pub mod agent_overhead;
pub mod containers;
mod cycle;
pub mod equations;
pub mod facts;
pub mod formulas;
pub mod host;
pub mod jvm;
pub mod machine;
pub mod metrics;
mod modules;
pub mod sensors;

pub use cycle::{ComponentEnergy, Cycle, ProcessCycle, ShareDenominator, ThreadCycle};
pub use modules::RunningModules;
