//! Reader that fails where a row of a table is too long: a CSV parser would hold all of it.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use crate::limits::TABLE_ROW_BYTES;

/// Reader that fails once a row is longer than the limit; its consumer, a CSV parser, notes
/// where each row begins.
pub struct RowLimitedReader<R> {
    text: R,
    given: u64,
    row_start: Rc<Cell<u64>>,
}

impl<R> RowLimitedReader<R> {
    /// Wraps a text; returns also the cell in which the CSV parser notes a row's byte offset.
    pub fn new(text: R) -> (Self, Rc<Cell<u64>>) {
        let row_start = Rc::new(Cell::new(0));
        (Self { text, given: 0, row_start: row_start.clone() }, row_start)
    }
}

impl<R: Read> Read for RowLimitedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // More is only asked for once all that was given is part of the row.
        TABLE_ROW_BYTES.check(self.given.saturating_sub(self.row_start.get()))?;
        let count = self.text.read(buffer)?;
        self.given += count as u64;
        Ok(count)
    }
}
