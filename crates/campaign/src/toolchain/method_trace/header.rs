//! Text header of a trace, before its records: sections `*version`, `*threads`, `*methods`, `*end`,
//! each with its lines below.

use std::collections::BTreeMap;

use super::MethodTraceError;
use super::records::{ACTION_BITS, MAGIC};
use crate::toolchain::stack_text::clean_frame_name;

/// Contents of the text header.
#[derive(Debug, Default)]
pub(super) struct TraceHeader {
    pub version: u16,
    pub clocks: TraceClocks,
    /// Whether the buffer was full before the end of the trace.
    pub has_overflowed: bool,
    /// Number of records; `None` where the header does not give one.
    pub records: Option<usize>,
    /// Frame names by method number.
    pub methods: BTreeMap<u32, String>,
}

/// Clocks of a record's times.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum TraceClocks {
    /// Wall clock only.
    #[default]
    Wall,
    /// CPU time of the thread only.
    Thread,
    /// CPU time of the thread, then wall clock.
    Dual,
}

impl TraceClocks {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Wall => "wall",
            Self::Thread => "thread-cpu",
            Self::Dual => "dual",
        }
    }
}

#[derive(Clone, Copy)]
enum Section {
    /// Before the line with the version number.
    Version,
    Facts,
    Threads,
    Methods,
}

/// Reads the header; returns it with the offset of its end.
pub(super) fn read(trace: &[u8]) -> Result<(TraceHeader, usize), MethodTraceError> {
    let mut key = TraceHeader::default();
    let mut section = None;
    let mut at = 0;
    for (number, bytes) in trace.split_inclusive(|byte| *byte == b'\n').enumerate() {
        at += bytes.len();
        let text = String::from_utf8_lossy(bytes);
        let Some(line) = text.strip_suffix('\n') else { break };
        section = match (section, line) {
            (None, "*version") => Some(Section::Version),
            (None, _) => return Err(unknown_format(trace)),
            (_, "*threads") => Some(Section::Threads),
            (_, "*methods") => Some(Section::Methods),
            (_, "*end") => return Ok((key, at)),
            (Some(section), line) => {
                let problem = |problem| MethodTraceError::Line { line: number + 1, problem };
                Some(key.take(section, line).map_err(|error| error.or_else(problem))?)
            }
        };
    }
    // A file that does not get through its first line may be anything.
    Err(if section.is_none() {
        unknown_format(trace)
    } else {
        MethodTraceError::Cut { at: trace.len() }
    })
}

/// The error for a file that does not begin with `*version`.
fn unknown_format(trace: &[u8]) -> MethodTraceError {
    match trace.strip_prefix(&MAGIC) {
        Some([0xf0..=0xff, ..]) => MethodTraceError::Streamed,
        Some([low, high, ..]) => {
            MethodTraceError::Version { found: u16::from_le_bytes([*low, *high]).to_string() }
        }
        _ => MethodTraceError::NoTrace,
    }
}

/// Problem of the whole trace, or of one header line.
enum HeaderFault {
    Trace(MethodTraceError),
    Line(&'static str),
}

impl HeaderFault {
    fn or_else(self, of_line: impl Fn(&'static str) -> MethodTraceError) -> MethodTraceError {
        match self {
            Self::Trace(error) => error,
            Self::Line(problem) => of_line(problem),
        }
    }
}

impl TraceHeader {
    /// Reads one line of a section; returns the section of the next line.
    fn take(&mut self, section: Section, line: &str) -> Result<Section, HeaderFault> {
        match section {
            Section::Version => {
                let known = line.parse().ok().filter(|version| (1..=3).contains(version));
                let other = || MethodTraceError::Version { found: line.chars().take(20).collect() };
                self.version = known.ok_or_else(|| HeaderFault::Trace(other()))?;
                return Ok(Section::Facts);
            }
            Section::Facts => self.take_fact(line)?,
            // Whose samples they are is nobody's question.
            Section::Threads => {}
            Section::Methods => {
                let (number, frame) = method(line).ok_or(HeaderFault::Line(NO_METHOD))?;
                self.methods.insert(number, frame);
            }
        }
        Ok(section)
    }

    fn take_fact(&mut self, line: &str) -> Result<(), HeaderFault> {
        match line.split_once('=').ok_or(HeaderFault::Line("it is not of the form name=value"))? {
            ("data-file-overflow", value) => self.has_overflowed = value == "true",
            ("clock", "dual") => self.clocks = TraceClocks::Dual,
            ("clock", "thread-cpu") => self.clocks = TraceClocks::Thread,
            ("clock", "wall" | "global") => self.clocks = TraceClocks::Wall,
            ("clock", _) => return Err(HeaderFault::Line("it names a clock that is not known")),
            ("num-method-calls", value) => {
                let number =
                    value.parse().map_err(|_| HeaderFault::Line("it has no whole number"))?;
                self.records = Some(number);
            }
            _ => {}
        }
        Ok(())
    }
}

const NO_METHOD: &str = "it has no number of a method in hexadecimal, class, name and signature";

/// Number and frame name of a method from `0x7f00a8<tab>a.B<tab>run<tab>(I)V<tab>...`. Semicolons
/// of the signature are replaced, since they would end a frame.
fn method(line: &str) -> Option<(u32, String)> {
    let mut fields = line.split('\t');
    let number = fields.next()?.trim();
    let number = u64::from_str_radix(number.trim_start_matches("0x"), 16).ok()?;
    let (class, name, signature) = (fields.next()?, fields.next()?, fields.next()?);
    let frame = format!("{class}.{name}{}", signature.replace(';', "|"));
    // Records have the lower half of it, with what was done in its last bits.
    Some(((number as u32) & !ACTION_BITS, clean_frame_name(&frame)))
}
