//! Creations of objects and arrays.

use crate::java::SyntaxNode;

use super::{children, field};
use crate::java::SourceFile;

/// A creation in parts.
#[derive(Debug, Clone)]
pub struct Creation<'t> {
    /// The created class, or the type of the elements.
    pub ty: SyntaxNode<'t>,
    /// Whether it is an array.
    pub is_array: bool,
    /// Arguments of the constructor; lengths of the array's dimensions.
    pub arguments: Vec<SyntaxNode<'t>>,
    /// Elements of an array that is written out.
    pub elements: Option<Vec<SyntaxNode<'t>>>,
    /// Whether it is an anonymous class.
    pub is_anonymous: bool,
}

/// Takes a creation apart; `None` for anything else.
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

/// The name of a class without package and type arguments: `ArrayList` of
/// `java.util.ArrayList<String>`.
pub(super) fn simple_name<'s>(file: &'s SourceFile, ty: SyntaxNode<'_>) -> &'s str {
    let text = file.text_of(ty);
    let raw = text.split('<').next().unwrap_or(text).trim();
    raw.rsplit('.').next().unwrap_or(raw).trim()
}
