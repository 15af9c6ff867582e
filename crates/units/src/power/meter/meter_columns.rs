//! Columns of times and powers in an external meter's table, and the conversion of its rows.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;

use super::external::ColumnNames;
use crate::dialect::{
    CellSeparator, ColumnDecimalMark, DecimalMarkEvidence, Quantity, TimeCell, UnitColumn,
    decimal_nanos, is_units_row, plain_cell, quantity_column, unix_nanos, with_units,
};

/// Most lines at the start among which titles are looked for.
const HEAD_LINES: usize = 50;

/// Separators in the order in which a line of titles is tried with them.
const SEPARATORS: [CellSeparator; 5] = [
    CellSeparator::Byte(b'\t'),
    CellSeparator::Byte(b';'),
    CellSeparator::Byte(b','),
    CellSeparator::Byte(b'|'),
    CellSeparator::Spaces,
];

/// Columns of times and power in an external meter's table.
#[derive(Debug, Clone)]
pub struct MeterColumns {
    separator: CellSeparator,
    time: UnitColumn,
    /// The day, where times of day stand beside it.
    date: Option<usize>,
    power: PowerColumns,
    /// Evidence from rows about the decimal marks of the columns in use.
    seen: Vec<DecimalMarkEvidence>,
    /// The decimal marks of the columns in use.
    marks: BTreeMap<usize, ColumnDecimalMark>,
    has_commas: bool,
    /// The decimal mark, where the user named it.
    decimal: Option<ColumnDecimalMark>,
    /// The zone of dates without one.
    zone: Option<TimeZone>,
}

/// Columns of a table, with the line of its first row.
#[derive(Debug, Clone)]
pub struct LocatedColumns {
    /// Columns of times and power.
    pub columns: MeterColumns,
    /// Index of the line of the first row.
    pub rows_from: usize,
}

#[derive(Debug, Clone, Copy)]
enum PowerColumns {
    Watts(UnitColumn),
    VoltsAmperes(UnitColumn, UnitColumn),
}

impl MeterColumns {
    /// Finds the titles among a table's first lines.
    ///
    /// # Errors
    /// No line has titles of a time and a power, or they leave a choice.
    pub fn find(lines: &[&str], names: &ColumnNames) -> Result<LocatedColumns, String> {
        let mut first = None;
        for (at, line) in lines.iter().enumerate().take(HEAD_LINES) {
            if line.trim().is_empty() {
                continue;
            }
            let units = lines.get(at + 1);
            match Self::of(line, units.copied(), names) {
                Ok((columns, lines)) => {
                    return Ok(LocatedColumns { columns, rows_from: at + lines });
                }
                Err(problem) => first = first.or(Some(problem)),
            }
        }
        Err(first.unwrap_or_else(|| "it is empty; start the meter's program".into()))
    }

    /// Reads a line of titles, with the line below it, which may have their units; returns the
    /// number of these lines, too.
    fn of(line: &str, below: Option<&str>, names: &ColumnNames) -> Result<(Self, usize), String> {
        let mut problem = None;
        for separator in SEPARATORS {
            let titles = titles_of(line, separator);
            if titles.len() < 2 {
                continue;
            }
            let units = below.map(|below| separator.cells(below, false)).unwrap_or_default();
            let has_units = is_units_row(&units, titles.len());
            let titles = if has_units { with_units(titles, &units) } else { titles };
            match Self::of_titles(separator, &titles, names) {
                Ok(columns) => return Ok((columns, 1 + usize::from(has_units))),
                Err(found) => problem = problem.or(Some(found)),
            }
        }
        Err(problem.unwrap_or_else(|| NO_TIME.into()))
    }

    fn of_titles(
        separator: CellSeparator,
        titles: &[String],
        names: &ColumnNames,
    ) -> Result<Self, String> {
        let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
        let (time, power) = match names.named().next() {
            Some(_) => columns_by_name(&titles, names)?,
            None => columns_by_title(&titles, names.volts)?,
        };
        let is_date = |title: &&str| {
            let title = title.to_lowercase();
            ["date", "datum", "day"].contains(&title.as_str())
        };
        let date = titles.iter().position(is_date).filter(|at| *at != time.at);
        Ok(Self {
            separator,
            time,
            date,
            power,
            seen: Vec::new(),
            marks: BTreeMap::new(),
            has_commas: separator == CellSeparator::Byte(b';'),
            decimal: None,
            zone: None,
        })
    }

