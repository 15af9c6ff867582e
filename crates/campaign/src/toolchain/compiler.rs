//! javac as a process that keeps running: compiling a few files takes a fifth of a second instead
//! of one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::class_path::join_paths;
use super::warm_jvm::WarmJvm;
use super::{Jdk, ToolchainError};

const SERVER: (&str, &str) = ("CompileServer", include_str!("java/CompileServer.java"));

/// One error or warning of javac.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// File, as given to javac.
    pub file: PathBuf,
    /// Line, from 1.
    pub line: u32,
    /// `error: ...` or `warning: ...`.
    pub message: String,
    /// Further lines of javac: the source line, the symbol, its location.
    pub details: Vec<String>,
}

impl Diagnostic {
    /// Whether the error is about an unknown package.
    pub(crate) fn is_missing_package(&self) -> bool {
        self.missing_package().is_some()
    }

    /// The package that javac does not find.
    pub(crate) fn missing_package(&self) -> Option<&str> {
        self.message.strip_prefix("error: package ")?.strip_suffix(" does not exist")
    }

    /// The classes that javac does not find; of a name before a dot, javac reports a variable.
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

/// Sources, class path and options of one compilation.
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
    /// Jars and folders of modules, for sources that form a module.
    pub module_path: Vec<PathBuf>,
    /// Whether preview features are enabled.
    pub preview: bool,
    /// Annotation processors.
    pub processing: AnnotationProcessing,
    /// Other options, from the user's own build.
    pub options: Vec<String>,
    /// Output folder of the classes; created if absent.
    pub output: PathBuf,
}

/// Selection of the annotation processors that run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum AnnotationProcessing {
    /// No processor.
    #[default]
    Off,
    /// All processors on a path.
    All {
        /// Jars and class folders with processors.
        path: Vec<PathBuf>,
        /// Output folder of generated sources.
        generated: PathBuf,
    },
    /// Named processors.
    Named {
        /// Jars and class folders with processors.
        path: Vec<PathBuf>,
        /// Class names of the processors.
        names: Vec<String>,
    },
}

/// A running javac process.
#[derive(Debug)]
pub struct Compiler {
    process: WarmJvm,
    /// Release of the JDK.
    jdk_release: Option<u32>,
}

impl Compiler {
    /// Takes an idle javac process of the JDK, or starts one.
    pub fn start(jdk: &Jdk) -> Result<Compiler, ToolchainError> {
        let first = |source: &Path, _: &Path, to: &Path| {
            ["-g", "-nowarn", "-proc:none", "-d"]
                .map(str::to_owned)
                .into_iter()
                .chain([to, source].map(|path| path.display().to_string()))
                .collect()
        };
        let process = WarmJvm::start(jdk, SERVER, &[], first)?;
        Ok(Compiler { process, jdk_release: jdk.release() })
    }

    /// Compiles. The inner error lists javac's errors; the classes of a refused compilation must
    /// not be used.
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
        let arguments = javac_arguments(request, empty, self.jdk_release)?;
        let (code, output) = self.process.ask(&arguments).map_err(lost)?;
        if code == 0 {
            return Ok(Ok(()));
        }
        let errors = parse_errors(&output);
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

/// The command line of javac. `empty` is a folder without files, given as the processor path:
/// without it javac would run plugins on the class path even without annotation processing.
fn javac_arguments(
    request: &CompileRequest,
    empty: &Path,
    jdk_release: Option<u32>,
) -> Result<Vec<String>, ToolchainError> {
    let mut arguments: Vec<String> =
        ["-g", "-nowarn", "-encoding", "UTF-8", "-Xmaxerrs", "10000"].map(String::from).into();
    let mut put = |option: &str, value: String| arguments.extend([option.to_string(), value]);
    // javac takes previews only with a release, which is its own.
    let release = request.release.or(jdk_release.filter(|_| request.preview));
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

/// The path as a javac argument, never taken for an option or a file of options (`@FILE`).
fn file_argument(source: &Path) -> Result<String, ToolchainError> {
    let absolute = std::path::absolute(source).map_err(ToolchainError::io("find", source))?;
    Ok(absolute.display().to_string())
}

/// The errors in javac's output, without warnings.
fn parse_errors(output: &str) -> Vec<Diagnostic> {
    let mut all: Vec<Diagnostic> = Vec::new();
    for line in output.lines() {
        match parse_diagnostic_head(line) {
            Some(diagnostic) => all.push(diagnostic),
            None if is_error_count(line) => break,
            None => all.last_mut().into_iter().for_each(|last| last.details.push(line.to_string())),
        }
    }
    all.retain(|diagnostic| diagnostic.message.starts_with("error"));
    all
}

/// Whether a line is the number of errors, `2 errors`, which ends the diagnostics.
fn is_error_count(line: &str) -> bool {
    let Some((number, what)) = line.split_once(' ') else { return false };
    number.parse::<u32>().is_ok() && ["error", "errors", "warning", "warnings"].contains(&what)
}

/// Parses the first line of a diagnostic: file, line and message; `None` for other lines.
fn parse_diagnostic_head(line: &str) -> Option<Diagnostic> {
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
            parse_errors(output),
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
        let arguments = javac_arguments(&request, Path::new("empty"), None).unwrap();
        let files = &arguments[arguments.len() - 3..];
        assert!(files.iter().all(|file| file.starts_with('/')), "{files:?}");
    }

    #[test]
    fn processors_modules_and_previews_are_options() {
        let folder = tempfile::tempdir().unwrap();
        let generated = folder.path().join("gen");
        let of = |request: CompileRequest| {
            javac_arguments(&request, Path::new("empty"), Some(25)).unwrap().join(" ")
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
