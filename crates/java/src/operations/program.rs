//! The files of a program and their declarations, which know each other; and the counting of
//! its files, one by one. A file that is not to be counted need only be there as others see
//! it, so that what is kept of it from an earlier count need not be found out again.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::count::{Calls, CountResult, Numbered, count_file};
use super::in_order::InOrder;
use super::prepared::Prepared;
use crate::blocks::FileBlocks;
use crate::java::attribute::STACK_BYTES;
use crate::java::class_members::ClassMembers;
use crate::java::declarations::Declarations;
use crate::java::fingerprints::ClassFingerprints;
use crate::java::hierarchy_finder::find_hierarchy;
use crate::java::syntax_tree::SyntaxTree;
use crate::java::{ClassPath, SourceFile};

/// What is there of a file.
#[derive(Debug)]
pub enum Unit {
    /// All of it: it will be counted.
    Whole(Prepared),
    /// What other files see of it ([`SyntaxTree::surface`], or more), and how many blocks it has.
    Seen {
        /// Its tree.
        tree: SyntaxTree,
        /// The number of its blocks.
        blocks: u32,
    },
}

impl Unit {
    fn blocks(&self) -> u32 {
        match self {
            Unit::Whole(prepared) => prepared.blocks(),
            Unit::Seen { blocks, .. } => *blocks,
        }
    }

    fn split(self) -> (SyntaxTree, Option<FileBlocks>) {
        match self {
            Unit::Whole(Prepared { tree, blocks }) => (tree, Some(blocks)),
            Unit::Seen { tree, .. } => (tree, None),
        }
    }
}

/// Files whose names, supertypes and members are resolved. To be worked with within
/// [`on_deep_stacks`].
pub struct ResolvedProgram<'f> {
    members: ClassMembers<'f>,
    /// The blocks of files that will be counted.
    blocks: Vec<Option<FileBlocks>>,
    /// The id of each file's first block, and the number of its blocks.
    ids: Vec<(u32, u32)>,
}

/// A file whose turn it is.
pub struct CountedFile<'p, 'f> {
    members: &'p ClassMembers<'f>,
    /// Its index.
    pub index: usize,
    /// The id of its first block.
    pub first: u32,
    /// The number of its blocks.
    pub blocks: u32,
    /// What was counted in it; none if it is there as others see it.
    pub counted: Option<CountResult>,
}

impl CountedFile<'_, '_> {
    /// What other files see of this one.
    pub fn surface(&self) -> SyntaxTree {
        self.members.declarations().files()[self.index].tree.surface()
    }
}

impl<'f> ResolvedProgram<'f> {
    /// `parts[i]` is of `files[i]`, of which only path and text are used.
    pub fn of(
        files: &'f [SourceFile],
        parts: Vec<Unit>,
        classes: &'f ClassPath,
    ) -> ResolvedProgram<'f> {
        assert_eq!(files.len(), parts.len(), "all files are prepared");
        let ids = ids(&parts);
        let (trees, blocks): (Vec<SyntaxTree>, Vec<Option<FileBlocks>>) =
            parts.into_iter().map(Unit::split).unzip();
        let declarations = Declarations::of(files, trees, classes);
        let members = ClassMembers::of(find_hierarchy(declarations));
        ResolvedProgram { members, blocks, ids }
    }

    /// What it says of its classes.
    pub fn answers(&self) -> ClassFingerprints {
        ClassFingerprints::of(&self.members)
    }

    /// Has files counted that were there as others see them, given all of them.
    pub fn complete(&mut self, files: Vec<(usize, Prepared)>) {
        let trees = files.into_iter().map(|(index, Prepared { tree, blocks })| {
            self.blocks[index] = Some(blocks);
            (index, tree)
        });
        let trees = trees.collect();
        self.members.complete(trees);
    }

    /// `make` gets each file, on any thread and in any order; `take` gets what it makes of
    /// them in the order of the files, while the next are counted.
    pub fn each<T: Send>(
        self,
        calls: Calls,
        make: impl Fn(CountedFile<'_, '_>) -> T + Sync,
        take: impl FnMut(T) + Send,
    ) {
        let ResolvedProgram { members, blocks, ids } = self;
        let ordered = Mutex::new(InOrder::new(take));
        // Each core takes the next file, so that few results wait for one before them.
        let files = blocks.into_iter().zip(ids).enumerate().par_bridge();
        files.for_each(|(index, (in_file, (first, blocks)))| {
            let file = Numbered { file: &members.declarations().files()[index], index, first };
            let counted = in_file.map(|in_file| count_file(&members, file, in_file, calls));
            let made = make(CountedFile { members: &members, index, first, blocks, counted });
            ordered.lock().unwrap_or_else(PoisonError::into_inner).put(index, made);
        });
        members.release_memory();
    }
}

/// The id of each file's first block, and the number of its blocks: ids are dense over the
/// files in order.
fn ids(parts: &[Unit]) -> Vec<(u32, u32)> {
    let ids = parts.iter().scan(0, |next, part| {
        let first = *next;
        *next += part.blocks();
        Some((first, part.blocks()))
    });
    ids.collect()
}

/// Runs `work`, and what it does in parallel, on threads with deep stacks: attribution
/// recurses as deep as the source nests, which needs more than a default stack.
pub fn on_deep_stacks<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    match rayon::ThreadPoolBuilder::new().stack_size(STACK_BYTES).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}
