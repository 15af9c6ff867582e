//! The events of traces of one machine in the order of their times, each once: what two
//! traces recorded at the same time stands in both.

use std::collections::HashMap;
use std::io;

use crate::perfetto::{Losses, TraceEvent, TraceEventKind, TraceReader};

use super::reorder::ReorderBuffer;

/// Number of events of each trace that are held back to sort them, since those of several CPUs come
/// in bundles.
const HELD_BACK: usize = 1 << 18;

/// Reader of the wanted events of several traces in the order of their times; events without a time
/// are left out.
pub struct OrderedEvents {
    traces: Vec<OrderedTrace>,
    is_wanted: fn(&TraceEvent) -> bool,
    /// The last switch of each CPU: when, to which thread.
    switches: HashMap<u32, (u64, i32)>,
}

struct OrderedTrace {
    reader: TraceReader,
    held: ReorderBuffer<TraceEvent>,
    next: Option<TraceEvent>,
}

impl OrderedEvents {
    /// Starts to read the events for which `is_wanted` is true.
    #[must_use]
    pub fn new(readers: Vec<TraceReader>, is_wanted: fn(&TraceEvent) -> bool) -> Self {
        let trace =
            |reader| OrderedTrace { reader, held: ReorderBuffer::new(HELD_BACK), next: None };
        let traces = readers.into_iter().map(trace).collect();
        Self { traces, is_wanted, switches: HashMap::new() }
    }

    /// Returns the losses of each trace; complete after the last event.
    pub fn losses(&self) -> impl Iterator<Item = &Losses> {
        self.traces.iter().map(|trace| trace.reader.losses())
    }

    fn earliest(&mut self) -> io::Result<Option<TraceEvent>> {
        for trace in &mut self.traces {
            trace.fill(self.is_wanted)?;
        }
        let at = |trace: &OrderedTrace| trace.next.as_ref().map(|event| event.at_ns);
        let waiting = self.traces.iter_mut().filter(|trace| trace.next.is_some());
        Ok(waiting.min_by_key(|trace| at(trace)).and_then(|trace| trace.next.take()))
    }

    /// Whether another trace has given the same switch.
    fn is_again(&mut self, event: &TraceEvent) -> bool {
        let (TraceEventKind::Switch { cpu, next_tid, .. }, Some(at_ns)) =
            (&event.what, event.at_ns)
        else {
            return false;
        };
        self.traces.len() > 1
            && self.switches.insert(*cpu, (at_ns, *next_tid)) == Some((at_ns, *next_tid))
    }
}

impl OrderedTrace {
    fn fill(&mut self, is_wanted: fn(&TraceEvent) -> bool) -> io::Result<()> {
        while self.next.is_none() {
            match self.reader.next().transpose()? {
                Some(event) if is_wanted(&event) => {
                    self.next = self.held.push(event.at_ns.unwrap_or(0), event);
                }
                Some(_) => {}
                None => {
                    self.next = self.held.pop();
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

impl Iterator for OrderedEvents {
    type Item = io::Result<TraceEvent>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.earliest().transpose()? {
                Ok(event) if self.is_again(&event) => {}
                result => return Some(result),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::perfetto::encode::{TraceEncoder, thread_switch};
    use crate::tenants::AndroidRecords;

    fn reader(trace: &TraceEncoder, source: u32) -> TraceReader {
        TraceReader::of_machine(Cursor::new(trace.0.clone()), 0, source).unwrap()
    }

    #[test]
    fn traces_of_one_machine_are_one_and_count_once() {
        let (mut one, mut two) = (TraceEncoder::default(), TraceEncoder::default());
        one.bundle(1, vec![thread_switch(30, (0, "idle"), (8, "b"))]);
        one.bundle(
            0,
            vec![
                thread_switch(10, (0, "idle"), (7, "a")),
                thread_switch(40, (7, "a"), (0, "idle")),
            ],
        );
        two.bundle(
            0,
            vec![
                thread_switch(40, (7, "a"), (0, "idle")),
                thread_switch(50, (0, "idle"), (7, "a")),
            ],
        );
        let readers = vec![reader(&two, 0), reader(&one, 1)];
        let events = OrderedEvents::new(readers, AndroidRecords::is_wanted);
        let times: Vec<u64> = events.map(|event| event.unwrap().at_ns.unwrap()).collect();
        assert_eq!(times, [10, 30, 40, 50]);
    }
}
