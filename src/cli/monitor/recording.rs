//! A recorded folder for the other commands: reading it back, its accounts, and what
//! `report` and `export` take of it.

use std::collections::BTreeMap;
use std::io::BufReader;
use std::path::Path;

use serde::de::DeserializeOwned;

use crate::account::Accounts;
use crate::account::calls::CallAccounts;
use crate::attribution::mapping::Mapping;
use crate::campaign_report::repository::repository_of;
use crate::energies::of_recording;
use crate::export::{ExportData, InputEnergies, SessionTrace, StackDepth, collapsed_calls};
use crate::failure::Failure;
use crate::folder::{Output, read_text};
use crate::input_file;
use crate::power::{FigureBasis, PowerTrace, Window};
use crate::recording::{
    MONITOR_FILE, Recording, RecordingSums, accounts_of, call_accounts, ledger_csv, read_rows,
    recording_figures, recording_page, sum_recording, summary_text, tables,
};
use crate::report::Repository;

use super::super::energies::EnergyRowsFile;
use super::super::progress;

/// Whether a folder is a recording.
pub fn is_recording(folder: &Path) -> bool {
    folder.join(MONITOR_FILE).is_file()
}

/// Whether a file is the description of a recording, in the place of a campaign's model.
pub fn is_monitor_file(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == MONITOR_FILE)
}

/// Reads a recording, with the names of the sources where there is a mapping file.
pub fn read(folder: &Path, mapping: Option<&Path>) -> Result<Recording, Failure> {
    let mut recording = read_rows_of(folder)?;
    if let Some(path) = mapping {
        let file = input_file::open(path).map_err(Failure::io("read", path))?;
        let classes = recording.class_names();
        let mapping = Mapping::read(BufReader::new(file), &|class| classes.contains(class));
        let mapping = mapping.map_err(|error| Failure::input(path, error))?;
        progress::say(recording.rename(&mapping).to_string());
    }
    Ok(recording)
}

/// Reads a mapping file with all its classes, since it is unknown which of them run.
pub fn read_mapping(path: &Path) -> Result<Mapping, Failure> {
    let file = input_file::open(path).map_err(Failure::io("read", path))?;
    Mapping::read(BufReader::new(file), &|_| true).map_err(|error| Failure::input(path, error))
}

/// Refuses a mapping file for a campaign, whose names are those of its sources.
pub fn no_mapping_here(mapping: Option<&Path>) -> Result<(), Failure> {
    let why = "--mapping is for recordings of `monitor`, whose names come from the running \
               application; a campaign's are those of the sources already: leave it out";
    mapping.map_or(Ok(()), |_| Err(Failure::Usage(why.into())))
}

fn read_rows_of(folder: &Path) -> Result<Recording, Failure> {
    let path = folder.join(MONITOR_FILE);
    let about = toml::from_str(&read_text(&path)?).map_err(|error| Failure::input(&path, error))?;
    Ok(Recording {
        about,
        cycles: rows(folder, "cycles.csv")?,
        processes: rows(folder, "processes.csv")?,
        threads: rows(folder, "threads.csv")?,
        methods: rows(folder, "methods.csv")?,
        jvm: rows(folder, "jvm.csv")?,
        stacks: newer_rows(folder, "stacks.csv")?,
        nodes: newer_rows(folder, "nodes.csv")?,
    })
}

fn rows<T: DeserializeOwned>(folder: &Path, name: &str) -> Result<Vec<T>, Failure> {
    let path = folder.join(name);
    read_rows(&read_text(&path)?).map_err(|error| Failure::input(&path, error))
}

/// The same of a file that older recordings don't have.
fn newer_rows<T: DeserializeOwned>(folder: &Path, name: &str) -> Result<Vec<T>, Failure> {
    if folder.join(name).exists() { rows(folder, name) } else { Ok(Vec::new()) }
}

/// A recording with its sums.
pub struct AccountedRecording {
    name: String,
    recording: Recording,
    sums: RecordingSums,
}

impl AccountedRecording {
    /// Figures for programs.
    pub fn figures(&self) -> serde_json::Value {
        recording_figures(&self.name, &self.recording, &self.sums)
    }
}

/// Computes the accounts of a recording and writes the wanted outputs.
pub fn account(
    folder: &Path,
    mapping: Option<&Path>,
    output: Option<&Output>,
    energies: Option<&EnergyRowsFile>,
) -> Result<AccountedRecording, Failure> {
    let recording = read(folder, mapping)?;
    let sums = sum_recording(&recording);
    assert!(accounts_of(&sums).ledger.adds_up(), "a recording's ledger adds up");
    if let Some(energies) = energies {
        energies.write_rows(&folder.display().to_string(), of_recording(&sums))?;
    }
    if let Some(output) = output {
        write_accounts(&recording, &sums, output)?;
    }
    Ok(AccountedRecording { name: name_of(folder), recording, sums })
}

