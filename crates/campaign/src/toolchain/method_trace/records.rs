//! The records of a trace, in bytes of the little-endian order behind a header: `SLOW`, the
//! version, where the records begin, the time of the start, from version 3 on a record's size.

use super::MethodTraceError;
use super::key::{Key, TraceClocks};

pub(super) const MAGIC: [u8; 4] = *b"SLOW";
/// Of a method's number: what was done.
pub(super) const ACTION_BITS: u32 = 3;

/// A method that was entered or left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MethodRecord {
    /// Where it stands in the file.
    pub at: usize,
    pub thread: u16,
    pub method: u32,
    pub is_entered: bool,
    pub times: RecordTimes,
}

/// Microseconds; absent where the clock is not there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct RecordTimes {
    /// That the thread has run since it was first seen.
    pub thread_us: Option<u32>,
    /// Since the start.
    pub wall_us: Option<u32>,
}

/// Reads the records, which begin with their header `at` this byte.
pub(super) fn read(
    trace: &[u8],
    at: usize,
    key: &Key,
) -> Result<Vec<MethodRecord>, MethodTraceError> {
    let shape =
        Shape::of(&trace[at..], at, key).ok_or(MethodTraceError::Cut { at: trace.len() })??;
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

/// What the header says.
struct Shape {
    /// Of the first record, from the header's begin.
    offset: usize,
    /// Of a record.
    size: usize,
}

impl Shape {
    /// None where the header is not whole.
    fn of(bytes: &[u8], at: usize, key: &Key) -> Option<Result<Self, MethodTraceError>> {
        let broken = |problem| Some(Err(MethodTraceError::Broken { at, problem }));
        let (magic, rest) = bytes.split_first_chunk()?;
        if *magic != MAGIC {
            return broken("the header of its records does not begin with SLOW");
        }
        let word = |place: usize| Some(u16::from_le_bytes(*rest.get(place..)?.first_chunk()?));
        let (version, offset) = (word(0)?, usize::from(word(2)?));
        let size = if version == 3 { word(12)? } else { size_of(key) };
        if version != key.version {
            return broken("the version of its records is not that of its text");
        }
        if offset < 16 || size != size_of(key) {
            return broken("its records have a size or place that does not go with its clocks");
        }
        Some(Ok(Self { offset, size: usize::from(size) }))
    }
}

/// Of a record: thread, method, times.
fn size_of(key: &Key) -> u16 {
    let thread = if key.version == 1 { 1 } else { 2 };
    let times = if key.clocks == TraceClocks::Dual { 8 } else { 4 };
    thread + 4 + times
}

fn record(row: &[u8], at: usize, key: &Key) -> Result<MethodRecord, MethodTraceError> {
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
