//! javac as a process that stays warm: a compilation of a few files takes a fifth of
//! a second instead of one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::class_path::join_paths;
use super::warm::WarmJvm;
use super::{Jdk, ToolchainError};

const SERVER: (&str, &str) = ("CompileServer", include_str!("java/CompileServer.java"));

/// One error or warning of the compiler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file, as it was given to the compiler.
    pub file: PathBuf,
    /// Line, from 1.
    pub line: u32,
    /// `error: ...` or `warning: ...`.
    pub message: String,
    /// What the compiler says below that: the line of source, the symbol, its place.
    pub details: Vec<String>,
}

impl Diagnostic {
    /// Whether javac does not know a package.
    pub(crate) fn misses_package(&self) -> bool {
        self.missing_package().is_some()
    }

    /// The package that javac does not know.
    pub(crate) fn missing_package(&self) -> Option<&str> {
        self.message.strip_prefix("error: package ")?.strip_suffix(" does not exist")
    }

    /// The classes that javac does not find; it takes one that stands before a dot for a variable.
    pub(crate) fn missing_classes(&self) -> impl Iterator<Item = &str> {
        let is_of_symbols = self.message.ends_with("cannot find symbol");
        let details = self.details.iter().filter(move |_| is_of_symbols);
        let symbols = details.filter_map(|line| line.trim_start().strip_prefix("symbol:"));
        symbols.filter_map(|symbol| {
            let mut words = symbol.split_whitespace();
            matches!(words.next(), Some("class" | "variable")).then(|| words.next()).flatten()
        })
    }
}

/// What to compile, and how.
#[derive(Debug, Clone, Default)]
pub(crate) struct CompileRequest {
    /// Source files.
    pub sources: Vec<PathBuf>,
    /// Jars and class folders.
    pub classpath: Vec<PathBuf>,
    /// `--release`, when given.
    pub release: Option<u32>,
    /// Whether classes keep the names of parameters.
    pub parameters: bool,
    /// Jars and folders of modules, for sources that are a module.
    pub module_path: Vec<PathBuf>,
    /// Whether features that are previews are on.
    pub preview: bool,
    /// Annotation processors.
    pub processing: AnnotationProcessing,
    /// Other options, as the user's own build has them.
    pub options: Vec<String>,
    /// Where the classes go; created if it isn't there.
    pub output: PathBuf,
}

/// Which annotation processors run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum AnnotationProcessing {
    /// None.
    #[default]
    Off,
    /// All that a path offers.
    All {
        /// Jars and class folders.
        path: Vec<PathBuf>,
        /// Where the sources that they write go.
        generated: PathBuf,
    },
    /// Some of them.
    Named {
        /// Jars and class folders.
        path: Vec<PathBuf>,
        /// Classes.
        names: Vec<String>,
    },
}

/// A running compiler.
#[derive(Debug)]
pub struct Compiler {
    process: WarmJvm,
    /// The release of the JDK.
    own_release: Option<u32>,
}

impl Compiler {
    /// The compiler's process: one that is idle, or a new one.
    pub fn start(jdk: &Jdk) -> Result<Compiler, ToolchainError> {
        let first = |source: &Path, _: &Path, to: &Path| {
            ["-g", "-nowarn", "-proc:none", "-d"]
                .map(str::to_owned)
                .into_iter()
                .chain([to, source].map(|path| path.display().to_string()))
                .collect()
        };
        let process = WarmJvm::start(jdk, SERVER, &[], first)?;
        Ok(Compiler { process, own_release: jdk.release() })
    }

