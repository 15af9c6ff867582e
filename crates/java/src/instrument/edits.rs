//! Edits of a text that leave every other byte where it is, and every line on its
//! number: insertions before or after a node, and replacements that keep line ends.

use std::ops::Range;

/// Insertion into a text. Its order among those at the same offset follows from the nesting:
/// closing ones first (inner before outer), then opening ones (outer before inner).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Insertion {
    at: usize,
    opens: bool,
    /// Rank among the closing or the opening insertions at the same offset.
    rank: (i64, u32),
    text: String,
}

/// Insertions and replacements of one text, applied at once.
#[derive(Debug, Clone, Default)]
pub struct Edits {
    insertions: Vec<Insertion>,
    replacements: Vec<(Range<usize>, String)>,
}

impl Edits {
    /// Inserts `text` before the node that starts at `at`. `order` is the index of the block that
    /// it serves: outer blocks have lower ones.
    pub fn open(&mut self, at: usize, order: usize, text: impl Into<String>) {
        let order = i64::try_from(order).expect("fewer than 2^63 blocks");
        self.insert(at, true, order, text.into());
    }

    /// Inserts `text` after the node that ends at `at`; see [`Edits::open`].
    pub fn close(&mut self, at: usize, order: usize, text: impl Into<String>) {
        let order = i64::try_from(order).expect("fewer than 2^63 blocks");
        self.insert(at, false, -order, text.into());
    }

    fn insert(&mut self, at: usize, opens: bool, order: i64, text: String) {
        let sequence = u32::try_from(self.insertions.len()).unwrap_or(u32::MAX);
        self.insertions.push(Insertion { at, opens, rank: (order, sequence), text });
    }

    /// Replaces `range` by `text` and the line ends that are in it.
    pub fn replace(&mut self, range: Range<usize>, text: impl Into<String>) {
        self.replacements.push((range, text.into()));
    }

    /// Applies the edits to `text`. Insertions inside a replaced range are dropped; of two
    /// replacements that overlap the first counts.
    pub fn apply(mut self, text: &str) -> String {
        self.insertions.sort();
        self.replacements.sort_by_key(|(range, _)| (range.start, range.end));
        let mut out = String::with_capacity(text.len() * 3 / 2);
        let mut done = 0;
        let mut insertions = self.insertions.into_iter().peekable();
        for (range, replacement) in self.replacements {
            if range.start < done {
                continue;
            }
            let before = |i: &Insertion| i.at <= range.start;
            while let Some(insertion) = insertions.next_if(before) {
                copy(&mut out, text, &mut done, insertion.at);
                out.push_str(&insertion.text);
            }
            copy(&mut out, text, &mut done, range.start);
            out.push_str(&replacement);
            out.extend(text[range.clone()].chars().filter(|c| matches!(c, '\r' | '\n')));
            done = range.end;
            while insertions.next_if(|i| i.at < range.end).is_some() {}
        }
        for insertion in insertions {
            copy(&mut out, text, &mut done, insertion.at);
            out.push_str(&insertion.text);
        }
        out.push_str(&text[done..]);
        out
    }
}

fn copy(out: &mut String, text: &str, done: &mut usize, to: usize) {
    if to > *done {
        out.push_str(&text[*done..to]);
        *done = to;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_edits_stand_inside_outer_ones() {
        let mut edits = Edits::default();
        edits.open(3, 0, "<");
        edits.open(3, 1, "[");
        edits.close(4, 0, ">");
        edits.close(4, 1, "]");
        edits.open(4, 2, "!");
        assert_eq!(edits.apply("if x y"), "if <[x]>! y");
    }

    #[test]
    fn replaced_text_keeps_its_lines() {
        let mut edits = Edits::default();
        edits.open(2, 0, "P;");
        edits.open(4, 1, "lost");
        edits.close(9, 0, "}");
        edits.replace(2..9, ";");
        assert_eq!(edits.apply("a f(\r\nb);c"), "a P;;\r\n}c");
    }
}
