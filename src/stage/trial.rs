//! A session of each unremoved case before anything is planned: whether the boards have the
//! meter and the rails that the scenario wants, whether the application runs there, whether
//! its sessions are long enough for the meter, and how long a campaign will take. What it
//! measures is not used otherwise.

use std::thread;
use std::time::{Duration, Instant};

use crate::account::profile;
use crate::blocks::BlockId;
use crate::build::{VariantBuilder, call_limit};
use crate::campaign::{PlannedCase, PlannedRun, RunPhase, order_runs, with_sampler};
use crate::operations::{Dictionary, Mix};
use crate::power::crash_in;
use crate::private_files::TemporaryFolder;
use crate::run::{ExitState, MeasuredSession, RawRun, RunReference, judge};
use crate::scenario::{InputSequence, PlanOn, Scenario, SessionSettings};

use super::boards::{self, BoardChoice, OpenBoard, VirtualSettings};
use super::measure::driver::{BoardDriver, VariantBuilds};
use super::measure::sampled;
use super::microbenchmarks::{self, SessionMeter};
use super::progress;
use super::session_lengths::SessionLength;
use super::times::StageTime;
use super::{Failure, Loaded, Output};

/// What the sessions told.
#[derive(Debug, Clone)]
pub struct Trial {
    /// Each input sequence with what its session measured.
    sessions: Vec<(String, MeasuredSession)>,
    /// How long each of them took here.
    took: Vec<Duration>,
    /// How many boards share the campaign.
    boards: usize,
    /// Whether they are this machine.
    is_local: bool,
    /// Whether any is virtual: how long microbenchmarks take there is not known before they run.
    is_virtual: bool,
    /// The first board's meter.
    pub meter: &'static str,
    /// Samples of one session of every input; none where sessions are not sampled.
    samples: Option<u64>,
    /// How many sampled runs each base case has.
    sampled_repeats: u32,
}

/// Opens all boards, and makes the sessions on the first.
pub fn make(
    loaded: &Loaded,
    builder: &mut VariantBuilder<'_>,
    choices: &[BoardChoice],
    output: &Output,
) -> Result<Trial, Failure> {
    let scenario = &loaded.scenario;
    boards::check_logs(choices, &scenario.board)?;
    let settings = VirtualSettings { truth: None, seed: scenario.seed };
    let open =
        choices.iter().map(|choice| boards::open(choice, scenario, &settings, output.folder()));
    let open: Vec<OpenBoard> = open.collect::<Result<_, _>>()?;
    let sampled_repeats = sampled::on(&scenario.campaign, &open)?.sampled_repeats.unwrap_or(0);
    let phase = if sampled_repeats > 0 { RunPhase::Sampled } else { RunPhase::Power };
    let board = open.first().ok_or_else(|| Failure::Usage("no board is named".into()))?;
    let sessions = sessions_on(board, phase, scenario, builder)?;
    let took = sessions.iter().map(|session| session.took).collect();
    let samples = sessions.iter().map(|session| session.samples).sum();
    let sessions = sessions.into_iter().map(|session| (session.input, session.measured));
    Ok(Trial {
        sessions: sessions.collect(),
        took,
        boards: open.len(),
        is_local: open.iter().all(OpenBoard::is_local),
        is_virtual: open.iter().any(|board| board.facts.is_virtual()),
        meter: open.first().map_or("", |board| board.meter),
        samples: (phase == RunPhase::Sampled).then_some(samples),
        sampled_repeats,
    })
}

/// What a session of an input told.
struct TrialSession {
    input: String,
    measured: MeasuredSession,
    /// Samples between its marks.
    samples: u64,
    /// How long it took here, without builds.
    took: Duration,
}

