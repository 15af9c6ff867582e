//! Carrying out what is scheduled: each fault as the board's own parts suffer it.

use std::time::Duration;

use rustix::process::Signal;

use super::fault::{Fault, FaultAction};
use super::machine::Machine;
use super::power::SensorTrouble;
use super::shells;
use super::signals::kill_group;

/// Real time that a restart takes: long enough for a host to find nobody there.
const BOOT_TIME: Duration = Duration::from_millis(400);

/// Does what is due at the present time of the present session.
pub(super) fn look(machine: &Machine) {
    perform(machine, machine.schedule.due(machine.state.session_s()));
}

/// Does things, one after the other; the board's clock stands still meanwhile.
pub(super) fn perform(machine: &Machine, acts: Vec<FaultAction>) {
    for act in acts {
        let _hold = machine.state.clock.hold();
        match act {
            FaultAction::Cause(fault) => cause(machine, fault),
            FaultAction::Lift => lift(machine),
            FaultAction::Call(call) => call(),
        }
    }
}

fn cause(machine: &Machine, fault: Fault) {
    machine.state.log('E', "wattline-board", 1, &format!("fault on demand: {fault}"));
    match fault {
        Fault::KillApp => machine.apps.signal_all(Signal::KILL),
        Fault::CrashApp => machine.apps.signal_all(Signal::SEGV),
        Fault::HangApp => machine.apps.hang_all(),
        Fault::KillSampler => {
            let samplers = shells::all_with(machine.state.root(), "sample.sh");
            machine.state.clock.rouse_shells(|| samplers.into_iter().for_each(kill_group));
        }
        Fault::FreezeSensors => machine.state.hardware().set_trouble(Some(SensorTrouble::Frozen)),
        Fault::GarbageSensors => machine.state.hardware().set_trouble(Some(SensorTrouble::Garbage)),
        Fault::FillDisk => fill_disk(machine, true),
        Fault::CutTraces => machine.state.set_cuts_traces(true),
        Fault::JumpClock(millis) => machine.state.move_wall_clock(millis.saturating_mul(1_000_000)),
        Fault::DarkScreen => machine.state.settings.switch_screen(false),
        Fault::Throttle => machine.state.hardware().throttle(true),
        Fault::DropConnections => machine.connections.drop_all(),
        Fault::Reboot => reboot(machine),
    }
}

fn lift(machine: &Machine) {
    machine.state.hardware().set_trouble(None);
    machine.state.hardware().throttle(false);
    fill_disk(machine, false);
    machine.state.set_cuts_traces(false);
}

fn fill_disk(machine: &Machine, full: bool) {
    if machine.state.is_disk_full() == full {
        return;
    }
    machine.state.set_disk_full(full);
    for pid in shells::all(machine.state.root()) {
        shells::limit_files(pid, full);
    }
}

/// What runs ends first, so that nothing of it sees the new start.
fn reboot(machine: &Machine) {
    machine.state.clock.rouse_shells(|| shells::end_all(machine.state.root()));
    machine.connections.close_for(BOOT_TIME);
    machine.apps.stop_all();
    machine.state.boot();
}
