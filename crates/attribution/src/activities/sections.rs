//! Sections of threads: begin, end, nesting. The innermost section of a thread is the
//! activity that it works for; ends without begin and sections that are never closed are
//! said.

use std::collections::BTreeMap;

use super::label::Label;
use super::log::nanoseconds_to_seconds;
use super::remark::{Remark, RemarkKind};

/// Key of a thread: process and thread number, as far as the log has them.
pub type Thread = (i64, i64);

/// Open sections of all threads.
#[derive(Debug, Clone, Default)]
pub struct Sections {
    open: BTreeMap<Thread, Vec<OpenSection>>,
    /// What was noticed.
    pub remarks: Vec<Remark>,
}

/// Section of a thread, or activity that the thread took over with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct OpenSection {
    label: Label,
    since_ns: i64,
    is_carried: bool,
}

/// Change of a thread's innermost section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SectionChange {
    /// The one before.
    pub from: Option<Label>,
    /// The one now.
    pub to: Option<Label>,
}

impl Sections {
    /// Returns the label of a thread's innermost section.
    #[must_use]
    pub fn innermost(&self, thread: Thread) -> Option<Label> {
        self.open.get(&thread)?.last().map(|open| open.label)
    }

    /// Whether any thread has a section open.
    #[must_use]
    pub(crate) fn has_open(&self) -> bool {
        self.open.values().any(|open| !open.is_empty())
    }

    /// Begins a section of a thread.
    pub fn begin(&mut self, at_ns: i64, thread: Thread, label: Label) -> SectionChange {
        let from = self.innermost(thread);
        let open = OpenSection { label, since_ns: at_ns, is_carried: false };
        self.open.entry(thread).or_default().push(open);
        SectionChange { from, to: Some(label) }
    }

    /// Makes a thread take over the activity of a call that it serves.
    pub fn take_over_call(&mut self, at_ns: i64, thread: Thread, label: Label) {
        let open = OpenSection { label, since_ns: at_ns, is_carried: true };
        self.open.entry(thread).or_default().push(open);
    }

    /// Returns the number of calls that a thread serves, each within the one before.
    #[must_use]
    pub fn served_calls(&self, thread: Thread) -> usize {
        let open = self.open.get(&thread).into_iter().flatten();
        open.filter(|open| open.is_carried).count()
    }

    /// Ends the innermost call that a thread serves, if it serves any.
    pub(crate) fn end_call(&mut self, thread: Thread) {
        if let Some(open) = self.open.get_mut(&thread)
            && let Some(at) = open.iter().rposition(|open| open.is_carried)
        {
            open.remove(at);
        }
    }

    /// Ends a thread's innermost section; `None`, with a remark, if there is none.
    pub fn end(&mut self, at_ns: i64, thread: Thread) -> Option<SectionChange> {
        let ended = self.open.get_mut(&thread).and_then(|open| {
            let own = open.iter().rposition(|open| !open.is_carried)?;
            Some(open.remove(own))
        });
        if ended.is_none() {
            let message = format!("thread {} ends a section that it did not begin", thread.1);
            self.remarks.push(Remark::at(RemarkKind::EndWithoutBegin, at_ns, message));
        }
        Some(SectionChange { from: Some(ended?.label), to: self.innermost(thread) })
    }

    /// Gives a thread's innermost section another label; returns its label until now.
    pub fn rename(&mut self, at_ns: i64, thread: Thread, label: Label) -> Option<Label> {
        match self.open.get_mut(&thread).and_then(|open| open.last_mut()) {
            Some(last) => Some(std::mem::replace(&mut last.label, label)),
            None => {
                let message = format!("thread {} binds a section that it did not begin", thread.1);
                self.remarks.push(Remark::at(RemarkKind::Unbound, at_ns, message));
                None
            }
        }
    }

    /// Ends the sections of a process that died; returns the innermost ones.
    pub fn end_process(
        &mut self,
        at_ns: i64,
        process: i64,
        name: impl Fn(Label) -> String,
    ) -> Vec<Label> {
        let mut ended = Vec::new();
        for ((pid, tid), open) in &mut self.open {
            if *pid != process {
                continue;
            }
            ended.extend(open.last().map(|open| open.label));
            for OpenSection { label, .. } in begun_by_threads(std::mem::take(open)) {
                let message = format!(
                    "process {pid} died in section {} of thread {tid}: it ends there",
                    name(label)
                );
                self.remarks.push(Remark::at(RemarkKind::ProcessDied, at_ns, message));
            }
        }
        ended
    }

    /// Adds remarks on the sections that are open at the end of the log.
    pub fn finish(&mut self, name: impl Fn(Label) -> String) {
        for ((_, tid), open) in std::mem::take(&mut self.open) {
            for OpenSection { label, since_ns: since, .. } in begun_by_threads(open) {
                let message = format!(
                    "section {} of thread {tid}, begun at {:.6} s, never ends: it is taken to last \
                     to the end of the log",
                    name(label),
                    nanoseconds_to_seconds(since)
                );
                self.remarks.push(Remark::at(RemarkKind::NeverEnded, since, message));
            }
        }
    }
}

/// Returns the sections that threads began themselves, without those of calls.
fn begun_by_threads(open: Vec<OpenSection>) -> impl Iterator<Item = OpenSection> {
    open.into_iter().filter(|open| !open.is_carried)
}

#[cfg(test)]
mod tests {
    use super::super::label::Labels;
    use super::*;

    #[test]
    fn sections_nest_and_mistakes_are_said() {
        let mut labels = Labels::default();
        let [a, b, c] = ["a", "b", "c"].map(|name| labels.intern("1", name));
        let mut sections = Sections::default();
        let thread = (7, 8);
        assert_eq!(sections.begin(0, thread, a), SectionChange { from: None, to: Some(a) });
        assert_eq!(sections.begin(1, thread, b), SectionChange { from: Some(a), to: Some(b) });
        assert_eq!(sections.rename(2, thread, c), Some(b));
        assert_eq!(sections.end(3, thread), Some(SectionChange { from: Some(c), to: Some(a) }));
        assert_eq!(sections.end_process(4, 7, |label| labels.text(label)), [a]);
        assert!(!sections.has_open());
        assert_eq!(sections.end(5, thread), None);
        assert_eq!(sections.rename(6, thread, a), None);
        sections.begin(7, thread, a);
        sections.finish(|label| labels.text(label));
        let kinds: Vec<RemarkKind> = sections.remarks.iter().map(|remark| remark.kind).collect();
        use RemarkKind::{EndWithoutBegin, NeverEnded, ProcessDied, Unbound};
        assert_eq!(kinds, [ProcessDied, EndWithoutBegin, Unbound, NeverEnded]);
    }
}
