//! Sections that no thread holds: `S`/`F` and `G`/`H` of the atrace API, slices on tracks of
//! a process. They overlap freely, and each is told by the process that wrote it.

use std::collections::BTreeMap;

use wattline_units::format::counted_as;

use super::super::label::Label;
use crate::perfetto::Track;

/// Open sections that belong to tracks or processes instead of threads.
#[derive(Debug, Default)]
pub(super) struct OpenSections {
    /// `G`: by process, track and cookie; a cookie may be used again before its end.
    on_tracks: BTreeMap<(i32, String, i64), Vec<Label>>,
    /// Processes of tracks, their own or that of a track above them.
    processes: BTreeMap<u64, i32>,
    parents: BTreeMap<u64, u64>,
    /// Open slices of tracks, the innermost last; none whose process is not known.
    slices: BTreeMap<u64, Vec<Option<Label>>>,
    /// Slices on tracks of no known process.
    pub nobodys: u64,
    /// Sections that began when no device but cores was known.
    pub homeless: u64,
    /// Lines of forms that are not known, by their letter.
    pub unknown_marks: BTreeMap<char, u64>,
}

impl OpenSections {
    /// Begins a section on a track of its own.
    pub fn begin(&mut self, pid: i32, track: &str, cookie: i64, label: Label) {
        self.on_tracks.entry((pid, track.to_owned(), cookie)).or_default().push(label);
    }

    /// Ends a section on a track of its own; returns its label, or `None` if it never began.
    pub fn end(&mut self, pid: i32, track: &str, cookie: i64) -> Option<Label> {
        self.on_tracks.get_mut(&(pid, track.to_owned(), cookie))?.pop()
    }

    /// Registers a track, if it is no thread's.
    pub fn register_track(&mut self, track: &Track) {
        self.processes.extend(track.pid.map(|pid| (track.uuid, pid)));
        self.parents.extend(track.parent.map(|parent| (track.uuid, parent)));
    }

    /// Returns the process id of a track or of the nearest of its parents that has one.
    pub fn process_of_track(&self, track: u64) -> Option<i32> {
        let mut at = track;
        // Tracks nest a few deep; a circle is damage.
        for _ in 0..32 {
            if let Some(pid) = self.processes.get(&at) {
                return Some(*pid);
            }
            at = *self.parents.get(&at)?;
        }
        None
    }

    /// Begins a slice of a track; `label` is `None` for a slice that is not an activity.
    pub(crate) fn begin_slice(&mut self, track: u64, label: Option<Label>) {
        self.nobodys += u64::from(label.is_none());
        self.slices.entry(track).or_default().push(label);
    }

    /// Ends the innermost slice of a track; returns its label, or `None` if it has none or never
    /// began.
    pub(crate) fn end_slice(&mut self, track: u64) -> Option<Label> {
        self.slices.get_mut(&track)?.pop()?
    }

    /// Returns a sentence for each kind of section that is in no account.
    pub fn unread_section_findings(&self) -> Vec<String> {
        let marks = self.unknown_marks.iter().map(|(letter, count)| {
            format!(
                "{count} of atrace lines of the form {letter}|, which could hold sections and \
                     are not read"
            )
        });
        let nobodys = (self.nobodys > 0).then(|| {
            let slices = counted_as(self.nobodys, "slice is on a track", "slices are on tracks");
            format!("{slices} of no process that the trace names, and in no account")
        });
        let homeless = (self.homeless > 0).then(|| {
            let (one, many) =
                ("section that no thread holds is", "sections that no thread holds are");
            format!(
                "{} in no account: devices that are no cores share them, and the trace had none \
                 when they began",
                counted_as(self.homeless, one, many)
            )
        });
        marks.chain(nobodys).chain(homeless).collect()
    }
}
