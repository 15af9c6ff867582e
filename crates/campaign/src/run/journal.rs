//! The journal of a campaign: append-only, one JSON line per event, each with a CRC of its event's
//! bytes, on disk before the campaign continues. A last line that was torn by a crash is dropped
//! when the journal is opened; a damaged line before it is an error.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::campaign::Assignment;
use crate::input_file;

use super::basis::{BasisChanges, BasisVerdict, CampaignBasis};
use super::error::RunError;
use super::record::RunRecord;

/// Name of the journal in a campaign's folder.
pub const JOURNAL_FILE: &str = "journal.jsonl";

/// The event of a journal line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum JournalEvent {
    /// The first line, and one for each time that the campaign was resumed on another basis.
    Campaign(Box<CampaignStart>),
    /// The assignment of cases to boards from here on, in a campaign on several boards.
    Assigned(Assignment),
    /// The campaign ended before all its repeats.
    Stopped(EarlyStop),
    /// A run and its folder are complete.
    Run(Box<RunRecord>),
}

/// The basis of the runs that follow in the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CampaignStart {
    /// Everything that the runs depend on.
    pub basis: CampaignBasis,
}

/// The end of a campaign before all its repeats, since they were not needed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlyStop {
    /// Number of the last round of repeats that was made.
    pub after: u32,
    /// Runs of the plan that were not made.
    pub saved: usize,
    /// Reason why no further repeats were needed.
    pub reason: String,
}

/// The journal of a campaign, open for appending, with the state by its events.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    path: PathBuf,
    /// The present basis of the runs; none in a new journal.
    pub campaign: Option<CampaignStart>,
    /// The assignment of cases to boards; none in a campaign on one board.
    pub assignment: Option<Assignment>,
    /// The early end of the campaign; none if it did not end early.
    pub stopped: Option<EarlyStop>,
    /// The valid runs, in the order in which they were made.
    pub records: Vec<RunRecord>,
}

/// The state of a campaign by the events of its journal.
#[derive(Default)]
struct JournalState {
    campaign: Option<CampaignStart>,
    assignment: Option<Assignment>,
    stopped: Option<EarlyStop>,
    records: Vec<RunRecord>,
}

impl JournalState {
    /// Computes the state from all events. Runs made on another basis than the last are left out if
    /// they depend on what changed, as are those whose folder a later run has.
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

/// Those runs, each with the index of its basis (none before the first), that are valid on the last
/// basis.
fn runs_that_hold(
    runs: Vec<(RunRecord, Option<usize>)>,
    bases: &[CampaignBasis],
) -> Vec<RunRecord> {
    let since = |basis: &CampaignBasis| {
        let last = bases.last().filter(|last| *last != basis)?;
        Some(BasisChanges::between(basis, last))
    };
    let changes: Vec<Option<BasisChanges>> = bases.iter().map(since).collect();
    let mut folders = BTreeSet::new();
    let mut records: Vec<RunRecord> = Vec::new();
    for (record, basis) in runs.into_iter().rev() {
        let changes = basis.and_then(|basis| changes[basis].as_ref());
        let holds = changes.is_none_or(|changes| changes.keeps(&record));
        if folders.insert(record.folder.clone()) && holds {
            records.push(record);
        }
    }
    records.reverse();
    records
}

/// Reads the assignment of cases to boards from a folder's journal; none for a campaign on one
/// board.
pub fn read_assignment(folder: &Path) -> Result<Option<Assignment>, RunError> {
    Ok(read(folder)?.assignment)
}

/// Reads the records of all valid runs from a folder's journal.
pub fn read_journal(folder: &Path) -> Result<Vec<RunRecord>, RunError> {
    Ok(read(folder)?.records)
}

/// Lines about what changed since a folder's campaign was last resumed, and how many runs are kept;
/// none if nothing changed, nothing is kept, or there is no campaign.
pub fn changes_of_basis(folder: &Path, basis: &CampaignBasis) -> Option<Vec<String>> {
    // A damaged journal is told of when it is opened.
    let state = read(folder).ok()?;
    match state.campaign {
        Some(CampaignStart { basis: old }) if old != *basis => {
            match BasisChanges::between(&old, basis).outcome(&state.records) {
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
    /// Unlocks the file before it is closed: a process that is just being started has a copy of the
    /// file, which would keep the lock until the other program begins.
    fn drop(&mut self) {
        self.file.unlock().ok();
    }
}

impl Journal {
    /// Opens or creates the journal of a folder, for one process at a time; drops a torn last line.
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

    /// Appends the basis of the runs that follow; runs that depend on what changed are no longer
    /// valid.
    pub fn begin(&mut self, basis: &CampaignBasis) -> Result<(), RunError> {
        self.append(&JournalEvent::Campaign(Box::new(CampaignStart { basis: basis.clone() })))?;
        let bytes = input_file::read(&self.path).map_err(RunError::file(&self.path, "reading"))?;
        let JournalState { campaign, stopped, records, .. } =
            JournalState::of(parse(&bytes, &self.path)?.0);
        (self.campaign, self.stopped, self.records) = (campaign, stopped, records);
        Ok(())
    }

    /// Appends the assignment of cases to boards from here on.
    pub fn assign(&mut self, assignment: Assignment) -> Result<(), RunError> {
        self.append(&JournalEvent::Assigned(assignment.clone()))?;
        self.assignment = Some(assignment);
        Ok(())
    }

    /// Appends that no further round of repeats is made.
    pub fn stop(&mut self, stopped: EarlyStop) -> Result<(), RunError> {
        self.append(&JournalEvent::Stopped(stopped.clone()))?;
        self.stopped = Some(stopped);
        Ok(())
    }

    /// Appends the record of a complete run. On return the line is on disk.
    pub fn finish(&mut self, record: RunRecord) -> Result<(), RunError> {
        self.append(&JournalEvent::Run(Box::new(record.clone())))?;
        self.records.push(record);
        Ok(())
    }

    /// Closes the journal; returns the valid runs, and the early end of the campaign if there was
    /// one.
    pub(crate) fn into_records(mut self) -> (Vec<RunRecord>, Option<EarlyStop>) {
        (std::mem::take(&mut self.records), self.stopped.take())
    }

    fn append(&mut self, event: &JournalEvent) -> Result<(), RunError> {
        let line = line_of(event);
        self.file.write_all(line.as_bytes()).map_err(RunError::file(&self.path, "writing"))?;
        self.file.sync_data().map_err(RunError::file(&self.path, "syncing"))
    }
}

/// Syncs a folder, so that new names in it survive a crash.
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
        assert_eq!(again.campaign, Some(CampaignStart { basis: CampaignBasis::default() }));
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
