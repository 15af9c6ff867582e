//! One run of a build tool: the wrapper's or the path's, into a log, with a folder for what
//! modules write.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::toolchain::jdk::on_path;

use super::{ProjectBuild, ProjectError};

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
pub(super) fn exports<T>(
    folder: &Path,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, ProjectError> {
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

/// Lines of a log, indented below a message.
pub(super) fn indented<'l>(lines: impl IntoIterator<Item = &'l str>) -> String {
    let told = lines.into_iter().filter(|line| !line.trim().is_empty());
    told.map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}
