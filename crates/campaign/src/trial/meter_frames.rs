//! Frames with which the sessions of an input are long enough for the meter: estimated from the
//! trial's session, and tried in sessions of their own, so that the advice holds when it is
//! followed.
//!
//! A campaign leaves a case out if a single one of its runs is too short, and keeps runs whose
//! duration differs by `limits.duration_mismatch` from the others. So sessions are to be longer than
//! the meter needs by as much.

use std::collections::BTreeMap;

use crate::boards::OpenBoard;
use crate::build::VariantBuilder;
use crate::campaign::RunPhase;
use crate::failure::Failure;
use crate::run::MeasuredSession;
use crate::scenario::{InputSequence, Scenario};

use super::{round_up, sessions_on};

/// Greatest number of sessions that are made to find the frames of an input.
const MOST_SESSIONS: usize = 3;

/// Frames with which sessions of an input are long enough for the meter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct MeterFrames {
    /// Frames in the scenario.
    pub was: u64,
    /// Frames that are enough.
    pub frames: u64,
    /// Duration in seconds of a session with these frames, if one was made.
    pub lasted_s: Option<f64>,
}

/// A session's frames and its duration in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
struct FramesDuration {
    frames: f64,
    duration_s: f64,
}

/// Seconds that a session is to last so that no run like it is too short for the meter.
fn wanted_s(run: &MeasuredSession, duration_mismatch: f64) -> Option<f64> {
    // A scenario may allow any mismatch.
    Some(run.least_duration_s()? / (1.0 - duration_mismatch.min(0.9)))
}

/// Frames for a session of `wanted_s` seconds, by the last two sessions: later frames may take less
/// time than the first ones, and never more is assumed.
fn estimated_frames(sessions: &[FramesDuration], wanted_s: f64) -> f64 {
    let Some(last) = sessions.last() else { return 0.0 };
    let mean_s = last.duration_s / last.frames;
    let before = sessions.len().checked_sub(2).map(|place| sessions[place]);
    let added_s = before.map(|before| {
        (last.duration_s - before.duration_s) / (last.frames - before.frames).max(1.0)
    });
    let frame_s = added_s.filter(|added_s| *added_s > 0.0).map_or(mean_s, |s| s.min(mean_s));
    round_up(last.frames + (wanted_s - last.duration_s) / frame_s.max(f64::MIN_POSITIVE))
}

/// The search for the frames of an input.
struct FramesSearch {
    wanted_s: f64,
    sessions: Vec<FramesDuration>,
}

impl FramesSearch {
    /// A search after a session that is too short; none where it is long enough, or where the
    /// application is given no frames.
    fn new(input: &InputSequence, run: &MeasuredSession, scenario: &Scenario) -> Option<Self> {
        let was = scenario.frames(input).filter(|was| *was > 0)?;
        if run.duration_s >= run.least_duration_s()? {
            return None;
        }
        let wanted_s = wanted_s(run, scenario.limits.duration_mismatch)?;
        let session = FramesDuration { frames: was as f64, duration_s: run.duration_s };
        Some(Self { wanted_s, sessions: vec![session] })
    }

    /// Frames for the next session.
    fn next_frames(&self) -> u64 {
        estimated_frames(&self.sessions, self.wanted_s) as u64
    }

    /// Whether the last session is long enough with all that may vary.
    fn is_done(&self) -> bool {
        self.sessions.last().is_some_and(|last| last.duration_s >= self.wanted_s)
    }

    fn result(&self) -> MeterFrames {
        let was = self.sessions.first().map_or(0, |first| first.frames as u64);
        match self.sessions.last().filter(|_| self.is_done()) {
            Some(last) => {
                MeterFrames { was, frames: last.frames as u64, lasted_s: Some(last.duration_s) }
            }
            None => MeterFrames { was, frames: self.next_frames(), lasted_s: None },
        }
    }
}

