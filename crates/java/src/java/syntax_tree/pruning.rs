//! Pruning of a tree to the nodes that are needed to resolve names and types and to count
//! operations.

use super::part_tree::{NodeShare, PartNodes};
use super::{NAMED, NodeId, SyntaxTree};
use crate::java::kinds::{Field, Kind};

impl SyntaxTree {
    /// Returns the tree without comments, punctuation and the descendants of annotations and string
    /// literals, with the nodes that it keeps.
    pub(crate) fn pruned(&self) -> (SyntaxTree, PartNodes) {
        let mut mistaken_casts = Vec::new();
        let (mut tree, kept) = self.part(|node| {
            if !self.is_meaningful(node) {
                return NodeShare::Nothing;
            }
            if let Some(cast) = self.mistaken_cast(node) {
                mistaken_casts.push(cast);
                return NodeShare::Below;
            }
            let kind = self.kind(node);
            match kind.is_annotation() || kind == Kind::StringLiteral {
                true => NodeShare::NodeAlone,
                false => NodeShare::Node,
            }
        });
        for cast in mistaken_casts.into_iter().filter_map(|cast| kept.get(cast)) {
            tree.mend_cast(cast);
        }
        (tree, kept)
    }

    /// Whether a node is more than punctuation or a comment.
    pub(super) fn is_meaningful(&self, node: NodeId) -> bool {
        match self.kind(node) {
            Kind::LineComment | Kind::BlockComment => false,
            Kind::Increment | Kind::Decrement | Kind::New | Kind::Static | Kind::Error => true,
            // Operators are needed; the same tokens around type arguments are not.
            _ => self.has(node, NAMED) || self.field(node) == Field::Operator,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::java::SourceFile;

    #[test]
    fn a_pruned_tree_keeps_structure_and_drops_punctuation() {
        let text = "class A { /* c */ int f = 1 + 2; @X(y = 1) void g() {} }";
        let file = SourceFile::parse("A.java", text);
        let (tree, kept) = file.tree.pruned();
        let kinds: Vec<Kind> = tree.nodes().map(|n| tree.kind(n)).collect();
        assert_eq!(
            &kinds[..4],
            &[Kind::Program, Kind::ClassDeclaration, Kind::Identifier, Kind::ClassBody]
        );
        let binary = tree.nodes().find(|n| tree.kind(*n) == Kind::Binary).unwrap();
        let parts: Vec<&str> = tree.children(binary).map(|c| &file.text[tree.range(c)]).collect();
        assert_eq!(parts, ["1", "+", "2"]);
        assert_eq!(tree.kind(tree.parent(binary).unwrap()), Kind::VariableDeclarator);
        assert!(tree.nodes().all(|n| tree.kind(n) != Kind::BlockComment));
        for node in file.tree.nodes() {
            let nearest = kept.nearest(&file.tree, node);
            match kept.get(node) {
                Some(same) => assert_eq!(tree.range(same), file.tree.range(node)),
                None => {
                    assert_eq!(nearest, kept.nearest(&file.tree, file.tree.parent(node).unwrap()))
                }
            }
        }
        let name_in_annotation = file.tree.nodes().find(|n| &text[file.tree.range(*n)] == "y");
        let nearest = kept.nearest(&file.tree, name_in_annotation.unwrap());
        assert_eq!(tree.kind(nearest), Kind::Annotation);
    }

    #[test]
    fn what_is_below_a_node_follows_it() {
        let text = "class A { void f() { g(1 + 2); h(); } int i; }";
        let (tree, _) = SourceFile::parse("A.java", text).tree.pruned();
        let body = tree.nodes().find(|n| tree.kind(*n) == Kind::Block).unwrap();
        let named = tree.descendants(body).filter(|n| tree.kind(*n) == Kind::Identifier);
        let names: Vec<&str> = named.map(|n| &text[tree.range(n)]).collect();
        assert_eq!(names, ["g", "h"]);
        assert_eq!(tree.descendants(tree.root()).count(), tree.len() - 1);
        assert!(!tree.is_large(body));
    }

    #[test]
    fn a_file_nested_a_hundred_thousand_deep_is_pruned() {
        let text =
            format!("class A {{ int f = {}1{}; }}", "(".repeat(100_000), ")".repeat(100_000));
        let file = SourceFile::parse("A.java", text);
        assert!(file.tree.pruned().0.len() > 100_000);
    }
}
