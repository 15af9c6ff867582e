//! Reports of Android's sampling profiler, `simpleperf report-sample --protobuf`, as collapsed
//! stacks.
//!
//! The format is `cmd_report_sample.proto` in Android's `system/extras/simpleperf`: a magic word, a
//! version, then messages after their lengths, and a length of 0 last. Symbols follow the samples
//! that refer to them.

use std::collections::BTreeMap;

use prost::Message;
use thiserror::Error;

use super::stack_text::{clean_frame_name, collapsed_text, join_frames};
use crate::format::counted;
use crate::power::Window;

const MAGIC: &[u8] = b"SIMPLEPERF";
const VERSION: u16 = 1;

/// Suffix of ART for a name of code that several identical methods share.
const SHARED_CODE: &str = "[DEDUPED]";

/// Error of reading a simpleperf report.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum SimpleperfReportError {
    /// A file that is no report.
    #[error("it is no report of simpleperf: `simpleperf report-sample --protobuf` writes one")]
    NoReport,
    /// An unknown version of the format.
    #[error("it is a report of version {found}; version {VERSION} is known")]
    Version {
        /// The version in the report.
        found: u16,
    },
    /// A report truncated within a message or before the last.
    #[error("it ends after {at} bytes, in the middle: the disk may be full")]
    Cut {
        /// Length of the report in bytes.
        at: usize,
    },
    /// A malformed message.
    #[error("its message at byte {at} can't be read: {message}")]
    Broken {
        /// Offset of the message.
        at: usize,
        /// The problem.
        message: String,
    },
}

/// Samples of a report as collapsed stacks, with the numbers of taken and lost samples.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SampleReport {
    /// Collapsed stacks, one a line, outermost frame first, after a first line that names the
    /// event.
    pub stacks: String,
    /// Number of samples in the whole recording.
    pub taken: u64,
    /// Number of samples that the kernel or the profiler dropped.
    pub lost: u64,
}

/// Largest share of lost samples that gets no remark.
const LOST_MAX: f64 = 0.02;

impl SampleReport {
    /// A remark on lost samples; `None` where they are few.
    pub fn losses(&self) -> Option<String> {
        let all = self.taken + self.lost;
        (self.lost as f64 > LOST_MAX * all as f64)
            .then(|| format!("simpleperf lost {} of {}", self.lost, counted(all, "sample")))
    }
}

/// Reads a report, without the samples outside of `window`, which is on the clock of
/// `/proc/uptime`: recordings need `--clockid boottime`.
///
/// # Errors
/// Bytes that are no report, of another version, truncated, or malformed.
pub fn parse_report(
    report: &[u8],
    window: Option<Window>,
) -> Result<SampleReport, SimpleperfReportError> {
    let mut read = ReadRecords::default();
    for message in ReportMessages::of(report)? {
        // One of a kind that is not known here says nothing.
        message?.item.into_iter().for_each(|item| read.take(item));
    }
    Ok(read.report(window))
}

/// Iterator over the messages of a report.
struct ReportMessages<'r> {
    report: &'r [u8],
    at: usize,
    is_over: bool,
}

impl<'r> ReportMessages<'r> {
    fn of(report: &'r [u8]) -> Result<Self, SimpleperfReportError> {
        let rest = report.strip_prefix(MAGIC).ok_or(SimpleperfReportError::NoReport)?;
        let cut = SimpleperfReportError::Cut { at: report.len() };
        let found = u16::from_le_bytes(*rest.first_chunk().ok_or(cut)?);
        if found != VERSION {
            return Err(SimpleperfReportError::Version { found });
        }
        Ok(Self { report, at: MAGIC.len() + size_of::<u16>(), is_over: false })
    }

    /// The next message; `None` after the last.
    fn message(&mut self) -> Result<Option<ReportMessage>, SimpleperfReportError> {
        let cut = || SimpleperfReportError::Cut { at: self.report.len() };
        let rest = &self.report[self.at..];
        let (length, rest) = rest.split_first_chunk().ok_or_else(cut)?;
        let length = u32::from_le_bytes(*length) as usize;
        let bytes = rest.get(..length).ok_or_else(cut)?;
        let at = self.at;
        self.at += size_of::<u32>() + length;
        let broken = |error: prost::DecodeError| {
            let message = error.to_string();
            SimpleperfReportError::Broken { at, message }
        };
        match length {
            0 => Ok(None),
            _ => ReportMessage::decode(bytes).map(Some).map_err(broken),
        }
    }
}

impl Iterator for ReportMessages<'_> {
    type Item = Result<ReportMessage, SimpleperfReportError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let message = self.message();
        self.is_over = !matches!(message, Ok(Some(_)));
        message.transpose()
    }
}

