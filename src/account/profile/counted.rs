//! Which line a sample belongs to. Line tables name lines that count nothing: a brace, a
//! class, of which javac makes a bridge method.

use std::collections::{BTreeMap, BTreeSet};

use crate::account::Accounts;
use crate::account::entry::LineKey;
use crate::account::matching::{self, Signature};

use super::{Hits, Reference};

/// The line that samples of a line belong to: those of one that counts nothing, such as the
/// brace that ends a method, to the one above, or else to the first. `counted` are the lines
/// of its method that count something.
pub fn nearest(counted: &BTreeSet<u32>, line: u32) -> Option<u32> {
    counted.range(..=line).next_back().or_else(|| counted.first()).copied()
}

/// The lines of methods that count something in accounts.
pub(super) struct CountedLines<'a> {
    /// Sorted by signature.
    methods: Vec<(Signature, OwnLines<'a>)>,
}

#[derive(Default)]
struct OwnLines<'a> {
    file: &'a str,
    lines: BTreeSet<u32>,
}

impl<'a> CountedLines<'a> {
    pub fn of(accounts: &'a Accounts) -> Self {
        let mut methods: BTreeMap<Signature, OwnLines<'_>> = BTreeMap::new();
        for part in &accounts.parts {
            let (method, line) = (&part.key.method, &part.key.line);
            let own = methods.entry(matching::signature(&method.class, &method.method));
            let own = own.or_default();
            own.file = &line.file;
            own.lines.insert(line.line);
        }
        Self { methods: methods.into_iter().collect() }
    }

    /// The file of a method of a profile, and where samples of a line of it belong; absent for
    /// a method that accounts don't have.
    fn place(&self, class: &str, method: &str, line: u32) -> Option<(&'a str, u32)> {
        let wanted = matching::signature(class, method);
        let place = matching::find(&self.methods, |(own, _)| own, &wanted)?;
        let own = &self.methods[place].1;
        Some((own.file, nearest(&own.lines, line)?))
    }
}

impl Hits {
    /// The same with each sample on a line that counts something, where its method has one.
    fn on(&self, counted: &CountedLines<'_>) -> Hits {
        let mut moved = Hits { places: BTreeMap::new(), ..self.clone() };
        for ((name, line), samples) in &self.places {
            let place = counted.place(&name.0, &name.1, *line);
            let to = place.map_or(*line, |(_, to)| to);
            *moved.places.entry((name.clone(), to)).or_default() += samples;
            if let Some((file, _)) = place.filter(|_| to != *line) {
                let key = |line| LineKey { file: file.to_owned(), line };
                let left = moved.lines.entry(key(*line)).or_default();
                *left = left.saturating_sub(*samples);
                *moved.lines.entry(key(to)).or_default() += samples;
            }
        }
        moved.lines.retain(|_, samples| *samples > 0);
        moved
    }
}

impl Reference {
    /// The same with each sample on a line that counts something, as accounts have them.
    pub(super) fn on(&self, counted: &CountedLines<'_>) -> Self {
        let parts = |parts: &Vec<Hits>| parts.iter().map(|part| part.on(counted)).collect();
        Self::of(self.by_run().iter().map(parts).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_a_line_that_counts_nothing_are_the_lines_above() {
        let counted = BTreeSet::from([3, 5]);
        let moved = [1, 3, 4, 9].map(|line| nearest(&counted, line));
        assert_eq!(moved, [Some(3), Some(3), Some(3), Some(5)]);
        assert_eq!(nearest(&BTreeSet::new(), 4), None);
    }
}
