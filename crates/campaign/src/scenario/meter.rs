//! Choice of the power meter in a scenario.

use jiff::tz::TimeZone;
use wattline_units::dialect::ColumnDecimalMark;

use crate::power::meter::external::ColumnNames;

/// Power meter of a scenario: chosen by the board, or by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeterChoice {
    /// The best meter that the board offers.
    Auto,
    /// The meter of this name (`crate::power::meter`).
    Named(&'static str),
}

impl MeterChoice {
    /// Name in files: `auto` or the meter's.
    pub fn name(self) -> &'static str {
        match self {
            MeterChoice::Auto => "auto",
            MeterChoice::Named(name) => name,
        }
    }
}

/// Log file of an external meter, with its columns and clock.
#[derive(Debug, Clone, PartialEq)]
pub struct ExternalMeterLog {
    /// Path, relative to the scenario file; `{board}` stands for the board's serial.
    pub file: String,
    /// Names and units of the columns.
    pub columns: ColumnNames,
    /// Seconds to add to the log's times to get the host's clock.
    pub clock_offset_s: f64,
    /// Decimal mark of the numbers; `None` if it follows from the rows.
    pub decimal: Option<ColumnDecimalMark>,
    /// Time zone of dates that name none.
    pub time_zone: Option<TimeZone>,
}

impl ExternalMeterLog {
    /// Placeholder for the board's serial in the path.
    pub const BOARD: &str = "{board}";
}
