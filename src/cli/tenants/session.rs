//! A stream with its outputs: records in; windows and views to files, to readers and to
//! the console; the whole at the end.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::attribution::tenants::{
    EnergySource, StreamOptions, TenantNames, TenantRecord, TenantTable, WindowStream, WindowView,
    json_line, json_whole, openmetrics, rows_csv, tenant_table,
};
use crate::cli::energies::EnergyRowsFile;
use crate::cli::progress;
use crate::energies::of_tenants;
use crate::failure::Failure;
use crate::folder::{OnExisting, Output, UnfinishedFile};
use crate::format::{counted, visible_name};
use crate::units::Joules;

use super::options::StreamArguments;
use super::publish::ViewPublisher;

/// Lengths in seconds of the paper's views.
const VIEWS_S: [u32; 2] = [1, 10];
const SECOND_NS: u64 = 1_000_000_000;

/// Session of attribution to tenants: the stream, its files and publisher.
pub struct TenantSession<'a> {
    pub stream: WindowStream,
    pub names: TenantNames,
    arguments: &'a StreamArguments,
    /// Names of the counters beside the cycles.
    pub table: TenantTable,
    /// What the log has that was not read and could change the result, a sentence each.
    pub incomplete: Vec<String>,
    files: Option<TenantFiles>,
    energies: Option<EnergyRowsFile>,
    views: [WindowView; 2],
    publisher: ViewPublisher,
    second: Option<u64>,
    started: Instant,
}

/// Files of results that grow with the log.
struct TenantFiles {
    output: Output,
    windows: UnfinishedFile,
    views: [UnfinishedFile; 2],
    has_headers: bool,
}

/// Names of the files made from the whole log.
const WHOLE_FILES: [&str; 3] = ["tenants.csv", "tenants.json", "tenants.prom"];
const GROWING_FILES: [&str; 3] = ["windows.csv", "views-1s.csv", "views-10s.csv"];

impl<'a> TenantSession<'a> {
    pub fn open(arguments: &'a StreamArguments, options: StreamOptions) -> Result<Self, Failure> {
        let open = |folder: &PathBuf| -> Result<TenantFiles, Failure> {
            let output =
                Output::open(folder, OnExisting::from(arguments.force), &progress::TERMINAL)?;
            output.check_free(&WHOLE_FILES)?;
            output.check_free(&GROWING_FILES)?;
            let growing = |name| output.begin(name);
            let views = [growing(GROWING_FILES[1])?, growing(GROWING_FILES[2])?];
            Ok(TenantFiles {
                windows: growing(GROWING_FILES[0])?,
                views,
                output,
                has_headers: false,
            })
        };
        let energies = open_energy_rows(arguments)?;
        let files = arguments.out.as_ref().map(open);
        let publisher =
            ViewPublisher::open(arguments.serve.as_deref(), arguments.share.as_deref())?;
        Ok(Self {
            stream: WindowStream::new(options),
            names: TenantNames::with_limit(arguments.max_tenants),
            arguments,
            table: TenantTable::default(),
            incomplete: Vec::new(),
            files: files.transpose()?,
            energies,
            views: [WindowView::empty(), WindowView::empty()],
            publisher,
            second: None,
            started: Instant::now(),
        })
    }

    /// Takes a record; writes and publishes the windows and views that it completes.
    pub fn take(&mut self, record: TenantRecord) -> Result<(), Failure> {
        self.take_batch([record])
    }

    /// Takes the records of one moment before any of them is published.
    pub fn take_batch(
        &mut self,
        records: impl IntoIterator<Item = TenantRecord>,
    ) -> Result<(), Failure> {
        for record in records {
            self.stream.take(record);
        }
        self.write_closed_windows()?;
        let second = self.stream.newest_ns() / SECOND_NS;
        match self.second.replace(second) {
            Some(before) if second > before => self.publish_views(second),
            _ => Ok(()),
        }
    }

