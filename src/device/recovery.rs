//! Going on after a lost connection: the board is got back, and what was lost is done again.

use std::time::Duration;

use super::{Board, DeviceError, SCRIPT_FOLDER};

/// How often in a row a board is got back for the same call.
const RECOVERIES_MAX: u32 = 3;

/// Longer than the board takes for what [`await_abandoned`] asks.
const WAIT_LIMIT: Duration = Duration::from_secs(60);

/// Waits until a session that lost its host has put the board back: what is prepared
/// before that would be undone. One that does not know yet that its host is gone is told.
pub fn await_abandoned(board: &dyn Board) -> Result<(), DeviceError> {
    let command = format!(
        "f={SCRIPT_FOLDER}/session/pid; p=; [ -r $f ] && read -r p <$f; i=0; \
         while [ -n \"$p\" ] && [ -e $f ] && kill -0 $p 2>/dev/null && [ $i -lt 100 ]; do \
         [ $i -ne 50 ] || kill -HUP $p; i=$((i + 1)); \
         usleep 100000 2>/dev/null || sleep 1; done"
    );
    board.shell(&command, WAIT_LIMIT).map(drop)
}

/// Makes a call; where the board was lost meanwhile, `recover` gets it back (see
/// [`reconnect`](super::reconnect) and [`prepare`](super::prepare)) and the call is made
/// again, from its beginning. A board that can't be got back, or is lost again and again,
/// is the error.
pub fn with_recovery<T>(
    mut call: impl FnMut() -> Result<T, DeviceError>,
    mut recover: impl FnMut(&DeviceError) -> Result<(), DeviceError>,
) -> Result<T, DeviceError> {
    let mut recoveries = 0;
    loop {
        match call() {
            Err(error) if recoveries < RECOVERIES_MAX && is_loss(&error) => {
                recoveries += 1;
                recover(&error)?;
            }
            end => return end,
        }
    }
}

/// Whether an error means that the board, or what it was prepared for, is gone for now.
fn is_loss(error: &DeviceError) -> bool {
    match error {
        DeviceError::Lost { .. }
        | DeviceError::TimedOut { .. }
        | DeviceError::NotReady { .. }
        | DeviceError::ServerUnreachable { .. } => true,
        // A session that lost its host puts the board back, and may do so late: after the
        // board was prepared again.
        DeviceError::Script { script, message, .. } => {
            *script == "session.sh" && message.contains("is not prepared")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost() -> DeviceError {
        DeviceError::Lost { serial: "x".into(), doing: "a session".into() }
    }

    #[test]
    fn a_lost_call_is_made_again_after_the_recovery() {
        let (mut calls, mut recoveries) = (0, 0);
        let end = with_recovery(
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
    fn other_errors_are_no_loss() {
        let refused = || {
            let (serial, message) = ("x".to_string(), "no sensor".to_string());
            Err::<(), _>(DeviceError::Script { serial, script: "session.sh", message })
        };
        let end = with_recovery(refused, |_| panic!("nothing was lost"));
        assert!(matches!(end, Err(DeviceError::Script { .. })));
    }
}
