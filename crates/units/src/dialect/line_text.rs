//! Reader that prepares a table's text for the CSV parser: lines before the titles are blanked,
//! runs of spaces become one tab.

use std::io::{self, Read};

use super::layout::{CellSeparator, TableLayout};

/// Ctrl-Z, the end of a text for programs of DOS.
const CONTROL_Z: u8 = 0x1a;

/// Reader of text whose lines keep their numbers: skipped lines are empty.
pub(super) struct LineText<R> {
    text: R,
    skip: usize,
    joins_spaces: bool,
    state: LineState,
    /// Whether a Ctrl-Z is pending, which is left out if nothing comes after it.
    held: bool,
    ready: Vec<u8>,
    at: usize,
}

#[derive(Default)]
struct LineState {
    is_quoted: bool,
    /// Whether a cell of the line has been given.
    has_cell: bool,
    /// Whether blanks have been skipped since the last cell.
    has_blank: bool,
}

impl<R: Read> LineText<R> {
    pub(super) fn new(text: R, layout: &TableLayout) -> Self {
        let joins_spaces = layout.separator == CellSeparator::Spaces;
        let (state, ready) = (LineState::default(), Vec::new());
        Self { text, skip: layout.skipped, joins_spaces, state, held: false, ready, at: 0 }
    }

    /// Reads and prepares the next bytes; returns false at the end of the text.
    fn fill(&mut self) -> io::Result<bool> {
        let mut read = [0; 1 << 13];
        let count = self.text.read(&mut read)?;
        self.at = 0;
        self.ready.clear();
        let was_held = std::mem::take(&mut self.held);
        let text = &read[..count];
        if was_held && count > 0 {
            self.take(CONTROL_Z);
        }
        let ends = text.last() == Some(&CONTROL_Z);
        text[..count - usize::from(ends)].iter().for_each(|byte| self.take(*byte));
        self.held = ends;
        Ok(count > 0)
    }

    fn take(&mut self, byte: u8) {
        if self.skip > 0 {
            if byte == b'\n' {
                self.skip -= 1;
                self.ready.push(byte);
            }
        } else if self.joins_spaces {
            self.state.take(byte, &mut self.ready);
        } else {
            self.ready.push(byte);
        }
    }
}

impl LineState {
    fn take(&mut self, byte: u8, ready: &mut Vec<u8>) {
        self.is_quoted ^= byte == b'"';
        match byte {
            b' ' | b'\t' if !self.is_quoted => self.has_blank = true,
            b'\n' | b'\r' if !self.is_quoted => {
                (self.has_cell, self.has_blank) = (false, false);
                ready.push(byte);
            }
            _ => {
                if self.has_blank && self.has_cell {
                    ready.push(b'\t');
                }
                (self.has_cell, self.has_blank) = (true, false);
                ready.push(byte);
            }
        }
    }
}

impl<R: Read> Read for LineText<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.ready.len() {
            if !self.fill()? {
                return Ok(0);
            }
        }
        let count = buffer.len().min(self.ready.len() - self.at);
        buffer[..count].copy_from_slice(&self.ready[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a byte at a time, as a slow pipe may.
    struct Slow<'t>(&'t [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.0.len().min(1).min(buffer.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    fn read(text: &str, layout: &TableLayout) -> String {
        let mut found = String::new();
        LineText::new(Slow(text.as_bytes()), layout).read_to_string(&mut found).unwrap();
        let mut whole = String::new();
        LineText::new(text.as_bytes(), layout).read_to_string(&mut whole).unwrap();
        assert_eq!(found, whole);
        found
    }

    #[test]
    fn lines_keep_their_numbers() {
        let layout = TableLayout { skipped: 2, ..TableLayout::plain() };
        assert_eq!(read("a \" b\r\n\nx,y\n1,2\n\x1a", &layout), "\n\nx,y\n1,2\n");
        assert_eq!(read("a\x1a,b\n", &TableLayout::plain()), "a\x1a,b\n");
    }

    #[test]
    fn runs_of_spaces_are_tabs_but_within_quotes() {
        let layout = TableLayout { separator: CellSeparator::Spaces, ..TableLayout::plain() };
        assert_eq!(read("  a  \"b  c\" \td  \n 1 2\t3\n", &layout), "a\t\"b  c\"\td\n1\t2\t3\n");
    }
}
