//! Java source text and class path -> syntax with names and types. Nothing here
//! fails on strange code: what can't be understood is a [`crate::finding::Finding`].

pub(crate) mod attribute;
pub mod class;
pub(crate) mod class_members;
pub mod classpath;
mod compact_source;
mod completion;
mod constants;
pub(crate) mod declarations;
pub(crate) mod declare;
pub mod encoding;
mod escapes;
pub mod fast;
pub mod fingerprints;
pub(crate) mod hierarchy;
pub(crate) mod hierarchy_finder;
mod inherited;
pub mod kinds;
mod known;
pub(crate) mod members;
mod read_set;
mod regions;
pub(crate) mod resolver;
pub mod source;
pub(crate) mod source_class;
mod subtyping;
pub mod syntax;
pub mod syntax_tree;
pub(crate) mod tracked_lookup;
pub(crate) mod type_names;
pub mod types;

pub use classpath::ClassPath;
pub use source::SourceFile;
pub use syntax_tree::{NodeId, SyntaxNode, SyntaxTree};
