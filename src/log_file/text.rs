//! Logs of text lines: a file, or the one text of an archive. A bug report's archive names its text
//! itself.

use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};

use wattline_units::limits::UNPACKED_LOG_BYTES;

use super::LogFileError;
use super::archive::{LogArchive, LogMember};
use super::member::LogLocation;

/// Entry of a bug report's archive with the name of the text's entry.
const MAIN_ENTRY: &str = "main_entry.txt";

/// Location of a log of text lines.
#[derive(Debug, Clone)]
pub(crate) struct TextLog {
    place: LogLocation,
    /// Name of the entry in an archive; `None` for a file of its own.
    entry: Option<String>,
    /// Names of traces beside the text in an archive.
    pub traces: Vec<String>,
}

impl TextLog {
    /// Location of a file that is no archive.
    pub fn plain(path: &Path) -> Self {
        Self { place: LogLocation::Path(path.to_owned()), entry: None, traces: Vec::new() }
    }

    /// Path for errors about the contents: the file, and the entry in an archive.
    pub fn display_path(&self, path: &Path) -> PathBuf {
        let entry = self.entry.as_ref();
        entry.map_or_else(|| path.to_owned(), |name| format!("{}:{name}", path.display()).into())
    }

    /// Opens the text, unpacked.
    ///
    /// # Errors
    /// As [`LogLocation::open`].
    pub fn open(&self) -> Result<Box<dyn BufRead>, LogFileError> {
        self.place.open()
    }

    /// First bytes of the unpacked text, at most `bytes`.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn head(&self, bytes: u64) -> Result<Vec<u8>, LogFileError> {
        let mut start = Vec::new();
        self.open()?.take(bytes).read_to_end(&mut start)?;
        Ok(start)
    }

    /// All bytes of the unpacked text.
    ///
    /// # Errors
    /// As [`Self::open`]; it has more bytes than a log that is read whole may have.
    pub fn bytes(&self) -> Result<Vec<u8>, LogFileError> {
        Ok(UNPACKED_LOG_BYTES.read_all(self.open()?)?)
    }

    /// Whole text; bytes that are not UTF-8 are replaced.
    ///
    /// # Errors
    /// As [`Self::bytes`].
    pub fn read(&self) -> Result<String, LogFileError> {
        Ok(String::from_utf8_lossy(&self.bytes()?).into_owned())
    }
}

/// Kind of a given log file: text lines, or an archive with traces alone.
#[derive(Debug, Clone)]
pub(crate) enum LogFileKind {
    /// File of its own, or the text of an archive.
    Text(TextLog),
    /// Archive of Perfetto traces.
    Traces,
}

/// Kind of a log file, from its contents.
///
/// # Errors
/// As [`find_text_log`].
pub(crate) fn log_file_kind(path: &Path) -> Result<LogFileKind, LogFileError> {
    let Some(archive) = LogArchive::open(path)? else {
        return Ok(LogFileKind::Text(TextLog::plain(path)));
    };
    let has_traces = archive.members.iter().any(LogMember::is_trace);
    if has_traces && main_entry_name(&archive).is_none() {
        return Ok(LogFileKind::Traces);
    }
    archive_text(&archive, "log").map(LogFileKind::Text)
}

/// Text of a file that may be an archive; `what` names it in errors.
///
/// # Errors
/// Those of the system and of archives; an archive has no text, or several.
pub(crate) fn find_text_log(path: &Path, what: &str) -> Result<TextLog, LogFileError> {
    match LogArchive::open(path)? {
        None => Ok(TextLog::plain(path)),
        Some(archive) => archive_text(&archive, what),
    }
}

/// Text of an archive.
fn archive_text(archive: &LogArchive, what: &str) -> Result<TextLog, LogFileError> {
    let named = main_entry_name(archive);
    let member = match &named {
        Some(name) => archive.only_entry(what, |member| member.name == *name)?,
        None => archive.only_entry(what, LogMember::is_text)?,
    };
    let traces = archive.members.iter().filter(|member| member.is_trace());
    let traces = traces.map(|member| member.name.clone()).collect();
    Ok(TextLog { place: member.place.reopenable()?, entry: Some(member.name.clone()), traces })
}

/// Name of the entry with a bug report's text: the content of the entry `main_entry.txt`, or, in
/// archives of old Androids, the entry named like a bug report.
fn main_entry_name(archive: &LogArchive) -> Option<String> {
    let by_file = archive.members.iter().find(|member| member.name == MAIN_ENTRY);
    if let Some(member) = by_file {
        let mut name = String::new();
        member.place.open().ok()?.take(4096).read_to_string(&mut name).ok()?;
        return Some(name.trim().to_owned());
    }
    let is_report = |member: &&LogMember| {
        let name = &member.name;
        name.starts_with("bugreport") && name.ends_with(".txt") && !name.contains('/')
    };
    let mut reports = archive.members.iter().filter(is_report);
    reports.next().filter(|_| reports.next().is_none()).map(|member| member.name.clone())
}
