//! The kinds of faults: how each is caused at a moment.

use std::sync::Arc;

use wattline::virtual_board::{Act, Fault, Moment};

use super::bench::{Bench, Outcome, Trial};
use super::disk;

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
                Fault::JumpClock(_) => "clock-jumped",
                Fault::Throttle => "throttled",
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

    /// A campaign with this fault at one of ten moments; none where this machine can't.
    pub fn try_at(&self, bench: &Bench, index: usize) -> Option<Outcome> {
        match self {
            Kind::HostDiskFull => return disk::try_full(bench, index),
            Kind::JournalTorn => return Some(disk::try_torn(bench, index)),
            _ => {}
        }
        let trial = Arc::new(Trial::new(bench));
        let (moment, number) = self.moment(bench, index);
        self.schedule(&trial, moment, number);
        let outcome = trial.run();
        bench.check(&trial, &outcome);
        Some(outcome)
    }

    /// The moment, and the session it falls into or near.
    fn moment(&self, bench: &Bench, index: usize) -> (Moment, u64) {
        let apps = bench.app_sessions();
        let number = match self.needs_application() {
            true => apps[index % apps.len()],
            false => 1 + index as u64 * (bench.runs() - 1) / 9,
        };
        if self.strikes_any_time() && index % 2 == 1 {
            let request = 1 + (bench.requests() - 1) * index as u64 / 9;
            return (Moment::Request(request), number);
        }
        // Sessions and moments are paired anew, so that not every first session is hit first.
        let after_s = AFTER_S[(index * 7 + 3) % AFTER_S.len()];
        (Moment::Session { number, after_s }, number)
    }

    /// Has it happen, and end with the session that it spoils.
    pub fn schedule(&self, trial: &Arc<Trial>, moment: Moment, number: u64) {
        let board = &trial.board;
        match self {
            Kind::Board(fault) => {
                board.at(moment, Act::Cause(*fault));
                board.at(Moment::Session { number: number + 1, after_s: 0.0 }, Act::Lift);
            }
            Kind::HostKilled => {
                let trial = trial.clone();
                board.at(moment, Act::Call(Box::new(move || trial.kill_host())));
            }
            _ => {
                let port = trial.server;
                board.at(moment, Act::Call(Box::new(move || super::bench::kill_server(port))));
            }
        }
    }
}
