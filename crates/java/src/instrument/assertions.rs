//! Removal of `assert` statements, as in Android's release builds. Without `-ea` they are never
//! executed, but each still reads a flag of its class; no operation is counted for that.

use super::edits::Edits;
use crate::java::syntax::{self, kind};
use crate::java::{SourceFile, SyntaxNode};

/// Replaces every `assert` of a file's units by an empty statement.
pub fn leave_out(file: &SourceFile, edits: &mut Edits) {
    let mut todo = vec![file.tree.root_node()];
    while let Some(node) = todo.pop() {
        match node.kind() == kind::ASSERT_STATEMENT {
            // The classes in it have numbers, which those that follow go by.
            true if holds_class(node) => {}
            true => edits.replace(node.byte_range(), ";"),
            false => todo.extend(syntax::named_children(node)),
        }
    }
}

fn holds_class(assertion: SyntaxNode<'_>) -> bool {
    let mut todo = vec![assertion];
    while let Some(node) = todo.pop() {
        if matches!(node.kind(), kind::CLASS_BODY | kind::LAMBDA_EXPRESSION) {
            return true;
        }
        todo.extend(syntax::named_children(node));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_classes_stay() {
        let text = "class A {\n void f(int x) {\n  assert x >\n   0 : \"x\";\n  if (x > 1) \
                    assert false;\n  assert new Object() { }.hashCode() > 0;\n }\n}\n";
        let file = SourceFile::parse("A.java", text);
        let mut edits = Edits::default();
        leave_out(&file, &mut edits);
        let expected = "class A {\n void f(int x) {\n  ;\n\n  if (x > 1) ;\n  \
                        assert new Object() { }.hashCode() > 0;\n }\n}\n";
        assert_eq!(edits.apply(text), expected);
    }
}
