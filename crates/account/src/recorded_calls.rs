//! Recording of call paths by thread, for accounts with inclusive energies.

use crate::account::calls::{CallTree, add_log};
use crate::build::{MethodCallRecorder, VariantBuilder, call_limit};
use crate::facts::ScenarioFacts;
use crate::failure::Failure;
use crate::format::counted;
use crate::operations::Dictionary;
use crate::progress::{Progress, duration_text};
use crate::scenario::Scenario;
use crate::toolchain::Jdk;

/// Why calls of the scenario's application cannot be recorded: it does not run on the local JVM.
/// `None` where they can.
pub fn why_not_recordable(scenario: &Scenario) -> Option<&'static str> {
    match (&scenario.application.apk, &scenario.session.input_command) {
        (Some(_), _) => Some(
            "call paths and inclusive energies are not there of the package of your own build \
             (`application.apk`): this machine's JVM, which records calls, does not run it",
        ),
        (None, Some(_)) => Some(
            "call paths and inclusive energies are not there with `session.input_command`: it gives \
             input on a board alone, and this machine's JVM records calls",
        ),
        (None, None) => None,
    }
}

/// Records the calls of every input on the local JVM with the call-tree probe.
pub fn record_calls(
    scenario: &Scenario,
    dictionary: &Dictionary,
    jdk: &Jdk,
    builder: &mut VariantBuilder<'_>,
    progress: &dyn Progress,
) -> Result<CallTree, Failure> {
    if let Some(why) = why_not_recordable(scenario) {
        return Err(Failure::input(&scenario.file, why));
    }
    let mut tree = CallTree::default();
    let recorder = MethodCallRecorder::new(scenario, jdk, builder)?;
    let bar = progress.bar(scenario.inputs.len() as u64, "recording calls");
    for input in &scenario.inputs {
        let log = recorder.run_and_log(input)?;
        add_log(&mut tree, &log, dictionary).map_err(|error| Failure::input(&input.name, error))?;
        bar.inc(1);
    }
    Ok(tree)
}

/// Summary of recorded calls for the terminal.
pub fn summary(tree: &CallTree, facts: &ScenarioFacts, scenario: &Scenario) -> String {
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
            duration_text(call_limit(scenario).as_secs_f64())
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::scenario::parse_scenario;

    #[test]
    fn calls_are_recorded_of_what_runs_on_this_machine() {
        let why = |application: &str, session: &str| {
            let text = format!(
                "name = 'a'\n[application]\npackage = 'a.b'\n{application}\n[[source]]\n\
                 path = 's'\n[session]\n{session}\n[[input]]\nname = 'one'\n"
            );
            why_not_recordable(&parse_scenario(&text, Path::new("s.toml")).unwrap())
                .unwrap_or_default()
        };
        assert_eq!(why("main = 'A'", ""), "");
        assert_eq!(why("start = 'activity'\nactivity = 'a.b.A'", ""), "");
        let package = why("apk = 'a.apk'", "");
        assert!(package.contains("package of your own build (`application.apk`)"), "{package}");
        assert!(!package.contains("--board"), "no board is named to a command that takes none");
        let command = why("main = 'A'", "input_command = 'true'");
        assert!(command.contains("with `session.input_command`"), "{command}");
    }
}
