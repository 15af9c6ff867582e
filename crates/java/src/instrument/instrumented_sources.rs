//! Result of instrumentation.

use crate::finding::Finding;

/// Source file that was generated, to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedFile {
    /// Path relative to the source root, with `/`.
    pub path: String,
    /// Text of the file.
    pub text: String,
}

/// Position of a statement: index of its file and offset of its first byte.
pub type StatementPosition = (usize, usize);

/// Sources with probes, the files of their runtime, and the blocks with a probe.
#[derive(Debug, Clone, Default)]
pub struct InstrumentedSources {
    /// One file per source file, in their order, with the same lines.
    pub files: Vec<GeneratedFile>,
    /// Runtime file that the probes call; none without probes.
    pub runtime: Option<GeneratedFile>,
    /// Source file that the switches call; none without switches.
    pub switch_file: Option<GeneratedFile>,
    /// Statements that have a switch, by number of the switch.
    pub switches: Vec<StatementPosition>,
    /// Whether each block, by id, has a probe. Those without are never counted: their
    /// executions are unknown, not zero.
    pub probed: Vec<bool>,
    /// Blocks without a probe and blocks that could not be removed.
    pub findings: Vec<Finding>,
}
