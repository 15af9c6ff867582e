//! A node: components that draw power, a clock in microseconds, a meter that counts, and
//! the buffer that its log goes to. Beside the log it keeps the ground truth.

use std::collections::BTreeMap;

use super::super::entry::{EntryBuffer, EntryKind, LogEntry};
use super::super::label::LabelCode;

/// Component's number and the power of each of its states in watts.
#[derive(Debug, Clone, PartialEq)]
pub struct ComponentDraw {
    /// Its number in the log.
    pub id: u8,
    /// Power by state.
    pub power_w: Vec<f64>,
}

/// Simulated node: components, clock, meter, log, and the ground truth of its energy.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulatedNode {
    components: Vec<SimulatedComponent>,
    constant_w: f64,
    /// Joules of a count of the meter.
    pub count_j: f64,
    /// What the clock shows at the start; wraps.
    pub first_time: u32,
    /// What the meter shows at the start, in counts; the part after the comma is energy on
    /// the way to the next count.
    pub first_energy: f64,
    /// Microseconds that writing an entry takes; 0 where the run's times contain it.
    pub entry_us: f64,
    now_us: f64,
    energy_j: f64,
    /// The log.
    pub buffer: EntryBuffer,
    /// True joules by component and by the code of who really used it; the constant term is
    /// component 255 of activity 0.
    pub truth_j: BTreeMap<(u8, LabelCode), f64>,
}

#[derive(Debug, Clone, PartialEq)]
struct SimulatedComponent {
    draw: ComponentDraw,
    state: u16,
    /// Who really uses it.
    user: LabelCode,
}

/// Number of the constant term in the ground truth.
pub const CONSTANT: u8 = 255;

impl SimulatedNode {
    /// Creates a node at time 0, all components in state 0.
    #[must_use]
    pub fn new(draws: Vec<ComponentDraw>, constant_w: f64) -> Self {
        let component = |draw| SimulatedComponent { draw, state: 0, user: LabelCode(0) };
        Self {
            components: draws.into_iter().map(component).collect(),
            constant_w,
            count_j: 8.33e-6,
            first_time: 0,
            first_energy: 0.0,
            entry_us: 0.0,
            now_us: 0.0,
            energy_j: 0.0,
            buffer: EntryBuffer::default(),
            truth_j: BTreeMap::new(),
        }
    }

    /// Returns the true energy in joules since the start.
    #[must_use]
    pub fn energy_j(&self) -> f64 {
        self.energy_j
    }

    /// Advances the time by `us` microseconds.
    pub fn run(&mut self, us: f64) {
        let seconds = us * 1e-6;
        let mut spend = |key, power: f64| {
            self.energy_j += power * seconds;
            *self.truth_j.entry(key).or_insert(0.0) += power * seconds;
        };
        spend((CONSTANT, LabelCode(0)), self.constant_w);
        for component in &self.components {
            let power = component.draw.power_w.get(usize::from(component.state));
            spend((component.draw.id, component.user), power.copied().unwrap_or(0.0));
        }
        self.now_us += us;
    }

    /// Advances the time to `us` microseconds since the start; does nothing if it is later already.
    pub fn run_until(&mut self, us: f64) {
        if us > self.now_us {
            self.run(us - self.now_us);
        }
    }

    /// Changes a component's power state, with a log entry.
    pub fn set_power_state(&mut self, id: u8, state: u16) {
        // A component that goes to rest does so when its entry is written.
        if state == 0 {
            self.run(self.entry_us);
        }
        if let Some(component) = self.components.iter_mut().find(|one| one.draw.id == id) {
            component.state = state;
        }
        self.write_entry(EntryKind::PowerState, id, state);
        if state != 0 {
            self.run(self.entry_us);
        }
    }

    /// Changes a component's activity, with a log entry.
    pub fn set_activity(&mut self, id: u8, activity: LabelCode) {
        self.set_proxy(id, activity, activity);
    }

    /// Makes a component work for `user`, while its log entry has only a proxy.
    pub(crate) fn set_proxy(&mut self, id: u8, proxy: LabelCode, user: LabelCode) {
        self.change_user(id, user);
        self.write_entry(EntryKind::Set, id, proxy.0);
        self.run(self.entry_us);
    }

    /// Binds a component's proxy to an activity; `user` is the true activity.
    pub fn bind(&mut self, id: u8, activity: LabelCode, user: LabelCode) {
        self.change_user(id, user);
        self.write_entry(EntryKind::Bind, id, activity.0);
        self.run(self.entry_us);
    }

    fn change_user(&mut self, id: u8, user: LabelCode) {
        if let Some(component) = self.components.iter_mut().find(|one| one.draw.id == id) {
            component.user = user;
        }
    }

    /// Writes a log entry, with clock and meter as a program on the node reads them.
    fn write_entry(&mut self, kind: EntryKind, component: u8, value: u16) {
        let counts = (self.first_energy + self.energy_j / self.count_j).floor();
        let time = self.first_time.wrapping_add((self.now_us.floor() as u64) as u32);
        let energy = (counts as u64) as u32;
        self.buffer.push(LogEntry { kind: kind.number(), component, time, energy, value });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_meter_counts_what_is_drawn() {
        let mut node =
            SimulatedNode::new(vec![ComponentDraw { id: 1, power_w: vec![0.0, 0.010] }], 0.002);
        node.first_time = u32::MAX;
        node.run(1e6);
        node.set_power_state(1, 1);
        node.set_activity(1, LabelCode::new(1, 7));
        node.run(1e6);
        node.set_power_state(1, 0);
        let entries = node.buffer.entries();
        assert_eq!((entries[0].time, entries[2].time), (999_999, 1_999_999));
        assert_eq!((entries[0].energy, entries[2].energy), (240, 1680), "0.002 and 0.014 J");
        assert!((node.truth_j[&(1, LabelCode::new(1, 7))] - 0.010).abs() < 1e-15);
    }
}
