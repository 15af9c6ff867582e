//! Who called whom, and in which thread, for accounts with callees.

use crate::account::calls::{CallTree, add_log};
use crate::build::{CallRecorder, VariantBuilder, call_limit};
use crate::format::counted;
use crate::operations::Dictionary;
use crate::scenario::Scenario;
use crate::toolchain::Jdk;

use super::progress::{Progress, in_words};
use super::{Failure, ScenarioFacts};

/// Records the calls of every input on the local JVM.
pub fn calls(
    scenario: &Scenario,
    dictionary: &Dictionary,
    jdk: &Jdk,
    builder: &mut VariantBuilder<'_>,
    progress: &dyn Progress,
) -> Result<CallTree, Failure> {
    let mut tree = CallTree::default();
    let recorder = CallRecorder::new(scenario, jdk, builder)?;
    let bar = progress.bar(scenario.inputs.len() as u64, "recording calls");
    for input in &scenario.inputs {
        let log = recorder.record(input)?;
        add_log(&mut tree, &log, dictionary).map_err(|error| Failure::input(&input.name, error))?;
        bar.inc(1);
    }
    Ok(tree)
}

/// What was found, in some lines.
pub(crate) fn summary(tree: &CallTree, facts: &ScenarioFacts, scenario: &Scenario) -> String {
    let mut text = format!(
        "{} of calls in {}; {}",
        counted(tree.paths(), "path"),
        counted(tree.threads.len(), "thread"),
        tree.agreement(&facts.executions)
    );
    if tree.lost_threads > 0 {
        text += &format!("; {} more than are told apart", counted(tree.lost_threads, "thread"));
    }
    let sampling = tree.sampling();
    if sampling.sampled > 0 {
        text += &format!("\n{sampling}");
    }
    if tree.over_time > 0 {
        text += &format!(
            "\n{} of {} still ran after {}: their calls are those until then; inputs that \
             do less (`session.dry_extras`) are recorded whole",
            tree.over_time,
            counted(scenario.inputs.len(), "input"),
            in_words(call_limit(scenario).as_secs_f64())
        );
    }
    text
}
