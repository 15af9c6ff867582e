//! Runs with the call-tree probe on the local JVM, which record callers and callees for each input.

use std::path::PathBuf;
use std::time::Duration;

use crate::instrument::Probe;
use crate::private_files::TemporaryFolder;
use crate::scenario::{InputSequence, Scenario};
use crate::toolchain::jvm::{self, JvmEnd, JvmOutcome};
use crate::toolchain::{Jdk, jar};

use super::counts_files::read_calls;
use super::error_output::error_output_lines;
use super::variant_runner::VariantRunner;
use super::{BuildError, VariantBuilder};

/// Least time limit of a run that records calls.
const LEAST_LIMIT: Duration = Duration::from_secs(60);

/// Exit code of a program that the probe's runtime ended at the time limit (`Calls.java`).
const OVER_TIME: i32 = 98;

/// Time limit of a run that records calls: the limit of a session, which is three times a usual
/// one's length. A longer run is ended, and the calls until then are recorded.
pub fn call_limit(scenario: &Scenario) -> Duration {
    LEAST_LIMIT.max(Duration::from_secs_f64(scenario.session.limit_s))
}

/// Builds the unremoved application with the call-tree probe and records its calls, in runs that
/// don't wait for frames.
pub struct MethodCallRecorder<'r> {
    jdk: &'r Jdk,
    runner: VariantRunner<'r>,
    limit: Duration,
    /// Temporary folder, deleted on drop.
    _folder: TemporaryFolder,
    classes: PathBuf,
}

impl<'r> MethodCallRecorder<'r> {
    /// Builds the application with the call-tree probe.
    ///
    /// # Errors
    /// The application does not compile with the probe.
    pub fn new(
        scenario: &'r Scenario,
        jdk: &'r Jdk,
        builder: &'r mut VariantBuilder<'_>,
    ) -> Result<Self, BuildError> {
        let variant = builder.build(&Default::default(), Probe::Calls)?;
        let folder = TemporaryFolder::new("calls").map_err(BuildError::io(std::env::temp_dir()))?;
        let classes = folder.path().join("calls.jar");
        let runner = VariantRunner::new(scenario, builder.application(), jdk)?;
        let runnable = runner.loadable(&variant.classes)?;
        let bytes = jar::pack(&[], &runnable);
        std::fs::write(&classes, bytes).map_err(BuildError::io(&classes))?;
        Ok(Self { jdk, runner, limit: call_limit(scenario), _folder: folder, classes })
    }

    /// Runs the application once with an input; returns the log of its calls.
    ///
    /// # Errors
    /// The run fails, or leaves no log.
    pub fn run_and_log(&self, input: &InputSequence) -> Result<String, BuildError> {
        let place = TemporaryFolder::new("calls").map_err(BuildError::io(std::env::temp_dir()))?;
        let run = self.runner.call_recording_run(input, place.path(), &self.classes, self.limit)?;
        let outcome = jvm::run_program(self.jdk, &run)?;
        let failed = |reason: String| BuildError::Calls { input: input.name.clone(), reason };
        ended_well(&outcome).map_err(failed)?;
        let log = read_calls(&self.runner.counts_folder(place.path()));
        log.map_err(|error| failed(error.to_string()))?.ok_or_else(|| {
            failed("it left no log of calls; a program that halts writes none".into())
        })
    }
}

