//! Folders of runs: raw logs, compressed, and the record. They are written to a temporary folder,
//! then renamed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::campaign::RunPhase;
use crate::input_file;

use super::error::RunError;
use super::journal::sync_folder;
use super::record::{RawLogs, RawProfile, RunRecord};

/// Name of the folder of runs in a campaign's folder.
pub const RUNS_FOLDER: &str = "runs";
const TEMPORARY: &str = ".unfinished-";
/// Name of the collapsed stacks of a sampled run, and its sampler's own file.
const STACKS: &str = "stacks";
const RECORDING: &str = "profile.zst";

fn runs(folder: &Path) -> PathBuf {
    folder.join(RUNS_FOLDER)
}

/// Writes a run's folder with logs and record. A folder of that name, which is not in the journal,
/// is replaced.
pub(crate) fn write_run(folder: &Path, record: &RunRecord, logs: &RawLogs) -> Result<(), RunError> {
    let runs = runs(folder);
    let temporary = runs.join(format!("{TEMPORARY}{}", record.folder));
    let target = runs.join(&record.folder);
    remove_if_there(&temporary)?;
    fs::create_dir_all(&temporary).map_err(RunError::file(&temporary, "making the folder"))?;
    for (name, text) in
        [("samples", &logs.samples), ("logcat", &logs.logcat), ("session", &logs.session)]
    {
        write_packed(&temporary, name, text)?;
    }
    if let Some(windows) = &logs.windows {
        write_packed(&temporary, "windows", windows)?;
    }
    if let Some(profile) = &logs.profile {
        write_packed(&temporary, STACKS, &profile.stacks)?;
        write_bytes(&temporary.join(RECORDING), &profile.recording)?;
    }
    if let Some(counts) = &logs.counts {
        write_file(&temporary.join("counts.csv"), counts.as_bytes())?;
    }
    let json =
        serde_json::to_string_pretty(record).expect("records have string keys and finite numbers");
    write_file(&temporary.join("record.json"), json.as_bytes())?;
    remove_if_there(&target)?;
    fs::rename(&temporary, &target).map_err(RunError::file(&target, "renaming"))?;
    sync_folder(&runs)
}

/// Reads the raw logs of a run.
pub fn read_logs(folder: &Path, record: &RunRecord) -> Result<RawLogs, RunError> {
    let run = runs(folder).join(&record.folder);
    let unpack = |name: &str| {
        let bytes = read_packed(&run.join(format!("{name}.txt.zst")))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let recording = run.join(RECORDING);
    let profile = match recording.exists() {
        true => Some(RawProfile { recording: read_packed(&recording)?, stacks: unpack(STACKS)? }),
        false => None,
    };
    let windows = match run.join("windows.txt.zst").exists() {
        true => Some(unpack("windows")?),
        false => None,
    };
    let counts = run.join("counts.csv");
    let counts = match input_file::read_text(&counts) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(RunError::file(counts, "reading")(error)),
    };
    Ok(RawLogs {
        samples: unpack("samples")?,
        logcat: unpack("logcat")?,
        session: unpack("session")?,
        counts,
        windows,
        profile,
    })
}

/// Reads the collapsed stacks of all good sampled runs: by case, a text per run.
pub fn read_stacks(
    folder: &Path,
    records: &[RunRecord],
) -> Result<BTreeMap<String, Vec<String>>, RunError> {
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for record in records {
        if let Some(stacks) = read_run_stacks(folder, record)? {
            all.entry(record.run.case.clone()).or_default().push(stacks);
        }
    }
    Ok(all)
}

/// Reads the collapsed stacks of a sampled run that passed its checks; `None` for any other run.
pub fn read_run_stacks(folder: &Path, record: &RunRecord) -> Result<Option<String>, RunError> {
    if !record.is_good() || record.run.phase != RunPhase::Sampled {
        return Ok(None);
    }
    let file = runs(folder).join(&record.folder).join(format!("{STACKS}.txt.zst"));
    Ok(Some(String::from_utf8_lossy(&read_packed(&file)?).into_owned()))
}

/// Reads the counts of the first good traced run of each case, as text, by case.
pub fn read_counts(
    folder: &Path,
    records: &[RunRecord],
) -> Result<BTreeMap<String, String>, RunError> {
    let mut counts = BTreeMap::new();
    for record in records.iter().filter(|r| r.is_good() && r.run.phase == RunPhase::Traced) {
        if !counts.contains_key(&record.run.case) {
            let file = runs(folder).join(&record.folder).join("counts.csv");
            let text = input_file::read_text(&file).map_err(RunError::file(&file, "reading"))?;
            counts.insert(record.run.case.clone(), text);
        }
    }
    Ok(counts)
}

/// Removes half-written folders of a killed campaign.
pub(super) fn remove_unfinished(folder: &Path) -> Result<(), RunError> {
    let runs = runs(folder);
    fs::create_dir_all(&runs).map_err(RunError::file(&runs, "making the folder"))?;
    let entries = fs::read_dir(&runs).map_err(RunError::file(&runs, "listing"))?;
    for entry in entries {
        let entry = entry.map_err(RunError::file(&runs, "listing"))?;
        if entry.file_name().to_string_lossy().starts_with(TEMPORARY) {
            remove_if_there(&entry.path())?;
        }
    }
    Ok(())
}

fn remove_if_there(path: &Path) -> Result<(), RunError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(RunError::file(path, "removing")(error))
        }
        _ => Ok(()),
    }
}

fn write_packed(folder: &Path, name: &str, text: &str) -> Result<(), RunError> {
    write_bytes(&folder.join(format!("{name}.txt.zst")), text.as_bytes())
}

fn write_bytes(file: &Path, bytes: &[u8]) -> Result<(), RunError> {
    let packed = zstd::encode_all(bytes, 0).map_err(RunError::file(file, "packing"))?;
    write_file(file, &packed)
}

fn read_packed(file: &Path) -> Result<Vec<u8>, RunError> {
    input_file::unpack(file).map_err(RunError::file(file, "unpacking"))
}

/// Writes a file and waits until it is on disk.
fn write_file(file: &Path, bytes: &[u8]) -> Result<(), RunError> {
    use std::io::Write;
    let mut open = fs::File::create(file).map_err(RunError::file(file, "making"))?;
    open.write_all(bytes).map_err(RunError::file(file, "writing"))?;
    open.sync_data().map_err(RunError::file(file, "syncing"))
}
