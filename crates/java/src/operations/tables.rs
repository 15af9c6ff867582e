//! CSV tables of the dictionary and of findings, written and read as text.

use std::collections::BTreeMap;

use compact_str::CompactString;
use csv::{Writer, WriterBuilder};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use wattline_units::csv_text;
use wattline_units::file_schema::{DeclaredColumn, TableSchema};
use wattline_units::operation::{Feature, UnknownFeature};

use super::dictionary::{BlockEntry, Dictionary, OperationCount};
use crate::blocks::BlockId;
use crate::finding::Finding;

/// Reasons why tables are no dictionary.
#[derive(Debug, thiserror::Error)]
pub enum DictionaryError {
    /// A row that can't be read; the cause names the line.
    #[error("{table} can't be read; write it again with `wattline scan`")]
    Row {
        /// `blocks.csv` or `lines.csv`.
        table: &'static str,
        /// What is wrong, with the line.
        #[source]
        source: csv::Error,
    },
    /// Block ids that are not dense and in order.
    #[error("blocks.csv: expected block {expected}, found {found}; keep the rows in order")]
    Order {
        /// Id that should come next.
        expected: u32,
        /// Id in the table.
        found: u32,
    },
    /// Operations of a block that is not in `blocks.csv`.
    #[error("lines.csv names block {0}, which blocks.csv lacks; take both from one scan")]
    UnknownBlock(u32),
    /// An operation that is neither in the catalogue nor a library function.
    #[error("lines.csv: {0}")]
    UnknownOperation(#[from] UnknownFeature),
}

/// Columns of `blocks.csv`.
const BLOCK_COLUMNS: [DeclaredColumn; 9] = [
    DeclaredColumn::integer("block", "Number of the basic block, from 0"),
    DeclaredColumn::text("name", "Name of the block, by its method and place"),
    DeclaredColumn::text("kind", "Kind of the block"),
    DeclaredColumn::text("file", "Path of the source file, relative to its source root"),
    DeclaredColumn::integer("start_line", "First line"),
    DeclaredColumn::integer("end_line", "Last line"),
    DeclaredColumn::text("class", "Class, with its package"),
    DeclaredColumn::text("method", "Method, with the types of its parameters"),
    DeclaredColumn::boolean("removable", "Whether a variant may leave the block out"),
];

/// Columns of `operations.csv`.
const OPERATION_COLUMNS: [DeclaredColumn; 3] = [
    DeclaredColumn::integer("block", "Number of the block"),
    DeclaredColumn::text("operation", "Operation or library function"),
    DeclaredColumn::integer("count", "Executions of the operation in one execution of the block"),
];

/// Columns of `lines.csv`.
const LINE_COLUMNS: [DeclaredColumn; 5] = [
    DeclaredColumn::integer("block", "Number of the block"),
    DeclaredColumn::integer("line", "Source line"),
    DeclaredColumn::text("operation", "Operation or library function"),
    DeclaredColumn::text("context", "Context of the operation; empty for none"),
    DeclaredColumn::integer("count", "Executions on the line in one execution of the block"),
];

/// Columns of `findings.csv`.
const FINDING_COLUMNS: [DeclaredColumn; 4] = [
    DeclaredColumn::text("file", "Path of the source file, relative to its source root"),
    DeclaredColumn::integer("line", "Line, from 1; 0 for a remark about the whole file"),
    DeclaredColumn::text("kind", "Kind of the remark"),
    DeclaredColumn::text("message", "The remark in one sentence"),
];

/// Returns the columns of the tables that a scan writes.
pub fn dictionary_table_schemas() -> Vec<TableSchema> {
    let scan = "`scan`, `plan`, `pipeline`";
    vec![
        TableSchema::declared("blocks.csv", scan, "Every basic block", &BLOCK_COLUMNS),
        TableSchema::declared(
            "operations.csv",
            scan,
            "The operations of one execution of each block",
            &OPERATION_COLUMNS,
        ),
        TableSchema::declared(
            "lines.csv",
            scan,
            "The operations of one execution of each block, by line and context",
            &LINE_COLUMNS,
        ),
        TableSchema::declared(
            "findings.csv",
            "`scan`, `trace`, `plan`, `pipeline`",
            "Remarks about the sources",
            &FINDING_COLUMNS,
        ),
    ]
}

fn block_row(b: &BlockEntry, rows: &mut DictionaryRows) {
    let place = (b.start_line, b.end_line, &b.class, &b.method, b.removable);
    rows.add((b.id.0, &b.name, &b.kind, &b.file, place));
}

/// Adds the rows of one block, whose operations are sorted.
fn operation_rows(block: &BlockEntry, rows: &mut DictionaryRows) {
    for same in block.operations.chunk_by(|a, b| a.operation == b.operation) {
        let count: u64 = same.iter().map(|found| u64::from(found.count)).sum();
        rows.add((block.id.0, &same[0].operation, count));
    }
}

fn line_rows(block: &BlockEntry, rows: &mut DictionaryRows) {
    for found in &block.operations {
        rows.add((block.id.0, found.line, &found.operation, &found.context, found.count));
    }
}

/// Text of the three tables of a dictionary, or of some of their rows. Without a dictionary of
/// all files at once, write [`DictionaryTables::headers`], then the rows of each file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DictionaryTables {
    /// Text of `blocks.csv`.
    pub blocks: String,
    /// `operations.csv`.
    pub operations: String,
    /// `lines.csv`.
    pub lines: String,
}

