//! Parser of the call-tree probe's log (`wattline-calls-N.txt`) into call paths.
//!
//! `thread NAME`, then its nodes: `node PARENT BLOCK` (the entry block of the method; -1
//! for the thread's begin), and below each `BLOCK EXECUTIONS`. A block whose method has no
//! frame of its own (an initialiser, a lambda with an expression) stands at the node that
//! ran; here it gets a path of its own. `BLOCK EXECUTIONS SAMPLED` is one whose executions were
//! sampled for their paths ([`CallNode::sampled`](super::CallNode)). `over time` says that the run
//! was ended at its limit.

use wattline_units::shortened::shortened;

use super::{CallTree, ThreadCalls};
use crate::account::entry::MethodKey;
use crate::blocks::BlockId;
use crate::operations::{BlockEntry, Dictionary};

/// Error of a malformed or truncated call-tree log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallLogError {
    /// A line of no known form.
    #[error("line {line}: `{}` is no line of a log of calls", shortened(text))]
    Line {
        /// Line, from 1.
        line: usize,
        /// Its begin.
        text: String,
    },
    /// A log without an end line: the program was killed.
    #[error("the log of calls is cut off; did the program end by itself?")]
    CutOff,
}

/// Adds the log of one run to a tree.
///
/// # Errors
/// A line that is none, a block that is not in the dictionary, no end.
pub fn add_log(
    tree: &mut CallTree,
    text: &str,
    dictionary: &Dictionary,
) -> Result<(), CallLogError> {
    let mut lines = text.lines().enumerate();
    if lines.next().map(|(_, line)| line) != Some("wattline-calls 2") {
        return Err(CallLogError::CutOff);
    }
    let mut reader = CallLogReader { tree, dictionary, thread: String::new(), places: Vec::new() };
    for (number, line) in lines {
        if line == "end" {
            return Ok(());
        }
        reader.line(line).ok_or_else(|| CallLogError::Line {
            line: number + 1,
            text: line.chars().take(60).collect(),
        })?;
    }
    Err(CallLogError::CutOff)
}

/// State of reading one log: the current thread, and its nodes in the tree.
struct CallLogReader<'t> {
    tree: &'t mut CallTree,
    dictionary: &'t Dictionary,
    thread: String,
    /// For each node of the log's thread its index in the tree; `None` for the thread's root.
    places: Vec<Option<usize>>,
}

impl CallLogReader<'_> {
    fn line(&mut self, line: &str) -> Option<()> {
        if let Some(name) = line.strip_prefix("thread ") {
            self.thread = unescaped(name);
            self.places.clear();
            self.tree.threads.entry(self.thread.clone()).or_default();
            return Some(());
        }
        if line == "over time" {
            self.tree.over_time += 1;
            return Some(());
        }
        let (first, second) = line.split_once(' ')?;
        if first == "lost" {
            self.tree.lost_threads += second.parse::<u64>().ok()?;
            return Some(());
        }
        match first {
            "node" => self.node(second),
            block => self.executions(block, second),
        }
    }

    /// Reads a `node` line: `PARENT BLOCK`.
    fn node(&mut self, line: &str) -> Option<()> {
        let at = match line.split_once(' ')? {
            ("-1", _) => None,
            (parent, block) => {
                let parent = *self.places.get(parent.parse::<usize>().ok()?)?;
                let method = MethodKey::of(self.block(block)?);
                Some(self.thread()?.step(parent, &method))
            }
        };
        self.places.push(at);
        Some(())
    }

    /// Reads the executions of a block: `EXECUTIONS`, or `EXECUTIONS SAMPLED`.
    fn executions(&mut self, block: &str, counts: &str) -> Option<()> {
        let (executions, sampled) = counts.split_once(' ').unwrap_or((counts, "0"));
        let (executions, sampled) = (executions.parse().ok()?, sampled.parse().ok()?);
        let block = self.block(block)?;
        let (id, method) = (block.id, MethodKey::of(block));
        let at = *self.places.last()?;
        let thread = self.thread()?;
        let node = thread.step(at, &method);
        thread.count(node, id, executions, sampled);
        Some(())
    }

    fn thread(&mut self) -> Option<&mut ThreadCalls> {
        self.tree.threads.get_mut(&self.thread)
    }

    fn block(&self, id: &str) -> Option<&BlockEntry> {
        let id: u32 = id.parse().ok()?;
        self.dictionary.blocks.get(id as usize).filter(|block| block.id == BlockId(id))
    }
}

/// Decodes a thread's name: `\u000a` is a line feed.
fn unescaped(text: &str) -> String {
    let mut units = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("\\u") {
        units.extend(rest[..at].encode_utf16());
        let digits = rest.get(at + 2..at + 6);
        match digits.and_then(|digits| u16::from_str_radix(digits, 16).ok()) {
            Some(unit) => {
                units.push(unit);
                rest = &rest[at + 6..];
            }
            None => {
                units.extend("\\u".encode_utf16());
                rest = &rest[at + 2..];
            }
        }
    }
    units.extend(rest.encode_utf16());
    String::from_utf16_lossy(&units)
}