    /// Sets the time zone of dates without one.
    #[must_use]
    pub fn with_zone(self, zone: Option<TimeZone>) -> Self {
        Self { zone, ..self }
    }

    /// Sets the decimal mark of all numbers.
    #[must_use]
    pub fn with_decimal(self, decimal: Option<ColumnDecimalMark>) -> Self {
        Self { decimal, ..self }
    }

    /// Infers the decimal marks of the columns in use from these rows and earlier ones.
    ///
    /// # Errors
    /// Numbers with two meanings, dates of no zone.
    pub fn learn_decimal_marks<'l>(
        &mut self,
        rows: impl Iterator<Item = &'l str>,
    ) -> Result<(), String> {
        let columns = self.columns();
        let mut marks = std::mem::take(&mut self.seen);
        marks.resize(columns.len(), DecimalMarkEvidence::default());
        for (row, line) in rows.zip(1..) {
            let cells = self.cells(row);
            for (marks, at) in marks.iter_mut().zip(&columns) {
                let cell = cells.get(*at).map_or("", String::as_str);
                // A torn row says nothing of the others.
                if TimeCell::of(cell) != TimeCell::Other || DecimalMarkEvidence::is_number(cell) {
                    marks.add(line, cell);
                }
            }
            if let Some(error) = self.zone_error(&cells) {
                return Err(error);
            }
        }
        let is_certain = |mark| marks.iter().any(|m| m.certain_mark() == Some(mark));
        let others = (is_certain(ColumnDecimalMark::Comma), is_certain(ColumnDecimalMark::Point));
        let has_semicolons = self.separator == CellSeparator::Byte(b';');
        for (at, marks) in columns.iter().zip(&marks) {
            let marks = match self.decimal {
                Some(decimal) => decimal,
                None => marks
                    .resolve_mark(&format!("number {}", at + 1), others, has_semicolons)
                    .map_err(|error| format!("{error}, or name the `decimal` mark"))?,
            };
            self.marks.insert(*at, marks);
        }
        self.has_commas = others.0 || (has_semicolons && !others.1);
        self.seen = marks;
        Ok(())
    }

    /// Returns an error for a date that needs a time zone where none is named.
    fn zone_error(&self, cells: &[String]) -> Option<String> {
        let text = self.time_text(cells)?;
        let is_date = TimeCell::of(&text) == TimeCell::DateTime;
        let error = is_date.then(|| unix_nanos(&text, self.zone.as_ref()).err()).flatten()?;
        Some(format!("{error}; `time_zone` in `[board.log]` is the zone of dates"))
    }

    fn columns(&self) -> Vec<usize> {
        match self.power {
            PowerColumns::Watts(watts) => vec![self.time.at, watts.at],
            PowerColumns::VoltsAmperes(volts, amperes) => {
                vec![self.time.at, volts.at, amperes.at]
            }
        }
    }

    fn cells(&self, line: &str) -> Vec<String> {
        self.separator.cells(line, false)
    }

    /// Returns the text of a row's time, from one cell, or from two for date and time.
    fn time_text(&self, cells: &[String]) -> Option<String> {
        let time = cells.get(self.time.at)?;
        match self.date.filter(|_| TimeCell::of(time) == TimeCell::Other) {
            Some(date) => Some(format!("{} {time}", cells.get(date)?)),
            None => Some(time.clone()),
        }
    }

    /// Reads the time in nanoseconds and the watts of a row; `None` of one that can't be read.
    pub fn sample(&self, line: &str) -> Option<(i128, f64)> {
        let cells = self.cells(line);
        let number = |column: UnitColumn| {
            let number = self.plain(column.at, cells.get(column.at)?)?.parse::<f64>().ok();
            number.filter(|number| number.is_finite()).map(|number| number * column.factor)
        };
        let watts = match self.power {
            PowerColumns::Watts(watts) => number(watts)?,
            PowerColumns::VoltsAmperes(volts, amperes) => number(volts)? * number(amperes)?,
        };
        Some((self.time_ns(&self.time_text(&cells)?)?, watts))
    }

    fn time_ns(&self, text: &str) -> Option<i128> {
        match TimeCell::of(text) {
            TimeCell::DateTime => unix_nanos(text, self.zone.as_ref()).ok(),
            _ => decimal_nanos(&self.plain(self.time.at, text)?, self.time.factor),
        }
    }

    /// Rewrites a number with a decimal point; `None` of an ambiguous one.
    fn plain(&self, at: usize, cell: &str) -> Option<String> {
        let marks = self.marks.get(&at).copied().unwrap_or_default();
        let marks =
            if marks == ColumnDecimalMark::Text { ColumnDecimalMark::Unseen } else { marks };
        let plain = plain_cell(cell, marks, self.has_commas).ok()?;
        Some(plain.unwrap_or_else(|| cell.to_owned()))
    }
}