/// Frame of a sample: ids of its file and symbol.
type FrameId = (u32, i32);

/// Records of a report, read so far.
#[derive(Default)]
struct ReadRecords {
    /// Sample counts by time in ns and frames, innermost first.
    samples: BTreeMap<(u64, Vec<FrameId>), u64>,
    symbols: BTreeMap<u32, Vec<String>>,
    event: Option<String>,
    lost: u64,
}

impl ReadRecords {
    fn take(&mut self, item: RecordBody) {
        match item {
            RecordBody::Sample(sample) => {
                let place = |frame: &ReportFrame| (frame.file_id, frame.symbol_id.unwrap_or(-1));
                let frames = sample.callchain.iter().map(place).collect();
                *self.samples.entry((sample.time, frames)).or_default() += 1;
            }
            // It counts from the begin of the recording, and may come more than once.
            RecordBody::LostSamples(lost) => self.lost = self.lost.max(lost.lost_count),
            RecordBody::File(file) => {
                self.symbols.insert(file.id, file.symbol);
            }
            RecordBody::MetaInfo(about) => {
                self.event = about.event_type.first().map(|name| clean_frame_name(name))
            }
        }
    }

    fn report(self, window: Option<Window>) -> SampleReport {
        let is_inside = |time_ns: u64| {
            let time_s = time_ns as f64 / 1e9;
            window.is_none_or(|window| (window.start_s..window.end_s).contains(&time_s))
        };
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for ((time, frames), count) in &self.samples {
            if is_inside(*time) {
                *counts.entry(self.stack(frames)).or_default() += count;
            }
        }
        let sampler = format!("simpleperf {}", self.event.as_deref().unwrap_or("samples"));
        let stacks = collapsed_text(&sampler, &counts);
        SampleReport { stacks, taken: self.samples.values().sum(), lost: self.lost }
    }

    /// The frames as one line of a collapsed stack, outermost first.
    fn stack(&self, frames: &[FrameId]) -> String {
        let name = |(file, symbol): &FrameId| {
            let symbol = usize::try_from(*symbol).ok();
            let name = symbol.and_then(|symbol| self.symbols.get(file)?.get(symbol));
            frame_name(name.map_or("", String::as_str))
        };
        join_frames(frames.iter().rev().map(name))
    }
}

/// The frame name of a symbol. ART's symbols are `void a.b.C.run(int, a.b.D)`, without type and
/// parameters in names for unwinders, and `a.b.C.run` for interpreted code. Code that several
/// methods share is the frame `[shared code]`, of no method: its samples count for the caller.
fn frame_name(symbol: &str) -> String {
    let symbol = symbol.trim();
    if symbol.ends_with(SHARED_CODE) {
        return "[shared code]".to_owned();
    }
    let (head, parameters) = match symbol.split_once('(') {
        // Of C++, which has both, only the name matters.
        Some((head, rest)) if rest.ends_with(')') && !head.contains("::") => {
            (head, format!("({rest}"))
        }
        _ => return clean_frame_name(symbol.split('(').next().unwrap_or_default()),
    };
    let name = head.rsplit(' ').next().unwrap_or_default();
    clean_frame_name(&(name.to_owned() + &parameters))
}

#[derive(Clone, PartialEq, Message)]
struct ReportMessage {
    #[prost(oneof = "RecordBody", tags = "1, 2, 3, 5")]
    item: Option<RecordBody>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum RecordBody {
    #[prost(message, tag = "1")]
    Sample(ReportSample),
    #[prost(message, tag = "2")]
    LostSamples(LostSamples),
    #[prost(message, tag = "3")]
    File(ReportFile),
    #[prost(message, tag = "5")]
    MetaInfo(ReportMetaInfo),
}

#[derive(Clone, PartialEq, Message)]
struct ReportSample {
    #[prost(uint64, tag = "1")]
    time: u64,
    #[prost(message, repeated, tag = "3")]
    callchain: Vec<ReportFrame>,
}

#[derive(Clone, PartialEq, Message)]
struct ReportFrame {
    #[prost(uint32, tag = "2")]
    file_id: u32,
    /// -1 where the file has no symbol there.
    #[prost(int32, optional, tag = "3")]
    symbol_id: Option<i32>,
}

#[derive(Clone, PartialEq, Message)]
struct LostSamples {
    #[prost(uint64, tag = "2")]
    lost_count: u64,
}

#[derive(Clone, PartialEq, Message)]
struct ReportFile {
    #[prost(uint32, tag = "1")]
    id: u32,
    #[prost(string, repeated, tag = "3")]
    symbol: Vec<String>,
}

#[derive(Clone, PartialEq, Message)]
struct ReportMetaInfo {
    #[prost(string, repeated, tag = "1")]
    event_type: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(items: Vec<RecordBody>) -> Vec<u8> {
        let mut bytes = [MAGIC, &VERSION.to_le_bytes()[..]].concat();
        for item in items {
            let message = ReportMessage { item: Some(item) }.encode_to_vec();
            bytes.extend((message.len() as u32).to_le_bytes());
            bytes.extend(message);
        }
        bytes.extend(0u32.to_le_bytes());
        bytes
    }

