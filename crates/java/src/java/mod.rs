//! Syntax, names and types of Java sources with a class path. Nothing here fails on strange
//! code: what can't be resolved is a [`crate::finding::Finding`].

pub(crate) mod attribute;
mod candidates;
pub mod class;
pub(crate) mod class_members;
pub mod classpath;
mod compact_source;
mod completion;
mod constants;
pub(crate) mod declarations;
mod declarers;
pub mod encoding;
mod escapes;
pub mod fast_hash;
pub(crate) mod file_unit;
pub mod fingerprints;
pub(crate) mod hierarchy;
pub(crate) mod hierarchy_finder;
pub mod kinds;
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
