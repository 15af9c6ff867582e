//! Samples moved to the lines that count something.

use std::collections::{BTreeMap, BTreeSet};

use crate::account::accounts::Accounts;
use crate::account::entry::LineKey;
use crate::account::matching::{self, MethodSignature};

use super::hits::{Hits, Name};
use super::nearest_line::nearest;

/// The lines of methods that count something in accounts.
pub(super) struct CountedLines<'a> {
    /// Sorted by signature.
    methods: Vec<(MethodSignature, OwnLines<'a>)>,
}

#[derive(Default)]
struct OwnLines<'a> {
    file: &'a str,
    lines: BTreeSet<u32>,
}

impl<'a> CountedLines<'a> {
    pub fn of(accounts: &'a Accounts) -> Self {
        let mut methods: BTreeMap<MethodSignature, OwnLines<'_>> = BTreeMap::new();
        for part in &accounts.parts {
            let (method, line) = (&part.key.method, &part.key.line);
            let own = methods.entry(matching::signature(&method.class, &method.method));
            let own = own.or_default();
            own.file = &line.file;
            own.lines.insert(line.line);
        }
        Self { methods: methods.into_iter().collect() }
    }

    /// Those of a method of a profile; absent where accounts don't have it.
    fn of_method(&self, (class, method): &Name) -> Option<&OwnLines<'a>> {
        let wanted = matching::signature(class, method);
        let place = matching::find(&self.methods, |(own, _)| own, &wanted)?;
        Some(&self.methods[place].1)
    }
}

impl OwnLines<'_> {
    fn key(&self, line: u32) -> LineKey {
        LineKey { file: self.file.to_owned(), line }
    }
}

impl Hits {
    /// The same with each sample on a line that counts something, where accounts have its
    /// method.
    pub(super) fn on(&self, counted: &CountedLines<'_>) -> Hits {
        let mut moved = self.clone();
        for method in self.methods.keys() {
            let Some(own) = counted.of_method(method) else { continue };
            for (line, samples) in self.lines_of(method) {
                let Some(to) = nearest(&own.lines, line).filter(|to| *to != line) else { continue };
                shift(&mut moved.places, &(method.clone(), line), (method.clone(), to), samples);
                shift(&mut moved.lines, &own.key(line), own.key(to), samples);
            }
        }
        moved.places.retain(|_, samples| *samples > 0);
        moved.lines.retain(|_, samples| *samples > 0);
        moved
    }
}

fn shift<K: Ord>(samples: &mut BTreeMap<K, u64>, from: &K, to: K, moved: u64) {
    if let Some(left) = samples.get_mut(from) {
        *left = left.saturating_sub(moved);
    }
    *samples.entry(to).or_default() += moved;
}
