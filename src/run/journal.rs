//! The journal of a campaign: append-only, one JSON line per event, each with a CRC of
//! its event's bytes, on disk before the campaign goes on. A last line that was torn by
//! a crash is dropped when the journal is opened; a damaged line before it is an error.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::campaign::Assignment;

use super::error::RunError;
use super::record::RunRecord;

/// Name of the journal in a campaign's folder.
pub const JOURNAL_FILE: &str = "journal.jsonl";

/// What a line says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Event {
    /// The first line: which campaign this is.
    Campaign {
        /// A fingerprint of scenario, plan and order.
        fingerprint: String,
    },
    /// Which boards measure which cases from here on. Only where there are several.
    Assigned(Assignment),
    /// The campaign ended before all its repeats.
    Stopped(Stopped),
    /// A run and its folder are complete.
    Run(Box<RunRecord>),
}

/// Why a campaign ended before all its repeats.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stopped {
    /// The last round of repeats that was made.
    pub after: u32,
    /// Runs of the plan that were not made.
    pub saved: usize,
    /// What was enough.
    pub reason: String,
}

/// An open journal.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    /// The campaign's fingerprint; none in a new journal.
    pub campaign: Option<String>,
    /// Which boards measure which cases; none in a campaign on one board.
    pub assignment: Option<Assignment>,
    /// Why it ended early; none while it did not.
    pub stopped: Option<Stopped>,
    /// The runs, in the order in which they were made.
    pub records: Vec<RunRecord>,
}

/// Which boards measure which cases, where a folder's campaign has several.
pub fn read_assignment(folder: &Path) -> Result<Option<Assignment>, RunError> {
    let path = folder.join(JOURNAL_FILE);
    let bytes = std::fs::read(&path).map_err(RunError::file(&path, "reading"))?;
    let (events, _) = parse(&bytes, &path)?;
    let assigned = events.into_iter().rev().find_map(|event| match event {
        Event::Assigned(assignment) => Some(assignment),
        Event::Campaign { .. } | Event::Stopped(_) | Event::Run(_) => None,
    });
    Ok(assigned)
}

/// Reads the records of a finished or stopped campaign.
pub fn read_journal(folder: &Path) -> Result<Vec<RunRecord>, RunError> {
    let path = folder.join(JOURNAL_FILE);
    let bytes = std::fs::read(&path).map_err(RunError::file(&path, "reading"))?;
    let (events, _) = parse(&bytes, &path)?;
    Ok(events.into_iter().filter_map(Event::record).collect())
}

impl Journal {
    /// Opens or makes the journal of a folder, for one process at a time; drops a torn
    /// last line.
    pub fn open(folder: &Path) -> Result<Journal, RunError> {
        let path = folder.join(JOURNAL_FILE);
        let mut options = OpenOptions::new();
        let options = options.create(true).read(true).append(true);
        let file = options.open(&path).map_err(RunError::file(&path, "opening"))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(RunError::InUse { folder: folder.into() });
            }
            Err(TryLockError::Error(error)) => {
                return Err(RunError::file(&path, "locking")(error));
            }
        }
        let bytes = std::fs::read(&path).map_err(RunError::file(&path, "reading"))?;
        let (events, whole) = parse(&bytes, &path)?;
        if whole < bytes.len() {
            file.set_len(whole as u64).map_err(RunError::file(&path, "shortening"))?;
        }
        sync_folder(folder)?;
        let (campaign, assignment, stopped, records) = Default::default();
        let mut journal = Journal { file, path, campaign, assignment, stopped, records };
        for event in events {
            match event {
                Event::Campaign { fingerprint } => journal.campaign = Some(fingerprint),
                Event::Assigned(assignment) => journal.assignment = Some(assignment),
                Event::Stopped(stopped) => journal.stopped = Some(stopped),
                Event::Run(record) => journal.records.push(*record),
            }
        }
        Ok(journal)
    }

    /// Says which campaign this is: the first line.
    pub fn begin(&mut self, fingerprint: &str) -> Result<(), RunError> {
        self.append(&Event::Campaign { fingerprint: fingerprint.into() })?;
        self.campaign = Some(fingerprint.into());
        Ok(())
    }

    /// Says which boards measure which cases from here on.
    pub fn assign(&mut self, assignment: Assignment) -> Result<(), RunError> {
        self.append(&Event::Assigned(assignment.clone()))?;
        self.assignment = Some(assignment);
        Ok(())
    }

    /// Says that no further round of repeats is made.
    pub fn stop(&mut self, stopped: Stopped) -> Result<(), RunError> {
        self.append(&Event::Stopped(stopped.clone()))?;
        self.stopped = Some(stopped);
        Ok(())
    }

    /// Says that a run is complete. On return the line is on disk.
    pub fn finish(&mut self, record: RunRecord) -> Result<(), RunError> {
        let event = Event::Run(Box::new(record));
        self.append(&event)?;
        self.records.extend(event.record());
        Ok(())
    }

    fn append(&mut self, event: &Event) -> Result<(), RunError> {
        let line = line_of(event);
        self.file.write_all(line.as_bytes()).map_err(RunError::file(&self.path, "writing"))?;
        self.file.sync_data().map_err(RunError::file(&self.path, "syncing"))
    }
}

