//! Energy of a window, and the events in it, from samples and log lines. Pure: texts in, values
//! out. `docs/internals/energy.md` has the definitions.
//!
//! To add a meter, see [`mod@meter`]; one that accumulates is described as a
//! [`counter::MeterCounter`].

pub mod align;
pub mod counter;
pub mod crash;
pub mod figure_basis;
pub mod gc_log;
pub mod integrate;
pub mod logcat;
pub mod machine_load;
pub mod meter;
pub mod runtime_threads;
pub mod session_log;
pub mod trace;

pub use align::{AlignError, ClockLag, CorrelationOptions, align_by_correlation, align_markers};
pub use counter::MeterCounter;
pub use crash::crash_trace;
pub use figure_basis::FigureBasis;
pub use gc_log::{GarbageCollection, parse_gc_message};
pub use integrate::{
    IntegrateError, MeterTiming, Series, Window, WindowEnergy, integrate, integrate_delayed,
};
pub use logcat::{LogLine, format_log_time, parse_log_line};
pub use machine_load::{MachineLoad, MachineReading};
pub use meter::{METERS, Meter, MeterError, MeterOffer, meter_by_name, parse_samples};
pub use runtime_threads::{RuntimeShares, RuntimeThreadTimes};
pub use session_log::{
    ClockAlignment, LoggedGc, MarkerKind, MarkerTexts, NamedWindow, ProcessDeath, SessionLog,
    SessionLogError, SessionMarker, SessionMarkerPair, parse_session_log,
};
pub use trace::{Flaw, FlawKind, PowerTrace, PowerTraceError, RowKind, parse_trace};
