//! Writes a recording: rows are appended cycle by cycle, so that what was seen stays when
//! the program is killed; the accounts are made at the end, or later by `account`.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::cli::progress;
use crate::failure::Failure;
use crate::folder::{OnExisting, Output};
use crate::recording::{
    HeaderRow, MONITOR_FILE, RecordingHeader, cycle_rows, jvm_rows, node_rows, process_rows,
    stack_rows, thread_rows, to_csv,
};

use super::arguments::Arguments;
use super::frame::MonitorInterval;
use super::session::MonitorSession;

/// The files that grow.
const FILES: [&str; 7] = [
    "cycles.csv",
    "processes.csv",
    "threads.csv",
    "methods.csv",
    "jvm.csv",
    "nodes.csv",
    "stacks.csv",
];

/// Recording that is being written.
pub struct Recorder {
    output: Output,
    files: Vec<(File, HeaderRow, PathBuf)>,
    first_cycle: u64,
    before_s: f64,
    /// Nodes of the tree of calls that are written.
    nodes: usize,
}

impl Recorder {
    /// Opens the folder of the recording, if the flags name one.
    pub fn wanted(
        arguments: &Arguments,
        about: &RecordingHeader,
    ) -> Result<Option<Recorder>, Failure> {
        let open = |folder| Recorder::open(folder, OnExisting::from(arguments.force), about);
        arguments.out.as_deref().map(open).transpose()
    }

    /// Opens the folder of the recording and begins its files.
    pub fn open(
        folder: &Path,
        existing: OnExisting,
        about: &RecordingHeader,
    ) -> Result<Recorder, Failure> {
        let output = Output::open(folder, existing, &progress::TERMINAL)?;
        output.check_free(&[MONITOR_FILE])?;
        output.check_free(&FILES)?;
        output.discard(&["accounts", "ledger.csv"]).or_else(|failure| match existing {
            OnExisting::Refuse => Ok(()),
            OnExisting::Resume | OnExisting::Replace => Err(failure),
        })?;
        let open = |name: &&str| {
            let path = output.path(name);
            let file = OpenOptions::new().create(true).write(true).truncate(true).open(&path);
            Ok((file.map_err(Failure::io("create", &path))?, HeaderRow::With, path))
        };
        let files = FILES.iter().map(open).collect::<Result<Vec<_>, Failure>>()?;
        // From here on the folder is this recording's: its files replace themselves.
        let output = output.replacing();
        let recorder = Recorder {
            output,
            files,
            first_cycle: about.cycles,
            before_s: about.duration_s,
            nodes: 0,
        };
        recorder.write_about(about)?;
        Ok(recorder)
    }

    /// Adds a cycle to the recording.
    pub fn add(
        &mut self,
        session: &MonitorSession,
        frame: &MonitorInterval,
    ) -> Result<(), Failure> {
        let number = frame.number - self.first_cycle;
        let jvm = session.jvm.as_ref().zip(frame.jvm.as_ref());
        let cycles = cycle_rows(number, &frame.cycle);
        let processes = process_rows(number, &frame.cycle);
        let of_jvm = jvm.map(|(jvm, seen)| (jvm.pid, &seen.power));
        let threads = thread_rows(number, &frame.cycle, of_jvm);
        self.append(0, &cycles)?;
        self.append(1, &processes)?;
        self.append(2, &threads)?;
        if let Some((jvm, of_jvm)) = jvm {
            let (row, methods) = jvm_rows(number, of_jvm.seen(jvm));
            self.append(3, &methods)?;
            self.append(4, std::slice::from_ref(&row))?;
            let nodes = node_rows(&jvm.state, self.nodes);
            self.nodes += nodes.len();
            self.append(5, &nodes)?;
            self.append(6, &stack_rows(number, &of_jvm.power))?;
        }
        self.write_about(&session.about)
    }

    fn append<T: Serialize>(&mut self, file: usize, rows: &[T]) -> Result<(), Failure> {
        if rows.is_empty() {
            return Ok(());
        }
        let (file, head, path) = &mut self.files[file];
        let text = to_csv(rows, std::mem::replace(head, HeaderRow::Without));
        file.write_all(text.as_bytes()).map_err(Failure::io("write", &*path))
    }

    fn write_about(&self, about: &RecordingHeader) -> Result<(), Failure> {
        let mut about = about.clone();
        about.cycles -= self.first_cycle;
        about.duration_s -= self.before_s;
        let text = toml::to_string(&about).map_err(|error| Failure::input(MONITOR_FILE, error))?;
        self.output.write(MONITOR_FILE, text)?;
        Ok(())
    }

    /// Ends the recording and writes its accounts; returns the folder.
    pub fn finish(self) -> Result<PathBuf, Failure> {
        drop(self.files);
        let folder = self.output.folder();
        super::recording::account(folder, None, Some(&self.output), None)?;
        Ok(folder.to_path_buf())
    }
}
