//! Parser of a sampler's text to a trace: uptimes and the power of each rail. Lines that can't
//! be used are left out and recorded as flaws, never bridged in silence.

use thiserror::Error;

use crate::shortened::shortened;

use super::integrate::{MeterTiming, Series};

/// Meaning of a row's power in a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RowKind {
    /// The power that the meter showed at the sample's time.
    #[default]
    Shown,
    /// The mean power since the row before, from a counter: without delay, and few readings are as
    /// good as many.
    Counted,
}

/// Sampled power of each rail over time. `uptime_s` is strictly increasing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PowerTrace {
    /// Rails in the order of the columns.
    pub rails: Vec<String>,
    /// The sampler's period in microseconds, where the header has it.
    pub period_us: Option<u64>,
    /// How often the meter refreshes its values, in microseconds, where known.
    pub update_period_us: Option<u64>,
    /// Time of each sample in seconds since the board started (`/proc/uptime`).
    pub uptime_s: Vec<f64>,
    /// Watts, row-major, samples x rails; none where the sensor could not be read.
    pub power_w: Vec<Option<f64>>,
    /// Lines that were left out, in the order of the text.
    pub flaws: Vec<Flaw>,
    /// Meaning of a row's power.
    pub kind: RowKind,
    /// Uncertainty of the offset between the samples' clock and the board's, in seconds; none where
    /// the samples have the board's clock.
    pub clock_residual_s: Option<f64>,
    /// For each sample whether the meter had a new value; none where changed values show it.
    pub new: Option<Vec<bool>>,
}

/// Line of a sampler's text that was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// Line, from 1.
    pub line: usize,
    /// Reason.
    pub kind: FlawKind,
}

/// Reason why a line was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FlawKind {
    /// Not a time and one number per column, or a number that is not finite.
    Unreadable,
    /// A time equal to that of the sample before.
    RepeatedTime,
    /// A time earlier than that of the sample before.
    Disorder,
    /// The last line has no line end: the sampler was stopped while writing it.
    TornEnd,
}

/// Reasons why a sampler's text can't be used.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
pub enum PowerTraceError {
    /// The first line is not the sampler's header.
    #[error("samples, line 1: no `# wattline-samples 1 rails=... unit=...` header")]
    NoHeader,
    /// A header field that is missing or can't be read.
    #[error("samples, line 1: `{}` is missing or unreadable", shortened(field))]
    BadHeader {
        /// The field's name.
        field: &'static str,
    },
    /// A rail that the trace does not have.
    #[error("samples have no rail `{}`; they have: {}", shortened(rail), shortened(known))]
    NoRail {
        /// The rail asked for.
        rail: String,
        /// The rails of the trace.
        known: String,
    },
}

/// Unit of the columns of a sampler's text.
#[derive(Clone, Copy, PartialEq)]
enum ColumnUnit {
    /// One column per rail: watts.
    Watts,
    /// Two columns per rail: volts and amperes; the power is their product.
    VoltsAmperes,
}

/// Reads `# wattline-samples 1 rails=arm,mem unit=W period_us=N update_period_us=N` and
/// the samples after it: `UPTIME_S W W`, or with `unit=V*A` `UPTIME_S V A V A`.
pub fn parse_trace(text: &str) -> Result<PowerTrace, PowerTraceError> {
    let header = text.lines().next().unwrap_or("");
    let (mut trace, unit) = parse_header(header.trim_end())?;
    let whole = text.ends_with('\n');
    let last = text.lines().count();
    for (index, line) in text.lines().enumerate().skip(1) {
        let line_number = index + 1;
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let kind = if line_number == last && !whole {
            Some(FlawKind::TornEnd)
        } else {
            take_sample(&mut trace, unit, line).err()
        };
        trace.flaws.extend(kind.map(|kind| Flaw { line: line_number, kind }));
    }
    Ok(trace)
}

fn parse_header(line: &str) -> Result<(PowerTrace, ColumnUnit), PowerTraceError> {
    let fields = line.strip_prefix("# wattline-samples 1").ok_or(PowerTraceError::NoHeader)?;
    let field = |name: &str| {
        fields.split_ascii_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
    };
    let rails = field("rails").filter(|rails| !rails.is_empty());
    let rails = rails.ok_or(PowerTraceError::BadHeader { field: "rails" })?;
    let unit = match field("unit") {
        Some("W") => ColumnUnit::Watts,
        Some("V*A") => ColumnUnit::VoltsAmperes,
        _ => return Err(PowerTraceError::BadHeader { field: "unit" }),
    };
    let number = |name: &'static str| match field(name) {
        None | Some("unknown") => Ok(None),
        Some(text) => {
            text.parse().map(Some).map_err(|_| PowerTraceError::BadHeader { field: name })
        }
    };
    let trace = PowerTrace {
        rails: rails.split(',').map(str::to_string).collect(),
        period_us: number("period_us")?,
        update_period_us: number("update_period_us")?,
        ..PowerTrace::default()
    };
    Ok((trace, unit))
}

