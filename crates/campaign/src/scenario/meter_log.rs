//! `[board.log]`: the log of an external meter, and its checks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wattline_units::dialect::{ColumnDecimalMark, parse_zone};

use super::error::FailedCheck;
use super::meter::{ExternalMeterLog, MeterChoice};
use super::range::{self, check_number};
use crate::power::meter::external::{ColumnNames, NamedColumn};

/// `[board.log]`: the table of a [bench meter](../how-to/bench-meter.md).
///
/// A column is `{ column = "TITLE", unit = "UNIT" }`.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LogSection {
    /// The table, relative to the scenario file; `{board}` in it is replaced by the serial of the
    /// board.
    #[schemars(length(min = 1))]
    pub file: String,
    /// Column of the time: its unit is one of `s`, `ms`, `us`, `ns`, `min`, `h`.
    /// Default: by the titles.
    pub time: Option<ColumnSection>,
    /// Column of the power: `W`, `mW`, `uW`, `kW`. Default: by the titles.
    pub power: Option<ColumnSection>,
    /// Instead of `power`, column of the voltage: `V`, `mV`, `uV`. Default: by the titles.
    pub voltage: Option<ColumnSection>,
    /// Instead of `power`, column of the current: `A`, `mA`, `uA`, `nA`. Default: by the titles.
    pub current: Option<ColumnSection>,
    /// Voltage of the supply, if the table has a current only.
    #[schemars(range(min = *range::SUPPLY_V.start(), max = *range::SUPPLY_V.end()))]
    pub volts: Option<f64>,
    /// Seconds to add to get times of the host; for a log that counts from its start, the Unix
    /// time of the start.
    #[serde(default)]
    #[schemars(range(min = *range::OFFSET_S.start(), max = *range::OFFSET_S.end()))]
    pub clock_offset_s: f64,
    /// Decimal mark, `","` or `"."`, for ambiguous rows ([tables](tables.md)).
    /// Default: by the rows.
    #[schemars(regex(pattern = "^[,.]$"))]
    pub decimal: Option<String>,
    /// Zone of dates that have none: `"Europe/Berlin"`, `"+01:00"`, `"UTC"`, `"local"`.
    /// Default: such dates are refused.
    pub time_zone: Option<String>,
}

/// A column of the table: title and unit.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
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
