//! One execution of Maven's compiler plugin: its parameters, and the javac options that follow from
//! them.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::format::counted;

/// An execution of the goal `compile`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Compilation {
    execution: String,
    pub parameters: CompilerParameters,
    /// Java files given to javac.
    pub sources: Vec<PathBuf>,
    /// javac of a toolchain, where the build chose one.
    toolchain: Option<PathBuf>,
    /// Jars of annotation processors that are configured apart from the class path.
    pub processors: Vec<PathBuf>,
}

/// Parameters of the goal, by the names of its documentation, as texts.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct CompilerParameters {
    annotation_processors: Option<Vec<String>>,
    /// Coordinates of processors; their files are in `processors`.
    pub annotation_processor_paths: Option<Vec<String>>,
    compile_source_roots: Option<Vec<PathBuf>>,
    compiler_args: Option<Vec<String>>,
    compiler_argument: Option<String>,
    /// Names and values alternately.
    compiler_arguments: Option<Vec<String>>,
    compiler_id: Option<String>,
    enable_preview: Option<String>,
    encoding: Option<String>,
    executable: Option<PathBuf>,
    fork: Option<String>,
    pub generated_sources_directory: Option<PathBuf>,
    multi_release_output: Option<String>,
    output_directory: Option<PathBuf>,
    parameters: Option<String>,
    pub proc: Option<String>,
    release: Option<String>,
    skip_main: Option<String>,
    pub source: Option<String>,
    pub target: Option<String>,
}

/// Compiler ids that run javac.
const JAVAC: [&str; 3] = ["javac", "javac-with-errorprone", "forked-javac"];
/// Names of javac's default encoding on a platform limited to ASCII, which is a subset of UTF-8.
const ASCII: [&str; 2] = ["US-ASCII", "ANSI_X3.4-1968"];

fn is_true(parameter: &Option<String>) -> bool {
    parameter.as_deref() == Some("true")
}

impl Compilation {
    /// Whether the goal compiled anything.
    pub(crate) fn has_compiled(&self) -> bool {
        !is_true(&self.parameters.skip_main)
    }

    /// Whether the classes were written to the module's output folder.
    pub(crate) fn writes_to(&self, output: &Path) -> bool {
        let own = self.parameters.output_directory.as_deref();
        own.is_none_or(|own| own == output) && !is_true(&self.parameters.multi_release_output)
    }

    /// Whether only annotation processors ran, without writing classes.
    pub(crate) fn is_without_classes(&self) -> bool {
        self.parameters.proc.as_deref() == Some("only")
    }

    /// Folders in which javac looks for sources.
    pub fn roots(&self) -> Vec<PathBuf> {
        self.parameters.compile_source_roots.clone().unwrap_or_default()
    }

    /// The value of `--release`.
    pub fn release(&self) -> Option<u32> {
        let release = self.parameters.release.as_deref()?.trim();
        release.strip_prefix("1.").unwrap_or(release).parse().ok()
    }

    /// Encoding of the sources: `default`, javac's own, where none is declared.
    pub fn encoding(&self, default: &str) -> Option<String> {
        let declared = self.parameters.encoding.clone().filter(|name| !name.is_empty());
        declared.or_else(|| (!ASCII.contains(&default)).then(|| default.to_owned()))
    }

    /// javac options without those that have parameters of their own.
    pub fn arguments(&self) -> Vec<String> {
        let all = &self.parameters;
        let mut arguments = Vec::new();
        arguments.extend(all.proc.as_ref().map(|proc| format!("-proc:{proc}")));
        arguments.extend(is_true(&all.enable_preview).then(|| "--enable-preview".to_owned()));
        arguments.extend(is_true(&all.parameters).then(|| "-parameters".to_owned()));
        if let Some(names) = all.annotation_processors.as_ref().filter(|names| !names.is_empty()) {
            arguments.extend(["-processor".to_owned(), names.join(",")]);
        }
        for pair in all.compiler_arguments.iter().flat_map(|words| words.chunks(2)) {
            arguments.extend(pair_arguments(pair));
        }
        arguments.extend(all.compiler_argument.clone());
        arguments.extend(all.compiler_args.iter().flatten().cloned());
        arguments.retain(|argument| !argument.trim().is_empty());
        arguments
    }

    /// The javac that the plugin's configuration names.
    pub fn javac(&self) -> Option<PathBuf> {
        let executable =
            self.parameters.executable.clone().filter(|_| is_true(&self.parameters.fork));
        // One without a folder is looked for on the path.
        executable.filter(|program| program.is_absolute()).or_else(|| self.toolchain.clone())
    }

    /// An obstacle: the compiler is not javac.
    pub(crate) fn compiler_obstacle(&self) -> Option<String> {
        let id = self.parameters.compiler_id.as_deref().filter(|id| !JAVAC.contains(id))?;
        Some(format!(
            "maven-compiler-plugin ({}) has the compilerId {id}, and wattline compiles with javac",
            self.execution
        ))
    }