impl DictionaryTables {
    /// Returns the header rows.
    pub fn headers() -> DictionaryTables {
        DictionaryTables {
            blocks: rows_of(&[DeclaredColumn::names(BLOCK_COLUMNS)], |row, rows| rows.add(row)),
            operations: rows_of(&[DeclaredColumn::names(OPERATION_COLUMNS)], |row, rows| {
                rows.add(row)
            }),
            lines: rows_of(&[DeclaredColumn::names(LINE_COLUMNS)], |row, rows| rows.add(row)),
        }
    }

    /// Returns the rows of these blocks, without headers.
    pub fn rows(blocks: &[BlockEntry]) -> DictionaryTables {
        DictionaryTables {
            blocks: rows_of(blocks, block_row),
            operations: rows_of(blocks, operation_rows),
            lines: rows_of(blocks, line_rows),
        }
    }
}

impl DictionaryTables {
    /// Returns the rows with block ids shifted so that those from `from` on begin with `to`.
    pub fn renumbered(&self, from: u32, to: u32) -> DictionaryTables {
        let renumbered = |rows: &str| renumbered(rows, to.wrapping_sub(from));
        DictionaryTables {
            blocks: renumbered(&self.blocks),
            operations: renumbered(&self.operations),
            lines: renumbered(&self.lines),
        }
    }
}

/// Returns rows whose first column, an id, is greater by `ahead`.
fn renumbered(rows: &str, ahead: u32) -> String {
    let mut moved = String::with_capacity(rows.len() + rows.len() / 16);
    let (mut last, mut written) = ("", String::new());
    let mut rest = rows;
    while let Some((id, _)) = rest.split_once(',') {
        if id != last
            && let Ok(number) = id.parse::<u32>()
        {
            (last, written) = (id, number.wrapping_add(ahead).to_string());
        }
        let (row, after) = rest.split_at(row_end(rest));
        moved.push_str(if id == last { &written } else { id });
        moved.push_str(&row[id.len()..]);
        rest = after;
    }
    moved
}

/// Returns the end of the first row of a text: the first line break outside of quotes.
fn row_end(rows: &str) -> usize {
    let mut is_quoted = false;
    for at in memchr::memchr2_iter(b'\n', b'"', rows.as_bytes()) {
        match rows.as_bytes()[at] {
            b'"' => is_quoted = !is_quoted,
            _ if !is_quoted => return at + 1,
            _ => {}
        }
    }
    rows.len()
}

impl Dictionary {
    /// Returns `blocks.csv`: one row per block.
    pub fn blocks_csv(&self) -> String {
        table(&DeclaredColumn::names(BLOCK_COLUMNS), &self.blocks, block_row)
    }

