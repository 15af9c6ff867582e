//! Rewrites as unified diffs, which `patch -p1` and `git apply` take in the source root.

use similar::TextDiff;

use crate::hint::applied::Applied;
use crate::hint::hint::Hint;
use crate::hint::rewrite::edited;
use crate::java::SourceFile;

/// The diff of a file.
pub fn unified(path: &str, before: &str, after: &str) -> String {
    // A name with white space ends in a tab, as git and diff write it.
    let end = if path.contains(char::is_whitespace) { "\t" } else { "" };
    let names = [format!("a/{path}{end}"), format!("b/{path}{end}")];
    let diff = TextDiff::from_lines(before, after);
    diff.unified_diff().header(&names[0], &names[1]).to_string()
}

/// What a hint changes, where it can be made without a person.
pub(super) fn of_hint(hint: &Hint, sources: &[SourceFile]) -> Option<String> {
    let rewrite = hint.automatic_fix.as_ref()?;
    let file = sources.iter().find(|file| file.path == hint.file)?;
    let after = edited(&file.text, rewrite.all_edits());
    Some(unified(&file.path, &file.text, &after))
}

impl Applied<'_> {
    /// The diffs of all changed files.
    pub fn patch(&self, sources: &[SourceFile]) -> String {
        let changed = |file: &SourceFile| {
            let after = self.files.get(&file.path)?;
            Some(unified(&file.path, &file.text, after))
        };
        sources.iter().filter_map(changed).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_names_the_file_and_keeps_what_is_missing_at_its_end() {
        let diff = unified("a/A.java", "x\ny\nz", "x\nw\nz");
        let expected = "--- a/a/A.java\n+++ b/a/A.java\n@@ -1,3 +1,3 @@\n x\n-y\n+w\n z\n\
                        \\ No newline at end of file\n";
        assert_eq!(diff, expected);
        assert!(unified("a b.java", "x\n", "y\n").starts_with("--- a/a b.java\t\n"));
    }
}
