//! Errors of loading, analysing and building an application.

use std::io;
use std::path::PathBuf;

use crate::finding::FindingKind;
use crate::format::{counted, visible_path};
use crate::toolchain::annotation_processors::processors_on;
use crate::toolchain::{Diagnostic, ToolchainError};

use super::{OwnPackageError, Sources, generated_class};

/// Reason why the package of an application's own build does not run on the local JVM.
pub const OWN_PACKAGE_NEEDS_ANDROID: &str = "is the package of your own build, which runs on a \
    board with Android alone, real or virtual (`--board`): this machine's JVM has no activities, \
    services or resources";

/// Error of loading or building an application.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A removal that changes the division into blocks, so that counts can't be assigned.
    #[error(
        "without its removed blocks the application has no block `{0}`; please report this with the source"
    )]
    Moved(String),
    /// A failed run with the call-tree probe.
    #[error("the run with the call-tree probe failed for input {input}: {reason}")]
    Calls {
        /// The input sequence.
        input: String,
        /// The reason.
        reason: String,
    },
    /// A source folder or file that does not exist.
    #[error("{} is not there; check the path in {named_in}", visible_path(path))]
    Missing {
        /// The path.
        path: PathBuf,
        /// Where it is named: the scenario file or `the command line`.
        named_in: String,
    },
    /// A file could not be read or written.
    #[error("{}: {source}", visible_path(path))]
    Io {
        /// The path.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// An `input_command` in a run without a board.
    #[error(
        "`session.input_command` gives input to sessions on a board alone: a run on this machine \
         would be of a program without its input"
    )]
    InputCommand,
    /// A package of the application's own build in a run without a board.
    #[error("`application.apk` {OWN_PACKAGE_NEEDS_ANDROID}")]
    NoAndroid,
    /// A package of the application's own build that can't be measured.
    #[error("{}: {error}", visible_path(path))]
    OwnPackage {
        /// The package.
        path: PathBuf,
        /// The reason.
        error: OwnPackageError,
    },
    /// No class or activity to start.
    #[error(
        "the scenario names nothing that dry runs and boards could start: in [application] give a \
         class that drives the application as `main`, or `start = \"activity\"` and `activity`, or \
         the package of your own build as `apk`"
    )]
    NoMain,
    /// A scenario file in place of sources.
    #[error(
        "{path} is a scenario, and here source folders, .java files or source jars are asked for; \
         `wattline pipeline {path} --out FOLDER` scans its sources and measures them"
    )]
    NotSources {
        /// The path.
        path: PathBuf,
    },
    /// No Java file.
    #[error("no .java file in {places}{why}")]
    NoSources {
        /// The searched places.
        places: String,
        /// A finding about an unreadable file; may be empty.
        why: String,
    },
    /// Java files only of packages that the JDK provides.
    #[error(
        "{places} has sources of packages java.* alone, which an application takes from the JDK; \
         name the application's own sources"
    )]
    OnlyPlatform {
        /// The searched places.
        places: String,
    },
    /// An activity to start that is no class of the application.
    #[error("`application.activity`: the application has no class {class}{remedy}")]
    NoActivity {
        /// Name of the activity.
        class: String,
        /// Likely alternatives, as a part of the sentence; may be empty.
        remedy: String,
    },
    /// A failed build of the virtual board's Android classes.
    #[error("dry runs of an application with a window: {0}")]
    Framework(#[from] crate::virtual_board::simulated_model::SimulatedModelError),
    /// A source file in an unknown encoding, with non-ASCII letters in its code.
    #[error(
        "{file} is not UTF-8{}, and nothing says in which encoding it is, so the program might be \
         another one: state it as javac's `-encoding` does (`encoding` of a [[source]]; of `trace` \
         and `scan`: --encoding)",
        if *more > 0 { format!(", as {more} more are not") } else { String::new() }
    )]
    UndeclaredEncoding {
        /// The file.
        file: String,
        /// Number of further such files.
        more: usize,
    },
    /// A source file that is not in its stated encoding.
    #[error("{file}: {why}; state the encoding that it is in, as javac's `-encoding` does")]
    Undecoded {
        /// The file.
        file: String,
        /// The problem.
        why: String,
    },
    /// A processor path without annotation processors.
    #[error(
        "{} offers no annotation processor; name the jar that has it",
        path.iter().map(|path| visible_path(path).to_string()).collect::<Vec<_>>().join(", ")
    )]
    NoProcessor {
        /// Entries of the path.
        path: Vec<PathBuf>,
    },
    /// Processors that change classes in an unknown way.
    #[error(
        "annotation processors ({processors}) change class {class} while it is compiled, which is \
         only repeated for Lombok: variants of it would be another program; leave its files out \
         (`exclude`) and give them as a library"
    )]
    ClassesChanged {
        /// Name of the changed class.
        class: String,
        /// Names of the processors, without Lombok's.
        processors: String,
    },
    /// A service provided by a static method, which only modules support.
    #[error(
        "module-info.java provides a service by `{class}.provider()`, which Java calls in modules \
         alone, and boards run applications on a class path; give the class a public constructor \
         without parameters, or leave module-info.java out (`exclude`)"
    )]
    ProviderMethod {
        /// Name of the class.
        class: String,
    },
    /// Several modules in one application.
    #[error(
        "the sources declare several modules ({}); give one of them, and the others compiled in \
         --classpath, or run them as no modules (--no-modules)",
        names.join(", ")
    )]
    SeveralModules {
        /// Names of the modules.
        names: Vec<String>,
    },
    /// Preview features of Java in an Android package.
    #[error(
        "`application.preview`: Android has no preview features of Java; measure with `--board \
         jvm`, or write the sources without them"
    )]
    PreviewOnAndroid,
    /// An unreadable class path.
    #[error("class path: {0}")]
    ClassPath(String),
    /// The JDK, Maven or an archive failed.
    #[error(transparent)]
    Toolchain(#[from] ToolchainError),
    /// A Maven artifact without a hash in the scenario.
    #[error(
        "{place}: `{key}` has no `sha256`. Of the {artifact} that Maven fetches it is\n\n\
         sha256 = \"{sha256}\"\n\ncopy this line to below its `maven` if that is the one you mean"
    )]
    NoHash {
        /// `FILE:LINE` of the key.
        place: String,
        /// The key, `source[0]`.
        key: String,
        /// The coordinate.
        artifact: String,
        /// The hash of the fetched file.
        sha256: String,
    },
    /// Unchanged sources that don't compile.
    #[error("the {what} does not compile:\n{errors}{remedy}")]
    DoesNotCompile {
        /// `application` or `instrumented application`.
        what: &'static str,
        /// The first errors of javac.
        errors: String,
        /// A remedy, as a line of its own; may be empty.
        remedy: String,
    },
}

