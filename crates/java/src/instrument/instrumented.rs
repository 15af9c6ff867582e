//! What instrumentation makes.

use crate::finding::Finding;

/// A file to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedFile {
    /// Path relative to the source root, with `/`.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// A statement: number of its file and offset of its first byte.
pub type Statement = (usize, usize);

/// Instrumented sources.
#[derive(Debug, Clone, Default)]
pub struct Instrumented {
    /// One file per source file, in their order, with the same lines.
    pub files: Vec<GeneratedFile>,
    /// The runtime file; none without probes.
    pub runtime: Option<GeneratedFile>,
    /// The file that the switches ask; none without switches.
    pub switch_file: Option<GeneratedFile>,
    /// The statements that have a switch, by its number.
    pub switches: Vec<Statement>,
    /// Whether each block, by id, has a probe. Those without are never counted: their
    /// executions are unknown, not zero.
    pub probed: Vec<bool>,
    /// Blocks without a probe and blocks that could not be removed.
    pub findings: Vec<Finding>,
}
