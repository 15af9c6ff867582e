//! Which power meter a scenario asks for.

use jiff::tz::TimeZone;
use wattline_units::dialect::NumberMarks;

use crate::power::meter::external::ColumnNames;

/// Which power meter a scenario asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeterChoice {
    /// The best that the board offers.
    Auto,
    /// That of this name (`crate::power::meter`).
    Named(&'static str),
}

impl MeterChoice {
    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            MeterChoice::Auto => "auto",
            MeterChoice::Named(name) => name,
        }
    }
}

/// The log of an external meter.
#[derive(Debug, Clone, PartialEq)]
pub struct ExternalMeterLog {
    /// Path, relative to the scenario file; `{board}` stands for the board's serial.
    pub file: String,
    /// Which columns hold what.
    pub columns: ColumnNames,
    /// Seconds to add to its times for the host's clock.
    pub clock_offset_s: f64,
    /// The decimal mark of its numbers, where its rows leave that open.
    pub decimal: Option<NumberMarks>,
    /// The zone of its dates, where they have none.
    pub time_zone: Option<TimeZone>,
}

impl ExternalMeterLog {
    /// What stands for the board's serial in its path.
    pub const BOARD: &str = "{board}";
}
