//! A lean copy of a file's syntax tree: flat, with parents, without comments,
//! punctuation and annotations. Types are looked up by its dense node ids.

mod surface;

use super::kinds::{Field, Kind};
use super::{SourceFile, SyntaxNode};

/// A node of a [`LeanTree`]: its index in source order (parents before children).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

const NONE: u32 = u32::MAX;

/// The first node below one follows it directly.
#[derive(Debug, Clone)]
struct TreeEntry {
    start: u32,
    end: u32,
    line: u32,
    parent: u32,
    next: u32,
    kind: Kind,
    field: Field,
    missing: bool,
    /// In a surface, whether more than [`LARGE`] nodes are left out below it.
    is_large: bool,
}

/// What compilers inline wherever they meet it has few instructions: ART's
/// `--inline-max-code-units` is 32 of two bytes each, HotSpot's `MaxInlineSize` 35 bytes for
/// what is not hot. More nodes than this are more than 64 bytes of bytecode in 95 % of the 716
/// methods of JBox2D that can be told by their names, or neither is the case.
const LARGE: u32 = 45;

/// The lean tree of one file.
#[derive(Debug, Clone, Default)]
pub struct LeanTree {
    entries: Vec<TreeEntry>,
    /// The ids of the nodes in the syntax tree, ascending.
    syntax_ids: Vec<usize>,
}

impl LeanTree {
    /// Copies the tree of `file`, without recursion, in one pass.
    pub fn of(file: &SourceFile) -> LeanTree {
        // More than it takes; what is too much goes back.
        let nodes = file.tree.len();
        let (entries, syntax_ids) = (Vec::with_capacity(nodes), Vec::with_capacity(nodes));
        let mut tree = LeanTree { entries, syntax_ids };
        tree.copy(file);
        tree.entries.shrink_to_fit();
        for cast in tree.nodes().filter(|n| tree.kind(*n) == Kind::Cast).collect::<Vec<_>>() {
            tree.mend_cast(cast);
        }
        tree
    }

    /// `(a.b) - c`: the grammar also takes it for a cast of `-c`, which only primitive
    /// types allow.
    fn mend_cast(&mut self, cast: NodeId) {
        let parts: Vec<NodeId> = self.children(cast).collect();
        let [ty, value] = parts[..] else { return };
        let operand: Vec<NodeId> = self.children(value).collect();
        let [operator, right] = operand[..] else { return };
        let is_sign = matches!(self.kind(operator), Kind::Plus | Kind::Minus);
        let is_name = matches!(self.kind(ty), Kind::TypeIdentifier | Kind::ScopedTypeIdentifier);
        if !is_sign || !is_name || self.kind(value) != Kind::Unary {
            return;
        }
        self.name_not_type(ty);
        self.entries[cast.0 as usize].kind = Kind::Binary;
        self.entries[ty.0 as usize].field = Field::Left;
        self.entries[ty.0 as usize].next = operator.0;
        self.entries[right.0 as usize].field = Field::Right;
        for node in [operator, right] {
            self.entries[node.0 as usize].parent = cast.0;
        }
    }

    /// Makes a type's name the name of a variable.
    fn name_not_type(&mut self, node: NodeId) {
        let mut at = Some(node);
        while let Some(node) = at.take() {
            if self.kind(node) == Kind::TypeIdentifier {
                self.entries[node.0 as usize].kind = Kind::Identifier;
                return;
            }
            self.entries[node.0 as usize].kind = Kind::FieldAccess;
            let parts: Vec<NodeId> = self.children(node).collect();
            let [object, name] = parts[..] else { return };
            self.entries[name.0 as usize].kind = Kind::Identifier;
            self.entries[name.0 as usize].field = Field::FieldName;
            self.entries[object.0 as usize].field = Field::Object;
            at = Some(object);
        }
    }

