//! The checks of a run: each returns a sentence if it fails.

use crate::campaign::{CountSnapshot, RunPhase, SnapshotError};
use crate::format::counted;
use crate::power::{FlawKind, PowerTrace, RowKind};
use crate::quantile::median;
use crate::scenario::CampaignProtocol;

use super::compared_time::ComparedTime;
use super::judge_settings::{JudgeSettings, RunReference};
use super::record::{Conditions, ExitState, MeasuredSession, RawLogs};

/// Number of good runs of a case from which times are compared: with fewer an outlier would make
/// the ones after it look bad.
const TIMES_MIN: usize = 3;

/// Largest residual of the markers that align the clocks, in seconds.
const CLOCK_RESIDUAL_MAX_S: f64 = 0.25;

/// Largest share of a session's sample lines that may be unreadable or out of order.
const FLAW_SHARE_MAX: f64 = 0.01;

pub(super) fn check_conditions(
    phase: RunPhase,
    conditions: &Conditions,
    settings: &JudgeSettings,
) -> Vec<String> {
    let mut reasons = Vec::new();
    match conditions.exit {
        ExitState::Ended => {}
        ExitState::Died => reasons.push("the application died".into()),
        ExitState::TimedOut => reasons.push(format!(
            "the session did not end within {} s; if it was not hung, raise `session.limit_s`, or \
             let the input do less (`frames`)",
            settings.limit_s
        )),
    }
    reasons.extend(conditions.input_fault.clone());
    if phase == RunPhase::Traced && settings.protocol == CampaignProtocol::Paired {
        return reasons;
    }
    for (when, temperature) in
        [("before", conditions.temperature_before_c), ("after", conditions.temperature_after_c)]
    {
        let limit = settings.limits.temperature_c;
        let hot = temperature.filter(|temperature| *temperature > limit);
        let hot = hot.map(|t| format!("the temperature {when} was {t} C, above {limit} C"));
        reasons.extend(hot);
    }
    if conditions.charging == Some(true) {
        reasons.push("the board was charging".into());
    }
    reasons
}

/// Checks that the frequency was the required one; for traced runs too, as a throttled application
/// may take another path.
pub(super) fn check_frequency(conditions: &Conditions, settings: &JudgeSettings) -> Vec<String> {
    let Some(wanted) = settings.frequency_khz else { return Vec::new() };
    let seen = [
        ("before", conditions.frequency_before_khz),
        ("meanwhile", conditions.frequency_min_khz),
        ("after", conditions.frequency_after_khz),
    ];
    let wrong = seen.into_iter().filter_map(|(when, khz)| Some((when, khz?)));
    let wrong = wrong.filter(|(_, khz)| *khz != wanted);
    let mut reasons: Vec<String> = wrong
        .map(|(when, khz)| format!("the frequency {when} was {khz} kHz, not {wanted} kHz"))
        .collect();
    if reasons.is_empty()
        && let Some(seconds) = conditions.throttled_s.filter(|seconds| *seconds > 0.0)
    {
        reasons.push(format!("the board was slower than {wanted} kHz for {seconds:.2} s"));
    }
    reasons
}

/// From this thermal status on (severe) Android slows the processor down.
const SEVERE: u8 = 3;

/// Checks that the thermal status stayed below severe; for traced runs too, as the frequency.
pub(super) fn check_thermal_status(conditions: &Conditions) -> Option<String> {
    let status = conditions.thermal_status.filter(|status| *status >= SEVERE)?;
    Some(format!("Android's thermal status was {status}, {SEVERE} is severe"))
}

pub(super) fn check_samples(
    measured: &MeasuredSession,
    trace: &PowerTrace,
    settings: &JudgeSettings,
) -> Vec<String> {
    let mut reasons = Vec::new();
    let expected = measured.duration_s * settings.sample_rate_hz;
    // Of a counter two readings are enough; gaps between them are looked at below.
    let is_few = (measured.samples as f64) < settings.limits.min_sample_share * expected;
    if is_few && trace.kind == RowKind::Shown {
        let samples = counted(measured.samples, "sample");
        reasons.push(format!("{samples} in the window, {expected:.0} expected"));
    }
    if measured.longest_gap_s > settings.limits.max_gap_s {
        let gap = measured.longest_gap_s;
        reasons.push(format!("{gap:.3} s without a sample"));
    }
    let bad = |kind: FlawKind| matches!(kind, FlawKind::Unreadable | FlawKind::Disorder);
    let flaws = trace.flaws.iter().filter(|flaw| bad(flaw.kind)).count();
    if flaws as f64 > FLAW_SHARE_MAX * (trace.len() + flaws) as f64 {
        reasons.push(format!("{} unreadable or out of order", counted(flaws, "sample line")));
    }
    if let Some(residual) = measured.clock_residual_s
        && residual > CLOCK_RESIDUAL_MAX_S
    {
        reasons.push(format!("log and samples can be aligned to {residual:.3} s only"));
    }
    reasons
}

pub(super) fn check_time(
    phase: RunPhase,
    time: ComparedTime,
    reference: &RunReference,
    settings: &JudgeSettings,
) -> Option<String> {
    let expected = match phase {
        RunPhase::Idle => settings.idle_s,
        _ if reference.times_s.len() < TIMES_MIN => return None,
        _ => median(reference.times_s.iter().copied())?,
    };
    let is_off = time.is_off(expected, settings.limits.duration_mismatch);
    is_off.then(|| format!("{}, where {expected:.2} s were expected", time.text()))
}

pub(super) fn check_counts(
    phase: RunPhase,
    measured: &MeasuredSession,
    reference: &RunReference,
) -> Option<String> {
    if phase != RunPhase::Traced {
        return None;
    }
    let Some(found) = measured.counts_crc32 else {
        return Some("the application left no counts".into());
    };
    let other = reference.counts_crc32.is_some_and(|expected| expected != found);
    other.then(|| "its path is not that of the traced run before it".into())
}

/// Checks that a sampled run has samples.
pub(super) fn check_profile(phase: RunPhase, logs: &RawLogs) -> Option<String> {
    let is_sample = |line: &str| !line.is_empty() && !line.starts_with('#');
    let has_some = || logs.profile.as_ref().is_some_and(|p| p.stacks.lines().any(is_sample));
    (phase == RunPhase::Sampled && !has_some()).then(|| "its sampler left no samples".into())
}

/// Checks that the snapshots of a traced run are there, complete, and on the samples' clock.
pub(super) fn check_windows(
    snapshots: Option<Result<Vec<CountSnapshot>, SnapshotError>>,
    measured: &MeasuredSession,
) -> Option<String> {
    let snapshots = match snapshots {
        None => return Some("the application left no snapshots of its counts".into()),
        Some(Err(error)) => return Some(error.to_string()),
        Some(Ok(snapshots)) => snapshots,
    };
    let window = measured.start_uptime_s..=measured.end_uptime_s;
    let inside = snapshots.iter().filter(|snapshot| window.contains(&snapshot.uptime_s)).count();
    match inside {
        0 => Some("the snapshots' clock is not the samples': none is within the session".into()),
        1 => Some("there is one snapshot in the session, which makes no window".into()),
        _ => None,
    }
}