/// For each input whose session is too short for the meter, the frames with which it is not; makes
/// sessions with more frames until one is long enough.
pub(super) fn frames_for_meter(
    sessions: &[(String, MeasuredSession)],
    (board, phase): (&OpenBoard<'_>, RunPhase),
    scenario: &Scenario,
    builder: &mut VariantBuilder<'_>,
) -> Result<BTreeMap<String, MeterFrames>, Failure> {
    let mut found = BTreeMap::new();
    for (input, (_, run)) in scenario.inputs.iter().zip(sessions) {
        let Some(mut search) = FramesSearch::new(input, run, scenario) else { continue };
        for _ in 0..MOST_SESSIONS {
            let frames = search.next_frames();
            let (name, short_s) = (&input.name, run.duration_s);
            board.progress().say(&format!(
                "  a session of input {name} lasts {short_s:.1} s, too short for the meter: trying \
                 {frames} frames"
            ));
            let Some(longer) = with_frames(scenario, input, frames) else { break };
            let made = match sessions_on(board, phase, &longer, builder) {
                Ok(made) => made,
                // A session that does not come about tells nothing; one without a board ends all.
                Err(failure @ Failure::Device(_)) => return Err(failure),
                Err(_) => break,
            };
            let lasted = made.first().map(|session| session.measured.duration_s);
            let Some(duration_s) = lasted.filter(|lasted_s| *lasted_s > 0.0) else { break };
            search.sessions.push(FramesDuration { frames: frames as f64, duration_s });
            if search.is_done() {
                break;
            }
        }
        found.insert(input.name.clone(), search.result());
    }
    Ok(found)
}

/// The scenario with this input alone, with other frames; none where it may not have so many.
fn with_frames(scenario: &Scenario, input: &InputSequence, frames: u64) -> Option<Scenario> {
    let longer = scenario.with_frames(&BTreeMap::from([(input.name.clone(), frames)])).ok()?;
    let inputs = longer.inputs.iter().filter(|other| other.name == input.name).cloned().collect();
    Some(Scenario { inputs, ..longer })
}

/// Sentence about an input whose session is too short for the meter, with the frames it needs
/// (`base 2.4 s with input few, ...`); none if it is long enough.
pub(super) fn too_short(
    input: &InputSequence,
    run: &MeasuredSession,
    frames: Option<&MeterFrames>,
) -> Option<String> {
    let (lasts_s, least_s) = (run.duration_s, run.least_duration_s()?);
    if lasts_s >= least_s {
        return None;
    }
    let remedy = match frames {
        Some(MeterFrames { was, frames, lasted_s }) => {
            let tried =
                lasted_s.map_or(String::new(), |s| format!(" (a session of them lasts {s:.1} s)"));
            format!(
                "`frames` of {frames} and more{tried}, where it is {was}; variants that do less need \
                 more"
            )
        }
        None => "let the harness do more".to_string(),
    };
    let name = &input.name;
    Some(format!("base {lasts_s:.1} s with input {name}, {least_s:.1} s are needed: {remedy}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::tests::{scenario, trial};

    /// A program whose first 100 frames take 20 ms each and whose later ones take 2.1 ms.
    fn warming_s(frames: u64) -> f64 {
        0.02 * frames.min(100) as f64 + 0.0021 * frames.saturating_sub(100) as f64
    }

    #[test]
    fn the_advice_holds_where_later_frames_are_faster() {
        let scenario = scenario();
        let input = &scenario.inputs[0];
        let mut run = trial([1.0, 8.0]).sessions[0].1.clone();
        run.duration_s = warming_s(100);
        let mut search = FramesSearch::new(input, &run, &scenario).unwrap();
        // 2.64 s and a third more for runs that differ.
        assert!((search.wanted_s - 2.64 / 0.75).abs() < 1e-9);
        assert_eq!(search.next_frames(), 180, "by the first session alone");
        for _ in 0..MOST_SESSIONS {
            let frames = search.next_frames();
            let duration_s = warming_s(frames);
            search.sessions.push(FramesDuration { frames: frames as f64, duration_s });
            if search.is_done() {
                break;
            }
        }
        let found = search.result();
        assert_eq!((found.was, found.frames), (100, 830));
        // Followed, it is enough, and no further advice comes.
        run.duration_s = warming_s(found.frames);
        assert_eq!(too_short(input, &run, None), None);
        assert!(FramesSearch::new(input, &run, &scenario).is_none());
    }

    #[test]
    fn an_advice_that_was_not_tried_makes_no_claim() {
        let scenario = scenario();
        let run = trial([2.4, 8.0]).sessions[0].1.clone();
        let search = FramesSearch::new(&scenario.inputs[0], &run, &scenario).unwrap();
        let frames = search.result();
        assert_eq!(frames, MeterFrames { was: 100, frames: 150, lasted_s: None });
        let said = too_short(&scenario.inputs[0], &run, Some(&frames)).unwrap();
        assert!(said.starts_with("base 2.4 s with input few, 2.6 s are needed"), "{said}");
        assert!(said.contains("`frames` of 150 and more, where it is 100"), "{said}");
        let tried = MeterFrames { lasted_s: Some(3.61), ..frames };
        let said = too_short(&scenario.inputs[0], &run, Some(&tried)).unwrap();
        assert!(said.contains("150 and more (a session of them lasts 3.6 s), where"), "{said}");
        let said = too_short(&scenario.inputs[0], &run, None).unwrap();
        assert!(said.ends_with("let the harness do more"), "{said}");
    }

    #[test]
    fn frames_are_never_assumed_to_take_longer_than_they_did() {
        let session = |frames, duration_s| FramesDuration { frames, duration_s };
        assert_eq!(estimated_frames(&[session(100.0, 1.0)], 2.0), 200.0);
        // The second hundred took 0.5 s; noise that makes a longer session shorter counts nothing.
        let sessions = [session(100.0, 1.0), session(200.0, 1.5)];
        assert_eq!(estimated_frames(&sessions, 2.0), 300.0);
        let sessions = [session(100.0, 1.0), session(200.0, 0.9)];
        assert_eq!(estimated_frames(&sessions, 1.8), 400.0);
    }
}
