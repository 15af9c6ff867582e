//! The meter of a Perfetto trace: the sum of its rails, or of its batteries where it has no
//! rail. Rails are read at moments of their own (each chip tells when it was sampled), so
//! each is taken to spend evenly between two readings.

use std::collections::BTreeMap;

use super::super::log::{LoggedReading, MOMENT_LIMIT_NS};
use super::super::remark::{Remark, RemarkKind};
use crate::battery::BatteryMeter;
use crate::perfetto::{RailCatalogue, RailKey, RailMeter, TraceEvent, TraceEventKind};

/// Meter of a trace, as far as it was read: its rails and batteries.
#[derive(Debug, Default)]
pub(super) struct TraceMeter {
    rails: RailCatalogue,
    energies: BTreeMap<RailKey, MeterSeries>,
    batteries: BTreeMap<String, (BatteryMeter, MeterSeries)>,
}

/// Readings of one counter in the order of time: nanoseconds and joules.
#[derive(Debug, Default)]
struct MeterSeries {
    readings: Vec<(i64, f64)>,
    /// Moments before which nothing is known.
    gaps: Vec<i64>,
}

impl TraceMeter {
    /// Takes an event; events must come in the order of their times.
    pub fn take(&mut self, event: &TraceEvent) {
        let at_ns = event
            .at_ns
            .map_or(0, |at| i64::try_from(at).unwrap_or(MOMENT_LIMIT_NS).min(MOMENT_LIMIT_NS));
        self.rails.take(event);
        match &event.what {
            TraceEventKind::RailEnergy { rail, energy_uj } => {
                let series = self.energies.entry(*rail).or_default();
                series.readings.push((at_ns, *energy_uj as f64 * 1e-6));
            }
            TraceEventKind::Battery { name, charge_uah, energy_uwh, current_ua, voltage_uv } => {
                let (meter, series) = self.batteries.entry(name.clone()).or_default();
                let (now_ns, charged) = (event.at_ns.unwrap_or(0), meter.charging);
                let given =
                    meter.add_sample(now_ns, *energy_uwh, *charge_uah, *current_ua, *voltage_uv);
                series.gaps.extend((meter.charging > charged).then_some(at_ns));
                series.readings.extend(given.map(|uj| (at_ns, uj as f64 * 1e-6)));
            }
            _ => {}
        }
    }

    /// Returns the readings of the sum of the wanted rails, or of all if none are named, and
    /// remarks.
    ///
    /// # Errors
    /// A wanted rail is not there.
    pub fn readings(self, wanted: &[String]) -> Result<(Vec<LoggedReading>, Vec<Remark>), String> {
        let (rails, told) = self.rails.meters();
        let mut remarks: Vec<Remark> =
            told.into_iter().map(|what| Remark::new(RemarkKind::Note, what)).collect();
        check_wanted_rails(&rails, wanted)?;
        let is_wanted = |rail: &&RailMeter| wanted.is_empty() || wanted.contains(&rail.name);
        let mut energies = self.energies;
        let mut series: Vec<MeterSeries> = Vec::new();
        for rail in rails.iter().filter(is_wanted) {
            let mut whole = MeterSeries::default();
            for key in &rail.keys {
                whole.readings.extend(energies.remove(key).unwrap_or_default().readings);
            }
            if whole.readings.is_empty() {
                let message = format!("rail {} has no readings; it is in no sum", rail.name);
                remarks.push(Remark::new(RemarkKind::Note, message));
            } else {
                series.push(whole);
            }
        }
        if rails.is_empty() && !self.batteries.is_empty() {
            series = self.batteries.into_values().map(|(_, series)| series).collect();
            let message = "no power rails: the battery's counters are the meter, which is the \
                           whole device";
            remarks.push(Remark::new(RemarkKind::Note, message));
        }
        Ok((sum_series(&series), remarks))
    }
}

fn check_wanted_rails(rails: &[RailMeter], wanted: &[String]) -> Result<(), String> {
    let missing = wanted.iter().find(|name| rails.iter().all(|rail| rail.name != **name));
    let Some(missing) = missing else { return Ok(()) };
    let known: Vec<&str> = rails.iter().map(|rail| rail.name.as_str()).collect();
    Err(format!("there is no rail {missing}; there are: {}", known.join(", ")))
}

/// Returns the sum of several counters, at the times of the one that is read least often, where all
/// have readings.
fn sum_series(series: &[MeterSeries]) -> Vec<LoggedReading> {
    let Some(sparsest) = series.iter().min_by_key(|one| one.readings.len()) else {
        return Vec::new();
    };
    let mut cursors = vec![0; series.len()];
    let mut readings: Vec<LoggedReading> = Vec::new();
    for (at_ns, _) in &sparsest.readings {
        let energies =
            series.iter().zip(&mut cursors).map(|(one, cursor)| one.energy_at(*at_ns, cursor));
        let Some(energy_j) = energies.sum::<Option<f64>>() else { continue };
        let before_ns = readings.last().map_or(i64::MIN, |reading| reading.at_ns);
        if before_ns == *at_ns {
            continue;
        }
        let is_gap =
            |one: &MeterSeries| one.gaps.iter().any(|gap| before_ns < *gap && gap <= at_ns);
        let after_gap = !readings.is_empty() && series.iter().any(is_gap);
        readings.push(LoggedReading { at_ns: *at_ns, energy_j, after_gap });
    }
    readings
}

impl MeterSeries {
    /// Returns the counter's energy in joules at a time, interpolated; times must not decrease
    /// between calls.
    fn energy_at(&self, at_ns: i64, cursor: &mut usize) -> Option<f64> {
        while self.readings.get(*cursor + 1).is_some_and(|(next, _)| *next <= at_ns) {
            *cursor += 1;
        }
        let (from_ns, from_j) = *self.readings.get(*cursor)?;
        if from_ns == at_ns {
            return Some(from_j);
        }
        let (to_ns, to_j) = *self.readings.get(*cursor + 1)?;
        let part = (at_ns - from_ns) as f64 / (to_ns - from_ns) as f64;
        (from_ns < at_ns).then_some(from_j + part * (to_j - from_j))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(readings: &[(i64, f64)]) -> MeterSeries {
        MeterSeries { readings: readings.to_vec(), gaps: Vec::new() }
    }

    fn shown(series: &[MeterSeries]) -> Vec<(i64, f64)> {
        sum_series(series).into_iter().map(|reading| (reading.at_ns, reading.energy_j)).collect()
    }

    #[test]
    fn counters_of_one_moment_add_up() {
        let both = [series(&[(0, 1.0), (10, 2.0)]), series(&[(0, 5.0), (10, 7.0)])];
        assert_eq!(shown(&both), [(0, 6.0), (10, 9.0)]);
        assert!(shown(&[]).is_empty());
    }

    #[test]
    fn counters_of_other_moments_are_taken_between_theirs() {
        let fast = series(&[(0, 0.0), (4, 4.0), (8, 8.0), (12, 12.0)]);
        let slow = series(&[(2, 10.0), (10, 50.0), (20, 90.0)]);
        assert_eq!(shown(&[fast, slow]), [(2, 12.0), (10, 60.0)]);
    }

    #[test]
    fn a_gap_of_one_is_a_gap_of_all() {
        let mut one = series(&[(0, 0.0), (10, 0.0), (20, 1.0)]);
        one.gaps = vec![10];
        let gaps: Vec<bool> = sum_series(&[one]).iter().map(|reading| reading.after_gap).collect();
        assert_eq!(gaps, [false, true, false]);
    }
}
