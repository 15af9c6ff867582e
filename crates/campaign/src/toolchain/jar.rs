//! Jars: reading entries, packing classes. Packed bytes depend on the content alone, so that the
//! same build gives the same hash.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Read, Seek, Write};
use std::path::{Path, PathBuf};

use wattline_units::input::{open_regular, read_regular};
use wattline_units::limits::ARCHIVE_ENTRY_BYTES;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::ToolchainError;
use super::archive::{ArchiveFault, ArchiveFiles, ArchiveReader, EntryFinding};
use super::entry_name::{EscapedName, NameFault, relative_path};
use super::file_tree::FileTree;

const MANIFEST: &str = "META-INF/MANIFEST.MF";

/// Folder of entries that newer JVMs read in place of entries of the same name, in a jar with
/// [`MULTI_RELEASE`].
pub(crate) const VERSIONS_FOLDER: &str = "META-INF/versions/";

/// Manifest attribute of a jar with entries for newer JVMs.
pub(crate) const MULTI_RELEASE: (&str, &str) = ("Multi-Release", "true");

/// wattline's own manifest attribute of a jar whose classes need preview features.
pub(crate) const PREVIEW: (&str, &str) = ("Wattline-Preview", "true");

/// Whether the manifest has the attribute (name, value).
pub(crate) fn has_attribute(manifest: &[u8], (name, value): (&str, &str)) -> bool {
    let text = String::from_utf8_lossy(manifest);
    let is_it = |line: &str| {
        line.split_once(':').is_some_and(|(found, of)| {
            found.eq_ignore_ascii_case(name) && of.trim().eq_ignore_ascii_case(value)
        })
    };
    text.lines().any(is_it)
}

/// The entries of a library to pack into a built program: without its manifest, and with its
/// entries for newer JVMs.
///
/// # Errors
/// As [`read_library`].
pub(crate) fn library_entries(path: &Path) -> Result<BTreeMap<String, Vec<u8>>, ToolchainError> {
    let is_wanted = |name: &str| {
        is_program_entry(name) || name.starts_with(VERSIONS_FOLDER) || name == MANIFEST
    };
    let mut entries = read_library(path, is_wanted)?;
    let manifest = entries.remove(MANIFEST).unwrap_or_default();
    if !has_attribute(&manifest, MULTI_RELEASE) {
        entries.retain(|name, _| !name.starts_with(VERSIONS_FOLDER));
    }
    Ok(entries)
}

/// Whether the manifest of a jar that wattline built has the attribute (name, value).
///
/// # Errors
/// As [`read`].
pub(crate) fn manifest_has(path: &Path, attribute: (&str, &str)) -> Result<bool, ToolchainError> {
    let content = read(path, "", |name| name == MANIFEST)?;
    Ok(content.entries.values().any(|manifest| has_attribute(manifest, attribute)))
}

/// Entries of a jar, and the problems of others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JarContent {
    /// Bytes by entry name, a path below a folder with `/`.
    pub entries: BTreeMap<String, Vec<u8>>,
    /// Entries that were left out, and those whose names clash with others.
    pub findings: Vec<EntryFinding>,
}

/// Reads the entries of a jar whose name ends with `suffix` and that `wanted` accepts. Links and
/// entries outside of the folder (`../`, `/`) become findings.
///
/// # Errors
/// The file is no regular file or no archive, or exceeds a limit.
pub fn read(
    path: &Path,
    suffix: &str,
    wanted: impl Fn(&str) -> bool,
) -> Result<JarContent, ToolchainError> {
    let file = open_regular(path).map_err(ToolchainError::io("open", path))?;
    read_content(file, |name| name.ends_with(suffix) && wanted(name)).map_err(|fault| {
        ToolchainError::BadArchive { path: path.into(), message: fault.to_string() }
    })
}

/// Reads the entries of a jar that goes into a built program, as [`read`] does.
///
/// # Errors
/// As [`read`]; also an entry that is a link or outside of the folder.
pub(crate) fn read_library(
    path: &Path,
    wanted: impl Fn(&str) -> bool,
) -> Result<BTreeMap<String, Vec<u8>>, ToolchainError> {
    let content = read(path, "", wanted)?;
    match content.findings.into_iter().find(|finding| finding.fault.is_refusal()) {
        Some(finding) => {
            let message = ArchiveFault::from(finding).to_string();
            Err(ToolchainError::BadArchive { path: path.into(), message })
        }
        None => Ok(content.entries),
    }
}

