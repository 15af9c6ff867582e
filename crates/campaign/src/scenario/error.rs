//! Errors of a scenario file, with their lines.

use std::fmt;
use std::path::{Path, PathBuf};

use thiserror::Error;
use wattline_units::shortened::{shortened, shortened_message};

use crate::format::visible_path;

/// Error of reading or checking a scenario file. The message names file, line and key.
#[derive(Debug, Error)]
pub enum ScenarioError {
    /// The file can't be read.
    #[error("{}: can't be read; give the path of a scenario file (TOML)", visible_path(file))]
    Read {
        /// The requested file.
        file: PathBuf,
        /// The operating system's error.
        #[source]
        source: std::io::Error,
    },
    /// No TOML, or a missing key, or a value of the wrong type.
    #[error("{}:{line}: {message}", visible_path(file))]
    Syntax {
        /// The scenario file.
        file: PathBuf,
        /// Line, from 1.
        line: usize,
        /// The TOML reader's message.
        message: String,
    },
    /// An unknown key.
    #[error("{}:{line}: unknown key `{key}`{}", visible_path(file), meant)]
    UnknownKey {
        /// The scenario file.
        file: PathBuf,
        /// Line, from 1.
        line: usize,
        /// The key in the file.
        key: String,
        /// The known key that is probably meant.
        meant: MeantKey,
    },
    /// An invalid value.
    #[error("{}:{line}: `{}` {message}", visible_path(file), shortened(key))]
    Invalid {
        /// The scenario file.
        file: PathBuf,
        /// Line of the key, or of the table that should hold it; from 1.
        line: usize,
        /// Path of the key: `input[1].steps[0].at_s`.
        key: String,
        /// The problem and a remedy.
        message: String,
    },
}

/// A failed check, before its line is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedCheck {
    /// Path of the key: `input[1].steps[0].at_s`.
    pub key: String,
    /// The problem and a remedy, as the rest of a sentence that begins with the key.
    pub message: String,
}

impl FailedCheck {
    pub(super) fn new(key: impl Into<String>, message: impl Into<String>) -> Self {
        Self { key: key.into(), message: message.into() }
    }

    /// The error with the line of the key in the file's text.
    pub(super) fn at(self, file: &Path, text: &str) -> ScenarioError {
        let line = super::key_lines::line_of_key(text, &self.key);
        ScenarioError::Invalid { file: file.into(), line, key: self.key, message: self.message }
    }
}

/// Known key that an unknown key probably means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MeantKey {
    /// The new name of a key from before 0.1.0.
    Renamed(&'static str),
    /// The known key with the most similar spelling.
    Nearest(String),
    /// No similar key.
    Unknown,
}

/// Keys of scenarios from before 0.1.0 with their new names.
const RENAMED_KEYS: [(&str, &str); 3] =
    [("kernels", "microbenchmarks"), ("begin_mark", "begin_marker"), ("end_mark", "end_marker")];

impl MeantKey {
    fn of<'a>(key: &str, known: impl Iterator<Item = &'a str>) -> Self {
        if let Some((_, name)) = RENAMED_KEYS.iter().find(|(former, _)| *former == key) {
            return Self::Renamed(name);
        }
        nearest_of(key, known).map_or(Self::Unknown, Self::Nearest)
    }
}

impl fmt::Display for MeantKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Renamed(name) => write!(f, "; its name is `{name}` now"),
            Self::Nearest(key) => write!(f, "; did you mean `{key}`?"),
            Self::Unknown => f.write_str("; no key of that section is spelled like it"),
        }
    }
}

/// Converts an error of the TOML reader, with the known key nearest to an unknown one.
pub(super) fn from_toml(error: &toml::de::Error, file: &Path, text: &str) -> ScenarioError {
    let line = super::key_lines::line_of_byte(text, error.span().map_or(0, |span| span.start));
    let message = error.message().to_string();
    if let Some(rest) = message.strip_prefix("unknown field `")
        && let Some((key, known)) = rest.split_once('`')
    {
        let meant = MeantKey::of(key, known.split('`').skip(1).step_by(2));
        let key = shortened(key).into_owned();
        return ScenarioError::UnknownKey { file: file.into(), line, key, meant };
    }
    ScenarioError::Syntax { file: file.into(), line, message: plain_message(&message) }
}

/// The TOML reader's message without the names of Rust's types.
fn plain_message(message: &str) -> String {
    let (found, wanted) = message.rsplit_once(", expected ").unwrap_or((message, ""));
    let wanted = match wanted {
        "" => return shortened_message(message).into_owned(),
        "u32" | "u64" | "usize" => "a whole number of 0 or more",
        "i32" | "i64" => "a whole number",
        "f64" => "a number",
        // The name of a type of ours says nothing to who writes the file.
        other if other.starts_with("struct ") => "a table of keys and values",
        other => other,
    };
    format!("{}, expected {wanted}", shortened(found))
}

/// The known word most similar to `key`, if any is near.
pub fn nearest_of<'a>(key: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    // One slip counts for less than the measure has it in a short word, two in a long one.
    let likeness = |word: &str| match (strsim::osa_distance(key, word), key.len()) {
        (0 | 1, _) => 1.0,
        (2, 5..) => strsim::jaro_winkler(key, word).max(0.75),
        _ => strsim::jaro_winkler(key, word),
    };
    let scored = known.map(|word| (likeness(word), word));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(a.1)))?;
    (best.0 > 0.7).then(|| best.1.to_string())
}