    /// Writes the closed windows to the files.
    fn write_closed_windows(&mut self) -> Result<(), Failure> {
        while let Some(window) = self.stream.next_closed() {
            let origin = self.origin_ns();
            if let Some(files) = &mut self.files {
                if !std::mem::replace(&mut files.has_headers, true) {
                    files.all().try_for_each(|file| file.add(self.table.header()))?;
                }
                files.windows.add(rows_csv(&window, &self.names, &self.table, origin))?;
            }
            for (index, view_s) in VIEWS_S.into_iter().enumerate() {
                let length_ns = u64::from(view_s) * SECOND_NS;
                let view = &self.views[index];
                // What was metered outside of the log is a row of its own.
                let is_over = window.start_ns / length_ns != view.start_ns / length_ns
                    || window.outside_log().is_some();
                if is_over {
                    self.write_view(index, origin)?;
                }
                self.views[index].add(&window);
            }
        }
        Ok(())
    }

    fn write_view(&mut self, index: usize, origin: u64) -> Result<(), Failure> {
        let view = std::mem::replace(&mut self.views[index], WindowView::empty());
        if let Some(files) = &mut self.files
            && !view.is_empty()
        {
            files.views[index].add(rows_csv(&view, &self.names, &self.table, origin))?;
        }
        Ok(())
    }

    fn origin_ns(&self) -> u64 {
        let first = self.stream.first_ns().unwrap_or(0);
        if self.stream.total().windows > 0 {
            self.stream.total().start_ns.min(first)
        } else {
            first
        }
    }

    /// Publishes and prints the latest views at the end of a second.
    fn publish_views(&mut self, second: u64) -> Result<(), Failure> {
        if self.arguments.pace {
            let log =
                Duration::from_nanos(self.stream.newest_ns().saturating_sub(self.origin_ns()));
            std::thread::sleep(log.saturating_sub(self.started.elapsed()));
        }
        if !self.arguments.follow && !self.publisher.is_wanted() {
            return Ok(());
        }
        let origin = self.origin_ns();
        let mut lines = String::new();
        for view_s in VIEWS_S {
            let view = self.recent(view_s);
            if view.windows == 0 {
                continue;
            }
            if self.publisher.is_wanted() {
                lines += &json_line(&view, &self.names, Some(view_s), origin);
                lines.push('\n');
            }
            if self.arguments.follow && second.is_multiple_of(u64::from(view_s)) {
                progress::result(self.view_table(&view, &format!("last {view_s} s")));
            }
        }
        self.publisher.publish(&lines)
    }

    fn recent(&self, view_s: u32) -> WindowView {
        let windows = u64::from(view_s) * SECOND_NS / self.stream.options().window_ns;
        self.stream.recent_windows(usize::try_from(windows.max(1)).unwrap_or(usize::MAX))
    }

    fn view_table(&self, view: &WindowView, title: &str) -> String {
        let origin = self.origin_ns();
        let since = |ns: u64| (ns as f64 - origin as f64) * 1e-9;
        let (from, to) = (since(view.start_ns), since(view.end_ns));
        let table = tenant_table(view, &self.names, self.arguments.top);
        format!("{title}: {from:.1} s to {to:.1} s, shared by {}\n{table}", view.basis())
    }

