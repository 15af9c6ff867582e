//! Files -> logs: what each file is, and which ones belong together.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::attribution::activities::{
    self, CSV_HEADER, ClockKnowledge, INTERVALS_HEADER, Labels, NodeLog, NodeNames,
    PerfettoOptions, Remark, RemarkKind, seconds_to_nanoseconds,
};
use crate::failure::Failure;
use crate::format::{visible_name, visible_path};
use crate::log_file::{self, LogFileError, LogFileKind, TextLog};
use crate::power::parse_samples;

use super::super::progress;
use super::super::user_table::{header_line, user_table};
use super::columns;

/// Format of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Binary entries of 12 bytes, as Quanto writes them.
    Quanto,
    /// time_s,component,event,value.
    Csv,
    /// A Perfetto trace, also packed or in an archive.
    Perfetto,
    /// dumpsys batterystats, as text or with -c; a bug report, also its zip file.
    Batterystats,
    /// Intervals of states with energies.
    Intervals,
    /// A log with lines of the Java API.
    Lines,
    /// Samples of a board's rails: the meter.
    Samples,
}

/// Logs and options of a command.
pub struct LogInputs<'a> {
    /// The files.
    pub logs: &'a [PathBuf],
    /// What all of them are, if it was said.
    pub format: Option<LogFormat>,
    /// Names of binary logs, in their order.
    pub names: &'a [PathBuf],
    /// Name of the device of all others.
    pub node: &'a str,
    /// Rails to add up.
    pub rails: &'a [String],
    /// The machine of a trace that is of several.
    pub machine: Option<&'a str>,
}

/// Log file that was found, with its format.
struct InputLog<'a> {
    path: &'a Path,
    format: LogFormat,
    /// None for traces, which are found in their own way.
    text: Option<TextLog>,
}

/// Reads all files: a node's log for each binary one, and one for all others together, on one clock
/// as far as offsets are known.
pub fn read_logs(inputs: &LogInputs<'_>, labels: &mut Labels) -> Result<Vec<NodeLog>, Failure> {
    let mut nodes: Vec<(NodeLog, ClockKnowledge)> = Vec::new();
    let mut device = Vec::new();
    let mut names = inputs.names.iter();
    let mut has_rails = false;
    for path in inputs.logs {
        let log = InputLog::find(path, inputs.format)?;
        if log.format == LogFormat::Quanto {
            nodes.push(read_binary_log(&log, names.next(), labels)?);
        } else {
            has_rails |= matches!(log.format, LogFormat::Perfetto | LogFormat::Samples);
            device.push(log.read(inputs, labels)?);
        }
    }
    if !(inputs.rails.is_empty() || has_rails) {
        let message = "--rails: only samples and Perfetto traces have rails, and no log is one";
        return Err(Failure::Usage(message.into()));
    }
    if let Some(left) = names.next() {
        let message = format!("--names {}: there is no binary log for it", left.display());
        return Err(Failure::Usage(message));
    }
    if !device.is_empty() {
        let log = activities::merge_logs(inputs.node, device);
        nodes.push((activities::merge_frequencies_into_states(log), ClockKnowledge::Open));
    }
    if nodes.iter().all(|(log, _)| log.changes.is_empty() && log.readings.is_empty()) {
        return Err(no_usable_line(inputs, nodes.iter().flat_map(|(log, _)| &log.remarks)));
    }
    Ok(activities::align_clocks(nodes))
}

/// Returns the failure that no line of the logs could be used.
fn no_usable_line<'r>(
    inputs: &LogInputs<'_>,
    mut remarks: impl Iterator<Item = &'r Remark>,
) -> Failure {
    let files: Vec<String> = inputs.logs.iter().map(|log| log.display().to_string()).collect();
    let why = remarks
        .next()
        .map_or(String::new(), |remark| format!(" ({})", visible_name(&remark.message)));
    let remedy = if inputs.format.is_some() { "; is --log-format right?" } else { "" };
    Failure::NoData(format!(
        "{}: no state, no activity and no reading of a meter in it{why}{remedy}",
        files.join(", ")
    ))
}

impl<'a> InputLog<'a> {
    /// Finds a log, and its format unless that is given.
    fn find(path: &'a Path, format: Option<LogFormat>) -> Result<Self, Failure> {
        let wrong = |error: LogFileError| Failure::input(path, error);
        let log = |format, text| Self { path, format, text };
        match format {
            Some(LogFormat::Perfetto) => return Ok(log(LogFormat::Perfetto, None)),
            Some(format) => {
                let text = log_file::find_text_log(path, "log").map_err(wrong)?;
                return Ok(log(format, Some(text)));
            }
            None => {}
        }
        match log_file::log_file_kind(path).map_err(wrong)? {
            LogFileKind::Traces => Ok(log(LogFormat::Perfetto, None)),
            LogFileKind::Text(text) => {
                let format = guess_format(path, &text)?;
                Ok(log(format, Some(text)))
            }
        }
    }

    fn bytes(&self) -> Result<Vec<u8>, Failure> {
        let bytes = self.text.as_ref().map(TextLog::bytes).transpose();
        bytes.map(Option::unwrap_or_default).map_err(|error| Failure::input(self.path, error))
    }
}

