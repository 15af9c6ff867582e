//! Faults on demand: failures of boards, caused at a chosen moment, so that programs that drive
//! boards can be tested. A moment is one of the board's own (its clock, its requests), so that the
//! same fault falls on the same work every time.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

/// Failure of the board that can be caused. Those that last do so until they are lifted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Applications are killed, as by the low memory killer.
    KillApp,
    /// Applications crash with a segmentation fault.
    CrashApp,
    /// Applications get no answer from the clock any more: they live and do nothing.
    HangApp,
    /// The sampler is killed.
    KillSampler,
    /// The sensors keep their values; lasts.
    FreezeSensors,
    /// The sensors' files contain nonsense; lasts.
    GarbageSensors,
    /// No file can grow; lasts.
    FillDisk,
    /// Method traces are cut off in the middle; lasts.
    CutTraces,
    /// The wall clock jumps by some milliseconds, until the next session.
    JumpClock(i64),
    /// The processor runs at its lowest frequency; lasts.
    Throttle,
    /// The screen goes dark, as by its key.
    DarkScreen,
    /// All connections end, as with a pulled cable.
    DropConnections,
    /// The board starts anew: processes, settings and connections are gone, files stay.
    Reboot,
}

/// All faults with their names.
const NAMES: [(&str, Fault); 13] = [
    ("kill-app", Fault::KillApp),
    ("crash-app", Fault::CrashApp),
    ("hang-app", Fault::HangApp),
    ("kill-sampler", Fault::KillSampler),
    ("freeze", Fault::FreezeSensors),
    ("garbage", Fault::GarbageSensors),
    ("fill-disk", Fault::FillDisk),
    ("cut-traces", Fault::CutTraces),
    ("jump-clock", Fault::JumpClock(7_000)),
    ("throttle", Fault::Throttle),
    ("dark-screen", Fault::DarkScreen),
    ("drop", Fault::DropConnections),
    ("reboot", Fault::Reboot),
];

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let same = |fault: &Fault| std::mem::discriminant(fault) == std::mem::discriminant(self);
        let name = NAMES.iter().find(|(_, fault)| same(fault)).map_or("", |(name, _)| name);
        match self {
            Fault::JumpClock(millis) => write!(f, "{name} {millis}"),
            _ => f.write_str(name),
        }
    }
}

impl FromStr for Fault {
    type Err = String;

    /// Parses a fault's name; `jump-clock MILLISECONDS`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, rest) = text.split_once(' ').unwrap_or((text, ""));
        let known = NAMES.iter().find(|(known, _)| *known == name).map(|(_, fault)| *fault);
        match (known, rest.trim()) {
            (Some(fault), "") => Ok(fault),
            (Some(Fault::JumpClock(_)), millis) => millis
                .parse()
                .map(Fault::JumpClock)
                .map_err(|_| format!("{millis:?} is no number of milliseconds")),
            _ => {
                let names: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
                Err(format!("there is no fault {text:?}; there are: {}", names.join(", ")))
            }
        }
    }
}

/// Moment of a scheduled action.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FaultTime {
    /// The moment when hosts have opened so many streams since the board's start (shells,
    /// transfers).
    Request(u64),
    /// The moment in the session of this number (from 1) when so many seconds of it have passed.
    Session {
        /// Sessions since the board's start, this one included.
        number: u64,
        /// Seconds on the board's clock since the session's start.
        after_s: f64,
    },
}

/// Scheduled action: causing a fault, lifting faults, or a call.
pub enum FaultAction {
    /// Causes a fault.
    Cause(Fault),
    /// Lifts all faults that last.
    Lift,
    /// Calls a function; the board's clock stands still until it returns.
    Call(Box<dyn FnOnce() + Send>),
}

/// Scheduled actions, with the requests and sessions so far.
#[derive(Default)]
pub(super) struct FaultSchedule {
    waiting: Mutex<Vec<(FaultTime, FaultAction)>>,
    requests: AtomicU64,
    labels: Mutex<Vec<String>>,
}

impl FaultSchedule {
    /// Schedules an action.
    pub(super) fn add(&self, moment: FaultTime, act: FaultAction) {
        lock(&self.waiting).push((moment, act));
    }

    /// Counts a stream that a host opened and takes the actions that are then due.
    pub(super) fn take_due_at_request(&self) -> Vec<FaultAction> {
        let count = self.requests.fetch_add(1, Ordering::SeqCst) + 1;
        self.take_where(|moment| matches!(moment, FaultTime::Request(number) if number <= count))
    }

    /// Number of streams that hosts have opened.
    pub(super) fn requests(&self) -> u64 {
        self.requests.load(Ordering::SeqCst)
    }

    /// Adds the label of a session that starts.
    pub(super) fn start_session(&self, label: &str) {
        lock(&self.labels).push(label.to_owned());
    }

    /// Labels of the sessions so far.
    pub(super) fn session_labels(&self) -> Vec<String> {
        lock(&self.labels).clone()
    }

    /// Takes the actions that are due after so many seconds of the present session.
    pub(super) fn take_due(&self, passed_s: f64) -> Vec<FaultAction> {
        if lock(&self.waiting).is_empty() {
            return Vec::new();
        }
        let present = lock(&self.labels).len() as u64;
        self.take_where(|moment| match moment {
            FaultTime::Session { number, after_s } => {
                number < present || (number == present && after_s <= passed_s)
            }
            FaultTime::Request(_) => false,
        })
    }

    /// Takes the actions whose moment is due.
    fn take_where(&self, is_due: impl Fn(FaultTime) -> bool) -> Vec<FaultAction> {
        let mut waiting = lock(&self.waiting);
        let (due, rest) = waiting.drain(..).partition(|(moment, _)| is_due(*moment));
        *waiting = rest;
        let due: Vec<(FaultTime, FaultAction)> = due;
        due.into_iter().map(|(_, act)| act).collect()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for (name, fault) in NAMES {
            assert_eq!(name.parse(), Ok(fault));
            assert_eq!(fault.to_string().parse(), Ok(fault));
        }
        assert_eq!("jump-clock -3600000".parse(), Ok(Fault::JumpClock(-3_600_000)));
        assert!("melt".parse::<Fault>().unwrap_err().contains("reboot"));
        assert!("drop 3".parse::<Fault>().is_err());
    }

    #[test]
    fn acts_are_due_once_and_not_before_their_moment() {
        let schedule = FaultSchedule::default();
        schedule.add(FaultTime::Request(2), FaultAction::Lift);
        schedule.add(FaultTime::Session { number: 1, after_s: 3.0 }, FaultAction::Lift);
        schedule.add(FaultTime::Session { number: 2, after_s: 0.5 }, FaultAction::Lift);
        assert!(schedule.take_due(99.0).is_empty(), "no session has begun");
        assert_eq!(
            (schedule.take_due_at_request().len(), schedule.take_due_at_request().len()),
            (0, 1)
        );
        schedule.start_session("a");
        assert_eq!((schedule.take_due(2.9).len(), schedule.take_due(3.0).len()), (0, 1));
        schedule.start_session("b");
        assert_eq!((schedule.take_due(0.0).len(), schedule.take_due(1.0).len()), (0, 1));
        assert_eq!(schedule.session_labels(), ["a", "b"]);
    }
}
