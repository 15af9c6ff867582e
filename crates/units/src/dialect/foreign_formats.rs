//! Binary formats of tables (workbooks, Parquet, archives), recognised by their first bytes so
//! that an error names them.

/// Compression format of a whole file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstd,
}

/// File format that is not supported, with the remedy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForeignFormat {
    /// Name with its article: `an Excel workbook`.
    pub name: &'static str,
    /// Instruction for the user: `save the sheet as CSV`.
    pub remedy: &'static str,
}

/// First bytes of files with the format that they identify.
const SIGNATURES: [(&[u8], ForeignFormat); 15] = [
    (
        b"PK\x03\x04",
        ForeignFormat {
            name: "a zip archive, which Excel's and LibreOffice's workbooks are",
            remedy: SHEET,
        },
    ),
    (b"\xd0\xcf\x11\xe0", ForeignFormat { name: "an Excel workbook", remedy: SHEET }),
    (
        b"PARE",
        ForeignFormat { name: "an encrypted Parquet file", remedy: "write it without encryption" },
    ),
    (b"FEA1", ForeignFormat { name: "a Feather file of version 1", remedy: WRITE }),
    (b"ORC", ForeignFormat { name: "an ORC file", remedy: WRITE }),
    (b"Obj\x01", ForeignFormat { name: "an Avro file", remedy: WRITE }),
    (b"SQLite format 3", ForeignFormat { name: "an SQLite database", remedy: WRITE }),
    (b"\x89HDF\r\n", ForeignFormat { name: "an HDF5 file", remedy: WRITE }),
    (b"MATLAB 5.0", ForeignFormat { name: "a file of MATLAB", remedy: WRITE }),
    (b"BZh", ForeignFormat { name: "packed by bzip2", remedy: UNPACK }),
    (b"\xfd7zXZ", ForeignFormat { name: "packed by xz", remedy: UNPACK }),
    (b"\x04\x22\x4d\x18", ForeignFormat { name: "packed by lz4", remedy: UNPACK }),
    (b"7z\xbc\xaf", ForeignFormat { name: "a 7z archive", remedy: UNPACK }),
    (b"TDSm", ForeignFormat { name: "a TDMS file", remedy: WRITE }),
    (b"%PDF-1", ForeignFormat { name: "a PDF document", remedy: WRITE }),
];

const SHEET: &str = "save the sheet as CSV";
const WRITE: &str = "write the table as CSV or Parquet";
const UNPACK: &str = "unpack it first";

impl ForeignFormat {
    /// Recognises a format by a file's first bytes; `None` for text and unknown formats.
    pub fn of(sample: &[u8]) -> Option<Self> {
        let is = |signature: &[u8]| sample.starts_with(signature) && is_binary(sample);
        let found = SIGNATURES.iter().find(|(signature, _)| is(signature));
        found.map(|(_, format)| *format).or_else(|| Self::of_text(sample))
    }

    /// Recognises text formats that are no tables of cells.
    fn of_text(sample: &[u8]) -> Option<Self> {
        let text = sample.strip_prefix(b"\xef\xbb\xbf").unwrap_or(sample).trim_ascii_start();
        let begins =
            |with: &[u8]| text.get(..with.len()).is_some_and(|s| s.eq_ignore_ascii_case(with));
        match text.first() {
            Some(b'{') => Some(Self { name: "JSON", remedy: WRITE }),
            Some(b'[') if text[1..].trim_ascii_start().starts_with(b"{") => {
                Some(Self { name: "JSON", remedy: WRITE })
            }
            Some(b'<') if begins(b"<!doctype html") || begins(b"<html") => {
                Some(Self { name: "an HTML page", remedy: "download the file itself" })
            }
            Some(b'<') if begins(b"<?xml") => Some(Self { name: "XML", remedy: WRITE }),
            _ => None,
        }
    }
}

/// Whether the first bytes hold what no text does; a title may begin as a signature does.
fn is_binary(sample: &[u8]) -> bool {
    let is_text = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | 0x20..=0x7e);
    !sample.iter().take(64).all(is_text)
}

impl Compression {
    /// Recognises a compression by a file's first bytes.
    pub fn of(sample: &[u8]) -> Option<Self> {
        match sample {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Self::Zstd),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_kinds_are_known_by_their_first_bytes() {
        let name = |bytes: &[u8]| ForeignFormat::of(bytes).map(|format| format.name);
        assert!(name(b"PK\x03\x04\x14").unwrap().contains("Excel"));
        assert_eq!(name(b"ORC_reads,energy_j\n"), None);
        assert_eq!(name(b"PARE\x00"), Some("an encrypted Parquet file"));
        assert_eq!(name(b"\xef\xbb\xbf {\"a\": 1}"), Some("JSON"));
        assert_eq!(name(b"[ {\"a\": 1}]"), Some("JSON"));
        assert_eq!(name(b"<!DOCTYPE html>"), Some("an HTML page"));
        assert_eq!(name(b"[s];x\n"), None);
        assert_eq!(name(b"time_s,power_w\n"), None);
        assert_eq!(name(b""), None);
        assert_eq!(Compression::of(b"\x1f\x8b\x08"), Some(Compression::Gzip));
        assert_eq!(Compression::of(b"time"), None);
    }
}
