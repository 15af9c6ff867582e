//! Files -> logs: what each file is, and which ones belong together.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::attribution::activities::{
    self, CSV_HEADER, ClockIs, INTERVALS_HEADER, Labels, NodeLog, NodeNames, PerfettoOptions,
    Remark, nanoseconds,
};
use crate::format::visible_name;
use crate::input_file;
use crate::power::parse_samples;

use super::super::progress;
use super::super::user_table::{first_line, read_user_table};
use super::columns;
use crate::stage::Failure;

/// What a log is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Binary entries of 12 bytes, as Quanto writes them.
    Quanto,
    /// time_s,component,event,value.
    Csv,
    /// A Perfetto trace, also gzip.
    Perfetto,
    /// dumpsys batterystats, as text or with -c.
    Batterystats,
    /// Intervals of states with energies.
    Intervals,
    /// A log with lines of the Java API.
    Lines,
    /// Samples of a board's rails: the meter.
    Samples,
}

/// What a command was given.
pub struct Inputs<'a> {
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
}

/// Reads all files: a log for each binary one, and one for all others together, on one
/// clock as far as it is known.
pub fn logs(inputs: &Inputs<'_>, labels: &mut Labels) -> Result<Vec<NodeLog>, Failure> {
    let mut nodes: Vec<(NodeLog, ClockIs)> = Vec::new();
    let mut device = Vec::new();
    let mut names = inputs.names.iter();
    let mut has_rails = false;
    for path in inputs.logs {
        let format = match inputs.format {
            Some(format) => format,
            None => guess(path)?,
        };
        if format == LogFormat::Quanto {
            nodes.push(binary(path, names.next(), labels)?);
        } else {
            has_rails |= matches!(format, LogFormat::Perfetto | LogFormat::Samples);
            device.push(other(path, format, inputs, labels)?);
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
        let log = activities::together(inputs.node, device);
        nodes.push((activities::with_frequencies(log), ClockIs::Open));
    }
    if nodes.iter().all(|(log, _)| log.changes.is_empty() && log.readings.is_empty()) {
        return Err(nothing(inputs, nodes.iter().flat_map(|(log, _)| &log.remarks)));
    }
    Ok(activities::aligned(nodes))
}

/// Not a line of the logs could be used.
fn nothing<'r>(inputs: &Inputs<'_>, mut remarks: impl Iterator<Item = &'r Remark>) -> Failure {
    let files: Vec<String> = inputs.logs.iter().map(|log| log.display().to_string()).collect();
    let why = remarks
        .next()
        .map_or(String::new(), |remark| format!(" ({})", visible_name(&remark.message)));
    let remedy = if inputs.format.is_some() { "; is --format right?" } else { "" };
    Failure::NoData(format!(
        "{}: no state, no activity and no reading of a meter in it{why}{remedy}",
        files.join(", ")
    ))
}

/// What a file is, by its first bytes and lines.
fn guess(path: &Path) -> Result<LogFormat, Failure> {
    let bytes = read(path)?;
    let start = &bytes[..bytes.len().min(1 << 16)];
    let text = String::from_utf8_lossy(start);
    let first = text.trim_start_matches('\u{feff}').lines().next().unwrap_or("");
    let titles = &first_line(start);
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    let has = |word: &str| String::from_utf8_lossy(&bytes).contains(word);
    if extension == "quanto" {
        Ok(LogFormat::Quanto)
    } else if first.starts_with("# wattline-samples") {
        Ok(LogFormat::Samples)
    } else if columns::of(titles).starts_with(&CSV_HEADER.map(String::from)) {
        Ok(LogFormat::Csv)
    } else if INTERVALS_HEADER.iter().all(|column| titles.contains(column)) {
        Ok(LogFormat::Intervals)
    } else if start.starts_with(&[0x1f, 0x8b]) || start.first() == Some(&0x0a) && !is_text(start) {
        Ok(LogFormat::Perfetto)
    } else if activities::has_lines(&String::from_utf8_lossy(&bytes)) {
        Ok(LogFormat::Lines)
    } else if has("Battery History") || has("\n9,h,") || has("\n9,hsp,") {
        Ok(LogFormat::Batterystats)
    } else {
        let unknown = || "what sort of log this is can't be told; say it with --format".to_owned();
        Err(Failure::input(path, columns::problem(titles).unwrap_or_else(unknown)))
    }
}

fn is_text(bytes: &[u8]) -> bool {
    !bytes.iter().any(|byte| matches!(byte, 0..=8 | 14..=31))
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    input_file::read(path).map_err(Failure::io("read", path))
}

/// A binary log with its names: the file given, or the one beside it.
fn binary(
    path: &Path,
    names: Option<&PathBuf>,
    labels: &mut Labels,
) -> Result<(NodeLog, ClockIs), Failure> {
    let beside = path.with_extension("toml");
    let file = names.cloned().or_else(|| beside.is_file().then_some(beside));
    let names = match &file {
        Some(file) => {
            let text = crate::stage::folder::read_text(file)?;
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
    let log = activities::read_quanto(&read(path)?, &names, labels);
    let log = log.map_err(|error| Failure::input(path, error))?;
    Ok(match names.clock_offset_s {
        Some(offset_s) => (log.shifted(nanoseconds(-offset_s)), ClockIs::Stated),
        None => (log, ClockIs::Open),
    })
}

fn other(
    path: &Path,
    format: LogFormat,
    inputs: &Inputs<'_>,
    labels: &mut Labels,
) -> Result<NodeLog, Failure> {
    let node = inputs.node;
    if format == LogFormat::Perfetto {
        let file = input_file::open(path).map_err(Failure::io("read", path))?;
        let options = PerfettoOptions { rails: inputs.rails.to_vec() };
        return activities::read_perfetto(file, node, labels, &options)
            .map_err(|error| Failure::input(path, error));
    }
    let text = match format {
        LogFormat::Csv | LogFormat::Intervals => read_user_table(path)?,
        _ => String::from_utf8_lossy(&read(path)?).into_owned(),
    };
    match format {
        LogFormat::Csv => match columns::of(&text) {
            columns if columns.starts_with(&CSV_HEADER.map(String::from)) => {
                Ok(activities::read_csv(&text, node, labels))
            }
            columns => Err(Failure::input(path, columns::wrong(&columns, &CSV_HEADER))),
        },
        LogFormat::Batterystats => Ok(activities::read_batterystats(&text, node, labels)),
        LogFormat::Intervals => activities::read_intervals(&text, node).map_err(|problem| {
            Failure::input(path, format!("{problem}; see docs/activity-logs.md"))
        }),
        LogFormat::Lines => Ok(activities::read_lines(&text, node, labels)),
        _ => samples(path, &text, inputs),
    }
}

/// A meter: a log of readings only.
fn samples(path: &Path, text: &str, inputs: &Inputs<'_>) -> Result<NodeLog, Failure> {
    let trace = parse_samples(text).map_err(|error| Failure::input(path, error))?;
    let mut log = NodeLog::new(inputs.node);
    log.readings =
        activities::readings(&trace, inputs.rails).map_err(|error| Failure::input(path, error))?;
    Ok(log)
}
