//! Where the files of a package lie on the board.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::android::is_package_name;
use crate::folder::BoardFolder;

/// An installed application.
pub(crate) struct InstalledPackage {
    pub jar: PathBuf,
    /// The working directory of its processes.
    pub files: PathBuf,
}

/// An application, if it is installed.
pub(crate) fn find(folder: &BoardFolder, name: &str) -> Option<InstalledPackage> {
    let archive = is_package_name(name).then(|| archive_of(name))?;
    let host = |path: &str| folder.path().join(path.trim_start_matches('/'));
    let is_there = folder.look_at(&archive).is_ok_and(|data| data.is_file());
    is_there.then(|| InstalledPackage { jar: host(&archive), files: host(&files_of(name)) })
}

/// The names of all installed applications, in order.
pub(crate) fn installed(folder: &BoardFolder) -> Vec<String> {
    let entries = folder.list("/data/app").unwrap_or_default().into_iter();
    let names = entries.filter_map(|(name, _)| name.into_string().ok());
    let mut names: Vec<String> =
        names.filter_map(|name| Some(name.strip_suffix(".apk")?.to_owned())).collect();
    names.sort();
    names
}

/// Puts an archive in its place.
pub(super) fn put(folder: &BoardFolder, name: &str, file: &Path) -> io::Result<()> {
    folder.make_folder(&files_of(name))?;
    let part = format!("/data/app/{name}.part");
    io::copy(&mut File::open(file)?, &mut folder.create(&part)?)?;
    folder.rename(&part, &archive_of(name))
}

/// The path of a package's archive.
pub(super) fn archive_of(name: &str) -> String {
    format!("/data/app/{name}.apk")
}

/// The path of the folder of a package's files.
pub(super) fn files_of(name: &str) -> String {
    format!("/data/data/{name}/files")
}
