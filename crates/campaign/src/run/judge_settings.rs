//! The settings of the judge of runs, and the values of earlier runs to compare with.

use crate::power::MarkerTexts;
use crate::scenario::{CampaignProtocol, FrequencyChoice, RunLimits, Scenario};

/// Requirements of a scenario on its runs.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeSettings {
    /// Rails whose power is added up.
    pub rails: Vec<String>,
    /// Frequency that the application's core must have, in kHz; none if any is allowed.
    pub frequency_khz: Option<u64>,
    /// Nominal length of an idle session in seconds.
    pub idle_s: f64,
    /// Time limit of a session in seconds.
    pub limit_s: f64,
    /// Power samples per second.
    pub sample_rate_hz: f64,
    /// Whether traced runs are power runs too, with snapshots of their counts.
    pub protocol: CampaignProtocol,
    /// Limits of the scenario's checks.
    pub limits: RunLimits,
    /// Lines that open and close the window.
    pub marks: MarkerTexts,
}

impl From<&Scenario> for JudgeSettings {
    fn from(scenario: &Scenario) -> Self {
        Self {
            rails: scenario.board.rails.clone(),
            frequency_khz: match scenario.board.frequency_khz {
                FrequencyChoice::Khz(khz) => Some(khz),
                FrequencyChoice::Auto | FrequencyChoice::Leave => None,
            },
            idle_s: scenario.session.duration_s,
            limit_s: scenario.session.limit_s,
            sample_rate_hz: scenario.session.sample_rate_hz,
            protocol: scenario.campaign.protocol,
            limits: scenario.limits,
            marks: scenario.session.marker_texts(),
        }
    }
}

/// Values of the earlier good runs of a case and phase, which new runs are compared with.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunReference {
    /// Their times in seconds: durations, or CPU times with a meter that estimates from these.
    pub times_s: Vec<f64>,
    /// CRC32 of the counts of the first traced run.
    pub counts_crc32: Option<u32>,
}
