//! Quanto's binary log -> a node's log: both counters unwrapped, numbers named. Every entry
//! is a reading of the meter too.

use wattline_units::format::counted;

use super::super::entry::{
    BUFFER_ENTRIES, CounterStep, EntryKind, LogEntry, WrappingCounter, decode_entries,
};
use super::super::label::{Label, LabelCode, Labels};
use super::super::log::{
    Component, ComponentEvent, LoggedReading, NodeLog, StateChange, seconds_to_nanoseconds,
};
use super::super::names::NodeNames;
use super::super::remark::{Remark, RemarkKind, summarise_remarks};

/// Error of bytes that are no Quanto log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QuantoError {
    /// There is nothing in it.
    #[error("it holds no whole entry of 12 bytes")]
    Empty,
    /// Most of it is something else.
    #[error("it is no log of entries of 12 bytes: {known} of {all} have a type that there is")]
    Other {
        /// Entries of a known type.
        known: usize,
        /// All entries.
        all: usize,
    },
}

/// Reads a binary log; entries that cannot be used are skipped, with a remark.
///
/// # Errors
/// Bytes of which not even half are entries.
pub fn read_quanto(
    bytes: &[u8],
    names: &NodeNames,
    labels: &mut Labels,
) -> Result<NodeLog, QuantoError> {
    let (entries, rest) = decode_entries(bytes);
    if entries.is_empty() {
        return Err(QuantoError::Empty);
    }
    let known = entries.iter().filter(|entry| EntryKind::from_number(entry.kind).is_some()).count();
    if known * 2 < entries.len() {
        return Err(QuantoError::Other { known, all: entries.len() });
    }
    let mut reader = QuantoReader::new(names, labels);
    for (index, entry) in entries.iter().enumerate() {
        reader.entry(index, entry);
    }
    let mut log = reader.log;
    log.supply_v = names.supply_v;
    log.is_simulated = names.simulated;
    if names.simulated {
        let message = "the node is simulated: its energy is computed, not measured";
        log.remarks.push(Remark::new(RemarkKind::Note, message));
    }
    if rest > 0 {
        let message = format!(
            "the log ends after {rest} of the 12 bytes of entry {}; they are left out",
            entries.len()
        );
        log.remarks.push(Remark::new(RemarkKind::Truncated, message));
    }
    if entries.len() == BUFFER_ENTRIES {
        let message = "the log has 800 entries, as many as a node's buffer holds: what came \
                       later may be missing";
        log.remarks.push(Remark::new(RemarkKind::Truncated, message));
    }
    log.components.iter_mut().for_each(Component::choose_baseline);
    log.remarks = summarise_remarks(log.remarks);
    Ok(log)
}

struct QuantoReader<'a> {
    names: &'a NodeNames,
    labels: &'a mut Labels,
    log: NodeLog,
    time: WrappingCounter,
    /// What the clock showed at the first entry.
    first_time: Option<u32>,
    energy: WrappingCounter,
    /// The component of each number, once it was seen.
    components: [Option<usize>; 256],
}

impl<'a> QuantoReader<'a> {
    fn new(names: &'a NodeNames, labels: &'a mut Labels) -> Self {
        let mut reader = Self {
            names,
            labels,
            log: NodeLog::new(&names.node.to_string()),
            time: WrappingCounter::default(),
            first_time: None,
            energy: WrappingCounter::default(),
            components: [None; 256],
        };
        for component in &names.components {
            reader.component_of_id(component.id);
        }
        reader
    }

    fn entry(&mut self, index: usize, entry: &LogEntry) {
        // Time and energy of an entry that is damaged are no reading.
        let Some(kind) = EntryKind::from_number(entry.kind) else {
            let message =
                format!("entry {index} has the unknown type {:#04x}; it is left out", entry.kind);
            self.add_remark(Remark::new(RemarkKind::Unreadable, message));
            return;
        };
        let at_ns = self.take_reading(entry);
        match kind {
            EntryKind::Count | EntryKind::Flush => {}
            EntryKind::PowerState => self.change_power_state(at_ns, entry),
            EntryKind::Idle => self.change_activity(at_ns, entry, ComponentEvent::Clear),
            kind => {
                let label = self.label_of_code(LabelCode(entry.value));
                let event = match kind {
                    EntryKind::Bind => ComponentEvent::Bind(label),
                    EntryKind::Add => ComponentEvent::Add(label),
                    EntryKind::Remove => ComponentEvent::Remove(label),
                    _ => ComponentEvent::Set(label),
                };
                self.change_activity(at_ns, entry, event);
            }
        }
    }

