//! Archive of an Android package before signing: stored entries are aligned to multiples of four
//! bytes, so that a device can map them. The same entries give the same bytes.

use std::collections::BTreeMap;
use std::io::{Cursor, Write};

use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::toolchain::archive::{
    ArchiveFault, ArchiveFile, ArchiveFiles, ArchiveReader, EntryFault, EntryFinding,
};

/// Name of the manifest's entry.
const MANIFEST: &str = "AndroidManifest.xml";
/// Alignment in bytes of stored entries but native libraries, as of `zipalign`.
const ALIGNMENT: u16 = 4;
/// Alignment in bytes of native libraries, for devices with pages of 16 KiB.
const PAGE: u16 = 16384;

/// Packs entries, name -> bytes, into an archive: the manifest and DEX compressed, since they are
/// read once, resources stored.
pub fn pack_archive(entries: &BTreeMap<String, Vec<u8>>) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        let is_code = name.ends_with(".dex") || name == MANIFEST;
        let method = if is_code { CompressionMethod::Deflated } else { CompressionMethod::Stored };
        add(&mut writer, name, bytes, (method, zip::DateTime::default()))
            .expect("a zip in memory takes an entry");
    }
    writer.finish().expect("a zip in memory can be closed").into_inner()
}

/// The number of entries of an archive; 0 where it is none.
pub fn entry_count(archive: &[u8]) -> usize {
    ZipArchive::new(Cursor::new(archive)).map_or(0, |archive| archive.len())
}

/// Checks that a package of another build can be given other code and be signed: all of its entries
/// have distinct names below a folder, and its code has the stated size.
///
/// # Errors
/// The package's fault.
pub fn check_package(package: &[u8]) -> Result<(), ArchiveFault> {
    let (mut archive, files) = open(package)?;
    for file in files.iter().filter(|file| is_dex(&file.path)) {
        archive.bytes(file.index)?;
    }
    Ok(())
}

/// The manifest of a package of another build, in Android's binary form.
///
/// # Errors
/// The package's fault.
pub fn manifest_of(package: &[u8]) -> Result<Vec<u8>, ArchiveFault> {
    let (mut archive, files) = open(package)?;
    let manifest = files.iter().find(|file| file.path == MANIFEST);
    archive.bytes(manifest.ok_or(ZipError::FileNotFound)?.index)
}

/// The path of the first native library of a package; virtual boards run no native code.
///
/// # Errors
/// The package's fault.
pub fn native_library(package: &[u8]) -> Result<Option<String>, ArchiveFault> {
    let (_, files) = open(package)?;
    let is_native = |path: &String| path.starts_with("lib/") && path.ends_with(".so");
    Ok(files.into_iter().map(|file| file.path).find(is_native))
}

/// A package with other code: all entries in their order, with the entries `code` in place of the
/// first DEX file, and without other DEX files and the signature.
/// # Errors
/// The package is no zip archive, a broken one, or one with entries that must not be used.
pub fn replace_code(
    package: &[u8],
    code: &BTreeMap<String, Vec<u8>>,
) -> Result<Vec<u8>, ArchiveFault> {
    let (mut archive, files) = open(package)?;
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let mut is_written = false;
    for ArchiveFile { index, path } in files {
        if is_signature(&path) {
            continue;
        }
        let entry = archive.inner().by_index_raw(index)?;
        let (method, time) = (entry.compression(), entry.last_modified().unwrap_or_default());
        drop(entry);
        if is_dex(&path) {
            if !std::mem::replace(&mut is_written, true) {
                add_all(&mut writer, code, method)?;
            }
        } else if method == CompressionMethod::Stored {
            add(&mut writer, &path, &archive.bytes(index)?, (method, time))?;
        } else {
            writer.raw_copy_file_rename(archive.inner().by_index_raw(index)?, path)?;
        }
    }
    if !is_written {
        add_all(&mut writer, code, CompressionMethod::Deflated)?;
    }
    Ok(writer.finish()?.into_inner())
}

