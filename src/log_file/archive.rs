//! Archives of logs: zip, and tar, packed or not. Entries are listed with their first bytes, which
//! decide what they are; their contents are read on demand.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use tar::EntryType;
use wattline_units::limits::{ARCHIVE_LOG_ENTRIES, UNPACKED_TRACE_BYTES};

use super::member::{FilePart, LogLocation};
use super::{LogFileError, listed};
use crate::attribution::unpack_log;
use crate::format::counted;
use crate::input_file;
use crate::toolchain::archive::ArchiveReader;
use crate::toolchain::entry_name::{EscapedName, relative_path};

/// Number of first bytes of an entry that are kept.
const HEAD_BYTES: usize = 1024;
/// Offset and text of a tar archive's magic number.
const TAR_MAGIC: (usize, &[u8]) = (257, b"ustar");

/// Archive of logs with its list of files.
#[derive(Debug, Clone)]
pub(crate) struct LogArchive {
    /// Entries without folders, links and hidden files.
    pub members: Vec<LogMember>,
}

/// Entry of an archive of logs.
#[derive(Debug, Clone)]
pub(crate) struct LogMember {
    /// Name of the entry.
    pub name: String,
    /// First bytes, unpacked.
    pub head: Vec<u8>,
    /// Location of the bytes.
    pub place: LogLocation,
}

impl LogArchive {
    /// Opens an archive and lists its entries; `None` if the file is no archive.
    ///
    /// # Errors
    /// Those of the system; damage; more entries than an archive of logs may have.
    pub fn open(path: &Path) -> Result<Option<Self>, LogFileError> {
        let file = input_file::open(path)?;
        // What comes through a pipe can be read once.
        if !file.metadata()?.is_file() {
            return Ok(None);
        }
        let LogLocation::Part { file, length, .. } = LogLocation::whole(file)? else {
            return Ok(None);
        };
        let part = FilePart { file: file.clone(), at: 0, end: length };
        match archive_kind(&first_bytes(part.clone())?) {
            Some(ArchiveKind::Zip) => return list_zip(&file, length).map(Some),
            Some(ArchiveKind::Tar) => return list_tar(&file, length).map(Some),
            None => {}
        }
        // An archive that was packed as a whole, as `trace.tar.gz`.
        let mut plain = unpack_log(part)?;
        let start = unpacked_head(&mut plain);
        let Some(kind) = archive_kind(&start) else { return Ok(None) };
        let mut spooled = tempfile::tempfile()?;
        let whole = Cursor::new(start).chain(plain);
        io::copy(&mut UNPACKED_TRACE_BYTES.reader(whole), &mut spooled)?;
        let length = spooled.seek(SeekFrom::End(0))?;
        let spooled = Arc::new(spooled);
        match kind {
            ArchiveKind::Zip => list_zip(&spooled, length).map(Some),
            ArchiveKind::Tar => list_tar(&spooled, length).map(Some),
        }
    }

    /// The only entry for which `is_wanted` is true; `what` names it in errors.
    ///
    /// # Errors
    /// There is none, or there are several.
    pub fn only_entry(
        &self,
        what: &str,
        is_wanted: impl Fn(&LogMember) -> bool,
    ) -> Result<&LogMember, LogFileError> {
        let wanted: Vec<&LogMember> = self.members.iter().filter(|m| is_wanted(m)).collect();
        let names = |members: &[&LogMember]| {
            listed(&members.iter().map(|member| member.name.clone()).collect::<Vec<_>>())
        };
        match (wanted.as_slice(), self.members.as_slice()) {
            ([one], _) => Ok(one),
            ([], []) => Err(LogFileError::Entries {
                found: "no files".into(),
                remedy: "give the log itself",
            }),
            ([], all) => Err(LogFileError::Entries {
                found: format!(
                    "no {what} among its {} ({})",
                    counted(all.len(), "entry"),
                    names(&all.iter().collect::<Vec<_>>())
                ),
                remedy: "unpack it and give the entry that is meant, with what it is packed by",
            }),
            (several, _) => Err(LogFileError::Entries {
                found: format!("{} entries that may be {what} ({})", several.len(), names(several)),
                remedy: "unpack it and give the one that is meant",
            }),
        }
    }
}

