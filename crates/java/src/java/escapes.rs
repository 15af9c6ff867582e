//! Decoding of Unicode escapes outside literals (JLS 3.3), which the grammar doesn't support,
//! into a text of the same length.

use memchr::memmem;

use super::regions::{RegionKind, Regions, TextRegion};

/// Replaces each escape outside literals and comments by its character; `None` if there is none.
/// The excess length of the escape becomes spaces behind the word or the operators that it belongs
/// to, so that every token keeps its place. An escaped quote begins or ends a literal; other
/// escapes inside literals stay, as the grammar reads them.
pub(super) fn decode_escapes(text: &str) -> Option<String> {
    if !may_change(text) {
        return None;
    }
    let mut decoder =
        EscapeDecoder { text, at: 0, out: String::with_capacity(text.len()), debt: 0 };
    let mut place = TextContext::Code(CharClass::Space);
    while let Some(unit) = decoder.unit() {
        place = decoder.step(place, unit);
    }
    decoder.pad();
    (decoder.out != text).then_some(decoder.out)
}

/// Whether an escape is outside comments and literals, or may end a literal. Before the first of
/// these no escape changes the tokens of the text.
fn may_change(text: &str) -> bool {
    let mut escapes = memmem::find_iter(text.as_bytes(), "\\u").peekable();
    if escapes.peek().is_none() {
        return false;
    }
    for TextRegion { kind, range } in Regions::of(text) {
        while let Some(at) = escapes.next_if(|at| *at < range.end) {
            let ends = || escape(&text[at..]).is_some_and(|e| matches!(e.char, '"' | '\'' | '\\'));
            if at < range.start || (kind == RegionKind::Literal && ends()) {
                return true;
            }
        }
    }
    escapes.next().is_some()
}

/// Lexical context of a position in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextContext {
    Code(CharClass),
    LineComment,
    BlockComment,
    /// A literal that ends with this quote.
    Literal(char),
    TextBlock,
}

/// Kind of token that a character outside literals and comments can be part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CharClass {
    Space,
    Word,
    Operator,
}

impl CharClass {
    fn of(c: char) -> CharClass {
        match c {
            c if c.is_whitespace() => CharClass::Space,
            c if c.is_alphanumeric() || c == '_' || c == '$' => CharClass::Word,
            _ => CharClass::Operator,
        }
    }
}

/// One character, as written or escaped, with its length in the text.
#[derive(Debug, Clone, Copy)]
struct EscapedChar {
    char: char,
    /// Length in the text, in bytes.
    length: usize,
}

struct EscapeDecoder<'t> {
    text: &'t str,
    /// Offset of the next character.
    at: usize,
    out: String,
    /// Bytes by which `out` is shorter than the text read.
    debt: usize,
}

impl EscapeDecoder<'_> {
    /// Returns the character at `at` without consuming it.
    fn unit(&self) -> Option<EscapedChar> {
        self.unit_at(self.at)
    }

    fn unit_at(&self, at: usize) -> Option<EscapedChar> {
        let rest = &self.text[at..];
        let char = rest.chars().next()?;
        Some(escape(rest).unwrap_or(EscapedChar { char, length: char.len_utf8() }))
    }

    fn step(&mut self, place: TextContext, unit: EscapedChar) -> TextContext {
        match place {
            TextContext::Code(class) => self.code(class, unit),
            TextContext::LineComment => {
                self.copy(unit);
                let ends = unit.length == 1 && matches!(unit.char, '\n' | '\r');
                if ends { TextContext::Code(CharClass::Space) } else { place }
            }
            TextContext::BlockComment if self.text[self.at..].starts_with("*/") => {
                self.copy(EscapedChar { char: '*', length: 2 });
                TextContext::Code(CharClass::Space)
            }
            TextContext::BlockComment => {
                self.copy(unit);
                place
            }
            TextContext::Literal(quote) => self.literal(quote, unit),
            TextContext::TextBlock => self.text_block(unit),
        }
    }

    fn code(&mut self, class: CharClass, unit: EscapedChar) -> TextContext {
        let next = self.unit_at(self.at + unit.length).map(|next| next.char);
        match unit.char {
            quote @ ('"' | '\'') => {
                self.pad();
                if quote == '"' && self.text[self.at..].starts_with("\"\"\"") {
                    self.copy(EscapedChar { char: quote, length: 3 });
                    return TextContext::TextBlock;
                }
                // Spaces inside the literal would belong to it.
                self.debt += unit.length - 1;
                self.pad();
                self.out.push(quote);
                self.at += unit.length;
                return TextContext::Literal(quote);
            }
            '/' if matches!(next, Some('/' | '*')) => {
                self.pad();
                self.decode(unit);
                self.unit().into_iter().for_each(|second| self.decode(second));
                self.pad();
                let is_line = next == Some('/');
                return if is_line { TextContext::LineComment } else { TextContext::BlockComment };
            }
            _ => {}
        }
        let new = CharClass::of(unit.char);
        if new != class || new == CharClass::Space {
            self.pad();
        }
        self.decode(unit);
        TextContext::Code(new)
    }

    fn literal(&mut self, quote: char, unit: EscapedChar) -> TextContext {
        if unit.char == '\\' {
            self.copy(unit);
            self.unit().into_iter().for_each(|escaped| self.copy(escaped));
            return TextContext::Literal(quote);
        }
        let is_end = unit.char == quote;
        // A literal doesn't go on in the next line: this one is broken.
        let is_broken = unit.length == 1 && unit.char == '\n';
        if is_end {
            self.decode(unit);
            self.pad();
        } else {
            self.copy(unit);
        }
        if is_end || is_broken {
            TextContext::Code(CharClass::Operator)
        } else {
            TextContext::Literal(quote)
        }
    }

    fn text_block(&mut self, unit: EscapedChar) -> TextContext {
        if self.text[self.at..].starts_with("\"\"\"") {
            self.copy(EscapedChar { char: '"', length: 3 });
            return TextContext::Code(CharClass::Operator);
        }
        self.copy(unit);
        if unit.char == '\\' {
            self.unit().into_iter().for_each(|escaped| self.copy(escaped));
        }
        TextContext::TextBlock
    }

    /// Appends the character as it is written.
    fn copy(&mut self, unit: EscapedChar) {
        self.out.push_str(&self.text[self.at..self.at + unit.length]);
        self.at += unit.length;
    }

    /// Appends the character decoded.
    fn decode(&mut self, unit: EscapedChar) {
        // A line break would move all lines after it.
        let is_break = unit.length > 1 && matches!(unit.char, '\n' | '\r');
        let char = if is_break { ' ' } else { unit.char };
        self.out.push(char);
        self.debt += unit.length - char.len_utf8();
        self.at += unit.length;
    }

    /// Appends spaces for the excess length of the escapes.
    fn pad(&mut self) {
        self.out.extend(std::iter::repeat_n(' ', std::mem::take(&mut self.debt)));
    }
}

