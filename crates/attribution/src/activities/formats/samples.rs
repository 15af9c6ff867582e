//! The samples of a board's rails -> readings of a meter. A sensor that shows the mean of
//! its last refresh period is read more often than it refreshes: each value is counted once,
//! for the period that ends when the value appears.

use super::super::log::{LoggedReading, seconds_to_nanoseconds};
use wattline_units::power::{PowerTrace, PowerTraceError};

/// Returns readings of the energy (J) of the sum of some rails, or of all rails if none are named;
/// negative and missing values are left out.
///
/// # Errors
/// A rail that is not there.
pub fn readings_of_rails(
    trace: &PowerTrace,
    rails: &[String],
) -> Result<Vec<LoggedReading>, PowerTraceError> {
    let rails = if rails.is_empty() { &trace.rails } else { rails };
    let series = trace.series(rails)?;
    let period_s = trace.update_period_us.unwrap_or(0) as f64 * 1e-6;
    let (mut readings, mut energy_j) = (Vec::<LoggedReading>::new(), 0.0);
    let mut shown: Option<(f64, f64)> = None;
    for (at_s, power_w) in series.time_s.iter().zip(&series.power_w) {
        let Some((since_s, old_w)) = shown else {
            shown = Some((*at_s, *power_w));
            readings.push(LoggedReading {
                at_ns: seconds_to_nanoseconds(*at_s),
                energy_j,
                after_gap: false,
            });
            continue;
        };
        if period_s > 0.0 && *power_w == old_w {
            continue;
        }
        // Where a value stood for several periods, all but the last had that value.
        let time_s = at_s - since_s;
        let repeats = if period_s > 0.0 { (time_s / period_s).round().max(1.0) - 1.0 } else { 0.0 };
        let old_s = (repeats * period_s).min(time_s);
        energy_j += old_w * old_s + power_w * (time_s - old_s);
        readings.push(LoggedReading {
            at_ns: seconds_to_nanoseconds(*at_s),
            energy_j,
            after_gap: false,
        });
        shown = Some((*at_s, *power_w));
    }
    Ok(readings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wattline_units::power::parse_trace;

    #[test]
    fn a_value_counts_for_the_period_before_it() {
        let text = "# wattline-samples 1 rails=a,b unit=W period_us=100000 update_period_us=200000\n\
                    1.0 1 0\n1.1 1 0\n1.2 2 0\n1.3 2 0\n1.4 2 0\n1.5 2 0\n1.6 4 1\n";
        let trace = parse_trace(text).unwrap();
        let found = readings_of_rails(&trace, &[]).unwrap();
        let found: Vec<_> = found.iter().map(|r| (r.at_ns / 1_000_000, r.energy_j)).collect();
        assert_eq!(found.len(), 3);
        assert!((found[1].1 - 0.4).abs() < 1e-9 && found[1].0 == 1200, "{found:?}");
        assert!((found[2].1 - (0.4 + 0.4 + 1.0)).abs() < 1e-9, "{found:?}");
        assert!(readings_of_rails(&trace, &["c".into()]).is_err());
    }
}
