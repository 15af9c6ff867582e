//! Logs of one device that come in several files -> one log; and a component's frequency,
//! where it is logged apart, as part of its state.

use wattline_units::format::counted_as;

use super::log::{Component, ComponentEvent, NodeLog, StateChange};
use super::remark::{Remark, RemarkKind};

/// Suffix of the component `X frequency`, whose states are the frequencies of `X` while it is
/// active.
const FREQUENCY_SUFFIX: &str = " frequency";

/// Merges logs of one device and one clock; components of one name become one.
#[must_use]
pub fn merge_logs(node: &str, logs: Vec<NodeLog>) -> NodeLog {
    let mut all = NodeLog::new(node);
    for mut log in logs {
        let mut numbers = Vec::new();
        for component in &log.components {
            let at = all.component_number(&component.name);
            all.components[at].initial = all.components[at].initial.or_else(|| {
                component
                    .initial
                    .map(|state| all.components[at].state_number(&component.states[state]))
            });
            all.components[at].is_processor |= component.is_processor;
            numbers.push(at);
        }
        for change in &log.changes {
            let (from, component) = (&log.components[change.component], numbers[change.component]);
            let event = match change.event {
                ComponentEvent::State(state) => ComponentEvent::State(
                    all.components[component].state_number(&from.states[state]),
                ),
                other => other,
            };
            all.changes.push(StateChange { component, event, ..*change });
        }
        if all.readings.is_empty() {
            all.readings = std::mem::take(&mut log.readings);
        } else if !log.readings.is_empty() {
            let left_out = counted_as(
                log.readings.len(),
                "reading is of a second meter and is left out",
                "readings are of a second meter and are left out",
            );
            let message = format!("{left_out}: the first log with readings is the meter");
            all.remarks.push(Remark::new(RemarkKind::NotRead, message));
        }
        all.supply_v = all.supply_v.or(log.supply_v);
        all.written_ns.append(&mut log.written_ns);
        all.remarks.append(&mut log.remarks);
    }
    all.sort();
    all.components.iter_mut().for_each(Component::choose_baseline);
    all
}

/// Names the states of components with a component of their frequency by it (`active 1100000 kHz`),
/// except the quiet state, and removes the components of frequencies.
#[must_use]
pub fn merge_frequencies_into_states(log: NodeLog) -> NodeLog {
    let names: Vec<String> = log.components.iter().map(|c| c.name.clone()).collect();
    let of = |name: &String| {
        let base = name.strip_suffix(FREQUENCY_SUFFIX)?;
        names.iter().position(|other| other == base)
    };
    let targets: Vec<Option<usize>> = names.iter().map(of).collect();
    if targets.iter().all(Option::is_none) {
        return log;
    }
    let mut combined = NodeLog { components: Vec::new(), changes: Vec::new(), ..log.clone() };
    let mut numbers = vec![None; names.len()];
    for (at, component) in log.components.iter().enumerate() {
        if targets[at].is_none() {
            numbers[at] = Some(combined.component_number(&component.name));
            let new = combined.components.last_mut().expect("it was just added");
            (new.class, new.is_processor) = (component.class.clone(), component.is_processor);
        }
    }
    let mut states: Vec<Option<usize>> = log.components.iter().map(|c| c.initial).collect();
    for (at, number) in numbers.iter().enumerate() {
        let name = number.and_then(|_| state_name(&log, &targets, &states, at));
        if let (Some(number), Some(name)) = (number, name) {
            let initial = combined.components[*number].state_number(&name);
            combined.components[*number].initial = Some(initial);
        }
    }
    for change in &log.changes {
        let base = targets[change.component].unwrap_or(change.component);
        let number = numbers[base].expect("frequencies have no frequencies");
        match change.event {
            ComponentEvent::State(state) => states[change.component] = Some(state),
            ComponentEvent::Lost | ComponentEvent::Unknown => states[change.component] = None,
            _ => {}
        }
        let event = match (change.event, state_name(&log, &targets, &states, base)) {
            (ComponentEvent::State(_), Some(name)) => {
                ComponentEvent::State(combined.components[number].state_number(&name))
            }
            (ComponentEvent::State(_), None) => ComponentEvent::Unknown,
            (other, _) => other,
        };
        combined.changes.push(StateChange { component: number, event, ..*change });
    }
    combined.components.iter_mut().for_each(Component::choose_baseline);
    combined
}

/// Returns the name of a component's state with its frequency; `None` while either is unknown.
fn state_name(
    log: &NodeLog,
    targets: &[Option<usize>],
    states: &[Option<usize>],
    at: usize,
) -> Option<String> {
    let component = &log.components[at];
    let state = states[at]?;
    let name = &component.states[state];
    let frequency = targets.iter().position(|target| *target == Some(at));
    match frequency {
        Some(other) if state != component.baseline || component.states.len() == 1 => {
            let khz = &log.components[other].states[states[other]?];
            Some(format!("{name} {khz}"))
        }
        _ => Some(name.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_active_state_of_unknown_frequency_is_not_known() {
        let mut log = NodeLog::new("1");
        let (cpu, frequency) = (log.component_number("cpu"), log.component_number("cpu frequency"));
        log.set_state(0, cpu, "idle");
        log.set_state(10, cpu, "active");
        log.set_state(20, frequency, "1 kHz");
        let log = merge_frequencies_into_states(log);
        let events: Vec<ComponentEvent> = log.changes.iter().map(|change| change.event).collect();
        assert_eq!(
            events,
            [ComponentEvent::State(0), ComponentEvent::Unknown, ComponentEvent::State(1)]
        );
    }

    #[test]
    fn frequencies_belong_to_active_states() {
        let mut sections = NodeLog::new("1");
        let cpu = sections.component_number("cpu");
        sections.set_state(0, cpu, "idle");
        sections.set_state(20, cpu, "active");
        sections.set_state(40, cpu, "idle");
        let mut states = NodeLog::new("1");
        let frequency = states.component_number("cpu frequency");
        states.set_state(0, frequency, "1 kHz");
        states.set_state(30, frequency, "2 kHz");
        let log = merge_frequencies_into_states(merge_logs("1", vec![sections, states]));
        let found: Vec<_> = log
            .changes
            .iter()
            .map(|change| match change.event {
                ComponentEvent::State(state) => {
                    (change.at_ns, log.components[0].states[state].as_str())
                }
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(log.components.len(), 1);
        assert_eq!(
            found,
            [(0, "idle"), (0, "idle"), (20, "active 1 kHz"), (30, "active 2 kHz"), (40, "idle")]
        );
    }
}
