//! OpenMetrics text: the ledger and the classes of operations, with both ends of the 95 %
//! interval as separate series; missing ends are left out.

use super::data::ExportData;
use crate::account::CLASSES;
use crate::account::class::name_of;
use crate::exposition::OpenMetricsText;

/// The text of the exposition.
pub(super) fn openmetrics(data: &ExportData<'_>) -> Vec<u8> {
    let mut text = OpenMetricsText::default();
    let labels = |key, value| {
        [
            ("scenario", data.scenario),
            ("board", data.board),
            ("basis", data.basis.name()),
            (key, value),
        ]
    };
    for (name, help, pick) in FAMILIES {
        text.gauge_family(name, "joules", help);
        for row in &data.accounts.ledger.rows {
            let joules = match pick {
                SeriesValue::Energy => Some(row.energy.joules().0),
                SeriesValue::Low => row.interval.map(|interval| interval.lo.0),
                SeriesValue::High => row.interval.map(|interval| interval.hi.0),
            };
            if let Some(joules) = joules {
                text.sample(&labels("entry", row.entry.name()), joules);
            }
        }
    }
    let help = "Energy of the scenario by class of operation.";
    text.gauge_family("wattline_class_energy_joules", "joules", help);
    for (class, energy) in CLASSES.iter().zip(data.accounts.class_totals()) {
        text.sample(&labels("class", name_of(*class)), energy.joules().0);
    }
    text.finish().into_bytes()
}

/// Value of a series: the energy, or an end of its interval.
enum SeriesValue {
    Energy,
    Low,
    High,
}

const FAMILIES: [(&str, &str, SeriesValue); 3] = [
    ("wattline_energy_joules", "Energy of the scenario by ledger entry.", SeriesValue::Energy),
    ("wattline_energy_low_joules", "Lower end of its 95 % interval.", SeriesValue::Low),
    ("wattline_energy_high_joules", "Upper end of its 95 % interval.", SeriesValue::High),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::sample;

    #[test]
    fn every_series_is_a_number_and_the_end_is_marked() {
        let sample = sample::sample();
        let text = String::from_utf8(openmetrics(&sample.data())).unwrap();
        assert!(text.ends_with("# EOF\n"));
        assert!(text.contains("entry=\"measured\"} 3.25\n"), "{text}");
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (series, value) = line.rsplit_once(' ').unwrap();
            assert!(value.parse::<f64>().unwrap().is_finite(), "{line}");
            assert!(series.ends_with('}') && series.contains("basis=\"simulated\""), "{line}");
        }
    }
}