impl Event {
    fn record(self) -> Option<RunRecord> {
        match self {
            Event::Run(record) => Some(*record),
            Event::Campaign { .. } | Event::Assigned(_) | Event::Stopped(_) => None,
        }
    }
}

/// Makes new names in a folder last.
pub(super) fn sync_folder(folder: &Path) -> Result<(), RunError> {
    let opened = File::open(folder).map_err(RunError::file(folder, "opening"))?;
    opened.sync_all().map_err(RunError::file(folder, "syncing"))
}

const HEAD: &str = "{\"crc32\":\"";
const MIDDLE: &str = "\",\"event\":";

fn line_of(event: &Event) -> String {
    let json = serde_json::to_string(event).expect("records have string keys and finite numbers");
    let crc = crc32fast::hash(json.as_bytes());
    format!("{HEAD}{crc:08x}{MIDDLE}{json}}}\n")
}

/// The events of the whole lines, and how many bytes they take.
fn parse(bytes: &[u8], path: &Path) -> Result<(Vec<Event>, usize), RunError> {
    let mut events = Vec::new();
    let mut whole = 0;
    for (index, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        match event_of(line) {
            Some(event) => events.push(event),
            None if whole + line.len() == bytes.len() => break,
            None => return Err(RunError::DamagedJournal { file: path.into(), line: index + 1 }),
        }
        whole += line.len();
    }
    Ok((events, whole))
}

fn event_of(line: &[u8]) -> Option<Event> {
    let line = std::str::from_utf8(line).ok()?.strip_suffix('\n')?;
    let (crc, rest) = line.strip_prefix(HEAD)?.split_once(MIDDLE)?;
    let json = rest.strip_suffix('}')?;
    let crc = u32::from_str_radix(crc, 16).ok()?;
    if crc32fast::hash(json.as_bytes()) != crc {
        return None;
    }
    serde_json::from_str(json).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::campaign::tests::record;

    #[test]
    fn what_was_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(folder.path()).unwrap();
        assert_eq!(journal.campaign, None);
        journal.begin("abc").unwrap();
        journal.finish(record("base-a", 1)).unwrap();
        journal.finish(record("base-a", 2)).unwrap();
        let in_use = Journal::open(folder.path()).unwrap_err();
        assert!(matches!(in_use, RunError::InUse { .. }), "{in_use}");
        drop(journal);
        let again = Journal::open(folder.path()).unwrap();
        assert_eq!(again.campaign.as_deref(), Some("abc"));
        assert_eq!(again.records, [record("base-a", 1), record("base-a", 2)]);
        assert_eq!(read_journal(folder.path()).unwrap(), again.records);
        let text = std::fs::read_to_string(folder.path().join(JOURNAL_FILE)).unwrap();
        for line in text.lines() {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            assert!(value["event"].is_object());
        }
    }

    #[test]
    fn a_torn_last_line_is_dropped_at_every_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(JOURNAL_FILE);
        let mut journal = Journal::open(folder.path()).unwrap();
        journal.finish(record("base-a", 1)).unwrap();
        let first = std::fs::metadata(&path).unwrap().len() as usize;
        journal.finish(record("base-a", 2)).unwrap();
        drop(journal);
        let bytes = std::fs::read(&path).unwrap();
        for cut in (first..bytes.len()).step_by(7) {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            let mut journal = Journal::open(folder.path()).unwrap();
            assert_eq!(journal.records, [record("base-a", 1)], "cut at {cut}");
            journal.finish(record("base-a", 2)).unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), bytes);
        }
    }

    #[test]
    fn a_damaged_line_in_the_middle_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(JOURNAL_FILE);
        let mut journal = Journal::open(folder.path()).unwrap();
        journal.finish(record("base-a", 1)).unwrap();
        journal.finish(record("base-a", 2)).unwrap();
        drop(journal);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replacen("base-a", "base-b", 1)).unwrap();
        let error = Journal::open(folder.path()).unwrap_err();
        assert!(matches!(error, RunError::DamagedJournal { line: 1, .. }), "{error}");
    }
}
