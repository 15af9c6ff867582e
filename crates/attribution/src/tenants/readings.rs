//! A meter's log beside a log of switches: a table with times and accumulated energies, powers,
//! or voltages and currents, in the clock of the switches.

use wattline_units::dialect::{
    Quantity, TimeCell, UnitColumn, decimal_nanos, quantity_column, read_plain_csv, unix_nanos,
};
use wattline_units::shortened::shortened;

/// Error of reading a meter's log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadingsError {
    /// Columns are missing.
    #[error(
        "columns time_s and energy_j (accumulated), or time_s and power_w, in these or other \
         units; there are: {}",
        shortened(.0)
    )]
    Columns(String),
    /// Titles that leave a choice.
    #[error("{0}")]
    Titles(String),
    /// A date that gives no time.
    #[error(
        "line {line}: {why}; times are those of the switches' clock: seconds since boot, or dates \
         with a zone where perf recorded with `-k CLOCK_REALTIME`"
    )]
    Date {
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        why: String,
    },
    /// A field is no number of at least 0.
    #[error("line {line}: {:?} is not a number of at least 0", shortened(text))]
    Number {
        /// The line, from 1.
        line: u64,
        /// What it says.
        text: String,
    },
    /// The file is no CSV.
    #[error("{0}")]
    Csv(String),
}

/// Readings of a meter's log, and remarks on it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MeterReadings {
    /// (ns, accumulated microjoules), in order of time.
    pub samples: Vec<(u64, u64)>,
    /// What of the table's dialect and units a user is told.
    pub remarks: Vec<String>,
}

/// Parses a meter's log in any dialect of CSV.
///
/// # Errors
/// Missing columns, fields that are no numbers, numbers with two meanings.
pub fn parse_readings(log: &[u8]) -> Result<MeterReadings, ReadingsError> {
    let (text, dialect) =
        read_plain_csv(log).map_err(|error| ReadingsError::Csv(error.to_string()))?;
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let wrong = |error: csv::Error| ReadingsError::Csv(error.to_string());
    let header = reader.headers().map_err(wrong)?.clone();
    let columns = ReadingColumns::of(&header.iter().collect::<Vec<_>>())?;
    let mut samples: Vec<(u64, f64)> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(wrong)?;
        samples.push(columns.sample(&record)?);
    }
    samples.sort_by_key(|sample| sample.0);
    if columns.energy.is_none() {
        integrate_power(&mut samples);
    }
    let samples = samples.into_iter().map(|(ns, j)| (ns, (j * 1e6).round() as u64)).collect();
    let remarks = dialect.remark().into_iter().chain(columns.remark(&header)).collect();
    Ok(MeterReadings { samples, remarks })
}

/// Columns of a meter's log: time, and energy, power, or voltage and current.
struct ReadingColumns {
    time: UnitColumn,
    energy: Option<UnitColumn>,
    /// Power, or voltage and current.
    factors: Vec<UnitColumn>,
}

impl ReadingColumns {
    fn of(titles: &[&str]) -> Result<Self, ReadingsError> {
        let missing = || ReadingsError::Columns(titles.join(", "));
        let column = |quantity| {
            quantity_column(titles, quantity)
                .map_err(|error| ReadingsError::Titles(error.to_string()))
        };
        let time = column(Quantity::Time)?.ok_or_else(missing)?;
        let energy = column(Quantity::Energy)?;
        let factors = match (energy, column(Quantity::Power)?) {
            (Some(_), _) => Vec::new(),
            (None, Some(power)) => vec![power],
            (None, None) => {
                let both = column(Quantity::Voltage)?.zip(column(Quantity::Current)?);
                both.map(|(voltage, current)| vec![voltage, current]).ok_or_else(missing)?
            }
        };
        Ok(Self { time, energy, factors })
    }

    /// Returns a row's time in nanoseconds, and its joules or watts.
    fn sample(&self, record: &csv::StringRecord) -> Result<(u64, f64), ReadingsError> {
        let line = record.position().map_or(0, csv::Position::line);
        let cell = |column: UnitColumn| record.get(column.at).unwrap_or_default();
        let number = |column: UnitColumn| {
            let text = cell(column);
            let value = text.parse::<f64>().ok().filter(|v| v.is_finite() && *v >= 0.0);
            value
                .map(|value| value * column.factor)
                .ok_or_else(|| ReadingsError::Number { line, text: text.to_owned() })
        };
        let value = match self.energy {
            Some(energy) => number(energy)?,
            None => self.factors.iter().try_fold(1.0, |all, one| Ok(all * number(*one)?))?,
        };
        Ok((self.time(line, cell(self.time))?, value))
    }

