//! Locale of the JVMs and Java tools that wattline starts. A JVM takes the encoding of file names
//! from it: under `LC_ALL=C` a JVM can't open a file with an umlaut in its name, whatever its
//! `file.encoding` is.

/// Environment variable and value of a UTF-8 locale with English messages, the same on every
/// machine, since the output of tools is parsed.
pub(crate) const UTF8_LOCALE: [(&str, &str); 1] = [("LC_ALL", "C.UTF-8")];

/// The variable to add to the environment of a user's own program; `None` where the environment
/// already has a UTF-8 locale, whose language is kept.
pub fn user_locale() -> Option<(&'static str, &'static str)> {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"].map(|name| std::env::var(name).unwrap_or_default());
    let [locale] = UTF8_LOCALE;
    (!is_utf8(&set)).then_some(locale)
}

/// Whether the first value that is set names a UTF-8 locale; see locale(7).
fn is_utf8(set: &[String]) -> bool {
    let locale = set.iter().find(|value| !value.is_empty()).map_or("", String::as_str);
    let encoding = locale.split_once('.').map_or("", |(_, rest)| rest);
    let encoding = encoding.split('@').next().unwrap_or("").to_ascii_lowercase();
    encoding.replace('-', "") == "utf8"
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_first_variable_that_is_set_counts() {
        let is_utf8 = |set: [&str; 3]| super::is_utf8(&set.map(String::from));
        assert!(is_utf8(["", "", "de_DE.UTF-8"]));
        assert!(is_utf8(["", "C.utf8", "C"]));
        assert!(is_utf8(["ca_ES.UTF-8@valencia", "", ""]));
        assert!(!is_utf8(["C", "", "de_DE.UTF-8"]));
        assert!(!is_utf8(["", "", ""]));
        assert!(!is_utf8(["de_DE.ISO-8859-1", "", ""]));
    }
}
