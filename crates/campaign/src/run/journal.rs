//! The journal of a campaign: append-only, one JSON line per event, each with a CRC of
//! its event's bytes, on disk before the campaign goes on. A last line that was torn by
//! a crash is dropped when the journal is opened; a damaged line before it is an error.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::campaign::Assignment;
use crate::input_file;

use super::basis::{BasisVerdict, CampaignBasis, Changes};
use super::error::RunError;
use super::record::RunRecord;

/// Name of the journal in a campaign's folder.
pub const JOURNAL_FILE: &str = "journal.jsonl";

/// What a line says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum JournalEvent {
    /// The first line, and one for each time that the campaign was resumed on another
    /// basis.
    Campaign(Box<Begun>),
    /// Which boards measure which cases from here on. Only where there are several.
    Assigned(Assignment),
    /// The campaign ended before all its repeats.
    Stopped(Stopped),
    /// A run and its folder are complete.
    Run(Box<RunRecord>),
}

/// What the runs from here on depend on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Begun {
    /// All of it, part by part.
    pub basis: CampaignBasis,
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
pub(crate) struct Journal {
    file: File,
    path: PathBuf,
    /// What the campaign's runs depend on; none in a new journal.
    pub campaign: Option<Begun>,
    /// Which boards measure which cases; none in a campaign on one board.
    pub assignment: Option<Assignment>,
    /// Why it ended early; none while it did not.
    pub stopped: Option<Stopped>,
    /// The runs that hold, in the order in which they were made.
    pub records: Vec<RunRecord>,
}

/// What the events of a journal come to.
#[derive(Default)]
struct JournalState {
    campaign: Option<Begun>,
    assignment: Option<Assignment>,
    stopped: Option<Stopped>,
    records: Vec<RunRecord>,
}

impl JournalState {
    /// The state by all events. Runs that were made on another basis than the last are left
    /// out where they depend on what changed, and those whose folder a later run has.
    fn of(events: Vec<JournalEvent>) -> Self {
        let mut state = Self::default();
        let mut bases: Vec<CampaignBasis> = Vec::new();
        let mut runs: Vec<(RunRecord, Option<usize>)> = Vec::new();
        for event in events {
            match event {
                JournalEvent::Campaign(begun) => {
                    bases.push(begun.basis.clone());
                    state.campaign = Some(*begun);
                    state.stopped = None;
                }
                JournalEvent::Assigned(assignment) => state.assignment = Some(assignment),
                JournalEvent::Stopped(stopped) => state.stopped = Some(stopped),
                JournalEvent::Run(record) => runs.push((*record, bases.len().checked_sub(1))),
            }
        }
        state.records = runs_that_hold(runs, &bases);
        state
    }
}

/// Runs with the place of their basis, none before the first: those that are runs of the last
/// basis, too.
fn runs_that_hold(
    runs: Vec<(RunRecord, Option<usize>)>,
    bases: &[CampaignBasis],
) -> Vec<RunRecord> {
    let since = |basis: &CampaignBasis| {
        let last = bases.last().filter(|last| *last != basis)?;
        Some(Changes::between(basis, last))
    };
    let changes: Vec<Option<Changes>> = bases.iter().map(since).collect();
    let mut folders = BTreeSet::new();
    let mut records: Vec<RunRecord> = Vec::new();
    for (record, basis) in runs.into_iter().rev() {
        let changes = basis.and_then(|basis| changes[basis].as_ref());
        let holds = changes.is_none_or(|changes| changes.keep(&record));
        if folders.insert(record.folder.clone()) && holds {
            records.push(record);
        }
    }
    records.reverse();
    records
}

/// Which boards measure which cases, where a folder's campaign has several.
pub fn read_assignment(folder: &Path) -> Result<Option<Assignment>, RunError> {
    Ok(read(folder)?.assignment)
}

/// Reads the records of a finished or stopped campaign.
pub fn read_journal(folder: &Path) -> Result<Vec<RunRecord>, RunError> {
    Ok(read(folder)?.records)
}

/// What changed since a folder's campaign was last resumed, and what is kept of it, in
/// lines; none where nothing changed, nothing is kept, or there is no campaign.
pub fn changes_of_basis(folder: &Path, basis: &CampaignBasis) -> Option<Vec<String>> {
    // A damaged journal is told of when it is opened.
    let state = read(folder).ok()?;
    match state.campaign {
        Some(Begun { basis: old }) if old != *basis => {
            match Changes::between(&old, basis).outcome(&state.records) {
                BasisVerdict::GoesOn(lines) => Some(lines),
                BasisVerdict::Refused(_) => None,
            }
        }
        _ => None,
    }
}

