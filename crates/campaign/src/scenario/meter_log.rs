//! `[board.log]`: the log of an external meter, as written and its checks.

use serde::{Deserialize, Serialize};
use wattline_units::dialect::{NumberMarks, zone_of};

use super::error::FailedCheck;
use super::meter::{ExternalMeterLog, MeterChoice};
use super::range::{self, number};
use crate::power::meter::external::{ColumnNames, NamedColumn};

/// `[board.log]`: a table that another program appends to on the host while the campaign runs.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LogFile {
    /// The table, relative to the scenario file; `{board}` stands for the board's serial.
    pub file: String,
    /// Column of the host's time, seconds of Unix. Default, here and below: by its title.
    pub time: Option<ColumnFile>,
    /// Column of the power.
    pub power: Option<ColumnFile>,
    /// Column of the voltage, where there is none of the power.
    pub voltage: Option<ColumnFile>,
    /// Column of the current, where there is none of the power.
    pub current: Option<ColumnFile>,
    /// Volts of the supply, where the table has the current alone.
    pub volts: Option<f64>,
    /// Seconds to add to the times for the host's. Default 0.
    #[serde(default)]
    pub clock_offset_s: f64,
    /// The decimal mark, `","` or `"."`. Default: by the rows.
    pub decimal: Option<String>,
    /// Zone of dates that name none: `"Europe/Berlin"`, `"+01:00"`, `"UTC"`, `"local"`.
    pub time_zone: Option<String>,
}

/// A column of the table.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ColumnFile {
    /// Its title.
    pub column: String,
    /// The unit of its numbers.
    pub unit: String,
}

/// A log goes with the meter `external`, and that with a log.
pub(super) fn check_log(
    written: &Option<LogFile>,
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
    number(log.clock_offset_s, range::OFFSET_S, "board.log.clock_offset_s")?;
    log.volts.map(|volts| number(volts, range::SUPPLY_V, "board.log.volts")).transpose()?;
    let column = |written: &Option<ColumnFile>| {
        let ColumnFile { column, unit } = written.as_ref()?;
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
        .map(zone_of)
        .transpose()
        .map_err(|error| FailedCheck::new("board.log.time_zone", format!("is {error}")))?;
    Ok(Some(ExternalMeterLog { file, columns, clock_offset_s, decimal, time_zone }))
}

fn decimal_mark(mark: &str) -> Result<NumberMarks, FailedCheck> {
    match mark {
        "," => Ok(NumberMarks::Comma),
        "." => Ok(NumberMarks::Point),
        other => {
            let message = format!("is {other:?}; it is \",\" or \".\"");
            Err(FailedCheck::new("board.log.decimal", message))
        }
    }
}
