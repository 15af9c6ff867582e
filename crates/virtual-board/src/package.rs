//! Installed applications. An application is an Android package, or, on a board that takes
//! these, a jar whose manifest names the package (`Wattline-Package`); it lies in `/data/app`,
//! its data in `/data/data/PACKAGE`.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use thiserror::Error;
use zip::ZipArchive;

use crate::android::{AndroidError, Flags};
use crate::machine::Machine;

/// Why an application can't be installed, in the package manager's words.
#[derive(Debug, Error)]
pub(super) enum InstallError {
    #[error("INSTALL_FAILED_INVALID_URI: no such file")]
    Missing,
    #[error("INSTALL_PARSE_FAILED_NOT_APK: not an archive")]
    NotJar,
    #[error("INSTALL_PARSE_FAILED_NOT_APK: {0}")]
    BadEntries(String),
    #[error("{0}")]
    Refused(String),
    #[error("INSTALL_FAILED_INTERNAL_ERROR: {0}")]
    Reader(#[from] AndroidError),
    #[error("INSTALL_FAILED_INSUFFICIENT_STORAGE: the disk is full")]
    Full,
    #[error("DELETE_FAILED_INTERNAL_ERROR: not installed")]
    NotInstalled,
    #[error("INSTALL_FAILED_INSUFFICIENT_STORAGE: {0}")]
    Storage(#[from] io::Error),
}

/// An installed application.
pub(super) struct InstalledPackage {
    pub jar: PathBuf,
    /// The working directory of its processes.
    pub files: PathBuf,
}

/// Installs a package or a jar, and returns its package's name. What ran of it is ended.
pub(super) fn install(machine: &Machine, path: &str, flags: Flags) -> Result<String, InstallError> {
    let mut source = machine.folder.open(path).map_err(|_| InstallError::Missing)?;
    if machine.is_disk_full() {
        return Err(InstallError::Full);
    }
    // A copy that nothing on the board can change is what is read, checked and kept.
    let mut copy = tempfile::NamedTempFile::new_in(machine.apps.scratch())?;
    io::copy(&mut source, &mut copy)?;
    let mut archive = open(copy.path())?;
    check_entries(&mut archive)?;
    let jar = machine.android.jars.then(|| manifest_attribute(&mut archive, "Wattline-Package"));
    if let Some(name) = jar.flatten().filter(|name| is_package_name(name)) {
        machine.apps.stop(machine, &name);
        put(machine, &name, copy.path())?;
        machine.android.remove(&name);
        return Ok(name);
    }
    let package = machine.android.check(copy.path(), machine.file.sdk, flags)?;
    let name = package.facts.package.clone();
    machine.apps.stop(machine, &name);
    put(machine, &name, copy.path())?;
    machine.android.keep(package);
    Ok(name)
}

fn put(machine: &Machine, name: &str, file: &Path) -> io::Result<()> {
    machine.folder.make_folder(&files_of(name))?;
    let part = format!("/data/app/{name}.part");
    io::copy(&mut File::open(file)?, &mut machine.folder.create(&part)?)?;
    machine.folder.rename(&part, &archive_of(name))
}

/// An application, if it is installed.
pub(super) fn find(machine: &Machine, name: &str) -> Option<InstalledPackage> {
    let archive = is_package_name(name).then(|| archive_of(name))?;
    let host = |path: &str| machine.root().join(path.trim_start_matches('/'));
    let is_there = machine.folder.look_at(&archive).is_ok_and(|data| data.is_file());
    is_there.then(|| InstalledPackage { jar: host(&archive), files: host(&files_of(name)) })
}

/// The names of all installed applications, in order.
pub(super) fn installed(machine: &Machine) -> Vec<String> {
    let entries = machine.folder.list("/data/app").unwrap_or_default().into_iter();
    let names = entries.filter_map(|(name, _)| name.into_string().ok());
    let mut names: Vec<String> =
        names.filter_map(|name| Some(name.strip_suffix(".apk")?.to_owned())).collect();
    names.sort();
    names
}

/// Removes an application and its data.
pub(super) fn remove(machine: &Machine, name: &str) -> Result<(), InstallError> {
    find(machine, name).ok_or(InstallError::NotInstalled)?;
    machine.folder.remove_file(&archive_of(name))?;
    machine.android.remove(name);
    Ok(machine.folder.remove_folder(&format!("/data/data/{name}"))?)
}

/// Removes an application's data.
pub(super) fn clear(machine: &Machine, name: &str) -> Result<(), InstallError> {
    find(machine, name).ok_or(InstallError::NotInstalled)?;
    machine.folder.remove_folder(&files_of(name))?;
    Ok(machine.folder.make_folder(&files_of(name)).map(drop)?)
}

/// The path of a package's archive.
fn archive_of(name: &str) -> String {
    format!("/data/app/{name}.apk")
}

/// The path of the folder of a package's files.
fn files_of(name: &str) -> String {
    format!("/data/data/{name}/files")
}

/// Whether a jar holds a class.
pub(super) fn has_class(jar: &Path, class: &str) -> bool {
    let entry = format!("{}.class", class.replace('.', "/"));
    open(jar).is_ok_and(|archive| archive.index_for_name(&entry).is_some())
}

fn open(file: &Path) -> Result<ZipArchive<File>, InstallError> {
    let file = File::open(file).map_err(|_| InstallError::Missing)?;
    ZipArchive::new(file).map_err(|_| InstallError::NotJar)
}

/// Entries of a package: more than any has.
const ENTRIES_MAX: usize = 1_000_000;
/// Bytes; what all entries of a package may unpack to.
const CONTENT_MAX: u64 = 2 << 30;

/// Refuses an archive whose entries are no files below a folder, each with a name of its own, or
/// that unpack to more than a package does.
fn check_entries(archive: &mut ZipArchive<File>) -> Result<(), InstallError> {
    let bad = |what: String| Err(InstallError::BadEntries(what));
    if archive.has_duplicate_names() {
        return bad("two entries have one name".into());
    }
    if archive.len() > ENTRIES_MAX {
        return bad(format!("{} entries", archive.len()));
    }
    if archive.has_overlapping_files().map_err(|_| InstallError::NotJar)? {
        return bad("entries overlap".into());
    }
    let mut content = 0_u64;
    for index in 0..archive.len() {
        let entry = archive.by_index_data(index).map_err(|_| InstallError::NotJar)?;
        let name = entry.name().map_err(|_| InstallError::NotJar)?;
        if entry.is_symlink() || !stays_inside(&name) {
            return bad(format!("the entry {} is no file of a package", name.escape_debug()));
        }
        content = content.saturating_add(entry.size());
    }
    match content > CONTENT_MAX {
        true => bad(format!("it unpacks to {content} bytes")),
        false => Ok(()),
    }
}

/// Whether an entry's name is a path below a folder, without control characters.
fn stays_inside(name: &str) -> bool {
    let is_control = name.chars().any(char::is_control);
    !is_control && !name.starts_with('/') && name.split('/').all(|part| part != "..")
}

/// The names of packages: they become names of files.
pub(super) fn is_package_name(name: &str) -> bool {
    let good = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    !name.is_empty() && name.split('.').all(|part| !part.is_empty() && part.chars().all(good))
}

/// A main attribute of the manifest, whose lines go on after a line end and a blank.
fn manifest_attribute(archive: &mut ZipArchive<File>, name: &str) -> Option<String> {
    const MANIFEST_MAX: u64 = 1024 * 1024;
    let mut text = String::new();
    let entry = archive.by_name("META-INF/MANIFEST.MF").ok()?;
    entry.take(MANIFEST_MAX).read_to_string(&mut text).ok()?;
    attribute(&text, name)
}

fn attribute(manifest: &str, name: &str) -> Option<String> {
    let text = manifest.replace("\r\n", "\n").replace("\n ", "");
    let main = text.split("\n\n").next()?;
    let value = main.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    Some(value.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_go_on_over_lines() {
        let manifest = "Manifest-Version: 1.0\r\nWattline-Package: org.exa\r\n mple\r\n\r\nName: x\r\nMain-Class: no\r\n";
        assert_eq!(attribute(manifest, "Wattline-Package"), Some("org.example".to_owned()));
        assert_eq!(attribute(manifest, "Main-Class"), None);
    }

    #[test]
    fn package_names_are_safe_file_names() {
        assert!(is_package_name("org.wattline.demo_1"));
        for name in ["", ".", "..", "a/b", "a..b", "a b"] {
            assert!(!is_package_name(name), "{name}");
        }
    }

    #[test]
    fn archives_with_entries_outside_or_shared_bytes_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.apk");
        let refused = |fill: &dyn Fn(&mut zip::ZipWriter<File>)| {
            let mut writer = zip::ZipWriter::new(File::create(&file).unwrap());
            writer.start_file("res/a", zip::write::SimpleFileOptions::default()).unwrap();
            io::Write::write_all(&mut writer, b"text").unwrap();
            fill(&mut writer);
            writer.finish().unwrap();
            check_entries(&mut open(&file).unwrap()).map_err(|error| error.to_string())
        };
        let options = zip::write::SimpleFileOptions::default();
        assert_eq!(refused(&|_| ()), Ok(()));
        for name in ["/etc/x", "../x", "a/../../x", "a\nb"] {
            let error = refused(&|writer| writer.start_file(name, options).unwrap()).unwrap_err();
            assert!(error.starts_with("INSTALL_PARSE_FAILED_NOT_APK: the entry"), "{error}");
        }
        refused(&|writer| writer.add_symlink("l", "/etc", options).unwrap()).unwrap_err();
        let overlap = refused(&|writer| writer.shallow_copy_file("res/a", "b").unwrap());
        assert_eq!(overlap.unwrap_err(), "INSTALL_PARSE_FAILED_NOT_APK: entries overlap");
    }

    #[test]
    fn what_is_no_archive_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.apk");
        assert!(matches!(open(&file), Err(InstallError::Missing)));
        std::fs::write(&file, "hello").unwrap();
        assert!(matches!(open(&file), Err(InstallError::NotJar)));
    }
}
