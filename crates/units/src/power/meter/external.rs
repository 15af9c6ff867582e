//! Log of an external meter: a table with a time and watts, or volts and amperes. A row's power
//! is the mean since the row before, as loggers that average give it. Its clock is another one
//! than the board's: `offset_s` in the line before the table ties it to that, exactly, since
//! times of Unix hold too many digits for a float.

use crate::dialect::{Quantity, decimal_nanos};

use super::super::trace::{Flaw, FlawKind, PowerTrace, RowKind};
use super::error::MeterError;
use super::kind::{Meter, MeterOffer};
use super::meter_columns::{LocatedColumns, MeterColumns};
use super::readings::{HEADER_START, header_field};

/// External meter whose log is a text table in any dialect.
#[derive(Debug)]
pub struct ExternalMeter;

impl ExternalMeter {
    /// Name of the only rail.
    pub const RAIL: &str = "external";
}

/// Column that the user named, with its unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedColumn {
    /// Its title in the table.
    pub title: String,
    /// The unit of its numbers.
    pub unit: String,
}

impl NamedColumn {
    /// Returns the factor from its unit to the base unit; `None` where its unit is none of the
    /// quantity.
    pub(super) fn factor(&self, quantity: Quantity) -> Option<f64> {
        let units = quantity.units().iter();
        units.filter(|(name, _)| *name == self.unit).map(|(_, factor)| *factor).next()
    }
}

/// Columns that the user named for each quantity. Where none is, titles decide.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ColumnNames {
    /// Column of times.
    pub time: Option<NamedColumn>,
    /// Column of power.
    pub power: Option<NamedColumn>,
    /// Column of voltage, where there is none of power.
    pub voltage: Option<NamedColumn>,
    /// Column of current, where there is none of power.
    pub current: Option<NamedColumn>,
    /// Volts of the supply, where the table has the current alone.
    pub volts: Option<f64>,
}

impl ColumnNames {
    /// Iterates over the named columns with their quantities.
    pub(super) fn named(&self) -> impl Iterator<Item = (Quantity, &NamedColumn)> {
        let all = [
            (Quantity::Time, &self.time),
            (Quantity::Power, &self.power),
            (Quantity::Voltage, &self.voltage),
            (Quantity::Current, &self.current),
        ];
        all.into_iter().filter_map(|(quantity, column)| Some((quantity, column.as_ref()?)))
    }

    /// Refuses units that are none, and tables without a time or a power, with the quantity
    /// that it is about.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        for (quantity, column) in self.named() {
            if column.factor(quantity).is_none() {
                let names: Vec<&str> = quantity.units().iter().map(|(name, _)| *name).collect();
                let problem = format!("has no unit `{}`; use {}", column.unit, names.join(", "));
                return Err((quantity.name(), problem));
            }
        }
        let Self { time, power, voltage, current, volts } = self;
        if volts.is_some() && (power.is_some() || voltage.is_some()) {
            return Err(("volts", "goes with a current alone".into()));
        }
        match (time, power, voltage, current) {
            (Some(_), None, None, Some(_)) if volts.is_some() => Ok(()),
            (None, None, None, None) | (Some(_), Some(_), None, None) => Ok(()),
            (Some(_), None, Some(_), Some(_)) => Ok(()),
            (None, ..) => Err(("time", "is missing: name it as well as the others".into())),
            (_, Some(_), ..) => Err(("power", "goes without `voltage` and `current`".into())),
            _ => {
                let problem = "is missing: name it, or both `voltage` and `current`, or `current` \
                               and the supply's `volts`";
                Err(("power", problem.into()))
            }
        }
    }
}

