//! What the sampler of a session left: its own file, and its samples as collapsed stacks.

use super::board::Board;
use super::error::DeviceError;
use super::remote_folders::SCRIPT_FOLDER;
use super::sampler::METHODS_INTERVAL;
use crate::power::Window;
use crate::toolchain::{method_trace, simpleperf};

/// What a session with simpleperf calls its report, in its folder on the board.
const REPORT: &str = "profile.report";

/// What a sampler left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionProfile {
    /// The sampler's own file.
    pub recording: Vec<u8>,
    /// Its samples within the window, as collapsed stacks.
    pub stacks: String,
}

/// What is there of a profile, and what is to be known of it.
type Read = (Option<SessionProfile>, Vec<String>);

/// The report of simpleperf, from the board.
pub(super) fn fetched(board: &dyn Board) -> Result<Vec<u8>, DeviceError> {
    board.pull(&format!("{SCRIPT_FOLDER}/session/{REPORT}"))
}

/// Takes the samples of a report that lie in the window.
pub(super) fn of_simpleperf(recording: Vec<u8>, window: Option<Window>) -> Read {
    match simpleperf::samples(&recording, window) {
        Ok(report) => {
            let losses = report.losses().into_iter().collect();
            (Some(SessionProfile { recording, stacks: report.stacks }), losses)
        }
        Err(error) => (None, vec![format!("the profiler's report: {error}")]),
    }
}

/// Takes all samples of a trace: it was begun and ended with the marks.
pub(super) fn of_methods(trace: Result<Vec<u8>, String>) -> Read {
    let warning = |why: String| (None, vec![format!("the sampler of methods: {why}")]);
    let recording = match trace {
        Ok(recording) => recording,
        Err(why) => return warning(why),
    };
    match method_trace::samples(&recording, METHODS_INTERVAL) {
        Ok(stacks) => (Some(SessionProfile { recording, stacks }), Vec::new()),
        Err(error) => warning(error.to_string()),
    }
}
