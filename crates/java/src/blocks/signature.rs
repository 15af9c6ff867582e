//! Parameter types in the names of units: as written, without type arguments, annotations,
//! white space and comments (`int`, `String[]`, `T...`).

use crate::java::SyntaxNode;

use crate::java::SourceFile;
use crate::java::syntax::{self, field, kind};

/// Returns the parameter types of a method, constructor or record declaration, as
/// `(int,String[])`; `()` if it has no parameter list.
pub fn parameters(file: &SourceFile, declaration: SyntaxNode<'_>) -> String {
    let list = syntax::field(declaration, field::PARAMETERS);
    let types: Vec<String> = list
        .into_iter()
        .flat_map(syntax::named_children)
        .filter_map(|parameter| parameter_type(file, parameter))
        .collect();
    format!("({})", types.join(","))
}

fn parameter_type(file: &SourceFile, parameter: SyntaxNode<'_>) -> Option<String> {
    let ty = written_type(file, syntax::field(parameter, field::TYPE)?);
    match parameter.kind() {
        kind::FORMAL_PARAMETER => {
            let dimensions = syntax::field(parameter, field::DIMENSIONS);
            Some(ty + &dimensions.map_or_else(String::new, |node| written_type(file, node)))
        }
        kind::SPREAD_PARAMETER => Some(ty + "..."),
        _ => None,
    }
}

/// Returns a type as written, without type arguments, annotations, white space and comments.
pub fn written_type(file: &SourceFile, ty: SyntaxNode<'_>) -> String {
    let mut text = String::new();
    let mut todo = vec![ty];
    while let Some(node) = todo.pop() {
        match node.kind() {
            kind::TYPE_ARGUMENTS | kind::ANNOTATION | kind::MARKER_ANNOTATION => {}
            _ if node.is_leaf() => text.push_str(file.text_of(node)),
            _ => todo.extend(syntax::children(node).into_iter().rev()),
        }
    }
    text
}
