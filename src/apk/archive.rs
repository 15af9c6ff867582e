//! The archive of a package before it is signed: entries that are stored lie at multiples
//! of four bytes, so that a device can map them. The same entries give the same bytes.

use std::collections::BTreeMap;
use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Bytes; what `zipalign` takes for anything but native libraries.
const ALIGNMENT: u16 = 4;

/// An archive of the entries, name -> bytes: the manifest and DEX packed, since they are read
/// once, resources as they are.
pub fn archive(entries: &BTreeMap<String, Vec<u8>>) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        writer.start_file(name.as_str(), options(name)).expect("a zip in memory takes an entry");
        writer.write_all(bytes).expect("a zip in memory takes bytes");
    }
    writer.finish().expect("a zip in memory can be closed").into_inner()
}

fn options(name: &str) -> SimpleFileOptions {
    let is_code = name.ends_with(".dex") || name == "AndroidManifest.xml";
    let method = if is_code { CompressionMethod::Deflated } else { CompressionMethod::Stored };
    SimpleFileOptions::default()
        .compression_method(method)
        .with_alignment(ALIGNMENT)
        .last_modified_time(zip::DateTime::default())
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
}