fn take_sample(trace: &mut PowerTrace, unit: ColumnUnit, line: &str) -> Result<(), FlawKind> {
    let columns = trace.rails.len() * if unit == ColumnUnit::Watts { 1 } else { 2 };
    let mut numbers = Vec::with_capacity(1 + columns);
    for word in line.split_ascii_whitespace() {
        let number = if word == "-" { None } else { Some(parse_plain(word)?) };
        numbers.push(number);
    }
    let (Some(Some(time)), true) = (numbers.first(), numbers.len() == 1 + columns) else {
        return Err(FlawKind::Unreadable);
    };
    match trace.uptime_s.last() {
        Some(before) if time == before => return Err(FlawKind::RepeatedTime),
        Some(before) if time < before => return Err(FlawKind::Disorder),
        _ => trace.uptime_s.push(*time),
    }
    let product = |va: &[Option<f64>]| Some(va[0]? * va[1]?);
    match unit {
        ColumnUnit::Watts => trace.power_w.extend(&numbers[1..]),
        ColumnUnit::VoltsAmperes => trace.power_w.extend(numbers[1..].chunks(2).map(product)),
    }
    Ok(())
}

/// A decimal number; Rust's `parse` would also take `nan`, `inf` and `1e400`.
fn parse_plain(word: &str) -> Result<f64, FlawKind> {
    let number = word.parse::<f64>().ok().filter(|number| number.is_finite());
    number.ok_or(FlawKind::Unreadable)
}

impl PowerTrace {
    /// Number of samples.
    pub fn len(&self) -> usize {
        self.uptime_s.len()
    }

    /// Whether the trace has no sample.
    pub fn is_empty(&self) -> bool {
        self.uptime_s.is_empty()
    }

    /// Returns the summed power of some rails over time. Samples in which one of them could not be
    /// read are left out; the gap that they leave is for the caller to judge.
    pub fn series(&self, rails: &[String]) -> Result<Series, PowerTraceError> {
        let mut columns = Vec::new();
        for rail in rails {
            let column = self.rails.iter().position(|name| name == rail);
            let known = || self.rails.join(", ");
            columns.push(
                column.ok_or_else(|| PowerTraceError::NoRail {
                    rail: rail.clone(),
                    known: known(),
                })?,
            );
        }
        let sum = |row: &[Option<f64>]| columns.iter().map(|column| row[*column]).sum();
        let mut series = Series::default();
        for (time_s, row) in self.uptime_s.iter().zip(self.power_w.chunks(self.rails.len().max(1)))
        {
            let power_w: Option<f64> = sum(row);
            if let Some(power_w) = power_w {
                series.time_s.push(*time_s);
                series.power_w.push(power_w);
            }
        }
        Ok(series)
    }

    /// Returns the meter's refresh period (0 where the trace is of counters, which have no delay)
    /// and the mean time between two samples.
    pub fn timing(&self) -> MeterTiming {
        let update_period_us = match self.kind {
            RowKind::Shown => self.update_period_us.unwrap_or(0),
            RowKind::Counted => 0,
        };
        MeterTiming {
            update_period_s: update_period_us as f64 * 1e-6,
            sample_period_s: self.sample_period_s(),
        }
    }

    /// Returns the periods over which a short piece of work is smeared: those of [`Self::timing`],
    /// and with counters the time between two readings, over which their difference is spread.
    pub fn smear_timing(&self) -> MeterTiming {
        match self.kind {
            RowKind::Shown => self.timing(),
            RowKind::Counted => {
                let sample_period_s = self.sample_period_s();
                let refresh_s = self.update_period_us.unwrap_or(0) as f64 * 1e-6;
                let period_s = sample_period_s.max(refresh_s);
                MeterTiming { update_period_s: period_s, sample_period_s: period_s }
            }
        }
    }

    fn sample_period_s(&self) -> f64 {
        let span = match (self.uptime_s.first(), self.uptime_s.last()) {
            (Some(first), Some(last)) => last - first,
            _ => 0.0,
        };
        span / self.len().saturating_sub(1).max(1) as f64
    }

