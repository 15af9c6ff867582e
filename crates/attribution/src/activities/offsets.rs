//! How far nodes' clocks are apart, from the messages between them. A message is received
//! after it was sent: each one from A to B says at most how much B's clock shows more, each
//! one back at least how much. Between the two lies the offset; its middle is right if
//! messages take as long there as back.

use std::collections::BTreeMap;

use super::label::Label;
use super::log::{ComponentEvent, NodeLog, nanoseconds_to_seconds};
use super::remark::{Remark, RemarkKind};
use wattline_units::format::{counted, counted_as};
use wattline_units::units::Seconds;

/// Words in the name of a state in which a radio sends.
const SENDING_WORDS: [&str; 3] = ["transmit", "send", "tx"];

/// Bounds, in nanoseconds, of the offset of a node's clock against another's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ClockOffset {
    /// At least so much; none without a message back.
    pub least_ns: Option<i64>,
    /// At most so much; none without a message there.
    pub most_ns: Option<i64>,
    /// Messages there and back.
    pub messages: (usize, usize),
}

/// Error of an offset that messages do not determine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum OffsetError {
    /// There are none.
    #[error("no message between the two is in their logs")]
    NoMessage,
    /// More than the last one is missing on one side.
    #[error(
        "{} sent and {received} received: which is which is not known",
        counted_as(sent, "message was", "messages were")
    )]
    Unpaired {
        /// Sent.
        sent: usize,
        /// Received.
        received: usize,
    },
    /// What they say can't be all true.
    #[error("a message would have been received before it was sent, whatever the offset")]
    Contradiction,
}

impl ClockOffset {
    /// Returns the middle of the bounds in nanoseconds, if both are known.
    #[must_use]
    pub(crate) fn middle_ns(&self) -> Option<i64> {
        let (least, most) = (self.least_ns?, self.most_ns?);
        Some(least + (most - least) / 2)
    }
}

/// Returns the offset of `other`'s clock against `reference`'s, from the messages between them.
///
/// # Errors
/// No messages, or such that can't be paired or contradict each other.
pub(crate) fn clock_offset(
    reference: &NodeLog,
    other: &NodeLog,
) -> Result<ClockOffset, OffsetError> {
    let there = shortest_delay(reference, other)?;
    let back = shortest_delay(other, reference)?;
    let offset = ClockOffset {
        least_ns: back.map(|(delay_ns, _)| -delay_ns),
        most_ns: there.map(|(delay_ns, _)| delay_ns),
        messages: (there.map_or(0, |(_, n)| n), back.map_or(0, |(_, n)| n)),
    };
    match (offset.least_ns, offset.most_ns) {
        (None, None) => Err(OffsetError::NoMessage),
        (Some(least), Some(most)) if least > most => Err(OffsetError::Contradiction),
        _ => Ok(offset),
    }
}

/// Whether a node's clock offset is known beside its messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockKnowledge {
    /// The offset was stated, and the log is shifted by it.
    Stated,
    /// The offset is unknown.
    Open,
}

/// Shifts logs of nodes to the clock of the first one, as far as messages determine the offsets,
/// and adds a remark about its offset to each of the others.
#[must_use]
pub fn align_clocks(logs: Vec<(NodeLog, ClockKnowledge)>) -> Vec<NodeLog> {
    let mut aligned: Vec<NodeLog> = Vec::new();
    for (mut log, clock) in logs {
        if let Some(reference) = aligned.first() {
            let offset = clock_offset(reference, &log);
            let message = clock_sentence(&offset, clock, &reference.node);
            if let (Ok(Some(middle_ns)), ClockKnowledge::Open) =
                (offset.map(|o| o.middle_ns()), clock)
            {
                log = log.shift(middle_ns.saturating_neg());
            }
            let message = message.map(|message| format!("node {}: {message}", log.node));
            log.remarks.extend(message.map(|message| Remark::new(RemarkKind::Note, message)));
        }
        aligned.push(log);
    }
    aligned
}

