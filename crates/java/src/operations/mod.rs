//! Typed energy operations and library calls per block: the dictionary. The 120 operations are data
//! (`wattline_units::operation`), the counting rules are code; they are written down in
//! `docs/internals/operations.md`.
//!
//! To add an operation: a row in the catalogue there, and the place that counts it (one
//! file per concern: binary, assignment, call, creation, control, reference).

mod assignment;
mod binary;
mod call;
pub mod call_graph;
#[cfg(test)]
mod call_graph_tests;
mod context;
#[cfg(test)]
mod context_tests;
mod control;
mod count;
mod counted_loops;
mod counter;
mod creation;
#[cfg(test)]
mod inference_tests;
#[cfg(test)]
mod member_tests;

pub mod dictionary;
pub mod mix;
mod operation_verb;
mod ordered_results;
pub mod prepared_file;
pub mod program;
mod reference;
#[cfg(test)]
mod scale_tests;
mod tables;
#[cfg(test)]
mod tests;
mod unresolved_findings;

pub use call_graph::{CallGraph, CallSite};
pub use count::{CallResolution, CountResult, count, count_each};
pub use dictionary::{BlockEntry, Dictionary, OperationCount};
pub use mix::OperationMix;
pub use operation_verb::OperationVerb;
pub use prepared_file::PreparedFile;
pub use program::{CountedFile, ResolvedProgram, Unit, run_on_deep_stacks};
pub use tables::{
    DictionaryError, DictionaryTables, counts_by_kind, dictionary_table_schemas, findings_csv,
};
pub use wattline_units::operation::{
    Feature, FeatureColumn, LibraryFunction, Operation, OperationClass, UnknownFeature, form_name,
    is_compiled_away, split_form, unmeasured_cost_ratio,
};
