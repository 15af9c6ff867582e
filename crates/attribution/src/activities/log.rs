//! One node's log in one form, whatever it was read from: components with power states,
//! changes of states and of activities, readings of the meter. Times are nanoseconds of
//! the node's own clock.

use wattline_units::limits::{COMPONENT_STATES, LOG_COMPONENTS};

use super::label::Label;
use super::remark::{Remark, RemarkKind};

/// Name that all components or states beyond the limit share.
const OTHERS_NAME: &str = "(others)";

/// A functional unit whose power states are followed: an LED, a radio, a core.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Component {
    /// Its name.
    pub name: String,
    /// Components of one class have one power for each state (the cores of a cluster); a
    /// component's own name unless it was put together with others.
    pub class: String,
    /// Names of its states.
    pub states: Vec<String>,
    /// The state whose draw can't be told from the constant term, and is part of it: off,
    /// asleep, idle. Powers of the other states are above this one's.
    pub baseline: usize,
    /// Its state before the first change; none if that isn't known.
    pub initial: Option<usize>,
    /// Whether it is a processor: what writing the log costs is spent there.
    pub is_processor: bool,
}

impl Component {
    /// Creates a component without states, in a class of its own.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            class: name.to_owned(),
            states: Vec::new(),
            baseline: 0,
            initial: None,
            is_processor: false,
        }
    }

    /// Returns the number of a state; adds the state if it is new.
    pub fn state_number(&mut self, name: &str) -> usize {
        self.states.iter().position(|state| state == name).unwrap_or_else(|| {
            let room = COMPONENT_STATES.most as usize - 1;
            match self.states.len() {
                count if count > room => room,
                count => {
                    let name = if count == room { OTHERS_NAME } else { name };
                    self.states.push(name.to_owned());
                    count
                }
            }
        })
    }

    /// Chooses as baseline the state that most likely means that nothing is done: by name (off,
    /// sleep, idle, ...), else the smallest number, else the first one.
    pub(crate) fn choose_baseline(&mut self) {
        const QUIET: [&str; 8] =
            ["off", "power_down", "powerdown", "sleep", "asleep", "idle", "inactive", "0"];
        let by_name = QUIET.iter().find_map(|quiet| {
            self.states.iter().position(|state| state.eq_ignore_ascii_case(quiet))
        });
        let numbers = self.states.iter().enumerate().filter_map(|(at, state)| {
            let digits: String = state.chars().take_while(char::is_ascii_digit).collect();
            Some((digits.parse::<u64>().ok()?, at))
        });
        self.baseline = by_name.or(numbers.min().map(|(_, at)| at)).unwrap_or(0);
    }
}

/// Change of a component: of its power state or of its activities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComponentEvent {
    /// It went to this state.
    State(usize),
    /// It works for this activity from now on, and for no other.
    Set(Label),
    /// The same, and what it used under the label before (a proxy) is charged to this one.
    Bind(Label),
    /// What was used under the first label (a proxy) is charged to the second one, which
    /// takes its place.
    Rebind(Label, Label),
    /// It works for this activity too.
    Add(Label),
    /// It no longer works for this one.
    Remove(Label),
    /// It works for nobody.
    Clear,
    /// Neither state nor activity is known from here on: entries are missing.
    Lost,
    /// Its state is not known from here on.
    Unknown,
}

/// Change of a component at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StateChange {
    /// When, in nanoseconds.
    pub at_ns: i64,
    /// Index of the component.
    pub component: usize,
    /// What.
    pub event: ComponentEvent,
}

/// Reading of the meter: time and accumulated energy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoggedReading {
    /// When, in nanoseconds.
    pub at_ns: i64,
    /// Energy since some moment, in joules; only differences mean something.
    pub energy_j: f64,
    /// Whether nothing is known of the time since the reading before: a step of the clock,
    /// a restart of the meter.
    pub after_gap: bool,
}

/// Log of a node: components, changes, readings of the meter, remarks.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NodeLog {
    /// The node's name: a number, a device.
    pub node: String,
    /// Its components.
    pub components: Vec<Component>,
    /// What happened to them, in order of time.
    pub changes: Vec<StateChange>,
    /// Readings of the meter, in order of time; none without a meter.
    pub readings: Vec<LoggedReading>,
    /// When an entry was written whose writing took the CPU time.
    pub written_ns: Vec<i64>,
    /// Volts of the supply, where they are known: currents are powers over it.
    pub supply_v: Option<f64>,
    /// Whether the node is simulated: its energy is computed, not measured.
    pub is_simulated: bool,
    /// What was noticed on reading it.
    pub remarks: Vec<Remark>,
}

impl NodeLog {
    /// Creates a log without entries.
    #[must_use]
    pub fn new(node: &str) -> Self {
        Self { node: node.to_owned(), ..Self::default() }
    }

    /// Returns the number of a component; adds the component if it is new.
    pub fn component_number(&mut self, name: &str) -> usize {
        self.components.iter().position(|known| known.name == name).unwrap_or_else(|| {
            let room = LOG_COMPONENTS.most as usize - 1;
            match self.components.len() {
                count if count > room => room,
                count if count == room => {
                    let message = format!("it has more than {LOG_COMPONENTS}: the others are one");
                    self.remarks.push(Remark::new(RemarkKind::Note, message));
                    self.components.push(Component::new(OTHERS_NAME));
                    count
                }
                count => {
                    self.components.push(Component::new(name));
                    count
                }
            }
        })
    }