    /// Ends the session: names the files, prints the whole, and reports troubles.
    pub fn finish(mut self, source: &str, notes: &[String]) -> Result<(), Failure> {
        self.stream.finish();
        self.write_closed_windows()?;
        let origin = self.origin_ns();
        (0..VIEWS_S.len()).try_for_each(|index| self.write_view(index, origin))?;
        let total = self.stream.total().clone();
        if total.windows == 0 {
            let findings = self.stream.troubles().findings().join("; ");
            let why =
                if findings.is_empty() { "it has no context switch".to_owned() } else { findings };
            return Err(Failure::input(source, format!("nothing to share: {why}")));
        }
        let json = json_whole(&total, &self.names, origin, &self.incomplete);
        if self.publisher.is_wanted() {
            self.publisher.publish(&format!("{json}\n"))?;
        }
        self.print_whole(&total, &json, source)?;
        for note in notes {
            progress::say(format!("note: {}", visible_name(note)));
        }
        progress::say(format!("note: {}", self.energy_note(&total)));
        for what in &self.incomplete {
            progress::warn_in_line(format!("the result is incomplete: {what}"));
        }
        if let Some(outside) = total.outside_log() {
            let (energy, seconds) = (Joules(outside.energy_j), outside.seconds);
            progress::warn(format!(
                "{energy} was metered before the log's first switch or after its last, in \
                 {seconds:.3} s: in rows of its own, and in no power"
            ));
        }
        let beyond = self.names.times_beyond_limit();
        self.stream.troubles_mut().beyond = beyond;
        for finding in self.stream.troubles().findings() {
            progress::warn_in_line(finding);
        }
        if self.publisher.missed > 0 {
            let views = counted(self.publisher.missed, "view");
            progress::warn(format!("{views} missed by slow readers"));
        }
        if let Some(energies) = &self.energies {
            energies.write_rows(source, of_tenants(&total, &self.names, &self.table.counters))?;
        }
        let Some(files) = self.files.take() else { return Ok(()) };
        let csv = self.table.header() + &rows_csv(&total, &self.names, &self.table, origin);
        let metrics = openmetrics(&total, &self.names, source);
        for (name, text) in WHOLE_FILES.iter().zip([csv, json + "\n", metrics]) {
            let path = files.output.write(name, text)?;
            progress::say(format!("written: {}", path.display()));
        }
        let [one, ten] = files.views;
        for file in [files.windows, one, ten] {
            progress::say(format!("written: {}", file.finish()?.display()));
        }
        Ok(())
    }

    /// Prints the whole, unless standard output is for its rows.
    fn print_whole(&self, total: &WindowView, json: &str, source: &str) -> Result<(), Failure> {
        if self.energies.as_ref().is_some_and(EnergyRowsFile::is_standard_output) {
            return Ok(());
        }
        let figures: Value =
            serde_json::from_str(json).map_err(|error| Failure::input(source, error))?;
        let text = || self.view_table(total, source).trim_end().to_owned();
        self.arguments.format.print("tenants", &figures, text);
        Ok(())
    }

    /// Returns a note on the source of the energy.
    fn energy_note(&self, total: &WindowView) -> String {
        let meters: Vec<&str> = self.stream.meter_names().collect();
        match self.stream.options().energy {
            EnergySource::Meters => match (total.metered_s, meters.join(", ")) {
                (Some(metered), meters) => {
                    let all = total.seconds();
                    format!("energy of {meters}, which covers {metered:.1} of {all:.1} s")
                }
                (None, meters) => format!("{meters} covers no part of the log: shares only"),
            },
            EnergySource::Stated { idle_w, busy_w } => format!(
                "no meter: energy by the stated model, {idle_w} W idle and {busy_w} W with all \
                 CPUs busy"
            ),
            EnergySource::Modelled { .. } => "no meter: energy by the model above".into(),
            EnergySource::None => {
                "no meter: shares only; --watts states a model of the power".into()
            }
        }
    }
}

/// Opens the file for the rows of the whole, if the flag is given.
fn open_energy_rows(arguments: &StreamArguments) -> Result<Option<EnergyRowsFile>, Failure> {
    let energies = arguments.energies.open(arguments.force)?;
    if arguments.follow && arguments.format.is_json() {
        let why = "--follow prints views as text: with --format json read them from --serve or \
                   --share";
        return Err(Failure::Usage(why.into()));
    }
    let has_rows_on_output = energies.as_ref().is_some_and(EnergyRowsFile::is_standard_output);
    arguments.format.check_alone(has_rows_on_output)?;
    if arguments.follow && has_rows_on_output {
        let why = "--follow prints to standard output, where --partial - has its rows: give a file";
        return Err(Failure::Usage(why.into()));
    }
    Ok(energies)
}

impl TenantFiles {
    fn all(&mut self) -> impl Iterator<Item = &mut UnfinishedFile> {
        std::iter::once(&mut self.windows).chain(&mut self.views)
    }
}
