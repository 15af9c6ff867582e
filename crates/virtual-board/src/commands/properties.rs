//! `getprop` and `setprop`.

use super::{Machine, Reply};
use crate::machine::SESSION_PROPERTY;

/// The clock of a bench meter's log, and the board's at the same moment.
const HOST_CLOCK: &str = "wattline.host_clock";

/// `getprop [NAME [DEFAULT]]`.
pub(super) fn getprop(machine: &Machine, words: &[&str]) -> Reply {
    if let [HOST_CLOCK] = words {
        let now_ns = machine.clock.now_ns();
        let mut hardware = machine.hardware();
        hardware.move_to(now_ns);
        return Reply::output(hardware.host_clock().unwrap_or_default() + "\n");
    }
    let properties = machine.properties();
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

/// `setprop NAME VALUE`. Setting the session's name starts a session.
pub(super) fn setprop(machine: &Machine, words: &[&str]) -> Reply {
    let [name, value] = words else { return Reply::failure("usage: setprop NAME VALUE") };
    if name.starts_with("ro.") {
        return Reply::failure(format!("setprop: failed to set property '{name}' to '{value}'"));
    }
    machine.properties().insert((*name).to_owned(), (*value).to_owned());
    if *name == SESSION_PROPERTY {
        machine.start_session(value);
    }
    Reply::default()
}
