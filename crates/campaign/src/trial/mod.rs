//! A trial: a session of each unremoved case before anything is planned. It checks that the boards
//! have the scenario's meter and rails, that the application runs there, and that its sessions are
//! long enough for the meter, and estimates how long a campaign will take. Its measurements are not
//! used otherwise.

mod durations;
mod longer_sessions;
mod meter_frames;
mod missing_class;
pub mod session_lengths;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::boards::{self, BoardChoice, OpenBoard, VirtualSettings};
use crate::build::VariantBuilder;
use crate::campaign::{PlannedCase, PlannedRun, RunPhase};
use crate::failure::Failure;
use crate::folder::Output;
use crate::load::LoadedScenario;
use crate::measure::driver::{BoardDriver, VariantBuilds};
use crate::measure::sampled_runs;
use crate::power::{MachineLoad, SessionLogError, crash_trace, parse_session_log};
use crate::private_files::TemporaryFolder;
use crate::progress::Progress;
use crate::run::{ExitState, MeasuredSession, RawRun, RunReference, judge_run};
use crate::scenario::{InputSequence, Scenario, SessionSettings};
use crate::stacks;

use meter_frames::{MeterFrames, frames_for_meter, too_short};
use session_lengths::SessionLength;

pub use durations::{expected_cases, static_mix};
pub use longer_sessions::{LongerSessionsPolicy, TrialNumber};

/// The measurements of a trial's sessions, one per input.
#[derive(Debug, Clone)]
pub struct Trial {
    /// Input sequences with the measurements of their sessions.
    sessions: Vec<(String, MeasuredSession)>,
    /// Time of each session on this machine's clock.
    took: Vec<Duration>,
    /// Number of boards of the campaign.
    boards: usize,
    /// Whether the sessions run on this machine.
    is_local: bool,
    /// Whether any board is virtual, where the time of microbenchmarks is unknown before they run.
    is_virtual: bool,
    /// Power meter of the first board.
    pub meter: &'static str,
    /// Samples of one session of every input; none where sessions are not sampled.
    samples: Option<u64>,
    /// Number of sampled runs of each base case.
    sampled_repeats: u32,
    /// Frames that are enough for the meter, of each input with fewer.
    meter_frames: BTreeMap<String, MeterFrames>,
}

/// Opens all boards, and makes the trial's sessions on the first.
pub fn run_trial(
    loaded: &LoadedScenario,
    builder: &mut VariantBuilder<'_>,
    choices: &[BoardChoice],
    output: &Output,
    progress: &dyn Progress,
) -> Result<Trial, Failure> {
    let scenario = &loaded.scenario;
    boards::check_logs(choices, &scenario.board)?;
    let settings = VirtualSettings { truth: None, seed: scenario.seed };
    let open = |choice| boards::open(choice, scenario, &settings, output.folder(), progress);
    let open = choices.iter().map(open);
    let open: Vec<OpenBoard<'_>> = open.collect::<Result<_, _>>()?;
    let sampled_repeats =
        sampled_runs::settings_for(&scenario.campaign, &open)?.sampled_repeats.unwrap_or(0);
    let phase = if sampled_repeats > 0 { RunPhase::Sampled } else { RunPhase::Power };
    let board = open.first().ok_or_else(|| Failure::Usage("no board is named".into()))?;
    let sessions = sessions_on(board, phase, scenario, builder)?;
    let loads = sessions.iter().filter_map(|session| session.load);
    busy_machine_warning(loads).iter().for_each(|warning| progress.warn(warning));
    let took = sessions.iter().map(|session| session.took).collect();
    let samples = sessions.iter().map(|session| session.samples).sum();
    let sessions = sessions.into_iter().map(|session| (session.input, session.measured));
    let sessions: Vec<(String, MeasuredSession)> = sessions.collect();
    let meter_frames = frames_for_meter(&sessions, (board, phase), scenario, builder)?;
    Ok(Trial {
        sessions,
        took,
        boards: open.len(),
        is_local: open.iter().all(OpenBoard::is_local),
        is_virtual: open.iter().any(|board| board.facts.is_virtual()),
        meter: open.first().map_or("", |board| board.meter),
        samples: (phase == RunPhase::Sampled).then_some(samples),
        sampled_repeats,
        meter_frames,
    })
}