const NO_TIME: &str = "no line names a time column (`time_s`, `Time (ms)`)";
const NO_VOLTS: &str = "the titles name a current alone: say the supply's volts (`volts = 3.7` in \
                        `[board.log]`)";
const NO_POWER: &str = "the titles name neither power nor voltage and current (`power_w`)";

fn titles_of(line: &str, separator: CellSeparator) -> Vec<String> {
    let line = line.trim_start_matches('\u{feff}').trim_start_matches('#');
    let line = if separator == CellSeparator::Spaces { line.trim() } else { line };
    separator.cells(line, false)
}

fn columns_by_name(
    titles: &[&str],
    names: &ColumnNames,
) -> Result<(UnitColumn, PowerColumns), String> {
    let mut found = BTreeMap::new();
    for (quantity, column) in names.named() {
        let at = titles.iter().position(|title| *title == column.title).ok_or_else(|| {
            format!("there is no column {:?}; there are {}", column.title, titles.join(", "))
        })?;
        let factor = column.factor(quantity).ok_or("has no such unit")?;
        found.insert(quantity.name(), UnitColumn { at, factor, has_unit: true });
    }
    let column = |quantity| found.get(quantity).copied();
    let power = QuantityColumns {
        power: column("power"),
        voltage: column("voltage"),
        current: column("current"),
        volts: names.volts,
    };
    Ok((column("time").ok_or(NO_TIME)?, power.power_columns()?))
}

fn columns_by_title(
    titles: &[&str],
    volts: Option<f64>,
) -> Result<(UnitColumn, PowerColumns), String> {
    let column = |quantity| quantity_column(titles, quantity).map_err(|error| error.to_string());
    let time = column(Quantity::Time)?;
    let power = column(Quantity::Power)?;
    let (voltage, current) = match power {
        Some(_) => (None, None),
        None => (column(Quantity::Voltage)?, column(Quantity::Current)?),
    };
    let power = QuantityColumns { power, voltage, current, volts };
    Ok((time.ok_or(NO_TIME)?, power.power_columns()?))
}

/// Columns of a table from which a power can be computed.
struct QuantityColumns {
    power: Option<UnitColumn>,
    voltage: Option<UnitColumn>,
    current: Option<UnitColumn>,
    /// Volts of the supply.
    volts: Option<f64>,
}

