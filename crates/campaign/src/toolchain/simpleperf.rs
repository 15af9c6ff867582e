//! Reports of Android's sampling profiler, `simpleperf report-sample --protobuf`: their
//! samples as collapsed stacks.
//!
//! The format is that of `cmd_report_sample.proto` in Android's `system/extras/simpleperf`: a
//! magic word, a version, then messages behind their lengths, a length of 0 last. Symbols
//! come after the samples that are in them.

use std::collections::BTreeMap;

use prost::Message;
use thiserror::Error;

use super::stack_text::{clean, collapsed, joined};
use crate::format::counted;
use crate::power::Window;

const MAGIC: &[u8] = b"SIMPLEPERF";
const VERSION: u16 = 1;

/// What ART writes behind the name of code that several methods share, being the same.
const SHARED_CODE: &str = "[DEDUPED]";

/// Why a report can't be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum ReportError {
    /// It begins otherwise.
    #[error("it is no report of simpleperf: `simpleperf report-sample --protobuf` writes one")]
    NoReport,
    /// Written by a simpleperf with another format.
    #[error("it is a report of version {found}; version {VERSION} is known")]
    Version {
        /// The report's.
        found: u16,
    },
    /// It ends within a message, or before the last.
    #[error("it ends after {at} bytes, in the middle: the disk may be full")]
    Cut {
        /// Its length.
        at: usize,
    },
    /// A message that is none.
    #[error("its message at byte {at} can't be read: {message}")]
    Broken {
        /// Where the message begins.
        at: usize,
        /// What is wrong with it.
        message: String,
    },
}

/// What a report says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SampleReport {
    /// Collapsed stacks, one a line, outermost frame first; a first line names the event.
    pub stacks: String,
    /// Samples of the whole recording.
    pub taken: u64,
    /// Samples that the kernel or the profiler dropped meanwhile.
    pub lost: u64,
}

/// More lost samples than this part of all are worth telling.
const LOST_MAX: f64 = 0.02;

impl SampleReport {
    /// What to know of samples that were lost; nothing where they are few.
    pub fn losses(&self) -> Option<String> {
        let all = self.taken + self.lost;
        (self.lost as f64 > LOST_MAX * all as f64)
            .then(|| format!("simpleperf lost {} of {}", self.lost, counted(all, "sample")))
    }
}

/// Reads a report; samples outside of `window`, on the clock of `/proc/uptime`, are left out,
/// for which the recording has to be made with `--clockid boottime`.
///
/// # Errors
/// Bytes that are no report, of another version, cut short, or broken.
pub fn samples(report: &[u8], window: Option<Window>) -> Result<SampleReport, ReportError> {
    let mut read = Read::default();
    for message in ReportMessages::of(report)? {
        // One of a kind that is not known here says nothing.
        message?.item.into_iter().for_each(|item| read.take(item));
    }
    Ok(read.report(window))
}

/// The messages of a report.
struct ReportMessages<'r> {
    report: &'r [u8],
    at: usize,
    is_over: bool,
}

impl<'r> ReportMessages<'r> {
    fn of(report: &'r [u8]) -> Result<Self, ReportError> {
        let rest = report.strip_prefix(MAGIC).ok_or(ReportError::NoReport)?;
        let cut = ReportError::Cut { at: report.len() };
        let found = u16::from_le_bytes(*rest.first_chunk().ok_or(cut)?);
        if found != VERSION {
            return Err(ReportError::Version { found });
        }
        Ok(Self { report, at: MAGIC.len() + size_of::<u16>(), is_over: false })
    }

    /// The next message; `None` behind the last.
    fn message(&mut self) -> Result<Option<ReportMessage>, ReportError> {
        let cut = || ReportError::Cut { at: self.report.len() };
        let rest = &self.report[self.at..];
        let (length, rest) = rest.split_first_chunk().ok_or_else(cut)?;
        let length = u32::from_le_bytes(*length) as usize;
        let bytes = rest.get(..length).ok_or_else(cut)?;
        let at = self.at;
        self.at += size_of::<u32>() + length;
        let broken = |error: prost::DecodeError| {
            let message = error.to_string();
            ReportError::Broken { at, message }
        };
        match length {
            0 => Ok(None),
            _ => ReportMessage::decode(bytes).map(Some).map_err(broken),
        }
    }
}

impl Iterator for ReportMessages<'_> {
    type Item = Result<ReportMessage, ReportError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let message = self.message();
        self.is_over = !matches!(message, Ok(Some(_)));
        message.transpose()
    }
}

/// A frame as samples name it: its file and its symbol there.
type Place = (u32, i32);

/// What was read of a report.
#[derive(Default)]
struct Read {
    /// Samples by their time in ns and their frames, innermost first.
    samples: BTreeMap<(u64, Vec<Place>), u64>,
    symbols: BTreeMap<u32, Vec<String>>,
    event: Option<String>,
    lost: u64,
}

