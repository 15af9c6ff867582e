//! What a trace says, in the reader's own words: one event at a time.

/// Event of a trace: its kind and its time.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceEvent {
    /// Nanoseconds of the trace's clock (CLOCK_BOOTTIME on Android); `None` for facts that
    /// have no time of their own (names of processes, rails, tracks).
    pub at_ns: Option<u64>,
    /// What happened.
    pub what: TraceEventKind,
}

/// Kind of a [`TraceEvent`] with its data.
#[derive(Debug, Clone, PartialEq)]
pub enum TraceEventKind {
    /// A CPU goes from one thread to another. Thread 0 is the idle one.
    Switch {
        /// The CPU.
        cpu: u32,
        /// The thread that leaves; `None` where the trace does not tell (the first switch of
        /// a CPU in the compact form, or after lost events).
        prev_tid: Option<i32>,
        /// The thread that comes.
        next_tid: i32,
        /// The name of the one that comes.
        next_comm: String,
    },
    /// A CPU's frequency from now on.
    CpuFrequency {
        /// The CPU.
        cpu: u32,
        /// Kilohertz.
        khz: u32,
    },
    /// A CPU's idle state from now on; `None` when it leaves idleness.
    CpuIdle {
        /// The CPU.
        cpu: u32,
        /// Index of the C-state.
        state: Option<u32>,
    },
    /// A CPU was switched on or off.
    CpuHotplug {
        /// The CPU.
        cpu: u32,
        /// On, or off.
        is_online: bool,
    },
    /// A GPU's frequency from now on.
    GpuFrequency {
        /// The GPU.
        gpu: u32,
        /// In the driver's unit (kHz on most).
        state: u32,
    },
    /// A line written to `trace_marker`: a section of the atrace API.
    Mark {
        /// The thread that wrote it.
        tid: i32,
        /// What it says.
        mark: TraceMarker,
    },
    /// A thread sends a binder transaction: a call into another process, or its reply.
    Transaction {
        /// The thread.
        tid: i32,
        /// Number of the transaction, by which its reception is known.
        id: i32,
        /// Whether it replies to the call that the thread serves.
        is_reply: bool,
        /// Whether nobody waits for a reply.
        is_one_way: bool,
    },
    /// A thread receives a binder transaction: it serves the call, or has its reply.
    TransactionReceived {
        /// The thread.
        tid: i32,
        /// Number of the transaction.
        id: i32,
    },
    /// What a rail is called. Comes before its samples.
    Rail {
        /// Which rail.
        rail: RailKey,
        /// Its name.
        name: String,
        /// What it supplies, as the device names it; may be empty.
        subsystem: String,
    },
    /// A reading of a rail's meter.
    RailEnergy {
        /// Which rail.
        rail: RailKey,
        /// Microjoules since boot.
        energy_uj: u64,
    },
    /// A reading of the battery's counters; each absent where the device gives none.
    Battery {
        /// Which battery; empty on a device that has one.
        name: String,
        /// Charge left, in microampere-hours.
        charge_uah: Option<i64>,
        /// Energy left, in microwatt-hours.
        energy_uwh: Option<i64>,
        /// Current in microamperes; its sign differs from device to device.
        current_ua: Option<i64>,
        /// Voltage in microvolts.
        voltage_uv: Option<i64>,
    },
    /// A process of the device.
    Process {
        /// Its id.
        pid: i32,
        /// The first word of its command line; on Android the package or process name.
        name: String,
        /// Its user; on Android one per application. `None` in old traces.
        uid: Option<i32>,
    },
    /// A thread of a process, or its new name.
    Thread {
        /// Its id.
        tid: i32,
        /// Its process; `None` where only the name changed.
        pid: Option<i32>,
        /// Its name; may be empty.
        name: String,
    },
    /// An installed package.
    Package {
        /// Its name.
        name: String,
        /// Its user; several packages may share one.
        uid: u64,
    },
    /// What a track is. Comes before its events.
    Track(Track),
    /// A slice of a track begins.
    SliceBegin {
        /// The track.
        track: u64,
        /// The slice's name; `None` where the trace lost it.
        name: Option<String>,
    },
    /// The innermost open slice of a track ends.
    SliceEnd {
        /// The track.
        track: u64,
    },
    /// Something without duration.
    Instant {
        /// The track.
        track: u64,
        /// Its name; `None` where the trace lost it.
        name: Option<String>,
    },
    /// A value of a counter track.
    Counter {
        /// The track.
        track: u64,
        /// The value, in the track's unit.
        value: f64,
    },
    /// The kernel lost events of a CPU before this one.
    Lost {
        /// The CPU.
        cpu: u32,
    },
}

