//! The report of `simpleperf report-sample --protobuf`: ten letters and a version, then
//! records behind their lengths until a length of 0. Messages and field numbers are those of
//! AOSP's `system/extras/simpleperf/cmd_report_sample.proto`.
//!
//! The recording itself (`perf.data`) is a file of the same records under letters of its own:
//! the real tool's recording holds raw registers and memory maps, which the board has not.

use prost::Message;

/// How a report begins.
const REPORT_MAGIC: &[u8; 10] = b"SIMPLEPERF";
/// How a recording of a virtual board begins.
const RECORDING_MAGIC: &[u8; 10] = b"VIRTUALREC";
const VERSION: u16 = 1;

/// Which of the two a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReportForm {
    Recording,
    Report,
}

/// Any record.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ReportRecord {
    #[prost(oneof = "Data", tags = "1, 2, 3, 4, 5")]
    pub data: Option<Data>,
}

/// What a record holds.
#[derive(Clone, PartialEq, prost::Oneof)]
pub(crate) enum Data {
    #[prost(message, tag = "1")]
    Sample(ReportSample),
    #[prost(message, tag = "2")]
    Lost(LostSituation),
    #[prost(message, tag = "3")]
    File(ReportFile),
    #[prost(message, tag = "4")]
    Thread(ReportThread),
    #[prost(message, tag = "5")]
    MetaInfo(ReportMetaInfo),
}

/// Where a thread was when an event's count was full.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ReportSample {
    /// Nanoseconds of the clock that was chosen.
    #[prost(uint64, optional, tag = "1")]
    pub time: Option<u64>,
    #[prost(int32, optional, tag = "2")]
    pub thread_id: Option<i32>,
    /// The innermost frame first.
    #[prost(message, repeated, tag = "3")]
    pub callchain: Vec<CallChainEntry>,
    /// Events since the last sample: of the clocks, nanoseconds.
    #[prost(uint64, optional, tag = "4")]
    pub event_count: Option<u64>,
    /// Index into the event types of the meta-information.
    #[prost(uint32, optional, tag = "5")]
    pub event_type_id: Option<u32>,
}

/// A frame.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct CallChainEntry {
    #[prost(uint64, optional, tag = "1")]
    pub vaddr_in_file: Option<u64>,
    #[prost(uint32, optional, tag = "2")]
    pub file_id: Option<u32>,
    /// Index into the file's symbols.
    #[prost(int32, optional, tag = "3")]
    pub symbol_id: Option<i32>,
    /// Absent unless it was asked for, as is the real one's.
    #[prost(enumeration = "ExecutionType", optional, tag = "4")]
    pub execution_type: Option<i32>,
}