impl Meter for ExternalMeter {
    fn name(&self) -> &'static str {
        "external"
    }

    fn measures(&self) -> &'static str {
        "mean power at the meter's wires, from a table on the host"
    }

    fn question(&self) -> &'static str {
        "true"
    }

    /// Reads the columns of the table from `answer`, its first lines.
    fn offer(&self, answer: &str) -> Result<MeterOffer, MeterError> {
        let not = |why: String| MeterError::NotOffered { meter: self.name(), why };
        let lines: Vec<&str> = answer.lines().collect();
        if lines.iter().all(|line| line.trim().is_empty()) {
            let why = "no table of a meter was given; `[board.log]` of a scenario names one";
            return Err(not(why.into()));
        }
        MeterColumns::find(&lines, &ColumnNames::default()).map_err(not)?;
        let rails = vec![ExternalMeter::RAIL.to_string()];
        let remarks = vec!["its clock is its own: its log is aligned with the board's".into()];
        Ok(MeterOffer { default_rails: rails.clone(), rails, remarks })
    }

    /// Reads the table, with or without the line before it that names the meter; `offset_s=N` in
    /// that line is added to its times, and `residual_s=N` is the uncertainty of that. A line
    /// `# fault: WHY` marks a table that can't be used.
    fn trace(&self, text: &str) -> Result<PowerTrace, MeterError> {
        let no_power = |problem: String| MeterError::NoPower { meter: self.name(), problem };
        if let Some(fault) = text.lines().find_map(|line| line.strip_prefix(FAULT_PREFIX)) {
            return Err(no_power(fault.into()));
        }
        let offset = header_field(text, "offset_s").and_then(|text| decimal_nanos(text, 1e9));
        let lines: Vec<&str> = text.lines().collect();
        let head = usize::from(lines.first().is_some_and(|line| line.starts_with(HEADER_START)));
        if lines[head..].iter().all(|line| line.trim().is_empty()) {
            return Err(no_power("the table is empty".into()));
        }
        let found = MeterColumns::find(&lines[head..], &ColumnNames::default());
        let LocatedColumns { mut columns, rows_from } = found.map_err(no_power)?;
        let rows = lines.iter().enumerate().skip(head + rows_from);
        let rows = rows.filter(|(_, line)| !line.trim().is_empty());
        columns.learn_decimal_marks(rows.clone().map(|(_, line)| *line)).map_err(no_power)?;
        let residual = header_field(text, "residual_s").and_then(|text| text.parse().ok());
        let mut trace = PowerTrace {
            rails: vec![ExternalMeter::RAIL.into()],
            kind: RowKind::Counted,
            clock_residual_s: residual,
            ..PowerTrace::default()
        };
        for (index, line) in rows {
            let kind = match columns.sample(line) {
                None => Some(FlawKind::Unreadable),
                Some((time_ns, watts)) => {
                    let time_s = (time_ns + offset.unwrap_or(0)) as f64 / 1e9;
                    add(&mut trace, time_s, watts)
                }
            };
            trace.flaws.extend(kind.map(|kind| Flaw { line: index + 1, kind }));
        }
        if trace.is_empty() {
            return Err(no_power("no line of the table has a time and a power".into()));
        }
        Ok(trace)
    }
}

/// Start of a line with the reason why a log can't be used.
pub const FAULT_PREFIX: &str = "# fault: ";

/// Adds a row to a trace, or returns why it is left out.
fn add(trace: &mut PowerTrace, time_s: f64, watts: f64) -> Option<FlawKind> {
    match trace.uptime_s.last() {
        Some(last) if time_s == *last => Some(FlawKind::RepeatedTime),
        Some(last) if time_s < *last => Some(FlawKind::Disorder),
        _ => {
            trace.uptime_s.push(time_s);
            trace.power_w.push(Some(watts));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_several_meters_are_read() {
        for (table, expected) in [
            ("time_s,power_w\n0.5,1.25\n1,2.5\n", [(0.5, 1.25), (1.0, 2.5)]),
            (
                "Time (ms);Voltage (V);Current (mA)\n500;5,0;250\n1000;5,0;500\n",
                [(0.5, 1.25), (1.0, 2.5)],
            ),
            (
                "# timestamp[us]\tpower[mW]\n500000\t1250\n1000000\t2500\n",
                [(0.5, 1.25), (1.0, 2.5)],
            ),
        ] {
            let trace = ExternalMeter.trace(table).unwrap();
            let found: Vec<(f64, f64)> = trace
                .uptime_s
                .iter()
                .zip(&trace.power_w)
                .map(|(time, power)| (*time, power.unwrap()))
                .collect();
            let close = |(a, b): (&(f64, f64), &(f64, f64))| {
                (a.0 - b.0).abs() < 1e-9 && (a.1 - b.1).abs() < 1e-9
            };
            assert!(
                found.len() == 2 && found.iter().zip(&expected).all(close),
                "{table}: {found:?}"
            );
        }
    }

    #[test]
    fn tables_without_a_power_are_refused_with_a_remedy() {
        let error = ExternalMeter.offer("time_s,temperature\n").unwrap_err().to_string();
        assert!(error.contains("power_w"), "{error}");
        let error = ExternalMeter.trace("time_s,power_hp\n1,2\n").unwrap_err().to_string();
        assert!(error.contains("name neither power"), "{error}");
        let trace = ExternalMeter.trace("time_s,power_w\n1,2\n1,3\nx,1\n3,4\n").unwrap();
        assert_eq!((trace.len(), trace.flaws.len()), (2, 2));
    }

    #[test]
    fn an_offset_moves_the_times() {
        let text = "# wattline-readings 1 meter=external offset_s=-10.5\ntime_s,power_w\n11,2\n";
        assert_eq!(ExternalMeter.trace(text).unwrap().uptime_s, [0.5]);
    }

    /// A float of 1.8e18 ns is only good to 256 ns.
    #[test]
    fn times_of_unix_are_exact() {
        let text = "# wattline-readings 1 meter=external offset_s=-1795336000.000000001 \
                    residual_s=0.02\ntime_s,power_w\n1795336104.000000004,2\n";
        let trace = ExternalMeter.trace(text).unwrap();
        assert_eq!((trace.uptime_s[0], trace.clock_residual_s), (104.000000003, Some(0.02)));
    }

    #[test]
    fn a_fault_is_the_reason() {
        let text = "# wattline-readings 1 meter=external\n# fault: the file was cut\n";
        let error = ExternalMeter.trace(text).unwrap_err().to_string();
        assert_eq!(error, "external: the file was cut");
    }
}
