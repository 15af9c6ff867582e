//! Sessions that are too short for the meter: the trial's advice holds when it is followed, and a
//! base case that is left out is named.

#![allow(clippy::unwrap_used)]

use std::fs;

use super::bench::{Bench, rows};

/// A short session of one of two inputs; no microbenchmarks.
const CHANGES: [(&str, &str); 4] = [
    ("cases = 4", "cases = 6"),
    ("repeats = 2\ndry_runs = 8", "repeats = 1\ndry_runs = 12"),
    ("[microbenchmarks]\nrepeats = 1", "[microbenchmarks]\nenabled = false\nrepeats = 1"),
    ("name = \"few\"\n", "name = \"few\"\nframes = 40\n"),
];

/// The frames that a warning advises.
fn advised_frames(said: &str) -> u64 {
    let (_, advice) = said.split_once("`frames` of ").unwrap_or_else(|| panic!("{said}"));
    advice.split(' ').next().unwrap().parse().unwrap_or_else(|_| panic!("{said}"))
}

#[test]
fn the_advice_holds_when_followed_and_a_base_case_is_not_left_out_silently() {
    let Some(bench) = Bench::new() else { return };
    let scenario = bench.scenario("tests/scenarios/tiny.toml", "short.toml", &CHANGES);
    let out = bench.out("short");
    let to = out.to_str().unwrap();
    let said = bench.good(&["pipeline", &scenario, "--board", "virtual", "--out", to]);
    assert!(said.contains("too short for the meter, so that the data set will not have"), "{said}");
    assert!(said.contains("the base case base-few is not in the data set"), "{said}");
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("the base case base-few: it lasted"), "the report names it");
    let has_few = |out: &std::path::Path| {
        rows(&out.join("dataset.csv")).iter().any(|row| row["case"] == "base-few")
    };
    assert!(!has_few(&out), "{said}");

    let frames = advised_frames(&said);
    assert!(said.contains(&format!("`frames` of {frames} and more (a session of them")), "{said}");
    let text = fs::read_to_string(&scenario).unwrap();
    fs::write(&scenario, text.replace("frames = 40", &format!("frames = {frames}"))).unwrap();
    let out = bench.out("followed");
    let to = out.to_str().unwrap();
    let said = bench.good(&["pipeline", &scenario, "--board", "virtual", "--out", to]);
    assert!(!said.contains("too short"), "{said}");
    assert!(!said.contains("is not in the data set"), "{said}");
    assert!(has_few(&out), "{said}");
}
