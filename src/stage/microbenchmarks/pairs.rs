//! Pairs of microbenchmarks for patterns of hints, run on the boards.

use std::collections::BTreeSet;

use crate::build::VariantBuilder;
use crate::microbenchmarks::pairs::{self, BeforeAfterPair, MeasuredPair};
use crate::scenario::Scenario;
use crate::stage::boards::OpenBoard;
use crate::stage::folder::names::PAIR_RUNS;
use crate::stage::progress::Progress;
use crate::stage::{Failure, Output};
use crate::toolchain::Jdk;

use super::{JAVA_RELEASE, SessionStore, analyse, count, measure_all};

/// Runs the pairs of these patterns as often as microbenchmarks are run. Raw logs are kept in the
/// folder.
pub(crate) fn pairs(
    patterns: &BTreeSet<&str>,
    scenario: &Scenario,
    jdk: &Jdk,
    boards: &[OpenBoard<'_>],
    output: &Output,
    progress: &dyn Progress,
) -> Result<Vec<MeasuredPair>, Failure> {
    let is_wanted = |pair: &BeforeAfterPair| patterns.contains(pair.pattern.as_str());
    let wanted: Vec<BeforeAfterPair> = pairs::pairs().into_iter().filter(is_wanted).collect();
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let microbenchmarks = pairs::microbenchmarks(&wanted);
    let application = analyse(&microbenchmarks)?;
    let mut builder = VariantBuilder::new(&application, jdk, Some(JAVA_RELEASE))?;
    let counts = count(&application, &microbenchmarks, &mut builder, jdk)?;
    let place = SessionStore { output, runs: PAIR_RUNS };
    let sessions = measure_all(&microbenchmarks, scenario, &mut builder, boards, place, progress)?;
    Ok(pairs::measured(&wanted, &sessions, &counts))
}