impl QuantityColumns {
    fn power_columns(&self) -> Result<PowerColumns, String> {
        match (self.power, self.voltage, self.current) {
            (Some(watts), ..) => Ok(PowerColumns::Watts(watts)),
            (None, Some(volts), Some(amperes)) => Ok(PowerColumns::VoltsAmperes(volts, amperes)),
            (None, None, Some(amperes)) => match self.volts {
                Some(volts) => {
                    let factor = amperes.factor * volts;
                    Ok(PowerColumns::Watts(UnitColumn { factor, ..amperes }))
                }
                None => Err(NO_VOLTS.into()),
            },
            _ => Err(NO_POWER.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::external::NamedColumn;
    use super::*;

    fn columns(text: &str) -> Result<LocatedColumns, String> {
        MeterColumns::find(&text.lines().collect::<Vec<_>>(), &ColumnNames::default())
    }

    /// What the rows of a table say.
    fn samples(text: &str, zone: Option<TimeZone>) -> Result<Vec<Option<(i128, f64)>>, String> {
        let lines: Vec<&str> = text.lines().collect();
        let LocatedColumns { columns, rows_from } = columns(text)?;
        let mut columns = columns.with_zone(zone);
        columns.learn_decimal_marks(lines[rows_from..].iter().copied())?;
        Ok(lines[rows_from..].iter().map(|line| columns.sample(line)).collect())
    }

    #[test]
    fn tables_of_loggers_are_read() {
        let expected = vec![Some((500_000_000, 1.25)), Some((1_000_000_000, 2.5))];
        for text in [
            "Tool 5\n\ntime_s,power_w\n0.5,1.25\n1,2.5\n",
            "time;power\ns;mW\n0,5;1.250,0\n1,0;2.500,0\n",
            "Time (ms)\tMain voltage (V)\tVoltage (V)\tCurrent (mA)\n500\t9\t5,0\t250\n1000\t9\t5,0\t500\n",
            "\"Time, since start (s)\",\"Power (W)\"\n\"0,5\",\"1,25\"\n\"1,0\",\"2,5\"\n",
            "# t p\n 0.5  1.25\n 1.0  2.5\n",
            "time_s;power_kW\n0,5;0,00125\n1;0,0025\n",
        ] {
            assert_eq!(samples(text, None).as_ref(), Ok(&expected), "{text}");
        }
    }

    #[test]
    fn dates_have_a_zone_or_are_refused() {
        let text = "Date;Time;Power (W)\n28.11.2026;10:00:00,5;1,5\n";
        let found = samples(text, Some(TimeZone::UTC)).unwrap();
        assert_eq!(found, [Some((1_795_860_000_500_000_000, 1.5))]);
        let error = samples(text, None).unwrap_err();
        assert!(error.ends_with("`time_zone` in `[board.log]` is the zone of dates"), "{error}");
        let text = "time,power_w\n2026-11-28T10:00:00.5Z,1.5\n";
        assert_eq!(samples(text, None).unwrap(), found);
    }

    #[test]
    fn numbers_with_two_meanings_are_refused() {
        let error = samples("time_s\tpower_w\n1\t1,234\n2\t2,345\n", None).unwrap_err();
        assert!(error.contains("column `number 2`: \"1,234\" may be"), "{error}");
        let text = "time_s\tpower_w\n1\t1,234\n";
        let LocatedColumns { columns: found, .. } = columns(text).unwrap();
        let mut found = found.with_decimal(Some(ColumnDecimalMark::Comma));
        found.learn_decimal_marks(std::iter::once("1\t1,234")).unwrap();
        assert_eq!(found.sample("1\t1,234"), Some((1_000_000_000, 1.234)));
        let found = samples("time_s;power_w\n1;1,234\n2;torn 1\n", None).unwrap();
        assert_eq!(found, [Some((1_000_000_000, 1.234)), None]);
        let error = columns("time_s,power_a_w,power_b_w\n1,2,3\n").unwrap_err();
        assert!(error.contains("2 columns are of power"), "{error}");
    }

    #[test]
    fn columns_can_be_named() {
        let column =
            |title: &str, unit: &str| Some(NamedColumn { title: title.into(), unit: unit.into() });
        let mut names = ColumnNames {
            time: column("When", "ms"),
            voltage: column("Main V", "V"),
            current: column("Main", "mA"),
            ..ColumnNames::default()
        };
        assert_eq!(names.check(), Ok(()));
        let find = |line: &str, names: &ColumnNames| MeterColumns::find(&[line], names);
        let found = find("When, \"Main\", Main V, Power (W)", &names).unwrap();
        assert_eq!(found.columns.sample("1500,500,4,99"), Some((1_500_000_000, 2.0)));
        let error = find("When,Power (W)", &names).unwrap_err();
        assert_eq!(error, "there is no column \"Main V\"; there are When, Power (W)");
        assert!(find("time_s,power_w", &ColumnNames::default()).is_ok());
        names.current = None;
        assert_eq!(names.check().unwrap_err().0, "power");
        names.time = None;
        assert_eq!(names.check().unwrap_err().0, "time");
        names.voltage = column("Main V", "kV");
        let (quantity, problem) = names.check().unwrap_err();
        assert_eq!(quantity, "voltage");
        assert!(problem.starts_with("has no unit `kV`; use V, "), "{problem}");
    }

    #[test]
    fn a_current_alone_needs_the_supplys_volts() {
        let error = columns("time_s,current_mA\n").unwrap_err();
        assert!(error.contains("volts = 3.7"), "{error}");
        let column =
            |title: &str, unit: &str| Some(NamedColumn { title: title.into(), unit: unit.into() });
        let mut names = ColumnNames { volts: Some(3.7), ..ColumnNames::default() };
        let sample = |names: &ColumnNames, row: &str| {
            let found = MeterColumns::find(&["Time (s);Main (A);Current (mA)"], names);
            found.unwrap().columns.sample(row)
        };
        assert_eq!(sample(&names, "1.5;9;1000"), Some((1_500_000_000, 3.7)));
        (names.time, names.current) = (column("Time (s)", "s"), column("Main (A)", "A"));
        assert_eq!(names.check(), Ok(()));
        assert_eq!(sample(&names, "1;2;9"), Some((1_000_000_000, 7.4)));
        names.voltage = column("V", "V");
        assert_eq!(names.check().unwrap_err().0, "volts");
    }
}
