//! Assignment of samples to the lines that have operations.

use std::collections::{BTreeMap, BTreeSet};

use crate::account::accounts::Accounts;
use crate::account::entry::LineKey;
use crate::account::matching::{self, MethodSignature};

use super::hits::{Hits, ProfiledMethod};
use super::nearest_line::nearest_counted_line;

/// Lines with operations, by method of the accounts.
pub(super) struct CountedLines<'a> {
    /// Sorted by signature.
    methods: Vec<(MethodSignature, MethodLines<'a>)>,
}

#[derive(Default)]
struct MethodLines<'a> {
    file: &'a str,
    lines: BTreeSet<u32>,
}

impl<'a> CountedLines<'a> {
    pub fn of(accounts: &'a Accounts) -> Self {
        let mut methods: BTreeMap<MethodSignature, MethodLines<'_>> = BTreeMap::new();
        for part in &accounts.parts {
            let (method, line) = (&part.key.method, &part.key.line);
            let own = methods.entry(matching::signature(&method.class, &method.method));
            let own = own.or_default();
            own.file = &line.file;
            own.lines.insert(line.line);
        }
        Self { methods: methods.into_iter().collect() }
    }

    /// The lines of a profile's method; `None` where accounts do not have the method.
    fn of_method(&self, (class, method): &ProfiledMethod) -> Option<&MethodLines<'a>> {
        let wanted = matching::signature(class, method);
        let place = matching::find_method(&self.methods, |(own, _)| own, &wanted)?;
        Some(&self.methods[place].1)
    }
}

impl MethodLines<'_> {
    fn key(&self, line: u32) -> LineKey {
        LineKey { file: self.file.to_owned(), line }
    }
}

impl Hits {
    /// The samples with each moved to a line that has operations, where accounts have its method.
    pub(super) fn moved_to_counted_lines(&self, counted: &CountedLines<'_>) -> Hits {
        let mut moved = self.clone();
        for method in self.methods.keys() {
            let Some(own) = counted.of_method(method) else { continue };
            for (line, samples) in self.lines_of(method) {
                let Some(to) = nearest_counted_line(&own.lines, line).filter(|to| *to != line)
                else {
                    continue;
                };
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
