//! A node: components that draw power, a clock in microseconds, a meter that counts, and
//! the buffer that its log goes to. Beside the log it keeps the ground truth.

use std::collections::BTreeMap;

use super::super::entry::{Buffer, EntryKind, LogEntry};
use super::super::label::LabelCode;

/// A component's number and the power of each of its states, in watts.
#[derive(Debug, Clone, PartialEq)]
pub struct ComponentDraw {
    /// Its number in the log.
    pub id: u8,
    /// Power by state.
    pub power_w: Vec<f64>,
}

/// A simulated node.
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
    pub buffer: Buffer,
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
    /// A node that stands still, all components in state 0.
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
            buffer: Buffer::default(),
            truth_j: BTreeMap::new(),
        }
    }

    /// True joules since the start.
    #[must_use]
    pub fn energy_j(&self) -> f64 {
        self.energy_j
    }

    /// Lets time pass.
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

    /// Lets time pass until a moment; none if it is over.
    pub fn run_until(&mut self, us: f64) {
        if us > self.now_us {
            self.run(us - self.now_us);
        }
    }

    /// A component goes to a state, and says so.
    pub fn power(&mut self, id: u8, state: u16) {
        // A component that goes to rest does so when its entry is written.
        if state == 0 {
            self.run(self.entry_us);
        }
        if let Some(component) = self.components.iter_mut().find(|one| one.draw.id == id) {
            component.state = state;
        }
        self.log(EntryKind::PowerState, id, state);
        if state != 0 {
            self.run(self.entry_us);
        }
    }

    /// A component works for an activity, and says so.
    pub fn set(&mut self, id: u8, activity: LabelCode) {
        self.set_proxy(id, activity, activity);
    }

    /// A component works for `user`, but only knows a proxy yet.
    pub(crate) fn set_proxy(&mut self, id: u8, proxy: LabelCode, user: LabelCode) {
        self.use_by(id, user);
        self.log(EntryKind::Set, id, proxy.0);
        self.run(self.entry_us);
    }

    /// It turns out whom the component works for; `user` is who that is in the end.
    pub fn bind(&mut self, id: u8, activity: LabelCode, user: LabelCode) {
        self.use_by(id, user);
        self.log(EntryKind::Bind, id, activity.0);
        self.run(self.entry_us);
    }

    fn use_by(&mut self, id: u8, user: LabelCode) {
        if let Some(component) = self.components.iter_mut().find(|one| one.draw.id == id) {
            component.user = user;
        }
    }

    /// Writes an entry: clock and meter as a program on the node would read them.
    fn log(&mut self, kind: EntryKind, component: u8, value: u16) {
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
        node.power(1, 1);
        node.set(1, LabelCode::new(1, 7));
        node.run(1e6);
        node.power(1, 0);
        let entries = node.buffer.entries();
        assert_eq!((entries[0].time, entries[2].time), (999_999, 1_999_999));
        assert_eq!((entries[0].energy, entries[2].energy), (240, 1680), "0.002 and 0.014 J");
        assert!((node.truth_j[&(1, LabelCode::new(1, 7))] - 0.010).abs() < 1e-15);
    }
}
