//! Dry runs of an application with a window: on this machine's JVM, in the small Android of the
//! virtual board, by the runner that starts it on boards, too. Its clock passes where somebody
//! sleeps, so that a session takes as long as its work.

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

use super::board_clock::on_boards_clock;
use super::on_android::{RUNNER, check_activity, compile_runner, facts};
use super::variant::{Classes, with_libraries};
use super::{AnalysedApplication, BuildError};

/// Begins a process of an application, in the framework.
const ZYGOTE: &str = "wattline.board.Zygote";
const CLOCK: (&str, &str) = ("Meter.java", include_str!("java/Meter.java"));
/// Of the framework's sources.
const RELEASE: u32 = 11;
/// Where the framework has an application's files, below its data.
const FILES: &str = "files";
/// The folder of the probes' runtime: its housekeeping goes by this machine's clock.
const PROBES: &str = "wattline$rt";

/// What starts an application with a window on this machine.
pub(super) struct Windowed {
    /// Deleted with this.
    _folder: TemporaryFolder,
    /// The runner with its clock, and the framework.
    before: [PathBuf; 2],
    /// The zygote's words but for extras.
    words: Vec<String>,
    libraries: Vec<PathBuf>,
    package: String,
}

impl Windowed {
    /// None of an application without a window.
    pub(super) fn of(
        scenario: &Scenario,
        application: &AnalysedApplication,
        jdk: &Jdk,
    ) -> Result<Option<Windowed>, BuildError> {
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
        let mut words = vec!["instrument".to_owned(), RUNNER.to_owned()];
        for (name, value) in facts(scenario, Some(&probes)) {
            words.extend(["meta".to_owned(), name.to_owned(), value]);
        }
        for class in scenario.application.main.iter() {
            words.extend(["declared".to_owned(), class.clone(), class.clone()]);
        }
        Ok(Some(Windowed {
            _folder: folder,
            before: [file, framework],
            words,
            libraries: application.sources.libraries.clone(),
            package: scenario.application.package.clone(),
        }))
    }

    /// Where a run in this folder leaves what its probes counted.
    pub(super) fn left(folder: &Path) -> PathBuf {
        folder.join(FILES)
    }

    /// The run of classes that are made [`runnable`]; of a program it keeps all but what starts
    /// it.
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

/// Classes as dry runs load them: those of an application with a window have its libraries with
/// them, and the board's clock in the place of Java's.
pub(super) fn runnable<'c>(
    windowed: Option<&Windowed>,
    scenario: &Scenario,
    classes: &'c Classes,
) -> Result<Cow<'c, Classes>, BuildError> {
    let Some(windowed) = windowed else { return Ok(Cow::Borrowed(classes)) };
    check_activity(scenario, classes)?;
    let mut all = with_libraries(classes, &windowed.libraries)?;
    all.retain(|name, _| !name.starts_with(jar::VERSIONS));
    let all = all.into_iter();
    let on_clock = |(name, bytes): (String, Vec<u8>)| match name.starts_with(PROBES) {
        true => (name, bytes),
        false => {
            let bytes = on_boards_clock(&bytes);
            (name, bytes)
        }
    };
    Ok(Cow::Owned(all.map(on_clock).collect()))
}