    fn sample(time: u64, frames: &[(u32, i32)]) -> RecordBody {
        let frame = |(file_id, symbol): &(u32, i32)| ReportFrame {
            file_id: *file_id,
            symbol_id: (*symbol >= 0).then_some(*symbol),
        };
        RecordBody::Sample(ReportSample { time, callchain: frames.iter().map(frame).collect() })
    }

    fn report() -> Vec<u8> {
        let symbols = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let app = ["void a.B.run(int, java.util.List)", "a.B$C.get", "int a.B.x() [DEDUPED]"];
        written(vec![
            RecordBody::MetaInfo(ReportMetaInfo { event_type: symbols(&["task-clock"]) }),
            sample(1_000_000_000, &[(2, 0), (1, 0)]),
            sample(1_500_000_000, &[(1, 1), (1, 0)]),
            sample(1_500_000_000, &[(1, 1), (1, 0)]),
            sample(1_600_000_000, &[(1, 2), (1, 0)]),
            sample(2_000_000_000, &[(2, -1)]),
            RecordBody::LostSamples(LostSamples { lost_count: 2 }),
            RecordBody::File(ReportFile { id: 1, symbol: symbols(&app) }),
            RecordBody::File(ReportFile { id: 2, symbol: symbols(&["art::Thread::Run(void*)"]) }),
        ])
    }

    #[test]
    fn samples_become_stacks_with_the_names_of_methods() {
        let read = parse_report(&report(), None).unwrap();
        let lines: Vec<&str> = read.stacks.lines().collect();
        let expected = [
            "# simpleperf task-clock",
            "[unknown] 1",
            "a.B.run(int,java.util.List);[shared code] 1",
            "a.B.run(int,java.util.List);a.B$C.get 2",
            "a.B.run(int,java.util.List);art::Thread::Run 1",
        ];
        assert_eq!((lines, read.taken, read.lost), (expected.to_vec(), 5, 2));
        let told = "simpleperf lost 2 of 7 samples";
        assert_eq!(read.losses().as_deref(), Some(told));
    }

    #[test]
    fn samples_outside_of_the_window_are_left_out() {
        let window = Window { start_s: 1.2, end_s: 1.6 };
        let read = parse_report(&report(), Some(window)).unwrap();
        assert_eq!(read.stacks.lines().count(), 2, "{}", read.stacks);
    }

    #[test]
    fn what_is_no_whole_report_is_told() {
        let whole = report();
        assert_eq!(parse_report(b"PERFILE2", None), Err(SimpleperfReportError::NoReport));
        let cut = parse_report(&whole[..whole.len() - 1], None);
        assert_eq!(cut, Err(SimpleperfReportError::Cut { at: whole.len() - 1 }));
        let mut newer = whole.clone();
        newer[MAGIC.len()] = 7;
        assert_eq!(parse_report(&newer, None), Err(SimpleperfReportError::Version { found: 7 }));
        let mut broken = whole;
        broken[MAGIC.len() + 6..][..4].fill(0xff);
        assert!(matches!(
            parse_report(&broken, None),
            Err(SimpleperfReportError::Broken { at: 12, .. })
        ));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let whole = [MAGIC, &VERSION.to_le_bytes()[..], &bytes].concat();
            parse_report(&bytes, None).ok();
            parse_report(&whole, None).ok();
        }

        #[test]
        fn a_changed_byte_is_told_or_read(at in 0usize..400, byte in any::<u8>()) {
            let mut bytes = report();
            let at = at % bytes.len();
            bytes[at] = byte;
            if let Ok(read) = parse_report(&bytes, None) {
                let is_stack = |line: &str| line.rsplit_once(' ').is_some();
                prop_assert!(read.stacks.lines().skip(1).all(is_stack), "{:?}", read.stacks);
            }
        }

        #[test]
        fn every_cut_is_told(at in 0usize..400) {
            let bytes = report();
            let at = at % bytes.len();
            prop_assert!(parse_report(&bytes[..at], None).is_err());
        }
    }
}
