//! Edits of automatic fixes, and their application to a copy. New names do not occur in their
//! file, so they neither hide others nor clash.

use std::ops::Range;

use crate::hint::pattern;
use crate::hint::site::LoopSite;
use crate::java::{SourceFile, SyntaxNode};

/// Replacement of a range of bytes of a file; an empty range is an insertion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// Range in the file.
    pub range: Range<usize>,
    /// Replacement text.
    pub text: String,
}

/// All edits of one hint's automatic fix.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rewrite {
    /// The edits, in no particular order; they don't overlap.
    pub edits: Vec<Edit>,
    /// Insertions of class members; those of several hints may be at one position.
    pub members: Vec<Edit>,
    /// Names that the edits declare, which do not occur in the file.
    pub names: Vec<String>,
}

/// Applies edits to a text.
pub fn apply_edits(text: &str, mut edits: Vec<Edit>) -> String {
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

/// Name with a number from 2 on: `limit`, `limit2`, `limit3`.
pub(super) fn numbered_name(name: &str, n: usize) -> String {
    if n == 1 { name.to_owned() } else { format!("{name}{n}") }
}

impl Rewrite {
    /// All edits, insertions of members included.
    pub(crate) fn all_edits(&self) -> Vec<Edit> {
        [self.edits.as_slice(), &self.members].concat()
    }

    /// Renames a name that these edits declare.
    pub(super) fn rename(&mut self, from: &str, to: &str) {
        for edit in self.edits.iter_mut().chain(&mut self.members) {
            edit.text = replace_word(&edit.text, from, to);
        }
    }
}

/// The text with every occurrence of a whole word replaced.
fn replace_word(text: &str, from: &str, to: &str) -> String {
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

/// A name like `wanted` that does not occur in the file.
pub(crate) fn fresh_name(file: &SourceFile, wanted: &str) -> String {
    let used = pattern::identifiers_of(file);
    let free = (1..).map(|n| numbered_name(wanted, n)).find(|name| !used.contains(name.as_str()));
    free.expect("there are more numbers than names")
}

/// Edits that insert declarations before a loop: on lines of their own where the loop is among
/// other statements, else in braces around the loop.
pub(crate) fn edits_before_loop(site: &LoopSite<'_>, declarations: &[String]) -> Vec<Edit> {
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

/// Indentation of a class's members, from the line behind the brace at `at`.
pub(crate) fn member_indent(file: &SourceFile, at: usize) -> String {
    let line = |text: &str| -> String { text.chars().take_while(|c| c.is_whitespace()).collect() };
    let mut behind = file.text[at..].lines().skip(1).filter(|line| !line.trim().is_empty());
    behind.next().map_or(String::new(), line)
}

/// White space before a node on its line.
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
        assert_eq!(replace_word("int n = xs.n; nn + n", "n", "n2"), "int n2 = xs.n2; nn + n2");
    }

    #[test]
    fn edits_apply_from_left_to_right() {
        let edit = |range: Range<usize>, text: &str| Edit { range, text: text.into() };
        let edits = vec![edit(4..5, "X"), edit(0..0, "<"), edit(2..2, "-")];
        assert_eq!(apply_edits("abcdef", edits), "<ab-cdXf");
    }
}