/// How a frame's code was executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub(crate) enum ExecutionType {
    /// Native code, or Java compiled when the package was installed.
    Native = 0,
    Interpreted = 1,
    Jit = 2,
    /// ART's own code beside Java's.
    Art = 3,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct LostSituation {
    #[prost(uint64, optional, tag = "1")]
    pub sample_count: Option<u64>,
    #[prost(uint64, optional, tag = "2")]
    pub lost_count: Option<u64>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ReportFile {
    /// From 0, one more each time.
    #[prost(uint32, optional, tag = "1")]
    pub id: Option<u32>,
    #[prost(string, optional, tag = "2")]
    pub path: Option<String>,
    #[prost(string, repeated, tag = "3")]
    pub symbol: Vec<String>,
    #[prost(string, repeated, tag = "4")]
    pub mangled_symbol: Vec<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ReportThread {
    #[prost(uint32, optional, tag = "1")]
    pub thread_id: Option<u32>,
    #[prost(uint32, optional, tag = "2")]
    pub process_id: Option<u32>,
    #[prost(string, optional, tag = "3")]
    pub thread_name: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ReportMetaInfo {
    #[prost(string, repeated, tag = "1")]
    pub event_type: Vec<String>,
    #[prost(string, optional, tag = "2")]
    pub app_package_name: Option<String>,
    /// `debuggable` or `profileable`.
    #[prost(string, optional, tag = "3")]
    pub app_type: Option<String>,
    #[prost(string, optional, tag = "4")]
    pub android_sdk_version: Option<String>,
    /// Whether times off the processor are in it.
    #[prost(bool, optional, tag = "6")]
    pub trace_offcpu: Option<bool>,
}

impl From<Data> for ReportRecord {
    fn from(data: Data) -> Self {
        Self { data: Some(data) }
    }
}

/// Writes records as a file.
pub(crate) fn encode(form: ReportForm, records: &[ReportRecord]) -> Vec<u8> {
    let mut bytes = magic(form).to_vec();
    bytes.extend(VERSION.to_le_bytes());
    for record in records {
        let message = record.encode_to_vec();
        let length = u32::try_from(message.len()).expect("a record is far below four gigabytes");
        bytes.extend(length.to_le_bytes());
        bytes.extend(message);
    }
    bytes.extend(0_u32.to_le_bytes());
    bytes
}

/// Reads the records of a file; none if it is not of this form, or not whole.
pub(crate) fn decode(form: ReportForm, bytes: &[u8]) -> Option<Vec<ReportRecord>> {
    let rest = bytes.strip_prefix(magic(form))?;
    let mut rest = rest.strip_prefix(&VERSION.to_le_bytes())?;
    let mut records = Vec::new();
    loop {
        let (length, after) = rest.split_first_chunk::<4>()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        if length == 0 {
            return Some(records);
        }
        let (message, after) = after.split_at_checked(length)?;
        records.push(ReportRecord::decode(message).ok()?);
        rest = after;
    }
}

fn magic(form: ReportForm) -> &'static [u8; 10] {
    match form {
        ReportForm::Recording => RECORDING_MAGIC,
        ReportForm::Report => REPORT_MAGIC,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records() -> Vec<ReportRecord> {
        let frame = CallChainEntry {
            vaddr_in_file: Some(300),
            file_id: Some(0),
            symbol_id: Some(-1),
            execution_type: Some(ExecutionType::Jit.into()),
        };
        let sample = ReportSample {
            time: Some(5),
            thread_id: Some(7),
            callchain: vec![frame],
            event_count: Some(1_000_000),
            event_type_id: Some(0),
        };
        let lost = LostSituation { sample_count: Some(1), lost_count: Some(0) };
        let file = ReportFile {
            id: Some(0),
            path: Some("/a".into()),
            symbol: vec!["m".into()],
            mangled_symbol: Vec::new(),
        };
        vec![Data::Sample(sample).into(), Data::Lost(lost).into(), Data::File(file).into()]
    }

    #[test]
    fn what_is_written_is_read() {
        for form in [ReportForm::Recording, ReportForm::Report] {
            let bytes = encode(form, &records());
            assert_eq!(decode(form, &bytes), Some(records()));
            assert_eq!(decode(form, &bytes[..bytes.len() - 1]), None);
        }
        assert_eq!(decode(ReportForm::Report, &encode(ReportForm::Recording, &records())), None);
        assert_eq!(decode(ReportForm::Report, b""), None);
    }

    /// By hand from the field numbers and wire types of the real tool's messages.
    #[test]
    fn the_bytes_are_those_of_the_real_format() {
        let bytes = encode(ReportForm::Report, &records()[..1]);
        let frame = [8, 0xac, 2, 16, 0, 24, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 32, 2];
        let mut sample = vec![8, 5, 16, 7, 26, frame.len() as u8];
        sample.extend(frame);
        sample.extend([32, 0xc0, 0x84, 0x3d, 40, 0]);
        let mut expected = b"SIMPLEPERF\x01\x00".to_vec();
        expected.extend((sample.len() as u32 + 2).to_le_bytes());
        expected.extend([10, sample.len() as u8]);
        expected.extend(sample);
        expected.extend([0; 4]);
        assert_eq!(bytes, expected);
    }
}
