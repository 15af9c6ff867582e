//! `simpleperf report-sample`.

use std::io::Read as _;

use super::messages::failure_reply;
use super::paths::path_in;
use crate::board_state::BoardState;
use crate::commands::reply::Reply;
use crate::sampler::report::{
    RecordData, ReportFileKind, ReportRecord, decode_records, encode_records,
};

/// Source file of the real tool that its messages name.
const SOURCE: &str = "cmd_report_sample.cpp";

/// Parsed options of `simpleperf report-sample`.
#[derive(Debug, PartialEq, Eq)]
struct ReportOptions {
    protobuf: bool,
    callchain: bool,
    execution_type: bool,
    input: String,
    output: String,
}

/// `simpleperf report-sample`: writes the samples of a recording in the protobuf format for other
/// programs.
pub(super) fn report(board: &BoardState, folder: &str, words: &[&str]) -> Reply {
    let options = match parse(words) {
        Ok(options) => options,
        Err(problem) => return failure_reply(SOURCE, &problem),
    };
    if !options.protobuf {
        return failure_reply(SOURCE, "a virtual board reports samples with --protobuf only");
    }
    let mut bytes = Vec::new();
    let input = board.folder.open(&path_in(folder, &options.input));
    let bytes = match input.and_then(|mut file| file.read_to_end(&mut bytes)) {
        Ok(_) => bytes,
        Err(error) => {
            let problem = format!("failed to open record file '{}': {error}", options.input);
            return failure_reply("record_file_reader.cpp", &problem);
        }
    };
    let Some(records) = decode_records(ReportFileKind::Recording, &bytes) else {
        let problem = format!("{} is not a record file of this board", options.input);
        return failure_reply("record_file_reader.cpp", &problem);
    };
    let records: Vec<ReportRecord> =
        records.into_iter().map(|record| reduced_record(record, &options)).collect();
    let output = path_in(folder, &options.output);
    let written = match board.is_disk_full() {
        true => Err(std::io::ErrorKind::StorageFull.into()),
        false => board.folder.write(&output, &encode_records(ReportFileKind::Report, &records)),
    };
    match written {
        Ok(()) => Reply::default(),
        Err(error) => failure_reply(SOURCE, &format!("failed to open {}: {error}", options.output)),
    }
}

/// Parses the arguments of `report-sample`; the error is the real tool's message.
fn parse(words: &[&str]) -> Result<ReportOptions, String> {
    let mut options = ReportOptions {
        protobuf: false,
        callchain: false,
        execution_type: false,
        input: "perf.data".to_owned(),
        output: "report_sample.trace".to_owned(),
    };
    let help = "Try `simpleperf help report-sample`.";
    let mut words = words.iter();
    while let Some(&option) = words.next() {
        let mut value = || {
            words.next().copied().ok_or(format!("No argument following {option} option. {help}"))
        };
        match option {
            "--protobuf" => options.protobuf = true,
            "--show-callchain" => options.callchain = true,
            "--show-execution-type" => options.execution_type = true,
            "-i" => options.input = value()?.to_owned(),
            "-o" => options.output = value()?.to_owned(),
            "--show-art-frames" | "--remove-unknown-kernel-symbols" => {}
            "--remove-gaps" | "--symdir" => drop(value()?),
            other => return Err(format!("Unknown option {other}. {help}")),
        }
    }
    Ok(options)
}

/// Removes call chains and execution types from a record, where the options do not ask for them.
fn reduced_record(mut record: ReportRecord, options: &ReportOptions) -> ReportRecord {
    if let Some(RecordData::Sample(sample)) = &mut record.data {
        if !options.callchain {
            sample.callchain.truncate(1);
        }
        if !options.execution_type {
            sample.callchain.iter_mut().for_each(|entry| entry.execution_type = None);
        }
    }
    record
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_others_refused() {
        let options = parse(&["--protobuf", "--show-callchain", "-i", "a", "-o", "b"]).unwrap();
        let expected = ReportOptions {
            protobuf: true,
            callchain: true,
            execution_type: false,
            input: "a".into(),
            output: "b".into(),
        };
        assert_eq!(options, expected);
        assert!(parse(&["-i"]).unwrap_err().contains("No argument following -i option"));
        assert!(parse(&["--xml"]).unwrap_err().contains("Unknown option --xml."));
    }
}
