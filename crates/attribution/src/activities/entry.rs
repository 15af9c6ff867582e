//! Quanto's log entries of 12 bytes, little-endian, and the buffer of 800 that a node keeps
//! (Fonseca et al., OSDI 2008, figure 17; the numbers of the types are those of its TinyOS
//! code).

/// Bytes of an entry: type u8, component u8, time u32, energy u32, value u16.
pub const ENTRY_BYTES: usize = 12;

/// Entries that a node's buffer holds.
pub const BUFFER_ENTRIES: usize = 800;

/// Kind of event that a log entry records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A component of one activity at a time was given this one.
    Set,
    /// The same on entering an interrupt's routine.
    EnterInterrupt,
    /// The same on leaving it.
    ExitInterrupt,
    /// The same, and the label before was a proxy for this one.
    Bind,
    /// A component of several activities was given one more.
    Add,
    /// It no longer works for this one.
    Remove,
    /// It works for none.
    Idle,
    /// A counter's value, which no account needs.
    Count,
    /// The component's power state.
    PowerState,
    /// The buffer was emptied.
    Flush,
}

/// Kinds of entries with their numbers in the log.
const NUMBERED_KINDS: [(EntryKind, u8); 10] = [
    (EntryKind::Set, 0x01),
    (EntryKind::EnterInterrupt, 0x02),
    (EntryKind::ExitInterrupt, 0x03),
    (EntryKind::Bind, 0x04),
    (EntryKind::Add, 0x11),
    (EntryKind::Remove, 0x12),
    (EntryKind::Idle, 0x13),
    (EntryKind::Count, 0x20),
    (EntryKind::PowerState, 0x30),
    (EntryKind::Flush, 0x40),
];

impl EntryKind {
    /// Returns the number of the kind in the log.
    #[must_use]
    pub fn number(self) -> u8 {
        NUMBERED_KINDS.iter().find(|(kind, _)| *kind == self).map_or(0, |(_, number)| *number)
    }

    /// Returns the kind with a number; `None` if no kind has it.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Self> {
        NUMBERED_KINDS.iter().find(|(_, known)| *known == number).map(|(kind, _)| *kind)
    }
}

/// Log entry with the five fields of its 12 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogEntry {
    /// Its type; see [`EntryKind::from_number`].
    pub kind: u8,
    /// Number of the component.
    pub component: u8,
    /// Local time in ticks; wraps.
    pub time: u32,
    /// Counts of the energy meter; wraps.
    pub energy: u32,
    /// An activity's code or a power state.
    pub value: u16,
}

impl LogEntry {
    /// Returns the entry's bytes.
    #[must_use]
    pub fn encode(self) -> [u8; ENTRY_BYTES] {
        let mut bytes = [0; ENTRY_BYTES];
        bytes[0] = self.kind;
        bytes[1] = self.component;
        bytes[2..6].copy_from_slice(&self.time.to_le_bytes());
        bytes[6..10].copy_from_slice(&self.energy.to_le_bytes());
        bytes[10..].copy_from_slice(&self.value.to_le_bytes());
        bytes
    }

    /// Decodes an entry from its bytes.
    #[must_use]
    pub fn decode(bytes: &[u8; ENTRY_BYTES]) -> Self {
        let word = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        Self {
            kind: bytes[0],
            component: bytes[1],
            time: word(2),
            energy: word(6),
            value: u16::from_le_bytes([bytes[10], bytes[11]]),
        }
    }
}

/// Decodes the entries of a log; returns also the number of bytes after the last whole entry.
#[must_use]
pub(crate) fn decode_entries(bytes: &[u8]) -> (Vec<LogEntry>, usize) {
    let (entries, rest) = bytes.as_chunks::<ENTRY_BYTES>();
    (entries.iter().map(LogEntry::decode).collect(), rest.len())
}

/// Buffer of a node's log entries; entries that do not fit are lost and counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntryBuffer {
    entries: Vec<LogEntry>,
    lost: usize,
}

impl EntryBuffer {
    /// Adds an entry if there is room, else counts it as lost.
    pub fn push(&mut self, entry: LogEntry) {
        if self.entries.len() < BUFFER_ENTRIES {
            self.entries.push(entry);
        } else {
            self.lost += 1;
        }
    }

