//! Instrumentation: sources with probes and without removed blocks, and the runtime file that
//! counts. What a probe must not change is in `docs/internals/probes.md`.
//!
//! To add a probe: a variant of [`Probe`], and what it does in `W.java`.

mod assertions;
mod block_findings;
mod closed_world;
mod condition_binding;
mod constant_value;
mod declared_names;
mod derivation;
mod edits;
mod instrumented_sources;
mod lambda_entry;
mod local_ids;
mod options;
mod placement;
mod removal;
mod rewriter;
mod runtime;
#[cfg(test)]
mod tests;

use crate::blocks::FileBlocks;
use crate::java::SourceFile;

pub use instrumented_sources::{GeneratedFile, InstrumentedSources, StatementPosition};
pub use options::{InstrumentOptions, Probe};
pub use removal::{Removals, removable};

/// Puts probes into `files` and leaves out the removed blocks. `blocks[i]` are the
/// blocks of `files[i]`; block ids are dense, in the order of files and their blocks.
/// Every statement stays on its line.
pub fn instrument(
    files: &[SourceFile],
    blocks: &[FileBlocks],
    options: &InstrumentOptions,
) -> InstrumentedSources {
    rewriter::instrument_where(files, blocks, options, |_| true)
}

/// Returns the files of [`instrument`] that have removed blocks; all others are as without
/// removal.
pub fn instrument_changed(
    files: &[SourceFile],
    blocks: &[FileBlocks],
    options: &InstrumentOptions,
) -> Vec<GeneratedFile> {
    rewriter::instrument_where(files, blocks, options, |removed| !removed.is_empty()).files
}

/// Returns the name of the class that the probes of these files call, as a JVM names it. Its
/// method `end` writes all counts.
pub fn runtime_class(files: &[SourceFile]) -> String {
    runtime::package(files, None) + ".W"
}