/// An opened package and its files.
type OpenPackage<'p> = (ArchiveReader<Cursor<&'p [u8]>>, Vec<ArchiveFile>);

/// Opens a package whose entries must all be usable. Names that differ by case alone are distinct
/// on a device.
fn open(package: &[u8]) -> Result<OpenPackage<'_>, ArchiveFault> {
    let archive = ArchiveReader::open(Cursor::new(package))?;
    let ArchiveFiles { files, findings } = archive.files()?;
    let is_fault = |finding: &EntryFinding| !matches!(finding.fault, EntryFault::Case(_));
    match findings.into_iter().find(is_fault) {
        Some(finding) => Err(finding.into()),
        None => Ok((archive, files)),
    }
}

type PackageWriter = ZipWriter<Cursor<Vec<u8>>>;

fn add_all(
    writer: &mut PackageWriter,
    entries: &BTreeMap<String, Vec<u8>>,
    method: CompressionMethod,
) -> Result<(), ZipError> {
    let how = (method, zip::DateTime::default());
    entries.iter().try_for_each(|(name, bytes)| add(writer, name, bytes, how))
}

fn add(
    writer: &mut PackageWriter,
    name: &str,
    bytes: &[u8],
    (method, time): (CompressionMethod, zip::DateTime),
) -> Result<(), ZipError> {
    let alignment = if name.ends_with(".so") { PAGE } else { ALIGNMENT };
    let options = SimpleFileOptions::default()
        .compression_method(method)
        .with_alignment(alignment)
        .last_modified_time(time);
    writer.start_file(name, options)?;
    Ok(writer.write_all(bytes)?)
}

/// Whether a name is that of a DEX file: `classes.dex`, `classes2.dex`, ...
fn is_dex(name: &str) -> bool {
    let number = name.strip_prefix("classes").and_then(|rest| rest.strip_suffix(".dex"));
    number.is_some_and(|number| number.chars().all(|c| c.is_ascii_digit()))
}