    /// Adds a change of a component's state.
    pub(crate) fn set_state(&mut self, at_ns: i64, component: usize, state: &str) {
        let state = self.components[component].state_number(state);
        self.changes.push(StateChange { at_ns, component, event: ComponentEvent::State(state) });
    }

    /// Adds a change of a component.
    pub fn add_change(&mut self, at_ns: i64, component: usize, event: ComponentEvent) {
        self.changes.push(StateChange { at_ns, component, event });
    }

    /// Sorts changes and readings by time; those of one moment stay in the order in which they were
    /// logged.
    pub fn sort(&mut self) {
        self.changes.sort_by_key(|change| change.at_ns);
        self.readings.sort_by_key(|reading| reading.at_ns);
    }

    /// Returns the times (ns) of the meter's first and last reading; `None` with less than two
    /// readings.
    #[must_use]
    pub fn metered_span(&self) -> Option<(i64, i64)> {
        let (first, last) = (self.readings.first()?.at_ns, self.readings.last()?.at_ns);
        (first < last).then_some((first, last))
    }

    /// Returns the times (ns) of the first and last change or reading.
    #[must_use]
    pub fn span(&self) -> Option<(i64, i64)> {
        let changes = self.changes.iter().map(|change| change.at_ns);
        let times = changes.chain(self.readings.iter().map(|reading| reading.at_ns));
        times.fold(None, |span, at| match span {
            None => Some((at, at)),
            Some((first, last)) => Some((at.min(first), at.max(last))),
        })
    }

    /// Returns the current in amperes of a power in watts; `None` if the supply voltage is unknown.
    #[must_use]
    pub fn current_a(&self, power_w: Option<f64>) -> Option<f64> {
        power_w.zip(self.supply_v).map(|(power, volts)| power / volts)
    }

    /// Returns the log on a clock that is `offset_ns` ahead.
    #[must_use]
    pub fn shift(mut self, offset_ns: i64) -> Self {
        let shift = |at: &mut i64| {
            *at = at.saturating_add(offset_ns).clamp(-MOMENT_LIMIT_NS, MOMENT_LIMIT_NS)
        };
        self.changes.iter_mut().for_each(|change| shift(&mut change.at_ns));
        self.readings.iter_mut().for_each(|reading| shift(&mut reading.at_ns));
        self.written_ns.iter_mut().for_each(shift);
        self.remarks.iter_mut().filter_map(|remark| remark.at_ns.as_mut()).for_each(shift);
        self
    }
}

/// Limit of times in nanoseconds (126 years), to which later ones are cut so that no difference
/// overflows.
pub(crate) const MOMENT_LIMIT_NS: i64 = 4_000_000_000_000_000_000;

/// Converts seconds to nanoseconds, at most 126 years from 0.
#[must_use]
pub fn seconds_to_nanoseconds(seconds: f64) -> i64 {
    ((seconds * 1e9).round() as i64).clamp(-MOMENT_LIMIT_NS, MOMENT_LIMIT_NS)
}

/// Converts nanoseconds to seconds.
#[must_use]
pub fn nanoseconds_to_seconds(nanoseconds: i64) -> f64 {
    nanoseconds as f64 * 1e-9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_and_states_beyond_the_limit_share_one() {
        let mut log = NodeLog::new("n");
        let numbers: Vec<usize> =
            (0..3000).map(|n| log.component_number(&format!("c{n}"))).collect();
        assert_eq!((numbers[1998], numbers[1999], numbers[2999]), (1998, 1999, 1999));
        assert_eq!((log.components.len(), log.components[1999].name.as_str()), (2000, OTHERS_NAME));
        assert_eq!(log.remarks.len(), 1);
        (0..3000).for_each(|n| log.set_state(n, 7, &n.to_string()));
        assert_eq!(
            (log.components[7].states.len(), log.components[7].state_number("2")),
            (1000, 2)
        );
    }

    fn baseline(states: &[&str]) -> String {
        let mut component = Component::new("x");
        for state in states {
            component.state_number(state);
        }
        component.choose_baseline();
        component.states[component.baseline].clone()
    }

    #[test]
    fn the_quietest_state_is_the_baseline() {
        assert_eq!(baseline(&["on", "off"]), "off");
        assert_eq!(baseline(&["300000 kHz", "idle", "1100000 kHz"]), "idle");
        assert_eq!(baseline(&["1100000 kHz", "300000 kHz"]), "300000 kHz");
        assert_eq!(baseline(&["a", "b"]), "a");
    }

    #[test]
    fn shifting_moves_everything_alike() {
        let mut log = NodeLog::new("1");
        let led = log.component_number("LED");
        log.set_state(5, led, "on");
        log.readings.push(LoggedReading { at_ns: 9, energy_j: 1.0, after_gap: false });
        assert_eq!(log.span(), Some((5, 9)));
        assert_eq!(log.shift(-5).span(), Some((0, 4)));
    }
}
