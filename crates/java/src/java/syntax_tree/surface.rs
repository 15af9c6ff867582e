//! Surface of a tree: the declarations that other files can refer to, without bodies, and flags
//! for large bodies.

use super::part_tree::NodeShare;
use super::{LARGE, NodeId, SyntaxTree};
use crate::java::kinds::Kind;

/// Most nodes of a body that compilers inline at every call. ART's `--inline-max-code-units` is
/// 32 of two bytes each, HotSpot's `MaxInlineSize` 35 bytes for code that is not hot. For 95 %
/// of the 716 methods of JBox2D that can be identified by their names, more nodes than this and
/// more than 64 bytes of bytecode coincide.
const NODES_INLINED_MAX: u32 = 45;

impl SyntaxTree {
    /// Returns a copy of a pruned tree without the descendants of bodies and of expressions that
    /// can't be constant whatever they hold. Its nodes have other ids, and no lines.
    pub fn surface(&self) -> SyntaxTree {
        let (mut surface, kept) = self.part(|node| match self.is_inside(node) {
            true => NodeShare::NodeAlone,
            false => NodeShare::Node,
        });
        for (entry, node) in surface.entries.iter_mut().zip(kept.ids()) {
            entry.line = 0;
            if self.is_inside(*node) && self.is_large(*node) {
                entry.flags |= LARGE;
            }
        }
        surface
    }

    /// Whether the code below a node of a pruned tree or its surface is too large for compilers to
    /// inline at every call.
    pub fn is_large(&self, node: NodeId) -> bool {
        self.has(node, LARGE) || self.entry(node).after - node.0 > NODES_INLINED_MAX
    }

    /// Whether no descendant of the node is visible from another file.
    fn is_inside(&self, node: NodeId) -> bool {
        let is_of_constant = || {
            self.parent(node).is_some_and(|parent| {
                matches!(self.kind(parent), Kind::EnumConstant | Kind::Creation)
            })
        };
        match self.kind(node) {
            Kind::Block | Kind::ConstructorBody | Kind::ArgumentList => true,
            Kind::Lambda | Kind::MethodReference | Kind::Switch | Kind::Template => true,
            Kind::Call | Kind::Creation | Kind::ArrayCreation | Kind::ArrayInitializer => true,
            Kind::ArrayAccess | Kind::Assignment | Kind::Update | Kind::InstanceOf => true,
            Kind::ClassBody => is_of_constant(),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::java::SourceFile;

    const TEXT: &str = "package p; import a.B; class A<T extends B> extends C implements D, E {
        static final int N = 1 + (int) M, X = f(1 + 2); int[] a = { 1, 2 }, b = new int[3];
        @Deprecated void m(int x, T... y) throws E { int z = x + 1; class L {} }
        A() { super(); } static { a = null; } enum Z { P(1) { void q() {} }, R; int f; }
        record S(int x, T y) { S { } } interface I { int K = 5; default void d() { ; } } }";

    fn trees() -> (SyntaxTree, SyntaxTree) {
        let (tree, _) = SourceFile::parse("A.java", TEXT).tree.pruned();
        let surface = tree.surface();
        (tree, surface)
    }

    fn texts(tree: &SyntaxTree, kind: Kind) -> Vec<&str> {
        let of_kind = tree.nodes().filter(|node| tree.kind(*node) == kind);
        of_kind.map(|node| &TEXT[tree.range(node)]).collect()
    }

    #[test]
    fn a_surface_has_declarations_and_constants_but_no_code() {
        let (tree, surface) = trees();
        for kind in [
            Kind::ImportDeclaration,
            Kind::ClassBody,
            Kind::VariableDeclarator,
            Kind::FormalParameter,
            Kind::SpreadParameter,
            Kind::Modifiers,
            Kind::Cast,
            Kind::EnumConstant,
        ] {
            let inner = ["int z = x + 1", "{ void q() {} }", "{}", "z = x + 1"];
            let seen: Vec<&str> =
                texts(&tree, kind).into_iter().filter(|text| !inner.contains(text)).collect();
            let shown: Vec<&str> =
                texts(&surface, kind).into_iter().filter(|text| !inner.contains(text)).collect();
            assert_eq!(seen, shown, "{kind:?}");
        }
        assert_eq!(texts(&surface, Kind::Binary), ["1 + (int) M"]);
        assert!(texts(&surface, Kind::ExplicitConstructorCall).is_empty());
        assert!(surface.len() < tree.len());
    }
}