    /// Returns `operations.csv`: operations per block, summed over lines.
    pub fn operations_csv(&self) -> String {
        table(&DeclaredColumn::names(OPERATION_COLUMNS), &self.blocks, operation_rows)
    }

    /// Returns `lines.csv`: operations per block, source line and context.
    pub fn operation_lines_csv(&self) -> String {
        table(&DeclaredColumn::names(LINE_COLUMNS), &self.blocks, line_rows)
    }

    /// Reads the dictionary that [`Dictionary::blocks_csv`] and [`Dictionary::operation_lines_csv`]
    /// wrote.
    ///
    /// # Errors
    /// If a row can't be read, block ids are not dense, or an operation is not known.
    pub fn from_csv(blocks: &str, lines: &str) -> Result<Dictionary, DictionaryError> {
        let mut dictionary = Dictionary::default();
        for row in csv_text::reader(blocks).deserialize() {
            let entry = read_block(row)?;
            let expected = dictionary.blocks.len() as u32;
            if entry.id.0 != expected {
                return Err(DictionaryError::Order { expected, found: entry.id.0 });
            }
            dictionary.blocks.push(entry);
        }
        for row in csv_text::reader(lines).deserialize() {
            let row: Result<LineRow, csv::Error> = row;
            let (block, line, operation, context, count) =
                row.map_err(|source| DictionaryError::Row { table: "lines.csv", source })?;
            let operation: Feature = operation.parse()?;
            let entry = dictionary.blocks.get_mut(block as usize);
            let entry = entry.ok_or(DictionaryError::UnknownBlock(block))?;
            entry.operations.push(OperationCount { operation, context, line, count });
        }
        for block in &mut dictionary.blocks {
            block.operations.sort();
        }
        Ok(dictionary)
    }
}

type LineRow = (u32, u32, CompactString, CompactString, u32);

type BlockRow = (u32, String, CompactString, String, u32, u32, String, String, bool);

fn read_block(row: Result<BlockRow, csv::Error>) -> Result<BlockEntry, DictionaryError> {
    let row = row.map_err(|source| DictionaryError::Row { table: "blocks.csv", source })?;
    let (id, name, kind, file, start_line, end_line, class, method, removable) = row;
    Ok(BlockEntry {
        id: BlockId(id),
        name,
        kind,
        file,
        start_line,
        end_line,
        class,
        method,
        removable,
        operations: Vec::new(),
    })
}

/// Returns `findings.csv`: `file, line, kind, message`.
pub fn findings_csv(findings: &[Finding]) -> String {
    table(&DeclaredColumn::names(FINDING_COLUMNS), findings, |f, rows| {
        rows.add((&f.file, f.line, f.kind, &f.message));
    })
}

/// Counts the findings of each kind, by its name in `findings.csv`.
pub fn counts_by_kind(findings: &[Finding]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for finding in findings {
        *counts.entry(finding.kind.to_string()).or_insert(0) += 1;
    }
    counts
}

/// Writer of rows of a table as text.
struct DictionaryRows(Writer<Vec<u8>>);

const MEMORY: &str = "writing text to memory does not fail";

impl DictionaryRows {
    /// Makes a writer with room for this number of bytes.
    fn new(bytes: usize) -> DictionaryRows {
        DictionaryRows(
            WriterBuilder::new().has_headers(false).from_writer(Vec::with_capacity(bytes)),
        )
    }

    fn add(&mut self, row: impl Serialize) {
        self.0.serialize(row).expect(MEMORY);
    }

    fn into_text(self) -> String {
        csv_text::guard_formulas(
            String::from_utf8(self.0.into_inner().expect(MEMORY)).expect(MEMORY),
        )
    }
}

/// Estimated bytes of the rows of an entry in each table, at most the average of the JDK.
const ENTRY_BYTES: usize = 200;

fn rows_of<T>(entries: &[T], write: impl Fn(&T, &mut DictionaryRows)) -> String {
    let mut rows = DictionaryRows::new(entries.len() * ENTRY_BYTES);
    entries.iter().for_each(|entry| write(entry, &mut rows));
    rows.into_text()
}

/// Number of entries whose rows one core writes at a time.
const CHUNK: usize = 8192;

