//! A table in any dialect as plain CSV: UTF-8, commas between cells, points in numbers. Rows stay
//! in their lines, for messages.

use std::borrow::Cow;
use std::io::{self, Cursor, Read};
use std::rc::Rc;

use encoding_rs_io::DecodeReaderBytes;

use super::encoding::TextEncoding;
use super::error::DialectError;
use super::foreign_formats::ForeignFormat;
use super::layout::{CellSeparator, TableLayout, reader_settings};
use super::line_text::LineText;
use super::numbers::{ColumnDecimalMark, DecimalMarkEvidence, plain_cell};
use super::row_limit::RowLimitedReader;
use super::titles::with_units;
use crate::format;
use crate::shortened::shortened;

/// Bytes at the start of a table from which its dialect is detected.
pub const SAMPLE_BYTES: usize = 1 << 16;

/// Dialect of a table: encoding, layout, and the decimal mark of each column.
#[derive(Debug, Clone)]
pub struct TableDialect {
    /// Character encoding of the text.
    pub encoding: TextEncoding,
    /// Separator of the cells, and the position of the titles.
    pub layout: TableLayout,
    titles: Vec<String>,
    marks: Vec<ColumnDecimalMark>,
    has_commas: bool,
    /// Whether rows hold more than cells and separators: comments, an empty last column.
    is_ragged: bool,
}

impl TableDialect {
    /// Detects the dialect of a table from its first bytes, or all of them (`is_whole`).
    ///
    /// # Errors
    /// It is no table as text, or one with two meanings.
    pub fn sniff(sample: &[u8], is_whole: bool) -> Result<Self, DialectError> {
        if let Some(format) = ForeignFormat::of(sample) {
            return Err(DialectError::Foreign(format));
        }
        let encoding = TextEncoding::sniff(sample);
        let text = encoding.decode(sample);
        let end = if is_whole { None } else { text.rfind('\n').map(|at| at + 1) };
        let text = &text[..end.unwrap_or(text.len())];
        let layout = TableLayout::sniff(text)?;
        let mut sampled = SampledRows::read(text, &layout)?;
        let is_certain = |marks| sampled.marks.iter().any(|m| m.certain_mark() == Some(marks));
        let (commas, points) =
            (is_certain(ColumnDecimalMark::Comma), is_certain(ColumnDecimalMark::Point));
        let has_semicolons = layout.separator == CellSeparator::Byte(b';');
        let columns = sampled.titles.iter().zip(&sampled.marks);
        let marks = columns
            .map(|(title, marks)| marks.resolve_mark(title, (commas, points), has_semicolons))
            .collect::<Result<Vec<_>, _>>()?;
        let has_commas = marks.contains(&ColumnDecimalMark::Comma)
            || (has_semicolons && !marks.contains(&ColumnDecimalMark::Point));
        let titles = std::mem::take(&mut sampled.titles);
        let is_ragged = sampled.is_ragged;
        Ok(Self { encoding, layout, titles, marks, has_commas, is_ragged })
    }

    /// Whether the table is plain CSV as it is, with or without a byte order mark.
    pub fn is_plain(&self) -> bool {
        let is_point = |marks: &ColumnDecimalMark| {
            matches!(marks, ColumnDecimalMark::Text | ColumnDecimalMark::Unseen)
        };
        let has_points =
            |marks: &ColumnDecimalMark| is_point(marks) || *marks == ColumnDecimalMark::Point;
        self.encoding == TextEncoding::Utf8
            && self.layout == TableLayout::plain()
            && !self.is_ragged
            && self.marks.iter().all(has_points)
    }

    /// Returns a sentence for the user on all in which the table differs from plain CSV; `None`
    /// where it is plain.
    pub fn remark(&self) -> Option<String> {
        let mut parts = Vec::new();
        if self.layout.separator != CellSeparator::Byte(b',') {
            parts.push(format!("{} between cells", self.layout.separator.name()));
        }
        let with_commas =
            |(_, marks): &(&String, &ColumnDecimalMark)| **marks == ColumnDecimalMark::Comma;
        let commas = self.titles.iter().zip(&self.marks).filter(with_commas);
        let commas: Vec<String> =
            commas.map(|(title, _)| format!("`{}`", shortened(title))).collect();
        if !commas.is_empty() {
            parts.push(format!("decimal commas in {}", format::listed(&commas, NAMED_COLUMNS)));
        }
        if self.encoding != TextEncoding::Utf8 {
            parts.push(self.encoding.name().to_owned());
        }
        if self.layout.skipped > 0 {
            parts.push(format!("titles in line {}", self.layout.skipped + 1));
        }
        if self.layout.has_units {
            parts.push("units below the titles".to_owned());
        }
        (!parts.is_empty()).then(|| format!("read with {}", parts.join(", ")))
    }
}

