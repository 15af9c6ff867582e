//! Checks of names of scenario parts, Java classes and Android packages.

use wattline_units::shortened::shortened;

use super::error::FailedCheck;
use crate::virtual_board::package_name_fault;

pub(super) fn check_name(name: &str, key: &str) -> Result<(), FailedCheck> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    if !name.is_empty() && name.chars().all(plain) {
        return Ok(());
    }
    Err(FailedCheck::new(
        key,
        format!("is \"{}\"; use letters, digits, `-` and `_`", shortened(name)),
    ))
}

/// Checks that Android accepts a package name. The check applies to all boards, so that the
/// scenario can be measured on any.
pub(super) fn check_package_name(name: &str) -> Result<(), FailedCheck> {
    match package_name_fault(name) {
        None => Ok(()),
        Some(fault) => {
            let message = format!(
                "is \"{}\", which Android refuses as a package's name: {fault}; use two parts or \
                 more with dots between them, each a letter with letters, digits and `_` after it",
                shortened(name)
            );
            Err(FailedCheck::new("application.package", message))
        }
    }
}

pub(super) fn check_java_name(name: &str, key: &str) -> Result<(), FailedCheck> {
    let plain = |part: &str| {
        !part.starts_with(char::is_numeric)
            && !part.is_empty()
            && part.chars().all(|c| c.is_alphanumeric() || "_$".contains(c))
    };
    match name.split('.').all(plain) {
        true => Ok(()),
        false => {
            Err(FailedCheck::new(key, format!("is \"{}\", which is no Java name", shortened(name))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(checked: Result<(), FailedCheck>) -> String {
        checked.err().map(|failed| failed.message).unwrap_or_default()
    }

    #[test]
    fn a_package_has_a_name_that_android_takes() {
        for name in ["a.b", "org.example.my_app", "org.example.V2", "org.example.class"] {
            assert_eq!(refused(check_package_name(name)), "", "{name}");
        }
        for (name, fault) in [
            ("sudoku", "must have at least one '.' separator"),
            ("org.example.1st", "bad character '1'"),
            ("org.example.my-app", "bad character '-'"),
            ("org.example.a$b", "bad character '$'"),
            ("org._private", "bad character '_'"),
            ("", "must have at least one '.' separator"),
        ] {
            let said = refused(check_package_name(name));
            assert!(said.starts_with(&format!("is \"{name}\", which Android refuses")), "{said}");
            assert!(said.contains(&format!(": {fault}; use two parts or more")), "{said}");
        }
    }

    #[test]
    fn a_class_has_a_name_of_java() {
        for name in ["Main", "a.B$1", "org.caf\u{e9}.Main", "_a.B2"] {
            assert_eq!(refused(check_java_name(name, "application.main")), "", "{name}");
        }
        for name in ["", "a..B", "a.B C", "2048.Main", "a.1st", "a-b.C"] {
            let said = refused(check_java_name(name, "application.main"));
            assert!(said.ends_with("which is no Java name"), "{name}: {said}");
        }
    }
}
