//! Export of a Maven module by the listener, and its conversion to a [`Module`].

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::classes::OutputFolder;
use super::compilation::Compilation;
use crate::project::ProjectError;
use crate::project::module::{Module, ModuleVariant};
use crate::project::roots::java_files;
use crate::toolchain::Jdk;

/// From this release on javac runs processors of the class path only when it is told to.
const PROCESSORS_ON_REQUEST: u32 = 23;

/// Export of one module: the JSON of crates/campaign/src/toolchain/maven/MavenExport.java.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MavenModule {
    /// Version of Maven.
    maven: String,
    /// Home of the JVM that runs Maven, whose javac compiles by default.
    java_home: PathBuf,
    java_version: String,
    /// Encoding that javac assumes for sources without a declared one.
    default_encoding: String,
    group: String,
    pub artifact: String,
    folder: PathBuf,
    build: PathBuf,
    /// Output folder of the classes.
    output: PathBuf,
    /// Folders of the submodules.
    pub modules: Vec<String>,
    mains: BTreeSet<String>,
    pub compilations: Vec<Compilation>,
    pub goals: Vec<ExecutedGoal>,
    classpath: Vec<PathBuf>,
    runtime: Vec<PathBuf>,
    /// Run-time dependencies that are not in the local repository.
    missing: Vec<String>,
}

/// A goal, other than the compiler's, that was executed for a module.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct ExecutedGoal {
    /// Plugin: `org.codehaus.mojo:aspectj-maven-plugin`.
    plugin: String,
    goal: String,
    execution: String,
    /// Class files that the goal wrote or changed.
    pub classes: Vec<String>,
}

/// Suffixes of plugin names, with goals that change classes of Java sources: in an up-to-date build
/// such goals write nothing, although the classes are not javac's.
const CLASS_WRITERS: [(&str, &str); 10] = [
    ("aspectj-maven-plugin", "compile"),
    ("byte-buddy-maven-plugin", "transform"),
    ("datanucleus-maven-plugin", "enhance"),
    ("ebean-maven-plugin", "enhance"),
    ("hibernate-enhance-maven-plugin", "enhance"),
    ("jacoco-maven-plugin", "instrument"),
    ("javassist-maven-plugin", "javassist"),
    ("openjpa-maven-plugin", "enhance"),
    ("retrolambda-maven-plugin", "process-main"),
    ("staticweave-maven-plugin", "weave"),
];

impl ExecutedGoal {
    fn is_class_writer(&self) -> bool {
        let is =
            |(plugin, goal): &(&str, &str)| self.plugin.ends_with(plugin) && self.goal == *goal;
        CLASS_WRITERS.iter().any(is)
    }

    pub fn name(&self) -> String {
        format!("{}:{} ({})", self.plugin, self.goal, self.execution)
    }
}

/// Converts an export to a module; classes and resources that are no output of javac are copied
/// below `beside`.
pub(super) fn module(read: &MavenModule, jdk: &Jdk, beside: &Path) -> Result<Module, ProjectError> {
    let (own, elsewhere): (Vec<&Compilation>, Vec<&Compilation>) = read
        .compilations
        .iter()
        .filter(|c| c.has_compiled())
        .partition(|c| c.writes_to(&read.output));
    let Some(main) = own.iter().copied().max_by_key(|c| (!c.is_without_classes(), c.sources.len()))
    else {
        return Ok(module_of_variants(read, true, Vec::new()));
    };
    let generated: BTreeSet<PathBuf> =
        own.iter().filter_map(|c| c.parameters.generated_sources_directory.clone()).collect();
    let mut sources: BTreeSet<PathBuf> =
        own.iter().flat_map(|compilation| compilation.sources.iter().cloned()).collect();
    let mut known = sources.clone();
    known.extend(generated.iter().flat_map(|folder| java_files(folder)));
    let roots: BTreeSet<PathBuf> =
        own.iter().flat_map(|c| c.roots()).chain(generated.clone()).collect();
    let output = OutputFolder::read(&read.output, &known, &roots, &beside.join(&read.artifact))?;
    sources.extend(output.implicit.iter().cloned());
    let offered =
        main.parameters.annotation_processor_paths.is_none() && read.offers_processors(main);
    let remarks = own
        .iter()
        .filter_map(|c| c.settings_obstacle(main))
        .chain(elsewhere.iter().map(|c| c.output_obstacle()))
        .chain(javac_obstacle(read, main, jdk))
        .chain(output.remark());
    let variant = ModuleVariant {
        name: "main".to_owned(),
        sources: sources.into_iter().collect(),
        generated: generated.into_iter().collect(),
        classpath: read.classpath.clone(),
        runtime: read.runtime.clone(),
        boot: Vec::new(),
        release: main.release(),
        source: main.parameters.source.clone(),
        target: main.parameters.target.clone(),
        encoding: main.encoding(&read.default_encoding),
        processors: main.processors.clone(),
        arguments: main.arguments(),
        classes: read.output.clone(),
        resources: output.resources.iter().cloned().collect(),
        android: None,
        obstacles: obstacles(read, &own, &output),
        remarks: remarks.collect(),
        others: output.others,
    };
    Ok(module_of_variants(read, offered, vec![variant]))
}

