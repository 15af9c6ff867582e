//! The decision on longer sessions, if the trial finds that compilers, the meter or the sampler
//! need them: they are taken, or offered to the user.

use crate::load::LoadedScenario;
use crate::progress::Progress;
use crate::progress::times::CampaignTimes;

use super::Trial;
use super::session_lengths::{self, SessionLength};

/// Policy for sessions that the trial finds too short and that more frames would lengthen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LongerSessionsPolicy {
    /// Longer sessions are offered; without confirmation the lengths stay as they are.
    Offer,
    /// Sessions are made longer.
    Take,
}

/// The first trial, or the second, after sessions were made longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrialNumber {
    /// No session was made longer before.
    First,
    /// Sessions have the lengths that the first trial found.
    Second,
}

impl LongerSessionsPolicy {
    /// The new lengths of sessions that are too short, if the policy or the user accepts them;
    /// empty otherwise.
    pub fn lengths(
        self,
        trial: &Trial,
        count: TrialNumber,
        loaded: &LoadedScenario,
        progress: &dyn Progress,
    ) -> Option<Vec<SessionLength>> {
        trial.short_session_warnings().iter().for_each(|line| progress.say(&format!("  {line}")));
        let is_taken = self == LongerSessionsPolicy::Take;
        let lengths = trial.longer_sessions(&loaded.scenario);
        if lengths.is_empty() || count == TrialNumber::Second || !(is_taken || trial.is_local()) {
            return None;
        }
        let frames = session_lengths::frames_text(&lengths);
        let time = whole_time(trial, &lengths, loaded);
        let what = format!("sessions are long enough with `frames` of {frames}{time}");
        if is_taken {
            progress.say(&format!("  {what}"));
        }
        let is_taken = is_taken || progress.confirm(&format!("{what}. Take them?"));
        if !is_taken {
            progress.warn(&format!("{what}; `pipeline --auto` takes them"));
        }
        is_taken.then_some(lengths)
    }
}

/// Clause about the time of the whole campaign with sessions of these lengths, if it can be
/// estimated.
fn whole_time(trial: &Trial, lengths: &[SessionLength], loaded: &LoadedScenario) -> String {
    let cases = super::expected_cases(&loaded.scenario);
    let longer = trial.with_lengths(lengths, loaded.scenario.session.rest_s);
    let times: CampaignTimes = longer.all_times(loaded, &cases).into_iter().collect();
    times.total_text().map_or(String::new(), |time| format!(" (all then takes {time})"))
}
