//! Power states and activities -> energy by component, by activity and over time, after
//! Quanto (Fonseca et al., OSDI 2008). `docs/activities.md` has the theory and the formats.
//!
//! A log of any format becomes a [`NodeLog`]; [`analyse`] makes equations of it, fits the
//! power of every state and accounts for the energy. To add a format: a file in
//! `formats/` with one function from text or bytes to a [`NodeLog`].

mod account;
mod analysis;
mod entry;
mod equations;
mod formats;
mod independent;
mod label;
mod log;
mod logging;
mod names;
mod periods;
mod powers;
mod remark;
pub mod simulated;
mod sweep;

pub use account::{Account, AccountOptions, Bin, Key, LoggingAs, Payer};
pub use analysis::{Analysis, Options, analyse, network};
pub use entry::{BUFFER_ENTRIES, Buffer, ENTRY_BYTES, ENTRY_COST_S, Entry, EntryKind};
pub use equations::{Columns, Equation, Equations};
pub use formats::quanto::read_quanto;
pub use independent::Role;
pub use label::{Code, Label, Labels};
pub use log::{Change, Component, Event, NodeLog, Reading, nanoseconds, seconds};
pub use logging::LoggingCost;
pub use names::{Names, NamesError};
pub use periods::{ActivityPeriod, Periods, StatePeriod};
pub use powers::{Power, Powers, Weights};
pub use remark::{Remark, RemarkKind};
