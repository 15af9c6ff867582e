//! Compact source files (JEP 512, final in Java 25): methods and fields without a class around
//! them are those of a class with the file's name. Here that class is inserted into the text, so
//! that the rest of the program has a class as any other: every line stays where it is.

use super::regions::Regions;

/// Text that opens the class, with an import of `java.base`.
const OPENING: &str = "import module java.base; final class ";

/// Inserts the implicit class into the text of a compact source file; `None` for any other file.
pub(super) fn wrap_in_class(path: &str, text: &str) -> Option<String> {
    let name = path.rsplit('/').next()?.strip_suffix(".java").filter(|name| is_identifier(name))?;
    let first = TopLevelScanner::of(text).first_member_offset()?;
    let mut written = String::with_capacity(text.len() + OPENING.len() + name.len() + 8);
    written.push_str(&text[..first]);
    written.push_str(OPENING);
    written.push_str(name);
    written.push_str(" { ");
    written.push_str(&text[first..]);
    // A comment of one line may be the last.
    written.push_str("\n}\n");
    Some(written)
}

fn is_identifier(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|c| c.is_alphabetic() || c == '_' || c == '$')
        && letters.all(|c| c.is_alphanumeric() || c == '_' || c == '$')
}

/// Kind of a declaration at the top level of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TopLevelKind {
    /// `package`, `import`, `module`: declarations before classes.
    Head,
    /// A class, an interface, an enum, a record.
    Type,
    /// A method or a field.
    Member,
    /// A semicolon, or no declaration.
    Other,
}

/// Scanner of the declarations at the top level of a file, without the parser.
struct TopLevelScanner<'t> {
    text: &'t [u8],
    /// Comments and literals that are still to come.
    regions: std::iter::Peekable<Regions<'t>>,
    at: usize,
}

impl<'t> TopLevelScanner<'t> {
    fn of(text: &'t str) -> Self {
        Self { text: text.as_bytes(), regions: Regions::of(text).peekable(), at: 0 }
    }

    /// Returns the offset of the first declaration after the imports, if a method or a field is at
    /// the top level of the file, which is in no package.
    fn first_member_offset(mut self) -> Option<usize> {
        let mut first = None;
        let mut has_member = false;
        while let Some((start, kind)) = self.next_declaration() {
            match kind {
                TopLevelKind::Head if self.text[start..].starts_with(b"import") => {}
                TopLevelKind::Head => return None,
                TopLevelKind::Other => {}
                TopLevelKind::Type | TopLevelKind::Member => {
                    first = first.or(Some(start));
                    has_member |= kind == TopLevelKind::Member;
                }
            }
        }
        first.filter(|_| has_member)
    }

    /// Returns the next byte outside comments and literals, each of which counts as a space.
    fn next_code_byte(&mut self) -> Option<u8> {
        let region = self.regions.next_if(|region| region.range.start == self.at);
        if let Some(region) = region {
            self.at = region.range.end;
            return Some(b' ');
        }
        let byte = *self.text.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn next_declaration(&mut self) -> Option<(usize, TopLevelKind)> {
        let mut header = DeclarationHeader::default();
        let mut start = None;
        loop {
            let at = self.at;
            let byte = self.next_code_byte()?;
            if !byte.is_ascii_whitespace() {
                start = start.or(Some(at));
            }
            match byte {
                b'@' => {
                    header.end_word();
                    header.is_annotation = true;
                }
                b'(' => {
                    let is_method = header.open_parenthesis();
                    self.skip_to_close(b'(', b')')?;
                    if is_method {
                        header.is_method = true;
                    }
                }
                b'{' => {
                    header.end_word();
                    self.skip_to_close(b'{', b'}')?;
                    return Some((start?, header.kind(true)));
                }
                b'=' => {
                    header.end_word();
                    header.is_field = true;
                    self.skip_to_semicolon();
                    return Some((start?, header.kind(false)));
                }
                b';' => {
                    header.end_word();
                    return Some((start?, header.kind(false)));
                }
                byte => header.take(byte),
            }
        }
    }

    /// Advances behind the bracket that closes an open one.
    fn skip_to_close(&mut self, open: u8, close: u8) -> Option<()> {
        let mut depth = 1;
        while depth > 0 {
            let byte = self.next_code_byte()?;
            depth += u32::from(byte == open);
            depth -= u32::from(byte == close);
        }
        Some(())
    }

    /// Advances behind the semicolon that ends an initialiser.
    fn skip_to_semicolon(&mut self) {
        let mut depth = 0_u32;
        while let Some(byte) = self.next_code_byte() {
            match byte {
                b'(' | b'{' | b'[' => depth += 1,
                b')' | b'}' | b']' => depth = depth.saturating_sub(1),
                b';' if depth == 0 => return,
                _ => {}
            }
        }
    }
}

/// Words of a declaration up to its body, its value or its end.
#[derive(Default)]
struct DeclarationHeader {
    word: Vec<u8>,
    words: Vec<Vec<u8>>,
    is_annotation: bool,
    /// Whether the parenthesis of a method's parameters was met.
    is_method: bool,
    is_field: bool,
}

impl DeclarationHeader {
    fn take(&mut self, byte: u8) {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' | b'$' | 0x80.. => self.word.push(byte),
            // Parts of an annotation's name.
            b'.' if self.is_annotation => self.word.clear(),
            _ => self.end_word(),
        }
    }

