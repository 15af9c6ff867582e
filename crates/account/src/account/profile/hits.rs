//! Samples of a profile by method and line of the application.

use std::collections::{BTreeMap, BTreeSet};

use crate::account::entry::LineKey;
use crate::operations::Dictionary;

use crate::stacks::{ProfileFrame, StackProfile};

/// Class and method as a profile names them.
pub type ProfiledMethod = (String, String);

/// Samples by method and line of the application. A sample belongs to the innermost frame whose
/// class is the application's: library code counts for its caller.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hits {
    /// Samples by class and method as the profile names it, with the descriptor where it has one.
    pub methods: BTreeMap<ProfiledMethod, u64>,
    /// Samples whose stack has a calling method of the application, by caller and method.
    pub calls: BTreeMap<(ProfiledMethod, ProfiledMethod), u64>,
    /// Samples with a line, by line.
    pub lines: BTreeMap<LineKey, u64>,
    /// Samples with a line, by method and line: methods may share a line.
    pub places: BTreeMap<(ProfiledMethod, u32), u64>,
    /// Samples without a frame of the application.
    pub outside: u64,
    /// Whether inlined code counts for the method that it was compiled into.
    pub hides_inlined: bool,
}

impl Hits {
    /// Number of samples in the application.
    pub fn inside(&self) -> u64 {
        self.methods.values().sum()
    }

    /// Number of samples with a line.
    pub(crate) fn samples_with_line(&self) -> u64 {
        self.lines.values().sum()
    }

    /// Samples of a method by line.
    pub fn lines_of(&self, method: &ProfiledMethod) -> impl Iterator<Item = (u32, u64)> {
        let own = (method.clone(), 0)..=(method.clone(), u32::MAX);
        self.places.range(own).map(|((_, line), samples)| (*line, *samples))
    }

    /// The samples by method alone, without lines.
    pub fn by_method(&self) -> Self {
        let (methods, calls) = (self.methods.clone(), self.calls.clone());
        let (outside, hides_inlined) = (self.outside, self.hides_inlined);
        Self { methods, calls, outside, hides_inlined, ..Self::default() }
    }

    /// Adds the samples of another run.
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
    /// Assigns a profile's samples to methods and lines of the application's classes.
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
