//! `wattline tenants xen`: XeMPower's own traces.

use std::io::BufRead;
use std::path::{Path, PathBuf};

use clap::Args;
use wattline_units::limits::LINE_BYTES;

use crate::attribution::tenants::{
    CounterMode, DEFAULT_RAPL_UNIT_J, ReorderBuffer, TenantRecord, Troubles, XenFile, XenReader,
    rapl_counter, rapl_unit_j,
};
use crate::cli::quantity::number_between;
use crate::failure::Failure;
use crate::log_file;

use super::options::StreamArguments;
use super::session::TenantSession;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  wattline tenants xen rapl.csv ctr.csv pmc.csv --tsc-hz 2.8e9 --out target/tenants
  wattline tenants xen rapl.csv ctr.csv --tsc-hz 3.4e9 --rapl-unit 0xa1003 --whole

Files: energy (event 0x0100f001), cycles (0x0100f002), other counters (0x0100f003), or one file
with the event in each row. docs/reference/tenants-logs.md lists their columns.")]
pub struct Arguments {
    /// The files.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Frequency of the time stamp counter.
    #[arg(long, value_name = "HZ", value_parser = number_between(1.0, 1e12, "Hz"))]
    tsc_hz: f64,
    /// Value of the register MSR_RAPL_POWER_UNIT (0x606); without it, 2^-16 J.
    #[arg(long, value_name = "REGISTER")]
    rapl_unit: Option<String>,
    /// The planes to share: pkg, pp0, pp1, dram. pp0 and pp1 are parts of pkg.
    #[arg(long, value_delimiter = ',', default_value = "pkg")]
    plane: Vec<String>,
    /// The counters run on and wrap after so many bits, instead of being cleared at each
    /// switch.
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u32).range(8..=64))]
    running: Option<u32>,
    #[command(flatten)]
    stream: StreamArguments,
}

/// Number of records that are held back to sort them, since the buffers of CPUs are written one
/// after another.
const RECORDS_HELD_BACK: usize = 1 << 16;

struct XenSource<'a> {
    path: &'a Path,
    lines: Box<dyn BufRead>,
    file: XenFile,
    next: Option<(String, u64)>,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let hz = arguments.tsc_hz;
    let planes: Vec<&str> = arguments.plane.iter().map(String::as_str).collect();
    let mut xen = XenReader::new(hz.round() as u64, &planes)
        .map_err(|error| Failure::Usage(format!("--plane: {error}")))?;
    let mut options = arguments.stream.options(true)?;
    if let Some(bits) = arguments.running {
        options.counting = CounterMode::Running { bits };
    }
    let mut session = TenantSession::open(&arguments.stream, options)?;
    let (unit_j, unit_note) = energy_unit(arguments.rapl_unit.as_deref())?;
    for plane in xen.planes() {
        session.stream.add_meter(plane, rapl_counter(unit_j));
    }
    let mut sources = Vec::new();
    for path in &arguments.files {
        sources.push(XenSource::open(path, &mut xen)?);
    }
    session.table.counters = xen.counters().to_vec();
    let mut reorder = ReorderBuffer::new(RECORDS_HELD_BACK);
    let mut rows = Vec::new();
    // The file whose next row is the oldest goes first.
    while let Some(source) = oldest_source(&mut sources) {
        let Some((line, _)) = source.next.take() else { break };
        let is_row =
            xen.read_row(&mut source.file, &line, &mut session.names, |row| rows.push(row));
        session.stream.troubles_mut().unreadable += u64::from(!is_row);
        source.advance()?;
        for record in rows.drain(..) {
            if let Some(record) = reorder.push(record.at_ns().unwrap_or(0), record) {
                session.take(record)?;
            }
        }
    }
    session.table.counters = xen.counters().to_vec();
    while let Some(record) = reorder.pop() {
        session.take(record)?;
    }
    let mut notes = vec![unit_note];
    if !xen.has_cycles() {
        notes.push("no file has CPU_CLK_UNHALTED.CORE: shared by CPU time".into());
    }
    check_counts(arguments, session.stream.troubles())?;
    let names: Vec<String> = arguments.files.iter().map(|f| f.display().to_string()).collect();
    session.finish(&names.join(" "), &notes)
}