impl LogMember {
    /// Whether the entry is a Perfetto trace, from its first bytes.
    pub fn is_trace(&self) -> bool {
        is_trace(&self.head)
    }

    /// Whether the entry is text, from its first bytes.
    pub fn is_text(&self) -> bool {
        !self.head.is_empty() && !self.head.iter().any(|byte| matches!(byte, 0..=8 | 14..=26))
    }
}

/// Whether bytes begin a Perfetto trace: field 1 of its message, and no line of a text.
pub(crate) fn is_trace(start: &[u8]) -> bool {
    let is_text = !start.iter().any(|byte| matches!(byte, 0..=8 | 14..=31));
    start.first() == Some(&0x0a) && !is_text
}

/// Format of an archive.
enum ArchiveKind {
    Zip,
    Tar,
}

/// Format of an archive by its first bytes; `None` for other files.
fn archive_kind(start: &[u8]) -> Option<ArchiveKind> {
    // Local entries, or the end of an archive without any.
    if start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06") {
        return Some(ArchiveKind::Zip);
    }
    let (at, magic) = TAR_MAGIC;
    start.get(at..).is_some_and(|rest| rest.starts_with(magic)).then_some(ArchiveKind::Tar)
}

/// First bytes of a reader.
fn first_bytes(input: impl Read) -> io::Result<Vec<u8>> {
    let mut start = Vec::with_capacity(HEAD_BYTES);
    input.take(HEAD_BYTES as u64).read_to_end(&mut start)?;
    Ok(start)
}

/// First bytes of unpacked contents, as far as they are undamaged.
fn unpacked_head(plain: &mut impl Read) -> Vec<u8> {
    let mut start = Vec::with_capacity(HEAD_BYTES);
    // Damage shows when the entry is read.
    let _ = plain.take(HEAD_BYTES as u64).read_to_end(&mut start);
    start
}

/// Unpacked first bytes of an entry, which may be packed itself.
fn entry_head(start: Vec<u8>) -> Vec<u8> {
    match unpack_log(Cursor::new(start)) {
        Ok(mut plain) => unpacked_head(&mut plain),
        Err(_) => Vec::new(),
    }
}

/// Whether an entry is a hidden file of a file manager or archiver.
fn is_hidden(name: &str) -> bool {
    name.split('/').any(|part| part == "__MACOSX" || part.starts_with('.'))
}

/// Lists the entries of a zip archive.
fn list_zip(file: &Arc<File>, size: u64) -> Result<LogArchive, LogFileError> {
    let mut archive = ArchiveReader::open(FilePart { file: file.clone(), at: 0, end: size })?;
    let files = archive.files()?.files;
    let files: Vec<_> = files.into_iter().filter(|file| !is_hidden(&file.path)).collect();
    ARCHIVE_LOG_ENTRIES.check(files.len() as u64).map_err(io::Error::from)?;
    let mut members = Vec::new();
    for entry in files {
        let head = entry_head(archive.head(entry.index, HEAD_BYTES)?);
        let place = LogLocation::Zipped { file: file.clone(), size, index: entry.index };
        members.push(LogMember { name: entry.path, head, place });
    }
    Ok(LogArchive { members })
}

/// Lists the entries of a tar archive.
fn list_tar(file: &Arc<File>, size: u64) -> Result<LogArchive, LogFileError> {
    let whole = FilePart { file: file.clone(), at: 0, end: size };
    let mut archive = tar::Archive::new(whole);
    let mut members = Vec::new();
    for entry in archive.entries_with_seek()? {
        let mut entry = entry?;
        let is_file =
            matches!(entry.header().entry_type(), EntryType::Regular | EntryType::Continuous);
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        if !is_file || is_hidden(&name) {
            continue;
        }
        ARCHIVE_LOG_ENTRIES.check(members.len() as u64 + 1).map_err(io::Error::from)?;
        let (start, length) = (entry.raw_file_position(), entry.size());
        let head = entry_head(first_bytes(&mut entry)?);
        let place = LogLocation::Part { file: file.clone(), start, length };
        let name = relative_path(&name).unwrap_or_else(|_| EscapedName(&name).to_string());
        members.push(LogMember { name, head, place });
    }
    Ok(LogArchive { members })
}
