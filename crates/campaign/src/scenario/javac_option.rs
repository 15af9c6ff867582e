//! Javac options of a user's build that have no keys of their own.

/// Prefixes of options that are passed on. Options with a separate value have it in the next word.
pub const TAKEN_OPTIONS: [&str; 6] =
    ["-A", "-XD", "--add-exports", "--add-reads", "--add-modules", "--limit-modules"];

/// Prefixes of options without effect on the classes.
const WITHOUT_EFFECT: [&str; 14] = [
    "-Xlint",
    "-Xdoclint",
    "-Xdiags",
    "-Xmaxerrs",
    "-Xmaxwarns",
    "-Xpkginfo",
    "-Werror",
    "-nowarn",
    "-deprecation",
    "-verbose",
    "-g",
    "-J",
    "-Xplugin:ErrorProne",
    "--should-stop",
];

/// Treatment of a javac option in a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JavacOptionUse {
    /// Passed to javac, with its value.
    Taken,
    /// Dropped, since it changes no class.
    WithoutEffect,
    /// Refused, since another key covers it or it compiles another program.
    Refused,
}

impl JavacOptionUse {
    /// The treatment of an option, by its first word.
    pub fn of(option: &str) -> Self {
        let begins = |with: &&str| option.starts_with(*with);
        if TAKEN_OPTIONS.iter().any(&begins) {
            Self::Taken
        } else if WITHOUT_EFFECT.iter().any(begins) {
            Self::WithoutEffect
        } else {
            Self::Refused
        }
    }
}

/// Whether the option's value is in the next word.
fn has_value(option: &str) -> bool {
    option.starts_with("--") && !option.contains('=')
}

/// The options with their values, each with its treatment.
pub fn sort_options(options: &[String]) -> Vec<(JavacOptionUse, Vec<String>)> {
    let mut words = options.iter().peekable();
    let mut found = Vec::new();
    while let Some(option) = words.next() {
        let mut all = vec![option.clone()];
        if has_value(option) {
            all.extend(words.next_if(|word| !word.starts_with('-')).cloned());
        }
        found.push((JavacOptionUse::of(option), all));
    }
    found
}

/// The first option that is not passed on.
pub fn first_refused(options: &[String]) -> Option<&str> {
    let found =
        sort_options(options).into_iter().find(|(kind, _)| *kind == JavacOptionUse::Refused)?;
    options.iter().find(|option| **option == found.1[0]).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_have_their_values_with_them() {
        let options = ["-Aa=b", "--add-exports", "m/p=q", "-Xlint:all", "-Xplugin:Manifold", "-d"];
        let options = options.map(String::from);
        let kinds: Vec<(JavacOptionUse, usize)> =
            sort_options(&options).into_iter().map(|(kind, words)| (kind, words.len())).collect();
        use JavacOptionUse::{Refused, Taken, WithoutEffect};
        let expected = [(Taken, 1), (Taken, 2), (WithoutEffect, 1), (Refused, 1), (Refused, 1)];
        assert_eq!(kinds, expected);
        assert_eq!(first_refused(&options), Some("-Xplugin:Manifold"));
        assert_eq!(first_refused(&options[..4]), None);
    }
}