fn write_accounts(
    recording: &Recording,
    sums: &RecordingSums,
    output: &Output,
) -> Result<(), Failure> {
    for (name, text) in tables(sums) {
        output.write(&format!("accounts/{name}"), text)?;
    }
    if let Some(calls) = call_accounts(recording) {
        output.write("accounts/stacks.collapsed", collapsed_calls(&calls))?;
    }
    output.write("ledger.csv", ledger_csv(sums))?;
    Ok(())
}

/// Summary of a recording as text, and its figures for programs.
pub struct RecordingReport {
    pub summary: String,
    pub figures: serde_json::Value,
}

/// Writes the page of a recording; returns its summary.
pub fn write_report(output: &Output, mapping: Option<&Path>) -> Result<RecordingReport, Failure> {
    let folder = output.folder();
    let (recording, name) = (read(folder, mapping)?, name_of(folder));
    let sums = sum_recording(&recording);
    output.write("report.html", recording_page(&name, &recording, &sums))?;
    Ok(RecordingReport {
        summary: summary_text(&name, &recording, &sums),
        figures: recording_figures(&name, &recording, &sums),
    })
}

fn name_of(folder: &Path) -> String {
    let name = folder.canonicalize().ok();
    let name = name.as_deref().and_then(Path::file_name);
    name.map_or_else(|| "recording".into(), |name| name.to_string_lossy().into_owned())
}

/// Data of a recording for an export, owned.
pub struct Exported {
    board: String,
    name: String,
    basis: FigureBasis,
    meter: String,
    accounts: Accounts,
    calls: Option<CallAccounts>,
    inputs: BTreeMap<String, InputEnergies>,
    sessions: Vec<SessionTrace>,
    repository: Repository,
}

impl Exported {
    /// Reads the data from the folder of a recording.
    pub fn read(
        folder: &Path,
        mapping: Option<&Path>,
        source_prefix: Option<&str>,
    ) -> Result<Exported, Failure> {
        let recording = read(folder, mapping)?;
        let sums = sum_recording(&recording);
        let name = name_of(folder);
        let energy = |joules: f64| vec![joules * 1e6];
        let input = InputEnergies {
            total_uj: energy(sums.total.joules().0),
            above_idle_uj: Some(energy((sums.total - sums.unattributed).joules().0)),
            duration_s: vec![sums.duration_s],
        };
        let accounts = accounts_of(&sums);
        Ok(Exported {
            // No reader of an export is to take a model's figures for a meter's.
            board: format!("{}; {}", recording.about.host, recording.about.meter()),
            basis: recording.about.basis(),
            meter: recording.about.meter(),
            repository: repository_of(source_prefix, &accounts),
            accounts,
            calls: call_accounts(&recording),
            inputs: BTreeMap::from([(name.clone(), input)]),
            sessions: session(&recording, &name).into_iter().collect(),
            name,
        })
    }

    /// Returns the data in the form that export formats take.
    pub fn data(&self) -> ExportData<'_> {
        ExportData {
            scenario: &self.name,
            package: "",
            board: &self.board,
            basis: self.basis,
            meter: &self.meter,
            frequency_hz: None,
            accounts: &self.accounts,
            inputs: &self.inputs,
            sessions: &self.sessions,
            calls: self.calls.as_ref(),
            repository: &self.repository,
            depth: StackDepth::default(),
        }
    }
}

/// The recording as one session: a rail per part of the machine, a sample per cycle.
fn session(recording: &Recording, name: &str) -> Option<SessionTrace> {
    let mut rails: Vec<String> = recording.cycles.iter().map(|row| row.part.clone()).collect();
    rails.sort();
    rails.dedup();
    let mut rows: BTreeMap<u64, (f64, f64, Vec<Option<f64>>)> = BTreeMap::new();
    for row in &recording.cycles {
        let at = rails.iter().position(|rail| *rail == row.part)?;
        let new = || (row.start_s, row.end_s, vec![None; rails.len()]);
        let watts = row.energy_j.joules().0 / (row.end_s - row.start_s);
        rows.entry(row.cycle).or_insert_with(new).2[at] = Some(watts);
    }
    let (first, last) = (rows.values().next()?.0, rows.values().last()?.1);
    let trace = PowerTrace {
        rails,
        uptime_s: rows.values().map(|(_, end, _)| *end).collect(),
        power_w: rows.values().flat_map(|(.., powers)| powers.clone()).collect(),
        ..PowerTrace::default()
    };
    Some(SessionTrace {
        name: name.to_string(),
        trace: Some(trace),
        window: Window { start_s: first, end_s: last },
        energy_j: recording.cycles.iter().map(|row| row.energy_j.joules().0).sum(),
    })
}
