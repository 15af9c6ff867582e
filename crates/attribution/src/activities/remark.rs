//! What was noticed about a log: strange input is a remark, never an error; the rest of
//! the log is used, and nothing is invented.

use std::fmt;

use wattline_units::format::counted;

/// Kind of a [`Remark`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RemarkKind {
    /// The log ends within an entry, or entries are missing.
    Truncated,
    /// A line or an entry makes no sense.
    Unreadable,
    /// A kind of record that is not read and could hold what is asked for.
    NotRead,
    /// A component that the names don't know.
    UnknownComponent,
    /// A state that the names don't know.
    UnknownState,
    /// A component's state is not known for some time.
    StateNotKnown,
    /// A clock went back.
    ClockStep,
    /// A meter went back or stood still.
    MeterStep,
    /// Sections that don't nest.
    Overlap,
    /// An end that nothing began.
    EndWithoutBegin,
    /// A beginning that never ends.
    NeverEnded,
    /// A process died in the middle of a section.
    ProcessDied,
    /// Changes outside of the time that the meter saw.
    OutsideMeter,
    /// There is no meter.
    NoMeter,
    /// Powers that the intervals don't determine.
    NotTold,
    /// A power below zero.
    NegativePower,
    /// A proxy that was never bound, or bound to nothing.
    Unbound,
    /// Something about the results that a reader must know.
    Note,
}

impl fmt::Display for RemarkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Truncated => "truncated",
            Self::Unreadable => "unreadable",
            Self::NotRead => "not-read",
            Self::UnknownComponent => "unknown-component",
            Self::UnknownState => "unknown-state",
            Self::StateNotKnown => "state-not-known",
            Self::ClockStep => "clock-step",
            Self::MeterStep => "meter-step",
            Self::Overlap => "overlap",
            Self::EndWithoutBegin => "end-without-begin",
            Self::NeverEnded => "never-ended",
            Self::ProcessDied => "process-died",
            Self::OutsideMeter => "outside-meter",
            Self::NoMeter => "no-meter",
            Self::NotTold => "not-told-apart",
            Self::NegativePower => "negative-power",
            Self::Unbound => "unbound",
            Self::Note => "note",
        })
    }
}

/// Remark about a log: kind, time and a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The sort.
    pub kind: RemarkKind,
    /// When, in nanoseconds of the log's clock, where that makes sense.
    pub at_ns: Option<i64>,
    /// One sentence.
    pub message: String,
}

impl Remark {
    /// Creates a remark about the whole log.
    pub fn new(kind: RemarkKind, message: impl Into<String>) -> Self {
        Self { kind, at_ns: None, message: message.into() }
    }

    /// Creates a remark about a time of the log.
    pub fn at(kind: RemarkKind, at_ns: i64, message: impl Into<String>) -> Self {
        Self { kind, at_ns: Some(at_ns), message: message.into() }
    }
}

/// Largest number of remarks of one kind that are kept; the rest are counted.
const MOST_KEPT_OF_KIND: usize = 20;

/// Replaces the remarks of each kind beyond the first twenty by their number in one remark, so that
/// those of a broken log stay readable.
#[must_use]
pub(crate) fn summarise_remarks(remarks: Vec<Remark>) -> Vec<Remark> {
    let mut counts = std::collections::BTreeMap::new();
    let mut kept = Vec::new();
    for remark in remarks {
        let count = counts.entry(remark.kind).or_insert(0usize);
        *count += 1;
        if *count <= MOST_KEPT_OF_KIND {
            kept.push(remark);
        }
    }
    let more = counts.into_iter().filter(|(_, count)| *count > MOST_KEPT_OF_KIND);
    kept.extend(more.map(|(kind, count)| {
        Remark::new(
            kind,
            format!("{} of this kind", counted(count - MOST_KEPT_OF_KIND, "more remark")),
        )
    }));
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_remarks_of_a_kind_are_counted() {
        let mut remarks = vec![Remark::new(RemarkKind::Unreadable, "x"); 25];
        remarks.push(Remark::new(RemarkKind::Note, "y"));
        let kept = summarise_remarks(remarks);
        assert_eq!(kept.len(), 22);
        assert_eq!(kept[21].message, "5 more remarks of this kind");
    }
}
