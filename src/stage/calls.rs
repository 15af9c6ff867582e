//! Who called whom, and in which thread, for accounts with callees.

use crate::account::calls::{CallTree, add_log};
use crate::build::{VariantBuilder, call_logs};
use crate::format::counted;
use crate::operations::Dictionary;
use crate::scenario::Scenario;
use crate::toolchain::Jdk;

use super::{Failure, ScenarioFacts};

/// Records the calls of every input on the local JVM.
pub fn calls(
    scenario: &Scenario,
    dictionary: &Dictionary,
    jdk: &Jdk,
    builder: &mut VariantBuilder<'_>,
) -> Result<CallTree, Failure> {
    let mut tree = CallTree::default();
    for (input, log) in call_logs(scenario, jdk, builder)? {
        add_log(&mut tree, &log, dictionary).map_err(|error| Failure::input(input, error))?;
    }
    Ok(tree)
}

/// What was found, in a line.
pub(crate) fn summary(tree: &CallTree, facts: &ScenarioFacts) -> String {
    let mut text = format!(
        "{} of calls in {}; {}",
        counted(tree.paths(), "path"),
        counted(tree.threads.len(), "thread"),
        tree.agreement(&facts.executions)
    );
    if tree.lost_threads > 0 {
        text += &format!("; {} more than are told apart", counted(tree.lost_threads, "thread"));
    }
    text
}