/// Key of a rail in a trace: indices are counted anew in every session of a data source, and
/// sessions have a number of their own, or else that of the packets' sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RailKey {
    /// The file, where several are read as one.
    pub source: u32,
    /// The session of the data source.
    pub session: RailSession,
    /// Number of the rail within the session.
    pub index: u32,
}

/// Session of a data source of rails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RailSession {
    /// As the data source numbers it.
    Uuid(u64),
    /// The sequence of its packets, where it has no number.
    Sequence(u32),
}

/// Track of slices or of a counter.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Track {
    /// Its id.
    pub uuid: u64,
    /// The track it belongs to.
    pub parent: Option<u64>,
    /// Its name; may be empty.
    pub name: String,
    /// The process it is of.
    pub pid: Option<i32>,
    /// The thread it is of.
    pub tid: Option<i64>,
    /// The unit of a counter track, where it is one.
    pub unit: Option<String>,
}

/// Line of `trace_marker` as `android.os.Trace` writes it.
#[derive(Debug, Clone, PartialEq)]
pub enum TraceMarker {
    /// `B|pid|name`: a section begins on the writing thread.
    Begin {
        /// Process that wrote it.
        pid: i32,
        /// Name of the section.
        name: String,
    },
    /// `E` or `E|pid`: the innermost section of the writing thread ends.
    End,
    /// `S|pid|name|cookie`: a section that may end on another thread begins.
    AsyncBegin {
        /// Process that wrote it.
        pid: i32,
        /// Name of the section.
        name: String,
        /// Tells apart sections of one name.
        cookie: i64,
    },
    /// `F|pid|name|cookie`: it ends.
    AsyncEnd {
        /// Process that wrote it.
        pid: i32,
        /// Name of the section.
        name: String,
        /// Tells apart sections of one name.
        cookie: i64,
    },
    /// `G|pid|track|name|cookie`: a section on a track of its own begins (Android 12 and
    /// later).
    TrackBegin {
        /// Process that wrote it.
        pid: i32,
        /// Name of the track.
        track: String,
        /// Name of the section.
        name: String,
        /// Tells apart sections of one track.
        cookie: i64,
    },
    /// `H|pid|track|cookie`, or with the name before the cookie: it ends.
    TrackEnd {
        /// Process that wrote it.
        pid: i32,
        /// Name of the track.
        track: String,
        /// Tells apart sections of one track.
        cookie: i64,
    },
    /// `I|pid|name` or `N|pid|track|name`: a moment.
    Instant,
    /// A form with a letter before `|` that is none of these.
    Unknown(char),
    /// `C|pid|name|value`: a counter.
    Counter {
        /// Process that wrote it.
        pid: i32,
        /// Name of the counter.
        name: String,
        /// Its value.
        value: i64,
    },
    /// Any other text.
    Text(String),
}

impl TraceMarker {
    /// Parses the text of a marker; a line of another form is [`TraceMarker::Text`].
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let text = text.trim_end_matches(['\n', '\0']);
        Self::parse_structured(text).unwrap_or_else(|| Self::Text(text.to_owned()))
    }

    fn parse_structured(text: &str) -> Option<Self> {
        let (kind, rest) = text.split_once('|').unwrap_or((text, ""));
        if kind == "E" {
            return Some(Self::End);
        }
        let mut letter = kind.chars();
        let (Some(kind), None) = (letter.next(), letter.next()) else { return None };
        let (pid, rest) = rest.split_once('|')?;
        let pid = pid.parse().ok()?;
        match kind {
            'B' => Some(Self::Begin { pid, name: rest.to_owned() }),
            'S' => name_and_number(rest).map(|(name, cookie)| Self::AsyncBegin {
                pid,
                name: name.to_owned(),
                cookie,
            }),
            'F' => name_and_number(rest).map(|(name, cookie)| Self::AsyncEnd {
                pid,
                name: name.to_owned(),
                cookie,
            }),
            'G' => {
                let (track, rest) = rest.split_once('|')?;
                let (name, cookie) = name_and_number(rest)?;
                let (track, name) = (track.to_owned(), name.to_owned());
                Some(Self::TrackBegin { pid, track, name, cookie })
            }
            'H' => {
                let (track, rest) = rest.split_once('|')?;
                let cookie = rest.rsplit('|').next()?.parse().ok()?;
                Some(Self::TrackEnd { pid, track: track.to_owned(), cookie })
            }
            'I' | 'N' => Some(Self::Instant),
            'C' => counter_name_and_value(rest).map(|(name, value)| Self::Counter {
                pid,
                name: name.to_owned(),
                value,
            }),
            kind => kind.is_ascii_uppercase().then_some(Self::Unknown(kind)),
        }
    }
}