/// Reads the wanted entries of an archive from any reader.
///
/// # Errors
/// No archive, or an exceeded limit.
pub fn read_content(
    archive: impl Read + Seek,
    wanted: impl Fn(&str) -> bool,
) -> Result<JarContent, ArchiveFault> {
    let mut archive = ArchiveReader::open(archive)?;
    let ArchiveFiles { files, findings } = archive.files()?;
    let mut entries = BTreeMap::new();
    for file in files.into_iter().filter(|file| wanted(&file.path)) {
        entries.insert(file.path, archive.bytes(file.index)?);
    }
    let is_of_wanted = |finding: &EntryFinding| finding.fault.is_refusal() || wanted(&finding.name);
    let findings = findings.into_iter().filter(is_of_wanted).collect();
    Ok(JarContent { entries, findings })
}

/// Whether an entry belongs to a jar's program, not to the jar itself as manifest, signatures and
/// Maven's files do.
pub(crate) fn is_program_entry(name: &str) -> bool {
    let Some(about) = name.strip_prefix("META-INF/") else { return true };
    let signature = [".SF", ".RSA", ".DSA", ".EC"].iter().any(|end| about.ends_with(end));
    let other = ["maven/", "versions/"].iter().any(|folder| about.starts_with(folder));
    !signature && !other && !["MANIFEST.MF", "INDEX.LIST"].contains(&about)
}

/// Adds entries whose names are new to `to`, and joins lists of services.
pub(crate) fn add_entries(to: &mut BTreeMap<String, Vec<u8>>, more: BTreeMap<String, Vec<u8>>) {
    for (name, bytes) in more {
        let is_list = name.starts_with("META-INF/services/");
        match to.get_mut(&name).filter(|_| is_list) {
            Some(list) => {
                list.push(b'\n');
                list.extend(bytes);
            }
            None => drop(to.entry(name).or_insert(bytes)),
        }
    }
}

/// The bytes of a jar: a manifest with `attributes` (name, value), then the entries but for a
/// manifest among them.
pub fn pack(attributes: &[(&str, &str)], entries: &BTreeMap<String, Vec<u8>>) -> Vec<u8> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(zip::DateTime::default());
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let mut put = |name: &str, bytes: &[u8]| {
        writer.start_file(name, options).expect("a zip in memory takes an entry");
        writer.write_all(bytes).expect("a zip in memory takes bytes");
    };
    put(MANIFEST, manifest(attributes).as_bytes());
    for (name, bytes) in entries.iter().filter(|(name, _)| *name != MANIFEST) {
        put(name, bytes);
    }
    writer.finish().expect("a zip in memory can be closed").into_inner()
}

/// All files below `folder`, those behind links included, as relative names with `/` -> bytes.
///
/// # Errors
/// A file can't be read, or is larger than an entry of an archive may be.
pub fn read_folder(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>, ToolchainError> {
    let mut entries = BTreeMap::new();
    let tree = FileTree::read(folder, &|_| true);
    if let Some(error) = tree.unreadable.into_iter().next() {
        return Err(ToolchainError::Io { action: "read", path: error.path, source: error.source });
    }
    for file in tree.files {
        let bytes = read_regular(&file.path, ARCHIVE_ENTRY_BYTES);
        entries.insert(file.name, bytes.map_err(ToolchainError::io("read", &file.path))?);
    }
    Ok(entries)
}

/// Writes entries as files below `folder`.
///
/// # Errors
/// A name outside of the folder or with control characters; a file that can't be written.
pub fn write_folder(
    folder: &Path,
    entries: &BTreeMap<String, Vec<u8>>,
) -> Result<Vec<PathBuf>, ToolchainError> {
    check_names(entries.keys())?;
    let mut written = Vec::new();
    for (name, bytes) in entries {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(ToolchainError::io("create", parent))?;
        }
        fs::write(&path, bytes).map_err(ToolchainError::io("write", &path))?;
        written.push(path);
    }
    Ok(written)
}

/// Checks that all names are paths below a folder.
///
/// # Errors
/// The first name that is none.
pub(crate) fn check_names<'a>(
    names: impl IntoIterator<Item = &'a String>,
) -> Result<(), ToolchainError> {
    let check = |name: &String| match relative_path(name) {
        Ok(path) if path == *name => Ok(()),
        Ok(_) => Err(NameFault::Redundant),
        Err(fault) => Err(fault),
    };
    names.into_iter().try_for_each(|name| {
        check(name).map_err(|fault| ToolchainError::UnsafeName {
            name: EscapedName(name).to_string(),
            fault,
        })
    })
}

