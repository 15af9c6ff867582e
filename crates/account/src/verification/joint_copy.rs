//! The copy of the sources with all verified rewrites together.

use crate::hint::{self, Hint};
use crate::java::SourceFile;

use super::savings_basis::rewrites_of_copy;
use super::variant_name;

/// Variant name of a copy that only joint savings need.
const TOGETHER: &str = "together";

/// Copy of the sources with all rewrites that do not overlap.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct JointCopy {
    /// Indices of the rewrites in it, of those that are verified.
    pub applied: Vec<usize>,
    /// Indices of the rewrites that change the same code as one before them.
    pub overlapping: Vec<usize>,
    /// Name of its variant: that of a copy with the same rewrites, if there is one.
    pub variant: String,
}

impl JointCopy {
    /// Chooses the rewrites, given the copy of each; `None` where fewer than two do not overlap.
    pub fn of(chosen: &[&Hint], copies: &[usize], sources: &[SourceFile]) -> Option<Self> {
        let hints: Vec<Hint> = chosen.iter().map(|hint| (*hint).clone()).collect();
        let done = hint::apply(&hints, sources, hints.len()).done;
        // By identity, since equal hints may be among them.
        let is_applied = |at: &usize| done.iter().any(|hint| std::ptr::eq(*hint, &hints[*at]));
        let (applied, overlapping): (Vec<usize>, Vec<usize>) =
            (0..hints.len()).partition(is_applied);
        let same = copies.iter().find(|copy| rewrites_of_copy(copies, **copy) == applied);
        let variant = same.map_or_else(|| TOGETHER.to_owned(), |copy| variant_name(*copy));
        (applied.len() > 1).then_some(Self { applied, overlapping, variant })
    }

    /// Whether the copy is one that no single saving needs.
    pub fn is_own(&self) -> bool {
        self.variant == TOGETHER
    }
}

/// Pattern and code location of a rewrite.
pub(super) fn rewrite_name(hint: &Hint) -> String {
    format!("{} {}:{}", hint.pattern, hint.file, hint.start_line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hint::found_in;

    const TWO: &str = "class A {
        String f(int n) { StringBuffer b = new StringBuffer(); b.append(n); return b.toString(); }
        String g(int n) { StringBuffer b = new StringBuffer(); b.append(n); return b.toString(); }
    }";

    #[test]
    fn rewrites_of_other_lines_are_together_and_those_of_the_same_are_named() {
        let (hints, sources) = found_in("string-buffer", TWO);
        let [first, second] = [&hints[0], &hints[1]];
        let found = JointCopy::of(&[first, second], &[0, 1], &sources).unwrap();
        assert_eq!((&found.applied, found.overlapping.len()), (&vec![0, 1], 0));
        assert!(found.is_own());
        // Where one copy has both already, no other is built.
        let shared = JointCopy::of(&[first, second], &[0, 0], &sources).unwrap();
        assert_eq!((shared.variant.as_str(), shared.is_own()), ("copy-1", false));
        let twice = JointCopy::of(&[first, first, second], &[0, 1, 2], &sources).unwrap();
        assert_eq!((twice.applied, twice.overlapping), (vec![0, 2], vec![1]));
        assert_eq!(JointCopy::of(&[first, first], &[0, 1], &sources), None);
        assert_eq!(rewrite_name(first), format!("string-buffer A.java:{}", first.start_line));
    }
}
