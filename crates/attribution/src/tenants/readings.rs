//! A meter's log beside a log of switches: CSV with `time_s` and `energy_j` (accumulated)
//! or `power_w`, in the clock of the switches.

use wattline_units::shortened::shortened;

/// Why a meter's log can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadingsError {
    /// Columns are missing.
    #[error(
        "line 1: columns time_s and energy_j (accumulated), or time_s and power_w; there are: {}",
        shortened(.0)
    )]
    Columns(String),
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

/// Readings as (ns, accumulated microjoules), in order of time.
///
/// # Errors
/// Missing columns, fields that are no numbers.
pub fn parse_readings(text: &str) -> Result<Vec<(u64, u64)>, ReadingsError> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let wrong = |error: csv::Error| ReadingsError::Csv(error.to_string());
    let header = reader.headers().map_err(wrong)?.clone();
    let column = |name: &str| header.iter().position(|column| column == name);
    let (time, energy, power) = (column("time_s"), column("energy_j"), column("power_w"));
    let (Some(time), Some(value)) = (time, energy.or(power)) else {
        return Err(ReadingsError::Columns(header.iter().collect::<Vec<_>>().join(", ")));
    };
    let mut samples: Vec<(f64, f64)> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(wrong)?;
        let line = record.position().map_or(0, csv::Position::line);
        let number = |index: usize| {
            let text = record.get(index).unwrap_or_default();
            let value = text.parse::<f64>().ok().filter(|v| v.is_finite() && *v >= 0.0);
            value.ok_or_else(|| ReadingsError::Number { line, text: text.to_owned() })
        };
        samples.push((number(time)?, number(value)?));
    }
    samples.sort_by(|a, b| a.0.total_cmp(&b.0));
    if energy.is_none() {
        accumulate(&mut samples);
    }
    Ok(samples
        .into_iter()
        .map(|(s, j)| ((s * 1e9).round() as u64, (j * 1e6).round() as u64))
        .collect())
}

/// Power becomes energy, by trapezoids.
fn accumulate(samples: &mut [(f64, f64)]) {
    let (mut sum_j, mut last) = (0.0, None::<(f64, f64)>);
    for sample in samples {
        let (at_s, power_w) = *sample;
        if let Some((before_s, before_w)) = last {
            sum_j += (before_w + power_w) / 2.0 * (at_s - before_s);
        }
        last = Some((at_s, power_w));
        sample.1 = sum_j;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn energies_and_powers() {
        let energies = parse_readings("time_s,energy_j\n2,3.5\n1,3\n").unwrap();
        assert_eq!(energies, [(1_000_000_000, 3_000_000), (2_000_000_000, 3_500_000)]);
        let powers = parse_readings("time_s,power_w\n0,2\n1,4\n3,4\n").unwrap();
        assert_eq!(powers.iter().map(|r| r.1).collect::<Vec<_>>(), [0, 3_000_000, 11_000_000]);
    }

    #[test]
    fn input_at_fault_is_named() {
        let says = |text: &str| parse_readings(text).unwrap_err().to_string();
        assert!(says("t,w\n").contains("there are: t, w"));
        assert!(says("time_s,power_w\n1,-2\n").contains("line 2: \"-2\""));
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(time_s,(energy_j|power_w)\n)?[0-9a-z.,\n\"-]{0,60}") {
            let Ok(readings) = parse_readings(&text) else { return Ok(()) };
            prop_assert!(readings.windows(2).all(|pair| pair[0].0 <= pair[1].0));
        }
    }
}
