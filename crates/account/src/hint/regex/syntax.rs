//! Conservative parser of the syntax of `java.util.regex`. Uncertain texts are rejected: an
//! invalid expression in a field would fail when its class is loaded, not when it is used.

use std::iter::Peekable;
use std::str::Chars;

/// Depth of groups above which a text is rejected.
const DEEPEST: u32 = 50;

/// Whether a text is a regular expression of the common parts of the syntax.
pub(super) fn is_regex(text: &str) -> bool {
    let mut rest = RegexReader { chars: text.chars().peekable() };
    rest.alternatives(0).is_some() && rest.chars.peek().is_none()
}

/// Whether `String.split` splits at this text without a regular expression: one plain character,
/// or a backslash and one that is neither a letter nor a digit.
pub(super) fn is_quick_split(text: &str) -> bool {
    let mut chars = text.chars();
    match (chars.next(), chars.next(), chars.next()) {
        (Some(c), None, None) => !".$|()[{^?*+\\".contains(c),
        (Some('\\'), Some(c), None) => !c.is_ascii_alphanumeric(),
        _ => false,
    }
}

/// The unread rest of an expression.
struct RegexReader<'t> {
    chars: Peekable<Chars<'t>>,
}

impl RegexReader<'_> {
    /// Parses sequences between bars, up to a closing parenthesis or the end.
    fn alternatives(&mut self, depth: u32) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        while let Some(c) = self.chars.peek().copied() {
            match c {
                ')' => return Some(()),
                '|' => {
                    self.chars.next();
                }
                _ => {
                    let may_repeat = self.atom(depth)?;
                    self.quantifier(may_repeat)?;
                }
            }
        }
        Some(())
    }

    /// Parses one character, class, group or anchor; returns whether a quantifier may follow.
    fn atom(&mut self, depth: u32) -> Option<bool> {
        match self.chars.next()? {
            '(' => {
                self.group_kind()?;
                self.alternatives(depth + 1)?;
                (self.chars.next() == Some(')')).then_some(true)
            }
            '[' => self.class().map(|()| true),
            '\\' => self.escape(),
            '^' | '$' => Some(false),
            '*' | '+' | '?' | '{' => None,
            _ => Some(true),
        }
    }

    /// Parses the text behind `(?`.
    fn group_kind(&mut self) -> Option<()> {
        if self.chars.peek() != Some(&'?') {
            return Some(());
        }
        self.chars.next();
        match self.chars.next()? {
            ':' | '=' | '!' | '>' => Some(()),
            'i' | 's' | 'm' => match self.chars.peek()? {
                ')' | ':' => {
                    if self.chars.peek() == Some(&':') {
                        self.chars.next();
                    }
                    Some(())
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Parses a class up to its bracket: characters, escapes and ranges, no nested class.
    fn class(&mut self) -> Option<()> {
        if self.chars.peek() == Some(&'^') {
            self.chars.next();
        }
        let mut before: Option<char> = None;
        let mut is_empty = true;
        loop {
            match self.chars.next()? {
                ']' => return (!is_empty).then_some(()),
                '[' | '&' => return None,
                '-' if before.is_some() && self.chars.peek() != Some(&']') => {
                    let to = self.chars.next().filter(|c| !"[\\&-".contains(*c))?;
                    before.take().filter(|from| *from <= to)?;
                }
                '\\' => {
                    let c = self.chars.peek().copied()?;
                    if c == 'b' || c == 'B' {
                        return None;
                    }
                    self.escape()?;
                    if self.chars.peek() == Some(&'-') {
                        self.chars.next();
                        (self.chars.peek() == Some(&']')).then_some(())?;
                    }
                    before = None;
                }
                c => before = Some(c),
            }
            is_empty = false;
        }
    }

    /// Parses the text behind a backslash; returns whether a quantifier may follow.
    fn escape(&mut self) -> Option<bool> {
        match self.chars.next()? {
            'b' | 'B' => Some(false),
            'd' | 'D' | 's' | 'S' | 'w' | 'W' | 't' | 'n' | 'r' | 'f' => Some(true),
            'p' | 'P' => self.property().map(|()| true),
            c => (c.is_ascii() && !c.is_ascii_alphanumeric()).then_some(true),
        }
    }

    /// Parses the name of a class in braces.
    fn property(&mut self) -> Option<()> {
        const NAMES: [&str; 14] = [
            "Alnum", "Alpha", "ASCII", "Cntrl", "Digit", "Graph", "Lower", "Print", "Punct",
            "Space", "Upper", "XDigit", "L", "Lu",
        ];
        (self.chars.next()? == '{').then_some(())?;
        let mut name = String::new();
        loop {
            match self.chars.next()? {
                '}' => return NAMES.contains(&name.as_str()).then_some(()),
                c => name.push(c),
            }
        }
    }

    /// Parses a quantifier, which must be absent unless `may_repeat`.
    fn quantifier(&mut self, may_repeat: bool) -> Option<()> {
        let repeats = match self.chars.peek() {
            Some('*' | '+' | '?') => {
                self.chars.next();
                true
            }
            Some('{') => {
                self.bounds()?;
                true
            }
            _ => false,
        };
        if !repeats {
            return Some(());
        }
        if let Some('?' | '+') = self.chars.peek() {
            self.chars.next();
        }
        may_repeat.then_some(())
    }

    /// Parses `{2}`, `{2,}` or `{2,4}`.
    fn bounds(&mut self) -> Option<()> {
        let mut text = String::new();
        self.chars.next();
        loop {
            match self.chars.next()? {
                '}' => break,
                c => text.push(c),
            }
        }
        let (from, to) = text.split_once(',').unwrap_or((&text, &text));
        let number = |text: &str| -> Option<u32> {
            let digits = text.chars().all(|c| c.is_ascii_digit());
            digits.then(|| text.parse().ok()).flatten().filter(|n| *n < 1000)
        };
        let from = number(from)?;
        (to.is_empty() || number(to).is_some_and(|to| from <= to)).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_expressions_are_known_and_wrong_ones_are_not() {
        for regex in [
            "a",
            "",
            "\\s+",
            "[^a-z0-9_.-]+",
            "(?:a|b)*?c",
            "^\\d{1,3}$",
            "x{2}",
            "(?i)abc",
            "\\p{Alpha}+",
            "[\\w.-]",
            "a|",
            "(a(b)c)++",
            "[\\t ]*",
            "\\.",
            "(?=x)",
            "[+*]",
            "]]>",
            "a}",
        ] {
            assert!(is_regex(regex), "{regex}");
        }
        for other in [
            "(",
            ")",
            "a)",
            "[a",
            "*a",
            "a{",
            "a{3,1}",
            "[z-a]",
            "\\q",
            "\\",
            "a**",
            "[]",
            "(?<n>a)",
            "[a[b]]",
            "\\1",
            "x{-1}",
            "\\p{Nonsense}",
            "^*",
            "a{99999999999}",
            "[a-\\d]",
            "[a&&b]",
        ] {
            assert!(!is_regex(other), "{other}");
        }
    }

    #[test]
    fn quick_splits_are_those_of_the_jdk() {
        for quick in [",", " ", "\\.", "\\|", "ä"] {
            assert!(is_quick_split(quick), "{quick}");
        }
        for slow in [".", "|", "\\s", ", ", "", "\\s+"] {
            assert!(!is_quick_split(slow), "{slow}");
        }
    }
}
