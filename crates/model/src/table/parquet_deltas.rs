//! Check of the number of lengths that a page of texts in a delta encoding states: the decoder
//! makes room for so many, though a few bytes can stand for any number of them.

use parquet::basic::Encoding;
use parquet::column::page::Page;
use parquet::errors::ParquetError;

/// Refuses a page whose texts state more lengths than the page has values; `max_level` is the
/// largest definition level of its column.
pub(super) fn check_lengths(page: &Page, max_level: i16) -> Result<(), ParquetError> {
    let encoding = page.encoding();
    let Some(values) = value_bytes(page, max_level) else { return Err(damage_error()) };
    let most = u64::from(page.num_values());
    match encoding {
        Encoding::DELTA_LENGTH_BYTE_ARRAY => PackedLengths::of(values, most).map(drop),
        Encoding::DELTA_BYTE_ARRAY => {
            let prefixes = PackedLengths::of(values, most);
            prefixes
                .and_then(PackedLengths::rest)
                .and_then(|rest| PackedLengths::of(rest, most))
                .map(drop)
        }
        _ => return Ok(()),
    }
    .ok_or_else(damage_error)
}

fn damage_error() -> ParquetError {
    ParquetError::General("a page states more lengths of texts than it has values".to_owned())
}

/// Returns the bytes after the levels of a page of a column that is not nested.
fn value_bytes(page: &Page, max_level: i16) -> Option<&[u8]> {
    match page {
        Page::DataPage { buf, num_values, def_level_encoding, .. } => {
            let levels = match (max_level, def_level_encoding) {
                (0, _) => 0,
                (_, Encoding::RLE) => {
                    let length = u32::from_le_bytes(*buf.first_chunk()?);
                    4 + usize::try_from(length).ok()?
                }
                (level, _) => {
                    let bits = u64::from((level as u16).ilog2() + 1);
                    usize::try_from((u64::from(*num_values) * bits).div_ceil(8)).ok()?
                }
            };
            buf.get(levels..)
        }
        Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, .. } => {
            let levels = u64::from(*def_levels_byte_len) + u64::from(*rep_levels_byte_len);
            buf.get(usize::try_from(levels).ok()?..)
        }
        Page::DictionaryPage { .. } => Some(&[]),
    }
}

/// Lengths, packed as differences.
struct PackedLengths<'p> {
    blocks: ByteReader<'p>,
    /// Lengths of a part of a block, which have one width.
    of_part: u64,
    parts: u64,
    count: u64,
}

impl<'p> PackedLengths<'p> {
    /// Reads their header; `None` where they are more than `most`, or it is invalid.
    fn of(bytes: &'p [u8], most: u64) -> Option<Self> {
        let mut blocks = ByteReader(bytes);
        let (of_block, parts, count) = (blocks.number()?, blocks.number()?, blocks.number()?);
        blocks.number()?;
        let of_part = of_block.checked_div(parts)?;
        (count <= most && of_part > 0).then_some(Self { blocks, of_part, parts, count })
    }

    /// Returns the bytes after the lengths.
    fn rest(mut self) -> Option<&'p [u8]> {
        // The first one stands in the header.
        let mut left = self.count.saturating_sub(1);
        while left > 0 {
            self.blocks.number()?;
            let widths = self.blocks.take(self.parts)?;
            for width in widths {
                if left > 0 {
                    let bits = u64::from(*width).checked_mul(self.of_part)?;
                    self.blocks.take(bits.div_ceil(8))?;
                    left = left.saturating_sub(self.of_part);
                }
            }
        }
        Some(self.blocks.0)
    }
}

/// Reader of consecutive bytes.
struct ByteReader<'p>(&'p [u8]);

impl<'p> ByteReader<'p> {
    fn take(&mut self, count: u64) -> Option<&'p [u8]> {
        let (taken, rest) = self.0.split_at_checked(usize::try_from(count).ok()?)?;
        self.0 = rest;
        Some(taken)
    }

    /// Reads a number in parts of seven bits.
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?[0];
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two lengths: a header, and a block whose first part has a width of 3 bits.
    const LENGTHS: [u8; 25] = [
        0x80, 0x01, 0x04, 0x02, 0x0a, 0x00, 3, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 7,
        7, 7,
    ];

    #[test]
    fn lengths_are_counted_and_passed_over() {
        let rest = PackedLengths::of(&LENGTHS, 2).and_then(PackedLengths::rest);
        assert_eq!(rest, Some(&[7, 7, 7][..]));
        assert!(PackedLengths::of(&LENGTHS, 1).is_none(), "more than the page has");
        for end in 0..5 {
            assert!(PackedLengths::of(&LENGTHS[..end], 2).is_none(), "{end}");
        }
        assert!(PackedLengths::of(&LENGTHS[..15], 2).and_then(PackedLengths::rest).is_none());
        let mut none = LENGTHS;
        none[2] = 0;
        assert!(PackedLengths::of(&none, 2).is_none(), "no parts");
    }
}
