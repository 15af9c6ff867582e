//! The judge of runs: measures a session's logs and checks them. A run that fails a check is kept,
//! marked with its reasons, and repeated.

use crate::assumptions::ASSUMED;
use crate::campaign::{RunPhase, parse_snapshots};
use crate::power::{
    PowerTrace, SessionLog, SessionLogError, Window, integrate_delayed, parse_samples,
    parse_session_log,
};
use crate::scenario::CampaignProtocol;

use super::checks::{
    check_conditions, check_counts, check_frequency, check_profile, check_samples,
    check_thermal_status, check_time, check_windows,
};
use super::compared_time::ComparedTime;
use super::judge_settings::{JudgeSettings, RunReference};
use super::readings::{check_readings, longest_still_s};
use super::record::{MeasuredSession, RawLogs, RawRun};

/// Measures a run and checks it; returns the measured session, if it could be measured, and one
/// sentence per failed check.
pub fn judge_run(
    phase: RunPhase,
    raw: &RawRun,
    reference: &RunReference,
    settings: &JudgeSettings,
) -> (Option<MeasuredSession>, Vec<String>) {
    let mut reasons = check_conditions(phase, &raw.conditions, settings);
    reasons.extend(check_frequency(&raw.conditions, settings));
    reasons.extend(check_thermal_status(&raw.conditions));
    match measure(phase, &raw.logs, settings) {
        Ok((measured, trace)) => {
            let compared = ComparedTime::of(&measured, &raw.board.meter);
            reasons.extend(check_samples(&measured, &trace, settings));
            reasons.extend(check_readings(
                &trace,
                &settings.rails,
                measured.end_uptime_s,
                &ASSUMED,
            ));
            reasons.extend(check_time(phase, compared, reference, settings));
            reasons.extend(check_counts(phase, &measured, reference));
            reasons.extend(check_profile(phase, &raw.logs));
            if phase == RunPhase::Traced && settings.protocol == CampaignProtocol::Windows {
                let snapshots = raw.logs.windows.as_deref().map(parse_snapshots);
                reasons.extend(check_windows(snapshots, &measured));
            }
            (Some(measured), reasons)
        }
        Err(reason) => {
            reasons.push(reason);
            (None, reasons)
        }
    }
}

/// Reads samples and log of a session and integrates power over the window.
pub fn measure(
    phase: RunPhase,
    logs: &RawLogs,
    settings: &JudgeSettings,
) -> Result<(MeasuredSession, PowerTrace), String> {
    let trace = parse_samples(&logs.samples).map_err(|error| error.to_string())?;
    let series = trace.series(&settings.rails).map_err(|error| error.to_string())?;
    let log = parse_session_log(&logs.logcat, &settings.marks);
    let window = match log.session_window() {
        Err(SessionLogError::NoBegin { .. }) if phase == RunPhase::Idle => whole(&series.time_s)?,
        window => window.map_err(|error| error.to_string())?,
    };
    let (energy, lag) =
        integrate_delayed(&series, window, trace.timing()).map_err(|error| error.to_string())?;
    if !energy.right_endpoint.0.is_finite() {
        return Err("the samples hold powers that no board has".into());
    }
    let marks = log.session_markers().ok();
    let measured = MeasuredSession {
        start_wall_s: marks.and_then(|marks| marks.begin.wall_s),
        end_wall_s: marks.and_then(|marks| marks.end.wall_s),
        start_uptime_s: window.start_s,
        end_uptime_s: window.end_s,
        clock_residual_s: clock_residual_s(&log, &trace),
        duration_s: energy.duration.0,
        energy_j: energy.right_endpoint.0,
        energy_trapezoid_j: energy.trapezoid.0,
        lag_s: lag.0,
        update_period_us: trace.update_period_us,
        samples: energy.samples,
        repeated_readings: trace.repeated_readings(),
        flaws: trace.flaws.len(),
        longest_gap_s: energy.longest_gap.0,
        longest_still_s: longest_still_s(&trace),
        collections: collections(&log),
        threads: marks.and_then(|marks| log.threads_between(marks.begin, marks.end)),
        counts_crc32: logs.counts.as_ref().map(|text| crc32fast::hash(text.as_bytes())),
    };
    Ok((measured, trace))
}

