//! Reference pages and JSON schemas of files, generated from the types that read or write them:
//! meanings from the doc comments, names, defaults and limits from the attributes.

mod field_order;
mod json_schema;
mod key_section;
mod markdown;
mod table_schema;

pub use field_order::field_names;
pub use json_schema::json_schema_for_editors;
pub use key_section::{KeyEntry, KeySection};
pub use table_schema::{ColumnKind, ColumnSchema, DeclaredColumn, TableSchema};