/// Most columns that a remark names.
const NAMED_COLUMNS: usize = 3;

/// Titles of a sample's rows, and the evidence about the decimal mark of each column.
struct SampledRows {
    titles: Vec<String>,
    marks: Vec<DecimalMarkEvidence>,
    is_ragged: bool,
}

impl SampledRows {
    fn read(text: &str, layout: &TableLayout) -> Result<Self, DialectError> {
        let mut rows = RowReader::new(text.as_bytes(), layout);
        let titles = rows.titles().map_err(|error| DialectError::Csv(error.to_string()))?;
        let columns = titles.len();
        let mut found = Self {
            marks: vec![DecimalMarkEvidence::default(); columns],
            titles,
            is_ragged: rows.is_cut,
        };
        // The last row of a sample may be a part of one.
        while let Ok(Some(line)) = rows.next() {
            let others = rows.record.len() != columns;
            found.is_ragged |= others && rows.is_comment();
            for (marks, cell) in found.marks.iter_mut().zip(&rows.record) {
                marks.add(line, &String::from_utf8_lossy(cell));
            }
        }
        Ok(found)
    }
}

/// Reader of the rows of a text whose layout is known.
struct RowReader<R> {
    reader: csv::Reader<RowLimitedReader<LineText<R>>>,
    row_start: Rc<std::cell::Cell<u64>>,
    layout: TableLayout,
    record: csv::ByteRecord,
    /// Whether the last title is empty, so that its column is dropped.
    is_cut: bool,
}

impl<R: Read> RowReader<R> {
    fn new(text: R, layout: &TableLayout) -> Self {
        let (text, row_start) = RowLimitedReader::new(LineText::new(text, layout));
        let reader = reader_settings(layout.separator, layout.has_backslashes).from_reader(text);
        let record = csv::ByteRecord::new();
        Self { reader, row_start, layout: layout.clone(), record, is_cut: false }
    }

    /// Reads the next row and returns its line, from 1; `None` at the end.
    fn next(&mut self) -> Result<Option<u64>, csv::Error> {
        let has_row = self.reader.read_byte_record(&mut self.record)?;
        self.row_start.set(self.reader.position().byte());
        Ok(has_row.then(|| self.record.position().map_or(0, csv::Position::line)))
    }

    /// Reads the titles, without a `#` before them and with units from a line of their own.
    fn titles(&mut self) -> Result<Vec<String>, csv::Error> {
        self.next()?;
        let mut titles = self.cells();
        if self.layout.has_hash {
            match titles.first_mut() {
                Some(first) if first == "#" => drop(titles.remove(0)),
                Some(first) => *first = first.trim_start_matches('#').trim().to_owned(),
                None => {}
            }
        }
        if self.layout.has_units {
            self.next()?;
            titles = with_units(titles, &self.cells());
        }
        if titles.len() > 1 && titles.last().is_some_and(String::is_empty) {
            titles.pop();
            self.is_cut = true;
        }
        Ok(titles)
    }

    fn cells(&self) -> Vec<String> {
        self.record.iter().map(|cell| String::from_utf8_lossy(cell).trim().to_owned()).collect()
    }

    fn is_comment(&self) -> bool {
        self.record.get(0).is_some_and(|cell| cell.trim_ascii_start().starts_with(b"#"))
    }
}

type DecodedReader<R> = DecodeReaderBytes<io::Chain<Cursor<Vec<u8>>, R>, Vec<u8>>;

/// Reader that converts a table of any dialect to plain CSV.
pub struct PlainCsv<R: Read> {
    /// Dialect that was detected.
    pub dialect: TableDialect,
    text: PlainSource<R>,
}

enum PlainSource<R: Read> {
    AsItIs(Box<LineText<DecodedReader<R>>>),
    Rewritten(Box<RowRewriter<R>>),
}

impl<R: Read> PlainCsv<R> {
    /// Reads the first bytes of a table and detects its dialect.
    ///
    /// # Errors
    /// Those of reading; of kind `InvalidData` where it is no table as text, or has two meanings.
    pub fn new(mut text: R) -> io::Result<Self> {
        let mut sample = Vec::new();
        (&mut text).take(SAMPLE_BYTES as u64).read_to_end(&mut sample)?;
        let dialect =
            TableDialect::sniff(&sample, sample.len() < SAMPLE_BYTES).map_err(invalid_data)?;
        let decoded = dialect.encoding.decoder(Cursor::new(sample).chain(text));
        let text = match dialect.is_plain() {
            true => PlainSource::AsItIs(Box::new(LineText::new(decoded, &TableLayout::plain()))),
            false => PlainSource::Rewritten(Box::new(RowRewriter::new(decoded, &dialect))),
        };
        Ok(Self { dialect, text })
    }
}

