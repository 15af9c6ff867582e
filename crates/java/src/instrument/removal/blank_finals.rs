//! Blank final fields, which code assigns because their declarations don't.

use crate::java::SourceFile;
use crate::java::fast_hash::Set;
use crate::java::syntax::{self, field, kind};

/// Returns the names of all fields of `file` that are final and have no initialiser: statements
/// that assign them stay.
pub(super) fn blank_finals(file: &SourceFile) -> Set<&str> {
    let mut names = Set::default();
    syntax::walk(file.tree.root_node(), |node, _| {
        if node.kind() == kind::FIELD_DECLARATION && syntax::has_modifier(node, "final", &file.text)
        {
            let declarators = syntax::fields(node, field::DECLARATOR).into_iter();
            let blank = declarators.filter(|d| syntax::field(*d, field::VALUE).is_none());
            names.extend(blank.filter_map(|d| Some(file.text_of(syntax::field(d, field::NAME)?))));
        }
        true
    });
    names
}
