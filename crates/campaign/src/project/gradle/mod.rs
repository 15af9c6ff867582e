//! Builds by Gradle, with an init script that exports the compiled modules.

use std::fs;
use std::path::{Path, PathBuf};

use super::module::Module;
use super::tool_run::{
    command_name, export_folder, find_program, indented, last_lines, log_path, read_exports,
    run_tool,
};
use super::{ProjectBuild, ProjectError};

const SCRIPT: &str = include_str!("export.init.gradle");
/// Gradle options, by old and new names, under which the init script does not work: a configuration
/// cache skips init scripts, and isolated projects, which imply that cache, forbid a script for all
/// projects.
const UNFIT: [&str; 3] =
    ["configuration-cache", "unsafe.configuration-cache", "unsafe.isolated-projects"];
/// Number of lines before Gradle's own summary to show, which have the compilers' errors.
const LINES_BEFORE: usize = 16;

/// Runs the Gradle task; returns the modules of which Java was compiled.
pub(super) fn build_modules(build: &ProjectBuild) -> Result<Vec<Module>, ProjectError> {
    let program = find_program(build)?;
    let exported = export_folder(build)?;
    let script = exported.join("export.init.gradle");
    fs::write(&script, SCRIPT).map_err(ProjectError::io(&script))?;
    let said = run_tool(build, &program, |gradle| {
        gradle.arg("--init-script").arg(&script);
        gradle.arg(format!("-Pwattline.export={}", exported.display()));
        gradle.args(UNFIT.map(switched_off));
        gradle.args(&build.options).args(["--console=plain", &build.target]);
    })?;
    if let Some(said) = said {
        return Err(failure(build, &program, &said, log_path(build)));
    }
    let mut modules = read_exports::<Module>(&exported)?;
    modules.retain(|module| !module.variants.is_empty());
    modules.sort_by(|a, b| a.project.cmp(&b.project));
    match modules.is_empty() {
        true => Err(ProjectError::nothing_compiled(build)),
        false => Ok(modules),
    }
}

fn switched_off(what: &str) -> String {
    format!("-Dorg.gradle.{what}=false")
}

/// The error of a failed run, from Gradle's output.
fn failure(build: &ProjectBuild, program: &Path, said: &str, log: PathBuf) -> ProjectError {
    // What it fetched before it failed is no reason, and where it was in its own code helps nobody.
    let is_noise = |line: &&str| line.starts_with("Download ") || line.starts_with("\tat ");
    let lines: Vec<&str> = said.lines().filter(|line| !is_noise(line)).collect();
    let reason = lines.iter().position(|line| line.starts_with("* What went wrong"));
    let reason = reason.and_then(|at| lines.get(at + 1)).copied().unwrap_or_default();
    let is_missing = ["Task '", "Project '", "Cannot locate tasks"].map(|w| reason.starts_with(w));
    if is_missing.contains(&true) && reason.contains("not found in") {
        let said = reason.trim_end_matches('.').to_string();
        return ProjectError::UnknownTask { said, program: command_name(build, program) };
    }
    let summary = lines.iter().position(|line| line.starts_with("FAILURE:"));
    let told = match summary {
        Some(at) => {
            let end = lines[at..].iter().position(|line| line.starts_with("* Try:"));
            &lines[at.saturating_sub(LINES_BEFORE)..end.map_or(lines.len(), |end| at + end)]
        }
        None => last_lines(&lines),
    };
    let said = indented(told.iter().copied());
    ProjectError::Failed { work: build.description(), said, log }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::BuildTool;

    fn told(said: &str) -> String {
        let build = ProjectBuild {
            tool: BuildTool::Gradle,
            target: ":app:assemble".into(),
            options: Vec::new(),
            project: "p".into(),
            folder: "out/gradle".into(),
        };
        failure(&build, Path::new("/p/gradlew"), said, "out/gradle/gradle.log".into()).to_string()
    }

    #[test]
    fn a_failed_build_says_what_compilers_and_gradle_said() {
        let said = "> Task :app:compileJava FAILED\n/p/A.java:3: error: ';' expected\n\
            Download of.jar\n\n\
            FAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for \
            task ':app:compileJava'.\n> Compilation failed\n\n* Try:\nRun with --stacktrace\n";
        let told = told(said);
        assert!(told.starts_with("Gradle's task :app:assemble failed:\n  > Task"), "{told}");
        assert!(told.contains("  /p/A.java:3: error: ';' expected\n  FAILURE"), "{told}");
        assert!(!told.contains("Download"), "{told}");
        assert!(told.contains("out/gradle/gradle.log") && !told.contains("stacktrace"), "{told}");
    }

    #[test]
    fn a_failure_without_a_summary_has_its_last_lines() {
        let said: String = (0..100).map(|n| format!("line {n}\n")).collect();
        let told = told(&said);
        assert!(told.contains("line 99") && told.contains("line 70\n"), "{told}");
        assert!(!told.contains("line 69\n"), "{told}");
    }

    #[test]
    fn a_wrapper_without_a_network_says_so_without_its_stack() {
        let said = "Downloading gradle-6.3-bin.zip\n\nException in thread \"main\" \
            java.net.UnknownHostException: distributions\n\tat a.B.c(B.java:1)\n\tat a.D.e(D.java:2)\n";
        let told = told(said);
        let expected = "failed:\n  Downloading gradle-6.3-bin.zip\n  Exception in thread \"main\" \
            java.net.UnknownHostException: distributions\n";
        assert!(told.contains(expected), "{told}");
        assert!(!told.contains("B.java"), "{told}");
    }

    #[test]
    fn a_task_that_is_not_there_is_told_in_one_sentence() {
        for reason in [
            "Task 'asemble' not found in project ':app'. Some candidates are: 'assemble'.",
            "Project 'ap' not found in root project 'demo'. Some candidates are: 'app'.",
            "Cannot locate tasks that match ':ap:x' as project 'ap' not found in root project 'd'.",
        ] {
            let told = told(&format!("\nFAILURE: x\n\n* What went wrong:\n{reason}\n\n* Try:\n"));
            let expected =
                format!("{}; `./gradlew tasks --all` lists all tasks", &reason[..reason.len() - 1]);
            assert_eq!(told, expected);
        }
    }
}