/// The measurements of one session of an input.
struct TrialSession {
    input: String,
    measured: MeasuredSession,
    /// Samples between its marks.
    samples: u64,
    /// Load of the machine by other work; none where it is not read.
    load: Option<MachineLoad>,
    /// Time of the session on this machine's clock, without builds.
    took: Duration,
}

/// Makes a session of every input sequence.
fn sessions_on(
    board: &OpenBoard<'_>,
    phase: RunPhase,
    scenario: &Scenario,
    builder: &mut VariantBuilder<'_>,
) -> Result<Vec<TrialSession>, Failure> {
    let cases: Vec<PlannedCase> = scenario.inputs.iter().map(base_case).collect();
    let folder =
        TemporaryFolder::new("trial").map_err(Failure::io("create", std::env::temp_dir()))?;
    let provided = &builder.application().sources.provided;
    let builds = VariantBuilds::new(scenario, builder);
    let mut driver = BoardDriver::new(scenario, &cases, &builds, board, folder.path());
    let mut sessions = Vec::new();
    for case in &cases {
        let (began, built) = (Instant::now(), driver.time.in_builds());
        // Of no repeat, so that a board's truth of the campaign's runs is theirs.
        let run = PlannedRun { case: case.name.clone(), phase, repeat: 0 };
        let raw = driver.build_and_run(&run)?;
        let took = began.elapsed().saturating_sub(driver.time.in_builds() - built);
        let stacks = raw.logs.profile.as_ref().map(|profile| stacks::parse(&profile.stacks));
        sessions.push(TrialSession {
            input: case.input.clone(),
            measured: measured(&case.input, (phase, &raw), board, scenario, provided)?,
            samples: stacks.and_then(Result::ok).map_or(0, |profile| profile.samples()),
            load: raw.conditions.load,
            took,
        });
    }
    Ok(sessions)
}

/// Warning of the busiest session, if other work disturbs measurements.
fn busy_machine_warning(loads: impl Iterator<Item = MachineLoad>) -> Option<String> {
    let busiest = MachineLoad::busiest(loads)?;
    busiest.is_busy().then(|| {
        format!(
            "the machine is busy: {busiest}. Samples and the decisions of JIT compilers will be \
             those of a busy machine, which intervals do not contain: stop other work, or measure \
             later"
        )
    })
}

fn base_case(input: &InputSequence) -> PlannedCase {
    PlannedCase {
        name: format!("base-{}", input.name),
        variant: "base".into(),
        input: input.name.clone(),
        removed: Vec::new(),
        executions: 0,
        executions_share: 1.0,
        energy_share: 1.0,
        rank: 1,
    }
}

/// Measures a session.
///
/// # Errors
/// The application died, or the session has no window.
fn measured(
    input: &str,
    (phase, raw): (RunPhase, &RawRun),
    board: &OpenBoard<'_>,
    scenario: &Scenario,
    provided: &[PathBuf],
) -> Result<MeasuredSession, Failure> {
    let settings = board.judge_settings(scenario);
    let (measured, reasons) = judge_run(phase, raw, &RunReference::default(), &settings);
    let failed = |said: String| Err(Failure::input(&scenario.file, said));
    if raw.conditions.exit == ExitState::Died {
        return failed(ended_early(input, raw, scenario, provided, &reasons.join("; ")));
    }
    let said = reasons.join("; ");
    match measured {
        None => failed(format!("no session comes about with input {input}: {said}")),
        Some(measured) => {
            if !reasons.is_empty() {
                board
                    .progress()
                    .warn(&format!("a trial with input {input} would be a bad run: {said}"));
            }
            Ok(measured)
        }
    }
}

