//! The archive of a package before it is signed: entries that are stored lie at multiples
//! of four bytes, so that a device can map them. The same entries give the same bytes.

use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write};

use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// Bytes; what `zipalign` takes for anything but native libraries.
const ALIGNMENT: u16 = 4;
/// Bytes; what a device wants of native libraries that it maps, with pages of 16 KiB.
const PAGE: u16 = 16384;

/// An archive of the entries, name -> bytes: the manifest and DEX packed, since they are read
/// once, resources as they are.
pub fn archive(entries: &BTreeMap<String, Vec<u8>>) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        let is_code = name.ends_with(".dex") || name == "AndroidManifest.xml";
        let method = if is_code { CompressionMethod::Deflated } else { CompressionMethod::Stored };
        add(&mut writer, name, bytes, method).expect("a zip in memory takes an entry");
    }
    writer.finish().expect("a zip in memory can be closed").into_inner()
}

/// How many entries an archive has; none where it is no archive.
pub fn entries(archive: &[u8]) -> usize {
    ZipArchive::new(Cursor::new(archive)).map_or(0, |archive| archive.len())
}

/// A package with other code: all entries as they are, in their order, but for DEX, which is
/// `code` in the place of the first, and the signature, which is gone.
///
/// # Errors
/// The package is no zip archive, or a broken one.
pub fn with_code(package: &[u8], code: &BTreeMap<String, Vec<u8>>) -> Result<Vec<u8>, ZipError> {
    let mut archive = ZipArchive::new(Cursor::new(package))?;
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let mut is_written = false;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index)?;
        let (name, method) = (entry.name()?.into_owned(), entry.compression());
        if is_signature(&name) || entry.is_dir() {
            continue;
        }
        if is_dex(&name) {
            if !std::mem::replace(&mut is_written, true) {
                add_all(&mut writer, code, method)?;
            }
        } else if method == CompressionMethod::Stored {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes)?;
            add(&mut writer, &name, &bytes, method)?;
        } else {
            drop(entry);
            writer.raw_copy_file(archive.by_index_raw(index)?)?;
        }
    }
    if !is_written {
        add_all(&mut writer, code, CompressionMethod::Deflated)?;
    }
    Ok(writer.finish()?.into_inner())
}

type Writer = ZipWriter<Cursor<Vec<u8>>>;

fn add_all(
    writer: &mut Writer,
    entries: &BTreeMap<String, Vec<u8>>,
    method: CompressionMethod,
) -> Result<(), ZipError> {
    entries.iter().try_for_each(|(name, bytes)| add(writer, name, bytes, method))
}

fn add(
    writer: &mut Writer,
    name: &str,
    bytes: &[u8],
    method: CompressionMethod,
) -> Result<(), ZipError> {
    let alignment = if name.ends_with(".so") { PAGE } else { ALIGNMENT };
    let options = SimpleFileOptions::default()
        .compression_method(method)
        .with_alignment(alignment)
        .last_modified_time(zip::DateTime::default());
    writer.start_file(name, options)?;
    Ok(writer.write_all(bytes)?)
}

/// `classes.dex`, `classes2.dex`, ...: what Android runs.
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
    use super::*;

    #[test]
    fn stored_entries_are_aligned_whatever_their_names_are() {
        let names = ["a", "ab", "abc", "abcd", "AndroidManifest.xml", "classes.dex"];
        let entries: BTreeMap<String, Vec<u8>> =
            names.iter().map(|name| (name.to_string(), name.as_bytes().to_vec())).collect();
        let bytes = archive(&entries);
        let mut read = zip::ZipArchive::new(Cursor::new(bytes.clone())).unwrap();
        for index in 0..read.len() {
            let entry = read.by_index(index).unwrap();
            let stored = entry.compression() == CompressionMethod::Stored;
            let start = entry.data_start().unwrap();
            assert!(!stored || start.is_multiple_of(u64::from(ALIGNMENT)), "{index}: {start}");
        }
        assert_eq!(bytes, archive(&entries));
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
        let made = with_code(&package, &code).unwrap();
        assert_eq!(made, with_code(&package, &code).unwrap());
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
        assert!(with_code(b"no archive", &code).is_err());
    }
}
