//! What can go wrong between a scenario and its variants.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use crate::format::visible_path;
use crate::toolchain::{Diagnostic, ToolchainError};

/// A failure while loading or building an application.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A removal moved blocks, so that counts can't be assigned.
    #[error(
        "without its removed blocks the application has no block `{0}`; please report this with the source"
    )]
    Moved(String),
    /// A run that was to say who called.
    #[error("the run with the call-tree probe failed for input {input}: {reason}")]
    Calls {
        /// The input sequence.
        input: String,
        /// Why.
        reason: String,
    },
    /// A source folder or file of the command line or the scenario is not there.
    #[error("{} is not there; check the path in {named_in}", visible_path(path))]
    Missing {
        /// The path.
        path: PathBuf,
        /// The scenario file or `the command line`.
        named_in: String,
    },
    /// A file could not be read or written.
    #[error("{}: {source}", visible_path(path))]
    Io {
        /// The path.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// What gives the application its input can't do so in a run without a board.
    #[error(
        "`session.input_command` gives input to sessions on a board alone: a run on this machine \
         would be of a program without its input"
    )]
    InputCommand,
    /// There is no class to start.
    #[error(
        "the scenario names nothing that dry runs and boards could start: in [application] give a \
         class that drives the application as `main`, or `start = \"activity\"` and `activity`"
    )]
    NoMain,
    /// A scenario where sources are asked for.
    #[error(
        "{path} is a scenario, and here source folders, .java files or source jars are asked for; \
         `wattline pipeline {path} --out FOLDER` scans its sources and measures them"
    )]
    NotSources {
        /// The path.
        path: PathBuf,
    },
    /// No Java file was found.
    #[error("no .java file in {places}")]
    NoSources {
        /// What was looked through.
        places: String,
    },
    /// All Java files are of packages that the JDK alone provides.
    #[error(
        "{places} has sources of packages java.* alone, which an application takes from the JDK; \
         name the application's own sources"
    )]
    OnlyPlatform {
        /// What was looked through.
        places: String,
    },
    /// The activity that is to be started is none of the application's classes.
    #[error("`application.activity`: the application has no class {class}{remedy}")]
    NoActivity {
        /// Its name.
        class: String,
        /// What it may be, as a part of the sentence; may be empty.
        remedy: String,
    },
    /// The virtual board's classes of Android can't be made.
    #[error("dry runs of an application with a window: {0}")]
    Framework(#[from] crate::virtual_board::simulated_model::SimulatedModelError),
    /// The class path can't be read.
    #[error("class path: {0}")]
    ClassPath(String),
    /// The JDK, Maven or an archive failed.
    #[error(transparent)]
    Toolchain(#[from] ToolchainError),
    /// An artifact without its hash.
    #[error(
        "{place}: `{key}` has no `sha256`. Of the {artifact} that Maven fetches it is\n\n\
         sha256 = \"{sha256}\"\n\ncopy this line to below its `maven` if that is the one you mean"
    )]
    NoHash {
        /// `FILE:LINE` of the key.
        place: String,
        /// `source[0]`.
        key: String,
        /// The coordinate.
        artifact: String,
        /// What was fetched.
        sha256: String,
    },
    /// The unchanged sources don't compile.
    #[error("the {what} does not compile:\n{errors}{remedy}")]
    DoesNotCompile {
        /// `application` or `instrumented application`.
        what: &'static str,
        /// The first errors in javac's words.
        errors: String,
        /// What may help, as a line of its own; may be empty.
        remedy: String,
    },
}

/// So many errors of javac are shown.
const SHOWN_ERRORS: usize = 3;

impl BuildError {
    /// Wraps an I/O failure with its path.
    pub fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| BuildError::Io { path, source }
    }

    /// The error for sources that javac refused. `places` says where each of its files
    /// lies; `release` is one with which it takes them.
    pub fn refused(
        what: &'static str,
        errors: &[Diagnostic],
        places: &BTreeMap<String, String>,
        release: Option<u32>,
    ) -> Self {
        let shown = errors.iter().take(SHOWN_ERRORS).map(|error| {
            let path = error.file.to_string_lossy().into_owned();
            let place = places.get(&path).unwrap_or(&path);
            let first = format!("{place}:{}: {}", error.line, error.message);
            let lines = std::iter::once(first).chain(error.details.iter().cloned());
            lines.collect::<Vec<String>>().join("\n")
        });
        let mut shown = shown.collect::<Vec<String>>().join("\n");
        if let Some(more) = errors.len().checked_sub(SHOWN_ERRORS).filter(|more| *more > 0) {
            shown += &format!("\nand {more} more errors");
        }
        let remedy = remedy(errors, release);
        BuildError::DoesNotCompile { what, errors: shown, remedy }
    }
}

/// What may help against what javac says, as a line of its own; empty where nothing is known to.
fn remedy(errors: &[Diagnostic], release: Option<u32>) -> String {
    if let Some(release) = release {
        return format!(
            "\nit compiles for Java {release}: set `java_release = {release}` in \
             [application] (of `trace`: --release {release})"
        );
    }
    match errors.iter().any(Diagnostic::misses_package) {
        true => {
            "\na package that is missing is mostly a library's: name its jar as a `[[library]]` \
                 (of `trace`: --classpath)"
                .to_owned()
        }
        false => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_of(message: &str) -> String {
        let error = Diagnostic {
            file: "a/A.java".into(),
            line: 3,
            message: message.into(),
            details: Vec::new(),
        };
        BuildError::refused("application", &[error], &BTreeMap::new(), None).to_string()
    }

    #[test]
    fn a_missing_library_is_asked_for() {
        let missing = error_of("error: package javax.annotation does not exist");
        assert!(missing.contains("a/A.java:3: error: package"), "{missing}");
        assert!(missing.ends_with("`[[library]]` (of `trace`: --classpath)"), "{missing}");
        assert!(error_of("error: ';' expected").ends_with("expected"));
    }
}
