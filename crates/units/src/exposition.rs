//! Writer of OpenMetrics text (version 1.0, also read by Prometheus): families of gauges and
//! counters, each with its samples, and the end line.

use std::fmt::{Display, Write as _};

/// Writer of an OpenMetrics text, family by family.
#[derive(Debug, Default)]
pub struct OpenMetricsText {
    text: String,
    family: String,
    suffix: &'static str,
}

impl OpenMetricsText {
    /// Begins a family of gauges, to which the samples that follow belong; `name` ends in the unit.
    pub fn gauge_family(&mut self, name: &str, unit: &str, help: &str) {
        self.begin((name, ""), "gauge", unit, help);
    }

    /// Begins a family of counters (sums that never fall), to which the samples that follow belong.
    pub fn counter_family(&mut self, name: &str, unit: &str, help: &str) {
        self.begin((name, "_total"), "counter", unit, help);
    }

    fn begin(&mut self, (name, suffix): (&str, &'static str), kind: &str, unit: &str, help: &str) {
        name.clone_into(&mut self.family);
        self.suffix = suffix;
        self.put(&format!("# TYPE {name} {kind}\n# UNIT {name} {unit}\n# HELP {name} {help}"));
    }

    /// Writes a sample of the current family.
    pub fn sample(&mut self, labels: &[(&str, &str)], value: impl Display) {
        let labels = labels.iter().map(|(key, value)| format!("{key}=\"{}\"", label_value(value)));
        let labels: Vec<String> = labels.collect();
        self.put(&format!("{}{}{{{}}} {value}", self.family, self.suffix, labels.join(",")));
    }

    /// Ends the text and returns it.
    #[must_use]
    pub fn finish(mut self) -> String {
        self.put("# EOF");
        self.text
    }

    fn put(&mut self, line: &str) {
        writeln!(self.text, "{line}").expect("memory has no errors");
    }
}

/// Escapes the value of a label.
fn label_value(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_escaped_and_the_end_is_marked() {
        let mut text = OpenMetricsText::default();
        text.gauge_family("a_watts", "watts", "Power.");
        text.sample(&[("name", "a\"b\\\n"), ("part", "cpu")], 2.5);
        let expected = "# TYPE a_watts gauge\n# UNIT a_watts watts\n# HELP a_watts Power.\n\
                        a_watts{name=\"a\\\"b\\\\\\n\",part=\"cpu\"} 2.5\n# EOF\n";
        assert_eq!(text.finish(), expected);
    }
}
