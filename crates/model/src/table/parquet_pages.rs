//! Sizes that the pages of a Parquet file state, read before any page is unpacked: the decoder
//! reserves what a page header asks for.

use std::io::{self, ErrorKind, Read};

/// Page headers have some bytes, and the least and largest value; longer ones are damage.
const HEADER_BYTES_MAX: u64 = 16 << 20;
/// Numbers of the encodings `DELTA_LENGTH_BYTE_ARRAY` and `DELTA_BYTE_ARRAY`.
const DELTAS_OF_TEXT: [u64; 2] = [6, 7];
/// Structures of page headers lie three deep.
const DEPTH_MAX: usize = 16;

/// Types of Thrift's compact protocol.
mod wire {
    pub const STOP: u8 = 0;
    pub const TRUE: u8 = 1;
    pub const FALSE: u8 = 2;
    pub(crate) const BYTE: u8 = 3;
    pub(crate) const I16: u8 = 4;
    pub(crate) const I64: u8 = 6;
    pub const DOUBLE: u8 = 7;
    pub(crate) const BINARY: u8 = 8;
    pub const LIST: u8 = 9;
    pub(crate) const SET: u8 = 10;
    pub const MAP: u8 = 11;
    pub(crate) const STRUCT: u8 = 12;
}

/// Content of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageKind {
    /// Values, or their numbers in the dictionary.
    Data,
    /// The values of a column chunk.
    Dictionary,
}

/// The header of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PageHeader {
    pub kind: PageKind,
    /// Bytes of the header itself.
    pub header_bytes: u64,
    /// Bytes of the page in the file.
    pub packed_bytes: u64,
    /// Bytes of the page in memory.
    pub unpacked_bytes: u64,
    /// Number of values.
    pub values: u64,
    /// Whether it holds texts as differences.
    pub has_deltas: bool,
}

impl PageHeader {
    /// Reads the header at the start of `input`.
    pub fn read(input: impl Read) -> io::Result<Self> {
        let mut thrift =
            ThriftReader { input: input.take(HEADER_BYTES_MAX), read: 0, may_have_lists: false };
        let (mut kind, mut unpacked, mut packed) = (None, None, None);
        let (mut values, mut encoding) = (0, 0);
        thrift.fields(0, &mut |thrift, id, wire| {
            match id {
                1 => kind = Some(thrift.whole()?),
                2 => unpacked = Some(thrift.whole()?),
                3 => packed = Some(thrift.whole()?),
                5 | 7 | 8 if wire == wire::STRUCT => {
                    let of_encoding = if id == 8 { 4 } else { 2 };
                    thrift.fields(1, &mut |thrift, id, _| {
                        match id {
                            1 => values = thrift.whole()?,
                            id if id == of_encoding => encoding = thrift.whole()?,
                            _ => return Ok(false),
                        }
                        Ok(true)
                    })?;
                }
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        let (Some(kind), Some(unpacked_bytes), Some(packed_bytes)) = (kind, unpacked, packed)
        else {
            return Err(damage_error("a page header without sizes"));
        };
        let kind = if kind == 2 { PageKind::Dictionary } else { PageKind::Data };
        let (header_bytes, has_deltas) = (thrift.read, DELTAS_OF_TEXT.contains(&encoding));
        Ok(Self { kind, header_bytes, packed_bytes, unpacked_bytes, values, has_deltas })
    }
}

/// Whether a file's metadata, in clear, state that columns are encrypted; false for what is no
/// metadata, which the decoder refuses.
pub(super) fn states_encryption(metadata: &[u8]) -> bool {
    const ENCRYPTION_ALGORITHM: i64 = 8;
    let input = metadata.take(metadata.len() as u64);
    let mut thrift = ThriftReader { input, read: 0, may_have_lists: true };
    let mut is_stated = false;
    let read = thrift.fields(0, &mut |_, id, wire| {
        is_stated |= id == ENCRYPTION_ALGORITHM && wire == wire::STRUCT;
        Ok(false)
    });
    read.is_ok() && is_stated
}

fn damage_error(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what.to_owned())
}

/// A reader of Thrift's compact protocol that skips what it is not asked for.
struct ThriftReader<R> {
    input: io::Take<R>,
    read: u64,
    /// Whether lists may occur; page headers have none.
    may_have_lists: bool,
}

/// Function that reads the value of a field, by its number and type, or leaves it and returns
/// false.
type TakeField<'f, R> = &'f mut dyn FnMut(&mut ThriftReader<R>, i64, u8) -> io::Result<bool>;

impl<R: Read> ThriftReader<R> {
    fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.input.read_exact(&mut byte)?;
        self.read += 1;
        Ok(byte[0])
    }

    fn varint(&mut self) -> io::Result<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(damage_error("a number of more than ten bytes"))
    }