    /// Whether the meter had a new value at the sample with this index.
    pub fn is_new(&self, index: usize) -> bool {
        let row = |index: usize| self.power_w.chunks(self.rails.len().max(1)).nth(index);
        match &self.new {
            Some(new) => new.get(index).copied().unwrap_or(false),
            None => index == 0 || row(index) != row(index - 1),
        }
    }

    /// Counts the samples of a value that the meter had not refreshed.
    pub fn repeated_readings(&self) -> usize {
        (1..self.len()).filter(|index| !self.is_new(*index)).count()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HEAD: &str =
        "# wattline-samples 1 rails=arm,mem unit=W period_us=33333 update_period_us=263808\n";

    fn parse(lines: &str) -> PowerTrace {
        parse_trace(&format!("{HEAD}{lines}")).unwrap()
    }

    #[test]
    fn samples_are_read_by_rail() {
        let trace = parse("10.00 1.5 0.25\n10.03 1.5 0.25\n10.07 2.5 0.5\n");
        assert_eq!(trace.uptime_s, [10.0, 10.03, 10.07]);
        assert_eq!(trace.update_period_us, Some(263_808));
        assert_eq!(trace.repeated_readings(), 1);
        let timing = trace.timing();
        assert!((timing.sample_period_s - 0.035).abs() < 1e-9);
        assert_eq!(timing.update_period_s, 0.263808);
        let series = trace.series(&["mem".into(), "arm".into()]).unwrap();
        assert_eq!(series.power_w, [1.75, 1.75, 3.0]);
        let error = trace.series(&["gpu".into()]).unwrap_err();
        assert_eq!(error.to_string(), "samples have no rail `gpu`; they have: arm, mem");
    }

    #[test]
    fn bad_lines_are_left_out_and_marked() {
        let trace = parse("1 1 1\n1 2 2\n0.5 3 3\nx 1 1\n2 1\n2 nan 1\n3 4 4\n3.5 1 1");
        assert_eq!(trace.uptime_s, [1.0, 3.0]);
        let kinds: Vec<_> = trace.flaws.iter().map(|flaw| (flaw.line, flaw.kind)).collect();
        let expected = [
            (3, FlawKind::RepeatedTime),
            (4, FlawKind::Disorder),
            (5, FlawKind::Unreadable),
            (6, FlawKind::Unreadable),
            (7, FlawKind::Unreadable),
            (9, FlawKind::TornEnd),
        ];
        assert_eq!(kinds, expected);
    }

    #[test]
    fn volts_and_amperes_are_multiplied() {
        let text = "# wattline-samples 1 rails=arm unit=V*A\n1 2 3\r\n2 0.5 4\r\n";
        let trace = parse_trace(text).unwrap();
        assert_eq!(trace.power_w, [Some(6.0), Some(2.0)]);
        assert_eq!(trace.update_period_us, None);
    }

    #[test]
    fn a_rail_that_could_not_be_read_is_missed_only_where_it_is_needed() {
        let trace = parse("1 1 1\n2 - 2\n3 3 3\n- 1 1\n");
        assert_eq!(trace.uptime_s, [1.0, 2.0, 3.0]);
        assert_eq!(trace.series(&["mem".into()]).unwrap().time_s, [1.0, 2.0, 3.0]);
        assert_eq!(trace.series(&["arm".into()]).unwrap().time_s, [1.0, 3.0]);
        let unknown = "# wattline-samples 1 rails=a unit=W update_period_us=unknown\n";
        assert_eq!(parse_trace(unknown).unwrap().update_period_us, None);
    }

    proptest! {
        #[test]
        fn no_text_panics_and_times_increase(lines in "[0-9. \\-enai#\n]{0,200}") {
            let trace = parse(&lines);
            prop_assert!(trace.uptime_s.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert!(trace.series(&["arm".into()]).unwrap().time_s.len() <= trace.len());
        }
    }

    #[test]
    fn headers_are_needed() {
        assert_eq!(parse_trace("1 2 3\n"), Err(PowerTraceError::NoHeader));
        assert_eq!(parse_trace(""), Err(PowerTraceError::NoHeader));
        let field = |text: &str| match parse_trace(text) {
            Err(PowerTraceError::BadHeader { field }) => field,
            other => panic!("{other:?}"),
        };
        assert_eq!(field("# wattline-samples 1 unit=W\n"), "rails");
        assert_eq!(field("# wattline-samples 1 rails=a unit=mW\n"), "unit");
        assert_eq!(field("# wattline-samples 1 rails=a unit=W period_us=x\n"), "period_us");
    }
}
