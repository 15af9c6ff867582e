//! Rewrites of the source: what an automatic fix changes, and the changed copy. Every
//! new name is one that its file doesn't have, so it can neither hide nor clash.

use std::ops::Range;

use crate::hint::pattern;
use crate::hint::site::Site;
use crate::java::{SourceFile, SyntaxNode};

/// Replaces a range of bytes of a file; an empty range is an insertion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// Bytes of the file.
    pub range: Range<usize>,
    /// What comes there.
    pub text: String,
}

/// All edits of one hint.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rewrite {
    /// The edits, in no particular order; they don't overlap.
    pub edits: Vec<Edit>,
    /// Insertions of members of classes; those of several hints may have one place.
    pub members: Vec<Edit>,
    /// The names that they declare, none of which the file has.
    pub names: Vec<String>,
}

/// A text with its edits.
pub fn edited(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut out = String::with_capacity(text.len() + 256);
    let mut done = 0;
    for edit in edits {
        out.push_str(&text[done..edit.range.start]);
        out.push_str(&edit.text);
        done = edit.range.end;
    }
    out.push_str(&text[done..]);
    out
}

/// `limit`, `limit2`, `limit3`.
pub(super) fn numbered(name: &str, n: usize) -> String {
    if n == 1 { name.to_owned() } else { format!("{name}{n}") }
}

impl Rewrite {
    /// All edits, those of members too.
    pub(crate) fn all_edits(&self) -> Vec<Edit> {
        [self.edits.as_slice(), &self.members].concat()
    }

    /// Gives a name that these edits declare another one.
    pub(super) fn rename(&mut self, from: &str, to: &str) {
        for edit in self.edits.iter_mut().chain(&mut self.members) {
            edit.text = with_word(&edit.text, from, to);
        }
    }
}

/// A text with a whole word replaced.
fn with_word(text: &str, from: &str, to: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(from) {
        let (before, after) = (&rest[..at], &rest[at + from.len()..]);
        out.push_str(before);
        let whole = !out.ends_with(is_part) && !after.starts_with(is_part);
        out.push_str(if whole { to } else { from });
        rest = after;
    }
    out + rest
}

/// A name like `wanted` that the file doesn't have.
pub(crate) fn fresh_name(file: &SourceFile, wanted: &str) -> String {
    let used = pattern::names_of(file);
    let free = (1..).map(|n| numbered(wanted, n)).find(|name| !used.contains(name.as_str()));
    free.expect("there are more numbers than names")
}

/// Declarations before a loop as edits: on lines of their own where the loop stands among
/// other statements, else in braces around it.
pub(crate) fn before_loop(site: &Site<'_>, declarations: &[String]) -> Vec<Edit> {
    let (root, among_others) = pattern::outermost_statement(site.syntax.node);
    let indent = indent(site.file, root);
    let insert = |at: usize, text: String| Edit { range: at..at, text };
    if among_others {
        let lines: String = declarations.iter().map(|line| format!("{line}\n{indent}")).collect();
        vec![insert(root.start_byte(), lines)]
    } else {
        let lines: String =
            declarations.iter().map(|line| format!("{indent}    {line}\n")).collect();
        let open = format!("{{\n{lines}{indent}    ");
        vec![insert(root.start_byte(), open), insert(root.end_byte(), format!("\n{indent}}}"))]
    }
}

/// The white space of the line behind a brace at `at`, where members of its class stand.
pub(crate) fn indent_in(file: &SourceFile, at: usize) -> String {
    let line = |text: &str| -> String { text.chars().take_while(|c| c.is_whitespace()).collect() };
    let mut behind = file.text[at..].lines().skip(1).filter(|line| !line.trim().is_empty());
    behind.next().map_or(String::new(), line)
}

/// The white space before a node on its line.
pub fn indent(file: &SourceFile, node: SyntaxNode<'_>) -> String {
    let before = &file.text[..node.start_byte()];
    let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
    line.chars().take_while(|c| c.is_whitespace()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_are_renamed() {
        assert_eq!(with_word("int n = xs.n; nn + n", "n", "n2"), "int n2 = xs.n2; nn + n2");
    }

    #[test]
    fn edits_apply_from_left_to_right() {
        let edit = |range: Range<usize>, text: &str| Edit { range, text: text.into() };
        let edits = vec![edit(4..5, "X"), edit(0..0, "<"), edit(2..2, "-")];
        assert_eq!(edited("abcdef", edits), "<ab-cdXf");
    }
}
