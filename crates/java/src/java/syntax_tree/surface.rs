//! What other files can see of one: its tree without the code that only the file itself looks
//! into. And how much code it is that they do not see.

use super::part::Share;
use super::{LARGE, NodeId, SyntaxTree};
use crate::java::kinds::Kind;

/// What compilers inline wherever they meet it has few instructions: ART's
/// `--inline-max-code-units` is 32 of two bytes each, HotSpot's `MaxInlineSize` 35 bytes for
/// what is not hot. More nodes than this are more than 64 bytes of bytecode in 95 % of the 716
/// methods of JBox2D that can be told by their names, or neither is the case.
const NODES_INLINED_MAX: u32 = 45;

impl SyntaxTree {
    /// A pruned tree without what is below bodies, and below expressions that can't be constant
    /// whatever they hold. Nodes have other ids in it, and no lines.
    pub fn surface(&self) -> SyntaxTree {
        let (mut surface, kept) = self.part(|node| match self.is_inside(node) {
            true => Share::NodeAlone,
            false => Share::Node,
        });
        for (entry, node) in surface.entries.iter_mut().zip(kept.ids()) {
            entry.line = 0;
            if self.is_inside(*node) && self.is_large(*node) {
                entry.flags |= LARGE;
            }
        }
        surface
    }

    /// In a pruned tree or its surface, whether what is below a node is more than compilers
    /// inline wherever they meet it.
    pub fn is_large(&self, node: NodeId) -> bool {
        self.has(node, LARGE) || self.entry(node).after - node.0 > NODES_INLINED_MAX
    }

    /// Whether nothing below the node can be seen from another file.
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