/// A session of every input sequence.
fn sessions_on(
    board: &OpenBoard,
    phase: RunPhase,
    scenario: &Scenario,
    builder: &mut VariantBuilder<'_>,
) -> Result<Vec<TrialSession>, Failure> {
    let cases: Vec<PlannedCase> = scenario.inputs.iter().map(base_case).collect();
    let folder =
        TemporaryFolder::new("trial").map_err(Failure::io("create", std::env::temp_dir()))?;
    let builds = VariantBuilds::new(scenario, builder);
    let mut driver = BoardDriver::new(scenario, &cases, &builds, board, folder.path());
    let mut sessions = Vec::new();
    for case in &cases {
        let (began, built) = (Instant::now(), driver.time.in_builds());
        // Of no repeat, so that a board's truth of the campaign's runs is theirs.
        let run = PlannedRun { case: case.name.clone(), phase, repeat: 0 };
        let raw = driver.make(&run)?;
        let took = began.elapsed().saturating_sub(driver.time.in_builds() - built);
        let stacks = raw.logs.profile.as_ref().map(|profile| profile::parse(&profile.stacks));
        sessions.push(TrialSession {
            input: case.input.clone(),
            measured: measured(&case.input, (phase, &raw), board, scenario)?,
            samples: stacks.and_then(Result::ok).map_or(0, |profile| profile.samples()),
            took,
        });
    }
    Ok(sessions)
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

/// What a session measured.
///
/// # Errors
/// The application died, or the session has no window.
fn measured(
    input: &str,
    (phase, raw): (RunPhase, &RawRun),
    board: &OpenBoard,
    scenario: &Scenario,
) -> Result<MeasuredSession, Failure> {
    let settings = board.judge_settings(scenario);
    let (measured, reasons) = judge(phase, raw, &RunReference::default(), &settings);
    let failed = |said: String| Err(Failure::input(&scenario.file, said));
    if raw.conditions.exit == ExitState::Died {
        return failed(ended_early(input, raw, scenario, &reasons.join("; ")));
    }
    let said = reasons.join("; ");
    match measured {
        None => failed(format!("no session comes about with input {input}: {said}")),
        Some(measured) => {
            if !reasons.is_empty() {
                progress::warn(format!("a trial with input {input} would be a bad run: {said}"));
            }
            Ok(measured)
        }
    }
}

/// Why a session has no end: a crash, or a marker that was not printed.
fn ended_early(input: &str, raw: &RawRun, scenario: &Scenario, reasons: &str) -> String {
    if let Some(crash) = crash_in(&raw.logs.logcat) {
        return format!("the application dies on the board with input {input}:\n{crash}");
    }
    let SessionSettings { begin_marker, end_marker, .. } = &scenario.session;
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
    /// Says which input sequences are too short for the meter.
    ///
    /// # Errors
    /// All of them are: nothing would be left to fit.
    pub fn check_durations(&self, scenario: &Scenario) -> Result<(), Failure> {
        let short = scenario.inputs.iter().zip(&self.sessions);
        let short = short.filter_map(|(input, (_, run))| too_short(input, run, scenario));
        let short: Vec<String> = short.collect();
        if short.len() == self.sessions.len() {
            let message =
                format!("all sessions are too short for the meter:\n{}", short.join("\n"));
            return Err(Failure::input(&scenario.file, message));
        }
        short.iter().for_each(|line| progress::warn(format!("too short for the meter: {line}")));
        Ok(())
    }

    /// How long all stages after it will take with these cases.
    pub(crate) fn all_times(
        &self,
        loaded: &Loaded,
        cases: &[PlannedCase],
    ) -> Vec<(&'static str, StageTime)> {
        let Loaded { scenario, application, .. } = loaded;
        let mut times = self.times(scenario, cases);
        times.extend(self.microbenchmarks(scenario, &static_mix(&application.dictionary)));
        times
    }

    /// How long the stages after it will take, but for microbenchmarks and pairs of them.
    pub(crate) fn times(
        &self,
        scenario: &Scenario,
        cases: &[PlannedCase],
    ) -> Vec<(&'static str, StageTime)> {
        let seconds = |input: &InputSequence| self.duration_of(Some(&input.name));
        let sessions_s: f64 = scenario.inputs.iter().map(seconds).sum();
        let mean_s = sessions_s / scenario.inputs.len().max(1) as f64;
        let calls = match self.is_local {
            true => {
                let limit_s = call_limit(scenario).as_secs_f64();
                let of_input = |input| (RECORDED_CALLS * seconds(input)).min(limit_s);
                StageTime::About(scenario.inputs.iter().map(of_input).sum())
            }
            false => StageTime::Unknown,
        };
        let SessionSettings { duration_s, rest_s, .. } = scenario.session;
        let round_s = |variants: usize| {
            let inputs_s = sessions_s + scenario.inputs.len() as f64 * rest_s;
            variants as f64 * inputs_s + duration_s + rest_s
        };
        let repeats = f64::from(scenario.campaign.repeats);
        let variants = 1 + scenario.hints.verify;
        let sessions = repeats * (variants * scenario.inputs.len() + 1) as f64;
        let verify_s = self.here_s(repeats * round_s(variants), sessions, rest_s);
        let mut times = vec![
            ("plan", self.planning(scenario, mean_s)),
            ("run", StageTime::About(self.measuring_s(scenario, cases))),
            ("calls", calls),
        ];
        if scenario.hints.verify > 0 {
            times.push(("verify", StageTime::AtMost(verify_s)));
        }
        times
    }

    fn planning(&self, scenario: &Scenario, session_s: f64) -> StageTime {
        let (dry_runs, rest_s) = (scenario.campaign.dry_runs as f64, scenario.session.rest_s);
        let at_once = thread::available_parallelism().map_or(1, usize::from) as f64;
        let here_s = (DRY_RUN * session_s + JVM_START_S) / at_once;
        match scenario.campaign.plan_on {
            PlanOn::Board => StageTime::AtMost(self.here_s(dry_runs * session_s, dry_runs, rest_s)),
            PlanOn::Host if self.is_local => StageTime::AtMost(dry_runs * here_s),
            // How fast this machine is beside the board is not known.
            PlanOn::Host => StageTime::Unknown,
        }
    }

    /// Seconds for all runs of these cases.
    fn measuring_s(&self, scenario: &Scenario, cases: &[PlannedCase]) -> f64 {
        let case_of = |run: &PlannedRun| cases.iter().find(|case| case.name == run.case);
        let takes = |run: &PlannedRun| self.takes_s(scenario, run.phase, case_of(run));
        let order = order_runs(cases, &with_sampler(&scenario.campaign, self.sampled_repeats));
        order.iter().map(takes).sum::<f64>() / self.boards.max(1) as f64
    }

    /// How long microbenchmarks of what runs take, and before/after pairs of them.
    pub(crate) fn microbenchmarks(
        &self,
        scenario: &Scenario,
        mix: &Mix,
    ) -> Vec<(&'static str, StageTime)> {
        if !scenario.microbenchmarks.enabled {
            return Vec::new();
        }
        let board = SessionMeter { meter: self.meter, is_local: self.is_local };
        let sessions = f64::from(scenario.microbenchmarks.repeats);
        let here_s = |board_s: f64| {
            self.here_s(board_s, sessions, scenario.session.rest_s) / self.boards.max(1) as f64
        };
        let (all, pairs) = match self.is_virtual {
            // They compute all the time. Sessions mostly wait, which takes a virtual board no time.
            true => (StageTime::Unknown, StageTime::Unknown),
            false => (
                StageTime::About(here_s(microbenchmarks::expected_s(scenario, mix, board))),
                StageTime::AtMost(here_s(microbenchmarks::longest_pairs_s(scenario, board))),
            ),
        };
        vec![("microbenchmarks", all), ("pairs", pairs)]
    }

    /// Whether it was made on this machine.
    pub fn is_local(&self) -> bool {
        self.is_local
    }

    /// Inputs whose sessions are too short, for any reason, and can be made longer: where frames
    /// tell how long they are, and nobody touches a screen at moments of its own meanwhile.
    pub(crate) fn longer(&self, scenario: &Scenario) -> Vec<SessionLength> {
        let for_samples = self.samples_wanted().unwrap_or(1.0);
        let of_input = |(input, (_, run)): (&InputSequence, &(String, MeasuredSession))| {
            let was = scenario.frames(input).filter(|_| input.steps.is_empty())?;
            let compiled = compiling(run).filter(|_| self.is_local).map_or(1.0, |(_, times)| times);
            let for_meter = run.least_duration_s().map_or(1.0, |least| least / run.duration_s);
            let times = compiled.max(for_meter).max(for_samples);
            let frames = rounded_up(was as f64 * times) as u64;
            (times > 1.0).then(|| SessionLength { input: input.name.clone(), was, frames })
        };
        scenario.inputs.iter().zip(&self.sessions).filter_map(of_input).collect()
    }

    /// What the trial would be with sessions of these lengths.
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

    /// What sessions are too short for, line by line: on this machine's JVM to be run by
    /// compiled code mostly, and wherever there is a sampler to be sampled often enough.
    pub fn of_compiled_code(&self) -> Vec<String> {
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

    /// Samples of all sampled runs together; none where there are none.
    fn all_samples(&self) -> Option<f64> {
        let samples = f64::from(self.sampled_repeats) * self.samples? as f64;
        (samples > 0.0).then_some(samples)
    }

    /// How many times as long sessions have to be for enough samples; none where they are.
    fn samples_wanted(&self) -> Option<f64> {
        let error = sampling_error(self.all_samples()?);
        (error > SAMPLING_ERROR).then(|| rounded_up((error / SAMPLING_ERROR).powi(2)))
    }

    /// How well samples will know methods.
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

    fn duration_of(&self, input: Option<&String>) -> f64 {
        let own = self.sessions.iter().find(|(name, _)| Some(name) == input);
        own.map_or(0.0, |(_, run)| run.duration_s)
    }

    /// Seconds here that sessions take which have so many on the board's clock, rests included.
    fn here_s(&self, board_s: f64, sessions: f64, rest_s: f64) -> f64 {
        match self.is_virtual {
            true => self.pace(rest_s) * board_s,
            false => board_s + sessions * self.around_s(rest_s),
        }
    }

    /// Seconds here for one of a session on the board's clock: what a virtual board waits for
    /// takes no time.
    fn pace(&self, rest_s: f64) -> f64 {
        if !self.is_virtual {
            return 1.0;
        }
        let on_board: f64 = self.sessions.iter().map(|(_, run)| run.duration_s + rest_s).sum();
        let took: f64 = self.took.iter().map(Duration::as_secs_f64).sum();
        if on_board > 0.0 { took / on_board } else { 1.0 }
    }

    /// Seconds here that a run takes, its rest included.
    fn takes_s(&self, scenario: &Scenario, phase: RunPhase, case: Option<&PlannedCase>) -> f64 {
        let number =
            self.sessions.iter().position(|(name, _)| Some(name) == case.map(|c| &c.input));
        let took_s = |number: usize| self.took.get(number).map_or(0.0, Duration::as_secs_f64);
        if self.is_virtual {
            // Waiting takes it no time: an idle session no more than the shortest other one.
            let shortest_s = (0..self.took.len()).map(took_s).reduce(f64::min).unwrap_or(0.0);
            let own_s = number.filter(|_| phase != RunPhase::Idle).map(took_s);
            return own_s.unwrap_or(shortest_s);
        }
        let lasts_s = match (phase, number) {
            (RunPhase::Idle, _) => scenario.session.duration_s,
            (_, None) => 0.0,
            (_, Some(number)) => {
                let run = &self.sessions[number].1;
                // A program that is always busy takes less with less to do.
                let busy = run.threads.is_some_and(|t| t.process_s > BUSY * run.duration_s);
                let share = case.filter(|_| busy).map_or(1.0, |c| c.executions_share.min(1.0));
                run.duration_s * share
            }
        };
        lasts_s + scenario.session.rest_s + self.around_s(scenario.session.rest_s)
    }

    /// Seconds that a session takes here beside what it measures and its rest.
    fn around_s(&self, rest_s: f64) -> f64 {
        let took_s: f64 = self.took.iter().map(Duration::as_secs_f64).sum();
        let lasted_s: f64 = self.sessions.iter().map(|(_, run)| run.duration_s + rest_s).sum();
        (took_s - lasted_s).max(0.0) / self.sessions.len().max(1) as f64
    }
}

/// A program with this part of a processor's time waits for nothing.
const BUSY: f64 = 0.7;

/// A method with this part of the energy is to be known by its samples...
const SMALL_METHOD: f64 = 0.05;

/// ... to this part of its own (one standard deviation).
const SAMPLING_ERROR: f64 = 0.1;

/// The part of a session's CPU time that compilers may have: what is measured is to be
/// what they made.
const COMPILING_MAX: f64 = 0.1;

/// How many times as long as its session a run takes at most that records calls; most take half
/// of that.
const RECORDED_CALLS: f64 = 3.0;

/// The same of a dry run: it counts, and has no optimising compiler.
const DRY_RUN: f64 = 2.0;

/// Seconds of a processor that the start of a JVM with some hundred classes takes.
const JVM_START_S: f64 = 0.3;

/// The relative error of a small method's share by so many samples: Poisson's.
fn sampling_error(samples: f64) -> f64 {
    ((1.0 - SMALL_METHOD) / (SMALL_METHOD * samples)).sqrt()
}

/// Which part of a session's CPU time compilers have, and how many times as long it has to be to be
/// one of compiled code; none where it is long enough, or compilers' times are not known.
fn compiling(run: &MeasuredSession) -> Option<(f64, f64)> {
    let part = run.runtime_shares()?.compiler;
    let most = COMPILING_MAX;
    // The compilers' work is taken to be done, and all that is added to be the program's.
    let times = rounded_up(part * (1.0 - most) / (most * (1.0 - part).max(1e-3)));
    (part > most).then_some((part, times))
}

/// What runs, where nothing but the sources is known: each block as often as any other.
pub(crate) fn static_mix(dictionary: &Dictionary) -> Mix {
    Mix::new(dictionary, |_| 1)
}

/// Cases as many as the scenario wants, for an estimate before they are planned.
pub(crate) fn expected_cases(scenario: &Scenario) -> Vec<PlannedCase> {
    let inputs = scenario.inputs.iter().cycle();
    let all = scenario.campaign.cases.max(scenario.inputs.len());
    let case = |(number, input): (usize, &InputSequence)| {
        let base = base_case(input);
        match number < scenario.inputs.len() {
            true => base,
            false => PlannedCase {
                name: format!("{number}-{}", input.name),
                removed: vec![BlockId(0)],
                ..base
            },
        }
    };
    inputs.take(all).enumerate().map(case).collect()
}

/// `base of input few lasts 2.40 s ...: `frames` of 440 and more`.
fn too_short(input: &InputSequence, run: &MeasuredSession, scenario: &Scenario) -> Option<String> {
    let (lasts_s, least_s) = (run.duration_s, run.least_duration_s()?);
    if lasts_s >= least_s {
        return None;
    }
    let frames = scenario.extras(input).get("frames").and_then(|text| text.parse::<f64>().ok());
    let remedy = match frames {
        Some(frames) => {
            let enough = rounded_up(frames * least_s / lasts_s);
            format!(
                "`frames` of {enough} and more, where it is {frames}; variants that do less need more"
            )
        }
        None => "let the driver do more".to_string(),
    };
    let name = &input.name;
    Some(format!("base {lasts_s:.1} s with input {name}, {least_s:.1} s are needed: {remedy}"))
}

/// The next number of two digits and zeros.
fn rounded_up(number: f64) -> f64 {
    let unit = 10f64.powf((number.max(1.0).log10().floor() - 1.0).max(0.0));
    // What rounding added is no reason for another step.
    (number / unit - 1e-9).ceil() * unit
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::power::RuntimeThreads;
    use crate::scenario::parse_scenario;

    fn scenario() -> Scenario {
        let text = "name = 'a'\n[application]\npackage = 'a.b'\nmain = 'A'\n[[source]]\npath = 's'\n\
            [session]\nframes = 100\nduration_s = 10\nrest_s = 2\n[campaign]\nrepeats = 5\n\
            [[input]]\nname = 'few'\n[[input]]\nname = 'many'\nframes = 300\n";
        parse_scenario(text, Path::new("s.toml")).unwrap()
    }

    fn trial(durations_s: [f64; 2]) -> Trial {
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
        }
    }

    #[test]
    fn short_sessions_are_told_with_the_frames_they_need() {
        let run = &trial([2.4, 8.0]).sessions[0].1.clone();
        let said = too_short(&scenario().inputs[0], run, &scenario()).unwrap();
        assert!(said.starts_with("base 2.4 s with input few, 2.6 s are needed"), "{said}");
        assert!(said.contains("`frames` of 110 and more, where it is 100"), "{said}");
        assert!(trial([2.4, 8.0]).check_durations(&scenario()).is_ok(), "one input is left");
        let refused = trial([2.4, 1.2]).check_durations(&scenario()).unwrap_err().to_string();
        assert!(refused.contains("`frames` of 660 and more, where it is 300"), "{refused}");
    }

    fn seconds(trial: &Trial, scenario: &Scenario, stage: &str) -> Option<StageTime> {
        let cases: Vec<PlannedCase> = scenario.inputs.iter().map(base_case).collect();
        let times = trial.times(scenario, &cases);
        times.into_iter().find(|(name, _)| *name == stage).map(|(_, time)| time)
    }

    fn about(time: Option<StageTime>, expected: f64) {
        let Some(StageTime::About(s) | StageTime::AtMost(s)) = time else { panic!("{time:?}") };
        assert!((s / expected - 1.0).abs() < 1e-9, "{s} {expected}");
    }

    #[test]
    fn stages_take_what_sessions_took() {
        // Half a second more here than sessions and 2 s of rest.
        let mut trial = trial([4.0, 6.0]);
        let mut scenario = scenario();
        // Each case: 1 traced, 5 power and 5 idle runs.
        let all_s = 6.0 * (4.0 + 2.5) + 6.0 * (6.0 + 2.5) + 10.0 * (10.0 + 2.5);
        about(seconds(&trial, &scenario, "run"), all_s);
        assert_eq!(seconds(&trial, &scenario, "verify"), None);
        assert_eq!(seconds(&trial, &scenario, "calls"), Some(StageTime::Unknown));
        scenario.hints.verify = 2;
        // Three variants with two inputs and an idle session, half a second more each.
        about(seconds(&trial, &scenario, "verify"), 5.0 * (3.0 * 14.0 + 12.0 + 7.0 * 0.5));
        let mix = static_mix(&Dictionary::default());
        let [microbenchmarks, pairs] = trial.microbenchmarks(&scenario, &mix)[..] else { panic!() };
        let meter = SessionMeter { meter: trial.meter, is_local: false };
        let board_s = microbenchmarks::expected_s(&scenario, &mix, meter);
        let starts_s = 0.5 * f64::from(scenario.microbenchmarks.repeats);
        about(Some(microbenchmarks.1), board_s + starts_s);
        assert!(matches!(pairs, ("pairs", StageTime::AtMost(s)) if s > 0.0));
        trial.is_local = true;
        about(seconds(&trial, &scenario, "calls"), 3.0 * 10.0);
        let StageTime::AtMost(planning_s) = trial.planning(&scenario, 5.0) else { panic!() };
        assert!(planning_s > 0.0 && planning_s <= 2.0 * 5.0 * scenario.campaign.dry_runs as f64);
        trial.sessions[1].1.duration_s = 1e6;
        let limit_s = call_limit(&scenario).as_secs_f64();
        about(seconds(&trial, &scenario, "calls"), 12.0 + limit_s);
        trial.is_virtual = true;
        let of_virtual = trial.microbenchmarks(&scenario, &mix);
        assert_eq!(of_virtual[0].1, StageTime::Unknown);
    }

    #[test]
    fn runs_take_less_with_less_to_do_and_without_waiting() {
        let mut trial = trial([4.0, 6.0]);
        let scenario = scenario();
        let threads = RuntimeThreads { process_s: 9.0, compiler_s: 0.0, collector_s: 0.0 };
        trial.sessions.iter_mut().for_each(|(_, run)| run.threads = Some(threads));
        let half = PlannedCase { executions_share: 0.5, ..base_case(&scenario.inputs[0]) };
        let takes = |trial: &Trial| trial.takes_s(&scenario, RunPhase::Power, Some(&half));
        assert_eq!(takes(&trial), 4.5, "a busy program that does half of the work");
        // A virtual board waits in no time: 0.4 s here for an idle session of 10 s.
        trial.is_virtual = true;
        trial.took = vec![Duration::from_millis(400), Duration::from_millis(600)];
        assert!((takes(&trial) - 0.4).abs() < 1e-9);
        about(seconds(&trial, &scenario, "run"), 6.0 * 0.4 + 6.0 * 0.6 + 10.0 * 0.4);
    }

    #[test]
    fn as_many_cases_are_expected_as_are_wanted() {
        let mut scenario = scenario();
        scenario.campaign.cases = 5;
        let cases = expected_cases(&scenario);
        let inputs: Vec<&str> = cases.iter().map(|case| case.input.as_str()).collect();
        assert_eq!(inputs, ["few", "many", "few", "many", "few"]);
        assert_eq!(cases.iter().filter(|case| case.removed.is_empty()).count(), 2);
        let trial = trial([4.0, 6.0]);
        let runs_s = trial.measuring_s(&scenario, &cases);
        assert!(runs_s > 2.0 * trial.measuring_s(&scenario, &cases[..2]), "{runs_s}");
    }

    /// Compilers with 40 % of the first input's time: 6 times its frames, and all stages take
    /// longer by as much.
    #[test]
    fn sessions_are_lengthened_by_their_frames() {
        let mut trial = trial([4.0, 6.0]);
        let mut scenario = scenario();
        assert!(trial.longer(&scenario).is_empty());
        let threads = RuntimeThreads { process_s: 4.0, compiler_s: 1.6, collector_s: 0.0 };
        trial.sessions[0].1.threads = Some(threads);
        assert!(trial.longer(&scenario).is_empty(), "it is no JVM of this machine");
        trial.is_local = true;
        let longer = trial.longer(&scenario);
        assert_eq!(longer, [SessionLength { input: "few".into(), was: 100, frames: 600 }]);
        let after = trial.with_lengths(&longer, scenario.session.rest_s);
        let all_s = 6.0 * (24.0 + 2.5) + 6.0 * (6.0 + 2.5) + 10.0 * (10.0 + 2.5);
        about(seconds(&after, &scenario, "run"), all_s);
        // Too short for the meter, by any meter.
        trial.sessions[1].1.duration_s = 1.2;
        let for_meter = trial.longer(&scenario).into_iter().find(|one| one.input == "many");
        assert_eq!(for_meter.map(|one| one.frames), Some(660));
        let touch = crate::scenario::InputStep {
            at_s: 1.0,
            action: crate::scenario::InputAction::Tap { x: 1, y: 1 },
        };
        scenario.inputs[0].steps = vec![touch];
        assert!(trial.longer(&scenario).iter().all(|one| one.input == "many"));
    }

    /// Of 800 samples in two runs 5 % are known to sqrt(0.95 / 40) = 15 %, and 2.4 times
    /// as many are needed for 10 %. Compilers with 40 % of the time: 6 times as long.
    #[test]
    fn sessions_of_compiled_code_are_to_be_long() {
        let mut trial = trial([2.0, 6.0]);
        assert!(trial.of_compiled_code().is_empty(), "it is no JVM");
        trial.is_local = true;
        (trial.samples, trial.sampled_repeats) = (Some(400), 2);
        let threads = RuntimeThreads { process_s: 2.0, compiler_s: 0.8, collector_s: 0.0 };
        trial.sessions[0].1.threads = Some(threads);
        let said = trial.of_compiled_code();
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
        let numbers = [3.0, 9.1, 101.0, 660.0, 12_345.0].map(rounded_up);
        assert_eq!(numbers, [3.0, 10.0, 110.0, 660.0, 13_000.0]);
    }
}
