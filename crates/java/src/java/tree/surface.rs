//! What other files can see of one: its lean tree without the code that only the file
//! itself looks into. And trees as bytes, for those who keep them.

use serde::{Deserialize, Serialize};

use super::{LeanTree, NONE, NodeId, TreeEntry};
use crate::java::kinds::{Field, Kind};

impl LeanTree {
    /// The tree without what is below bodies, and below expressions that can't be constant
    /// whatever they hold. Nodes have other ids in it, and no lines.
    pub fn surface(&self) -> LeanTree {
        let mut surface = LeanTree::default();
        // Nodes to copy, the next one last, each with its parent's index in the copy.
        let mut todo = vec![(self.root(), NONE)];
        let mut last_child = Vec::new();
        while let Some((node, parent)) = todo.pop() {
            let index = surface.entries.len() as u32;
            if parent != NONE {
                let before = std::mem::replace(&mut last_child[parent as usize], index);
                if before != NONE {
                    surface.entries[before as usize].next = index;
                }
            }
            let is_inside = self.is_inside(node);
            let is_large = is_inside && self.is_large(node);
            let entry = self.entry(node).clone();
            let alone = TreeEntry { line: 0, parent, next: NONE, is_large, ..entry };
            surface.entries.push(alone);
            last_child.push(NONE);
            if !is_inside {
                let first = todo.len();
                todo.extend(self.children(node).map(|child| (child, index)));
                todo[first..].reverse();
            }
        }
        surface
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

/// A node as it is kept.
#[derive(Serialize, Deserialize)]
struct KeptNode {
    /// Bytes after the start of the node before it.
    ahead: i32,
    length: u32,
    line: u32,
    /// How far back the parent is; 0 for the root.
    parent: u32,
    /// How far ahead the next sibling is; 0 if there is none.
    next: u32,
    kind: Kind,
    field: Field,
    missing: bool,
    is_large: bool,
}

/// Bytes that a kept node takes, about.
const NODE_BYTES: usize = 10;

const MEMORY: &str = "writing numbers to memory does not fail";

impl LeanTree {
    /// The tree as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.entries.len() * NODE_BYTES);
        let mut before = 0;
        for (index, entry) in (0..).zip(&self.entries) {
            let kept = KeptNode {
                ahead: entry.start.wrapping_sub(before) as i32,
                length: entry.end - entry.start,
                line: entry.line,
                parent: if entry.parent == NONE { 0 } else { index - entry.parent },
                next: if entry.next == NONE { 0 } else { entry.next - index },
                kind: entry.kind,
                field: entry.field,
                missing: entry.missing,
                is_large: entry.is_large,
            };
            before = entry.start;
            bytes = postcard::to_extend(&kept, bytes).expect(MEMORY);
        }
        bytes
    }

    /// The tree of `text` that [`LeanTree::to_bytes`] wrote; none if they are no such bytes.
    pub fn from_bytes(mut bytes: &[u8], text: &str) -> Option<LeanTree> {
        let mut entries: Vec<TreeEntry> = Vec::with_capacity(bytes.len() / NODE_BYTES);
        while !bytes.is_empty() {
            let (kept, rest) = postcard::take_from_bytes::<KeptNode>(bytes).ok()?;
            let index = u32::try_from(entries.len()).ok()?;
            let before = entries.last().map_or(0, |entry| entry.start);
            entries.push(kept.at(index, before)?);
            bytes = rest;
        }
        let nodes = entries.len() as u32;
        let is_whole = |entry: &TreeEntry| {
            let has_next = entry.next == NONE || entry.next < nodes;
            has_next && text.get(entry.start as usize..entry.end as usize).is_some()
        };
        let is_tree = nodes > 0 && entries.iter().all(is_whole);
        is_tree.then_some(LeanTree { entries, syntax_ids: Vec::new() })
    }
}

impl KeptNode {
    /// The node with this index, after one that starts at `before`.
    fn at(self, index: u32, before: u32) -> Option<TreeEntry> {
        let start = before.wrapping_add(self.ahead as u32);
        let parent = match (index, self.parent) {
            (0, 0) => NONE,
            (_, 0) => return None,
            (_, back) => index.checked_sub(back)?,
        };
        let next = match self.next {
            0 => NONE,
            ahead => index.checked_add(ahead)?,
        };
        let end = start.checked_add(self.length)?;
        let KeptNode { line, kind, field, missing, is_large, .. } = self;
        Some(TreeEntry { start, end, line, parent, next, kind, field, missing, is_large })
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

    fn trees() -> (LeanTree, LeanTree) {
        let tree = LeanTree::of(&SourceFile::parse("A.java", TEXT));
        let surface = tree.surface();
        (tree, surface)
    }

    fn texts(tree: &LeanTree, kind: Kind) -> Vec<&str> {
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

    #[test]
    fn trees_come_back_from_their_bytes() {
        let (tree, surface) = trees();
        for tree in [tree, surface] {
            let bytes = tree.to_bytes();
            let back = LeanTree::from_bytes(&bytes, TEXT).unwrap();
            assert_eq!(format!("{:?}", back.entries), format!("{:?}", tree.entries));
            assert!(LeanTree::from_bytes(&bytes, &TEXT[..100]).is_none());
            assert!(LeanTree::from_bytes(&bytes[..bytes.len() - 1], TEXT).is_none());
            assert!(LeanTree::from_bytes(&bytes[9..], TEXT).is_none());
        }
        assert!(LeanTree::from_bytes(&[], TEXT).is_none());
    }
}
