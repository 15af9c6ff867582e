//! Options of javac that a user's build may have beside those that are keys of their own.

/// How options begin that are taken as they are. Those of two words may have their value in the
/// next word.
pub const TAKEN: [&str; 6] =
    ["-A", "-XD", "--add-exports", "--add-reads", "--add-modules", "--limit-modules"];

/// How options begin that change nothing about the classes.
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

/// What is done with an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JavacOption {
    /// It goes to javac, with its value.
    Taken,
    /// It changes no class.
    WithoutEffect,
    /// It is said elsewhere, or would make another program.
    Refused,
}

impl JavacOption {
    /// Of an option by its first word.
    pub fn of(option: &str) -> Self {
        let begins = |with: &&str| option.starts_with(*with);
        if TAKEN.iter().any(&begins) {
            Self::Taken
        } else if WITHOUT_EFFECT.iter().any(begins) {
            Self::WithoutEffect
        } else {
            Self::Refused
        }
    }
}

/// Whether an option has its value in the next word.
fn has_value(option: &str) -> bool {
    option.starts_with("--") && !option.contains('=')
}

/// The options with their values, by what is done with them.
pub fn sorted(options: &[String]) -> Vec<(JavacOption, Vec<String>)> {
    let mut words = options.iter().peekable();
    let mut found = Vec::new();
    while let Some(option) = words.next() {
        let mut all = vec![option.clone()];
        if has_value(option) {
            all.extend(words.next_if(|word| !word.starts_with('-')).cloned());
        }
        found.push((JavacOption::of(option), all));
    }
    found
}

/// The first option that is not taken as it is.
pub fn first_refused(options: &[String]) -> Option<&str> {
    let found = sorted(options).into_iter().find(|(kind, _)| *kind == JavacOption::Refused)?;
    options.iter().find(|option| **option == found.1[0]).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_have_their_values_with_them() {
        let options = ["-Aa=b", "--add-exports", "m/p=q", "-Xlint:all", "-Xplugin:Manifold", "-d"];
        let options = options.map(String::from);
        let kinds: Vec<(JavacOption, usize)> =
            sorted(&options).into_iter().map(|(kind, words)| (kind, words.len())).collect();
        use JavacOption::{Refused, Taken, WithoutEffect};
        let expected = [(Taken, 1), (Taken, 2), (WithoutEffect, 1), (Refused, 1), (Refused, 1)];
        assert_eq!(kinds, expected);
        assert_eq!(first_refused(&options), Some("-Xplugin:Manifold"));
        assert_eq!(first_refused(&options[..4]), None);
    }
}