    /// Returns the entries in the buffer.
    #[must_use]
    pub fn entries(&self) -> &[LogEntry] {
        &self.entries
    }

    /// Returns the number of entries that did not fit.
    #[must_use]
    pub fn lost_entries(&self) -> usize {
        self.lost
    }

    /// Empties the buffer; returns the bytes of its entries.
    pub fn take_bytes(&mut self) -> Vec<u8> {
        self.lost = 0;
        self.entries.drain(..).flat_map(LogEntry::encode).collect()
    }
}

/// Total of a 32-bit counter that wraps, followed over its readings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct WrappingCounter {
    last: Option<u32>,
    total: u64,
}

/// Step of a counter between two readings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CounterStep {
    /// To this many counts since the first reading.
    To(u64),
    /// Back by so many: no wrap, as that would be more than half of its range. It counts on
    /// from what it was.
    Back(u32),
}

impl WrappingCounter {
    /// Takes the next reading and returns the step to it.
    pub fn take_reading(&mut self, reading: u32) -> CounterStep {
        let last = self.last.replace(reading).unwrap_or(reading);
        let forward = reading.wrapping_sub(last);
        if forward > u32::MAX / 2 {
            return CounterStep::Back(last.wrapping_sub(reading));
        }
        self.total += u64::from(forward);
        CounterStep::To(self.total)
    }

    /// Returns the counts since the first reading.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_entry_is_twelve_bytes_little_endian() {
        let entry = LogEntry {
            kind: 0x30,
            component: 2,
            time: 0x0102_0304,
            energy: 0x0a0b_0c0d,
            value: 0xf1,
        };
        let bytes = entry.encode();
        assert_eq!(bytes, [0x30, 2, 4, 3, 2, 1, 0x0d, 0x0c, 0x0b, 0x0a, 0xf1, 0]);
    }

    #[test]
    fn the_buffer_holds_800_and_counts_the_rest() {
        let mut buffer = EntryBuffer::default();
        let entry = LogEntry { kind: 1, component: 0, time: 0, energy: 0, value: 0 };
        (0..803).for_each(|_| buffer.push(entry));
        assert_eq!((buffer.entries().len(), buffer.lost_entries()), (BUFFER_ENTRIES, 3));
        assert_eq!(buffer.take_bytes().len(), 9600);
        assert_eq!((buffer.entries().len(), buffer.lost_entries()), (0, 0));
    }

    #[test]
    fn both_directions_of_a_wrap_are_told_from_steps_back() {
        let mut counter = WrappingCounter::default();
        assert_eq!(counter.take_reading(u32::MAX - 1), CounterStep::To(0));
        assert_eq!(counter.take_reading(3), CounterStep::To(5));
        assert_eq!(counter.take_reading(1), CounterStep::Back(2));
        assert_eq!(counter.take_reading(2), CounterStep::To(6));
    }

    #[test]
    fn numbers_of_kinds_are_distinct_and_found_again() {
        for (kind, number) in NUMBERED_KINDS {
            assert_eq!((EntryKind::from_number(number), kind.number()), (Some(kind), number));
        }
        assert_eq!(EntryKind::from_number(0xff), None);
    }

    proptest! {
        #[test]
        fn entries_round_trip(fields in any::<(u8, u8, u32, u32, u16)>(), rest in 0..12usize) {
            let (kind, component, time, energy, value) = fields;
            let entry = LogEntry { kind, component, time, energy, value };
            let mut bytes = entry.encode().to_vec();
            bytes.extend(vec![0; rest]);
            prop_assert_eq!(decode_entries(&bytes), (vec![entry], rest));
        }

        #[test]
        fn counters_add_up_over_any_number_of_wraps(
            start in any::<u32>(),
            steps in proptest::collection::vec(0..u32::MAX / 2, 0..40),
        ) {
            let mut counter = WrappingCounter::default();
            let (mut reading, mut sum) = (start, 0);
            counter.take_reading(reading);
            for step in steps {
                reading = reading.wrapping_add(step);
                sum += u64::from(step);
                prop_assert_eq!(counter.take_reading(reading), CounterStep::To(sum));
            }
        }
    }
}
