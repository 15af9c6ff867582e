//! Correction of `(a.b) - c`, which the grammar also parses as a cast of `-c`, although only
//! primitive types allow that. A pruned tree has the difference instead.

use super::{NodeId, SyntaxTree};
use crate::java::kinds::{Field, Kind};

impl SyntaxTree {
    /// Returns the mistaken cast of which `node`, a sign with its operand, is the value, if any.
    pub(super) fn mistaken_cast(&self, node: NodeId) -> Option<NodeId> {
        if self.kind(node) != Kind::Unary {
            return None;
        }
        let cast = self.parent(node).filter(|parent| self.kind(*parent) == Kind::Cast)?;
        let [ty, value] = self.meaningful_children(cast)[..] else { return None };
        let [operator, _] = self.meaningful_children(node)[..] else { return None };
        let is_name = matches!(self.kind(ty), Kind::TypeIdentifier | Kind::ScopedTypeIdentifier);
        let is_sign = matches!(self.kind(operator), Kind::Plus | Kind::Minus);
        (value == node && is_name && is_sign).then_some(cast)
    }

    fn meaningful_children(&self, node: NodeId) -> Vec<NodeId> {
        self.children(node).filter(|child| self.is_meaningful(*child)).collect()
    }

    /// Turns a mistaken cast, whose operand's sign is directly below it, into a sum or difference.
    pub(super) fn mend_cast(&mut self, cast: NodeId) {
        let parts: Vec<NodeId> = self.children(cast).collect();
        let [left, _, right] = parts[..] else { return };
        self.retype_as_variable(left);
        self.entry_mut(cast).kind = Kind::Binary;
        self.entry_mut(left).field = Field::Left;
        self.entry_mut(right).field = Field::Right;
    }

    /// Turns a type's name into the name of a variable.
    fn retype_as_variable(&mut self, node: NodeId) {
        let mut at = Some(node);
        while let Some(node) = at.take() {
            if self.kind(node) == Kind::TypeIdentifier {
                self.entry_mut(node).kind = Kind::Identifier;
                return;
            }
            self.entry_mut(node).kind = Kind::FieldAccess;
            let parts: Vec<NodeId> = self.children(node).collect();
            let [object, name] = parts[..] else { return };
            self.entry_mut(name).kind = Kind::Identifier;
            self.entry_mut(name).field = Field::FieldName;
            self.entry_mut(object).field = Field::Object;
            at = Some(object);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::java::SourceFile;

    #[test]
    fn a_sign_after_a_name_in_parentheses_is_no_cast() {
        let text = "class A { int f = (a.b.c) - d; int g = (int) -d; }";
        let file = SourceFile::parse("A.java", text);
        let (tree, _) = file.tree.pruned();
        let of_kind = |kind| tree.nodes().filter(|n| tree.kind(*n) == kind).collect::<Vec<_>>();
        let binary = of_kind(Kind::Binary)[0];
        let fields = [Field::Left, Field::Operator, Field::Right];
        let parts = fields.map(|field| tree.child(binary, field).unwrap());
        assert_eq!(tree.children(binary).collect::<Vec<_>>(), parts);
        assert_eq!(parts.map(|part| &text[tree.range(part)]), ["a.b.c", "-", "d"]);
        let access = of_kind(Kind::FieldAccess)[0];
        assert_eq!(&text[tree.range(tree.child(access, Field::Object).unwrap())], "a.b");
        assert_eq!(of_kind(Kind::Cast).len(), 1);
        assert_eq!(of_kind(Kind::Unary).len(), 1);
    }
}
