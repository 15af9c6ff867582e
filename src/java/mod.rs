//! Java source text and class path -> syntax with names and types. Nothing here
//! fails on strange code: what can't be understood is a [`crate::finding::Finding`].

pub mod source;
pub mod syntax;

pub use source::SourceFile;