    fn signed(&mut self) -> io::Result<i64> {
        let zigzag = self.varint()?;
        Ok((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64))
    }

    /// Reads a number of 0 or more.
    fn whole(&mut self) -> io::Result<u64> {
        u64::try_from(self.signed()?).map_err(|_| damage_error("a size below zero"))
    }

    fn fields(&mut self, depth: usize, take: TakeField<'_, R>) -> io::Result<()> {
        let mut id = 0_i64;
        loop {
            let head = self.byte()?;
            let (step, wire) = (head >> 4, head & 0x0f);
            if wire == wire::STOP {
                return Ok(());
            }
            id = if step == 0 { self.signed()? } else { id.wrapping_add(i64::from(step)) };
            if !take(self, id, wire)? {
                self.skip_value(wire, depth)?;
            }
        }
    }

    fn skip(&mut self, bytes: u64) -> io::Result<()> {
        let skipped = io::copy(&mut self.input.by_ref().take(bytes), &mut io::sink())?;
        self.read += skipped;
        if skipped < bytes { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }

    fn skip_value(&mut self, wire: u8, depth: usize) -> io::Result<()> {
        if depth > DEPTH_MAX {
            return Err(damage_error("a page header of many levels"));
        }
        match wire {
            wire::TRUE | wire::FALSE => Ok(()),
            wire::BYTE => self.byte().map(drop),
            wire::I16..=wire::I64 => self.varint().map(drop),
            wire::DOUBLE => self.skip(8),
            wire::BINARY => {
                let length = self.varint()?;
                self.skip(length)
            }
            wire::STRUCT => self.fields(depth + 1, &mut |_, _, _| Ok(false)),
            wire::LIST | wire::SET if self.may_have_lists => self.skip_list(depth),
            wire::LIST | wire::SET | wire::MAP => Err(damage_error("a list in a page header")),
            _ => Err(damage_error("an unknown type in a page header")),
        }
    }
}

impl<R: Read> ThriftReader<R> {
    fn skip_list(&mut self, depth: usize) -> io::Result<()> {
        let head = self.byte()?;
        let (count, wire) = (u64::from(head >> 4), head & 0x0f);
        let count = if count == 15 { self.varint()? } else { count };
        for _ in 0..count {
            match wire {
                // Of a list each has a byte of its own.
                wire::TRUE | wire::FALSE => self.byte().map(drop)?,
                _ => self.skip_value(wire, depth + 1)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_a_page_are_read_and_the_rest_is_skipped() {
        // type 0, unpacked 300, packed 5, v1 header {10 values, ..., statistics {binary}}.
        let bytes = [
            0x15, 0x00, 0x15, 0xd8, 0x04, 0x15, 0x0a, 0x2c, 0x15, 0x14, 0x15, 0x00, 0x15, 0x06,
            0x15, 0x06, 0x1c, 0x18, 0x02, b'a', b'b', 0x00, 0x00, 0x00, 9, 9,
        ];
        let expected = PageHeader {
            kind: PageKind::Data,
            header_bytes: bytes.len() as u64 - 2,
            packed_bytes: 5,
            unpacked_bytes: 300,
            values: 10,
            has_deltas: false,
        };
        assert_eq!(PageHeader::read(&bytes[..]).unwrap(), expected);
        for end in 0..bytes.len() - 2 {
            assert!(PageHeader::read(&bytes[..end]).is_err(), "{end}");
        }
    }

    #[test]
    fn encryption_is_stated_in_the_metadata() {
        // version 1, schema [{binary "a"}], rows 3, [row groups], algorithm {{}}.
        let bytes = [
            0x15, 0x02, 0x19, 0x1c, 0x18, 0x01, b'a', 0x00, 0x16, 0x06, 0x19, 0x0c, 0x4c, 0x1c,
            0x00, 0x00, 0x00,
        ];
        assert!(states_encryption(&bytes));
        let mut other = bytes;
        other[12] = 0x5c;
        assert!(!states_encryption(&other), "field 9");
        for end in 0..bytes.len() {
            assert!(!states_encryption(&bytes[..end]), "{end}");
        }
    }

    #[test]
    fn levels_without_end_are_damage() {
        let deep = [0x1c].repeat(1 << 20);
        assert!(PageHeader::read(&deep[..]).is_err());
        assert!(PageHeader::read(&[0x15, 0x01, 0x00][..]).is_err(), "a size below zero");
    }
}