/// Returns the format of a file by its first bytes and lines.
fn guess_format(path: &Path, log: &TextLog) -> Result<LogFormat, Failure> {
    let wrong = |error: LogFileError| Failure::input(path, error);
    if path.extension().is_some_and(|extension| extension == "quanto") {
        return Ok(LogFormat::Quanto);
    }
    let start = log.head(1 << 16).map_err(wrong)?;
    if log_file::is_trace(&start) {
        return Ok(LogFormat::Perfetto);
    }
    let text = String::from_utf8_lossy(&start);
    let first = text.trim_start_matches('\u{feff}').lines().next().unwrap_or("");
    let titles = &header_line(&start);
    if first.starts_with("# wattline-samples") {
        return Ok(LogFormat::Samples);
    } else if columns::header_columns(titles).starts_with(&CSV_HEADER.map(String::from)) {
        return Ok(LogFormat::Csv);
    } else if INTERVALS_HEADER.iter().all(|column| titles.contains(column)) {
        return Ok(LogFormat::Intervals);
    }
    let whole = log.read().map_err(wrong)?;
    let has = |word: &str| whole.contains(word);
    if activities::has_lines(&whole) {
        Ok(LogFormat::Lines)
    } else if has("Battery History") || has("\n9,h,") || has("\n9,hsp,") {
        Ok(LogFormat::Batterystats)
    } else {
        let unknown =
            || "what sort of log this is can't be told; say it with --log-format".to_owned();
        Err(Failure::input(path, columns::header_problem(titles).unwrap_or_else(unknown)))
    }
}

/// Reads a binary log with its file of names: the given one, or that beside the log.
fn read_binary_log(
    log: &InputLog<'_>,
    names: Option<&PathBuf>,
    labels: &mut Labels,
) -> Result<(NodeLog, ClockKnowledge), Failure> {
    let path = log.path;
    let beside = path.with_extension("toml");
    let file = names.cloned().or_else(|| beside.is_file().then_some(beside));
    let names = match &file {
        Some(file) => {
            let text = crate::folder::read_text(file)?;
            NodeNames::parse(&text).map_err(|error| Failure::input(file, error))?
        }
        None => {
            progress::warn_in_line(format!(
                "{}: no names (give --names, or {} beside it); numbers stand for themselves, a \
                 count of the meter is taken for 8.33 uJ, a tick for 1 us",
                path.display(),
                path.with_extension("toml").display()
            ));
            NodeNames::default()
        }
    };
    let log = activities::read_quanto(&log.bytes()?, &names, labels);
    let log = log.map_err(|error| Failure::input(path, error))?;
    Ok(match names.clock_offset_s {
        Some(offset_s) => (log.shift(seconds_to_nanoseconds(-offset_s)), ClockKnowledge::Stated),
        None => (log, ClockKnowledge::Open),
    })
}

impl InputLog<'_> {
    fn read(&self, inputs: &LogInputs<'_>, labels: &mut Labels) -> Result<NodeLog, Failure> {
        let (path, node) = (self.path, inputs.node);
        if self.format == LogFormat::Perfetto {
            return read_traces(path, inputs, labels);
        }
        let bytes = self.bytes()?;
        let text = match self.format {
            LogFormat::Csv | LogFormat::Intervals => user_table(path, &bytes)?,
            _ => String::from_utf8_lossy(&bytes).into_owned(),
        };
        match self.format {
            LogFormat::Csv => match columns::header_columns(&text) {
                columns if columns.starts_with(&CSV_HEADER.map(String::from)) => {
                    Ok(activities::read_csv(&text, node, labels))
                }
                columns => {
                    Err(Failure::input(path, columns::wrong_columns_text(&columns, &CSV_HEADER)))
                }
            },
            LogFormat::Batterystats => {
                let mut log = activities::read_batterystats(&text, node, labels);
                log.remarks.extend(self.remark_on_traces_beside());
                Ok(log)
            }
            LogFormat::Intervals => activities::read_intervals(&text, node).map_err(|problem| {
                Failure::input(path, format!("{problem}; see docs/reference/activity-logs.md"))
            }),
            LogFormat::Lines => Ok(activities::read_lines(&text, node, labels)),
            _ => read_meter_samples(path, &text, inputs),
        }
    }

    /// Returns a remark on traces beside the text of a bug report's archive.
    fn remark_on_traces_beside(&self) -> Option<Remark> {
        let traces = self.text.as_ref().map(|text| text.traces.join(", "))?;
        let message = format!(
            "the archive has traces as well, which are not read ({traces}); --log-format perfetto \
             reads them and not the battery's history"
        );
        (!traces.is_empty()).then(|| Remark::new(RemarkKind::NotRead, message))
    }
}

/// Reads the traces of a file or an archive as one log.
fn read_traces(
    path: &Path,
    inputs: &LogInputs<'_>,
    labels: &mut Labels,
) -> Result<NodeLog, Failure> {
    let wrong = |error: LogFileError| match error {
        LogFileError::NoTrace(_) => {
            Failure::NoData(format!("{}: {error}; is --log-format right?", visible_path(path)))
        }
        error => Failure::input(path, error),
    };
    let traces = log_file::find_traces(path, inputs.machine).map_err(wrong)?;
    let readers = traces.readers().map_err(wrong)?;
    let options = PerfettoOptions { rails: inputs.rails.to_vec() };
    let log = activities::read_traces(readers, inputs.node, labels, &options);
    let mut log = log.map_err(|error| Failure::input(path, error))?;
    let not_read = traces.not_read.into_iter().map(|what| (RemarkKind::NotRead, what));
    let notes = traces.notes.into_iter().map(|what| (RemarkKind::Note, what));
    log.remarks.extend(not_read.chain(notes).map(|(kind, what)| Remark::new(kind, what)));
    Ok(log)
}

/// Reads samples of a meter as a log of readings only.
fn read_meter_samples(path: &Path, text: &str, inputs: &LogInputs<'_>) -> Result<NodeLog, Failure> {
    let trace = parse_samples(text).map_err(|error| Failure::input(path, error))?;
    let mut log = NodeLog::new(inputs.node);
    log.readings = activities::readings_of_rails(&trace, inputs.rails)
        .map_err(|error| Failure::input(path, error))?;
    Ok(log)
}