    /// An obstacle: settings that affect classes differ from those of `main`, the execution with
    /// the most sources.
    pub(crate) fn settings_obstacle(&self, main: &Compilation) -> Option<String> {
        let is_code = |file: &PathBuf| {
            !file.ends_with("module-info.java") && !file.ends_with("package-info.java")
        };
        let told = |c: &Compilation| {
            let CompilerParameters { source, target, encoding, .. } = &c.parameters;
            (c.release(), source.clone(), target.clone(), encoding.clone(), c.arguments())
        };
        let own = self.sources.iter().filter(|file| is_code(file) && !main.sources.contains(file));
        let count = own.count();
        (count > 0 && told(self) != told(main)).then(|| {
            format!(
                "{} that the execution {} of the compiler plugin compiles otherwise {} compiled as \
                 those of {}",
                counted(count, "Java file"),
                self.execution,
                if count == 1 { "is" } else { "are" },
                main.execution
            )
        })
    }

    /// An obstacle: the classes are not in the folder that programs on the class path search.
    pub fn output_obstacle(&self) -> String {
        let count = self.sources.len();
        let are = if count == 1 { "is" } else { "are" };
        let files = format!("{} of the execution {}", counted(count, "Java file"), self.execution);
        match is_true(&self.parameters.multi_release_output) {
            true => format!(
                "{files} {are} not analysed: what it compiles replaces others only in the jar, for \
                 Java {} and later",
                self.parameters.release.as_deref().unwrap_or("9")
            ),
            false => {
                format!("{files} {are} not analysed: what it compiles goes to another folder")
            }
        }
    }
}

/// The javac arguments for a name and a value, as the plugin passes them.
fn pair_arguments(pair: &[String]) -> Vec<String> {
    let [name, value] = pair else { return Vec::new() };
    let name = if name.starts_with('-') { name.clone() } else { format!("-{name}") };
    match value.as_str() {
        "" => vec![name],
        value if name.starts_with("-A") => vec![format!("{name}={value}")],
        value => vec![name, value.to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compilation(parameters: &str, sources: &[&str]) -> Compilation {
        Compilation {
            execution: "default-compile".into(),
            parameters: serde_json::from_str(parameters).unwrap(),
            sources: sources.iter().map(PathBuf::from).collect(),
            toolchain: Some("/jdk/bin/javac".into()),
            processors: Vec::new(),
        }
    }

    #[test]
    fn parameters_are_what_the_plugin_gives_to_javac() {
        let of = |parameters: &str| compilation(parameters, &[]).arguments().join(" ");
        let all = r#"{"proc":"none","enablePreview":"true","parameters":"true",
            "annotationProcessors":["a.B","c.D"],"compilerArguments":["Xlint","","Akey","value",
            "-source","8"],"compilerArgument":"-Werror","compilerArgs":["-Aa=b"," "]}"#;
        let expected = "-proc:none --enable-preview -parameters -processor a.B,c.D -Xlint \
                        -Akey=value -source 8 -Werror -Aa=b";
        assert_eq!(of(all), expected);
        let nothing = r#"{"enablePreview":"false","parameters":null,"annotationProcessors":[]}"#;
        assert_eq!(of(nothing), "");
    }

    #[test]
    fn releases_and_encodings_are_those_that_are_set() {
        let of = |parameters| compilation(parameters, &[]);
        assert_eq!(of(r#"{"release":"11"}"#).release(), Some(11));
        assert_eq!(of(r#"{"release":"1.8"}"#).release(), Some(8));
        assert_eq!(of(r#"{"release":""}"#).release(), None);
        let declared = of(r#"{"encoding":"EUC-JP"}"#).encoding("UTF-8");
        assert_eq!(declared.as_deref(), Some("EUC-JP"));
        assert_eq!(of("{}").encoding("windows-1252").as_deref(), Some("windows-1252"));
        assert_eq!(of(r#"{"encoding":""}"#).encoding("US-ASCII"), None);
    }

    #[test]
    fn a_javac_is_that_of_a_fork_or_of_a_toolchain() {
        let of = |parameters: &str| compilation(parameters, &[]).javac();
        let fork = r#"{"fork":"true","executable":"/other/bin/javac"}"#;
        assert_eq!(of(fork), Some("/other/bin/javac".into()));
        assert_eq!(of(&fork.replace("true", "false")), Some("/jdk/bin/javac".into()));
        assert_eq!(of(r#"{"fork":"true","executable":"javac"}"#), Some("/jdk/bin/javac".into()));
    }

    #[test]
    fn what_is_no_class_of_the_program_is_told() {
        let base = compilation(r#"{"release":"8","outputDirectory":"/t"}"#, &["A.java", "B.java"]);
        assert!(base.writes_to(Path::new("/t")) && !base.writes_to(Path::new("/u")));
        let newer = compilation(
            r#"{"release":"11","outputDirectory":"/t","multiReleaseOutput":"true"}"#,
            &["A.java"],
        );
        assert!(!newer.writes_to(Path::new("/t")));
        assert!(
            newer.output_obstacle().contains("1 Java file of")
                && newer.output_obstacle().contains("Java 11")
        );
        assert_eq!(newer.settings_obstacle(&base), None, "the base has its files");
        let other = compilation(r#"{"release":"9"}"#, &["module-info.java"]);
        assert_eq!(other.settings_obstacle(&base), None, "no code is in it");
        let other = compilation(r#"{"release":"9"}"#, &["C.java", "module-info.java"]);
        assert!(other.settings_obstacle(&base).unwrap().starts_with("1 Java file that"));
        let eclipse = compilation(r#"{"compilerId":"eclipse"}"#, &[]).compiler_obstacle().unwrap();
        assert!(eclipse.contains("has the compilerId eclipse"), "{eclipse}");
        assert_eq!(compilation(r#"{"compilerId":"javac"}"#, &[]).compiler_obstacle(), None);
    }
}
