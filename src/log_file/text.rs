//! Logs of lines: a file, or the one text of an archive. A bug report's archive names its
//! text itself.

use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};

use wattline_units::limits::UNPACKED_LOG_BYTES;

use super::LogFileError;
use super::archive::{LogArchive, LogMember};
use super::member::LogPlace;

/// The entry of a bug report that names the one with the text.
const MAIN_ENTRY: &str = "main_entry.txt";

/// A log of lines, found and not yet read.
#[derive(Debug, Clone)]
pub(crate) struct TextLog {
    place: LogPlace,
    /// Its name in an archive; none for a file of its own.
    entry: Option<String>,
    /// Traces that are beside it in an archive.
    pub traces: Vec<String>,
}

impl TextLog {
    /// A file that is no archive.
    pub fn plain(path: &Path) -> Self {
        Self { place: LogPlace::Path(path.to_owned()), entry: None, traces: Vec::new() }
    }

    /// What errors about its contents name: the file, and its entry in an archive.
    pub fn shown(&self, path: &Path) -> PathBuf {
        let entry = self.entry.as_ref();
        entry.map_or_else(|| path.to_owned(), |name| format!("{}:{name}", path.display()).into())
    }

    /// Its bytes, unpacked.
    ///
    /// # Errors
    /// As [`LogPlace::open`].
    pub fn open(&self) -> Result<Box<dyn BufRead>, LogFileError> {
        self.place.open()
    }

    /// Its first bytes, unpacked, at most so many.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn head(&self, bytes: u64) -> Result<Vec<u8>, LogFileError> {
        let mut start = Vec::new();
        self.open()?.take(bytes).read_to_end(&mut start)?;
        Ok(start)
    }

    /// All bytes of it.
    ///
    /// # Errors
    /// As [`Self::open`]; it has more bytes than a log that is read whole may have.
    pub fn bytes(&self) -> Result<Vec<u8>, LogFileError> {
        Ok(UNPACKED_LOG_BYTES.read_all(self.open()?)?)
    }

    /// All of it; what is no UTF-8 is replaced.
    ///
    /// # Errors
    /// As [`Self::bytes`].
    pub fn read(&self) -> Result<String, LogFileError> {
        Ok(String::from_utf8_lossy(&self.bytes()?).into_owned())
    }
}

/// What is in a file: a log of lines, or, of an archive, traces alone.
#[derive(Debug, Clone)]
pub(crate) enum GivenLog {
    /// A file of its own, or the text of an archive.
    Text(TextLog),
    /// An archive of Perfetto traces.
    Traces,
}

/// What is in a file, if nobody says what it is.
///
/// # Errors
/// As [`text_log`].
pub(crate) fn given_log(path: &Path) -> Result<GivenLog, LogFileError> {
    let Some(archive) = LogArchive::open(path)? else {
        return Ok(GivenLog::Text(TextLog::plain(path)));
    };
    let has_traces = archive.members.iter().any(LogMember::is_trace);
    if has_traces && main_entry(&archive).is_none() {
        return Ok(GivenLog::Traces);
    }
    text_of(&archive, "log").map(GivenLog::Text)
}

/// The text in a file that may be an archive; `what` names it in errors.
///
/// # Errors
/// Those of the system and of archives; an archive has no text, or several.
pub(crate) fn text_log(path: &Path, what: &str) -> Result<TextLog, LogFileError> {
    match LogArchive::open(path)? {
        None => Ok(TextLog::plain(path)),
        Some(archive) => text_of(&archive, what),
    }
}

/// The text of an archive.
fn text_of(archive: &LogArchive, what: &str) -> Result<TextLog, LogFileError> {
    let named = main_entry(archive);
    let member = match &named {
        Some(name) => archive.only(what, |member| member.name == *name)?,
        None => archive.only(what, LogMember::is_text)?,
    };
    let traces = archive.members.iter().filter(|member| member.is_trace());
    let traces = traces.map(|member| member.name.clone()).collect();
    Ok(TextLog { place: member.place.kept()?, entry: Some(member.name.clone()), traces })
}

/// The entry that a bug report's archive names: by a file that has its name, or, in those of
/// old Androids, by being called so.
fn main_entry(archive: &LogArchive) -> Option<String> {
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
