//! `calls.csv` of a campaign's folder: `thread, node, parent, class, method, block,
//! executions, sampled`, a row per block of a node. A node is identified by its number in its
//! thread; one that ran no block of its own has a row without a block, and a block whose
//! executions were all counted on their paths has no `sampled`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use wattline_units::file_schema::TableSchema;

use super::{CallNode, CallTree, ThreadCalls};
use crate::account::entry::MethodKey;
use crate::blocks::BlockId;
use crate::csv_text;
use crate::failure::Failure;
use crate::folder::{Artifact, names};

/// Error of a malformed `calls.csv`: line and problem.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {problem}; record it again with `wattline calls`")]
pub struct CallsFileError {
    /// Line, from 1.
    pub line: u64,
    /// What is wrong.
    pub problem: String,
}

/// Row of `calls.csv`: a block that ran in a call-tree node, or a node without blocks of its own.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct NodeBlock {
    /// Thread.
    thread: String,
    /// Number of the node in its thread.
    node: usize,
    /// Number of the caller; empty where a path begins.
    parent: Option<usize>,
    /// Class, with its package.
    class: String,
    /// Method, with the types of its parameters.
    method: String,
    /// Number of a block that ran in the node; empty for a node without blocks of its own.
    block: Option<u32>,
    /// Executions of the block.
    executions: u64,
    /// Executions whose call paths come from samples; empty where all were counted.
    #[serde(default)]
    sampled: Option<u64>,
}

/// Returns the columns of `calls.csv`.
pub fn calls_table_schema() -> TableSchema {
    TableSchema::of_rows::<NodeBlock>(
        names::CALLS,
        "`calls`, `pipeline`",
        "Executions of blocks by call path and thread",
    )
}

/// `calls.csv` as text.
fn calls_csv(tree: &CallTree) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for (thread, calls) in &tree.threads {
        for (number, node) in calls.nodes.iter().enumerate() {
            let row = |block, executions| NodeBlock {
                thread: thread.clone(),
                node: number,
                parent: node.parent,
                class: node.method.class.clone(),
                method: node.method.method.clone(),
                block,
                executions,
                sampled: block.and_then(|block| node.sampled.get(&BlockId(block)).copied()),
            };
            let rows: Vec<NodeBlock> = match node.executions.is_empty() {
                true => vec![row(None, 0)],
                false => node.executions.iter().map(|(id, n)| row(Some(id.0), *n)).collect(),
            };
            rows.iter().for_each(|row| writer.serialize(row).expect("plain fields are CSV"));
        }
    }
    let bytes = writer.into_inner().expect("memory takes a table");
    csv_text::guard_formulas(String::from_utf8(bytes).expect("names are text"))
}

/// Reads the text of `calls.csv`.
///
/// # Errors
/// A row that is none, nodes out of their order.
fn read_calls(text: &str) -> Result<CallTree, CallsFileError> {
    let mut tree = CallTree::default();
    let mut reader = csv_text::reader(text);
    let line = |position: Option<&csv::Position>| position.map_or(1, csv::Position::line);
    let wrong = |error: csv::Error| CallsFileError {
        line: line(error.position()),
        problem: error.to_string(),
    };
    let head = reader.headers().map_err(wrong)?.clone();
    for record in reader.records() {
        let record = record.map_err(wrong)?;
        let row: NodeBlock = record.deserialize(Some(&head)).map_err(wrong)?;
        let number = row.node;
        add(&mut tree, row).ok_or_else(|| CallsFileError {
            line: line(record.position()),
            problem: format!("node {number} does not follow from the rows above it"),
        })?;
    }
    Ok(tree)
}

fn add(tree: &mut CallTree, row: NodeBlock) -> Option<()> {
    let thread: &mut ThreadCalls = tree.threads.entry(row.thread).or_default();
    let method = MethodKey { class: row.class, method: row.method };
    if row.node == thread.nodes.len() {
        if row.parent.is_some_and(|parent| parent >= row.node) {
            return None;
        }
        thread.children.insert((row.parent, method.clone()), row.node);
        thread.nodes.push(CallNode::new(row.parent, method));
    } else {
        let known = thread.nodes.get(row.node)?;
        (known.parent == row.parent && known.method == method).then_some(())?;
    }
    if let Some(block) = row.block {
        thread.count(row.node, BlockId(block), row.executions, row.sampled.unwrap_or(0));
    }
    Some(())
}

/// A call tree is stored as `calls.csv`.
impl Artifact for CallTree {
    const NAME: &'static str = names::CALLS;
    type ParseError = CallsFileError;

    fn render(&self) -> Result<String, Failure> {
        Ok(calls_csv(self))
    }

    fn parse(text: &str) -> Result<Self, CallsFileError> {
        read_calls(text)
    }
}