    /// Takes an entry's time and energy as a reading of the meter; returns its time in nanoseconds.
    fn take_reading(&mut self, entry: &LogEntry) -> i64 {
        let (time, energy) =
            (self.time.take_reading(entry.time), self.energy.take_reading(entry.energy));
        let first = *self.first_time.get_or_insert(entry.time);
        let ticks = u64::from(first) + self.time.total();
        let at_ns = seconds_to_nanoseconds(ticks as f64 * self.names.tick_s);
        if let CounterStep::Back(ticks) = time {
            let message = format!(
                "the clock went back by {:.6} s; what was spent between the two entries is left \
                 out",
                f64::from(ticks) * self.names.tick_s
            );
            self.add_remark(Remark::at(RemarkKind::ClockStep, at_ns, message));
        }
        if let CounterStep::Back(counts) = energy {
            let message = format!(
                "the meter went back by {}; what was spent between the two entries is left out",
                counted(counts, "count")
            );
            self.add_remark(Remark::at(RemarkKind::MeterStep, at_ns, message));
        }
        self.log.readings.push(LoggedReading {
            at_ns,
            energy_j: self.energy.total() as f64 * self.names.count_j,
            after_gap: matches!(time, CounterStep::Back(_))
                || matches!(energy, CounterStep::Back(_)),
        });
        self.log.written_ns.push(at_ns);
        at_ns
    }

    fn change_power_state(&mut self, at_ns: i64, entry: &LogEntry) {
        let component = self.component_of_id(entry.component);
        let known = self.names.component(entry.component).and_then(|c| c.state(entry.value));
        let name = known.map_or(entry.value.to_string(), str::to_owned);
        let has_names =
            self.names.component(entry.component).is_some_and(|names| !names.states.is_empty());
        let is_new = !self.log.components[component].states.contains(&name);
        if known.is_none() && has_names && is_new {
            let of = self.log.components[component].name.clone();
            let message = format!("{of} has no state {name} in the names; it is called {name}");
            self.add_remark(Remark::at(RemarkKind::UnknownState, at_ns, message));
        }
        self.log.set_state(at_ns, component, &name);
    }

    fn change_activity(&mut self, at_ns: i64, entry: &LogEntry, event: ComponentEvent) {
        let component = self.component_of_id(entry.component);
        self.log.changes.push(StateChange { at_ns, component, event });
        let follows = self.names.component(entry.component).is_some_and(|c| c.follows_activity);
        if let (true, ComponentEvent::Set(label) | ComponentEvent::Bind(label)) = (follows, event) {
            let value = u16::from(!self.labels.is_idle(label));
            self.change_power_state(at_ns, &LogEntry { value, ..*entry });
        }
    }

    fn label_of_code(&mut self, code: LabelCode) -> Label {
        let (origin, name) = (code.origin().to_string(), self.names.activity(code.id()));
        self.labels.intern(&origin, &name)
    }

    /// Returns the index of the component with an id; adds it with its states and initial state if
    /// it is new.
    fn component_of_id(&mut self, id: u8) -> usize {
        if let Some(known) = self.components[usize::from(id)] {
            return known;
        }
        let names = self.names.component(id);
        let name = names.map_or_else(|| format!("component {id}"), |names| names.name.clone());
        if names.is_none() && !self.names.components.is_empty() {
            let message = format!("the names have no component {id}; it is called {name}");
            self.add_remark(Remark::new(RemarkKind::UnknownComponent, message));
        }
        let at = self.log.component_number(&name);
        let component = &mut self.log.components[at];
        let initial = names.map_or(0, |names| names.initial);
        let state = names.and_then(|names| names.state(initial)).map(str::to_owned);
        component.initial =
            Some(component.state_number(&state.unwrap_or_else(|| initial.to_string())));
        component.is_processor = names.is_some_and(|names| names.processor);
        self.components[usize::from(id)] = Some(at);
        at
    }

