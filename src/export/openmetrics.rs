//! OpenMetrics text (version 1.0, also read by Prometheus): the ledger and the classes of
//! operations, with both ends of the 95 % interval as series of their own; one that
//! doesn't exist is left out.

use std::fmt::Write as _;

use super::ExportData;
use crate::account::CLASSES;
use crate::account::class::name_of;

/// The text of the exposition.
pub(super) fn openmetrics(data: &ExportData<'_>) -> Vec<u8> {
    let mut text = String::new();
    let mut put = |line: String| writeln!(text, "{line}").expect("memory has no errors");
    let labels = format!(
        "scenario=\"{}\",board=\"{}\",virtual=\"{}\"",
        escaped(data.scenario),
        escaped(data.board),
        data.is_virtual
    );
    for (name, help, pick) in FAMILIES {
        put(format!("# TYPE {name} gauge\n# UNIT {name} joules\n# HELP {name} {help}"));
        for row in &data.accounts.ledger.rows {
            let joules = match pick {
                Pick::Energy => Some(row.energy.joules().0),
                Pick::Low => row.interval.map(|interval| interval.lo.0),
                Pick::High => row.interval.map(|interval| interval.hi.0),
            };
            if let Some(joules) = joules {
                put(format!("{name}{{{labels},entry=\"{}\"}} {joules}", row.entry.name()));
            }
        }
    }
    let name = "wattline_class_energy_joules";
    let help = "Energy of the scenario by class of operation.";
    put(format!("# TYPE {name} gauge\n# UNIT {name} joules\n# HELP {name} {help}"));
    for (class, energy) in CLASSES.iter().zip(data.accounts.class_totals()) {
        put(format!("{name}{{{labels},class=\"{}\"}} {}", name_of(*class), energy.joules().0));
    }
    put("# EOF".into());
    text.into_bytes()
}

enum Pick {
    Energy,
    Low,
    High,
}

const FAMILIES: [(&str, &str, Pick); 3] = [
    ("wattline_energy_joules", "Energy of the scenario by ledger entry.", Pick::Energy),
    ("wattline_energy_low_joules", "Lower end of its 95 % interval.", Pick::Low),
    ("wattline_energy_high_joules", "Upper end of its 95 % interval.", Pick::High),
];

/// A label's value.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

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
            assert!(series.ends_with('}') && series.contains("virtual=\"true\""), "{line}");
        }
        assert_eq!(escaped("a\"b\\\n"), "a\\\"b\\\\\\n");
    }
}
