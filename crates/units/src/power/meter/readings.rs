//! Parser of the log of readings that a sampler writes.

/// Start of the header line.
pub(super) const HEADER_START: &str = "# wattline-readings 1 ";

/// One reading: its uptime, and the lines that the meter printed.
pub(super) struct Reading<'t> {
    /// Line of its time, from 1.
    pub line: usize,
    pub uptime_s: f64,
    pub lines: Vec<&'t str>,
}

/// Splits a log into its readings. The last one is left out when the text has no line end: the
/// sampler was stopped while writing it. So is one whose time does not increase.
pub(super) fn split_readings(text: &str) -> Vec<Reading<'_>> {
    let mut readings: Vec<Reading<'_>> = Vec::new();
    for (index, line) in text.lines().map(str::trim_end).enumerate().skip(1) {
        if let Some(time) = line.strip_prefix("@ ") {
            let time = time.trim().parse::<f64>().ok().filter(|time| time.is_finite());
            let uptime_s = time.unwrap_or(f64::NAN);
            readings.push(Reading { line: index + 1, uptime_s, lines: Vec::new() });
        } else if let Some(reading) = readings.last_mut() {
            reading.lines.push(line);
        }
    }
    if !text.ends_with('\n') {
        readings.pop();
    }
    let mut last = f64::NEG_INFINITY;
    readings.retain(|reading| {
        let later = reading.uptime_s > last;
        if later {
            last = reading.uptime_s;
        }
        later
    });
    readings
}

/// Returns the value of `key=` in the header of a log of readings.
pub(super) fn header_field<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let fields = text.lines().next()?.strip_prefix(HEADER_START)?;
    fields.split_ascii_whitespace().find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
}

/// Returns the shell's error message about a file that can't be read, if an answer has one.
pub(super) fn shell_refusal(answer: &str) -> Option<&str> {
    let words = ["Permission denied", "No such file", "not found", "Can't find service"];
    answer.lines().find(|line| words.iter().any(|word| line.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn torn_and_disordered_readings_are_left_out() {
        let text = "# wattline-readings 1 meter=rapl\n@ 1.5\na\nb\n@ 1.5\nc\n@ x\n@ 2\nd\n@ 3\ne";
        let found: Vec<(f64, usize)> = split_readings(text)
            .iter()
            .map(|reading| (reading.uptime_s, reading.lines.len()))
            .collect();
        assert_eq!(found, [(1.5, 2), (2.0, 1)]);
    }
}
