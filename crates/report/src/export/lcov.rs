//! lcov's tracefile (`man geninfo`), from which editors colour gutters: "hits" of a line are its
//! microjoules, of a function its entries.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::data::ExportData;

/// The text of the tracefile: a record per source file.
pub(super) fn lcov(data: &ExportData<'_>) -> Vec<u8> {
    let mut text = String::new();
    for (file, lines) in lines_by_file(data) {
        let name = data.scenario.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
        let mut put = |line: String| writeln!(text, "{line}").expect("memory has no errors");
        put(format!("TN:{name}"));
        put(format!("SF:{}", data.repository.path(file).replace(['\n', '\r'], "_")));
        for (line, microjoules) in &lines {
            put(format!("DA:{line},{microjoules}"));
        }
        put(format!("LF:{}", lines.len()));
        put(format!("LH:{}", lines.values().filter(|hits| **hits > 0).count()));
        put("end_of_record".into());
    }
    text.into_bytes()
}

/// Energy in microjoules by file and line: at least 1 for a line with any, as tools take 0 for
/// "never ran".
pub(super) fn lines_by_file<'a>(data: &ExportData<'a>) -> BTreeMap<&'a str, BTreeMap<u32, u64>> {
    let mut files: BTreeMap<&str, BTreeMap<u32, u64>> = BTreeMap::new();
    for entry in &data.accounts.lines {
        let microjoules = entry.joules().0 * 1e6;
        let hits = if microjoules > 0.0 { (microjoules.round() as u64).max(1) } else { 0 };
        files.entry(&entry.key.file).or_default().insert(entry.key.line, hits);
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::sample;

    #[test]
    fn hits_are_microjoules() {
        let sample = sample::sample();
        let text = String::from_utf8(lcov(&sample.data())).unwrap();
        assert!(
            text.contains("SF:demo/Grid.java\n") && text.ends_with("end_of_record\n"),
            "{text}"
        );
        let mut within = sample::sample();
        within.repository = crate::report::Repository::with_prefix("core/src");
        let within = String::from_utf8(lcov(&within.data())).unwrap();
        assert!(within.contains("SF:core/src/demo/Grid.java\n"), "{within}");
        let hits = text.lines().filter_map(|line| line.strip_prefix("DA:"));
        let total: u64 = hits.map(|l| l.split_once(',').unwrap().1.parse::<u64>().unwrap()).sum();
        assert!(total.abs_diff(1_250_000) < 5, "{total}");
        assert!(text.contains("LF:5\nLH:5\n"), "{text}");
    }
}
