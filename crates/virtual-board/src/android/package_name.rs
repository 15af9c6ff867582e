//! Which names a package may have.

/// The names of packages: they become names of files.
pub(crate) fn is_package_name(name: &str) -> bool {
    let good = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    !name.is_empty() && name.split('.').all(|part| !part.is_empty() && part.chars().all(good))
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
}