/// Greatest number of javac errors to show.
const SHOWN_ERRORS: usize = 3;

impl BuildError {
    /// A function that turns an I/O error into one with the path.
    pub fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| BuildError::Io { path, source }
    }

    /// The error for sources that javac refused; `release` is a Java release with which they
    /// compile.
    pub fn refused(
        what: &'static str,
        errors: &[Diagnostic],
        sources: &Sources,
        release: Option<u32>,
    ) -> Self {
        let places = &sources.places;
        let shown = errors.iter().take(SHOWN_ERRORS).map(|error| {
            let path = error.file.to_string_lossy().into_owned();
            let place = places.get(&path).unwrap_or(&path);
            let first = format!("{place}:{}: {}", error.line, error.message);
            let lines = std::iter::once(first).chain(error.details.iter().cloned());
            lines.collect::<Vec<String>>().join("\n")
        });
        let mut shown = shown.collect::<Vec<String>>().join("\n");
        if let Some(more) = errors.len().checked_sub(SHOWN_ERRORS).filter(|more| *more > 0) {
            shown += &format!("\nand {}", counted(more, "more error"));
        }
        let remedy = remedy(errors, sources, release);
        BuildError::DoesNotCompile { what, errors: shown, remedy }
    }
}

/// A remedy for javac's errors, as a line of its own; empty if none is known.
fn remedy(errors: &[Diagnostic], sources: &Sources, release: Option<u32>) -> String {
    if let Some(release) = release {
        return format!(
            "\nit compiles for Java {release}: set `java_release = {release}` in \
             [application] (of `trace`: --release {release})"
        );
    }
    let says = |text: &str| errors.iter().any(|error| error.message.contains(text));
    let guessed = sources.findings.iter().find(|f| f.kind == FindingKind::AssumedEncoding);
    let processors = processors_on(&sources.class_path());
    let has_processors = sources.javac.processor_path.is_empty()
        && processors.is_ok_and(|processors| !processors.is_empty());
    if let Some(finding) = guessed {
        return format!(
            "\n{} is not UTF-8 and was read as ISO 8859-1: state its encoding (`encoding` of a \
             [[source]]; of `trace`: --encoding)",
            finding.file
        );
    }
    if says("preview feature") || says("--enable-preview") {
        return "\nfeatures that are previews are on with `preview = true` in [application] (of \
                `trace`: --enable-preview)"
            .to_owned();
    }
    let is_module_import = |line: &String| line.trim_start().starts_with("import module ");
    if errors.iter().any(|error| error.details.iter().any(is_module_import)) {
        return "\ncompact source files and module imports are Java 25's: use a JDK 25 (JAVA_HOME)"
            .to_owned();
    }
    if let Some(remedy) = generated_class::remedy(errors) {
        return format!("\n{remedy}");
    }
    if let Some(remedy) = sources.other_languages.remedy(errors) {
        return format!("\n{remedy}");
    }
    let misses = says("cannot find symbol") || errors.iter().any(Diagnostic::is_missing_package);
    if has_processors && misses {
        return "\na library has annotation processors, which did not run: name its jar as a \
                `[[processor]]` (of `trace`: --processor-path)"
            .to_owned();
    }
    if says("module not found") {
        return "\na module that is missing is mostly a library's: name its jar (of `trace`: \
                --classpath), or leave module-info.java out"
            .to_owned();
    }
    match errors.iter().any(Diagnostic::is_missing_package) {
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
        BuildError::refused("application", &[error], &Sources::default(), None).to_string()
    }

    #[test]
    fn a_missing_library_is_asked_for() {
        let missing = error_of("error: package javax.annotation does not exist");
        assert!(missing.contains("a/A.java:3: error: package"), "{missing}");
        assert!(missing.ends_with("`[[library]]` (of `trace`: --classpath)"), "{missing}");
        assert!(error_of("error: ';' expected").ends_with("expected"));
        let resources = error_of("error: package R does not exist");
        assert!(resources.contains("R.jar that is below"), "{resources}");
        assert!(!resources.contains("missing is mostly a library's"), "{resources}");
        let preview = error_of("error: x is a preview feature and is disabled by default.");
        assert!(preview.contains("`preview = true`"), "{preview}");
        let module = error_of("error: module not found: a.b");
        assert!(module.contains("module-info.java"), "{module}");
    }
}
