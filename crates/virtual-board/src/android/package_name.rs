//! Validity of package names.

/// Whether a text may name a jar or an installed package, whose name becomes a file name.
pub(crate) fn is_package_name(name: &str) -> bool {
    let good = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    !name.is_empty() && name.split('.').all(|part| !part.is_empty() && part.chars().all(good))
}

/// Fault of an Android package's name, in the words of its package manager (AOSP's `validateName`);
/// `None` for a valid name. Empty parts, which Android accepts, are invalid in Java.
pub fn package_name_fault(name: &str) -> Option<String> {
    let mut before = '.';
    for letter in name.chars() {
        let is_inside = letter.is_ascii_digit() || letter == '_';
        let is_good = match before {
            '.' => letter.is_ascii_alphabetic(),
            _ => letter.is_ascii_alphabetic() || is_inside || letter == '.',
        };
        if !is_good {
            return Some(format!("bad character '{letter}'"));
        }
        before = letter;
    }
    if !name.contains('.') {
        return Some("must have at least one '.' separator".to_owned());
    }
    (before == '.').then(|| "bad character '.'".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn package_names_are_safe_file_names() {
        assert!(is_package_name("org.wattline.demo_1"));
        for name in ["", ".", "..", "a/b", "a..b", "a b"] {
            assert!(!is_package_name(name), "{name}");
        }
    }

    #[test]
    fn androids_names_have_a_dot_and_parts_that_begin_with_a_letter() {
        for name in ["org.x", "org.wattline.demo_1", "a.B2_", "org.example.class"] {
            assert_eq!(package_name_fault(name), None, "{name}");
            assert!(is_package_name(name), "{name}");
        }
        for (name, fault) in [
            ("", "must have at least one '.' separator"),
            ("sudoku", "must have at least one '.' separator"),
            ("org.example.1st", "bad character '1'"),
            ("org._x", "bad character '_'"),
            ("org.my-app", "bad character '-'"),
            ("org.a$b", "bad character '$'"),
            ("org.caf\u{e9}", "bad character '\u{e9}'"),
            ("a..b", "bad character '.'"),
            ("a.", "bad character '.'"),
            ("../x", "bad character '.'"),
        ] {
            assert_eq!(package_name_fault(name).as_deref(), Some(fault), "{name}");
        }
    }
}