    fn copy(&mut self, file: &SourceFile) {
        // The nodes above the current one, each with its last child so far.
        let mut above: Vec<(u32, u32)> = Vec::new();
        file.tree.root_node().walk(|node, depth| {
            above.truncate(depth);
            let Some(index) = self.visit(node, above.last_mut()) else { return false };
            above.push((index, NONE));
            let kind = self.entries[index as usize].kind;
            !kind.is_annotation() && kind != Kind::StringLiteral
        });
    }

    /// Keeps `node` if it matters; `above` is its parent with its last child.
    fn visit(&mut self, node: SyntaxNode<'_>, above: Option<&mut (u32, u32)>) -> Option<u32> {
        let (kind, field) = (node.kind(), node.field());
        let Some((parent, last)) = above else { return Some(self.push(node, kind, field, NONE)) };
        if matches!(kind, Kind::LineComment | Kind::BlockComment) {
            return None;
        }
        let is_token = matches!(
            kind,
            Kind::Increment | Kind::Decrement | Kind::New | Kind::Static | Kind::Error
        );
        // Operators are needed; the same tokens around type arguments are not.
        if !node.is_named() && !is_token && field != Field::Operator {
            return None;
        }
        let index = self.push(node, kind, field, *parent);
        if *last != NONE {
            self.entries[*last as usize].next = index;
        }
        *last = index;
        Some(index)
    }

    fn push(&mut self, node: SyntaxNode<'_>, kind: Kind, field: Field, parent: u32) -> u32 {
        self.syntax_ids.push(node.id());
        self.entries.push(TreeEntry {
            start: node.start_byte() as u32,
            end: node.end_byte() as u32,
            line: node.first_row() as u32 + 1,
            parent,
            next: NONE,
            kind,
            field,
            missing: node.is_missing(),
            is_large: false,
        });
        self.entries.len() as u32 - 1
    }

    /// The whole file.
    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// Number of nodes; ids run from 0.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no node at all (never, for a parsed file).
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All nodes in source order.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.entries.len() as u32).map(NodeId)
    }

    fn entry(&self, node: NodeId) -> &TreeEntry {
        &self.entries[node.0 as usize]
    }

    /// What the node is.
    pub fn kind(&self, node: NodeId) -> Kind {
        self.entry(node).kind
    }

    /// Its role below its parent.
    pub fn field(&self, node: NodeId) -> Field {
        self.entry(node).field
    }

    /// The line of its first character, from 1.
    pub fn line(&self, node: NodeId) -> u32 {
        self.entry(node).line
    }

    /// Whether the parser made it up to go on.
    pub fn is_missing(&self, node: NodeId) -> bool {
        self.entry(node).missing
    }

    /// The node with this id in the syntax tree, if it was kept.
    pub fn of_syntax(&self, id: usize) -> Option<NodeId> {
        let index = self.syntax_ids.binary_search(&id).ok()?;
        Some(NodeId(index as u32))
    }

    /// Gives the memory of the syntax tree's ids back: [`LeanTree::of_syntax`] finds none.
    pub fn forget_syntax(&mut self) {
        self.syntax_ids = Vec::new();
    }

    /// Its bytes in the file's text.
    pub fn range(&self, node: NodeId) -> std::ops::Range<usize> {
        let entry = self.entry(node);
        entry.start as usize..entry.end as usize
    }

    /// The node above; none for the root.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        Some(self.entry(node).parent).filter(|p| *p != NONE).map(NodeId)
    }

    /// The nodes directly below, in source order.
    pub fn children(&self, node: NodeId) -> TreeChildren<'_> {
        let first = node.0 + 1;
        let is_below = self.entries.get(first as usize).is_some_and(|entry| entry.parent == node.0);
        TreeChildren { tree: self, next: if is_below { first } else { NONE } }
    }

    /// All nodes below, in source order.
    pub fn below(&self, node: NodeId) -> impl Iterator<Item = NodeId> + use<> {
        (node.0 + 1..self.end_of(node)).map(NodeId)
    }

    /// Whether what is below is more than compilers inline wherever they meet it.
    pub fn is_large(&self, node: NodeId) -> bool {
        self.entry(node).is_large || self.end_of(node) - node.0 > LARGE
    }

    /// The index after that of the last node below.
    fn end_of(&self, node: NodeId) -> u32 {
        let above = std::iter::successors(Some(node), |at| self.parent(*at));
        let mut after = above.map(|at| self.entry(at).next);
        after.find(|next| *next != NONE).unwrap_or(self.entries.len() as u32)
    }

    /// The first child with this role.
    pub fn child(&self, node: NodeId, field: Field) -> Option<NodeId> {
        self.children(node).find(|c| self.field(*c) == field)
    }

    /// The first child of this kind.
    pub fn first(&self, node: NodeId, kind: Kind) -> Option<NodeId> {
        self.children(node).find(|c| self.kind(*c) == kind)
    }

    /// The first child that is a type.
    pub fn first_type(&self, node: NodeId) -> Option<NodeId> {
        self.children(node).find(|c| self.kind(*c).is_type())
    }

    /// The nearest node above of one of these kinds.
    pub fn above(&self, node: NodeId, kinds: &[Kind]) -> Option<NodeId> {
        let mut at = self.parent(node);
        while let Some(parent) = at {
            if kinds.contains(&self.kind(parent)) {
                return Some(parent);
            }
            at = self.parent(parent);
        }
        None
    }
}

