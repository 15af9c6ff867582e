//! An external meter's log: a table with a time and watts, or volts and amperes. Its clock
//! is its own; `align.rs` ties it to the board's.

use super::super::trace::{Flaw, FlawKind, Trace};
use super::{Meter, MeterError, Offer, header_field};

/// A text table: columns by tabs, semicolons or commas, names in the first line.
#[derive(Debug)]
pub struct External;

/// Which columns hold what.
struct Columns {
    separator: char,
    time: usize,
    time_scale: f64,
    power: Power,
}

#[derive(Clone, Copy)]
enum Power {
    Watts(usize, f64),
    VoltsAmperes(usize, f64, usize, f64),
}

/// `Power (mW)`, `current_mA`, `time[s]`: the quantity's name and its unit's factor.
fn column(header: &[&str], names: &[&str], units: &[(&str, f64)]) -> Option<(usize, f64)> {
    let words = |text: &str| -> Vec<String> {
        let parts = text.split(|c: char| !c.is_alphanumeric() && c != 'µ' && c != 'μ');
        parts.filter(|part| !part.is_empty()).map(str::to_string).collect()
    };
    header.iter().enumerate().find_map(|(at, title)| {
        let words = words(title);
        let first = words.first()?.to_lowercase();
        let unit = words.get(1..)?.last();
        let factor = match unit {
            None => 1.0,
            Some(unit) => units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?.1,
        };
        names.contains(&first.as_str()).then_some((at, factor))
    })
}

const TIMES: [(&str, f64); 6] =
    [("s", 1.0), ("sec", 1.0), ("ms", 1e-3), ("us", 1e-6), ("µs", 1e-6), ("ns", 1e-9)];
const WATTS: [(&str, f64); 3] = [("W", 1.0), ("mW", 1e-3), ("uW", 1e-6)];
const VOLTS: [(&str, f64); 3] = [("V", 1.0), ("mV", 1e-3), ("uV", 1e-6)];
const AMPERES: [(&str, f64); 4] = [("A", 1.0), ("mA", 1e-3), ("uA", 1e-6), ("µA", 1e-6)];

fn columns(line: &str) -> Result<Columns, String> {
    let separator = ['\t', ';', ','].into_iter().find(|c| line.contains(*c)).unwrap_or(' ');
    let titles: Vec<&str> = line.trim_start_matches('#').split(separator).map(str::trim).collect();
    let (time, time_scale) = column(&titles, &["time", "timestamp", "t", "seconds"], &TIMES)
        .ok_or("the first line names no time column (`time_s`, `Time (ms)`)")?;
    let watts = column(&titles, &["power", "p", "watts"], &WATTS);
    let volts = column(&titles, &["voltage", "volts", "v", "u"], &VOLTS);
    let amperes = column(&titles, &["current", "amperes", "i", "a"], &AMPERES);
    let power = match (watts, volts, amperes) {
        (Some((at, scale)), ..) => Power::Watts(at, scale),
        (None, Some((v, vs)), Some((a, scale))) => Power::VoltsAmperes(v, vs, a, scale),
        _ => {
            let problem = "the first line names neither power nor voltage and current (`power_w`)";
            return Err(problem.into());
        }
    };
    Ok(Columns { separator, time, time_scale, power })
}

impl Columns {
    fn sample(&self, line: &str) -> Option<(f64, f64)> {
        let cells: Vec<&str> = line.split(self.separator).map(str::trim).collect();
        // A semicolon between cells goes with a comma in numbers.
        let number = |at: usize| {
            let text = cells.get(at)?;
            let text =
                if self.separator == ';' { text.replace(',', ".") } else { text.to_string() };
            text.parse::<f64>().ok().filter(|number| number.is_finite())
        };
        let watts = match self.power {
            Power::Watts(at, scale) => number(at)? * scale,
            Power::VoltsAmperes(v, vs, a, scale) => number(v)? * vs * number(a)? * scale,
        };
        Some((number(self.time)? * self.time_scale, watts))
    }
}

impl Meter for External {
    fn name(&self) -> &'static str {
        "external"
    }

    fn measures(&self) -> &'static str {
        "whatever the meter's wires are on; its table is given by hand"
    }

    fn question(&self) -> &'static str {
        "true"
    }

    /// `answer` is the table's first lines.
    fn offer(&self, answer: &str) -> Result<Offer, MeterError> {
        let not = |why: String| MeterError::NotOffered { meter: self.name(), why };
        let first = answer.lines().find(|line| !line.trim().is_empty());
        let first = first.ok_or_else(|| not("no table of a meter was given".into()))?;
        columns(first).map_err(not)?;
        let rails = vec!["external".to_string()];
        let remarks = vec!["its clock is its own: its log is aligned with the board's".into()];
        Ok(Offer { default_rails: rails.clone(), rails, remarks })
    }

    /// The table, with or without the line that names the meter before it; `offset_s=N` in
    /// that line is added to its times.
    fn trace(&self, text: &str) -> Result<Trace, MeterError> {
        let no_power = |problem: String| MeterError::NoPower { meter: self.name(), problem };
        let offset_s: f64 =
            header_field(text, "offset_s").and_then(|text| text.parse().ok()).unwrap_or(0.0);
        let mut lines = text.lines().enumerate();
        let mut table = lines
            .by_ref()
            .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with(super::HEAD));
        let (_, first) = table.next().ok_or_else(|| no_power("the table is empty".into()))?;
        let columns = columns(first).map_err(no_power)?;
        let mut trace = Trace { rails: vec!["external".into()], ..Trace::default() };
        for (index, line) in table {
            let kind = match columns.sample(line) {
                None => Some(FlawKind::Unreadable),
                Some((time_s, watts)) => {
                    let time_s = time_s + offset_s;
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
            };
            trace.flaws.extend(kind.map(|kind| Flaw { line: index + 1, kind }));
        }
        if trace.is_empty() {
            return Err(no_power("no line of the table has a time and a power".into()));
        }
        Ok(trace)
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
            let trace = External.trace(table).unwrap();
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
        let error = External.offer("time_s,temperature\n").unwrap_err().to_string();
        assert!(error.contains("power_w"), "{error}");
        let error = External.trace("time_s,power_kW\n1,2\n").unwrap_err().to_string();
        assert!(error.contains("names neither power"), "{error}");
        let trace = External.trace("time_s,power_w\n1,2\n1,3\nx,1\n3,4\n").unwrap();
        assert_eq!((trace.len(), trace.flaws.len()), (2, 2));
    }

    #[test]
    fn an_offset_moves_the_times() {
        let text = "# wattline-readings 1 meter=external offset_s=-10.5\ntime_s,power_w\n11,2\n";
        assert_eq!(External.trace(text).unwrap().uptime_s, [0.5]);
    }
}
