//! Jars: unpacking sources, packing classes. Packed bytes depend on the content
//! alone, so that the same build gives the same hash.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::ToolchainError;

/// The entries of a jar whose name ends with `suffix` and that `wanted` accepts, as
/// name -> bytes. Entries that would escape a folder (`../`) are left out.
pub fn read(
    path: &Path,
    suffix: &str,
    wanted: impl Fn(&str) -> bool,
) -> Result<BTreeMap<String, Vec<u8>>, ToolchainError> {
    let bad = |message: String| ToolchainError::BadArchive { path: path.to_path_buf(), message };
    let file = fs::File::open(path).map_err(ToolchainError::io("open", path))?;
    let mut archive = ZipArchive::new(file).map_err(|error| bad(error.to_string()))?;
    let mut entries = BTreeMap::new();
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(|error| bad(error.to_string()))?;
        let inside = entry.enclosed_name().is_some();
        let name = entry.name().map_err(|error| bad(error.to_string()))?.to_string();
        if !inside || entry.is_dir() || !name.ends_with(suffix) || !wanted(&name) {
            continue;
        }
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).map_err(|error| bad(error.to_string()))?;
        entries.insert(name, bytes);
    }
    Ok(entries)
}

/// Whether an entry of a jar belongs to its program: not to the jar itself, as manifest,
/// signatures and what Maven left do.
pub(crate) fn is_content(name: &str) -> bool {
    let Some(about) = name.strip_prefix("META-INF/") else { return true };
    let signature = [".SF", ".RSA", ".DSA", ".EC"].iter().any(|end| about.ends_with(end));
    let other = ["maven/", "versions/"].iter().any(|folder| about.starts_with(folder));
    !signature && !other && !["MANIFEST.MF", "INDEX.LIST"].contains(&about)
}

/// Adds entries to those before them, which win; lists of services are joined.
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

/// A jar's bytes: the manifest with `attributes` (name, value), then the entries.
pub fn pack(attributes: &[(&str, &str)], entries: &BTreeMap<String, Vec<u8>>) -> Vec<u8> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(zip::DateTime::default());
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let mut put = |name: &str, bytes: &[u8]| {
        writer.start_file(name, options).expect("a zip in memory takes an entry");
        writer.write_all(bytes).expect("a zip in memory takes bytes");
    };
    put("META-INF/MANIFEST.MF", manifest(attributes).as_bytes());
    for (name, bytes) in entries {
        put(name, bytes);
    }
    writer.finish().expect("a zip in memory can be closed").into_inner()
}

/// All files below `folder`, as relative names with `/` -> bytes.
pub fn read_folder(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>, ToolchainError> {
    let mut entries = BTreeMap::new();
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.map_err(|error| {
            let path = error.path().map_or_else(|| folder.to_path_buf(), Path::to_path_buf);
            ToolchainError::Io { action: "read", path, source: error.into() }
        })?;
        if entry.file_type().is_file() {
            let bytes = fs::read(entry.path()).map_err(ToolchainError::io("read", entry.path()))?;
            entries.insert(relative_name(folder, entry.path()), bytes);
        }
    }
    Ok(entries)
}

/// Writes entries as files below `folder`.
pub fn write_folder(
    folder: &Path,
    entries: &BTreeMap<String, Vec<u8>>,
) -> Result<Vec<PathBuf>, ToolchainError> {
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

fn relative_name(folder: &Path, path: &Path) -> String {
    let relative = path.strip_prefix(folder).unwrap_or(path);
    let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}

fn manifest(attributes: &[(&str, &str)]) -> String {
    let lines = attributes.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
    format!("Manifest-Version: 1.0\r\n{}\r\n", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let classes = read(file.path(), ".class", |_| true).unwrap();
        assert_eq!(classes, BTreeMap::from([("a/B.class".to_string(), b"one".to_vec())]));
    }

    #[test]
    fn what_is_about_a_jar_is_not_its_content() {
        for name in ["a/b.properties", "META-INF/services/a.B", "META-INF/proguard/x.pro"] {
            assert!(is_content(name), "{name}");
        }
        for name in ["META-INF/MANIFEST.MF", "META-INF/A.RSA", "META-INF/maven/g/a/pom.xml"] {
            assert!(!is_content(name), "{name}");
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
    fn a_file_that_is_no_jar_is_an_error_with_its_path() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), b"not a zip").unwrap();
        let error = read(file.path(), "", |_| true).unwrap_err().to_string();
        assert!(error.contains(&file.path().display().to_string()), "{error}");
    }
}