    fn time(&self, line: u64, text: &str) -> Result<u64, ReadingsError> {
        if TimeCell::of(text) == TimeCell::DateTime {
            let at = unix_nanos(text, None);
            let at = at.map_err(|error| ReadingsError::Date { line, why: error.to_string() })?;
            return u64::try_from(at)
                .map_err(|_| ReadingsError::Number { line, text: text.to_owned() });
        }
        let at = decimal_nanos(text, self.time.factor).and_then(|at| u64::try_from(at).ok());
        at.ok_or_else(|| ReadingsError::Number { line, text: text.to_owned() })
    }

    /// Returns a remark on units other than seconds, joules and watts.
    fn remark(&self, header: &csv::StringRecord) -> Option<String> {
        let plain = |column: &UnitColumn, factor| column.factor == factor;
        let mut others: Vec<usize> =
            [(&self.time, 1e9)].iter().filter(|(c, f)| !plain(c, *f)).map(|(c, _)| c.at).collect();
        let values = self.energy.iter().chain(&self.factors);
        others.extend(values.filter(|column| !plain(column, 1.0)).map(|column| column.at));
        let titles = others.iter().filter_map(|at| header.get(*at));
        let titles: Vec<String> = titles.map(|title| format!("`{}`", shortened(title))).collect();
        (!titles.is_empty()).then(|| format!("units by the titles {}", titles.join(", ")))
    }
}

/// Replaces powers in watts by accumulated energy in joules, by the trapezoidal rule.
fn integrate_power(samples: &mut [(u64, f64)]) {
    let (mut sum_j, mut last) = (0.0, None::<(u64, f64)>);
    for sample in samples {
        let (at_ns, power_w) = *sample;
        if let Some((before_ns, before_w)) = last {
            sum_j += (before_w + power_w) / 2.0 * ((at_ns - before_ns) as f64 / 1e9);
        }
        last = Some((at_ns, power_w));
        sample.1 = sum_j;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn samples(text: &str) -> Vec<(u64, u64)> {
        parse_readings(text.as_bytes()).unwrap().samples
    }

    fn refusal(text: &str) -> String {
        parse_readings(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn energies_and_powers() {
        let energies = samples("time_s,energy_j\n2,3.5\n1,3\n");
        assert_eq!(energies, [(1_000_000_000, 3_000_000), (2_000_000_000, 3_500_000)]);
        let powers = samples("time_s,power_w\n0,2\n1,4\n3,4\n");
        assert_eq!(powers.iter().map(|r| r.1).collect::<Vec<_>>(), [0, 3_000_000, 11_000_000]);
        let powers = samples("Time (ms),Voltage (V),Current (mA)\n0,4,500\n1000,4,1000\n");
        assert_eq!(powers, [(0, 0), (1_000_000_000, 3_000_000)]);
    }

    #[test]
    fn dialects_and_units_are_read_and_told() {
        let text = "Zeit (ms);Energie (mWh)\n500;0,5\n1500;1,25\n";
        let readings = parse_readings(text.as_bytes()).unwrap();
        assert_eq!(readings.samples, [(500_000_000, 1_800_000), (1_500_000_000, 4_500_000)]);
        let told = readings.remarks.join("; ");
        assert!(told.contains("semicolons between cells, decimal commas in `Energie"), "{told}");
        assert!(told.ends_with("units by the titles `Zeit (ms)`, `Energie (mWh)`"), "{told}");
        let dated = samples("time,power_w\n2026-11-28T10:00:00Z,2\n2026-11-28T10:00:01Z,2\n");
        assert_eq!(dated[1], (1_795_860_001_000_000_000, 2_000_000));
    }

    #[test]
    fn input_at_fault_is_named() {
        assert!(refusal("t,w\n").contains("there are: t, w"));
        assert!(refusal("time_s,power_w\n1,-2\n").contains("line 2: \"-2\""));
        assert!(refusal("time_s,power_w\n-1,2\n").contains("line 2: \"-1\""));
        assert!(refusal("time,power_w\n2026-11-28 10:00:00,2\n").contains("has no time zone"));
        assert!(refusal("time_s,power_a_w,power_b_w\n1,2,3\n").contains("2 columns are of power"));
        assert!(refusal("time_s\tpower_w\n1\t1,234\n").contains("may be a decimal or thousands"));
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(time_s,(energy_j|power_w)\n)?[0-9a-z.,\n\"-]{0,60}") {
            let Ok(readings) = parse_readings(text.as_bytes()) else { return Ok(()) };
            prop_assert!(readings.samples.windows(2).all(|pair| pair[0].0 <= pair[1].0));
        }
    }
}
