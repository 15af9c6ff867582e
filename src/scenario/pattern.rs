//! File patterns of `include` and `exclude`: `**` stands for any number of folders,
//! `*` for any characters within a name, `?` for one.

/// One pattern over paths with `/`, relative to a source root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathPattern {
    segments: Vec<String>,
}

impl PathPattern {
    /// Reads `org/jbox2d/**` or `**/*Test.java`. A pattern without a wildcard takes
    /// the file of that name and everything below the folder of that name.
    pub fn parse(text: &str) -> Self {
        let mut segments: Vec<String> =
            text.split('/').filter(|part| !part.is_empty()).map(str::to_string).collect();
        if !text.contains(['*', '?']) {
            segments.push("**".into());
        }
        Self { segments }
    }

    /// Whether the pattern takes `path`.
    pub fn takes(&self, path: &str) -> bool {
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        takes_segments(&self.segments, &parts)
    }
}

fn takes_segments(pattern: &[String], parts: &[&str]) -> bool {
    match (pattern.first(), parts.first()) {
        (None, None) => true,
        (None, Some(_)) => false,
        (Some(first), _) if first == "**" => {
            (0..=parts.len()).any(|skipped| takes_segments(&pattern[1..], &parts[skipped..]))
        }
        (Some(_), None) => false,
        (Some(first), Some(part)) => {
            takes_name(first.as_bytes(), part.as_bytes())
                && takes_segments(&pattern[1..], &parts[1..])
        }
    }
}

fn takes_name(pattern: &[u8], name: &[u8]) -> bool {
    match pattern.first() {
        None => name.is_empty(),
        Some(b'*') => (0..=name.len()).any(|skipped| takes_name(&pattern[1..], &name[skipped..])),
        Some(b'?') => !name.is_empty() && takes_name(&pattern[1..], &name[1..]),
        Some(byte) => name.first() == Some(byte) && takes_name(&pattern[1..], &name[1..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_take_what_shells_take() {
        let check = |pattern: &str, path: &str, expected: bool| {
            assert_eq!(PathPattern::parse(pattern).takes(path), expected, "{pattern} {path}");
        };
        check("org/jbox2d/**", "org/jbox2d/dynamics/World.java", true);
        check("org/jbox2d/**", "org/other/World.java", false);
        check("org/jbox2d", "org/jbox2d/dynamics/World.java", true);
        check("org/jbox2d", "org/jbox2d2/World.java", false);
        check("**/*Test.java", "a/b/WorldTest.java", true);
        check("**/*Test.java", "WorldTest.java", true);
        check("a/*/C.java", "a/b/c/C.java", false);
        check("a/?.java", "a/B.java", true);
        check("A.java", "A.java", true);
    }
}
