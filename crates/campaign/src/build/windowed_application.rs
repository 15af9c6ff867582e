//! Dry runs of an application with a window: on the local JVM, in the virtual board's Android,
//! started by the same runner as on boards. The simulated clock advances while threads sleep, so
//! that a session only takes the time of its work.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::instrument;
use crate::private_files::TemporaryFolder;
use crate::scenario::{InputStep, Scenario, StartKind, timed_steps};
use crate::toolchain::jvm::JvmRun;
use crate::toolchain::{Jdk, jar};
use crate::virtual_board;

use super::board_clock::with_boards_clock;
use super::on_android::{RUNNER_CLASS, check_activity, compile_runner, runner_facts};
use super::variant::{Classes, add_libraries};
use super::{AnalysedApplication, BuildError};

/// Main class of a process of an application in the virtual Android.
const ZYGOTE: &str = "wattline.board.Zygote";
const CLOCK: (&str, &str) = ("Meter.java", include_str!("java/Meter.java"));
/// Java release of the virtual Android's sources.
const RELEASE: u32 = 11;
/// Folder of an application's files, below the virtual Android's data.
const FILES: &str = "files";
/// Package of the probes' runtime, whose timers use the real clock.
const PROBES: &str = "wattline$rt";

/// Setup for starting an application with a window on the local JVM.
pub(super) struct WindowedApplication {
    /// Temporary folder, deleted on drop.
    _folder: TemporaryFolder,
    /// First class path entries: the runner with its clock, and the virtual Android.
    before: [PathBuf; 2],
    /// Arguments of the zygote without extras.
    words: Vec<String>,
    libraries: Vec<PathBuf>,
    package: String,
}

impl WindowedApplication {
    /// Builds the setup; `None` for an application without a window.
    pub(super) fn of(
        scenario: &Scenario,
        application: &AnalysedApplication,
        jdk: &Jdk,
    ) -> Result<Option<WindowedApplication>, BuildError> {
        if scenario.application.start != StartKind::Activity {
            return Ok(None);
        }
        let folder =
            TemporaryFolder::new("window").map_err(BuildError::io(std::env::temp_dir()))?;
        let framework = virtual_board::android_framework()?;
        let place = folder.path().join("runner");
        let runner = compile_runner(jdk, &framework, &[CLOCK], RELEASE, &place)?;
        let file = folder.path().join("runner.jar");
        fs::write(&file, jar::pack(&[], &runner)).map_err(BuildError::io(&file))?;
        let probes = instrument::runtime_class(&application.files);
        let mut words = vec!["instrument".to_owned(), RUNNER_CLASS.to_owned()];
        for (name, value) in runner_facts(scenario, Some(&probes)) {
            words.extend(["meta".to_owned(), name.to_owned(), value]);
        }
        for class in scenario.application.main.iter() {
            words.extend(["declared".to_owned(), class.clone(), class.clone()]);
        }
        Ok(Some(WindowedApplication {
            _folder: folder,
            before: [file, framework],
            words,
            libraries: application.sources.libraries.clone(),
            package: scenario.application.package.clone(),
        }))
    }

    /// Folder with the probes' counts of a run in `folder`.
    pub(super) fn counts_folder(folder: &Path) -> PathBuf {
        folder.join(FILES)
    }

    /// The settings of a run of [`loadable`] classes: those of `program`, but with the zygote as
    /// the started class.
    pub(super) fn run(
        &self,
        program: JvmRun,
        classes: &Path,
        extras: &BTreeMap<String, String>,
        steps: &[InputStep],
    ) -> JvmRun {
        let extra = |key: &str, value: &str| ["extra", "s", key, value].map(str::to_owned);
        let mut arguments = self.words.clone();
        arguments.extend(extras.iter().flat_map(|(key, value)| extra(key, value)));
        if !steps.is_empty() {
            arguments.extend(extra("wattline.input", &timed_steps(steps)));
        }
        let option = |name: &str, value: &str| format!("-Dwattline.board.{name}={value}");
        let folder = program.directory.display().to_string();
        let mut options = program.options;
        options.extend([
            option("package", &self.package),
            option("data", &folder),
            option("reports", &format!("{folder}/reports")),
        ]);
        let classpath = self.before.iter().cloned().chain([classes.to_path_buf()]).collect();
        let (main, input) = (ZYGOTE.to_owned(), String::new());
        JvmRun { options, classpath, main, arguments, input, ..program }
    }
}

/// The classes in the form that dry runs load: for an application with a window, with its
/// libraries, and with the simulated clock in place of Java's.
pub(super) fn dry_run_classes<'c>(
    windowed: Option<&WindowedApplication>,
    scenario: &Scenario,
    classes: &'c Classes,
) -> Result<Cow<'c, Classes>, BuildError> {
    let Some(windowed) = windowed else { return Ok(Cow::Borrowed(classes)) };
    check_activity(scenario, classes)?;
    let mut all = add_libraries(classes, &windowed.libraries)?;
    all.retain(|name, _| !name.starts_with(jar::VERSIONS_FOLDER));
    let all = all.into_iter();
    let on_clock = |(name, bytes): (String, Vec<u8>)| match name.starts_with(PROBES) {
        true => (name, bytes),
        false => {
            let bytes = with_boards_clock(&bytes);
            (name, bytes)
        }
    };
    Ok(Cow::Owned(all.map(on_clock).collect()))
}
