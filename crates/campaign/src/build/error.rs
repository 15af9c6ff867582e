//! What can go wrong between a scenario and its variants.

use std::io;
use std::path::PathBuf;

use crate::finding::FindingKind;
use crate::format::{counted, visible_path};
use crate::toolchain::processors::processors_on;
use crate::toolchain::{Diagnostic, ToolchainError};

use super::{OwnPackageError, Sources, generated_class};

/// Why the package of an application's own build does not run on this machine's JVM.
pub const OWN_PACKAGE_NEEDS_ANDROID: &str = "is the package of your own build, which runs on a \
    board with Android alone, real or virtual (`--board`): this machine's JVM has no activities, \
    services or resources";

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
    /// The package of the application's own build needs a board.
    #[error("`application.apk` {OWN_PACKAGE_NEEDS_ANDROID}")]
    NoAndroid,
    /// The package of the application's own build can't be measured.
    #[error("{}: {error}", visible_path(path))]
    OwnPackage {
        /// The package.
        path: PathBuf,
        /// Why.
        error: OwnPackageError,
    },
    /// There is no class to start.
    #[error(
        "the scenario names nothing that dry runs and boards could start: in [application] give a \
         class that drives the application as `main`, or `start = \"activity\"` and `activity`, or \
         the package of your own build as `apk`"
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
    #[error("no .java file in {places}{why}")]
    NoSources {
        /// What was looked through.
        places: String,
        /// About a file that could not be read; may be empty.
        why: String,
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
    /// A source file in an encoding that nobody states, which has letters in its code.
    #[error(
        "{file} is not UTF-8{}, and nothing says in which encoding it is, so the program might be \
         another one: state it as javac's `-encoding` does (`encoding` of a [[source]]; of `trace` \
         and `scan`: --encoding)",
        if *more > 0 { format!(", as {more} more are not") } else { String::new() }
    )]
    UndeclaredEncoding {
        /// The file.
        file: String,
        /// How many others there are.
        more: usize,
    },
    /// A source file that is not in the encoding that is stated.
    #[error("{file}: {why}; state the encoding that it is in, as javac's `-encoding` does")]
    Undecoded {
        /// The file.
        file: String,
        /// What is wrong with it.
        why: String,
    },
    /// A path that has no annotation processor.
    #[error(
        "{} offers no annotation processor; name the jar that has it",
        path.iter().map(|path| visible_path(path).to_string()).collect::<Vec<_>>().join(", ")
    )]
    NoProcessor {
        /// Its entries.
        path: Vec<PathBuf>,
    },
    /// Processors that change classes in ways that only they know.
    #[error(
        "annotation processors ({processors}) change class {class} while it is compiled, which is \
         only repeated for Lombok: variants of it would be another program; leave its files out \
         (`exclude`) and give them as a library"
    )]
    ClassesChanged {
        /// The class.
        class: String,
        /// Those that are not Lombok's.
        processors: String,
    },
    /// A service that only a module can give so.
    #[error(
        "module-info.java provides a service by `{class}.provider()`, which Java calls in modules \
         alone, and boards run applications on a class path; give the class a public constructor \
         without parameters, or leave module-info.java out (`exclude`)"
    )]
    ProviderMethod {
        /// The class.
        class: String,
    },
    /// Several modules at once.
    #[error(
        "the sources declare several modules ({}); give one of them, and the others compiled in \
         --classpath, or run them as no modules (--no-modules)",
        names.join(", ")
    )]
    SeveralModules {
        /// Their names.
        names: Vec<String>,
    },
    /// Previews of Java in a package of Android.
    #[error(
        "`application.preview`: Android has no preview features of Java; measure with `--board \
         jvm`, or write the sources without them"
    )]
    PreviewOnAndroid,
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

    /// The error for sources that javac refused; `release` is one with which it takes them.
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

/// What may help against what javac says, as a line of its own; empty where nothing is known to.
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
    let misses = says("cannot find symbol") || errors.iter().any(Diagnostic::misses_package);
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
