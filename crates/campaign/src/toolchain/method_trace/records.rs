//! Records of a trace, little-endian, after a binary header: `SLOW`, the version, the offset of the
//! records, the start time, and from version 3 on the size of a record.

use super::MethodTraceError;
use super::header::{TraceClocks, TraceHeader};

pub(super) const MAGIC: [u8; 4] = *b"SLOW";
/// Bits of a method number that hold the action: entered or left.
pub(super) const ACTION_BITS: u32 = 3;

/// One record: a thread entered or left a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MethodRecord {
    /// Offset in the file.
    pub at: usize,
    pub thread: u16,
    pub method: u32,
    pub is_entered: bool,
    pub times: RecordTimes,
}

/// Times of a record in microseconds; `None` for a clock that the trace does not have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct RecordTimes {
    /// CPU time of the thread since the sampler first saw the thread.
    pub thread_us: Option<u32>,
    /// Wall time since the start of the trace.
    pub wall_us: Option<u32>,
}

/// Reads all records, whose binary header begins at offset `at`.
pub(super) fn read(
    trace: &[u8],
    at: usize,
    key: &TraceHeader,
) -> Result<Vec<MethodRecord>, MethodTraceError> {
    let shape = RecordLayout::of(&trace[at..], at, key)
        .ok_or(MethodTraceError::Cut { at: trace.len() })??;
    let first = at + shape.offset;
    let bytes = trace.get(first..).ok_or(MethodTraceError::Cut { at: trace.len() })?;
    let rows = bytes.chunks_exact(shape.size);
    let told = key.records.unwrap_or(rows.len());
    if !rows.remainder().is_empty() || rows.len() < told {
        return Err(MethodTraceError::Cut { at: trace.len() });
    }
    if rows.len() > told {
        let at = first + told * shape.size;
        return Err(MethodTraceError::Broken {
            at,
            problem: "there are more records than it says",
        });
    }
    let places = (first..).step_by(shape.size);
    rows.zip(places).map(|(row, at)| record(row, at, key)).collect()
}

/// Layout of the records, from the binary header.
struct RecordLayout {
    /// Offset of the first record from the start of the binary header.
    offset: usize,
    /// Size of a record in bytes.
    size: usize,
}

impl RecordLayout {
    /// Reads the binary header; `None` where it is truncated.
    fn of(bytes: &[u8], at: usize, key: &TraceHeader) -> Option<Result<Self, MethodTraceError>> {
        let broken = |problem| Some(Err(MethodTraceError::Broken { at, problem }));
        let (magic, rest) = bytes.split_first_chunk()?;
        if *magic != MAGIC {
            return broken("the header of its records does not begin with SLOW");
        }
        let word = |place: usize| Some(u16::from_le_bytes(*rest.get(place..)?.first_chunk()?));
        let (version, offset) = (word(0)?, usize::from(word(2)?));
        let size = if version == 3 { word(12)? } else { record_size(key) };
        if version != key.version {
            return broken("the version of its records is not that of its text");
        }
        if offset < 16 || size != record_size(key) {
            return broken("its records have a size or place that does not go with its clocks");
        }
        Some(Ok(Self { offset, size: usize::from(size) }))
    }
}

/// Size of a record in bytes: thread, method, times.
fn record_size(key: &TraceHeader) -> u16 {
    let thread = if key.version == 1 { 1 } else { 2 };
    let times = if key.clocks == TraceClocks::Dual { 8 } else { 4 };
    thread + 4 + times
}

fn record(row: &[u8], at: usize, key: &TraceHeader) -> Result<MethodRecord, MethodTraceError> {
    let broken = |problem| MethodTraceError::Broken { at, problem };
    let (thread, rest) = match (key.version, row) {
        (1, [thread, rest @ ..]) => (u16::from(*thread), rest),
        (_, [low, high, rest @ ..]) => (u16::from_le_bytes([*low, *high]), rest),
        _ => return Err(broken("a record is too short")),
    };
    let word = |place: usize| rest.get(place..)?.first_chunk().copied().map(u32::from_le_bytes);
    let method = word(0).ok_or_else(|| broken("a record is too short"))?;
    let times = match key.clocks {
        TraceClocks::Wall => RecordTimes { thread_us: None, wall_us: word(4) },
        TraceClocks::Thread => RecordTimes { thread_us: word(4), wall_us: None },
        TraceClocks::Dual => RecordTimes { thread_us: word(4), wall_us: word(8) },
    };
    let is_entered = match method & ACTION_BITS {
        0 => true,
        // Left, or unrolled by an exception.
        1 | 2 => false,
        _ => return Err(broken("a record neither enters nor leaves a method")),
    };
    Ok(MethodRecord { at, thread, method: method & !ACTION_BITS, is_entered, times })
}