    fn end_word(&mut self) {
        let word = std::mem::take(&mut self.word);
        if word.is_empty() {
            return;
        }
        // `@interface` declares a type.
        if self.is_annotation && word != b"interface" {
            self.is_annotation = false;
            return;
        }
        self.is_annotation = false;
        self.words.push(word);
    }

    /// Notes an open parenthesis; returns whether it is that of a method's parameters.
    fn open_parenthesis(&mut self) -> bool {
        let is_of_annotation = self.is_annotation;
        self.end_word();
        !is_of_annotation && self.words.len() >= 2 && !self.is_type()
    }

    fn is_type(&self) -> bool {
        let keywords: [&[u8]; 3] = [b"class", b"interface", b"enum"];
        let has_keyword = self.words.iter().any(|word| keywords.contains(&word.as_slice()));
        // `record` is a name, too.
        let before = self.words.len().checked_sub(2).map(|at| self.words[at].as_slice());
        has_keyword
            || before == Some(b"record")
            || self.words.iter().rev().skip(1).any(|w| w == b"record")
    }

    fn kind(&self, has_body: bool) -> TopLevelKind {
        let first = self.words.first().map_or(b"".as_slice(), Vec::as_slice);
        let is_head = !self.is_method && !self.is_field;
        match first {
            b"" => TopLevelKind::Other,
            b"package" | b"import" if is_head && !has_body => TopLevelKind::Head,
            b"module" | b"open" if is_head && has_body => TopLevelKind::Head,
            _ if self.is_type() && !self.is_method => TopLevelKind::Type,
            _ if self.is_method => TopLevelKind::Member,
            _ if self.words.len() >= 2 && !has_body => TopLevelKind::Member,
            _ => TopLevelKind::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> Option<String> {
        wrap_in_class("a/Hello.java", text)
    }

    #[test]
    fn methods_and_fields_have_the_class_of_their_file() {
        for (text, expected) in [
            (
                "void main() { }\n",
                "import module java.base; final class Hello { void main() { }\n\n}\n",
            ),
            (
                "// a\nimport java.util.*;\n/** b */ int n = 3;\nvoid main() {}",
                "// a\nimport java.util.*;\n/** b */ import module java.base; final class Hello { \
                 int n = 3;\nvoid main() {}\n}\n",
            ),
            (
                "record P(int x) {}\n@A(\"{\") static P p(int... x) { return null; } // end",
                "import module java.base; final class Hello { record P(int x) {}\n@A(\"{\") static \
                 P p(int... x) { return null; } // end\n}\n",
            ),
            (
                "List<String> names;\n",
                "import module java.base; final class Hello { List<String> names;\n\n}\n",
            ),
        ] {
            assert_eq!(written(text).as_deref(), Some(expected), "{text}");
            assert_eq!(written(expected), None, "once is enough");
        }
    }

    #[test]
    fn all_other_files_stay_as_they_are() {
        for text in [
            "",
            "class A { void main() {} }",
            "package p; void main() {}",
            "import static a.B.c; interface I { int x(); }",
            "@Named(value = \"a;b\") public final class A<T extends B> extends C<T> {}",
            "@interface A { int x() default 3; }",
            "record A(int x, List<String> y) implements I { A { } }",
            "sealed interface S permits A, B {}\nenum E { X(1) { void f() {} }; E(int i) {} };",
            "open module a.b { requires c; }",
            "x = 3;",
            "static { }",
            "\"\"\"\n void main() {} \"\"\"",
            "void main() {",
        ] {
            assert_eq!(written(text), None, "{text}");
        }
        assert_eq!(wrap_in_class("my-file.java", "void main() {}"), None);
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "[a-c@(){};=<>.\" \n/*]{0,60}") {
            let _ = written(&text);
        }
    }
}
