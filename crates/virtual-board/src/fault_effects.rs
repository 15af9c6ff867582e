//! Effects of scheduled faults on the parts of the board.

use std::time::Duration;

use rustix::process::Signal;

use super::fault::{Fault, FaultAction};
use super::machine::Machine;
use super::power::SensorTrouble;
use super::shells;
use super::signals::kill_group;

/// Real time of a restart: long enough for a host to find no board there.
const BOOT_TIME: Duration = Duration::from_millis(400);

/// Performs the actions that are due at the present time of the present session.
pub(super) fn perform_due(machine: &Machine) {
    perform(machine, machine.schedule.take_due(machine.state.session_elapsed_s()));
}

/// Performs actions in order; the board's clock stands still meanwhile.
pub(super) fn perform(machine: &Machine, acts: Vec<FaultAction>) {
    for act in acts {
        let _hold = machine.state.clock.hold();
        match act {
            FaultAction::Cause(fault) => cause_fault(machine, fault),
            FaultAction::Lift => lift_faults(machine),
            FaultAction::Call(call) => call(),
        }
    }
}

/// Causes a fault and logs it.
fn cause_fault(machine: &Machine, fault: Fault) {
    machine.state.log('E', "wattline-board", 1, &format!("fault on demand: {fault}"));
    match fault {
        Fault::KillApp => machine.apps.signal_all(Signal::KILL),
        Fault::CrashApp => machine.apps.signal_all(Signal::SEGV),
        Fault::HangApp => machine.apps.hang_all(),
        Fault::KillSampler => {
            let samplers = shells::shell_processes_with_word(machine.state.root(), "sample.sh");
            machine.state.clock.rouse_shells(|| samplers.into_iter().for_each(kill_group));
        }
        Fault::FreezeSensors => {
            machine.state.hardware().set_sensor_trouble(Some(SensorTrouble::Frozen))
        }
        Fault::GarbageSensors => {
            machine.state.hardware().set_sensor_trouble(Some(SensorTrouble::Garbage))
        }
        Fault::FillDisk => set_disk_full(machine, true),
        Fault::CutTraces => machine.state.set_cuts_traces(true),
        Fault::JumpClock(millis) => machine.state.move_wall_clock(millis.saturating_mul(1_000_000)),
        Fault::DarkScreen => machine.state.settings.switch_screen(false),
        Fault::Throttle => machine.state.hardware().set_throttled(true),
        Fault::DropConnections => machine.connections.drop_all(),
        Fault::Reboot => reboot(machine),
    }
}

/// Lifts all faults that last.
fn lift_faults(machine: &Machine) {
    machine.state.hardware().set_sensor_trouble(None);
    machine.state.hardware().set_throttled(false);
    set_disk_full(machine, false);
    machine.state.set_cuts_traces(false);
}

/// Lets no file of the board's processes grow, or lets them again.
fn set_disk_full(machine: &Machine, full: bool) {
    if machine.state.is_disk_full() == full {
        return;
    }
    machine.state.set_disk_full(full);
    for pid in shells::shell_processes(machine.state.root()) {
        shells::set_file_growth_blocked(pid, full);
    }
}

/// Restarts the board. Running processes end first, so that none of them sees the new start.
fn reboot(machine: &Machine) {
    machine.state.clock.rouse_shells(|| shells::kill_all_processes(machine.state.root()));
    machine.connections.close_for(BOOT_TIME);
    machine.apps.stop_all();
    machine.state.boot();
}
