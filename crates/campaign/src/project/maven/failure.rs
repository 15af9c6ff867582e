//! Errors of a failed Maven build, from its output.

use std::path::{Path, PathBuf};

use super::export::MavenModule;
use super::goals;
use crate::project::tool_run::{command_name, indented, last_lines};
use crate::project::{ProjectBuild, ProjectError};

/// Greatest number of error lines to show; the log has all.
const ERRORS_MAX: usize = 30;
/// Prefixes of Maven's error lines.
const ERROR: [&str; 2] = ["[ERROR]", "[FATAL]"];
const UNKNOWN_MODULE: &str = "Could not find the selected project in the reactor";

pub(super) fn maven_failure(
    build: &ProjectBuild,
    program: &Path,
    said: &str,
    log: PathBuf,
) -> ProjectError {
    let errors = errors(said);
    if errors.iter().any(|line| line.contains(UNKNOWN_MODULE)) {
        let (module, folder) = (build.target.clone(), build.project.clone());
        return ProjectError::UnknownModule { module, folder };
    }
    let work = build.description();
    let lines: Vec<&str> = said.lines().collect();
    let told = match errors.is_empty() {
        true => indented(last_lines(&lines).iter().copied()),
        false => indented(errors.iter().copied().take(ERRORS_MAX)),
    };
    let is_absent = |line: &&str| line.contains("in offline mode") || line.contains("is offline");
    if errors.iter().any(is_absent) {
        let remedy = format!("{} {}", command_name(build, program), goals(build).join(" "));
        let folder = build.project.clone();
        return ProjectError::NotFetched { work, said: told, folder, remedy };
    }
    ProjectError::Failed { work, said: told, log }
}

/// Maven's distinct error lines, up to its advice on more verbose output.
fn errors(said: &str) -> Vec<&str> {
    let mut told: Vec<&str> = Vec::new();
    for line in said.lines() {
        let Some(text) = ERROR.iter().find_map(|mark| line.strip_prefix(mark)) else { continue };
        let text = text.trim();
        let is_advice = ["To see the full stack trace", "Re-run Maven using"];
        if is_advice.iter().any(|advice| text.starts_with(advice)) {
            break;
        }
        let text = text.trim_end_matches("-> [Help 1]").trim_end();
        if !text.is_empty() && !told.contains(&text) {
            told.push(text);
        }
    }
    told
}

/// The error for a build without Java to analyse, with the target to name instead.
pub(super) fn nothing_compiled(build: &ProjectBuild, written: &[MavenModule]) -> ProjectError {
    let below: Vec<&str> =
        written.iter().flat_map(|module| &module.modules).map(String::as_str).collect();
    let goals = written.iter().flat_map(|module| &module.goals);
    let writers: Vec<String> =
        goals.filter(|goal| !goal.classes.is_empty()).map(|goal| goal.name()).collect();
    let remedy = match (&below[..], &writers[..]) {
        ([first, ..], _) => {
            format!("name a module of it ({}), as `--maven {first}`", below.join(", "))
        }
        ([], []) => "name a module that does, as `app` or `:app`".to_owned(),
        ([], some) => format!(
            "its classes are written by {}, and only what maven-compiler-plugin compiles is read",
            some.join(", ")
        ),
    };
    ProjectError::NothingCompiled { work: build.description(), remedy }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::BuildTool;

    fn told(said: &str) -> String {
        told_with(&[], said)
    }

    fn told_with(options: &[&str], said: &str) -> String {
        let build = ProjectBuild {
            tool: BuildTool::Maven,
            target: "app".into(),
            options: options.iter().map(ToString::to_string).collect(),
            project: "p".into(),
            folder: "out/maven".into(),
        };
        maven_failure(&build, Path::new("/p/mvnw"), said, "out/maven/maven.log".into()).to_string()
    }

    #[test]
    fn a_failed_build_says_what_javac_and_maven_said_once() {
        let said = "[INFO] Scanning\n[ERROR] COMPILATION ERROR : \n[ERROR] /p/A.java:[3,5] ';' \
            expected\n[INFO] 1 error\n[ERROR] Failed to execute goal x:compile on project app: \
            Compilation failure\n[ERROR] /p/A.java:[3,5] ';' expected\n[ERROR] -> [Help 1]\n\
            [ERROR] \n[ERROR] To see the full stack trace of the errors, re-run Maven\n\
            [ERROR] [Help 1] http://cwiki\n";
        let expected = "Maven's build of app failed:\n  COMPILATION ERROR :\n  /p/A.java:[3,5] ';' \
            expected\n  Failed to execute goal x:compile on project app: Compilation failure\n\
            all that it said is in out/maven/maven.log";
        assert_eq!(told(said), expected);
    }

    #[test]
    fn what_is_not_in_the_local_repository_has_a_remedy() {
        let said = "[ERROR] Failed to execute goal on project app: Could not resolve dependencies: \
            Cannot access central (https://c) in offline mode and the artifact a:b:jar:1 has not \
            been downloaded from it before. -> [Help 1]\n";
        let told = told_with(&["-Pfast"], said);
        assert!(told.contains("a:b:jar:1 has not been downloaded"), "{told}");
        assert!(
            told.ends_with("once, in p:\n  ./mvnw -Pfast -pl app -am process-classes"),
            "{told}"
        );
    }

    #[test]
    fn a_module_that_is_not_there_and_a_failure_without_errors() {
        let told_unknown =
            told("[ERROR] Could not find the selected project in the reactor: app @ \n");
        assert!(told_unknown.starts_with("the Maven project p has no module app; name it as"));
        let none = told(&(0..40).map(|n| format!("line {n}\n")).collect::<String>());
        assert!(none.contains("line 39") && none.contains("  line 10\n"), "{none}");
        assert!(!none.contains("line 9\n"), "{none}");
    }
}
