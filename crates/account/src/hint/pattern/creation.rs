//! Creations of objects and arrays in the syntax tree.

use crate::java::SyntaxNode;

use super::{children, field};
use crate::java::SourceFile;

/// Parts of a creation: `new T(...)`, `new T[...]` or `{...}`.
#[derive(Debug, Clone)]
pub struct Creation<'t> {
    /// Created class, or the elements' type.
    pub ty: SyntaxNode<'t>,
    pub is_array: bool,
    /// Arguments of the constructor, or lengths of the array's dimensions.
    pub arguments: Vec<SyntaxNode<'t>>,
    /// Elements of an array initialiser.
    pub elements: Option<Vec<SyntaxNode<'t>>>,
    /// Whether it is an anonymous class.
    pub is_anonymous: bool,
}

/// Parses a creation; `None` for other nodes.
pub fn as_creation(node: SyntaxNode<'_>) -> Option<Creation<'_>> {
    match node.kind_name() {
        "object_creation_expression" => Some(Creation {
            ty: node.child_by_field_name("type")?,
            is_array: false,
            arguments: children(node.child_by_field_name("arguments")?),
            elements: None,
            is_anonymous: children(node).iter().any(|child| child.kind_name() == "class_body"),
        }),
        "array_creation_expression" => Some(Creation {
            ty: node.child_by_field_name("type")?,
            is_array: true,
            arguments: field(node, "dimensions").into_iter().flat_map(children).collect(),
            elements: node.child_by_field_name("value").map(children),
            is_anonymous: false,
        }),
        _ => None,
    }
}

/// Simple name of a class without package and type arguments: `ArrayList` for
/// `java.util.ArrayList<String>`.
pub(super) fn simple_name<'s>(file: &'s SourceFile, ty: SyntaxNode<'_>) -> &'s str {
    let text = file.text_of(ty);
    let raw = text.split('<').next().unwrap_or(text).trim();
    raw.rsplit('.').next().unwrap_or(raw).trim()
}