fn module_of_variants(read: &MavenModule, offered: bool, variants: Vec<ModuleVariant>) -> Module {
    Module {
        tool_version: read.maven.clone(),
        project: format!("{}:{}", read.group, read.artifact),
        name: read.artifact.clone(),
        folder: read.folder.clone(),
        build: read.build.clone(),
        mains: read.mains.iter().map(|main| class_of(main)).collect(),
        runs_offered_processors: offered,
        variants,
    }
}

/// The class of `MODULE/CLASS`, or of `CLASS` alone.
fn class_of(main: &str) -> String {
    main.rsplit_once('/').map_or(main, |(_, class)| class).to_owned()
}

impl MavenModule {
    /// Whether javac looks for processors on the class path.
    fn offers_processors(&self, main: &Compilation) -> bool {
        let version = self.java_version.strip_prefix("1.").unwrap_or(&self.java_version);
        let is_older = version.parse::<u32>().is_ok_and(|java| java < PROCESSORS_ON_REQUEST);
        is_older || main.parameters.proc.as_deref() == Some("full")
    }
}

/// Reasons why javac compiles these sources to another program than the build does.
fn obstacles(read: &MavenModule, own: &[&Compilation], output: &OutputFolder) -> Vec<String> {
    let mut obstacles: Vec<String> = own.iter().filter_map(|c| c.compiler_obstacle()).collect();
    for goal in &read.goals {
        let written: Vec<&String> =
            goal.classes.iter().filter(|name| output.java_classes.contains(*name)).collect();
        match written[..] {
            [first, ..] => obstacles.push(format!(
                "{} writes classes of Java sources ({} of them, as {first})",
                goal.name(),
                written.len()
            )),
            [] if goal.is_class_writer() => {
                obstacles.push(format!("{} writes into classes of Java sources", goal.name()));
            }
            [] => {}
        }
    }
    if !read.missing.is_empty() {
        obstacles.push(format!(
            "what it needs at run time is not in the local repository: {}; fetch it once, as by \
             `mvn -DskipTests package` with a network",
            read.missing.join(", ")
        ));
    }
    obstacles
}