/// Checks that a run succeeded, or was ended at the time limit with its calls recorded.
fn ended_well(outcome: &JvmOutcome) -> Result<(), String> {
    match outcome.end {
        JvmEnd::Exited(0 | OVER_TIME) => Ok(()),
        JvmEnd::Exited(code) => {
            let said = error_output_lines(&outcome.stderr);
            Err(format!("exit code {code}: {}", said.as_deref().unwrap_or("no message")))
        }
        JvmEnd::TimedOut => Err("it did not end in time".into()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use super::*;
    use crate::blocks::Granularity;
    use crate::build::{AnalysedApplication, Sources};
    use crate::scenario::parse_scenario;

    /// Three of four calls of `leaf` are from `often`, in turns, so that a sample in a fixed rhythm
    /// would see one path alone. With 7 frames it never ends.
    const MAIN: &str = "package a; public class Main {
        static int sum;
        static void leaf() { sum++; }
        static void often() { leaf(); leaf(); leaf(); }
        static void rarely() { leaf(); }
        public static void main(String[] words) {
            int frames = Integer.parseInt(words[0].substring(7));
            for (int i = 0; i < frames || frames == 7; i++) { often(); rarely(); }
        } }";

    /// The log of the calls with so many frames; `None` without a JDK.
    fn log(frames: u64, limit: Duration) -> Option<String> {
        let Ok(jdk) = Jdk::find() else {
            crate::skip::because("no JDK");
            return None;
        };
        let text = format!(
            "name = 'a'\n[application]\npackage = 'a.b'\nmain = 'a.Main'\n[[source]]\npath = 's'\n\
             [session]\nframes = {frames}\n[[input]]\nname = 'i'\n"
        );
        let scenario = parse_scenario(&text, Path::new("a.toml")).unwrap();
        let sources = Sources::of_texts(vec![("a/Main.java".to_owned(), MAIN.to_owned())]);
        let application = AnalysedApplication::analyse(sources, Granularity::Statement).unwrap();
        let mut builder = VariantBuilder::new(&application, &jdk, None).unwrap();
        let recorder = MethodCallRecorder::new(&scenario, &jdk, &mut builder).unwrap();
        let recorder = MethodCallRecorder { limit, ..recorder };
        Some(recorder.run_and_log(&scenario.inputs[0]).unwrap())
    }

    /// Executions on each path that a block ran on, most first, and whether they were sampled.
    fn paths(log: &str) -> Vec<(Vec<u64>, bool)> {
        let mut blocks: BTreeMap<&str, (Vec<u64>, bool)> = BTreeMap::new();
        for line in log.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            if let ([block, executions] | [block, executions, _], Ok(_)) =
                (&words[..], words[0].parse::<u32>())
            {
                let of = blocks.entry(block).or_default();
                of.0.push(executions.parse().unwrap());
                of.1 |= words.len() == 3;
            }
        }
        let sorted = |(mut of, is_sampled): (Vec<u64>, bool)| {
            of.sort_unstable_by(|a, b| b.cmp(a));
            (of, is_sampled)
        };
        blocks.into_values().map(sorted).collect()
    }

    #[test]
    fn what_runs_often_is_sampled_for_its_paths_and_counted_exactly() {
        let frames = 100_000;
        let Some(log) = log(frames, LEAST_LIMIT) else { return };
        let paths = paths(&log);
        let leaf = paths.iter().find(|(of, _)| of.len() == 2).unwrap();
        assert!(leaf.1, "sampled");
        assert_eq!(leaf.0.iter().sum::<u64>(), 4 * frames, "{log}");
        let often = leaf.0[0] as f64 / (3 * frames) as f64;
        assert!((often - 1.0).abs() < 0.03, "{log}");
        assert_eq!(paths.iter().filter(|(of, _)| of[..] == [frames]).count(), 4, "{log}");
        assert!(!log.contains("over time"));
    }

    #[test]
    fn what_runs_a_thousand_times_is_counted_on_its_paths() {
        let Some(log) = log(250, LEAST_LIMIT) else { return };
        let paths = paths(&log);
        assert!(paths.iter().all(|(_, is_sampled)| !is_sampled), "{log}");
        assert!(paths.iter().any(|(of, _)| of[..] == [750, 250]), "{log}");
    }

    #[test]
    fn a_program_that_does_not_end_is_recorded_until_its_limit() {
        let Some(log) = log(7, Duration::from_millis(1500)) else { return };
        assert!(log.contains("\nover time\n"), "{log}");
        assert!(paths(&log).iter().any(|(of, _)| of.len() == 2 && of[0] > of[1]), "{log}");
    }
}
