//! Serialisation of syntax trees as bytes, for caches.

use serde::{Deserialize, Serialize};

use super::{NONE, SyntaxEntry, SyntaxTree};
use crate::java::kinds::{Field, Kind};

/// Node in the serialised form, relative to the node before it.
#[derive(Serialize, Deserialize)]
struct EncodedNode {
    /// Bytes after the start of the node before it.
    ahead: i32,
    length: u32,
    line: u32,
    /// Distance back to the parent, in nodes; 0 for the root.
    parent: u32,
    /// Number of nodes below.
    below: u32,
    kind: Kind,
    field: Field,
    flags: u8,
}

/// Approximate bytes of a serialised node.
const NODE_BYTES: usize = 10;

const MEMORY: &str = "writing numbers to memory does not fail";

impl SyntaxTree {
    /// Serialises the tree.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.entries.len() * NODE_BYTES);
        let mut before = 0;
        for (index, entry) in (0..).zip(&self.entries) {
            let kept = EncodedNode {
                ahead: entry.start.wrapping_sub(before) as i32,
                length: entry.end - entry.start,
                line: entry.line,
                parent: if entry.parent == NONE { 0 } else { index - entry.parent },
                below: entry.after - index - 1,
                kind: entry.kind,
                field: entry.field,
                flags: entry.flags,
            };
            before = entry.start;
            bytes = postcard::to_extend(&kept, bytes).expect(MEMORY);
        }
        bytes
    }

    /// Reads the tree of `text` that [`SyntaxTree::to_bytes`] wrote; `None` if the bytes are
    /// invalid.
    pub fn from_bytes(mut bytes: &[u8], text: &str) -> Option<SyntaxTree> {
        let mut entries: Vec<SyntaxEntry> = Vec::with_capacity(bytes.len() / NODE_BYTES);
        while !bytes.is_empty() {
            let (kept, rest) = postcard::take_from_bytes::<EncodedNode>(bytes).ok()?;
            let index = u32::try_from(entries.len()).ok()?;
            let before = entries.last().map_or(0, |entry| entry.start);
            entries.push(kept.at(index, before)?);
            bytes = rest;
        }
        let nodes = entries.len() as u32;
        let is_whole = |entry: &SyntaxEntry| {
            entry.after <= nodes && text.get(entry.start as usize..entry.end as usize).is_some()
        };
        let is_tree = nodes > 0 && entries.iter().all(is_whole);
        is_tree.then_some(SyntaxTree { entries })
    }
}

impl EncodedNode {
    /// Returns the entry of the node with this index, after one that starts at `before`.
    fn at(self, index: u32, before: u32) -> Option<SyntaxEntry> {
        let start = before.wrapping_add(self.ahead as u32);
        let parent = match (index, self.parent) {
            (0, 0) => NONE,
            (_, 0) => return None,
            (_, back) => index.checked_sub(back)?,
        };
        let after = index.checked_add(1)?.checked_add(self.below)?;
        let end = start.checked_add(self.length)?;
        let EncodedNode { line, kind, field, flags, .. } = self;
        Some(SyntaxEntry { start, end, line, parent, after, kind, field, flags })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::java::SourceFile;

    const TEXT: &str = "package p; class A<T extends B> extends C implements D, E {
        static final int N = 1 + (int) M, X = f(1 + 2); int[] a = { 1, 2 }, b = new int[3];
        @Deprecated void m(int x, T... y) throws E { int z = x + 1; class L {} } }";

    #[test]
    fn trees_come_back_from_their_bytes() {
        let whole = SourceFile::parse("A.java", TEXT).tree;
        let (pruned, _) = whole.pruned();
        for tree in [pruned.surface(), pruned, whole] {
            let bytes = tree.to_bytes();
            let back = SyntaxTree::from_bytes(&bytes, TEXT).unwrap();
            assert_eq!(format!("{:?}", back.entries), format!("{:?}", tree.entries));
            assert!(SyntaxTree::from_bytes(&bytes, &TEXT[..100]).is_none());
            assert!(SyntaxTree::from_bytes(&bytes[..bytes.len() - 1], TEXT).is_none());
            assert!(SyntaxTree::from_bytes(&bytes[9..], TEXT).is_none());
        }
        assert!(SyntaxTree::from_bytes(&[], TEXT).is_none());
    }
}
