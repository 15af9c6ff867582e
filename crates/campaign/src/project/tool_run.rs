//! One run of a build tool, from the project's wrapper or from PATH, with a log file and a folder
//! for the modules' exports.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::toolchain::jdk::find_on_path;

use super::{ProjectBuild, ProjectError};

/// Version of the export format.
const FORMAT: u32 = 1;
/// Number of last log lines to show where none is a known error.
const LAST_LINES: usize = 30;

/// The path of the project's wrapper, else of the tool on PATH.
pub(super) fn find_program(build: &ProjectBuild) -> Result<PathBuf, ProjectError> {
    let (tool, project) = (build.tool, &build.project);
    if !tool.files().iter().any(|name| project.join(name).is_file()) {
        return Err(ProjectError::NoProject { tool, folder: project.clone() });
    }
    let wrapper = project.join(tool.wrapper());
    if wrapper.is_file() {
        return wrapper.canonicalize().map_err(ProjectError::io(&wrapper));
    }
    find_on_path(tool.program())
        .ok_or_else(|| ProjectError::NoTool { tool, folder: project.clone() })
}

/// The command to call the tool in the project's folder: `./gradlew`, `mvn`.
pub(super) fn command_name(build: &ProjectBuild, program: &Path) -> String {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    if name == build.tool.wrapper() { format!("./{name}") } else { name.into_owned() }
}

/// Creates an empty folder for exports; returns its absolute path.
pub(super) fn export_folder(build: &ProjectBuild) -> Result<PathBuf, ProjectError> {
    let exported = build.folder.join("export");
    if exported.exists() {
        fs::remove_dir_all(&exported).map_err(ProjectError::io(&exported))?;
    }
    fs::create_dir_all(&exported).map_err(ProjectError::io(&exported))?;
    exported.canonicalize().map_err(ProjectError::io(&exported))
}

/// Path of the build's log.
pub(super) fn log_path(build: &ProjectBuild) -> PathBuf {
    build.folder.join(format!("{}.log", build.tool.folder()))
}

/// Runs the tool in the project's folder with its output in the log; returns the output of a failed
/// run.
pub(super) fn run_tool(
    build: &ProjectBuild,
    program: &Path,
    arguments: impl FnOnce(&mut Command),
) -> Result<Option<String>, ProjectError> {
    let log = log_path(build);
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

/// Reads the exports of all modules, in the order of file names.
pub(super) fn read_exports<T: DeserializeOwned>(folder: &Path) -> Result<Vec<T>, ProjectError> {
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
        parse_export(&text).map_err(|message| ProjectError::Export { file, message })
    };
    files.into_iter().map(read).collect()
}

/// Head of every export file: the format version.
#[derive(Deserialize)]
struct ExportHead {
    format: u32,
}

/// Parses an export; the error names the problem or an unknown format version.
pub(super) fn parse_export<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let read = |error: serde_json::Error| error.to_string();
    match serde_json::from_str(text).map_err(read)? {
        ExportHead { format: FORMAT } => serde_json::from_str(text).map_err(read),
        ExportHead { format } => {
            Err(format!("has form {format}; this version of wattline reads form {FORMAT}"))
        }
    }
}

/// The last lines of a log in which no line is a known error.
pub(super) fn last_lines<'s, 'l>(lines: &'s [&'l str]) -> &'s [&'l str] {
    &lines[lines.len().saturating_sub(LAST_LINES)..]
}

/// Lines of a log, indented below a message.
pub(super) fn indented<'l>(lines: impl IntoIterator<Item = &'l str>) -> String {
    let told = lines.into_iter().filter(|line| !line.trim().is_empty());
    told.map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}
