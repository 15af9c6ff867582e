//! Runs with the call-tree probe on the local JVM: who called, for every input.

use crate::instrument::Probe;
use crate::private_files::TemporaryFolder;
use crate::scenario::Scenario;
use crate::toolchain::jvm::{self, JvmEnd};
use crate::toolchain::{Jdk, jar};

use super::counts_files::read_calls;
use super::last_words::last_words;
use super::runner::VariantRunner;
use super::{BuildError, VariantBuilder};

/// Runs the unremoved application once with each input; gives the inputs' names and the
/// logs of calls. The runs don't wait for frames, as dry runs don't.
///
/// # Errors
/// The application doesn't compile with the probe, or a run doesn't end well.
pub fn call_logs(
    scenario: &Scenario,
    jdk: &Jdk,
    builder: &mut VariantBuilder<'_>,
) -> Result<Vec<(String, String)>, BuildError> {
    let variant = builder.build(&Default::default(), Probe::Calls)?;
    let folder = TemporaryFolder::new("calls").map_err(BuildError::io(std::env::temp_dir()))?;
    let classes = folder.path().join("calls.jar");
    let runner = VariantRunner::new(scenario, builder.application(), jdk)?;
    let runnable = runner.runnable(&variant.classes)?;
    let bytes = jar::pack(&[], &runnable);
    std::fs::write(&classes, bytes).map_err(BuildError::io(&classes))?;
    let mut logs = Vec::new();
    for input in &scenario.inputs {
        let place = TemporaryFolder::new("calls").map_err(BuildError::io(std::env::temp_dir()))?;
        let outcome = jvm::run(jdk, &runner.unlimited(input, place.path(), &classes)?)?;
        let failed = |reason: String| BuildError::Calls { input: input.name.clone(), reason };
        let said = last_words(&outcome.stderr);
        match outcome.end {
            JvmEnd::Exited(0) => {}
            JvmEnd::Exited(code) => {
                let said = said.as_deref().unwrap_or("no message");
                return Err(failed(format!("exit code {code}: {said}")));
            }
            JvmEnd::TimedOut => return Err(failed("it did not end in time".into())),
        }
        let log =
            read_calls(&runner.left(place.path())).map_err(|error| failed(error.to_string()))?;
        let log = log.ok_or_else(|| {
            failed("it left no log of calls; a program that halts writes none".into())
        })?;
        logs.push((input.name.clone(), log));
    }
    Ok(logs)
}