    fn add_remark(&mut self, remark: Remark) {
        self.log.remarks.push(remark);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry(kind: EntryKind, component: u8, time: u32, energy: u32, value: u16) -> LogEntry {
        LogEntry { kind: kind.number(), component, time, energy, value }
    }

    fn read(entries: &[LogEntry], names: &NodeNames) -> (NodeLog, Labels) {
        let bytes: Vec<u8> = entries.iter().flat_map(|entry| entry.encode()).collect();
        let mut labels = Labels::default();
        (read_quanto(&bytes, names, &mut labels).unwrap(), labels)
    }

    #[test]
    fn both_counters_wrap() {
        let entries = [
            entry(EntryKind::PowerState, 1, u32::MAX - 999_999, u32::MAX - 1, 1),
            entry(EntryKind::PowerState, 1, 1_000_000, 8, 0),
        ];
        let (log, _) = read(&entries, &NodeNames::default());
        let last = log.readings[1];
        assert_eq!(last.at_ns - log.readings[0].at_ns, 2_000_000_000);
        assert!((last.energy_j - 10.0 * 8.33e-6).abs() < 1e-15);
        assert!(log.remarks.is_empty(), "{:?}", log.remarks);
    }

    #[test]
    fn what_is_wrong_is_said_and_the_rest_is_used() {
        let mut bytes: Vec<u8> = [
            entry(EntryKind::PowerState, 1, 500, 0, 1),
            LogEntry { kind: 0x77, component: 1, time: 600, energy: 1, value: 0 },
            entry(EntryKind::PowerState, 9, 400, 2, 1),
            entry(EntryKind::PowerState, 1, 900, 1, 5),
        ]
        .iter()
        .flat_map(|entry| entry.encode())
        .collect();
        bytes.push(0);
        let names = NodeNames::parse(
            "[[component]]\nid = 1\nname = \"LED\"\nstates = { 0 = \"off\", 1 = \"on\" }",
        );
        let log = read_quanto(&bytes, &names.unwrap(), &mut Labels::default()).unwrap();
        let kinds: Vec<RemarkKind> = log.remarks.iter().map(|remark| remark.kind).collect();
        use RemarkKind::{
            ClockStep, MeterStep, Truncated, UnknownComponent, UnknownState, Unreadable,
        };
        assert_eq!(
            kinds,
            [Unreadable, ClockStep, UnknownComponent, MeterStep, UnknownState, Truncated]
        );
        let gaps: Vec<bool> = log.readings.iter().map(|reading| reading.after_gap).collect();
        assert_eq!(gaps, [false, true, true]);
        assert_eq!(log.changes.len(), 3);
    }

    #[test]
    fn states_may_follow_activities() {
        let names = NodeNames::parse(
            "[[component]]\nid = 0\nname = \"CPU\"\nfollows_activity = true\n\
             [activities]\n0 = \"Idle\"\n1 = \"Red\"",
        )
        .unwrap();
        let entries = [
            entry(EntryKind::Set, 0, 0, 0, LabelCode::new(1, 1).0),
            entry(EntryKind::Set, 0, 9, 0, LabelCode::new(1, 0).0),
        ];
        let (log, labels) = read(&entries, &names);
        let states: Vec<_> = log
            .changes
            .iter()
            .filter_map(|change| match change.event {
                ComponentEvent::State(state) => Some(log.components[0].states[state].as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(states, ["1", "0"]);
        let ComponentEvent::Set(red) = log.changes[0].event else { panic!("{:?}", log.changes) };
        assert_eq!(labels.text(red), "1:Red");
    }

    #[test]
    fn bytes_that_are_something_else_are_no_log() {
        let other: Vec<u8> =
            (0..6_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        let found =
            |bytes: &[u8]| read_quanto(bytes, &NodeNames::default(), &mut Labels::default());
        assert!(matches!(found(&other), Err(QuantoError::Other { all: 500, .. })));
        assert_eq!(found(b"hello"), Err(QuantoError::Empty));
    }

    proptest! {
        #[test]
        fn any_bytes_make_a_log_in_order(
            bytes in proptest::collection::vec(prop_oneof![any::<u8>(), Just(0x30), Just(0x01)], 0..400),
        ) {
            let log = read_quanto(&bytes, &NodeNames::default(), &mut Labels::default());
            let Ok(log) = log else { return Ok(()) };
            prop_assert!(log.readings.len() * 2 >= bytes.len() / 12);
            prop_assert!(log.readings.is_sorted_by(|a, b| a.at_ns <= b.at_ns));
            prop_assert!(log.readings.is_sorted_by(|a, b| a.energy_j <= b.energy_j));
        }
    }
}
