//! Before/after microbenchmarks for patterns of hints, run on the boards.

use std::collections::BTreeSet;

use crate::boards::OpenBoard;
use crate::build::VariantBuilder;
use crate::failure::Failure;
use crate::folder::names::{self, PAIR_RUNS};
use crate::folder::{Artifact, Output};
use crate::microbenchmarks::pairs::{self, BeforeAfterPair, MeasuredPair};
use crate::progress::Progress;
use crate::scenario::Scenario;
use crate::toolchain::Jdk;

use super::{JAVA_RELEASE, SessionStore, analyse, count, measure_all};

/// Runs the before/after microbenchmarks of these patterns, in as many sessions as other
/// microbenchmarks, and computes their savings. Raw logs are kept in the output folder.
pub fn measure_pairs(
    patterns: &BTreeSet<&str>,
    scenario: &Scenario,
    jdk: &Jdk,
    boards: &[OpenBoard<'_>],
    output: &Output,
    progress: &dyn Progress,
) -> Result<Vec<MeasuredPair>, Failure> {
    let is_wanted = |pair: &BeforeAfterPair| patterns.contains(pair.pattern.as_str());
    let wanted: Vec<BeforeAfterPair> =
        pairs::before_after_pairs().into_iter().filter(is_wanted).collect();
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let microbenchmarks = pairs::microbenchmarks_of(&wanted);
    let application = analyse(&microbenchmarks)?;
    let mut builder = VariantBuilder::new(&application, jdk, Some(JAVA_RELEASE))?;
    let counts = count(&application, &microbenchmarks, &mut builder, jdk)?;
    let place = SessionStore { output, runs: PAIR_RUNS };
    let sessions = measure_all(&microbenchmarks, scenario, &mut builder, boards, place, progress)?;
    Ok(pairs::measured_pairs(&wanted, &sessions, &counts))
}

/// `hint-microbenchmarks.json`.
impl Artifact for Vec<MeasuredPair> {
    const NAME: &'static str = names::PAIRS;
    type ParseError = serde_json::Error;

    fn render(&self) -> Result<String, Failure> {
        let text = serde_json::to_string_pretty(self);
        text.map(|text| text + "\n").map_err(|error| Failure::input(names::PAIRS, error))
    }

    fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }
}
