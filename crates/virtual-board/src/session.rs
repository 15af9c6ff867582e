//! Starting a session on the board.

use super::fault_effects;
use super::machine::Machine;

impl Machine {
    /// Starts a session: the board is as after a restart and a rest. Applications are ended, the
    /// log is empty, the clocks stand at their start, the temperature is that of idling, and the
    /// noise is the session's own.
    pub(super) fn start_session(&self, label: &str) {
        self.apps.stop_all();
        self.state.reset_log_and_clocks();
        // What ends with the session before, ends before this one's temperature is settled.
        self.schedule.start_session(label);
        fault_effects::perform_due(self);
        self.state.restart_hardware(label);
    }
}
