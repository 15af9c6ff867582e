//! `settings`, `svc power stayon` and `wm`: settings and screen of Android.

use super::reply::Reply;
use crate::board_state::BoardState;

/// API level from which there is `wm`, and the one from which `wm` dismisses the keyguard.
const HAS_WM: u32 = 18;
const DISMISSES_KEYGUARD: u32 = 23;

/// `settings get|put|delete NAMESPACE NAME [VALUE]`.
pub(super) fn settings(board: &BoardState, words: &[&str]) -> Reply {
    let space = words.get(1).copied().unwrap_or_default();
    if !["global", "secure", "system"].contains(&space) {
        return Reply::failure("usage: settings get|put|delete global|secure|system NAME [VALUE]");
    }
    let settings = &board.settings;
    match words {
        ["get", _, name] => {
            Reply::output(settings.get(space, name).unwrap_or("null".to_owned()) + "\n")
        }
        ["put", _, name, value] => {
            settings.put(space, name, value);
            Reply::default()
        }
        ["delete", _, name] => {
            let rows = u8::from(settings.delete(space, name));
            Reply::output(format!("Deleted {rows} rows\n"))
        }
        _ => Reply::failure("usage: settings get|put|delete NAMESPACE NAME [VALUE]"),
    }
}

/// `svc power stayon true|false|usb|ac|wireless`.
pub(super) fn svc(board: &BoardState, words: &[&str]) -> Reply {
    let value = match words {
        ["power", "stayon", "true"] => "7",
        ["power", "stayon", "false"] => "0",
        ["power", "stayon", "ac"] => "1",
        ["power", "stayon", "usb"] => "2",
        ["power", "stayon", "wireless"] => "4",
        _ => return Reply::failure("usage: svc power stayon true|false|usb|ac|wireless"),
    };
    board.settings.put("global", "stay_on_while_plugged_in", value);
    Reply::default()
}

/// `wm size|dismiss-keyguard`.
pub(super) fn wm(board: &BoardState, words: &[&str]) -> Reply {
    match words {
        _ if board.file.sdk < HAS_WM => Reply::failure("wm: not found"),
        ["size"] => Reply::output("Physical size: 1080x1920\n"),
        ["dismiss-keyguard"] if board.file.sdk >= DISMISSES_KEYGUARD => Reply::default(),
        _ => Reply::failure("usage: wm size"),
    }
}