fn is_signature(name: &str) -> bool {
    let Some(file) = name.strip_prefix("META-INF/") else { return false };
    let of_signer = [".SF", ".RSA", ".DSA", ".EC"].iter().any(|end| file.ends_with(end));
    file == "MANIFEST.MF" || of_signer && !file.contains('/')
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn a_package_with_an_entry_outside_is_not_signed_again() {
        let code = BTreeMap::from([("classes.dex".to_string(), b"new".to_vec())]);
        for name in ["../../outside", "/outside", "res/a\nb", "res/../../b"] {
            let package = pack_archive(&BTreeMap::from([
                ("classes.dex".to_string(), b"old".to_vec()),
                (name.to_string(), b"x".to_vec()),
            ]));
            for error in
                [check_package(&package).unwrap_err(), replace_code(&package, &code).unwrap_err()]
            {
                assert!(error.to_string().contains("is refused"), "{name:?}: {error}");
            }
        }
    }

    #[test]
    fn packages_are_given_other_code_whatever_they_are() {
        let code = BTreeMap::from([("classes.dex".to_string(), b"new".to_vec())]);
        let names = ["AndroidManifest.xml", "classes.dex", "res/a.png", "META-INF/CERT.RSA"];
        let package =
            pack_archive(&names.map(|name| (name.to_string(), name.repeat(9).into_bytes())).into());
        bolero::check!().with_type::<Vec<(u16, u8)>>().for_each(|edits| {
            let mut bytes = package.clone();
            for (at, byte) in edits {
                let at = usize::from(*at) % bytes.len();
                bytes[at] = *byte;
            }
            if let Ok(made) = replace_code(&bytes, &code) {
                assert!(check_package(&made).is_ok(), "{edits:?}");
            }
        });
    }

    #[test]
    fn stored_entries_are_aligned_whatever_their_names_are() {
        let names = ["a", "ab", "abc", "abcd", "AndroidManifest.xml", "classes.dex"];
        let entries: BTreeMap<String, Vec<u8>> =
            names.iter().map(|name| (name.to_string(), name.as_bytes().to_vec())).collect();
        let bytes = pack_archive(&entries);
        let mut read = zip::ZipArchive::new(Cursor::new(bytes.clone())).unwrap();
        for index in 0..read.len() {
            let entry = read.by_index(index).unwrap();
            let stored = entry.compression() == CompressionMethod::Stored;
            let start = entry.data_start().unwrap();
            assert!(!stored || start.is_multiple_of(u64::from(ALIGNMENT)), "{index}: {start}");
        }
        assert_eq!(bytes, pack_archive(&entries));
    }

    #[test]
    fn a_package_with_other_code_keeps_all_else() {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        let packed = SimpleFileOptions::default();
        let stored = packed.compression_method(CompressionMethod::Stored);
        for (name, options) in [
            ("AndroidManifest.xml", packed),
            ("classes.dex", stored),
            ("classes2.dex", stored),
            ("lib/arm64-v8a/libx.so", stored),
            ("resources.arsc", stored),
            ("assets/classes.dex.txt", packed),
            ("META-INF/MANIFEST.MF", packed),
            ("META-INF/CERT.RSA", packed),
            ("META-INF/services/a.B", packed),
        ] {
            writer.start_file(name, options).unwrap();
            writer.write_all(name.repeat(50).as_bytes()).unwrap();
        }
        let package = writer.finish().unwrap().into_inner();
        let code = BTreeMap::from([("classes.dex".to_string(), b"new".to_vec())]);
        let made = replace_code(&package, &code).unwrap();
        assert_eq!(made, replace_code(&package, &code).unwrap());
        let mut read = ZipArchive::new(Cursor::new(made)).unwrap();
        let mut told = Vec::new();
        for index in 0..read.len() {
            let mut entry = read.by_index(index).unwrap();
            let (name, method) = (entry.name().unwrap().into_owned(), entry.compression());
            let start = entry.data_start().unwrap();
            let multiple = if name.ends_with(".so") { PAGE } else { ALIGNMENT };
            assert!(
                method != CompressionMethod::Stored || start.is_multiple_of(u64::from(multiple)),
                "{name}: {start}"
            );
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            let expected = if name == "classes.dex" { "new".into() } else { name.repeat(50) };
            assert_eq!(String::from_utf8(bytes).unwrap(), expected);
            told.push((name, method == CompressionMethod::Stored));
        }
        let told: Vec<_> = told.iter().map(|(name, stored)| (name.as_str(), *stored)).collect();
        let expected = [
            ("AndroidManifest.xml", false),
            ("classes.dex", true),
            ("lib/arm64-v8a/libx.so", true),
            ("resources.arsc", true),
            ("assets/classes.dex.txt", false),
            ("META-INF/services/a.B", false),
        ];
        assert_eq!(told, expected);
        assert!(replace_code(b"no archive", &code).is_err());
    }

    /// Writers that can't go back put sizes behind the bytes.
    #[test]
    fn a_package_that_was_written_in_one_go_is_given_other_code() {
        let mut writer = ZipWriter::new_stream(Vec::new());
        for name in ["AndroidManifest.xml", "classes.dex", "res/a.xml"] {
            writer.start_file(name, SimpleFileOptions::default()).unwrap();
            writer.write_all(name.repeat(50).as_bytes()).unwrap();
        }
        let package = writer.finish().unwrap().into_inner();
        let code = BTreeMap::from([("classes.dex".to_string(), b"new".to_vec())]);
        let made = replace_code(&package, &code).unwrap();
        assert_eq!(manifest_of(&made).unwrap(), "AndroidManifest.xml".repeat(50).into_bytes());
        let mut read = ZipArchive::new(Cursor::new(made)).unwrap();
        let mut text = String::new();
        read.by_name("res/a.xml").unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "res/a.xml".repeat(50));
    }
}