/// Splits `name|number`, whose name may contain `|`.
fn name_and_number(text: &str) -> Option<(&str, i64)> {
    let (name, number) = text.rsplit_once('|')?;
    Some((name, number.parse().ok()?))
}

/// Splits `name|value`, also with Chromium's group after it: `name|value|Blob`.
fn counter_name_and_value(text: &str) -> Option<(&str, i64)> {
    name_and_number(text).or_else(|| name_and_number(text.rsplit_once('|')?.0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn markers_of_the_atrace_api() {
        let begin = TraceMarker::Begin { pid: 12, name: "draw|frame".into() };
        assert_eq!(TraceMarker::parse("B|12|draw|frame\n"), begin);
        assert_eq!(TraceMarker::parse("E|12\n"), TraceMarker::End);
        assert_eq!(TraceMarker::parse("E"), TraceMarker::End);
        let (pid, name) = (7, "load".to_owned());
        let begin = TraceMarker::AsyncBegin { pid, name: name.clone(), cookie: -3 };
        assert_eq!(TraceMarker::parse("S|7|load|-3"), begin);
        assert_eq!(
            TraceMarker::parse("F|7|load|-3"),
            TraceMarker::AsyncEnd { pid, name, cookie: -3 }
        );
        let named = |name: &str, value| TraceMarker::Counter { pid: 7, name: name.into(), value };
        assert_eq!(TraceMarker::parse("C|7|a|b|5"), named("a|b", 5));
        assert_eq!(TraceMarker::parse("S|7|load|x"), TraceMarker::Text("S|7|load|x".into()));
        assert_eq!(TraceMarker::parse("hello"), TraceMarker::Text("hello".into()));
        assert_eq!(TraceMarker::parse("C|7|bytes|5|Blob"), named("bytes", 5));
        assert_eq!(TraceMarker::parse("I|7|now"), TraceMarker::Instant);
        assert_eq!(TraceMarker::parse("N|7|track|now"), TraceMarker::Instant);
        assert_eq!(TraceMarker::parse("Q|7|what"), TraceMarker::Unknown('Q'));
        assert_eq!(TraceMarker::parse("a|7|what"), TraceMarker::Text("a|7|what".into()));
    }

    #[test]
    fn sections_on_tracks_of_their_own() {
        let (pid, track, cookie) = (7, "net".to_owned(), 3);
        let begin = |name: &str| TraceMarker::TrackBegin {
            pid,
            track: track.clone(),
            name: name.into(),
            cookie,
        };
        assert_eq!(TraceMarker::parse("G|7|net|get|3\n"), begin("get"));
        assert_eq!(TraceMarker::parse("G|7|net|get|a|3"), begin("get|a"));
        let end = TraceMarker::TrackEnd { pid, track: track.clone(), cookie };
        assert_eq!(TraceMarker::parse("H|7|net|3"), end);
        assert_eq!(TraceMarker::parse("H|7|net|get|3"), end);
        assert_eq!(TraceMarker::parse("H|7|net|x"), TraceMarker::Text("H|7|net|x".into()));
        assert_eq!(TraceMarker::parse("G|7|net"), TraceMarker::Text("G|7|net".into()));
    }

    proptest! {
        #[test]
        fn any_text_is_some_mark(text in ".*") {
            let _ = TraceMarker::parse(&text);
        }
    }
}