/// The failure of a session without an end marker: a crash, or a marker that was not printed.
fn ended_early(
    input: &str,
    raw: &RawRun,
    scenario: &Scenario,
    provided: &[PathBuf],
    reasons: &str,
) -> String {
    if let Some(crash) = crash_trace(&raw.logs.logcat) {
        let remedy = missing_class::remedy(&crash, provided);
        let remedy = remedy.map_or_else(String::new, |remedy| format!("\n{remedy}"));
        return format!("the application dies on the board with input {input}:\n{crash}{remedy}");
    }
    let SessionSettings { begin_marker, end_marker, .. } = &scenario.session;
    let log = parse_session_log(&raw.logs.logcat, &scenario.session.marker_texts());
    if let Err(error @ SessionLogError::MarkerNotAlone { .. }) = log.session_markers() {
        return format!("with input {input} no session comes about: {error}");
    }
    let is_printed = |marker: &String| raw.logs.logcat.contains(marker.as_str());
    let missing = [begin_marker, end_marker].into_iter().filter(|marker| !is_printed(marker));
    let missing: Vec<String> = missing.map(|marker| format!("\"{marker}\"")).collect();
    match missing.is_empty() {
        true => format!("the application dies on the board with input {input}:\n{reasons}"),
        false => format!(
            "with input {input} the application ended and did not print {}: print \
             \"{begin_marker}\" before the work that is measured and \"{end_marker}\" after it \
             (`session.begin_marker` and `session.end_marker` name other lines)",
            missing.join(" and ")
        ),
    }
}

impl Trial {
    /// Prints which input sequences are too short for the meter.
    ///
    /// # Errors
    /// All are too short: nothing would be left to fit.
    pub fn check_durations(
        &self,
        scenario: &Scenario,
        progress: &dyn Progress,
    ) -> Result<(), Failure> {
        let short = scenario.inputs.iter().zip(&self.sessions);
        let short = short.filter_map(|(input, (_, run))| {
            too_short(input, run, self.meter_frames.get(&input.name))
        });
        let short: Vec<String> = short.collect();
        if short.len() == self.sessions.len() {
            let message =
                format!("all sessions are too short for the meter:\n{}", short.join("\n"));
            return Err(Failure::input(&scenario.file, message));
        }
        for line in &short {
            progress.warn(&format!(
                "too short for the meter, so that the data set will not have this case: {line}"
            ));
        }
        Ok(())
    }

    /// Whether the trial was made on this machine.
    pub fn is_local(&self) -> bool {
        self.is_local
    }

    /// Longer sessions for inputs that are too short for any reason and can be lengthened: those
    /// whose length depends on frames and that have no timed input steps.
    pub fn longer_sessions(&self, scenario: &Scenario) -> Vec<SessionLength> {
        let for_samples = self.samples_wanted().unwrap_or(1.0);
        let of_input = |(input, (_, run)): (&InputSequence, &(String, MeasuredSession))| {
            let was = scenario.frames(input).filter(|_| input.steps.is_empty())?;
            let compiled = compiling(run).filter(|_| self.is_local).map_or(1.0, |(_, times)| times);
            let times = compiled.max(for_samples);
            let for_meter = self.meter_frames.get(&input.name).map_or(was, |found| found.frames);
            let longer = if times > 1.0 { round_up(was as f64 * times) as u64 } else { was };
            let frames = for_meter.max(longer);
            (frames > was).then(|| SessionLength { input: input.name.clone(), was, frames })
        };
        scenario.inputs.iter().zip(&self.sessions).filter_map(of_input).collect()
    }

    /// The trial as expected with sessions of these lengths.
    pub(crate) fn with_lengths(&self, lengths: &[SessionLength], rest_s: f64) -> Trial {
        let pace = self.pace(rest_s);
        let mut longer = self.clone();
        for ((input, run), took) in longer.sessions.iter_mut().zip(&mut longer.took) {
            if let Some(length) = lengths.iter().find(|length| length.input == *input) {
                let added_s = run.duration_s * (length.frames as f64 / length.was as f64 - 1.0);
                run.duration_s += added_s;
                *took += Duration::from_secs_f64((pace * added_s).max(0.0));
            }
        }
        longer
    }

    /// Lines about sessions that are too short: on this machine's JVM for running mostly compiled
    /// code, and with a sampler for the number of samples.
    pub(crate) fn short_session_warnings(&self) -> Vec<String> {
        let sessions = self.sessions.iter().filter(|_| self.is_local);
        let compiling = sessions.filter_map(|(input, run)| {
            let (part, times) = compiling(run)?;
            Some(format!(
                "compilers have {:.0} % of the CPU time with input {input}; sessions {times} times \
                 as long bring it to {:.0} %",
                100.0 * part,
                100.0 * COMPILING_MAX
            ))
        });
        compiling.chain(self.sampling()).collect()
    }

