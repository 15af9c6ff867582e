//! Application of hints to the sources, giving a changed copy.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::hint::hint::Hint;
use crate::hint::rewrite::{Edit, apply_edits, numbered_name};
use crate::java::SourceFile;

/// Result of applying hints: changed files, and the hints applied or left out.
#[derive(Debug, Default)]
pub struct AppliedHints<'h> {
    /// Changed files by path.
    pub files: BTreeMap<String, String>,
    /// Hints that were applied.
    pub done: Vec<&'h Hint>,
    /// Hints left out because a previous one changes the same code location.
    pub alternatives: Vec<&'h Hint>,
}

/// Applies the first `limit` automatic fixes of a list.
pub fn apply<'h>(hints: &'h [Hint], sources: &[SourceFile], limit: usize) -> AppliedHints<'h> {
    let mut applied = AppliedHints::default();
    let mut edits: BTreeMap<&str, Vec<Edit>> = BTreeMap::new();
    let mut members: BTreeMap<&str, Vec<Edit>> = BTreeMap::new();
    let mut names: BTreeSet<(&str, String)> = BTreeSet::new();
    for hint in hints {
        let Some(rewrite) = &hint.automatic_fix else { continue };
        if applied.done.len() == limit {
            break;
        }
        let others = edits.entry(hint.file.as_str()).or_default();
        let collides =
            |edit: &Edit| others.iter().any(|other| are_overlapping(&edit.range, &other.range));
        if rewrite.edits.iter().any(collides) {
            applied.alternatives.push(hint);
            continue;
        }
        let mut own = rewrite.clone();
        for name in &rewrite.names {
            let free = (1..)
                .map(|n| numbered_name(name, n))
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
            applied.files.insert(file.path.clone(), apply_edits(&file.text, edits));
        }
    }
    applied
}

/// Whether two ranges overlap, or are insertions at one position.
fn are_overlapping(a: &Range<usize>, b: &Range<usize>) -> bool {
    a == b || (a.start < b.end && b.start < a.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_with_a_common_byte_overlap_and_insertions_at_one_place() {
        assert!(are_overlapping(&(1..1), &(1..1)) && are_overlapping(&(0..3), &(2..5)));
        assert!(!are_overlapping(&(0..2), &(2..3)));
    }
}
