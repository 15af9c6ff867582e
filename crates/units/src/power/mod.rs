//! Samples and log lines -> the energy of a window, and what happened in it. Pure:
//! texts in, values out. `docs/energy.md` has the definitions.
//!
//! To add a meter, see [`mod@meter`]; one that accumulates is described as a
//! [`counter::MeterCounter`].

pub mod align;
pub mod collections;
pub mod counter;
pub mod crash;
pub mod integrate;
pub mod logcat;
pub mod meter;
pub mod runtime_threads;
pub mod session_log;
pub mod trace;

pub use align::{AlignError, CorrelateOptions, Lag, align_by_correlation, align_markers};
pub use collections::{Collection, parse_collection};
pub use counter::MeterCounter;
pub use crash::crash_in;
pub use integrate::{
    IntegrateError, MeterTiming, Series, Window, WindowEnergy, integrate, integrate_shown,
};
pub use logcat::{LogLine, log_time, parse_log_line};
pub use meter::{METERS, Meter, MeterError, Offer, meter, parse_samples};
pub use runtime_threads::{RuntimeShares, RuntimeThreads};
pub use session_log::{
    Alignment, Death, LoggedCollection, MarkerKind, MarkerTexts, NamedWindow, SessionLog,
    SessionLogError, SessionMarker, SessionMarkers, parse_session_log,
};
pub use trace::{Flaw, FlawKind, PowerTrace, PowerTraceError, RowKind, parse_trace};
