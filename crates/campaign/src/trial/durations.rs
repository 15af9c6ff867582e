//! Estimates of the duration of the stages after the trial, from its sessions.

use std::thread;
use std::time::Duration;

use crate::blocks::BlockId;
use crate::build::call_limit;
use crate::campaign::{
    PlannedCase, PlannedRun, RunPhase, order_runs, settings_with_sampled_repeats,
};
use crate::load::LoadedScenario;
use crate::microbenchmarks::{self, SessionMeter};
use crate::operations::{Dictionary, OperationMix};
use crate::progress::times::StageTime;
use crate::scenario::{InputSequence, PlanOn, Scenario, SessionSettings};

use super::{Trial, base_case};

impl Trial {
    /// Expected times of all stages after the trial with these cases.
    pub fn all_times(
        &self,
        loaded: &LoadedScenario,
        cases: &[PlannedCase],
    ) -> Vec<(&'static str, StageTime)> {
        let LoadedScenario { scenario, application, .. } = loaded;
        let mut times = self.times(scenario, cases);
        // Not all that the sources hold will run.
        let of_all = self.microbenchmarks(scenario, &static_mix(&application.dictionary));
        times.extend(of_all.into_iter().map(|(stage, time)| (stage, time.at_most())));
        times
    }

    /// Expected times of the stages after the trial, without microbenchmarks.
    pub fn times(
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
        let rewrites = scenario.hints.verify;
        // The original, a copy for each rewrite, and one with all of them.
        let variants = 1 + rewrites + usize::from(rewrites > 1);
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
        let order = order_runs(
            cases,
            &settings_with_sampled_repeats(&scenario.campaign, self.sampled_repeats),
        );
        order.iter().map(takes).sum::<f64>() / self.boards.max(1) as f64
    }

    /// Expected times of the microbenchmarks and of the before/after microbenchmarks.
    pub fn microbenchmarks(
        &self,
        scenario: &Scenario,
        mix: &OperationMix,
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
                StageTime::AtMost(here_s(microbenchmarks::all_pairs_s(scenario, board))),
            ),
        };
        vec![("microbenchmarks", all), ("pairs", pairs)]
    }

    fn duration_of(&self, input: Option<&String>) -> f64 {
        let own = self.sessions.iter().find(|(name, _)| Some(name) == input);
        own.map_or(0.0, |(_, run)| run.duration_s)
    }

    /// Seconds on this machine's clock of sessions with `board_s` seconds on the board's clock,
    /// rests included.
    fn here_s(&self, board_s: f64, sessions: f64, rest_s: f64) -> f64 {
        match self.is_virtual {
            true => self.pace(rest_s) * board_s,
            false => board_s + sessions * self.around_s(rest_s),
        }
    }

    /// Seconds on this machine's clock per second of a session on the board's clock; below 1 for a
    /// virtual board, whose waiting takes no time.
    pub(super) fn pace(&self, rest_s: f64) -> f64 {
        if !self.is_virtual {
            return 1.0;
        }
        let on_board: f64 = self.sessions.iter().map(|(_, run)| run.duration_s + rest_s).sum();
        let took: f64 = self.took.iter().map(Duration::as_secs_f64).sum();
        if on_board > 0.0 { took / on_board } else { 1.0 }
    }

    /// Seconds on this machine's clock of a run, its rest included.
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

    /// Seconds on this machine's clock of a session in addition to its window and its rest.
    fn around_s(&self, rest_s: f64) -> f64 {
        let took_s: f64 = self.took.iter().map(Duration::as_secs_f64).sum();
        let lasted_s: f64 = self.sessions.iter().map(|(_, run)| run.duration_s + rest_s).sum();
        (took_s - lasted_s).max(0.0) / self.sessions.len().max(1) as f64
    }
}

/// Share of a processor's time above which a program counts as busy all the time.
const BUSY: f64 = 0.7;

/// Longest time of a run that records calls, as a multiple of its session; most take half of that.
const RECORDED_CALLS: f64 = 3.0;

/// Longest time of a dry run as a multiple of a session: it counts, and has no optimising compiler.
const DRY_RUN: f64 = 2.0;

/// CPU seconds of starting a JVM with some hundred classes.
const JVM_START_S: f64 = 0.3;

/// A mix of operations for an application of which only the sources are known: each block is
/// executed equally often.
pub fn static_mix(dictionary: &Dictionary) -> OperationMix {
    OperationMix::new(dictionary, |_| 1)
}

/// As many cases as the scenario asks for, for an estimate before they are planned.
pub fn expected_cases(scenario: &Scenario) -> Vec<PlannedCase> {
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

#[cfg(test)]
pub(super) mod tests {
    use crate::power::RuntimeThreadTimes;
    use crate::trial::tests::{scenario, trial};

    use super::*;

    pub fn seconds(trial: &Trial, scenario: &Scenario, stage: &str) -> Option<StageTime> {
        let cases: Vec<PlannedCase> = scenario.inputs.iter().map(base_case).collect();
        let times = trial.times(scenario, &cases);
        times.into_iter().find(|(name, _)| *name == stage).map(|(_, time)| time)
    }

    pub fn about(time: Option<StageTime>, expected: f64) {
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
        // Four variants with two inputs and an idle session, half a second more each.
        about(seconds(&trial, &scenario, "verify"), 5.0 * (4.0 * 14.0 + 12.0 + 9.0 * 0.5));
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
        let threads = RuntimeThreadTimes { process_s: 9.0, compiler_s: 0.0, collector_s: 0.0 };
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
}
