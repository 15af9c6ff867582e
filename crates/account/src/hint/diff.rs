//! Rewrites as unified diffs, for `patch -p1` and `git apply` in the source root.

use similar::TextDiff;

use crate::hint::applied_hints::AppliedHints;
use crate::hint::hint::Hint;
use crate::hint::rewrite::apply_edits;
use crate::java::SourceFile;

/// The unified diff between two texts of a file.
pub fn unified_diff(path: &str, before: &str, after: &str) -> String {
    // A name with white space ends in a tab, as git and diff write it.
    let end = if path.contains(char::is_whitespace) { "\t" } else { "" };
    let names = [format!("a/{path}{end}"), format!("b/{path}{end}")];
    let diff = TextDiff::from_lines(before, after);
    diff.unified_diff().header(&names[0], &names[1]).to_string()
}

/// The diff of a hint's automatic fix; `None` without one.
pub(super) fn diff_of_hint(hint: &Hint, sources: &[SourceFile]) -> Option<String> {
    let rewrite = hint.automatic_fix.as_ref()?;
    let file = sources.iter().find(|file| file.path == hint.file)?;
    let after = apply_edits(&file.text, rewrite.all_edits());
    Some(unified_diff(&file.path, &file.text, &after))
}

impl AppliedHints<'_> {
    /// The diffs of all changed files as one patch.
    pub fn patch(&self, sources: &[SourceFile]) -> String {
        let changed = |file: &SourceFile| {
            let after = self.files.get(&file.path)?;
            Some(unified_diff(&file.path, &file.text, after))
        };
        sources.iter().filter_map(changed).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_names_the_file_and_keeps_what_is_missing_at_its_end() {
        let diff = unified_diff("a/A.java", "x\ny\nz", "x\nw\nz");
        let expected = "--- a/a/A.java\n+++ b/a/A.java\n@@ -1,3 +1,3 @@\n x\n-y\n+w\n z\n\
                        \\ No newline at end of file\n";
        assert_eq!(diff, expected);
        assert!(unified_diff("a b.java", "x\n", "y\n").starts_with("--- a/a b.java\t\n"));
    }
}
