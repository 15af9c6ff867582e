//! `getprop` and `setprop`.

use super::reply::Reply;
use crate::board_state::{BoardState, SESSION_PROPERTY};
use crate::machine::Machine;
use crate::proc_state::start_time;
use crate::wire::CommandRequest;

/// System property that is `begun` while a host's command gives the session its input.
const INPUT_PROPERTY: &str = "wattline.input";

/// System property with the clock of a bench meter's log and the board's clock at the same moment.
const HOST_CLOCK: &str = "wattline.host_clock";

/// `getprop [NAME [DEFAULT]]`.
pub(super) fn getprop(board: &BoardState, words: &[&str]) -> Reply {
    if let [HOST_CLOCK] = words {
        let now_ns = board.clock.now_ns();
        let mut hardware = board.hardware();
        hardware.move_to(now_ns);
        return Reply::output(hardware.host_clock().unwrap_or_default() + "\n");
    }
    let properties = board.properties();
    let text = match words {
        [] => properties.iter().map(|(name, value)| format!("[{name}]: [{value}]\n")).collect(),
        [name, rest @ ..] => {
            let default = rest.first().copied().unwrap_or_default();
            let value = properties.get(*name).map_or(default, String::as_str);
            format!("{value}\n")
        }
    };
    Reply::output(text)
}

/// `setprop NAME VALUE`. Setting the session's name starts a session; while a host's command gives
/// the session its input, time passes only for that command.
pub(super) fn setprop(machine: &Machine, request: &CommandRequest, words: &[&str]) -> Reply {
    let [name, value] = words else { return Reply::failure("usage: setprop NAME VALUE") };
    if name.starts_with("ro.") {
        return Reply::failure(format!("setprop: failed to set property '{name}' to '{value}'"));
    }
    machine.state.properties().insert((*name).to_owned(), (*value).to_owned());
    if *name == SESSION_PROPERTY {
        machine.start_session(value);
    }
    if *name == INPUT_PROPERTY {
        let since = (*value == "begun").then(|| start_time(request.pid)).flatten();
        machine.state.clock.set_beside_since(since);
    }
    Reply::default()
}