/// Returns a sentence about a clock's offset; `None` if the messages agree with the stated offset.
fn clock_sentence(
    offset: &Result<ClockOffset, OffsetError>,
    clock: ClockKnowledge,
    reference: &str,
) -> Option<String> {
    let time = |ns: i64| Seconds(nanoseconds_to_seconds(ns)).to_string();
    let offset = match (offset, clock) {
        (Err(OffsetError::NoMessage), ClockKnowledge::Stated) => return None,
        (Err(why), ClockKnowledge::Stated) => {
            return Some(format!("its clock is as stated; {why}"));
        }
        (Err(why), ClockKnowledge::Open) => {
            return Some(format!(
                "how its clock stands to node {reference}'s is not known ({why}); it is taken \
                 for the same. clock_offset_s in its names states it"
            ));
        }
        (Ok(offset), _) => offset,
    };
    let (there, back) = offset.messages;
    let bounds = match (offset.least_ns, offset.most_ns) {
        (Some(least), Some(most)) => format!("between {} and {}", time(least), time(most)),
        (Some(least), None) => format!("at least {}", time(least)),
        (None, Some(most)) => format!("at most {}", time(most)),
        (None, None) => "anything".into(),
    };
    let there = counted(there, "message");
    let bounds = format!("{bounds} more than node {reference}'s, by {there} there and {back} back");
    match (offset.middle_ns(), clock) {
        (_, ClockKnowledge::Stated) => {
            let fits = offset.least_ns.is_none_or(|least| least <= 0)
                && offset.most_ns.is_none_or(|most| most >= 0);
            (!fits).then(|| format!("with the offset that was stated, its clock shows {bounds}"))
        }
        (Some(middle), ClockKnowledge::Open) => Some(format!(
            "its clock shows {bounds}; it is set back by {}, the middle, which is right if \
             messages take as long there as back",
            time(middle)
        )),
        (None, ClockKnowledge::Open) => {
            Some(format!("its clock shows {bounds}, which is no offset: it is taken for the same"))
        }
    }
}

/// Returns the shortest time (ns) from sending to receiving, each by its own clock, and the number
/// of messages; `None` without messages.
fn shortest_delay(from: &NodeLog, to: &NodeLog) -> Result<Option<(i64, usize)>, OffsetError> {
    let (sent, received) = (sending_moments(from), reception_moments(to));
    let mut shortest: Option<(i64, usize)> = None;
    for (label, sent) in &sent {
        let received = received.get(label).map_or(&[][..], Vec::as_slice);
        if received.is_empty() {
            continue; // it was for another node
        }
        // one may be on its way when the logs end, or when they begin
        if sent.len().abs_diff(received.len()) > 1 {
            return Err(OffsetError::Unpaired { sent: sent.len(), received: received.len() });
        }
        for (sent, received) in sent.iter().zip(received) {
            let delay_ns = received.saturating_sub(*sent);
            let (least, count) = shortest.unwrap_or((delay_ns, 0));
            shortest = Some((least.min(delay_ns), count + 1));
        }
    }
    Ok(shortest)
}

/// Returns the times (ns) at which components went to a sending state, by the activity that they
/// worked for.
fn sending_moments(log: &NodeLog) -> BTreeMap<Label, Vec<i64>> {
    let mut works: Vec<Option<Label>> = vec![None; log.components.len()];
    let mut sent: BTreeMap<Label, Vec<i64>> = BTreeMap::new();
    for change in &log.changes {
        match change.event {
            ComponentEvent::Set(label) | ComponentEvent::Bind(label) => {
                works[change.component] = Some(label)
            }
            ComponentEvent::Clear | ComponentEvent::Lost => works[change.component] = None,
            ComponentEvent::State(state) if is_sending_state(log, change.component, state) => {
                if let Some(label) = works[change.component] {
                    sent.entry(label).or_default().push(change.at_ns);
                }
            }
            _ => {}
        }
    }
    sent
}

/// Returns the times (ns) at which a component that can send was bound to an activity, since a
/// message was decoded, by activity.
fn reception_moments(log: &NodeLog) -> BTreeMap<Label, Vec<i64>> {
    let mut received: BTreeMap<Label, Vec<i64>> = BTreeMap::new();
    for change in &log.changes {
        let states = 0..log.components[change.component].states.len();
        let label = match change.event {
            ComponentEvent::Bind(label) | ComponentEvent::Rebind(_, label) => label,
            _ => continue,
        };
        if states.into_iter().any(|state| is_sending_state(log, change.component, state)) {
            received.entry(label).or_default().push(change.at_ns);
        }
    }
    received
}

