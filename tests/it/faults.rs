//! Campaigns to which something happens: whatever it is and whenever, the campaign that is
//! gone on with gives the data set that an undisturbed one gives, measures nothing twice,
//! keeps bad runs with their reasons, and leaves the board as it was.
//!
//! One campaign with a fault of each kind is among the usual tests; all kinds at ten moments
//! each, and the soak, want some time: `scripts/soak.sh`.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

#[path = "faults/bench.rs"]
pub mod bench;
#[path = "faults/disk.rs"]
mod disk;
#[path = "faults/kinds.rs"]
mod kinds;

use std::sync::Arc;
use std::time::Instant;

use wattline::run::{RunRecord, read_journal};
use wattline::virtual_board::{AdbdGeneration, Fault, FaultAction, FaultTime};

use bench::{Bench, Outcome, Trial};
use kinds::{KINDS, Kind};

use super::host::kill_server;

/// Everything in one campaign: a fault of each kind, one session after the other, and the
/// host killed twice.
#[test]
fn a_campaign_survives_a_fault_of_each_kind() {
    let Some(bench) = Bench::new(AdbdGeneration::Modern) else { return };
    let trial = Arc::new(bench.trial());
    let apps = bench.app_sessions();
    let mut number = apps[0];
    for fault in [Fault::FreezeSensors, Fault::GarbageSensors, Fault::Throttle] {
        trial
            .board
            .schedule(FaultTime::Session { number, after_s: 4.0 }, FaultAction::Cause(fault));
        trial
            .board
            .schedule(FaultTime::Session { number: number + 1, after_s: 0.0 }, FaultAction::Lift);
        // The session that is spoilt is followed by its repetition.
        number += 2;
    }
    for fault in [Fault::JumpClock(-3_600_000), Fault::DropConnections, Fault::Reboot] {
        trial
            .board
            .schedule(FaultTime::Session { number, after_s: 3.0 }, FaultAction::Cause(fault));
        number += 2;
    }
    let host = trial.clone();
    let kill = FaultAction::Call(Box::new(move || host.kill_host()));
    trial.board.schedule(FaultTime::Session { number: 2, after_s: 1.0 }, kill);
    let host = trial.clone();
    let kill = FaultAction::Call(Box::new(move || host.kill_host()));
    trial.board.schedule(FaultTime::Request(bench.requests() / 2), kill);
    let outcome = trial.run();
    bench.check(&trial, &outcome);
    assert!(outcome.interruptions >= 1, "the host was killed");
    assert!(outcome.bad >= 3, "{}", outcome.said);
    assert!(outcome.said.contains("begun again") || outcome.again > 0, "{}", outcome.said);
}

/// The adb server is killed twice; the program connects again by itself.
#[test]
fn a_campaign_goes_on_after_the_loss_of_its_board() {
    let Some(bench) = Bench::new(AdbdGeneration::Modern) else { return };
    let trial = bench.trial();
    for (number, after_s) in [(2, 3.0), (5, 0.5)] {
        let port = trial.server;
        let kill = FaultAction::Call(Box::new(move || kill_server(port)));
        trial.board.schedule(FaultTime::Session { number, after_s }, kill);
    }
    let outcome = trial.run();
    bench.check(&trial, &outcome);
    assert_eq!(outcome.interruptions, 0, "{}", outcome.said);
    assert!(outcome.said.contains("connected and prepared again"), "{}", outcome.said);
    let found = read_journal(trial.out()).unwrap();
    for expected in bench.records() {
        let is_its_own = |record: &&RunRecord| record.is_good() && record.run == expected.run;
        let run = found.iter().find(is_its_own).unwrap();
        assert_eq!(run.measured, expected.measured, "it gives what it would have given");
    }
}

#[test]
fn an_application_that_ends_badly_is_run_again() {
    is_run_again(AdbdGeneration::Modern);
}

#[test]
#[ignore = "by day a board of today; scripts/nightly.sh runs it"]
fn an_application_that_ends_badly_is_run_again_on_an_old_board() {
    is_run_again(AdbdGeneration::Legacy);
}

