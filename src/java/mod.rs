//! Java source text and class path -> syntax with names and types. Nothing here
//! fails on strange code: what can't be understood is a [`crate::finding::Finding`].

pub mod class;
pub mod classpath;
pub mod kinds;
pub mod source;
pub mod syntax;
pub mod tree;
pub mod types;

pub use classpath::ClassPath;
pub use source::SourceFile;