/// Iterator over the children of a node.
pub struct TreeChildren<'t> {
    tree: &'t LeanTree,
    next: u32,
}

impl Iterator for TreeChildren<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        if self.next == NONE {
            return None;
        }
        let node = NodeId(self.next);
        self.next = self.tree.entry(node).next;
        Some(node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lean_tree_keeps_structure_and_drops_punctuation() {
        let file = SourceFile::parse("A.java", "class A { /* c */ int f = 1 + 2; @X void g() {} }");
        let tree = LeanTree::of(&file);
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
    }

    #[test]
    fn a_sign_after_a_name_in_parentheses_is_no_cast() {
        let text = "class A { int f = (a.b.c) - d; int g = (int) -d; }";
        let file = SourceFile::parse("A.java", text);
        let tree = LeanTree::of(&file);
        let of_kind = |kind| tree.nodes().filter(|n| tree.kind(*n) == kind).collect::<Vec<_>>();
        let binary = of_kind(Kind::Binary)[0];
        let parts: Vec<&str> = tree.children(binary).map(|c| &text[tree.range(c)]).collect();
        assert_eq!(parts, ["a.b.c", "-", "d"]);
        let access = of_kind(Kind::FieldAccess)[0];
        assert_eq!(&text[tree.range(tree.child(access, Field::Object).unwrap())], "a.b");
        assert_eq!(of_kind(Kind::Cast).len(), 1);
    }

    #[test]
    fn what_is_below_a_node_follows_it() {
        let text = "class A { void f() { g(1 + 2); h(); } int i; }";
        let tree = LeanTree::of(&SourceFile::parse("A.java", text));
        let body = tree.nodes().find(|n| tree.kind(*n) == Kind::Block).unwrap();
        let named = tree.below(body).filter(|n| tree.kind(*n) == Kind::Identifier);
        let names: Vec<&str> = named.map(|n| &text[tree.range(n)]).collect();
        assert_eq!(names, ["g", "h"]);
        assert_eq!(tree.below(tree.root()).count(), tree.len() - 1);
        assert!(!tree.is_large(body));
    }

    #[test]
    fn a_file_nested_a_hundred_thousand_deep_is_copied() {
        let text =
            format!("class A {{ int f = {}1{}; }}", "(".repeat(100_000), ")".repeat(100_000));
        let file = SourceFile::parse("A.java", text);
        assert!(LeanTree::of(&file).len() > 100_000);
    }
}
