//! Hints applied to the sources: the changed copy.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::hint::hint::Hint;
use crate::hint::rewrite::{Edit, edited, numbered};
use crate::java::SourceFile;

/// What became of the hints that were to be applied.
#[derive(Debug, Default)]
pub struct Applied<'h> {
    /// The changed files, by path.
    pub files: BTreeMap<String, String>,
    /// The hints that the files have.
    pub done: Vec<&'h Hint>,
    /// Hints left out, because one before them changes the same code location.
    pub alternatives: Vec<&'h Hint>,
}

/// Applies the first `limit` automatic fixes of a list.
pub fn apply<'h>(hints: &'h [Hint], sources: &[SourceFile], limit: usize) -> Applied<'h> {
    let mut applied = Applied::default();
    let mut edits: BTreeMap<&str, Vec<Edit>> = BTreeMap::new();
    let mut members: BTreeMap<&str, Vec<Edit>> = BTreeMap::new();
    let mut names: BTreeSet<(&str, String)> = BTreeSet::new();
    for hint in hints {
        let Some(rewrite) = &hint.automatic_fix else { continue };
        if applied.done.len() == limit {
            break;
        }
        let others = edits.entry(hint.file.as_str()).or_default();
        let collides = |edit: &Edit| others.iter().any(|other| overlap(&edit.range, &other.range));
        if rewrite.edits.iter().any(collides) {
            applied.alternatives.push(hint);
            continue;
        }
        let mut own = rewrite.clone();
        for name in &rewrite.names {
            let free = (1..)
                .map(|n| numbered(name, n))
                .find(|name| !names.contains(&(hint.file.as_str(), name.clone())));
            let free = free.expect("there are more numbers than names");
            own.rename(name, &free);
            names.insert((hint.file.as_str(), free));
        }
        others.extend(own.edits);
        members.entry(hint.file.as_str()).or_default().extend(own.members);
        applied.done.push(hint);
    }
    for file in sources {
        let mut edits = edits.remove(file.path.as_str()).unwrap_or_default();
        edits.extend(members.remove(file.path.as_str()).unwrap_or_default());
        if !edits.is_empty() {
            applied.files.insert(file.path.clone(), edited(&file.text, edits));
        }
    }
    applied
}

/// Whether two ranges share a byte, or two insertions a place.
fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a == b || (a.start < b.end && b.start < a.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_with_a_common_byte_overlap_and_insertions_at_one_place() {
        assert!(overlap(&(1..1), &(1..1)) && overlap(&(0..3), &(2..5)));
        assert!(!overlap(&(0..2), &(2..3)));
    }
}
