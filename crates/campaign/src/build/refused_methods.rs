//! Choice of methods to build without probes when javac refuses the instrumented application with
//! an error outside of every block.

use std::collections::BTreeSet;

use crate::blocks::{BlockId, FileBlocks};
use crate::java::syntax;
use crate::java::{SourceFile, SyntaxNode};
use crate::toolchain::Diagnostic;

/// The entry block of the smallest unit whose declaration contains the error's line. The error's
/// file is relative to the sources; ids are numbered over all files.
pub(super) fn entry_block_at(
    files: &[SourceFile],
    blocks: &[FileBlocks],
    error: &Diagnostic,
) -> Option<BlockId> {
    let mut first = 0;
    for (file, blocks) in files.iter().zip(blocks) {
        if error.file.as_os_str() == file.path.as_str() {
            let holding = blocks.units.iter().filter(|unit| {
                let node = file.node(unit.node);
                (node.line()..=file.last_line(node)).contains(&error.line)
            });
            let smallest = holding.min_by_key(|unit| file.node(unit.node).byte_range().len());
            return smallest.map(|unit| id(first + unit.entry));
        }
        first += blocks.blocks.len();
    }
    None
}

/// All blocks of the methods with the most deeply nested syntax tree, among methods not in `skip`;
/// empty if all are.
pub(super) fn deepest_blocks(
    files: &[SourceFile],
    blocks: &[FileBlocks],
    skip: &BTreeSet<BlockId>,
) -> BTreeSet<BlockId> {
    let mut deepest = (0, BTreeSet::new());
    let mut first = 0;
    for (file, in_file) in files.iter().zip(blocks) {
        let of_unit = |unit: usize| {
            let all = in_file.blocks.iter().enumerate();
            all.filter(move |(_, block)| block.unit.0 as usize == unit)
                .map(|(index, _)| id(first + index))
                .collect::<BTreeSet<BlockId>>()
        };
        for (number, unit) in in_file.units.iter().enumerate() {
            let depth = depth(file.node(unit.node));
            if depth > deepest.0 && !skip.contains(&id(first + unit.entry)) {
                deepest = (depth, of_unit(number));
            }
        }
        first += in_file.blocks.len();
    }
    deepest.1
}

/// Nesting depth of a syntax tree.
fn depth(node: SyntaxNode<'_>) -> usize {
    let mut deepest = 0;
    syntax::walk(node, |_, depth| {
        deepest = deepest.max(depth);
        true
    });
    deepest
}

fn id(index: usize) -> BlockId {
    BlockId(u32::try_from(index).expect("fewer blocks than 2^32"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::{Granularity, divide};

    const JAVA: &str = "class A {
    int flat(int x) { return x; }
    int deep(int x) {
        return x + (1 + (x * (2 + x)));
    }
    int less(int x) { return x + (1 + x); }
}";

    #[test]
    fn the_method_of_a_complaint_is_the_smallest_that_holds_its_line() {
        let files = [SourceFile::parse("p/A.java", JAVA)];
        let blocks = [divide(&files[0], Granularity::Statement)];
        let at = |file: &str, line| {
            let (message, details) = (String::new(), Vec::new());
            let error = Diagnostic { file: file.into(), line, message, details };
            let entry = entry_block_at(&files, &blocks, &error)?;
            Some(blocks[0].blocks[entry.0 as usize].name.clone())
        };
        assert_eq!(at("p/A.java", 3).as_deref(), Some("A.deep(int)"));
        assert_eq!(at("p/A.java", 6).as_deref(), Some("A.less(int)"));
        assert_eq!(at("p/B.java", 3), None);
    }

    #[test]
    fn the_deepest_methods_are_skipped_one_after_the_other() {
        let files = [SourceFile::parse("A.java", JAVA)];
        let blocks = [divide(&files[0], Granularity::Statement)];
        let mut skip = BTreeSet::new();
        let mut names = Vec::new();
        loop {
            let deepest = deepest_blocks(&files, &blocks, &skip);
            let Some(first) = deepest.first() else { break };
            names.push(blocks[0].blocks[first.0 as usize].name.clone());
            skip.extend(deepest);
        }
        assert_eq!(names, ["A.deep(int)", "A.less(int)", "A.flat(int)"]);
    }
}