    /// Expected number of samples of all sampled runs together; none without sampled runs.
    fn all_samples(&self) -> Option<f64> {
        let samples = f64::from(self.sampled_repeats) * self.samples? as f64;
        (samples > 0.0).then_some(samples)
    }

    /// Factor by which sessions must be longer for enough samples; none if they are long enough.
    fn samples_wanted(&self) -> Option<f64> {
        let error = sampling_error(self.all_samples()?);
        (error > SAMPLING_ERROR).then(|| round_up((error / SAMPLING_ERROR).powi(2)))
    }

    /// Sentence about how precise sampling-based estimates of methods will be; none without
    /// samples.
    fn sampling(&self) -> Option<String> {
        let samples = self.all_samples()?;
        let longer = self.samples_wanted().map_or(String::new(), |times| {
            let error = 100.0 * SAMPLING_ERROR;
            format!("; sessions {times} times as long bring it to {error:.0} %")
        });
        Some(format!(
            "sampled runs will have about {samples:.0} samples: the energy of a method that has \
             {:.0} % will be known to {:.0} %{longer}",
            100.0 * SMALL_METHOD,
            100.0 * sampling_error(samples)
        ))
    }
}

/// A method with this share of the energy is to be estimated from samples...
const SMALL_METHOD: f64 = 0.05;

/// ... with this relative error (one standard deviation).
const SAMPLING_ERROR: f64 = 0.1;

/// Largest share of compilers in a session's CPU time, so that mostly compiled code is measured.
const COMPILING_MAX: f64 = 0.1;

/// Relative error of a small method's share estimated from this number of samples (binomial).
fn sampling_error(samples: f64) -> f64 {
    ((1.0 - SMALL_METHOD) / (SMALL_METHOD * samples)).sqrt()
}

/// Share of compilers in a session's CPU time, and the factor by which the session must be longer
/// to run mostly compiled code; none if it is long enough, or if compilers' times are unknown.
fn compiling(run: &MeasuredSession) -> Option<(f64, f64)> {
    let part = run.runtime_shares()?.compiler;
    let most = COMPILING_MAX;
    // The compilers' work is taken to be done, and all that is added to be the program's.
    let times = round_up(part * (1.0 - most) / (most * (1.0 - part).max(1e-3)));
    (part > most).then_some((part, times))
}

