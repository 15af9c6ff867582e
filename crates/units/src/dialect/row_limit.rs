//! Text that ends with an error where a row is too long: a reader of rows would hold all of it.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use crate::limits::TABLE_ROW_BYTES;

/// Text of which a reader of rows says where the row begins that it reads next.
pub struct RowLimited<R> {
    text: R,
    given: u64,
    row_start: Rc<Cell<u64>>,
}

impl<R> RowLimited<R> {
    /// The text, and where its reader notes the beginning of a row.
    pub fn new(text: R) -> (Self, Rc<Cell<u64>>) {
        let row_start = Rc::new(Cell::new(0));
        (Self { text, given: 0, row_start: row_start.clone() }, row_start)
    }
}

impl<R: Read> Read for RowLimited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // More is only asked for once all that was given is part of the row.
        TABLE_ROW_BYTES.check(self.given.saturating_sub(self.row_start.get()))?;
        let count = self.text.read(buffer)?;
        self.given += count as u64;
        Ok(count)
    }
}
