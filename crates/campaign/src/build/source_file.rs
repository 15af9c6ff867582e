//! Decoding of one source file to text.

use wattline_units::limits::SOURCE_FILE_BYTES;

use crate::finding::{Finding, FindingKind};
use crate::java::encoding::{self, SourceEncoding};
use crate::toolchain::entry_name::{EscapedName, NameFault, relative_path};

/// A source file after decoding: text, or a finding.
pub(super) struct DecodedFile {
    /// Path in its source tree.
    pub(super) path: String,
    /// Text; `None` for an unreadable file.
    pub(super) text: Option<String>,
    pub(super) finding: Option<Finding>,
    pub(super) encoding: EncodingStatus,
}

/// Certainty of a file's encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum EncodingStatus {
    /// UTF-8, or the stated encoding.
    #[default]
    Known,
    /// Guessed, for a file that is not UTF-8 and has no stated encoding.
    Guessed,
    /// Not the stated encoding.
    Wrong,
}

impl DecodedFile {
    /// An unreadable file, with a finding.
    pub(super) fn unread(path: String, why: &str) -> DecodedFile {
        let path = EscapedName(&path).to_string();
        let finding = Some(unreadable_finding(path.clone(), why));
        DecodedFile { path, text: None, finding, encoding: EncodingStatus::Known }
    }
}

/// Checks that a file name can be passed to compilers and written elsewhere.
pub(super) fn check_file_name(name: &str) -> Result<(), NameFault> {
    relative_path(name).map(drop)
}

/// Decodes an entry of a source jar.
pub(super) fn source_text(
    path: String,
    bytes: Vec<u8>,
    encoding: Option<SourceEncoding>,
) -> DecodedFile {
    match SOURCE_FILE_BYTES.check(bytes.len() as u64) {
        Ok(()) => decode_text(path, bytes, encoding),
        Err(exceeded) => DecodedFile::unread(path, &exceeded.to_string()),
    }
}

/// Decodes a file: by its byte order mark, else in the stated encoding, else in UTF-8.
pub(super) fn decode_text(
    path: String,
    bytes: Vec<u8>,
    stated: Option<SourceEncoding>,
) -> DecodedFile {
    let marked = encoding::byte_order_mark(&bytes);
    let read = match (marked, stated) {
        (Some((encoding, mark)), _) => encoding.decode(&bytes[mark..]).map_err(|at| (encoding, at)),
        (None, Some(encoding)) => encoding.decode(&bytes).map_err(|at| (encoding, at)),
        (None, None) => return decode_guessed(path, bytes),
    };
    match read {
        Ok(text) => DecodedFile::read(path, text),
        Err((encoding, at)) => {
            let line = bytes[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
            let why = format!("line {line} has bytes that are no character of {}", encoding.name);
            DecodedFile { encoding: EncodingStatus::Wrong, ..DecodedFile::unread(path, &why) }
        }
    }
}

/// Decodes a file without a stated encoding that is not UTF-8.
fn decode_guessed(path: String, bytes: Vec<u8>) -> DecodedFile {
    match String::from_utf8(bytes) {
        Ok(text) => DecodedFile::read(path, text),
        Err(error) if error.as_bytes().contains(&0) => {
            let finding = Some(unreadable_finding(path.clone(), "is binary"));
            DecodedFile { path, text: None, finding, encoding: EncodingStatus::Known }
        }
        // Old sources are often Latin-1: every byte is a character there.
        Err(error) => {
            let message = "not UTF-8; read as ISO 8859-1: state its encoding".to_owned();
            let kind = FindingKind::AssumedEncoding;
            let finding = Some(Finding { file: path.clone(), line: 0, kind, message });
            let text = error.as_bytes().iter().map(|&byte| byte as char).collect();
            DecodedFile {
                finding,
                encoding: EncodingStatus::Guessed,
                ..DecodedFile::read(path, text)
            }
        }
    }
}

impl DecodedFile {
    /// A decoded text without a Ctrl-Z at the end, which is no part of the program (JLS 3.5).
    fn read(path: String, mut text: String) -> DecodedFile {
        if text.ends_with('\u{1a}') {
            text.pop();
        }
        DecodedFile { path, text: Some(text), finding: None, encoding: EncodingStatus::Known }
    }
}

pub(super) fn unreadable_finding(file: String, why: &str) -> Finding {
    let message = format!("not read: {why}");
    Finding { file, line: 0, kind: FindingKind::UnreadableFile, message }
}