/// Residual in seconds of aligning the window to the samples' clock: of the log to the board's
/// clock, and of the samples.
fn clock_residual_s(log: &SessionLog, trace: &PowerTrace) -> Option<f64> {
    let of_log = log.alignment().ok().map(|alignment| alignment.residual_s);
    of_log.into_iter().chain(trace.clock_residual_s).reduce(f64::max)
}

fn whole(times_s: &[f64]) -> Result<Window, String> {
    match (times_s.first(), times_s.last()) {
        (Some(first), Some(last)) if first < last => Ok(Window { start_s: *first, end_s: *last }),
        _ => Err("there are fewer than two samples".into()),
    }
}

fn collections(log: &SessionLog) -> u64 {
    let marks = log.session_markers();
    marks.map_or(0, |marks| log.gcs_between(marks.begin, marks.end).len() as u64)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::power::MarkerTexts;
    use crate::run::record::ExitState;
    use crate::scenario::RunLimits;

    pub(crate) fn settings() -> JudgeSettings {
        JudgeSettings {
            rails: vec!["arm".into()],
            frequency_khz: Some(1_100_000),
            idle_s: 10.0,
            limit_s: 30.0,
            sample_rate_hz: 10.0,
            protocol: CampaignProtocol::Paired,
            limits: RunLimits {
                max_gap_s: 0.5,
                min_sample_share: 0.5,
                temperature_c: 85.0,
                duration_mismatch: 0.1,
            },
            marks: MarkerTexts::default(),
        }
    }

    /// A session of 10 s at a constant power, between 101 s and 111 s of uptime.
    pub(crate) fn session(power_w: f64) -> RawRun {
        let mut samples = "# wattline-samples 1 rails=arm unit=W period_us=100000\n".to_string();
        for i in 0..=130 {
            samples += &format!("{:.2} {power_w}\n", 100.0 + f64::from(i) / 10.0);
        }
        let logcat = "\
            01-01 00:00:10.000  1  1 I wattline: uptime 100.00\n\
            01-01 00:00:11.000  9  9 I System.out: wattline: begin\n\
            01-01 00:00:12.000  9  9 D dalvikvm: GC_EXPLICIT freed 5K, 51% free 2662K/5379K, \
            paused 4ms+5ms, total 45ms\n\
            01-01 00:00:21.000  9  9 I System.out: wattline: end\n\
            01-01 00:00:22.000  1  1 I wattline: uptime 112.00\n";
        let logs = RawLogs {
            samples,
            logcat: logcat.into(),
            session: "exit=ok\n".into(),
            counts: Some("block,executions\n0,5\n".into()),
            windows: None,
            profile: None,
        };
        RawRun { logs, ..RawRun::default() }
    }

    fn reasons(phase: RunPhase, raw: &RawRun) -> Vec<String> {
        judge_run(phase, raw, &RunReference::default(), &settings()).1
    }

    #[test]
    fn a_good_session_is_measured() {
        let raw = session(2.0);
        let (measured, reasons) =
            judge_run(RunPhase::Power, &raw, &RunReference::default(), &settings());
        let measured = measured.unwrap();
        assert_eq!(reasons, [""; 0]);
        assert!((measured.energy_j - 20.0).abs() < 1e-9);
        assert!((measured.duration_s - 10.0).abs() < 1e-9);
        assert!((measured.start_uptime_s - 101.0).abs() < 1e-9);
        assert_eq!((measured.collections, measured.flaws), (1, 0));
        assert_eq!(measured.repeated_readings, 130);
    }

    #[test]
    fn each_check_names_its_reason() {
        let check = |change: &dyn Fn(&mut RawRun), expected: &str| {
            let mut raw = session(2.0);
            change(&mut raw);
            assert_eq!(reasons(RunPhase::Power, &raw), [expected]);
        };
        check(
            &|raw| raw.conditions.exit = ExitState::TimedOut,
            "the session did not end within 30 s; if it was not hung, raise `session.limit_s`, or \
             let the input do less (`frames`)",
        );
        check(
            &|raw| raw.conditions.frequency_after_khz = Some(800_000),
            "the frequency after was 800000 kHz, not 1100000 kHz",
        );
        check(
            &|raw| raw.conditions.throttled_s = Some(0.25),
            "the board was slower than 1100000 kHz for 0.25 s",
        );
        check(
            &|raw| raw.conditions.temperature_before_c = Some(90.0),
            "the temperature before was 90 C, above 85 C",
        );
        check(&|raw| raw.conditions.charging = Some(true), "the board was charging");
        check(
            &|raw| raw.conditions.thermal_status = Some(4),
            "Android's thermal status was 4, 3 is severe",
        );

        check(
            &|raw| raw.logs.logcat = raw.logs.logcat.replace("wattline: end", "over"),
            "the log has no end marker after line 2: the application died or hung",
        );
        check(
            &|raw| raw.logs.logcat = raw.logs.logcat.replace("uptime 112", "uptime 113"),
            "log and samples can be aligned to 0.500 s only",
        );
        check(
            &|raw| raw.logs.samples = raw.logs.samples.replace("\n105.", "\n#"),
            "1.100 s without a sample",
        );
        check(
            &|raw| raw.logs.samples = raw.logs.samples.replace(".10 ", "x "),
            "13 sample lines unreadable or out of order",
        );
        check(
            &|raw| raw.logs.samples.clear(),
            "samples, line 1: no `# wattline-samples 1 rails=... unit=...` header",
        );
    }

    #[test]
    fn too_few_samples_are_a_reason() {
        let mut slow = settings();
        slow.sample_rate_hz = 30.0;
        let (_, reasons) =
            judge_run(RunPhase::Power, &session(2.0), &RunReference::default(), &slow);
        assert_eq!(reasons, ["101 samples in the window, 300 expected"]);
    }

    #[test]
    fn durations_are_held_against_the_nominal_one_or_the_cases_own() {
        let mut short = settings();
        short.idle_s = 8.0;
        let none = RunReference::default();
        let (_, idle) = judge_run(RunPhase::Idle, &session(2.0), &none, &short);
        assert_eq!(idle, ["it lasted 10.00 s, where 8.00 s were expected"]);
        let three = RunReference { times_s: vec![12.0, 30.0, 12.0], ..none.clone() };
        let (_, power) = judge_run(RunPhase::Power, &session(2.0), &three, &settings());
        assert_eq!(power, ["it lasted 10.00 s, where 12.00 s were expected"]);
        let two = RunReference { times_s: vec![12.0, 30.0], ..none };
        assert!(judge_run(RunPhase::Power, &session(2.0), &two, &settings()).1.is_empty());
    }

    #[test]
    fn traced_runs_need_counts_that_repeat() {
        let mut raw = session(2.0);
        let crc = judge_run(RunPhase::Traced, &raw, &RunReference::default(), &settings());
        let reference =
            RunReference { counts_crc32: crc.0.unwrap().counts_crc32, ..RunReference::default() };
        assert!(judge_run(RunPhase::Traced, &raw, &reference, &settings()).1.is_empty());
        raw.logs.counts = Some("block,executions\n0,6\n".into());
        let (_, other) = judge_run(RunPhase::Traced, &raw, &reference, &settings());
        assert_eq!(other, ["its path is not that of the traced run before it"]);
        raw.logs.counts = None;
        let (_, none) = judge_run(RunPhase::Traced, &raw, &reference, &settings());
        assert_eq!(none, ["the application left no counts"]);
    }

    #[test]
    fn windows_need_snapshots_on_the_samples_clock() {
        let windows = JudgeSettings { protocol: CampaignProtocol::Windows, ..settings() };
        let reasons = |text: Option<&str>| {
            let mut raw = session(2.0);
            raw.logs.windows = text.map(Into::into);
            judge_run(RunPhase::Traced, &raw, &RunReference::default(), &windows).1
        };
        let good = "# wattline-windows 1\n101200000000 3 0 3\n110800000000 2 0 2\n";
        assert_eq!(reasons(Some(good)), [""; 0]);
        assert_eq!(reasons(None), ["the application left no snapshots of its counts"]);
        let other = good.replace("\n1", "\n9");
        let expected = "the snapshots' clock is not the samples': none is within the session";
        assert_eq!(reasons(Some(&other)), [expected]);
        assert_eq!(
            reasons(Some("# wattline-windows 1\n101200000000 3 0\n")),
            ["snapshots, line 2: a block without its executions"]
        );
    }

    #[test]
    fn an_idle_session_without_marks_is_taken_whole() {
        let mut raw = session(2.0);
        raw.logs.logcat.clear();
        let (measured, _) = judge_run(RunPhase::Idle, &raw, &RunReference::default(), &settings());
        assert!((measured.unwrap().energy_j - 26.0).abs() < 1e-9);
    }
}
