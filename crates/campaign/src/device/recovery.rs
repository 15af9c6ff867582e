//! Recovery from a lost connection: the board is reconnected, and the interrupted call is repeated.

use std::thread;
use std::time::{Duration, Instant};

use super::board::Board;
use super::error::DeviceError;
use super::remote_folders::SCRIPT_FOLDER;
use super::scripts::KILLED_MESSAGE_START;

/// Most recoveries in a row for one call.
const RECOVERIES_MAX: u32 = 5;

/// Pause before the next attempt when a board was lost during its recovery.
const REST: Duration = Duration::from_millis(500);

/// Time limit of the command of [`await_abandoned_session`].
const WAIT_LIMIT: Duration = Duration::from_secs(60);

/// Waits until a session that lost its host has restored the board: what is prepared before that
/// would be undone. A session that has not noticed the loss is notified. After a restart of the
/// board the stored process ID may be another process's, which is left alone.
pub fn await_abandoned_session(board: &dyn Board) -> Result<(), DeviceError> {
    let command = format!(
        "f={SCRIPT_FOLDER}/session/pid; p=; [ -r $f ] && read -r p <$f; \
         if [ -n \"$p\" ] && [ -r /proc/$p/cmdline ]; then \
         case \"$(cat /proc/$p/cmdline)\" in *session.sh*) ;; *) p= ;; esac; fi; i=0; \
         while [ -n \"$p\" ] && [ -e $f ] && kill -0 $p 2>/dev/null && [ $i -lt 100 ]; do \
         [ $i -ne 50 ] || kill -HUP $p; i=$((i + 1)); \
         usleep 100000 2>/dev/null || sleep 1; done"
    );
    board.shell(&command, WAIT_LIMIT).map(drop)
}

/// Makes a call; if the board is lost meanwhile, `recover` reconnects it (see
/// [`reconnect`](super::reconnect) and [`prepare`](super::prepare)) and the call is repeated from
/// its beginning. Fails if the board cannot be reconnected, is lost again and again, or is away for
/// longer than `patience`.
pub fn with_recovery<T>(
    patience: Duration,
    mut call: impl FnMut() -> Result<T, DeviceError>,
    mut recover: impl FnMut(&DeviceError) -> Result<(), DeviceError>,
) -> Result<T, DeviceError> {
    let mut recoveries = 0;
    loop {
        let mut error = match call() {
            Err(error) if is_loss(&error) => error,
            end => return end,
        };
        let lost = Instant::now();
        loop {
            if recoveries == RECOVERIES_MAX || (recoveries > 0 && lost.elapsed() >= patience) {
                return Err(error);
            }
            recoveries += 1;
            match recover(&error) {
                Ok(()) => break,
                // Lost again while it was got back.
                Err(again) if is_loss(&again) => {
                    error = again;
                    thread::sleep(REST);
                }
                Err(other) => return Err(other),
            }
        }
    }
}

/// Whether an error means that the board, or what it was prepared for, is gone for now.
fn is_loss(error: &DeviceError) -> bool {
    match error {
        DeviceError::Lost { .. }
        | DeviceError::LockLost { .. }
        | DeviceError::TimedOut { .. }
        | DeviceError::NotReady { .. }
        | DeviceError::Refused { .. }
        | DeviceError::ServerUnreachable { .. }
        // A transfer that was cut off can't be told from one that failed.
        | DeviceError::Transfer { .. } => true,
        // A session that lost its host puts the board back, and may do so late: after the
        // board was prepared again. A restart of the board kills its scripts.
        DeviceError::Script { script, message, .. } => {
            (*script == "session.sh" && message.contains("is not prepared"))
                || message.starts_with(KILLED_MESSAGE_START)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::RECONNECT_LIMIT;
    use super::*;

    #[test]
    fn a_board_that_stays_away_is_given_up() {
        let mut recoveries = 0;
        let end: Result<(), _> = with_recovery(
            Duration::ZERO,
            || Err(lost()),
            |_| {
                recoveries += 1;
                Err(lost())
            },
        );
        assert!(end.is_err());
        assert_eq!(recoveries, 1);
    }

    fn lost() -> DeviceError {
        DeviceError::Lost { serial: "x".into(), doing: "a session".into() }
    }

    #[test]
    fn a_lost_call_is_made_again_after_the_recovery() {
        let (mut calls, mut recoveries) = (0, 0);
        let end = with_recovery(
            RECONNECT_LIMIT,
            || {
                calls += 1;
                if calls < 3 { Err(lost()) } else { Ok(7) }
            },
            |_| {
                recoveries += 1;
                Ok(())
            },
        );
        assert_eq!((end.unwrap(), calls, recoveries), (7, 3, 2));
    }

    #[test]
    fn a_board_that_is_lost_again_and_again_is_an_error() {
        let mut recoveries = 0;
        let end: Result<(), _> = with_recovery(
            RECONNECT_LIMIT,
            || Err(lost()),
            |_| {
                recoveries += 1;
                Ok(())
            },
        );
        assert!(matches!(end, Err(DeviceError::Lost { .. })));
        assert_eq!(recoveries, RECOVERIES_MAX);
    }

    #[test]
    fn a_board_may_be_lost_while_it_is_got_back() {
        let (mut calls, mut recoveries) = (0, 0);
        let end = with_recovery(
            RECONNECT_LIMIT,
            || {
                calls += 1;
                if calls == 1 { Err(lost()) } else { Ok(7) }
            },
            |_| {
                recoveries += 1;
                if recoveries == 1 { Err(lost()) } else { Ok(()) }
            },
        );
        assert_eq!((end.unwrap(), calls, recoveries), (7, 2, 2));
    }

    #[test]
    fn other_errors_are_no_loss() {
        let refused = || {
            let (serial, message) = ("x".to_string(), "no sensor".to_string());
            Err::<(), _>(DeviceError::Script { serial, script: "session.sh", message })
        };
        let end = with_recovery(RECONNECT_LIMIT, refused, |_| panic!("nothing was lost"));
        assert!(matches!(end, Err(DeviceError::Script { .. })));
    }
}