fn read(folder: &Path) -> Result<JournalState, RunError> {
    let path = folder.join(JOURNAL_FILE);
    let bytes = input_file::read(&path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => RunError::NotMeasured { folder: folder.to_path_buf() },
        _ => RunError::file(&path, "reading")(error),
    })?;
    Ok(JournalState::of(parse(&bytes, &path)?.0))
}

impl Drop for Journal {
    /// A process that is just being started has a copy of the file, which would keep the lock
    /// until the other program begins; so it is given back and not only closed.
    fn drop(&mut self) {
        self.file.unlock().ok();
    }
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
        let bytes = input_file::read(&path).map_err(RunError::file(&path, "reading"))?;
        let (events, whole) = parse(&bytes, &path)?;
        if whole < bytes.len() {
            file.set_len(whole as u64).map_err(RunError::file(&path, "shortening"))?;
        }
        sync_folder(folder)?;
        let JournalState { campaign, assignment, stopped, records } = JournalState::of(events);
        Ok(Journal { file, path, campaign, assignment, stopped, records })
    }

    /// Says what the runs from here on depend on; those that depend on something else hold no
    /// more.
    pub fn begin(&mut self, basis: &CampaignBasis) -> Result<(), RunError> {
        self.append(&JournalEvent::Campaign(Box::new(Begun { basis: basis.clone() })))?;
        let bytes = input_file::read(&self.path).map_err(RunError::file(&self.path, "reading"))?;
        let JournalState { campaign, stopped, records, .. } =
            JournalState::of(parse(&bytes, &self.path)?.0);
        (self.campaign, self.stopped, self.records) = (campaign, stopped, records);
        Ok(())
    }

    /// Says which boards measure which cases from here on.
    pub fn assign(&mut self, assignment: Assignment) -> Result<(), RunError> {
        self.append(&JournalEvent::Assigned(assignment.clone()))?;
        self.assignment = Some(assignment);
        Ok(())
    }

    /// Says that no further round of repeats is made.
    pub fn stop(&mut self, stopped: Stopped) -> Result<(), RunError> {
        self.append(&JournalEvent::Stopped(stopped.clone()))?;
        self.stopped = Some(stopped);
        Ok(())
    }

    /// Says that a run is complete. On return the line is on disk.
    pub fn finish(&mut self, record: RunRecord) -> Result<(), RunError> {
        self.append(&JournalEvent::Run(Box::new(record.clone())))?;
        self.records.push(record);
        Ok(())
    }

    /// The runs that hold and why the campaign ended early, when nothing is added any more.
    pub(crate) fn into_read(mut self) -> (Vec<RunRecord>, Option<Stopped>) {
        (std::mem::take(&mut self.records), self.stopped.take())
    }

    fn append(&mut self, event: &JournalEvent) -> Result<(), RunError> {
        let line = line_of(event);
        self.file.write_all(line.as_bytes()).map_err(RunError::file(&self.path, "writing"))?;
        self.file.sync_data().map_err(RunError::file(&self.path, "syncing"))
    }
}

/// Makes new names in a folder last.
pub(super) fn sync_folder(folder: &Path) -> Result<(), RunError> {
    let opened = File::open(folder).map_err(RunError::file(folder, "opening"))?;
    opened.sync_all().map_err(RunError::file(folder, "syncing"))
}

const HEAD: &str = "{\"crc32\":\"";
const MIDDLE: &str = "\",\"event\":";

fn line_of(event: &JournalEvent) -> String {
    let json = serde_json::to_string(event).expect("records have string keys and finite numbers");
    let crc = crc32fast::hash(json.as_bytes());
    format!("{HEAD}{crc:08x}{MIDDLE}{json}}}\n")
}

/// The events of the whole lines, and how many bytes they take.
fn parse(bytes: &[u8], path: &Path) -> Result<(Vec<JournalEvent>, usize), RunError> {
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

fn event_of(line: &[u8]) -> Option<JournalEvent> {
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
        journal.begin(&CampaignBasis::default()).unwrap();
        journal.finish(record("base-a", 1)).unwrap();
        journal.finish(record("base-a", 2)).unwrap();
        let in_use = Journal::open(folder.path()).unwrap_err();
        assert!(matches!(in_use, RunError::InUse { .. }), "{in_use}");
        drop(journal);
        let again = Journal::open(folder.path()).unwrap();
        assert_eq!(again.campaign, Some(Begun { basis: CampaignBasis::default() }));
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
    fn a_folder_without_a_journal_says_that_nothing_was_measured() {
        let folder = tempfile::tempdir().unwrap();
        let error = read_journal(folder.path()).unwrap_err();
        assert!(matches!(&error, RunError::NotMeasured { .. }), "{error}");
        assert!(error.to_string().contains("wattline run SCENARIO --out"), "{error}");
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
