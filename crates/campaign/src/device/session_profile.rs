//! The profile of a sampled session: the sampler's own file, and its samples as collapsed stacks.

use super::board::Board;
use super::error::DeviceError;
use super::remote_folders::SCRIPT_FOLDER;
use super::sampler::METHODS_INTERVAL;
use crate::power::Window;
use crate::toolchain::{method_trace, simpleperf};

/// File name of simpleperf's report in the session's folder on the board.
const REPORT: &str = "profile.report";

/// The result of a sampling profiler: its own file, and its samples in the window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionProfile {
    /// The sampler's own file.
    pub recording: Vec<u8>,
    /// Its samples within the window, as collapsed stacks.
    pub stacks: String,
}

/// A profile, if there is one, and warnings about it.
type ProfileWithWarnings = (Option<SessionProfile>, Vec<String>);

/// Reads simpleperf's report from the board.
pub(super) fn fetch_simpleperf_report(board: &dyn Board) -> Result<Vec<u8>, DeviceError> {
    board.pull(&format!("{SCRIPT_FOLDER}/session/{REPORT}"))
}

/// The profile of simpleperf's report: its samples in the window.
pub(super) fn simpleperf_profile(
    recording: Vec<u8>,
    window: Option<Window>,
) -> ProfileWithWarnings {
    match simpleperf::parse_report(&recording, window) {
        Ok(report) => {
            let losses = report.losses().into_iter().collect();
            (Some(SessionProfile { recording, stacks: report.stacks }), losses)
        }
        Err(error) => (None, vec![format!("the profiler's report: {error}")]),
    }
}

/// The profile of a trace of Android's sampler of methods: all its samples, since the trace began
/// and ended with the markers.
pub(super) fn method_trace_profile(trace: Result<Vec<u8>, String>) -> ProfileWithWarnings {
    let warning = |why: String| (None, vec![format!("the sampler of methods: {why}")]);
    let recording = match trace {
        Ok(recording) => recording,
        Err(why) => return warning(why),
    };
    match method_trace::collapsed_samples(&recording, METHODS_INTERVAL) {
        Ok(stacks) => (Some(SessionProfile { recording, stacks }), Vec::new()),
        Err(error) => warning(error.to_string()),
    }
}
