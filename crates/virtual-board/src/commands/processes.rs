//! `ps`, `pidof`, `taskset -p` and `dumpsys`: running applications and services. Process numbers
//! are the host's, so that the shell's own `kill` means the same process.

use super::reply::Reply;
use crate::board_state::BoardState;
use crate::machine::Machine;

/// `ps`: the running applications.
pub(super) fn ps(machine: &Machine) -> Reply {
    let head = "USER     PID   PPID  VSIZE  RSS     WCHAN    PC         NAME\n".to_owned();
    let rows = machine.apps.running().into_iter().map(|(pid, package)| {
        format!("u0_a1    {pid:<5} 1     0      0       ffffffff 00000000 S {package}\n")
    });
    Reply::output(head + &rows.collect::<String>())
}

/// `pidof NAME`.
pub(super) fn pidof(machine: &Machine, words: &[&str]) -> Reply {
    let running = machine.apps.running().into_iter();
    let pids: Vec<String> = running
        .filter(|(_, package)| words.contains(&package.as_str()))
        .map(|(pid, _)| pid.to_string())
        .collect();
    if pids.is_empty() {
        return Reply { code: 1, ..Reply::default() };
    }
    Reply::output(pids.join(" ") + "\n")
}

/// `taskset -p [MASK] PID`: accepts a mask without any effect, since the cores are simulated.
/// (`taskset MASK COMMAND` never comes here.)
pub(super) fn taskset(words: &[&str]) -> Reply {
    let mask_of = |word: &str| u32::from_str_radix(word.trim_start_matches("0x"), 16).ok();
    match words {
        ["-p" | "-ap", mask, pid] if mask_of(mask).is_some_and(|mask| mask > 0) => {
            let mask = mask_of(mask).unwrap_or_default();
            Reply::output(format!(
                "pid {pid}'s current affinity mask: f\npid {pid}'s new affinity mask: {mask:x}\n"
            ))
        }
        ["-p", pid] if pid.parse::<u32>().is_ok() => {
            Reply::output(format!("pid {pid}'s current affinity mask: f\n"))
        }
        _ => Reply::failure("usage: taskset [-p] MASK PID|COMMAND..."),
    }
}

/// Name of the power statistics service.
const POWER_STATS: &str = "android.hardware.power.stats.IPowerStats/default";

/// `dumpsys SERVICE` for `battery`, `power`, `package`, `activity`, the thermal service and the
/// power statistics of a board with rails.
pub(super) fn dumpsys(machine: &Machine, words: &[&str]) -> Reply {
    let now = machine.state.clock.now_ns();
    let mut hardware = machine.state.hardware();
    hardware.move_to(now);
    let (power_stats, battery_mv) = (hardware.power_stats(), hardware.battery_mv());
    drop(hardware);
    match words {
        ["power"] => Reply::output(power_answer(&machine.state)),
        ["thermalservice"] if machine.state.file.sdk >= HAS_THERMAL_SERVICE => {
            let status = if machine.state.hardware().is_throttled() { 3 } else { 0 };
            Reply::output(format!("IsStatusOverride: false\nThermal Status: {status}\n"))
        }
        [] | ["-l"] => {
            let service = power_stats.map(|_| format!("  {POWER_STATS}\n")).unwrap_or_default();
            let services = "Currently running services:\n  activity\n";
            Reply::output(format!("{services}{service}  battery\n  package\n"))
        }
        [POWER_STATS, ..] if power_stats.is_some() => {
            Reply::output(power_stats.unwrap_or_default())
        }
        ["package", "dexopt"] => super::packages::dexopt(machine),
        ["package", name] => super::packages::dump(machine, name),
        ["battery", ..] => Reply::output(battery_answer(battery_mv)),
        ["activity", ..] => {
            let rows = machine.apps.running().into_iter();
            let rows = rows.map(|(pid, package)| format!("  ProcessRecord{{{pid}:{package}/1}}\n"));
            Reply::output(
                "ACTIVITY MANAGER RUNNING PROCESSES\n".to_owned() + &rows.collect::<String>(),
            )
        }
        [service, ..] => Reply::output(format!("Can't find service: {service}\n")),
    }
}

/// API level from which there is a thermal service.
const HAS_THERMAL_SERVICE: u32 = 29;

/// Answer of `dumpsys power`, with the state of the screen.
fn power_answer(board: &BoardState) -> String {
    let wakefulness = if board.settings.is_screen_on() { "Awake" } else { "Asleep" };
    format!("POWER MANAGER (dumpsys power)\n\nPower Manager State:\n  mWakefulness={wakefulness}\n")
}

/// Answer of `dumpsys battery`; a board without a battery runs on mains.
fn battery_answer(millivolts: Option<i64>) -> String {
    let state = "Current Battery Service state:\n";
    match millivolts {
        None => format!(
            "{state}  AC powered: true\n  USB powered: false\n  present: false\n  level: 0\n  \
             temperature: 0\n"
        ),
        Some(millivolts) => format!(
            "{state}  AC powered: false\n  USB powered: false\n  status: 3\n  present: true\n  \
             level: 80\n  voltage: {millivolts}\n  temperature: 300\n"
        ),
    }
}
