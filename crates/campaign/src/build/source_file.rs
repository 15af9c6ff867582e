//! One source file: its bytes as text, or why they are none.

use wattline_units::limits::SOURCE_FILE_BYTES;

use crate::finding::{Finding, FindingKind};
use crate::java::encoding::{self, SourceEncoding};
use crate::toolchain::entry_name::{EscapedName, NameFault, relative_path};

/// What became of one file.
pub(super) struct ReadFile {
    /// Its name in the tree.
    pub(super) path: String,
    /// None where it can't be read.
    pub(super) text: Option<String>,
    pub(super) finding: Option<Finding>,
    pub(super) encoding: ReadEncoding,
}

/// How a file's encoding is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum ReadEncoding {
    /// It is UTF-8, or the stated one.
    #[default]
    Known,
    /// Nothing states it, and it is not UTF-8.
    Guessed,
    /// It is not the stated one.
    Wrong,
}

impl ReadFile {
    /// A file that is left out, with a finding.
    pub(super) fn unread(path: String, why: &str) -> ReadFile {
        let path = EscapedName(&path).to_string();
        let finding = Some(unreadable(path.clone(), why));
        ReadFile { path, text: None, finding, encoding: ReadEncoding::Known }
    }
}

/// Whether a file's name can be handed on to compilers and written elsewhere.
pub(super) fn check_file_name(name: &str) -> Result<(), NameFault> {
    relative_path(name).map(drop)
}

/// An entry of a source jar.
pub(super) fn source_text(
    path: String,
    bytes: Vec<u8>,
    encoding: Option<SourceEncoding>,
) -> ReadFile {
    match SOURCE_FILE_BYTES.check(bytes.len() as u64) {
        Ok(()) => as_text(path, bytes, encoding),
        Err(exceeded) => ReadFile::unread(path, &exceeded.to_string()),
    }
}

/// A file's text: by its byte order mark, else in the encoding that is stated, else in UTF-8.
pub(super) fn as_text(path: String, bytes: Vec<u8>, stated: Option<SourceEncoding>) -> ReadFile {
    let marked = encoding::marked(&bytes);
    let read = match (marked, stated) {
        (Some((encoding, mark)), _) => encoding.decode(&bytes[mark..]).map_err(|at| (encoding, at)),
        (None, Some(encoding)) => encoding.decode(&bytes).map_err(|at| (encoding, at)),
        (None, None) => return as_guessed(path, bytes),
    };
    match read {
        Ok(text) => ReadFile::read(path, text),
        Err((encoding, at)) => {
            let line = bytes[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
            let why = format!("line {line} has bytes that are no character of {}", encoding.name);
            ReadFile { encoding: ReadEncoding::Wrong, ..ReadFile::unread(path, &why) }
        }
    }
}

/// A file of which nothing says in which encoding it is.
fn as_guessed(path: String, bytes: Vec<u8>) -> ReadFile {
    match String::from_utf8(bytes) {
        Ok(text) => ReadFile::read(path, text),
        Err(error) if error.as_bytes().contains(&0) => {
            let finding = Some(unreadable(path.clone(), "is binary"));
            ReadFile { path, text: None, finding, encoding: ReadEncoding::Known }
        }
        // Old sources are often Latin-1: every byte is a character there.
        Err(error) => {
            let message = "not UTF-8; read as ISO 8859-1: state its encoding".to_owned();
            let kind = FindingKind::AssumedEncoding;
            let finding = Some(Finding { file: path.clone(), line: 0, kind, message });
            let text = error.as_bytes().iter().map(|&byte| byte as char).collect();
            ReadFile { finding, encoding: ReadEncoding::Guessed, ..ReadFile::read(path, text) }
        }
    }
}

impl ReadFile {
    /// A Ctrl-Z at the end is none of the program's characters (JLS 3.5).
    fn read(path: String, mut text: String) -> ReadFile {
        if text.ends_with('\u{1a}') {
            text.pop();
        }
        ReadFile { path, text: Some(text), finding: None, encoding: ReadEncoding::Known }
    }
}

pub(super) fn unreadable(file: String, why: &str) -> Finding {
    let message = format!("not read: {why}");
    Finding { file, line: 0, kind: FindingKind::UnreadableFile, message }
}
