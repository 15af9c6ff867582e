//! Where sensors read: files of a Linux machine, asked for by patterns and handed over as
//! text, so that the same sensors read this machine and a device behind a shell.

use std::collections::{BTreeMap, BTreeSet};

/// Error of reading a machine.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The machine's own clock file can't be read.
    #[error("{host}: no /proc/uptime: {problem}; processes can be monitored on Linux and Android")]
    NoClock {
        /// The machine.
        host: String,
        /// What it said.
        problem: String,
    },
    /// A command could not be run.
    #[error("{host}: {problem}")]
    Command {
        /// The machine.
        host: String,
        /// What happened.
        problem: String,
    },
    /// The device behind a shell.
    #[error(transparent)]
    Device(Box<dyn std::error::Error + Send + Sync>),
}

/// Machine whose files can be read, this one or a board.
pub trait Host {
    /// Its name in reports.
    fn name(&self) -> String;

    /// The files that match the patterns, and the time since its start. A file that can't
    /// be read is in it as such; one that vanished meanwhile is left out.
    ///
    /// # Errors
    /// If nothing can be read at all.
    fn snapshot(&self, patterns: &BTreeSet<String>) -> Result<HostSnapshot, HostError>;

    /// What a shell command prints, its errors included.
    ///
    /// # Errors
    /// If it can't be run.
    fn ask(&self, question: &str) -> Result<String, HostError>;
}

/// Texts of a machine's files, read at about one time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HostSnapshot {
    /// Seconds since the machine's start, by its own monotonic clock: no step of the wall
    /// clock shows in it.
    pub uptime_s: f64,
    files: BTreeMap<String, Result<String, String>>,
}

impl HostSnapshot {
    /// Creates a snapshot without files.
    pub fn at(uptime_s: f64) -> Self {
        Self { uptime_s, files: BTreeMap::new() }
    }

    /// Adds a file's text, or why it can't be read.
    pub fn put(&mut self, path: impl Into<String>, text: Result<String, String>) {
        self.files.insert(path.into(), text);
    }

    /// Returns the text of a file.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path)?.as_deref().ok()
    }

    /// Returns a file's text as a number, without white space around it.
    pub fn number(&self, path: &str) -> Option<f64> {
        self.text(path)?.trim().parse::<f64>().ok().filter(|number| number.is_finite())
    }

    /// Returns paths and texts of the files that match a pattern, in the order of their paths.
    pub fn matching<'s>(&'s self, pattern: &'s str) -> impl Iterator<Item = (&'s str, &'s str)> {
        let found = self.files.iter().filter(move |(path, _)| matches(pattern, path));
        found.filter_map(|(path, text)| Some((path.as_str(), text.as_deref().ok()?)))
    }

    /// Returns why no file that matches was read: it cannot be read, or there is none.
    pub(crate) fn why_missing(&self, pattern: &str) -> String {
        self.refusal(pattern).unwrap_or_else(|| format!("no {pattern}"))
    }

    /// Returns why a file that matches cannot be read, if there is one.
    pub fn refusal(&self, pattern: &str) -> Option<String> {
        let found = self.files.iter().find(|(path, text)| matches(pattern, path) && text.is_err());
        found.and_then(|(path, text)| Some(format!("{path}: {}", text.as_ref().err()?)))
    }
}

/// Whether a path matches a pattern: `*` stands for any part of a name, `[0-9]` for a
/// digit, as in a shell.
pub fn matches(pattern: &str, path: &str) -> bool {
    let (mut patterns, mut names) = (pattern.split('/'), path.split('/'));
    loop {
        match (patterns.next(), names.next()) {
            (None, None) => return true,
            (Some(pattern), Some(name)) if matches_name(pattern, name) => {}
            _ => return false,
        }
    }
}