/// Rounds a number up to two significant digits.
fn round_up(number: f64) -> f64 {
    let unit = 10f64.powf((number.max(1.0).log10().floor() - 1.0).max(0.0));
    // What rounding added is no reason for another step.
    (number / unit - 1e-9).ceil() * unit
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::durations::tests::{about, seconds};
    use super::*;
    use crate::power::RuntimeThreadTimes;
    use crate::progress::Silent;
    use crate::scenario::parse_scenario;

    pub fn scenario() -> Scenario {
        let text = "name = 'a'\n[application]\npackage = 'a.b'\nmain = 'A'\n[[source]]\npath = 's'\n\
            [session]\nframes = 100\nduration_s = 10\nrest_s = 2\n[campaign]\nrepeats = 5\n\
            [[input]]\nname = 'few'\n[[input]]\nname = 'many'\nframes = 300\n";
        parse_scenario(text, Path::new("s.toml")).unwrap()
    }

    pub fn trial(durations_s: [f64; 2]) -> Trial {
        let session = |(name, duration_s): (&str, f64)| {
            let run = MeasuredSession {
                duration_s,
                update_period_us: Some(264_000),
                ..MeasuredSession::default()
            };
            (name.to_string(), run)
        };
        let sessions = ["few", "many"].into_iter().zip(durations_s).map(session).collect();
        Trial {
            sessions,
            took: durations_s.map(|s| Duration::from_secs_f64(s + 2.5)).into(),
            boards: 1,
            is_local: false,
            is_virtual: false,
            meter: "ina231",
            samples: None,
            sampled_repeats: 0,
            meter_frames: BTreeMap::new(),
        }
    }

    #[test]
    fn a_busy_machine_is_warned_of() {
        let load = |others| MachineLoad { cores: 2, runnable: 3.0, others, stolen: 0.0 };
        assert_eq!(busy_machine_warning([load(0.01), load(0.05)].into_iter()), None);
        let warning = busy_machine_warning([load(0.01), load(0.5)].into_iter()).unwrap();
        assert!(warning.contains("other programs used 50 % of the time of 2 cores"), "{warning}");
    }

    #[test]
    fn a_campaign_without_a_long_enough_session_is_refused() {
        let one_left = trial([2.4, 8.0]).check_durations(&scenario(), &Silent);
        assert!(one_left.is_ok(), "one input is left");
        let mut short = trial([2.4, 1.2]);
        let frames = MeterFrames { was: 300, frames: 880, lasted_s: None };
        short.meter_frames.insert("many".into(), frames);
        let refused = short.check_durations(&scenario(), &Silent).unwrap_err().to_string();
        assert!(refused.contains("`frames` of 880 and more, where it is 300"), "{refused}");
    }

    /// Compilers with 40 % of the first input's time: 6 times its frames, and all stages take
    /// longer by as much.
    #[test]
    fn sessions_are_lengthened_by_their_frames() {
        let mut trial = trial([4.0, 6.0]);
        let mut scenario = scenario();
        assert!(trial.longer_sessions(&scenario).is_empty());
        let threads = RuntimeThreadTimes { process_s: 4.0, compiler_s: 1.6, collector_s: 0.0 };
        trial.sessions[0].1.threads = Some(threads);
        assert!(trial.longer_sessions(&scenario).is_empty(), "it is no JVM of this machine");
        trial.is_local = true;
        let longer = trial.longer_sessions(&scenario);
        assert_eq!(longer, [SessionLength { input: "few".into(), was: 100, frames: 600 }]);
        let after = trial.with_lengths(&longer, scenario.session.rest_s);
        let all_s = 6.0 * (24.0 + 2.5) + 6.0 * (6.0 + 2.5) + 10.0 * (10.0 + 2.5);
        about(seconds(&after, &scenario, "run"), all_s);
        // Too short for the meter, by any meter.
        let frames = MeterFrames { was: 300, frames: 880, lasted_s: None };
        trial.meter_frames.insert("many".into(), frames);
        let for_meter =
            trial.longer_sessions(&scenario).into_iter().find(|one| one.input == "many");
        assert_eq!(for_meter.map(|one| one.frames), Some(880));
        let touch = crate::scenario::InputStep {
            at_s: 1.0,
            action: crate::scenario::InputAction::Tap { x: 1, y: 1 },
        };
        scenario.inputs[0].steps = vec![touch];
        assert!(trial.longer_sessions(&scenario).iter().all(|one| one.input == "many"));
    }

    /// Of 800 samples in two runs 5 % are known to sqrt(0.95 / 40) = 15 %, and 2.4 times
    /// as many are needed for 10 %. Compilers with 40 % of the time: 6 times as long.
    #[test]
    fn sessions_of_compiled_code_are_to_be_long() {
        let mut trial = trial([2.0, 6.0]);
        assert!(trial.short_session_warnings().is_empty(), "it is no JVM");
        trial.is_local = true;
        (trial.samples, trial.sampled_repeats) = (Some(400), 2);
        let threads = RuntimeThreadTimes { process_s: 2.0, compiler_s: 0.8, collector_s: 0.0 };
        trial.sessions[0].1.threads = Some(threads);
        let said = trial.short_session_warnings();
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(said[0].contains("40 % of the CPU time with input few; sessions 6 times"));
        assert!(
            said[1].contains("about 800 samples")
                && said[1].contains("known to 15 %; sessions 3 times"),
            "{said:?}"
        );
    }

    #[test]
    fn numbers_are_rounded_up_to_two_digits() {
        let numbers = [3.0, 9.1, 101.0, 660.0, 12_345.0].map(round_up);
        assert_eq!(numbers, [3.0, 10.0, 110.0, 660.0, 13_000.0]);
    }
}