/// Reads the escape that `rest` begins with; two escaped surrogates are one character.
fn escape(rest: &str) -> Option<EscapedChar> {
    let (first, length) = code_unit(rest)?;
    if let Some(char) = char::from_u32(u32::from(first)) {
        return Some(EscapedChar { char, length });
    }
    let (second, more) = code_unit(&rest[length..])?;
    let char = char::decode_utf16([first, second]).next()?.ok()?;
    Some(EscapedChar { char, length: length + more })
}

/// Reads the UTF-16 code unit of the escape that `rest` begins with; returns its length, too.
fn code_unit(rest: &str) -> Option<(u16, usize)> {
    let marked = rest.strip_prefix("\\u")?;
    let digits = marked.trim_start_matches('u').get(..4)?;
    let unit = u16::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'))?;
    Some((unit, rest.len() - marked.trim_start_matches('u').len() + 4))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn escapes_of_code_are_decoded_in_place() {
        let cases = [
            (r"int \u0061b = 1;", r"int ab      = 1;"),
            (r"x \u002b\u003d 1", r"x +=           1"),
            (r"if (a) \u007b b(); \u007d", r"if (a) {      b(); }     "),
            (r"\uuu0041", "A       "),
            (r"\uD840\uDC00x", "𠀀x        "),
            (r"s = \u0022x\u0022;", "s =      \"x\"     ;"),
            (r"a\u000ab", "a      b"),
        ];
        for (text, expected) in cases {
            assert_eq!(decode_escapes(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn escapes_of_literals_and_comments_stay() {
        let texts = [
            "// \\u0041\n",
            "/* \\u0041 */",
            "s = \"\"\"\n \\u0041 \\\"\"\"\\u0041\"\"\";",
            r"\u00 \u+041 \ux",
            r#"c = '\'' + "\\u0041" + '\\';"#,
        ];
        for text in texts {
            assert_eq!(decode_escapes(text), None, "{text}");
        }
    }

    #[test]
    fn what_follows_a_comment_or_literal_is_code_again() {
        let text = "/* \\u0041 */ \\u0041 \"\\u0041\" \\u0041 // \\u0041\n\\u0041";
        let expected = "/* \\u0041 */ A      \"\\u0041\" A      // \\u0041\nA     ";
        assert_eq!(decode_escapes(text).as_deref(), Some(expected));
    }

    proptest! {
        #[test]
        fn the_length_and_the_lines_stay(text in r#"([a"'/*\\ +\n]|\\u00[24][0-9a-f]|é){0,40}"#) {
            if let Some(decoded) = decode_escapes(&text) {
                prop_assert_eq!(decoded.len(), text.len());
                let breaks = |s: &str| s.match_indices('\n').map(|(at, _)| at).collect::<Vec<_>>();
                prop_assert_eq!(breaks(&decoded), breaks(&text));
            }
        }
    }
}
