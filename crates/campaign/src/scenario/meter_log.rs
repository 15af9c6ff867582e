//! `[board.log]`: the log of an external meter, and its checks.

use serde::{Deserialize, Serialize};
use wattline_units::dialect::{ColumnDecimalMark, parse_zone};

use super::error::FailedCheck;
use super::meter::{ExternalMeterLog, MeterChoice};
use super::range::{self, check_number};
use crate::power::meter::external::{ColumnNames, NamedColumn};

/// `[board.log]`: a table that another program appends to on the host while the campaign runs.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LogSection {
    /// The table, relative to the scenario file; `{board}` stands for the board's serial.
    pub file: String,
    /// Column of the host's time, in Unix seconds. Default, here and below: found by its title.
    pub time: Option<ColumnSection>,
    /// Column of the power.
    pub power: Option<ColumnSection>,
    /// Column of the voltage, for a table without power.
    pub voltage: Option<ColumnSection>,
    /// Column of the current, for a table without power.
    pub current: Option<ColumnSection>,
    /// Supply voltage in volts, for a table with only the current.
    pub volts: Option<f64>,
    /// Seconds to add to the times to get the host's clock. Default 0.
    #[serde(default)]
    pub clock_offset_s: f64,
    /// Decimal mark, `","` or `"."`. Default: inferred from the rows.
    pub decimal: Option<String>,
    /// Time zone of dates that name none: `"Europe/Berlin"`, `"+01:00"`, `"UTC"`, `"local"`.
    pub time_zone: Option<String>,
}

/// A column of the table: title and unit.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ColumnSection {
    /// Title of the column.
    pub column: String,
    /// Unit of its numbers.
    pub unit: String,
}

/// Checks that a log is given for the meter `external` and for no other.
pub(super) fn check_log(
    written: &Option<LogSection>,
    meter: MeterChoice,
) -> Result<Option<ExternalMeterLog>, FailedCheck> {
    let is_external = meter == MeterChoice::Named("external");
    let Some(log) = written else {
        let message = "is \"external\", which needs `[board.log]` with the meter's `file`";
        return if is_external { Err(FailedCheck::new("board.meter", message)) } else { Ok(None) };
    };
    if !is_external {
        let message = "goes with `meter = \"external\"`; name that meter, or leave the log out";
        return Err(FailedCheck::new("board.log", message));
    }
    if log.file.trim().is_empty() {
        return Err(FailedCheck::new("board.log.file", "is empty; name the meter's log"));
    }
    check_number(log.clock_offset_s, range::OFFSET_S, "board.log.clock_offset_s")?;
    log.volts.map(|volts| check_number(volts, range::SUPPLY_V, "board.log.volts")).transpose()?;
    let column = |written: &Option<ColumnSection>| {
        let ColumnSection { column, unit } = written.as_ref()?;
        Some(NamedColumn { title: column.clone(), unit: unit.clone() })
    };
    let columns = ColumnNames {
        time: column(&log.time),
        power: column(&log.power),
        voltage: column(&log.voltage),
        current: column(&log.current),
        volts: log.volts,
    };
    columns
        .check()
        .map_err(|(key, message)| FailedCheck::new(format!("board.log.{key}"), message))?;
    let (file, clock_offset_s) = (log.file.clone(), log.clock_offset_s);
    let decimal = log.decimal.as_deref().map(decimal_mark).transpose()?;
    let time_zone = log
        .time_zone
        .as_deref()
        .map(parse_zone)
        .transpose()
        .map_err(|error| FailedCheck::new("board.log.time_zone", format!("is {error}")))?;
    Ok(Some(ExternalMeterLog { file, columns, clock_offset_s, decimal, time_zone }))
}

fn decimal_mark(mark: &str) -> Result<ColumnDecimalMark, FailedCheck> {
    match mark {
        "," => Ok(ColumnDecimalMark::Comma),
        "." => Ok(ColumnDecimalMark::Point),
        other => {
            let message = format!("is {other:?}; it is \",\" or \".\"");
            Err(FailedCheck::new("board.log.decimal", message))
        }
    }
}