/// An obstacle: the build's javac is of another release than the JDK's.
fn javac_obstacle(read: &MavenModule, main: &Compilation, jdk: &Jdk) -> Option<String> {
    let home = |javac: &Path| Some(javac.canonicalize().ok()?.parent()?.parent()?.to_path_buf());
    let theirs = main.javac().unwrap_or_else(|| read.java_home.join("bin/javac"));
    let (theirs, ours) = (home(&theirs)?, home(&jdk.javac)?);
    (theirs != ours).then(|| {
        format!(
            "Maven compiles with the JDK in {}, wattline with that in {}: set JAVA_HOME to the \
             former for the same classes",
            theirs.display(),
            ours.display()
        )
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::project::tool_run::parse_export;

    fn written(folder: &Path, more: &[(&str, &str)]) -> MavenModule {
        let mut text = r#"{"format":1,"maven":"3.9.9","javaHome":"/gone","javaVersion":"17",
            "defaultEncoding":"UTF-8","group":"org.example","artifact":"app","folder":"/p",
            "build":"/p/target","output":"/p/target/classes","modules":[],
            "mains":["demo/demo.Main"],"compilations":[{"plugin":"a:maven-compiler-plugin",
            "goal":"compile","execution":"default-compile","parameters":{"release":"8",
            "compilerId":"javac","outputDirectory":"/p/target/classes",
            "compileSourceRoots":["/p/src/main/java"],
            "generatedSourcesDirectory":"/p/target/generated-sources/annotations"},
            "sources":["/p/src/main/java/demo/Main.java"],"toolchain":null,"processors":[]}],
            "goals":[],"classpath":["/m2/a.jar"],"runtime":["/m2/a.jar"],"missing":[]}"#
            .to_owned();
        for (from, to) in more {
            assert!(text.contains(from), "{from}");
            text = text.replace(from, to);
        }
        let text = text.replace("\"/p", &format!("\"{}", folder.display()));
        for name in ["src/main/java/demo/Main.java", "target/classes/demo/Main.class"] {
            let file = folder.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "package demo;").unwrap();
        }
        parse_export::<MavenModule>(&text).unwrap()
    }

    fn made(more: &[(&str, &str)]) -> Option<Module> {
        let Ok(jdk) = Jdk::find() else {
            crate::skip::because("no JDK");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let read = written(folder.path(), more);
        Some(module(&read, &jdk, &folder.path().join("beside")).unwrap())
    }

    #[test]
    fn a_module_is_what_its_compiler_was_given() {
        let Some(made) = made(&[]) else { return };
        assert_eq!((&*made.project, &*made.name), ("org.example:app", "app"));
        assert_eq!(made.only_main().map(String::as_str), Some("demo.Main"));
        assert!(made.runs_offered_processors);
        let variant = &made.variants[0];
        assert_eq!((variant.java_release(), variant.sources.len()), (Some(8), 1));
        assert_eq!(variant.encoding().map(String::as_str), Some("UTF-8"));
        assert!(variant.obstacles.is_empty() && variant.remarks.is_empty(), "{variant:?}");
    }

    #[test]
    fn processors_are_looked_for_where_javac_does() {
        let runs = |more: &[(&str, &str)]| made(more).is_none_or(|m| m.runs_offered_processors);
        assert!(!runs(&[(r#""javaVersion":"17""#, r#""javaVersion":"25""#)]));
        let full = (r#""release":"8""#, r#""release":"8","proc":"full""#);
        assert!(runs(&[(r#""javaVersion":"17""#, r#""javaVersion":"25""#), full]));
        assert!(runs(&[(r#""javaVersion":"17""#, r#""javaVersion":"1.8""#)]));
        let named = (r#""release":"8""#, r#""release":"8","annotationProcessorPaths":["a:b:1"]"#);
        assert!(!runs(&[named]) || Jdk::find().is_err());
    }

    #[test]
    fn what_writes_into_classes_is_an_obstacle_also_where_all_is_up_to_date() {
        let goal = |plugin: &str, goal: &str, classes: &str| {
            format!(
                r#""goals":[{{"plugin":"{plugin}","goal":"{goal}","execution":"e","classes":[{classes}]}}]"#
            )
        };
        let told = |goal: String| {
            let made = made(&[(r#""goals":[]"#, &goal)]);
            made.map(|made| made.variants[0].obstacles.join("; "))
        };
        for (goal, expected) in [
            (
                goal("g:weaver", "weave", r#""demo/Main.class""#),
                "g:weaver:weave (e) writes classes",
            ),
            (goal("g:hibernate-enhance-maven-plugin", "enhance", ""), "(e) writes into classes"),
            (goal("g:jacoco-maven-plugin", "prepare-agent", ""), ""),
            (goal("g:kotlin-maven-plugin", "compile", r#""demo/K.class""#), ""),
        ] {
            let Some(told) = told(goal) else { return };
            let is_right =
                if expected.is_empty() { told.is_empty() } else { told.contains(expected) };
            assert!(is_right, "{expected}: {told}");
        }
    }

    #[test]
    fn what_is_no_export_says_why() {
        assert!(parse_export::<MavenModule>("").unwrap_err().contains("EOF"));
        let folder = tempfile::tempdir().unwrap();
        written(folder.path(), &[]);
        assert!(
            parse_export::<MavenModule>(r#"{"format":1}"#).unwrap_err().contains("missing field")
        );
    }
}
