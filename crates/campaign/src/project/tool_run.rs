//! One run of a build tool: the wrapper's or the path's, into a log, with a folder for what
//! modules write.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::toolchain::jdk::on_path;

use super::{ProjectBuild, ProjectError};

/// The form of the files that this version reads.
const FORMAT: u32 = 1;
/// How many lines of a log are shown where none of them is known to be an error.
const LAST_LINES: usize = 30;

/// The project's wrapper, else the path's program.
pub(super) fn program(build: &ProjectBuild) -> Result<PathBuf, ProjectError> {
    let (tool, project) = (build.tool, &build.project);
    if !tool.files().iter().any(|name| project.join(name).is_file()) {
        return Err(ProjectError::NoProject { tool, folder: project.clone() });
    }
    let wrapper = project.join(tool.wrapper());
    if wrapper.is_file() {
        return wrapper.canonicalize().map_err(ProjectError::io(&wrapper));
    }
    on_path(tool.program()).ok_or_else(|| ProjectError::NoTool { tool, folder: project.clone() })
}

/// How the program is called in the project's folder: `./gradlew`, `mvn`.
pub(super) fn command_name(build: &ProjectBuild, program: &Path) -> String {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    if name == build.tool.wrapper() { format!("./{name}") } else { name.into_owned() }
}

/// An empty folder for what modules write, as a program in another folder finds it.
pub(super) fn export_folder(build: &ProjectBuild) -> Result<PathBuf, ProjectError> {
    let exported = build.folder.join("export");
    if exported.exists() {
        fs::remove_dir_all(&exported).map_err(ProjectError::io(&exported))?;
    }
    fs::create_dir_all(&exported).map_err(ProjectError::io(&exported))?;
    exported.canonicalize().map_err(ProjectError::io(&exported))
}

/// The log of a build.
pub(super) fn log_of(build: &ProjectBuild) -> PathBuf {
    build.folder.join(format!("{}.log", build.tool.folder()))
}

/// Runs it in the project's folder, into the log; what it said where it failed.
pub(super) fn run(
    build: &ProjectBuild,
    program: &Path,
    arguments: impl FnOnce(&mut Command),
) -> Result<Option<String>, ProjectError> {
    let log = log_of(build);
    let out = File::create(&log).map_err(ProjectError::io(&log))?;
    let err = out.try_clone().map_err(ProjectError::io(&log))?;
    let mut command = Command::new(program);
    arguments(&mut command);
    let status = command
        .current_dir(&build.project)
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .status()
        .map_err(|source| ProjectError::Start { program: program.into(), source })?;
    if status.success() {
        return Ok(None);
    }
    let said = fs::read(&log).map_err(ProjectError::io(&log))?;
    Ok(Some(String::from_utf8_lossy(&said).into_owned()))
}

/// What modules wrote, in the order of the files' names.
pub(super) fn exports<T: DeserializeOwned>(folder: &Path) -> Result<Vec<T>, ProjectError> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(ProjectError::io(folder))? {
        let file = entry.map_err(ProjectError::io(folder))?.path();
        if file.extension().is_some_and(|extension| extension == "json") {
            files.push(file);
        }
    }
    files.sort();
    let read = |file: PathBuf| {
        let text = fs::read_to_string(&file).map_err(ProjectError::io(&file))?;
        parse(&text).map_err(|message| ProjectError::Export { file, message })
    };
    files.into_iter().map(read).collect()
}

/// What is in all files that modules write.
#[derive(Deserialize)]
struct ExportHead {
    format: u32,
}

/// Reads what a module wrote; what is wrong with it, where it is of no form that is known.
pub(super) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let read = |error: serde_json::Error| error.to_string();
    match serde_json::from_str(text).map_err(read)? {
        ExportHead { format: FORMAT } => serde_json::from_str(text).map_err(read),
        ExportHead { format } => {
            Err(format!("has form {format}; this version of wattline reads form {FORMAT}"))
        }
    }
}

/// The end of a log in which no line is known to be an error.
pub(super) fn last_lines<'s, 'l>(lines: &'s [&'l str]) -> &'s [&'l str] {
    &lines[lines.len().saturating_sub(LAST_LINES)..]
}

/// Lines of a log, indented below a message.
pub(super) fn indented<'l>(lines: impl IntoIterator<Item = &'l str>) -> String {
    let told = lines.into_iter().filter(|line| !line.trim().is_empty());
    told.map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}
