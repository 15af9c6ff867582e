//! Time limits: every call to a board has one, and can be cancelled from another thread. A wait is
//! cut in slices, between which the limit and the flag are checked.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::error::DeviceError;

/// Longest wait between two checks of limit and flag: short enough for a person who pressed Ctrl-C,
/// long enough to cost nothing.
const SLICE: Duration = Duration::from_millis(50);

/// A flag that stops the calls of a board from another thread (a signal handler's, say).
#[derive(Debug, Clone, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// Makes running and later calls end as [`DeviceError::Cancelled`].
    pub fn cancel(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Lets calls work again: after the stop, the board is still to be restored.
    pub fn clear(&self) {
        self.0.store(false, Ordering::SeqCst);
    }

    /// Whether calls are to end as cancelled.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// The time limit of one call, with what its errors name: the board and the action.
#[derive(Debug, Clone)]
pub(crate) struct CallLimit {
    pub(crate) serial: String,
    pub(crate) doing: String,
    began: Instant,
    span: Duration,
    cancel: CancelFlag,
}

impl CallLimit {
    /// Starts a limit of `span` now; `doing` describes the call in errors.
    pub(crate) fn new(serial: &str, doing: &str, span: Duration, cancel: &CancelFlag) -> Self {
        Self {
            serial: serial.into(),
            doing: doing.into(),
            began: Instant::now(),
            span,
            cancel: cancel.clone(),
        }
    }

    /// The next slice to wait (never zero), or the error that the limit passed or the call was
    /// cancelled.
    pub(crate) fn slice(&self) -> Result<Duration, DeviceError> {
        if self.cancel.is_cancelled() {
            let (serial, doing) = (self.serial.clone(), self.doing.clone());
            return Err(DeviceError::Cancelled { serial, doing });
        }
        let rest = self.span.saturating_sub(self.began.elapsed());
        if rest.is_zero() {
            let (serial, doing) = (self.serial.clone(), self.doing.clone());
            return Err(DeviceError::TimedOut { serial, doing, limit: self.span });
        }
        Ok(rest.min(SLICE))
    }

    /// The error of a connection that ended too early.
    pub(crate) fn lost(&self) -> DeviceError {
        DeviceError::Lost { serial: self.serial.clone(), doing: self.doing.clone() }
    }

    /// Runs `work`, which has no limit of its own, on another thread. When the limit passes the
    /// thread is left behind; it ends when its socket does.
    pub(crate) fn within<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, DeviceError> {
        let (sender, receiver) = mpsc::channel();
        // Where no thread can be started, the sender is gone with the work.
        let _ = thread::Builder::new().spawn(move || {
            // Nobody listens any more when the limit has passed.
            let _ = sender.send(work());
        });
        loop {
            match receiver.recv_timeout(self.slice()?) {
                Ok(value) => return Ok(value),
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => return Err(self.lost()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_does_not_end_is_left_behind() {
        let limit = CallLimit::new("b", "x", Duration::from_millis(20), &CancelFlag::default());
        let end = limit.within(|| thread::sleep(Duration::from_secs(2)));
        assert!(matches!(end, Err(DeviceError::TimedOut { .. })), "{end:?}");
    }

    #[test]
    fn a_flag_stops_the_wait_and_work_gives_its_value() {
        let flag = CancelFlag::default();
        let limit = CallLimit::new("b", "x", Duration::from_secs(5), &flag);
        assert_eq!(limit.within(|| 3).expect("ends"), 3);
        flag.cancel();
        let end = limit.within(|| thread::sleep(Duration::from_secs(2)));
        assert!(matches!(end, Err(DeviceError::Cancelled { .. })), "{end:?}");
    }
}
