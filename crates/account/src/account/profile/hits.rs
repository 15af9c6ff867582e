//! Which methods and lines of the application a profile's samples fell into.

use std::collections::{BTreeMap, BTreeSet};

use crate::account::entry::LineKey;
use crate::operations::Dictionary;

use crate::stacks::{ProfileFrame, StackProfile};

/// Class and method.
pub type Name = (String, String);

/// Samples by method and line of the application. A sample belongs to the innermost frame
/// whose class is the application's: what a library does is done for whoever calls it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hits {
    /// By class and method as the profile names it, the descriptor included where it is said.
    pub methods: BTreeMap<Name, u64>,
    /// Those of them whose stack shows which method of the application called: by it, and by
    /// the method.
    pub calls: BTreeMap<(Name, Name), u64>,
    /// By line, of the samples whose line is known.
    pub lines: BTreeMap<LineKey, u64>,
    /// The same by method and line: two methods may share one.
    pub places: BTreeMap<(Name, u32), u64>,
    /// Samples without a frame of the application.
    pub outside: u64,
    /// Whether code that was compiled into its caller goes by the caller's name.
    pub hides_inlined: bool,
}

impl Hits {
    /// Samples in the application.
    pub fn inside(&self) -> u64 {
        self.methods.values().sum()
    }

    /// Samples whose line is known.
    pub(crate) fn lined(&self) -> u64 {
        self.lines.values().sum()
    }

    /// Samples of a method by line.
    pub fn lines_of(&self, method: &Name) -> impl Iterator<Item = (u32, u64)> {
        let own = (method.clone(), 0)..=(method.clone(), u32::MAX);
        self.places.range(own).map(|((_, line), samples)| (*line, *samples))
    }

    /// The same without the samples' lines.
    pub fn by_method(&self) -> Self {
        let (methods, calls) = (self.methods.clone(), self.calls.clone());
        let (outside, hides_inlined) = (self.outside, self.hides_inlined);
        Self { methods, calls, outside, hides_inlined, ..Self::default() }
    }

    /// Adds those of another run.
    pub fn merge(&mut self, other: &Hits) {
        add_all(&mut self.methods, &other.methods);
        add_all(&mut self.calls, &other.calls);
        add_all(&mut self.lines, &other.lines);
        add_all(&mut self.places, &other.places);
        self.outside += other.outside;
        self.hides_inlined |= other.hides_inlined;
    }
}

impl Hits {
    /// Joins a profile with the application's classes.
    pub fn of(profile: &StackProfile, dictionary: &Dictionary) -> Hits {
        let files: BTreeMap<&str, &str> = dictionary
            .blocks
            .iter()
            .map(|block| (block.class.as_str(), block.file.as_str()))
            .collect();
        let own: BTreeSet<u32> = (0..profile.frames.len() as u32)
            .filter(|at| files.contains_key(profile.frames[*at as usize].class.as_str()))
            .collect();
        let mut hits = Hits { hides_inlined: profile.hides_inlined, ..Hits::default() };
        for (stack, count) in &profile.stacks {
            let mut inner = stack.iter().rev().filter(|frame| own.contains(frame));
            let mut next = || inner.next().map(|frame| &profile.frames[*frame as usize]);
            match next() {
                Some(frame) => hits.add(frame, next(), &files, *count),
                None => hits.outside += count,
            }
        }
        hits
    }

    fn add(
        &mut self,
        frame: &ProfileFrame,
        caller: Option<&ProfileFrame>,
        files: &BTreeMap<&str, &str>,
        count: u64,
    ) {
        let name = |frame: &ProfileFrame| (frame.class.clone(), frame.method.clone());
        *self.methods.entry(name(frame)).or_default() += count;
        if let Some(caller) = caller {
            *self.calls.entry((name(caller), name(frame))).or_default() += count;
        }
        if let Some(line) = frame.line {
            let file = files[frame.class.as_str()].to_owned();
            *self.lines.entry(LineKey { file, line }).or_default() += count;
            *self.places.entry((name(frame), line)).or_default() += count;
        }
    }
}

fn add_all<K: Ord + Clone>(sums: &mut BTreeMap<K, u64>, more: &BTreeMap<K, u64>) {
    for (key, count) in more {
        *sums.entry(key.clone()).or_default() += count;
    }
}
