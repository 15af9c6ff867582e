//! Paths of the files of a package on the board.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::android::is_package_name;
use crate::folder::BoardFolder;

/// Paths of an installed application on the host.
pub(crate) struct PackagePaths {
    pub jar: PathBuf,
    /// Working directory of the application's processes.
    pub files: PathBuf,
}

/// Paths of an application; `None` if it is not installed.
pub(crate) fn find_package(folder: &BoardFolder, name: &str) -> Option<PackagePaths> {
    let archive = is_package_name(name).then(|| archive_path(name))?;
    let host = |path: &str| folder.path().join(path.trim_start_matches('/'));
    let is_there = folder.metadata(&archive).is_ok_and(|data| data.is_file());
    is_there.then(|| PackagePaths { jar: host(&archive), files: host(&files_path(name)) })
}

/// Names of all installed applications, in order.
pub(crate) fn installed_names(folder: &BoardFolder) -> Vec<String> {
    let entries = folder.list("/data/app").unwrap_or_default().into_iter();
    let names = entries.filter_map(|(name, _)| name.into_string().ok());
    let mut names: Vec<String> =
        names.filter_map(|name| Some(name.strip_suffix(".apk")?.to_owned())).collect();
    names.sort();
    names
}

/// Copies an archive to its path on the board and creates the folder of its data.
pub(super) fn install_archive(folder: &BoardFolder, name: &str, file: &Path) -> io::Result<()> {
    folder.make_folder(&files_path(name))?;
    let part = format!("/data/app/{name}.part");
    io::copy(&mut File::open(file)?, &mut folder.create(&part)?)?;
    folder.rename(&part, &archive_path(name))
}

/// Path of a package's archive on the board.
pub(super) fn archive_path(name: &str) -> String {
    format!("/data/app/{name}.apk")
}

/// Path of the folder of a package's files on the board.
pub(super) fn files_path(name: &str) -> String {
    format!("/data/data/{name}/files")
}
