//! Program whose files refer to each other's declarations, and the counting of its files one by
//! one. A file that is not to be counted is only there as a stub for the others, so that cached
//! results of an earlier count can be used.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::count::{CallResolution, CountResult, NumberedFile, count_file};
use super::ordered_results::OrderedResults;
use super::prepared_file::PreparedFile;
use crate::blocks::FileBlocks;
use crate::java::attribute::STACK_BYTES;
use crate::java::class_members::ClassMembers;
use crate::java::declarations::Declarations;
use crate::java::fingerprints::ClassFingerprints;
use crate::java::hierarchy_finder::find_hierarchy;
use crate::java::syntax_tree::SyntaxTree;
use crate::java::{ClassPath, SourceFile};

/// File of a program: whole, or a stub for other files.
#[derive(Debug)]
pub enum Unit {
    /// The whole file, to be counted.
    Whole(PreparedFile),
    /// A stub: what other files can refer to ([`SyntaxTree::surface`], or more), and the number of
    /// blocks.
    Stub {
        /// Surface of the file's tree, or more of it.
        tree: SyntaxTree,
        /// The number of its blocks.
        blocks: u32,
    },
}

impl Unit {
    fn blocks(&self) -> u32 {
        match self {
            Unit::Whole(prepared) => prepared.blocks(),
            Unit::Stub { blocks, .. } => *blocks,
        }
    }

    fn split(self) -> (SyntaxTree, Option<FileBlocks>) {
        match self {
            Unit::Whole(PreparedFile { tree, blocks }) => (tree, Some(blocks)),
            Unit::Stub { tree, .. } => (tree, None),
        }
    }
}

/// Program whose names, supertypes and members are resolved. To be used within
/// [`run_on_deep_stacks`].
pub struct ResolvedProgram<'f> {
    members: ClassMembers<'f>,
    /// Blocks of the files that are to be counted.
    blocks: Vec<Option<FileBlocks>>,
    /// Id of each file's first block, and the number of its blocks.
    ids: Vec<(u32, u32)>,
}

/// File that was counted, or a stub in its place.
pub struct CountedFile<'p, 'f> {
    members: &'p ClassMembers<'f>,
    /// Index of the file.
    pub index: usize,
    /// Id of its first block.
    pub first: u32,
    /// Number of its blocks.
    pub blocks: u32,
    /// Result of counting it; none for a stub.
    pub counted: Option<CountResult>,
}

impl CountedFile<'_, '_> {
    /// Returns the surface of the file's tree, a stub for other files.
    pub fn api_stub(&self) -> SyntaxTree {
        self.members.declarations().files()[self.index].tree.surface()
    }
}

impl<'f> ResolvedProgram<'f> {
    /// Resolves a program. `parts[i]` is of `files[i]`, of which only path and text are used.
    pub fn of(
        files: &'f [SourceFile],
        parts: Vec<Unit>,
        classes: &'f ClassPath,
    ) -> ResolvedProgram<'f> {
        assert_eq!(files.len(), parts.len(), "all files are prepared");
        let ids = block_ids(&parts);
        let (trees, blocks): (Vec<SyntaxTree>, Vec<Option<FileBlocks>>) =
            parts.into_iter().map(Unit::split).unzip();
        let declarations = Declarations::of(files, trees, classes);
        let members = ClassMembers::of(find_hierarchy(declarations));
        ResolvedProgram { members, blocks, ids }
    }

    /// Computes the fingerprints of its classes.
    pub fn class_fingerprints(&self) -> ClassFingerprints {
        ClassFingerprints::of(&self.members)
    }

    /// Replaces the stubs of files, by index, by the whole files, which are then counted.
    pub fn replace_stubs(&mut self, files: Vec<(usize, PreparedFile)>) {
        let trees = files.into_iter().map(|(index, PreparedFile { tree, blocks })| {
            self.blocks[index] = Some(blocks);
            (index, tree)
        });
        let trees = trees.collect();
        self.members.replace_stubs(trees);
    }

    /// Counts the files: `make` gets each, on any thread and in any order; `take` gets what `make`
    /// returns, in the order of the files, while the next are counted.
    pub fn count_each_file<T: Send>(
        self,
        calls: CallResolution,
        make: impl Fn(CountedFile<'_, '_>) -> T + Sync,
        take: impl FnMut(T) + Send,
    ) {
        let ResolvedProgram { members, blocks, ids } = self;
        let ordered = Mutex::new(OrderedResults::new(take));
        // Each core takes the next file, so that few results wait for one before them.
        let files = blocks.into_iter().zip(ids).enumerate().par_bridge();
        files.for_each(|(index, (in_file, (first, blocks)))| {
            let file = NumberedFile { file: &members.declarations().files()[index], index, first };
            let counted = in_file.map(|in_file| count_file(&members, file, in_file, calls));
            let made = make(CountedFile { members: &members, index, first, blocks, counted });
            ordered.lock().unwrap_or_else(PoisonError::into_inner).put(index, made);
        });
        members.release_memory();
    }
}

/// Returns the id of each file's first block, and the number of its blocks: ids are dense over
/// the files in order.
fn block_ids(parts: &[Unit]) -> Vec<(u32, u32)> {
    let ids = parts.iter().scan(0, |next, part| {
        let first = *next;
        *next += part.blocks();
        Some((first, part.blocks()))
    });
    ids.collect()
}

/// Runs `work`, its parallel parts included, on threads with deep stacks: attribution recurses as
/// deep as the source nests, which needs more than a default stack.
pub fn run_on_deep_stacks<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    match rayon::ThreadPoolBuilder::new().stack_size(STACK_BYTES).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}
