//! Stored outcomes of dry runs, which another plan of the application mostly needs again. The file
//! has a line with a hash of what they depend on, then a line per dry run.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::campaign::{DryCase, DryError, DryOutcome, DryRunner};
use crate::failure::Failure;
use crate::input_file;
use crate::load::LoadedScenario;
use crate::scenario::{ScenarioKeys, split_key};
use crate::toolchain::artifact::hash_of_bytes;

/// The build that a dry run used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum DryRunBuild {
    /// Any build with the same behaviour.
    Try,
    /// The build that will be measured.
    Own,
}

/// A line of the file: a dry run with its outcome.
#[derive(Debug, Serialize, Deserialize)]
struct DryRunLine {
    build: DryRunBuild,
    case: DryCase,
    outcome: DryOutcome,
}

/// The file in which outcomes of dry runs are stored.
pub(crate) enum DryRunFile<'m> {
    /// A file that the user named.
    Named(&'m Path),
    /// The file of the results' folder.
    Own(PathBuf),
}

impl DryRunFile<'_> {
    fn path(&self) -> &Path {
        match self {
            DryRunFile::Named(path) => path,
            DryRunFile::Own(path) => path,
        }
    }
}

/// A runner that makes only dry runs without a stored outcome.
pub(crate) struct RememberingRunner<D> {
    inner: D,
    file: File,
    /// Number of dry runs made before they are written.
    at_once: usize,
    known: BTreeMap<(DryRunBuild, DryCase), DryOutcome>,
}

impl<D: DryRunner> RememberingRunner<D> {
    /// Reads the stored outcomes, or begins the file; `purpose` is its first line.
    ///
    /// # Errors
    /// The file has another first line, unless it is the folder's own, which is begun again.
    pub fn open(inner: D, memory: &DryRunFile<'_>, purpose: String) -> Result<Self, Failure> {
        let path = memory.path();
        let mut text = match path.exists() {
            true => input_file::read_text(path).map_err(Failure::io("read", path))?,
            false => String::new(),
        };
        if text.lines().next().is_some_and(|first| first != purpose) {
            if let DryRunFile::Named(path) = memory {
                let message =
                    "holds dry runs of other sources, sessions or boards; name another --dry-runs";
                return Err(Failure::input(*path, message));
            }
            fs::remove_file(path).map_err(Failure::io("remove", path))?;
            text.clear();
        }
        let lines = text.lines().skip(1);
        let mut known = BTreeMap::new();
        // A line that was torn is asked for again.
        for line in lines.filter_map(|line| serde_json::from_str::<DryRunLine>(line).ok()) {
            known.insert((line.build, line.case), line.outcome);
        }
        let mut file = open_for_append(path)?;
        let begun = if text.is_empty() { purpose } else { String::new() };
        // A torn line gets its end.
        if text.is_empty() || !text.ends_with('\n') {
            writeln!(file, "{begun}").map_err(Failure::io("write", path))?;
        }
        Ok(Self { inner, file, at_once: usize::MAX, known })
    }

    /// The runner with each dry run written before the next is made, for long ones.
    pub(crate) fn one_by_one(self) -> Self {
        Self { at_once: 1, ..self }
    }

    fn ask(
        &mut self,
        build: DryRunBuild,
        cases: &[DryCase],
        mut asked: impl FnMut(&mut D, &[DryCase]) -> Result<Vec<DryOutcome>, DryError>,
    ) -> Result<Vec<DryOutcome>, DryError> {
        let unknown = |case: &&DryCase| !self.known.contains_key(&(build, (*case).clone()));
        let new: Vec<DryCase> = cases.iter().filter(unknown).cloned().collect();
        for some in new.chunks(self.at_once) {
            let outcomes = asked(&mut self.inner, some)?;
            for (case, outcome) in some.iter().cloned().zip(outcomes) {
                let line = DryRunLine { build, case, outcome };
                writeln!(self.file, "{}", serde_json::to_string(&line)?)?;
                self.known.insert((build, line.case), line.outcome);
            }
        }
        let outcome = |case: &DryCase| self.known.get(&(build, case.clone())).cloned();
        Ok(cases.iter().filter_map(outcome).collect())
    }
}

impl<D: DryRunner> DryRunner for RememberingRunner<D> {
    fn try_cases(&mut self, cases: &[DryCase]) -> Result<Vec<DryOutcome>, DryError> {
        self.ask(DryRunBuild::Try, cases, |inner, cases| inner.try_cases(cases))
    }

    fn verify(&mut self, cases: &[DryCase]) -> Result<Vec<DryOutcome>, DryError> {
        self.ask(DryRunBuild::Own, cases, |inner, cases| inner.verify(cases))
    }
}

fn open_for_append(path: &Path) -> Result<File, Failure> {
    let folder: PathBuf = path.parent().unwrap_or(Path::new("")).into();
    if !folder.as_os_str().is_empty() {
        fs::create_dir_all(&folder).map_err(Failure::io("create", &folder))?;
    }
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.map_err(Failure::io("open", path))
}

/// Tables and keys of a scenario that dry runs depend on.
const TABLES: [&str; 4] = ["application", "session", "input", "seed"];

/// Returns the first line of a file of dry runs, a hash of what they depend on: the sources, how
/// they are divided and built, the sessions, and the board, which is empty for this machine.
pub fn dependency_hash(loaded: &LoadedScenario, board: &str) -> String {
    let mut text = settings_of_dry_runs(&loaded.scenario.keys) + board;
    for file in &loaded.application.files {
        text += &format!("\n{}\n{}", file.path, file.text);
    }
    if let Some(package) = &loaded.own_package {
        text += &format!("\n{}", package.sha256());
    }
    format!("{{\"dry_runs_of\":\"{}\"}}", hash_of_bytes(text.as_bytes()))
}

fn settings_of_dry_runs(keys: &ScenarioKeys) -> String {
    let keys = keys.iter().filter(|(key, _)| TABLES.contains(&split_key(key).0));
    keys.map(|(key, value)| format!("{key} = {value}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::parse_scenario;

    #[test]
    fn dry_runs_depend_on_the_session_and_not_on_what_is_measured() {
        let of = |text: &str| {
            let scenario = parse_scenario(text, Path::new("s.toml")).unwrap();
            settings_of_dry_runs(&scenario.keys)
        };
        let small = "name = 'a'\nseed = 1\n[application]\npackage = 'a.b'\nmain = 'A'\n\
            [[source]]\npath = 'src'\n[session]\nframes = 5\n[microbenchmarks]\nrepeats = 2\n\
            [[input]]\nname = 'x'\nframes = 3\n";
        let settings = of(small);
        let parts =
            ["seed = 1", "application.main = \"A\"", "session.frames = 5", "input.x.frames = 3"];
        for part in parts {
            assert!(settings.lines().any(|line| line == part), "{part} in {settings}");
        }
        assert_ne!(of(&small.replace("frames = 3", "frames = 4")), settings);
        assert_eq!(of(&small.replace("repeats = 2", "repeats = 9")), settings);
        assert_eq!(of(&small.replace("name = 'a'", "name = 'b'")), settings);
    }
}
