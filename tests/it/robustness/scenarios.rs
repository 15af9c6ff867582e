//! Fuzz target: scenario files, made from those of the project by cutting, doubling, overwriting
//! and joining, with numbers that nobody would write.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use bolero::TypeGenerator;
use wattline::scenario::parse_scenario;

use super::fuzz::{Edit, duration};

/// The most runs that a scenario may ask for.
const RUNS: u64 = 1_000_000;

/// What is done to a scenario. Numbers are taken modulo what they choose from.
#[derive(Debug, TypeGenerator)]
struct Mutation {
    seed: u8,
    #[generator(bolero::produce::<Vec<Edit>>().with().len(0usize..5))]
    edits: Vec<Edit>,
    #[generator(bolero::produce::<Vec<(u8, u8)>>().with().len(0usize..4))]
    numbers: Vec<(u8, u8)>,
}

/// Values in the place of others.
const VALUES: [&str; 14] = [
    "0",
    "-1",
    "1e-300",
    "1e300",
    "nan",
    "-inf",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551616",
    "0.5",
    "\"\"",
    "[[]]",
    "{ a = 1 }",
];

fn seeds() -> &'static [Vec<u8>] {
    static SEEDS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    SEEDS.get_or_init(|| {
        let project = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folders = ["scenarios", "tests/scenarios"].map(|name| project.join(name));
        let entries = folders.iter().flat_map(|f| walkdir::WalkDir::new(f).sort_by_file_name());
        let files = entries.map(|entry| entry.unwrap().into_path());
        let scenarios = files.filter(|path| path.extension().is_some_and(|e| e == "toml"));
        scenarios.map(|path| fs::read(path).unwrap()).collect()
    })
}

impl Mutation {
    fn text(&self) -> String {
        let seeds = seeds();
        let seed = &seeds[usize::from(self.seed) % seeds.len()];
        let mut text = String::from_utf8_lossy(seed).into_owned();
        for (line, value) in &self.numbers {
            let value = VALUES[usize::from(*value) % VALUES.len()];
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            let keys: Vec<usize> =
                (0..lines.len()).filter(|at| lines[*at].contains(" = ")).collect();
            if let Some(at) = keys.get(usize::from(*line) % keys.len().max(1)) {
                let key = lines[*at].split(" = ").next().unwrap_or_default();
                lines[*at] = format!("{key} = {value}");
            }
            text = lines.join("\n");
        }
        let mut bytes = text.into_bytes();
        self.edits.iter().for_each(|edit| edit.apply(&mut bytes, seeds));
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// Whatever the text, it is refused in a few words, or asks for what a board can do.
#[test]
fn scenarios_are_checked_whatever_they_are() {
    let target = bolero::check!().with_type::<Mutation>().with_test_time(duration());
    target.for_each(|mutation| match parse_scenario(&mutation.text(), Path::new("a.toml")) {
        Ok(scenario) => {
            let campaign = &scenario.campaign;
            let of_case = campaign.repeats + campaign.idle_repeats + campaign.traced_repeats;
            assert!(u64::from(of_case) * campaign.cases as u64 <= RUNS);
            assert!((0.01..=86_400.0).contains(&campaign.window_s));
            assert!((0.001..=1e6).contains(&scenario.session.duration_s));
        }
        Err(error) => {
            let text = error.to_string();
            assert!(text.starts_with("a.toml:") && text.len() < 5000, "{text}");
        }
    });
}
