//! Archive of a package: its entries, its manifest, its classes.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use zip::ZipArchive;

use crate::android::InstallError;

/// Whether a jar contains a class.
pub(crate) fn has_class(jar: &Path, class: &str) -> bool {
    let entry = format!("{}.class", class.replace('.', "/"));
    open(jar).is_ok_and(|archive| archive.index_for_name(&entry).is_some())
}

/// Opens a package as a zip archive.
pub(super) fn open(file: &Path) -> Result<ZipArchive<File>, InstallError> {
    let file = File::open(file).map_err(|_| InstallError::Missing)?;
    ZipArchive::new(file).map_err(|_| InstallError::NotJar)
}

/// Largest number of entries of a package.
const ENTRIES_MAX: usize = 1_000_000;
/// Largest unpacked size of all entries of a package, in bytes.
const CONTENT_MAX: u64 = 2 << 30;

/// Refuses an archive with entries outside its folder or of the same name, with too many entries,
/// or that unpack to too many bytes.
pub(super) fn check_entries(archive: &mut ZipArchive<File>) -> Result<(), InstallError> {
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

/// Main attribute of a jar's manifest; `None` if there is none.
pub(super) fn manifest_attribute(archive: &mut ZipArchive<File>, name: &str) -> Option<String> {
    const MANIFEST_MAX: u64 = 1024 * 1024;
    let mut text = String::new();
    let entry = archive.by_name("META-INF/MANIFEST.MF").ok()?;
    entry.take(MANIFEST_MAX).read_to_string(&mut text).ok()?;
    attribute(&text, name)
}

/// Value of an attribute of a manifest, whose lines go on after a line end and a blank.
fn attribute(manifest: &str, name: &str) -> Option<String> {
    let text = manifest.replace("\r\n", "\n").replace("\n ", "");
    let main = text.split("\n\n").next()?;
    let value = main.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    Some(value.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn attributes_go_on_over_lines() {
        let manifest = "Manifest-Version: 1.0\r\nWattline-Package: org.exa\r\n mple\r\n\r\nName: x\r\nMain-Class: no\r\n";
        assert_eq!(attribute(manifest, "Wattline-Package"), Some("org.example".to_owned()));
        assert_eq!(attribute(manifest, "Main-Class"), None);
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