    /// Compiles. The inner error lists what javac refused; nothing is left half written
    /// in the sense that classes of a refused compilation must not be used.
    pub fn compile(
        &mut self,
        request: &CompileRequest,
    ) -> Result<Result<(), Vec<Diagnostic>>, ToolchainError> {
        fs::create_dir_all(&request.output)
            .map_err(ToolchainError::io("create", &request.output))?;
        let lost = |error: io::Error| ToolchainError::Process {
            program: "javac",
            message: error.to_string(),
        };
        let empty = self.process.empty_folder().map_err(lost)?;
        let arguments = arguments(request, empty, self.own_release)?;
        let (code, output) = self.process.ask(&arguments).map_err(lost)?;
        if code == 0 {
            return Ok(Ok(()));
        }
        let errors = errors_of(&output);
        if errors.is_empty() && output.contains("java.lang.StackOverflowError") {
            return Err(ToolchainError::DeepSources);
        }
        if errors.is_empty() {
            return Err(match output.lines().find(|line| line.starts_with("error: ")) {
                Some(line) => ToolchainError::JavacOptions { message: line.to_string() },
                None => ToolchainError::Process { program: "javac", message: output },
            });
        }
        Ok(Err(errors))
    }
}

/// `empty` is a folder without files: what the class path offers as a plugin of javac would run
/// in it, even without annotation processing, unless plugins are looked for elsewhere.
fn arguments(
    request: &CompileRequest,
    empty: &Path,
    own_release: Option<u32>,
) -> Result<Vec<String>, ToolchainError> {
    let mut arguments: Vec<String> =
        ["-g", "-nowarn", "-encoding", "UTF-8", "-Xmaxerrs", "10000"].map(String::from).into();
    let mut put = |option: &str, value: String| arguments.extend([option.to_string(), value]);
    // javac takes previews only with a release, which is its own.
    let release = request.release.or(own_release.filter(|_| request.preview));
    // With `--release` it exports no package of its own.
    let has_exports = request.options.iter().any(|option| option.starts_with("--add-exports"));
    if let Some(release) = release {
        let names: &[&str] = if has_exports { &["-source", "-target"] } else { &["--release"] };
        names.iter().for_each(|name| put(name, release.to_string()));
    }
    if !request.module_path.is_empty() {
        put("--module-path", join_paths(&request.module_path));
    }
    put("-cp", join_paths(&request.classpath));
    put("-d", request.output.display().to_string());
    arguments.extend(processing_arguments(&request.processing, empty)?);
    arguments.extend(request.preview.then(|| "--enable-preview".to_string()));
    arguments.extend(request.parameters.then(|| "-parameters".to_string()));
    arguments.extend(request.options.iter().cloned());
    for source in &request.sources {
        arguments.push(file_argument(source)?);
    }
    Ok(arguments)
}

fn processing_arguments(
    processing: &AnnotationProcessing,
    empty: &Path,
) -> Result<Vec<String>, ToolchainError> {
    let at = |path: &[PathBuf]| vec!["-processorpath".to_string(), join_paths(path)];
    Ok(match processing {
        AnnotationProcessing::Off => {
            let off = ["-proc:none", "-implicit:none"].map(String::from);
            at(&[empty.to_path_buf()]).into_iter().chain(off).collect()
        }
        AnnotationProcessing::All { path, generated } => {
            fs::create_dir_all(generated).map_err(ToolchainError::io("create", generated))?;
            let to = ["-s".to_string(), generated.display().to_string()];
            at(path).into_iter().chain(to).collect()
        }
        AnnotationProcessing::Named { path, names } => {
            let named = ["-implicit:none", "-processor"].map(String::from);
            at(path).into_iter().chain(named).chain([names.join(",")]).collect()
        }
    })
}

/// A source file as javac takes it for one, and not for an option or a file of options (`@FILE`).
fn file_argument(source: &Path) -> Result<String, ToolchainError> {
    let absolute = std::path::absolute(source).map_err(ToolchainError::io("find", source))?;
    Ok(absolute.display().to_string())
}

/// The errors of javac's output.
fn errors_of(output: &str) -> Vec<Diagnostic> {
    let mut all: Vec<Diagnostic> = Vec::new();
    for line in output.lines() {
        match diagnostic(line) {
            Some(diagnostic) => all.push(diagnostic),
            None if is_count(line) => break,
            None => all.last_mut().into_iter().for_each(|last| last.details.push(line.to_string())),
        }
    }
    all.retain(|diagnostic| diagnostic.message.starts_with("error"));
    all
}