impl Read {
    fn take(&mut self, item: Item) {
        match item {
            Item::Sample(sample) => {
                let place = |frame: &ReportFrame| (frame.file_id, frame.symbol_id.unwrap_or(-1));
                let frames = sample.callchain.iter().map(place).collect();
                *self.samples.entry((sample.time, frames)).or_default() += 1;
            }
            // It counts from the begin of the recording, and may come more than once.
            Item::Lost(lost) => self.lost = self.lost.max(lost.lost_count),
            Item::File(file) => {
                self.symbols.insert(file.id, file.symbol);
            }
            Item::MetaInfo(about) => self.event = about.event_type.first().map(|name| clean(name)),
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
        let stacks = collapsed(&sampler, &counts);
        SampleReport { stacks, taken: self.samples.values().sum(), lost: self.lost }
    }

    /// Frames as one line, the outermost first.
    fn stack(&self, frames: &[Place]) -> String {
        let name = |(file, symbol): &Place| {
            let symbol = usize::try_from(*symbol).ok();
            let name = symbol.and_then(|symbol| self.symbols.get(file)?.get(symbol));
            frame_name(name.map_or("", String::as_str))
        };
        joined(frames.iter().rev().map(name))
    }
}

/// A symbol as a frame of a collapsed stack. ART's are `void a.b.C.run(int, a.b.D)`, without
/// type and parameters in what it writes for unwinders; `a.b.C.run` where code is interpreted.
/// Code that several methods share belongs to none of them: it is left to who called it.
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
        _ => return clean(symbol.split('(').next().unwrap_or_default()),
    };
    let name = head.rsplit(' ').next().unwrap_or_default();
    clean(&(name.to_owned() + &parameters))
}

#[derive(Clone, PartialEq, Message)]
struct ReportMessage {
    #[prost(oneof = "Item", tags = "1, 2, 3, 5")]
    item: Option<Item>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum Item {
    #[prost(message, tag = "1")]
    Sample(ReportSample),
    #[prost(message, tag = "2")]
    Lost(Lost),
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
struct Lost {
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

    fn written(items: Vec<Item>) -> Vec<u8> {
        let mut bytes = [MAGIC, &VERSION.to_le_bytes()[..]].concat();
        for item in items {
            let message = ReportMessage { item: Some(item) }.encode_to_vec();
            bytes.extend((message.len() as u32).to_le_bytes());
            bytes.extend(message);
        }
        bytes.extend(0u32.to_le_bytes());
        bytes
    }

    fn sample(time: u64, frames: &[(u32, i32)]) -> Item {
        let frame = |(file_id, symbol): &(u32, i32)| ReportFrame {
            file_id: *file_id,
            symbol_id: (*symbol >= 0).then_some(*symbol),
        };
        Item::Sample(ReportSample { time, callchain: frames.iter().map(frame).collect() })
    }

    fn report() -> Vec<u8> {
        let symbols = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let app = ["void a.B.run(int, java.util.List)", "a.B$C.get", "int a.B.x() [DEDUPED]"];
        written(vec![
            Item::MetaInfo(ReportMetaInfo { event_type: symbols(&["task-clock"]) }),
            sample(1_000_000_000, &[(2, 0), (1, 0)]),
            sample(1_500_000_000, &[(1, 1), (1, 0)]),
            sample(1_500_000_000, &[(1, 1), (1, 0)]),
            sample(1_600_000_000, &[(1, 2), (1, 0)]),
            sample(2_000_000_000, &[(2, -1)]),
            Item::Lost(Lost { lost_count: 2 }),
            Item::File(ReportFile { id: 1, symbol: symbols(&app) }),
            Item::File(ReportFile { id: 2, symbol: symbols(&["art::Thread::Run(void*)"]) }),
        ])
    }

    #[test]
    fn samples_become_stacks_with_the_names_of_methods() {
        let read = samples(&report(), None).unwrap();
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
        let read = samples(&report(), Some(window)).unwrap();
        assert_eq!(read.stacks.lines().count(), 2, "{}", read.stacks);
    }

    #[test]
    fn what_is_no_whole_report_is_told() {
        let whole = report();
        assert_eq!(samples(b"PERFILE2", None), Err(ReportError::NoReport));
        let cut = samples(&whole[..whole.len() - 1], None);
        assert_eq!(cut, Err(ReportError::Cut { at: whole.len() - 1 }));
        let mut newer = whole.clone();
        newer[MAGIC.len()] = 7;
        assert_eq!(samples(&newer, None), Err(ReportError::Version { found: 7 }));
        let mut broken = whole;
        broken[MAGIC.len() + 6..][..4].fill(0xff);
        assert!(matches!(samples(&broken, None), Err(ReportError::Broken { at: 12, .. })));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let whole = [MAGIC, &VERSION.to_le_bytes()[..], &bytes].concat();
            samples(&bytes, None).ok();
            samples(&whole, None).ok();
        }

        #[test]
        fn a_changed_byte_is_told_or_read(at in 0usize..400, byte in any::<u8>()) {
            let mut bytes = report();
            let at = at % bytes.len();
            bytes[at] = byte;
            if let Ok(read) = samples(&bytes, None) {
                let is_stack = |line: &str| line.rsplit_once(' ').is_some();
                prop_assert!(read.stacks.lines().skip(1).all(is_stack), "{:?}", read.stacks);
            }
        }

        #[test]
        fn every_cut_is_told(at in 0usize..400) {
            let bytes = report();
            let at = at % bytes.len();
            prop_assert!(samples(&bytes[..at], None).is_err());
        }
    }
}
