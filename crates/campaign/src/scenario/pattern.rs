//! File patterns of `include` and `exclude`: `**` matches any number of folders, `*` any characters
//! within a name, `?` one character, `[ab]` one of several and `{a,b}` one of several parts.

use globset::{GlobBuilder, GlobMatcher};

/// Greatest length of a pattern in bytes.
const LONGEST_PATTERN: usize = 4096;

/// A pattern for paths with `/`, relative to a source root.
#[derive(Debug, Clone)]
pub struct PathPattern(GlobMatcher);

impl PartialEq for PathPattern {
    fn eq(&self, other: &PathPattern) -> bool {
        self.0.glob() == other.0.glob()
    }
}

impl Eq for PathPattern {}

impl PathPattern {
    /// Parses `org/jbox2d/**` or `**/*Test.java`. A pattern without a wildcard matches the file of
    /// that name and everything below the folder of that name.
    ///
    /// # Errors
    /// The syntax error of the pattern, such as an unclosed bracket.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.len() > LONGEST_PATTERN {
            return Err(format!("a pattern has at most {LONGEST_PATTERN} characters"));
        }
        let parts: Vec<&str> = text.split('/').filter(|part| !part.is_empty()).collect();
        let mut pattern = parts.join("/");
        if parts.is_empty() {
            pattern.push_str("**");
        } else if !text.contains(['*', '?', '[', '{']) {
            pattern.push_str("{,/**}");
        }
        let mut glob = GlobBuilder::new(&pattern);
        let glob = glob.literal_separator(true).empty_alternates(true).build();
        let glob = glob.map_err(|error| format!("{text:?}: {}", error.kind()))?;
        Ok(Self(glob.compile_matcher()))
    }

    /// Whether the pattern matches `path`.
    pub fn takes(&self, path: &str) -> bool {
        self.0.is_match(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_take_what_shells_take() {
        let check = |pattern: &str, path: &str, expected: bool| {
            let takes = PathPattern::parse(pattern).unwrap().takes(path);
            assert_eq!(takes, expected, "{pattern} {path}");
        };
        check("org/jbox2d/**", "org/jbox2d/dynamics/World.java", true);
        check("org/jbox2d/**", "org/other/World.java", false);
        check("org/jbox2d", "org/jbox2d/dynamics/World.java", true);
        check("org/jbox2d/", "org/jbox2d/dynamics/World.java", true);
        check("org/jbox2d", "org/jbox2d2/World.java", false);
        check("**/*Test.java", "a/b/WorldTest.java", true);
        check("**/*Test.java", "WorldTest.java", true);
        check("a/*/C.java", "a/b/c/C.java", false);
        check("a/**/C.java", "a/C.java", true);
        check("a/?.java", "a/B.java", true);
        check("A.java", "A.java", true);
        check("**", "a/b/A.java", true);
        check("*", "a/A.java", false);
        check("a/[BC].java", "a/B.java", true);
        check("{a,b}/**", "b/c/B.java", true);
    }

    #[test]
    fn a_pattern_with_many_wildcards_is_answered_at_once() {
        let name = format!("{}b", "a".repeat(20_000));
        let pattern = format!("{}c", "*a".repeat(1_000));
        assert!(!PathPattern::parse(&pattern).unwrap().takes(&name));
        let folders = "a/".repeat(20_000);
        let pattern = format!("{}c", "**/a/".repeat(500));
        assert!(!PathPattern::parse(&pattern).unwrap().takes(&folders));
    }

    #[test]
    fn a_broken_pattern_says_what_is_wrong() {
        let error = PathPattern::parse("a/[b").unwrap_err();
        assert!(error.contains("a/[b") && error.contains("missing ']'"), "{error}");
        assert!(PathPattern::parse(&"?".repeat(LONGEST_PATTERN)).is_ok());
        assert!(PathPattern::parse(&"?".repeat(LONGEST_PATTERN + 1)).is_err());
    }
}
