//! Blocks that may have to be removed together with blocks whose removal crashes the program: those
//! on the lines of the stack trace, innermost first, then those that read what the removed blocks
//! assign. A guess only chooses what is tried.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::blocks::BlockId;
use crate::campaign::MOST_REMOVED_JOINTLY;
use crate::operations::{BlockEntry, Dictionary};

use super::Sources;
use super::data_dependence::{assigned_names, mentions};
use super::stack_frame::{StackFrame, root_cause, stack_frames};
use super::suspects::text_of;

/// Greatest number of companions of one crash.
const COMPANIONS: usize = 4;

/// Removable blocks beside `removed` that a crash without those points at, most likely first; empty
/// where so many blocks are removed that no other is tried with them.
pub(super) fn companions(
    trace: &str,
    sources: &Sources,
    dictionary: &Dictionary,
    removed: &[BlockId],
) -> Vec<BlockId> {
    if removed.len() >= MOST_REMOVED_JOINTLY {
        return Vec::new();
    }
    let left: Vec<&BlockEntry> = dictionary
        .blocks
        .iter()
        .filter(|block| block.removable && !removed.contains(&block.id))
        .collect();
    let mut found: Vec<BlockId> = Vec::new();
    let mut add = |blocks: Vec<BlockId>| {
        for block in blocks {
            if !found.contains(&block) {
                found.push(block);
            }
        }
        found.len() < COMPANIONS
    };
    let is_open = stack_frames(root_cause(trace)).all(|frame| add(on_line(&left, &frame)));
    if is_open {
        add(readers(sources, dictionary, &left, removed));
    }
    found.truncate(COMPANIONS);
    found
}

/// The blocks with the line of a frame, those with the fewest lines first.
fn on_line(blocks: &[&BlockEntry], frame: &StackFrame<'_>) -> Vec<BlockId> {
    let Some(line) = frame.line else { return Vec::new() };
    let is_here = |block: &&&BlockEntry| {
        block.class == frame.class && (block.start_line..=block.end_line).contains(&line)
    };
    let mut here: Vec<&&BlockEntry> = blocks.iter().filter(is_here).collect();
    here.sort_by_key(|block| (block.end_line - block.start_line, block.id));
    here.into_iter().map(|block| block.id).collect()
}

/// The blocks that mention a name that a removed block assigns: those of the same method first, then
/// of the same class.
fn readers(
    sources: &Sources,
    dictionary: &Dictionary,
    blocks: &[&BlockEntry],
    removed: &[BlockId],
) -> Vec<BlockId> {
    let removed: Vec<&BlockEntry> =
        removed.iter().filter_map(|id| dictionary.blocks.get(id.0 as usize)).collect();
    let texts: Vec<String> = removed.iter().map(|block| text_of(sources, block)).collect();
    let names: BTreeSet<&str> = texts.iter().flat_map(|text| assigned_names(text)).collect();
    let mut readers: Vec<&&BlockEntry> =
        blocks.iter().filter(|block| mentions(&text_of(sources, block), &names)).collect();
    readers.sort_by_key(|block| {
        let of_class = removed.iter().any(|other| other.class == block.class);
        let of_method =
            removed.iter().any(|other| other.class == block.class && other.method == block.method);
        (Reverse(of_method), Reverse(of_class), block.id)
    });
    readers.into_iter().map(|block| block.id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::Granularity;
    use crate::build::AnalysedApplication;

    const JAVA: &str = "class A {\n\
        int[] cells;\n\
        int at;\n\
        void make() {\n\
        cells = new int[9];\n\
        }\n\
        void use() {\n\
        cells[at] = 1;\n\
        }\n\
        void run() {\n\
        use();\n\
        }\n\
        }\n\
        class B {\n\
        int see(A a) {\n\
        int seen = 0;\n\
        seen += a.cells[2];\n\
        return seen;\n\
        }\n\
        }\n";

    /// Names of the companions of the removed blocks with these names.
    fn names(removed: &[&str], trace: &str) -> Vec<String> {
        let sources = Sources::of_texts([("A.java", JAVA)]);
        let application = AnalysedApplication::analyse(sources, Granularity::Statement).unwrap();
        let blocks = &application.dictionary.blocks;
        let id = |name: &&str| blocks.iter().find(|block| block.name == *name).unwrap().id;
        let removed: Vec<BlockId> = removed.iter().map(id).collect();
        let found = companions(trace, &application.sources, &application.dictionary, &removed);
        found.iter().map(|id| blocks[id.0 as usize].name.clone()).collect()
    }

    #[test]
    fn blocks_on_the_stack_come_before_readers() {
        let trace = "java.lang.NullPointerException\n\tat A.use(A.java:8)\n\tat A.run(A.java:11)\n";
        assert_eq!(names(&["A.make()"], trace), ["A.use()", "A.run()", "B.see(A)"]);
        let wrapped = format!("java.lang.Error\n\tat A.run(A.java:11)\nCaused by: {trace}");
        assert_eq!(names(&["A.make()"], &wrapped)[..2], ["A.use()", "A.run()"]);
    }

    #[test]
    fn without_lines_those_that_read_what_is_assigned_are_found() {
        assert_eq!(
            names(&["A.make()"], "java.lang.NullPointerException\n"),
            ["A.use()", "B.see(A)"]
        );
        assert_eq!(names(&["A.run()"], "died"), [""; 0]);
    }
}