/// Whether one part of a path matches a part of a pattern.
pub(super) fn matches_name(pattern: &str, name: &str) -> bool {
    if let Some(rest) = pattern.strip_prefix("[0-9]") {
        let mut letters = name.chars();
        return letters.next().is_some_and(|c| c.is_ascii_digit())
            && matches_name(rest, letters.as_str());
    }
    if let Some(rest) = pattern.strip_prefix('*') {
        let ends = name.char_indices().map(|(at, _)| at).chain([name.len()]);
        return ends.into_iter().any(|at| matches_name(rest, &name[at..]));
    }
    let mut letters = pattern.chars();
    match letters.next() {
        None => name.is_empty(),
        Some(first) => {
            name.strip_prefix(first).is_some_and(|rest| matches_name(letters.as_str(), rest))
        }
    }
}

const MARK: &str = "@@@ ";

/// Returns a shell command that prints the files: built-in commands only, since a process per file
/// would cost the device more than what it runs.
pub fn shell_question(patterns: &BTreeSet<String>) -> String {
    let mut names: Vec<&str> = patterns.iter().map(String::as_str).collect();
    names.insert(0, "/proc/uptime");
    format!(
        "for f in {}; do [ -e \"$f\" ] || continue; echo \"{MARK}$f\"; \
         {{ while IFS= read -r l; do echo \"$l\"; done <\"$f\"; }} 2>&1; done",
        names.join(" ")
    )
}

/// Parses the output of [`shell_question`]; `None` if it has no time.
pub fn parse_shell_answer(text: &str) -> Option<HostSnapshot> {
    let mut snapshot = HostSnapshot::default();
    let mut uptime = None;
    for part in text.split(MARK).skip(1) {
        let (path, rest) = part.split_once('\n').unwrap_or((part, ""));
        let path = path.trim_end();
        if path == "/proc/uptime" {
            uptime = uptime_s(rest);
        }
        let refused = ["ermission denied", "can't open", "cannot open", "No such"];
        let line = rest.lines().next().unwrap_or("");
        if refused.iter().any(|word| line.contains(word)) {
            // one that has gone is no refusal
            if line.contains("ermission") {
                snapshot.put(path, Err("permission denied".to_string()));
            }
        } else {
            snapshot.put(path, Ok(rest.replace('\r', "")));
        }
    }
    snapshot.uptime_s = uptime?;
    Some(snapshot)
}

/// Parses the seconds in `/proc/uptime`.
pub fn uptime_s(text: &str) -> Option<f64> {
    let first = text.split_ascii_whitespace().next()?;
    first.parse::<f64>().ok().filter(|seconds| seconds.is_finite() && *seconds >= 0.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn patterns_are_those_of_a_shell() {
        assert!(matches("/proc/[0-9]*/stat", "/proc/12/stat"));
        assert!(!matches("/proc/[0-9]*/stat", "/proc/self/stat"));
        assert!(!matches("/proc/[0-9]*/stat", "/proc/12/task/12/stat"));
        assert!(matches("/sys/p/policy*/stats/x", "/sys/p/policy4/stats/x"));
        assert!(matches("/a*c", "/abcc") && !matches("/a*c", "/abcd") && matches("/*", "/é"));
    }

    #[test]
    fn a_shells_answer_reads_back() {
        let text = "@@@ /proc/uptime\r\n12.5 3\r\n@@@ /proc/1/stat\r\n1 (a) S\r\n\
                    @@@ /x\nsh: /x: Permission denied\n@@@ /gone\nsh: can't open /gone: No such file\n";
        let snapshot = parse_shell_answer(text).unwrap();
        assert_eq!(snapshot.uptime_s, 12.5);
        assert_eq!(snapshot.text("/proc/1/stat"), Some("1 (a) S\n"));
        assert_eq!(snapshot.refusal("/x").unwrap(), "/x: permission denied");
        assert_eq!((snapshot.text("/gone"), snapshot.refusal("/gone")), (None, None));
        assert_eq!(parse_shell_answer("sh: syntax error"), None);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[ -~\n@é]{0,200}", pattern in "[/*a\\[0\\-9\\]]{0,10}") {
            let _ = parse_shell_answer(&format!("@@@ /proc/uptime\n1\n{text}"));
            let _ = matches(&pattern, &text);
        }
    }
}
