//! What a row of a comparison is about.

use crate::account::MethodKey;

/// What one row is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// The unremoved cases, summed over input sequences.
    Scenario(String),
    /// One input sequence.
    Input(String),
    /// What recordings of `monitor` hold: a JVM, or all processes.
    Recording(String),
    /// A part of a recording that is no method.
    Part(String),
    /// A class, by its binary name.
    Class(String),
    /// A method.
    Method(MethodKey),
}

impl Subject {
    /// `scenario`, `input`, `recording`, `part`, `class` or `method`.
    pub fn level(&self) -> &'static str {
        match self {
            Subject::Scenario(_) => "scenario",
            Subject::Input(_) => "input",
            Subject::Recording(_) => "recording",
            Subject::Part(_) => "part",
            Subject::Class(_) => "class",
            Subject::Method(_) => "method",
        }
    }

    /// Its name without the level; a method as `package.Class.method(Types)`.
    pub fn name(&self) -> String {
        match self {
            Subject::Scenario(name)
            | Subject::Input(name)
            | Subject::Recording(name)
            | Subject::Part(name)
            | Subject::Class(name) => name.clone(),
            Subject::Method(key) => format!("{}.{}", key.class, key.method),
        }
    }
}
