//! The kinds of faults: how each is caused at a moment.

use std::sync::Arc;

use wattline::virtual_board::{Fault, FaultAction, FaultTime};

use super::bench::{Bench, Outcome, Trial};
use super::disk;
use crate::host::kill_server;

/// A kind of fault.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// `kill -9` of the program.
    HostKilled,
    /// `adb kill-server`.
    ServerKilled,
    /// The board's own disk is full, or another fault that the board has on demand.
    Board(Fault),
    /// This machine's disk is full.
    HostDiskFull,
    /// The power of this machine went off: the journal ends anywhere.
    JournalTorn,
}

pub const KINDS: [Kind; 15] = [
    Kind::HostKilled,
    Kind::ServerKilled,
    Kind::Board(Fault::DropConnections),
    Kind::Board(Fault::Reboot),
    Kind::Board(Fault::KillApp),
    Kind::Board(Fault::HangApp),
    Kind::Board(Fault::CrashApp),
    Kind::Board(Fault::KillSampler),
    Kind::Board(Fault::FreezeSensors),
    Kind::Board(Fault::GarbageSensors),
    Kind::Board(Fault::FillDisk),
    Kind::Board(Fault::JumpClock(7_000)),
    Kind::Board(Fault::Throttle),
    Kind::HostDiskFull,
    Kind::JournalTorn,
];

/// Those that can come together in one campaign.
pub const ON_THE_BOARD: [Kind; 13] = {
    let mut kinds = [Kind::HostKilled; 13];
    let mut at = 0;
    while at < kinds.len() {
        kinds[at] = KINDS[at];
        at += 1;
    }
    kinds
};

/// Seconds after a session's start: at once, among the first looks at the log, in the
/// window, near its end (about 10.3 s), after it.
const AFTER_S: [f64; 10] = [0.0, 0.3, 1.0, 2.5, 4.0, 5.5, 7.7, 9.6, 10.2, 10.5];

impl Kind {
    pub fn name(&self) -> &'static str {
        match self {
            Kind::HostKilled => "host-killed",
            Kind::ServerKilled => "adb-server-killed",
            Kind::HostDiskFull => "host-disk-full",
            Kind::JournalTorn => "journal-torn",
            Kind::Board(fault) => match fault {
                Fault::KillApp => "app-killed",
                Fault::CrashApp => "app-crashed",
                Fault::HangApp => "app-hung",
                Fault::KillSampler => "sampler-killed",
                Fault::FreezeSensors => "sensors-frozen",
                Fault::GarbageSensors => "sensors-garbage",
                Fault::FillDisk => "board-disk-full",
                Fault::CutTraces => "traces-cut",
                Fault::JumpClock(_) => "clock-jumped",
                Fault::Throttle => "throttled",
                Fault::DarkScreen => "screen-dark",
                Fault::DropConnections => "cable-pulled",
                Fault::Reboot => "rebooted",
            },
        }
    }

    /// Whether it can strike while no session runs.
    pub fn strikes_any_time(&self) -> bool {
        matches!(
            self,
            Kind::HostKilled
                | Kind::ServerKilled
                | Kind::Board(Fault::DropConnections | Fault::Reboot)
        )
    }

    fn needs_application(&self) -> bool {
        matches!(self, Kind::Board(Fault::KillApp | Fault::HangApp | Fault::CrashApp))
    }

    /// Campaigns with this fault at ten moments, five in each; none where this machine
    /// can't. This machine's own disk is full, or lost, once in a campaign.
    pub fn try_all(&self, bench: &Bench) -> Vec<Outcome> {
        match self {
            Kind::HostDiskFull => (0..10).filter_map(|at| disk::try_full(bench, at)).collect(),
            Kind::JournalTorn => (0..10).map(|at| disk::try_torn(bench, at)).collect(),
            _ => vec![self.try_five(bench, 0), self.try_five(bench, 5)],
        }
    }

    /// A campaign with this fault at five of the ten moments.
    fn try_five(&self, bench: &Bench, first: usize) -> Outcome {
        let trial = Arc::new(Trial::new(bench));
        for index in 0..5 {
            let (moment, number) = self.moment(bench, first, index);
            self.schedule(&trial, moment, number);
        }
        let outcome = trial.run();
        bench.check(&trial, &outcome);
        outcome
    }

    /// The moment, and the session it falls into or near.
    fn moment(&self, bench: &Bench, first: usize, index: usize) -> (FaultTime, u64) {
        let runs: Vec<u64> = match self.needs_application() {
            true => bench.app_sessions(),
            false => (1..=bench.runs()).collect(),
        };
        // One run is hit twice; each session that was spoilt before was begun again.
        let number = runs[index.saturating_sub(1) % runs.len()] + index as u64;
        if self.strikes_any_time() && first > 0 {
            let request = 1 + (bench.requests() - 1) * index as u64 / 4;
            return (FaultTime::Request(request), number);
        }
        (
            FaultTime::Session { number, after_s: AFTER_S[(first + index) * 7 % AFTER_S.len()] },
            number,
        )
    }

    /// Has it happen, and end with the session that it spoils.
    pub fn schedule(&self, trial: &Arc<Trial>, moment: FaultTime, number: u64) {
        let board = &trial.board;
        match self {
            Kind::Board(fault) => {
                board.schedule(moment, FaultAction::Cause(*fault));
                board.schedule(
                    FaultTime::Session { number: number + 1, after_s: 0.0 },
                    FaultAction::Lift,
                );
            }
            Kind::HostKilled => {
                let trial = trial.clone();
                board.schedule(moment, FaultAction::Call(Box::new(move || trial.kill_host())));
            }
            _ => {
                let port = trial.server;
                board.schedule(moment, FaultAction::Call(Box::new(move || kill_server(port))));
            }
        }
    }
}
