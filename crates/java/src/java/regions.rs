//! Comments and literals of a text, found without the parser.

use std::ops::Range;

use memchr::{memchr_iter, memchr2, memchr3, memmem, memrchr};
use tree_sitter::Point;

/// Kind of a text region without code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RegionKind {
    /// From `//` to the end of the line.
    LineComment,
    /// From `/*` to `*/`.
    BlockComment,
    /// A string, a character or a text block, with its quotes.
    Literal,
}

/// Comment or literal, by its byte range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextRegion {
    pub kind: RegionKind,
    /// Byte range in the text.
    pub range: Range<usize>,
}

/// Iterator over the comments and literals of a text in which no code is escaped, in their order.
pub(super) struct Regions<'t> {
    text: &'t [u8],
    at: usize,
}

impl<'t> Regions<'t> {
    pub fn of(text: &'t str) -> Regions<'t> {
        Regions { text: text.as_bytes(), at: 0 }
    }

    /// Returns the end of the line that `at` is in.
    fn line_end(&self, at: usize) -> usize {
        memchr2(b'\n', b'\r', &self.text[at..]).map_or(self.text.len(), |found| at + found)
    }

    fn after(&self, at: usize, end: &[u8]) -> usize {
        let found = memmem::find(&self.text[at..], end);
        found.map_or(self.text.len(), |found| at + found + end.len())
    }

    /// Returns the end of the literal whose content begins at `at`: behind the quote, or at the end
    /// of the line if there is none.
    fn literal_end(&self, mut at: usize, quote: u8) -> usize {
        while let Some(found) = self.text.get(at..).and_then(|t| memchr3(quote, b'\\', b'\n', t)) {
            at += found;
            match self.text[at] {
                b'\\' => at += 2,
                b'\n' => return at,
                _ => return at + 1,
            }
        }
        self.text.len()
    }

    fn text_block_end(&self, mut at: usize) -> usize {
        while let Some(found) = self.text.get(at..).and_then(|t| memchr2(b'"', b'\\', t)) {
            at += found;
            match &self.text[at..] {
                [b'"', b'"', b'"', ..] => return at + 3,
                [b'\\', ..] => at += 2,
                _ => at += 1,
            }
        }
        self.text.len()
    }
}

impl Iterator for Regions<'_> {
    type Item = TextRegion;

    fn next(&mut self) -> Option<TextRegion> {
        loop {
            let start = self.at + memchr3(b'"', b'\'', b'/', &self.text[self.at..])?;
            let (kind, end) = match &self.text[start..] {
                [b'/', b'/', ..] => (RegionKind::LineComment, self.line_end(start + 2)),
                [b'/', b'*', ..] => (RegionKind::BlockComment, self.after(start + 2, b"*/")),
                [b'"', b'"', b'"', ..] => (RegionKind::Literal, self.text_block_end(start + 3)),
                [quote @ (b'"' | b'\''), ..] => {
                    (RegionKind::Literal, self.literal_end(start + 1, *quote))
                }
                _ => {
                    self.at = start + 1;
                    continue;
                }
            };
            self.at = end;
            return Some(TextRegion { kind, range: start..end });
        }
    }
}

/// Least bytes of a comment that is hidden from the parser: hiding shorter ones gains nothing.
const SHORTEST_HIDDEN: usize = 256;

/// Most ranges given to the parser, which looks at all ranges up to a token's for each token: so
/// only comments that are long for their file are hidden.
const RANGES_MAX: usize = 64;

/// Returns the ranges of `text` that the parser needs: all but the inside of long block comments,
/// which in the JDK are a third of the text; no range if that is all of it. The tree is the same.
pub(super) fn visible_ranges(text: &str) -> Vec<tree_sitter::Range> {
    let shortest = SHORTEST_HIDDEN.max(text.len() / RANGES_MAX);
    let long = Regions::of(text)
        .filter(|region| region.kind == RegionKind::BlockComment && region.range.len() >= shortest);
    let mut ranges = Vec::new();
    let mut cursor = TextCursor { text: text.as_bytes(), at: 0, point: Point::default() };
    for Range { start, end } in long.map(|region| region.range) {
        // `/**` and `*/`, unless the text ends within the comment.
        if text[..end].ends_with("*/") {
            ranges.push(cursor.range_to(start + 3));
            cursor.skip_to(end - 2);
        }
    }
    if !ranges.is_empty() {
        ranges.push(cursor.range_to(text.len()));
    }
    ranges
}

/// Position in a text, as offset, line and column.
struct TextCursor<'t> {
    text: &'t [u8],
    at: usize,
    point: Point,
}

impl TextCursor<'_> {
    fn skip_to(&mut self, end: usize) {
        let passed = &self.text[self.at..end];
        match memrchr(b'\n', passed) {
            Some(last) => {
                self.point.row += memchr_iter(b'\n', passed).count();
                self.point.column = passed.len() - last - 1;
            }
            None => self.point.column += passed.len(),
        }
        self.at = end;
    }

    fn range_to(&mut self, end: usize) -> tree_sitter::Range {
        let (start_byte, start_point) = (self.at, self.point);
        self.skip_to(end);
        tree_sitter::Range { start_byte, end_byte: end, start_point, end_point: self.point }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_end_where_they_end() {
        let text = "a/b // \"x\n'\\'' \"/* \\\" */\" /* \" */ \"\"\"\n \" \\\"\"\" \"\"\"/**/ \"broken\n/*";
        let found: Vec<&str> = Regions::of(text).map(|region| &text[region.range]).collect();
        let expected = [
            "// \"x",
            "'\\''",
            "\"/* \\\" */\"",
            "/* \" */",
            "\"\"\"\n \" \\\"\"\" \"\"\"",
            "/**/",
            "\"broken",
            "/*",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn the_inside_of_long_comments_is_hidden() {
        let comment = format!("/** {}\n * b */", "a\n".repeat(SHORTEST_HIDDEN));
        let text = format!("class A {{\n  {comment} int f; /* short */ }}");
        let ranges = visible_ranges(&text);
        let shown: Vec<&str> = ranges.iter().map(|r| &text[r.start_byte..r.end_byte]).collect();
        assert_eq!(shown, ["class A {\n  /**", "*/ int f; /* short */ }"]);
        assert_eq!(ranges[0].end_point, Point { row: 1, column: 5 });
        assert_eq!(ranges[1].start_point, Point { row: SHORTEST_HIDDEN + 2, column: 5 });
        assert!(visible_ranges("class A { /* short */ }").is_empty());
        assert!(visible_ranges(&format!("class A {{ /* {}", "a".repeat(1000))).is_empty());
    }
}
