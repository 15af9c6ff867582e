//! Longer sessions, where the trial finds that compilers, the meter or the sampler want them: they
//! are taken, or offered to whoever listens.

use crate::load::LoadedScenario;
use crate::progress::Progress;
use crate::progress::times::CampaignTimes;

use super::Trial;
use super::session_lengths::{self, SessionLength};

/// What becomes of sessions that the trial finds too short, where their frames make them longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LongerSessions {
    /// They are measured as they are, unless whoever listens confirms.
    Offer,
    /// They are made longer.
    Take,
}

/// Whether sessions were made longer by a trial before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrialCount {
    /// None was made longer.
    First,
    /// They are as long as the first trial asked for.
    Second,
}

impl LongerSessions {
    /// What to lengthen sessions to, where they are too short and somebody wants them longer.
    pub fn lengths(
        self,
        trial: &Trial,
        count: TrialCount,
        loaded: &LoadedScenario,
        progress: &dyn Progress,
    ) -> Option<Vec<SessionLength>> {
        trial.of_compiled_code().iter().for_each(|line| progress.say(&format!("  {line}")));
        let is_taken = self == LongerSessions::Take;
        let lengths = trial.longer(&loaded.scenario);
        if lengths.is_empty() || count == TrialCount::Second || !(is_taken || trial.is_local()) {
            return None;
        }
        let frames = session_lengths::in_words(&lengths);
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

/// How long all takes with sessions of these lengths, where that can be told.
fn whole_time(trial: &Trial, lengths: &[SessionLength], loaded: &LoadedScenario) -> String {
    let cases = super::expected_cases(&loaded.scenario);
    let longer = trial.with_lengths(lengths, loaded.scenario.session.rest_s);
    let times: CampaignTimes = longer.all_times(loaded, &cases).into_iter().collect();
    times.whole().map_or(String::new(), |time| format!(" (all then takes {time})"))
}
