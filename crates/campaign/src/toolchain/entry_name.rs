//! Safety of names of archive entries and of files below a folder: whether a file of the name stays
//! within the folder, and other programs read the name as one word.

use std::fmt;

/// Reason why a name is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NameFault {
    /// An empty path.
    #[error("its name is empty")]
    Empty,
    /// A path with a shorter equivalent form.
    #[error("its name has a part that means nothing (`.` or an empty one)")]
    Redundant,
    /// A line break or another control character.
    #[error("its name has a control character")]
    Control,
    /// An absolute path: `/` or a drive first.
    #[error("its name is absolute")]
    Absolute,
    /// A part `..`.
    #[error("its name has a part `..`, which leaves the folder")]
    Leaves,
    /// A backslash, the separator on other systems.
    #[error("its name has a backslash, which separates folders on other systems")]
    Backslash,
}

/// The relative path, with `/` between its parts, that `name` stands for, without empty parts and
/// `.`. Only the returned path is checked, so only it may be used.
///
/// # Errors
/// The path could leave the folder, or has control characters.
pub fn relative_path(name: &str) -> Result<String, NameFault> {
    if name.chars().any(char::is_control) {
        return Err(NameFault::Control);
    }
    if name.contains('\\') {
        return Err(NameFault::Backslash);
    }
    let has_drive = matches!(name.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    if name.starts_with('/') || has_drive {
        return Err(NameFault::Absolute);
    }
    let parts: Vec<&str> = name.split('/').filter(|part| !["", "."].contains(part)).collect();
    match parts.as_slice() {
        [] => Err(NameFault::Empty),
        parts if parts.contains(&"..") => Err(NameFault::Leaves),
        parts => Ok(parts.join("/")),
    }
}

/// A name with control characters escaped, for messages and tables.
#[derive(Debug, Clone, Copy)]
pub struct EscapedName<'a>(pub &'a str);

impl fmt::Display for EscapedName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|letter| match letter.is_control() {
            true => write!(f, "{}", letter.escape_default()),
            false => write!(f, "{letter}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use std::path::{Component, Path};

    use super::*;

    #[test]
    fn names_that_leave_the_folder_are_refused() {
        for (name, fault) in [
            ("", NameFault::Empty),
            ("./", NameFault::Empty),
            ("/etc/passwd", NameFault::Absolute),
            ("//a", NameFault::Absolute),
            ("C:/a", NameFault::Absolute),
            ("../a", NameFault::Leaves),
            ("a/../b", NameFault::Leaves),
            ("a/..", NameFault::Leaves),
            ("..\\a", NameFault::Backslash),
            ("a\n-processorpath\nb/X.java", NameFault::Control),
            ("a\0.java", NameFault::Control),
            ("a\u{1b}[31m", NameFault::Control),
            ("a\u{85}", NameFault::Control),
        ] {
            assert_eq!(relative_path(name), Err(fault), "{name:?}");
        }
        for name in ["a", "a/B.java", "...", "a/..b", "ä/é x.txt", "ab:c", "META-INF/x"] {
            assert_eq!(relative_path(name).as_deref(), Ok(name));
        }
        assert_eq!(relative_path("./a//b/./C.java").as_deref(), Ok("a/b/C.java"));
    }

    #[test]
    fn control_characters_are_shown_escaped() {
        assert_eq!(EscapedName("a\nb\u{1b}ä").to_string(), "a\\nb\\u{1b}ä");
    }

    proptest! {
        #[test]
        fn what_is_taken_stays_below_the_folder(name in "[a./\\\\:\n\\PC]{0,12}") {
            if let Ok(path) = relative_path(&name) {
                let mut parts = Path::new(&path).components();
                prop_assert!(parts.all(|part| matches!(part, Component::Normal(_))), "{name:?}");
                prop_assert_eq!(relative_path(&path), Ok(path.clone()));
            }
        }
    }
}