/// `2 errors`: the end of the diagnostics.
fn is_count(line: &str) -> bool {
    let Some((number, what)) = line.split_once(' ') else { return false };
    number.parse::<u32>().is_ok() && ["error", "errors", "warning", "warnings"].contains(&what)
}

/// The first line of one.
fn diagnostic(line: &str) -> Option<Diagnostic> {
    let (head, message) = line
        .split_once(": error: ")
        .map(|(head, rest)| (head, format!("error: {rest}")))
        .or_else(|| line.split_once(": warning: ").map(|(h, r)| (h, format!("warning: {r}"))))?;
    let (file, line) = head.rsplit_once(':')?;
    let (file, line) = (Path::new(file).to_path_buf(), line.parse().ok()?);
    Some(Diagnostic { file, line, message, details: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn javac_errors_are_read_with_their_place() {
        let output = "a/B.java:12: error: cannot find symbol\n    x();\n    ^\n  symbol: method x()\na/C.java:3: warning: [x] y\n  z\n1 error\n1 warning\n";
        assert_eq!(
            errors_of(output),
            [Diagnostic {
                file: "a/B.java".into(),
                line: 12,
                message: "error: cannot find symbol".into(),
                details: ["    x();", "    ^", "  symbol: method x()"].map(String::from).into(),
            }]
        );
    }

    #[test]
    fn no_file_name_is_an_option() {
        let request = CompileRequest {
            sources: ["-Xplugin:A", "@options", "a b.java"].map(PathBuf::from).into(),
            output: "out".into(),
            ..CompileRequest::default()
        };
        let arguments = arguments(&request, Path::new("empty"), None).unwrap();
        let files = &arguments[arguments.len() - 3..];
        assert!(files.iter().all(|file| file.starts_with('/')), "{files:?}");
    }

    #[test]
    fn processors_modules_and_previews_are_options() {
        let folder = tempfile::tempdir().unwrap();
        let generated = folder.path().join("gen");
        let of = |request: CompileRequest| {
            arguments(&request, Path::new("empty"), Some(25)).unwrap().join(" ")
        };
        let plain = of(CompileRequest::default());
        assert!(plain.ends_with("-processorpath empty -proc:none -implicit:none"), "{plain}");
        assert!(!plain.contains("--release"), "{plain}");
        let path = vec![PathBuf::from("p.jar")];
        let all = AnnotationProcessing::All { path: path.clone(), generated: generated.clone() };
        let all = of(CompileRequest { processing: all, ..CompileRequest::default() });
        let expected = format!("-processorpath p.jar -s {}", generated.display());
        assert!(all.ends_with(&expected) && generated.is_dir(), "{all}");
        let names = vec!["a.B".to_string(), "c.D".to_string()];
        let request = CompileRequest {
            processing: AnnotationProcessing::Named { path, names },
            module_path: vec!["m.jar".into()],
            preview: true,
            options: vec!["-Akey=value".into()],
            ..CompileRequest::default()
        };
        let named = of(request);
        assert!(named.contains("--release 25 --module-path m.jar "), "{named}");
        let expected = "-processor a.B,c.D --enable-preview -Akey=value";
        assert!(named.ends_with(expected), "{named}");
    }

    #[test]
    fn one_compiler_serves_good_and_bad_sources() {
        let Ok(jdk) = Jdk::find() else {
            return crate::skip::because("no JDK");
        };
        let folder = tempfile::tempdir().unwrap();
        let (good, bad) = (folder.path().join("Good.java"), folder.path().join("Bad.java"));
        fs::write(&good, "class Good { int x = 1; }").unwrap();
        fs::write(&bad, "class Bad {\n int x = y; }").unwrap();
        let output = folder.path().join("classes");
        let request = |sources| CompileRequest {
            sources,
            output: output.clone(),
            ..CompileRequest::default()
        };
        let mut compiler = Compiler::start(&jdk).unwrap();
        let errors = compiler.compile(&request(vec![bad])).unwrap().unwrap_err();
        assert_eq!(errors[0].line, 2);
        compiler.compile(&request(vec![good])).unwrap().unwrap();
        assert!(output.join("Good.class").is_file());
    }
}