/// Returns a header and the rows of all `entries`, in their order.
fn table<T: Sync>(
    columns: &[&str],
    entries: &[T],
    write: impl Fn(&T, &mut DictionaryRows) + Sync,
) -> String {
    let chunks = entries.par_chunks(CHUNK).map(|chunk| rows_of(chunk, &write));
    let mut parts: Vec<String> = chunks.collect();
    parts.insert(0, rows_of(&[columns], |row, rows| rows.add(row)));
    parts.concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::FindingKind;

    fn dictionary() -> Dictionary {
        let count = |operation: &str, line, count| OperationCount {
            operation: operation.parse().unwrap(),
            context: Default::default(),
            line,
            count,
        };
        let block = BlockEntry {
            id: BlockId(0),
            name: "A.f(int,String[]).for_1".into(),
            kind: "for_body".into(),
            file: "p/A.java".into(),
            start_line: 3,
            end_line: 5,
            class: "p.A".into(),
            method: "f(int,String[])".into(),
            removable: true,
            operations: vec![
                count("Addition_int_int", 3, 2),
                count("Addition_int_int", 4, 1),
                count("lib:java.util.Map$Entry.getKey", 5, 1),
            ],
        };
        Dictionary { blocks: vec![block] }
    }

    #[test]
    fn lines_are_summed_per_block() {
        let expected = "block,operation,count\n0,Addition_int_int,3\n\
                        0,lib:java.util.Map$Entry.getKey,1\n";
        assert_eq!(dictionary().operations_csv(), expected);
    }

    #[test]
    fn headers_and_rows_are_the_tables() {
        let dictionary = dictionary();
        let (headers, rows) =
            (DictionaryTables::headers(), DictionaryTables::rows(&dictionary.blocks));
        assert_eq!(headers.blocks + &rows.blocks, dictionary.blocks_csv());
        assert_eq!(headers.operations + &rows.operations, dictionary.operations_csv());
        assert_eq!(headers.lines + &rows.lines, dictionary.operation_lines_csv());
    }

    #[test]
    fn rows_get_other_ids_whatever_is_in_them() {
        let mut first = dictionary().blocks.remove(0);
        first.file = "a \"b\"\n7,c.java".into();
        let second = BlockEntry { id: BlockId(1), ..first.clone() };
        let blocks = [first, second];
        let moved =
            blocks.clone().map(|block| BlockEntry { id: BlockId(block.id.0 + 99), ..block });
        let (rows, expected) = (DictionaryTables::rows(&blocks), DictionaryTables::rows(&moved));
        assert_eq!(rows.renumbered(0, 99), expected);
        assert_eq!(expected.renumbered(99, 0), rows);
    }

    #[test]
    fn the_dictionary_comes_back_from_its_tables() {
        let written = dictionary();
        let read =
            Dictionary::from_csv(&written.blocks_csv(), &written.operation_lines_csv()).unwrap();
        assert_eq!(read, written);
    }

    #[test]
    fn unknown_operations_and_blocks_are_rejected() {
        let blocks = dictionary().blocks_csv();
        let read = |lines: &str| Dictionary::from_csv(&blocks, lines).unwrap_err();
        let header = "block,line,operation,context,count\n";
        let error = read(&format!("{header}0,1,Addition_int,,1\n"));
        assert!(matches!(error, DictionaryError::UnknownOperation(_)));
        let error = read(&format!("{header}7,1,Not,,1\n"));
        assert!(matches!(error, DictionaryError::UnknownBlock(7)));
        let error = read(&format!("{header}0,x,Not,,1\n"));
        assert!(matches!(error, DictionaryError::Row { table: "lines.csv", .. }));
    }

    #[test]
    fn findings_are_quoted_where_needed() {
        let message = "a, \"b\"".to_owned();
        let kind = FindingKind::UnknownType;
        let finding = Finding { file: "A.java".into(), line: 7, kind, message };
        let expected = "file,line,kind,message\nA.java,7,unknown-type,\"a, \"\"b\"\"\"\n";
        assert_eq!(findings_csv(&[finding]), expected);
    }
}