fn manifest(attributes: &[(&str, &str)]) -> String {
    let lines = attributes.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
    format!("Manifest-Version: 1.0\r\n{}\r\n", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_for_newer_jvms_go_along_where_the_manifest_says_so() {
        let entries = BTreeMap::from([
            ("a/B.class".to_string(), b"base".to_vec()),
            ("META-INF/versions/9/a/B.class".to_string(), b"newer".to_vec()),
        ]);
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), pack(&[("multi-release", "True")], &entries)).unwrap();
        assert_eq!(library_entries(file.path()).unwrap(), entries);
        assert!(manifest_has(file.path(), MULTI_RELEASE).unwrap());
        fs::write(file.path(), pack(&[], &entries)).unwrap();
        assert_eq!(library_entries(file.path()).unwrap().len(), 1);
    }

    #[test]
    fn what_is_packed_reads_back_and_packs_to_the_same_bytes() {
        let entries = BTreeMap::from([
            ("a/B.class".to_string(), b"one".to_vec()),
            ("c.txt".to_string(), b"two".to_vec()),
        ]);
        let bytes = pack(&[("Main-Class", "a.B")], &entries);
        assert_eq!(bytes, pack(&[("Main-Class", "a.B")], &entries));
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), &bytes).unwrap();
        let classes = read(file.path(), ".class", |_| true).unwrap().entries;
        assert_eq!(classes, BTreeMap::from([("a/B.class".to_string(), b"one".to_vec())]));
    }

    #[test]
    fn what_is_about_a_jar_is_not_its_content() {
        for name in ["a/b.properties", "META-INF/services/a.B", "META-INF/proguard/x.pro"] {
            assert!(is_program_entry(name), "{name}");
        }
        for name in ["META-INF/MANIFEST.MF", "META-INF/A.RSA", "META-INF/maven/g/a/pom.xml"] {
            assert!(!is_program_entry(name), "{name}");
        }
    }

    #[test]
    fn lists_of_services_are_joined_and_of_others_the_first_is_taken() {
        let of = |service: &str, text: &str| {
            let entries = [("META-INF/services/S", service), ("a.txt", text)];
            BTreeMap::from(entries.map(|(name, text)| (name.to_string(), text.as_bytes().into())))
        };
        let mut entries = of("one", "first");
        add_entries(&mut entries, of("two", "second"));
        assert_eq!(entries, of("one\ntwo", "first"));
    }

    #[test]
    fn names_outside_of_the_folder_are_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("inside");
        for name in ["../out", "/tmp/wattline-out", "a\nb", "a//b", ""] {
            let entries = BTreeMap::from([(name.to_string(), b"x".to_vec())]);
            let error = write_folder(&inside, &entries).unwrap_err();
            assert!(matches!(error, ToolchainError::UnsafeName { .. }), "{name:?}: {error}");
        }
        assert!(!inside.exists() && !folder.path().join("out").exists());
    }

    #[test]
    fn a_manifest_among_the_entries_does_not_come_twice() {
        let entries = BTreeMap::from([(MANIFEST.to_string(), b"old".to_vec())]);
        let packed = pack(&[("Main-Class", "a.B")], &entries);
        let read = read_content(Cursor::new(packed), |_| true).unwrap().entries;
        assert!(read[MANIFEST].ends_with(b"Main-Class: a.B\r\n\r\n"));
    }

    #[test]
    fn a_library_with_a_link_or_a_name_outside_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let jar = folder.path().join("a.jar");
        let entries = BTreeMap::from([("../../x".to_string(), b"x".to_vec())]);
        fs::write(&jar, pack(&[], &entries)).unwrap();
        let error = read_library(&jar, is_program_entry).unwrap_err().to_string();
        assert!(error.contains("a.jar") && error.contains("../../x is refused"), "{error}");
        assert_eq!(read(&jar, "", |_| true).unwrap().findings.len(), 1);
    }

    #[test]
    fn a_file_that_is_no_jar_is_an_error_with_its_path() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), b"not a zip").unwrap();
        let error = read(file.path(), "", |_| true).unwrap_err().to_string();
        assert!(error.contains(&file.path().display().to_string()), "{error}");
    }
}