fn invalid_data(error: DialectError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

impl<R: Read> Read for PlainCsv<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.text {
            PlainSource::AsItIs(text) => text.read(buffer),
            PlainSource::Rewritten(rows) => rows.read(buffer, &self.dialect),
        }
    }
}

/// Writer of a table's rows as plain CSV, each in the line that it has in the text.
struct RowRewriter<R: Read> {
    rows: RowReader<DecodedReader<R>>,
    has_titles: bool,
    ready: Vec<u8>,
    at: usize,
    /// Number of the line that is written next, from 1.
    line: u64,
}

impl<R: Read> RowRewriter<R> {
    fn new(text: DecodedReader<R>, dialect: &TableDialect) -> Self {
        let rows = RowReader::new(text, &dialect.layout);
        Self { rows, has_titles: false, ready: Vec::new(), at: 0, line: 1 }
    }

    fn read(&mut self, buffer: &mut [u8], dialect: &TableDialect) -> io::Result<usize> {
        while self.at == self.ready.len() {
            self.ready.clear();
            self.at = 0;
            if !self.fill(dialect)? {
                return Ok(0);
            }
        }
        let count = buffer.len().min(self.ready.len() - self.at);
        buffer[..count].copy_from_slice(&self.ready[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }

    /// Writes the next row; returns false at the end.
    fn fill(&mut self, dialect: &TableDialect) -> io::Result<bool> {
        if !std::mem::replace(&mut self.has_titles, true) {
            let titles = self.rows.titles().map_err(io_error)?;
            let line = dialect.layout.skipped as u64 + 1;
            self.write(line, titles.iter().map(|title| Cow::Borrowed(title.as_str())));
            return Ok(true);
        }
        let Some(line) = self.rows.next().map_err(io_error)? else { return Ok(false) };
        let cells = self.rows.cells();
        let is_other = cells.len() != dialect.titles.len();
        if is_other && self.rows.is_comment() {
            return Ok(true);
        }
        let is_cut = self.rows.is_cut
            && cells.len() == dialect.titles.len() + 1
            && cells.last().is_some_and(String::is_empty);
        let cells = &cells[..cells.len() - usize::from(is_cut)];
        let plain = cells.iter().enumerate().map(|(at, cell)| dialect.plain(line, at, cell));
        let plain: Vec<Cow<'_, str>> = plain.collect::<Result<_, _>>().map_err(invalid_data)?;
        self.write(line, plain.into_iter());
        Ok(true)
    }

    /// Writes a row, after as many line breaks as put it in its line.
    fn write<'c>(&mut self, line: u64, cells: impl Iterator<Item = Cow<'c, str>>) {
        while self.line < line {
            self.ready.push(b'\n');
            self.line += 1;
        }
        for (at, cell) in cells.enumerate() {
            if at > 0 {
                self.ready.push(b',');
            }
            self.line += cell.matches('\n').count() as u64;
            let is_special = |c: char| matches!(c, ',' | '"' | '\n' | '\r');
            if cell.contains(is_special) || (at == 0 && cell.is_empty()) {
                let quoted = format!("\"{}\"", cell.replace('"', "\"\""));
                self.ready.extend(quoted.as_bytes());
            } else {
                self.ready.extend(cell.as_bytes());
            }
        }
        self.ready.push(b'\n');
        self.line += 1;
    }
}

impl TableDialect {
    /// Returns a cell of column `at` with a decimal point if it is a number.
    fn plain<'c>(&self, line: u64, at: usize, cell: &'c str) -> Result<Cow<'c, str>, DialectError> {
        let marks = self.marks.get(at).copied().unwrap_or(ColumnDecimalMark::Text);
        match plain_cell(cell, marks, self.has_commas) {
            Ok(plain) => Ok(plain.map_or(Cow::Borrowed(cell), Cow::Owned)),
            Err(()) => Err(DialectError::Thousands {
                line,
                column: self.titles.get(at).cloned().unwrap_or_default(),
                cell: cell.to_owned(),
            }),
        }
    }
}

fn io_error(error: csv::Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

/// Converts a whole table to plain CSV text; returns its dialect beside it.
///
/// # Errors
/// It is no table as text, or one with two meanings.
pub fn read_plain_csv(bytes: &[u8]) -> io::Result<(String, TableDialect)> {
    let mut plain = PlainCsv::new(bytes)?;
    let mut text = Vec::with_capacity(bytes.len());
    plain.read_to_end(&mut text)?;
    Ok((String::from_utf8_lossy(&text).into_owned(), plain.dialect))
}

#[cfg(test)]
#[path = "plain_tests.rs"]
mod tests;
