//! Report of `simpleperf report-sample --protobuf`: ten letters and a version, then records behind
//! their lengths until a length of 0. Messages and field numbers are those of AOSP's
//! `system/extras/simpleperf/cmd_report_sample.proto`.
//!
//! The recording itself (`perf.data`) is a file of the same records under letters of its own:
//! the real tool's recording holds raw registers and memory maps, which the board has not.

use prost::Message;

/// First bytes of a report.
const REPORT_MAGIC: &[u8; 10] = b"SIMPLEPERF";
/// First bytes of a recording of a virtual board.
const RECORDING_MAGIC: &[u8; 10] = b"VIRTUALREC";
const VERSION: u16 = 1;

/// Kind of file: report or recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReportFileKind {
    Recording,
    Report,
}

/// Record of a report or recording.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ReportRecord {
    #[prost(oneof = "RecordData", tags = "1, 2, 3, 4, 5")]
    pub data: Option<RecordData>,
}

/// Content of a record.
#[derive(Clone, PartialEq, prost::Oneof)]
pub(crate) enum RecordData {
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

/// Sample: state of a thread when an event's count was full.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ReportSample {
    /// Nanoseconds of the chosen clock.
    #[prost(uint64, optional, tag = "1")]
    pub time: Option<u64>,
    #[prost(int32, optional, tag = "2")]
    pub thread_id: Option<i32>,
    /// Frames, the innermost first.
    #[prost(message, repeated, tag = "3")]
    pub callchain: Vec<CallChainEntry>,
    /// Events since the last sample: of the clocks, nanoseconds.
    #[prost(uint64, optional, tag = "4")]
    pub event_count: Option<u64>,
    /// Index into the event types of the meta-information.
    #[prost(uint32, optional, tag = "5")]
    pub event_type_id: Option<u32>,
}

/// Frame of a call chain.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct CallChainEntry {
    #[prost(uint64, optional, tag = "1")]
    pub vaddr_in_file: Option<u64>,
    #[prost(uint32, optional, tag = "2")]
    pub file_id: Option<u32>,
    /// Index into the file's symbols.
    #[prost(int32, optional, tag = "3")]
    pub symbol_id: Option<i32>,
    /// Absent unless the options ask for it, as in the real tool.
    #[prost(enumeration = "ExecutionType", optional, tag = "4")]
    pub execution_type: Option<i32>,
}

/// Way in which a frame's code was executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub(crate) enum ExecutionType {
    /// Native code, or Java compiled when the package was installed.
    Native = 0,
    Interpreted = 1,
    Jit = 2,
    /// Code of ART itself.
    Art = 3,
}

/// Numbers of samples taken and lost.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct LostSituation {
    #[prost(uint64, optional, tag = "1")]
    pub sample_count: Option<u64>,
    #[prost(uint64, optional, tag = "2")]
    pub lost_count: Option<u64>,
}

/// File with the symbols that samples name.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ReportFile {
    /// Number of the file, from 0 upward.
    #[prost(uint32, optional, tag = "1")]
    pub id: Option<u32>,
    #[prost(string, optional, tag = "2")]
    pub path: Option<String>,
    #[prost(string, repeated, tag = "3")]
    pub symbol: Vec<String>,
    #[prost(string, repeated, tag = "4")]
    pub mangled_symbol: Vec<String>,
}

/// Thread that samples name.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ReportThread {
    #[prost(uint32, optional, tag = "1")]
    pub thread_id: Option<u32>,
    #[prost(uint32, optional, tag = "2")]
    pub process_id: Option<u32>,
    #[prost(string, optional, tag = "3")]
    pub thread_name: Option<String>,
}

/// Meta-information of a recording: events, application, Android version.
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
    /// Whether times off the processor are included.
    #[prost(bool, optional, tag = "6")]
    pub trace_offcpu: Option<bool>,
}

impl From<RecordData> for ReportRecord {
    fn from(data: RecordData) -> Self {
        Self { data: Some(data) }
    }
}

/// Encodes records as a file.
pub(crate) fn encode_records(form: ReportFileKind, records: &[ReportRecord]) -> Vec<u8> {
    let mut bytes = magic_bytes(form).to_vec();
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

/// Decodes the records of a file; `None` if it is not of this form, or incomplete.
pub(crate) fn decode_records(form: ReportFileKind, bytes: &[u8]) -> Option<Vec<ReportRecord>> {
    let rest = bytes.strip_prefix(magic_bytes(form))?;
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

fn magic_bytes(form: ReportFileKind) -> &'static [u8; 10] {
    match form {
        ReportFileKind::Recording => RECORDING_MAGIC,
        ReportFileKind::Report => REPORT_MAGIC,
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
        vec![
            RecordData::Sample(sample).into(),
            RecordData::Lost(lost).into(),
            RecordData::File(file).into(),
        ]
    }

    #[test]
    fn what_is_written_is_read() {
        for form in [ReportFileKind::Recording, ReportFileKind::Report] {
            let bytes = encode_records(form, &records());
            assert_eq!(decode_records(form, &bytes), Some(records()));
            assert_eq!(decode_records(form, &bytes[..bytes.len() - 1]), None);
        }
        assert_eq!(
            decode_records(
                ReportFileKind::Report,
                &encode_records(ReportFileKind::Recording, &records())
            ),
            None
        );
        assert_eq!(decode_records(ReportFileKind::Report, b""), None);
    }

    /// By hand from the field numbers and wire types of the real tool's messages.
    #[test]
    fn the_bytes_are_those_of_the_real_format() {
        let bytes = encode_records(ReportFileKind::Report, &records()[..1]);
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