/// An application is killed, and one hangs.
fn is_run_again(generation: AdbdGeneration) {
    let Some(bench) = Bench::new(generation) else { return };
    let trial = bench.trial();
    let apps = bench.app_sessions();
    for (fault, (before, number)) in
        [Fault::KillApp, Fault::HangApp].into_iter().zip((0..).zip(apps))
    {
        // Each session that was spoilt before was repeated.
        let moment = FaultTime::Session { number: number + before, after_s: 5.0 };
        trial.board.schedule(moment, FaultAction::Cause(fault));
    }
    let outcome = trial.run();
    bench.check(&trial, &outcome);
    assert_eq!(outcome.bad, 2, "{}", outcome.said);
    assert!(outcome.said.contains("the application died"), "{}", outcome.said);
    assert!(outcome.said.contains("did not end within 40 s"), "{}", outcome.said);
}

/// Every kind of fault at ten moments. `WATTLINE_FAULT` names a kind to make it one.
#[test]
#[ignore = "takes seven minutes; scripts/soak.sh runs it"]
fn every_fault_at_ten_moments() {
    let Some(bench) = Bench::new(AdbdGeneration::Modern) else { return };
    let wanted = std::env::var("WATTLINE_FAULT").ok();
    let began = Instant::now();
    println!("kind campaign interrupted bad again sessions");
    for kind in KINDS {
        if wanted.as_deref().is_some_and(|wanted| wanted != kind.name()) {
            continue;
        }
        let since = Instant::now();
        let mut effects = 0;
        let outcomes = kind.try_all(&bench);
        for (number, outcome) in outcomes.iter().enumerate() {
            let Outcome { interruptions, bad, again, sessions, .. } = outcome;
            println!("{} {number} {interruptions} {bad} {again} {sessions}", kind.name());
            effects += interruptions + bad + again;
        }
        println!("{} in {:.0} s", kind.name(), since.elapsed().as_secs_f64());
        assert!(effects > 0 || outcomes.is_empty(), "{}: nothing went wrong", kind.name());
    }
    println!("all in {:.0} s", began.elapsed().as_secs_f64());
}

/// Random faults at random moments until so many runs were made (`WATTLINE_SOAK_RUNS`,
/// default 500) from a seed (`WATTLINE_SOAK_SEED`).
#[test]
#[ignore = "takes a quarter of an hour; scripts/soak.sh runs it"]
fn random_faults_for_many_runs() {
    use rand::{RngExt, SeedableRng};
    let Some(bench) = Bench::new(AdbdGeneration::Modern) else { return };
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (runs, seed) = (number("WATTLINE_SOAK_RUNS", 500), number("WATTLINE_SOAK_SEED", 1));
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    let (mut made, mut campaigns) = (0, 0);
    let (mut interruptions, mut bad, mut again) = (0, 0, 0);
    while made < runs {
        let trial = Arc::new(bench.trial());
        let mut said = Vec::new();
        for _ in 0..random.random_range(1..=4) {
            let kind = kinds::ON_THE_BOARD[random.random_range(0..kinds::ON_THE_BOARD.len())];
            let number = random.random_range(1..=bench.runs());
            let any_time = kind.strikes_any_time() && random.random_range(0..3) == 0;
            let moment = match any_time {
                true => FaultTime::Request(random.random_range(1..=bench.requests())),
                false => FaultTime::Session { number, after_s: random.random_range(0.0..12.0) },
            };
            said.push(format!("{} {moment:?}", kind.name()));
            kind.schedule(&trial, moment, number);
        }
        println!("campaign {campaigns}: {}", said.join(", "));
        let outcome = trial.run();
        bench.check(&trial, &outcome);
        made += outcome.sessions as u64;
        campaigns += 1;
        interruptions += outcome.interruptions;
        bad += outcome.bad;
        again += outcome.again;
    }
    println!(
        "{made} sessions in {campaigns} campaigns: {interruptions} interruptions, {bad} bad runs, \
         {again} begun again; every data set as undisturbed"
    );
}

/// The kinds are those that are promised.
#[test]
fn there_are_enough_kinds_of_faults() {
    let names: std::collections::BTreeSet<&str> = KINDS.iter().map(Kind::name).collect();
    assert!(names.len() >= 12, "{names:?}");
}

impl Bench {
    /// A campaign of its own on a board of its own.
    fn trial(&self) -> Trial {
        Trial::new(self)
    }
}