/// Checks the counters against their given mode: cleared at each switch, or running on.
fn check_counts(arguments: &Arguments, troubles: &Troubles) -> Result<(), Failure> {
    let (all, wrong) = (troubles.counts, troubles.impossible_counts);
    if wrong * 2 <= all {
        return Ok(());
    }
    let remedy = match arguments.running {
        None => {
            "do they run on, and are not cleared at each switch? then give --running 48 (or 40)"
        }
        Some(_) => {
            "are they cleared at each switch, or of another width? then leave out --running, \
                    or give their bits"
        }
    };
    let file = arguments.files.first().cloned().unwrap_or_default();
    Err(Failure::input(
        file,
        format!(
            "{wrong} of {all} counts of unhalted cycles are more than a CPU can run through since \
             its last switch; {remedy}, and see whether --tsc-hz is right"
        ),
    ))
}

fn energy_unit(register: Option<&str>) -> Result<(f64, String), Failure> {
    let Some(text) = register else {
        let note = "RAPL unit taken as 2^-16 J; --rapl-unit gives the register's".to_owned();
        return Ok((DEFAULT_RAPL_UNIT_J, note));
    };
    let value = match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    };
    let Some(value) = value else {
        let text = format!("--rapl-unit {text}: the register's value, like 0xa1003");
        return Err(Failure::Usage(text));
    };
    let unit_j = rapl_unit_j(value);
    Ok((unit_j, format!("RAPL unit {unit_j:e} J, bits 12:8 of {text}")))
}

fn oldest_source<'s, 'a>(sources: &'s mut [XenSource<'a>]) -> Option<&'s mut XenSource<'a>> {
    let waiting = sources.iter_mut().filter(|source| source.next.is_some());
    waiting.min_by_key(|source| source.next.as_ref().map(|(_, at)| *at))
}

impl<'a> XenSource<'a> {
    fn open(path: &'a Path, xen: &mut XenReader) -> Result<Self, Failure> {
        let lines = log_file::find_text_log(path, "table of Xen").and_then(|log| log.open());
        let mut lines = lines.map_err(|error| Failure::input(path, error))?;
        let first = next_line(&mut lines).map_err(Failure::io("read", path))?;
        let first = String::from_utf8_lossy(&first.unwrap_or_default()).into_owned();
        let file = xen.open(&first).map_err(|error| Failure::input(path, error))?;
        Ok(Self { path, lines, file, next: Some((first, 0)) })
    }

    fn advance(&mut self) -> Result<(), Failure> {
        let line = next_line(&mut self.lines).map_err(Failure::io("read", self.path))?;
        self.next = line.map(|line| {
            let line = String::from_utf8_lossy(&line).into_owned();
            // What can't be read goes at once.
            let at = XenReader::time_stamp(&line).unwrap_or(0);
            (line, at)
        });
        Ok(())
    }
}

/// Reads the next line without its end; `None` after the last one.
fn next_line(lines: &mut impl BufRead) -> std::io::Result<Option<Vec<u8>>> {
    let mut line = LINE_BYTES.read_line(lines)?;
    if line.is_empty() {
        return Ok(None);
    }
    line.pop_if(|end| *end == b'\n');
    Ok(Some(line))
}

/// Checked by the compiler: a record is small enough to hold many back.
const _: () = assert!(std::mem::size_of::<TenantRecord>() <= 160);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_of_a_register() {
        assert_eq!(energy_unit(Some("0xa1003")).unwrap().0, 2f64.powi(-16));
        assert_eq!(energy_unit(Some("3584")).unwrap().0, 2f64.powi(-14));
        assert_eq!(energy_unit(None).unwrap().0, DEFAULT_RAPL_UNIT_J);
        assert!(energy_unit(Some("0xzz")).unwrap_err().to_string().contains("--rapl-unit 0xzz"));
    }
}
