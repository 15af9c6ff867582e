//! View of the overheads of measuring: of the probes, the sampling profiler and the power reader.

use crate::facts::{RelativeIncrease, RunOverhead};
use crate::format::{self, signed_percent};
use crate::report::data::ReportData;

/// Reason why the overhead of the power reader is absent.
const POWER_READER: &str = "not measured: power and idle runs both contain it, so it is subtracted";

/// Overheads with their intervals, or why they are not measured, by what causes them.
pub fn rows(data: &ReportData<'_>) -> Vec<(&'static str, String)> {
    let of = |found: Option<RunOverhead>, missing: &str| {
        found.map_or_else(|| format!("not measured: {missing}"), overhead_text)
    };
    vec![
        ("Overhead of the probes", of(data.overheads.probes, "no traced run beside power runs")),
        (
            "Overhead of the sampling profiler",
            of(data.overheads.profiler, "no sampled run beside power runs"),
        ),
        ("Overhead of the power reader", POWER_READER.to_owned()),
    ]
}

/// The overheads in a line of the terminal's summary.
pub fn sentence(data: &ReportData<'_>) -> String {
    let of = |found: Option<RunOverhead>| match found.and_then(|found| found.energy) {
        Some(energy) => format!("{} energy", increase_text(energy)),
        None => "not measured".to_owned(),
    };
    format!(
        "Overheads: probes {}; sampling profiler {}; power reader not measured",
        of(data.overheads.probes),
        of(data.overheads.profiler)
    )
}

fn overhead_text(of: RunOverhead) -> String {
    let figures = [("energy above idle", of.energy), ("duration", of.duration)];
    let cpu_time = of.cpu_time.map(|cpu_time| ("CPU time", Some(cpu_time)));
    let figures: Vec<String> = figures
        .into_iter()
        .chain(cpu_time)
        .map(|(name, increase)| match increase {
            Some(increase) => format!("{name} {}", increase_text(increase)),
            None => format!("{name} not measured"),
        })
        .collect();
    format!(
        "{}; {}, against their power runs",
        figures.join(", "),
        format::counted(of.cases, "case")
    )
}

/// `+50.1 % (+48.0 % to +52.2 %)`.
fn increase_text(of: RelativeIncrease) -> String {
    let interval = match of.interval {
        Some((lo, hi)) => format!("{} to {}", signed_percent(lo), signed_percent(hi)),
        None => "no interval".to_owned(),
    };
    format!("{} ({interval})", signed_percent(of.relative))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::MeasuringOverheads;
    use crate::report::sample;

    #[test]
    fn overheads_have_intervals_or_are_not_measured() {
        let sample = sample::report();
        let energy = RelativeIncrease { relative: 0.501, interval: Some((0.48, 0.522)) };
        let duration = RelativeIncrease { relative: -0.001, interval: None };
        let probes = RunOverhead {
            cases: 10,
            energy: Some(energy),
            duration: Some(duration),
            cpu_time: None,
        };
        let overheads = MeasuringOverheads { probes: Some(probes), profiler: None };
        let data = ReportData { overheads, ..sample.data() };
        let [of_probes, profiler, reader] = rows(&data).try_into().unwrap();
        assert_eq!(
            of_probes.1,
            "energy above idle +50.1 % (+48.0 % to +52.2 %), duration \u{2212}0.10 % (no \
             interval); 10 cases, against their power runs"
        );
        assert!(profiler.1.starts_with("not measured") && reader.1.starts_with("not measured"));
        let line = sentence(&data);
        assert!(line.contains("probes +50.1 % (+48.0 % to +52.2 %) energy"), "{line}");
    }
}