fn is_sending_state(log: &NodeLog, component: usize, state: usize) -> bool {
    let name = log.components[component].states[state].to_lowercase();
    SENDING_WORDS.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::super::log::StateChange;
    use super::super::{Labels, NodeNames, read_quanto, simulated};
    use super::*;

    /// A node that sends at some moments and receives at others, all for one activity.
    fn node(sends: &[i64], receives: &[i64]) -> NodeLog {
        let mut labels = Labels::default();
        let (own, packet) = (labels.intern("1", "rx"), labels.intern("1", "packet"));
        let mut log = NodeLog::new("n");
        let radio = log.component_number("Radio");
        log.set_state(0, radio, "listen");
        log.components[radio].state_number("transmit");
        for at_ns in sends {
            let event = ComponentEvent::Set(packet);
            log.changes.push(StateChange { at_ns: *at_ns, component: radio, event });
            log.set_state(*at_ns, radio, "transmit");
            log.set_state(*at_ns + 1, radio, "listen");
        }
        for at_ns in receives {
            let event = ComponentEvent::Set(own);
            log.changes.push(StateChange { at_ns: *at_ns - 1, component: radio, event });
            let event = ComponentEvent::Bind(packet);
            log.changes.push(StateChange { at_ns: *at_ns, component: radio, event });
        }
        log.sort();
        log
    }

    #[test]
    fn messages_both_ways_bound_the_offset() {
        // the other clock shows 1000 more; 30 there at least, 50 back
        let (one, other) = (node(&[100, 300], &[250, 460]), node(&[1200, 1400], &[1130, 1340]));
        let offset = clock_offset(&one, &other).unwrap();
        assert_eq!((offset.least_ns, offset.most_ns), (Some(950), Some(1030)));
        assert_eq!((offset.middle_ns(), offset.messages), (Some(990), (2, 2)));
    }

    #[test]
    fn one_way_gives_one_bound_and_silence_none() {
        let offset = clock_offset(&node(&[100], &[]), &node(&[], &[1130])).unwrap();
        assert_eq!((offset.least_ns, offset.most_ns, offset.middle_ns()), (None, Some(1030), None));
        assert_eq!(clock_offset(&node(&[1], &[]), &node(&[], &[])), Err(OffsetError::NoMessage));
    }

    #[test]
    fn what_can_not_be_is_said() {
        let lost = clock_offset(&node(&[1, 2, 3], &[]), &node(&[], &[5]));
        assert_eq!(lost, Err(OffsetError::Unpaired { sent: 3, received: 1 }));
        let odd = clock_offset(&node(&[100], &[50]), &node(&[100], &[50]));
        assert_eq!(odd, Err(OffsetError::Contradiction));
    }

    /// Node 4 was switched on 350 ms later; a message takes some milliseconds to be decoded.
    #[test]
    fn bounce_tells_its_offset() {
        let mut run = simulated::run_bounce(6.0, 0.35);
        let mut labels = Labels::default();
        let mut log = |at: usize| {
            let names = NodeNames::parse(&run.names[at]).unwrap();
            read_quanto(&run.nodes[at].buffer.take_bytes(), &names, &mut labels).unwrap()
        };
        let (one, four) = (log(0), log(1));
        let offset = clock_offset(&one, &four).unwrap();
        let (least, most) = (offset.least_ns.unwrap(), offset.most_ns.unwrap());
        assert!((least..=most).contains(&350_000_000), "{offset:?}");
        assert!(most - least < 10_000_000, "{offset:?}");
        assert!((offset.middle_ns().unwrap() - 350_000_000).abs() < 200_000, "{offset:?}");
        assert!(offset.messages.0 >= 4 && offset.messages.1 >= 4);
        let logs = align_clocks(vec![
            (one.clone(), ClockKnowledge::Stated),
            (four.clone(), ClockKnowledge::Open),
        ]);
        let left = clock_offset(&logs[0], &logs[1]).unwrap().middle_ns().unwrap();
        assert!(left.abs() < 2, "{left} ns are left");
        let said = &logs[1].remarks.last().unwrap().message;
        assert!(said.starts_with("node 4: its clock shows between 34"), "{said}");
        // stated wrongly, and stated with nobody to ask
        let logs = align_clocks(vec![
            (one.clone(), ClockKnowledge::Stated),
            (four, ClockKnowledge::Stated),
        ]);
        assert!(logs[1].remarks.last().unwrap().message.contains("with the offset that was"));
        let deaf = NodeLog::new("9");
        let logs = align_clocks(vec![(one, ClockKnowledge::Stated), (deaf, ClockKnowledge::Open)]);
        assert!(logs[1].remarks[0].message.contains("not known (no message"));
    }
}
