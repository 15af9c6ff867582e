//! Counting of the block ids in an execution log: LEB128 numbers, seven bits a byte, low bits
//! first, without a header (docs/internals/probe-runtime.md). Any part of a log can be counted alone, for
//! a number begins after each byte without the high bit.

use rayon::prelude::*;

/// Reasons why an execution log can't be counted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlockLogError {
    /// A block id that is not below the number of blocks.
    #[error("the log names block {id}, but there are {blocks}; take both from one instrumentation")]
    UnknownBlock {
        /// The id in the log.
        id: u64,
        /// Number of blocks.
        blocks: usize,
    },
}

/// Length of the tables for numbers of one or two bytes, which are indexed by the encoded bytes.
const SHORT_NUMBERS: usize = 1 << 15;

/// Bits of a word's bytes that mark a number as continued.
const CONTINUATION_BITS: u64 = 0x8080_8080_8080_8080;

/// Number of streams that one thread decodes side by side, so that it need not wait for a
/// number's length to begin the next.
const STREAMS: usize = 2;

/// Bytes of a log that are counted at a time, whose counts fit 32 bits.
const PIECE_BYTES: usize = 4 << 20;

/// Counts the ids in a log: executions by block id. The last number of a log that is cut short
/// (a killed process) is ignored.
///
/// # Errors
/// If an id is not below `blocks`.
pub fn count_ids(log: &[u8], blocks: usize) -> Result<Vec<u64>, BlockLogError> {
    let pieces = cut_log(log, log.len().div_ceil(PIECE_BYTES).max(1));
    let counted = pieces.into_par_iter().map(|piece| count_piece(piece, blocks));
    let add = |mut sum: Vec<u64>, counts: Vec<u64>| {
        sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        Ok(sum)
    };
    counted.try_reduce(|| vec![0; blocks], add)
}

/// Splits `log` between numbers into about equal parts.
fn cut_log(log: &[u8], parts: usize) -> Vec<&[u8]> {
    let mut pieces = Vec::with_capacity(parts);
    let mut rest = log;
    for left in (1..=parts).rev() {
        let near = rest.len() / left;
        let end = match left {
            1 => rest.len(),
            _ => rest[near..].iter().position(|b| *b < 0x80).map_or(rest.len(), |n| near + n + 1),
        };
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    pieces
}

/// Counts the ids in one thread's part of a log.
fn count_piece(piece: &[u8], blocks: usize) -> Result<Vec<u64>, BlockLogError> {
    let mut tables: Vec<[u32; SHORT_NUMBERS]> = vec![[0; SHORT_NUMBERS]; STREAMS];
    let mut counts = vec![0u64; blocks];
    let mut streams = [[].as_slice(); STREAMS];
    streams.copy_from_slice(&cut_log(piece, STREAMS));
    while streams.iter().all(|stream| stream.len() >= 8) {
        for (stream, table) in streams.iter_mut().zip(&mut tables) {
            let Some(bytes) = stream.first_chunk() else { break };
            let word = u64::from_le_bytes(*bytes);
            let more = word & CONTINUATION_BITS;
            let used = if more == 0 {
                count_bytes(word, table)
            } else if more & more >> 8 == 0 {
                count_short(word, table)
            } else if more & more >> 8 & more >> 16 == 0 {
                count_middle(word, &mut counts)?
            } else {
                count_long(stream, &mut counts)?
            };
            *stream = &stream[used..];
        }
    }
    for mut rest in streams {
        while !rest.is_empty() {
            rest = &rest[count_long(rest, &mut counts)?..];
        }
    }
    add_tables(&tables, &mut counts)?;
    Ok(counts)
}

/// Counts eight numbers of one byte each; returns the bytes consumed.
#[inline]
fn count_bytes(word: u64, table: &mut [u32; SHORT_NUMBERS]) -> usize {
    word.to_le_bytes().iter().for_each(|byte| table[usize::from(byte & 0x7f)] += 1);
    8
}

/// Counts the first four numbers of a word of numbers of one or two bytes; returns the bytes
/// consumed.
#[inline]
fn count_short(mut word: u64, table: &mut [u32; SHORT_NUMBERS]) -> usize {
    let mut used = 0;
    for _ in 0..4 {
        let two = word >> 7 & 1;
        let mask = 0x7f | (two << 15).wrapping_sub(two);
        table[(word & mask) as usize & (SHORT_NUMBERS - 1)] += 1;
        used += 1 + two as usize;
        word >>= 8 << two;
    }
    used
}

/// Counts the first two numbers of a word of numbers of up to three bytes; returns the bytes
/// consumed.
#[inline(never)] // the paths above it lose half their speed with it among them
fn count_middle(mut word: u64, counts: &mut [u64]) -> Result<usize, BlockLogError> {
    let mut used = 0;
    for _ in 0..2 {
        let two = word >> 7 & 1;
        let three = word >> 15 & two;
        let id = (word & 0x7f) | ((word >> 1 & 0x3f80) * two) | ((word >> 2 & 0x1f_c000) * three);
        add(counts, id, 1)?;
        used += (1 + two + three) as usize;
        word >>= 8 + 8 * (two + three);
    }
    Ok(used)
}

/// Counts the number of any length at the start of `bytes`; returns its length.
#[inline(never)]
fn count_long(bytes: &[u8], counts: &mut [u64]) -> Result<usize, BlockLogError> {
    let Some(last) = bytes.iter().position(|b| *b < 0x80) else { return Ok(bytes.len()) };
    let digit = |id: u64, b: &u8| id.checked_mul(128).map(|id| id | u64::from(b & 0x7f));
    let id = bytes[..=last].iter().rev().try_fold(0, digit).unwrap_or(u64::MAX);
    add(counts, id, 1)?;
    Ok(last + 1)
}

fn add_tables(tables: &[[u32; SHORT_NUMBERS]], counts: &mut [u64]) -> Result<(), BlockLogError> {
    for table in tables {
        for (bytes, count) in (0u64..).zip(table).filter(|(_, count)| **count > 0) {
            add(counts, bytes & 0x7f | bytes >> 1 & 0x3f80, u64::from(*count))?;
        }
    }
    Ok(())
}

fn add(counts: &mut [u64], id: u64, n: u64) -> Result<(), BlockLogError> {
    let blocks = counts.len();
    let count = usize::try_from(id).ok().and_then(|id| counts.get_mut(id));
    *count.ok_or(BlockLogError::UnknownBlock { id, blocks })? += n;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn encoded(ids: &[u64]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for id in ids {
            let mut id = *id;
            while id >= 0x80 {
                bytes.push(id as u8 | 0x80);
                id >>= 7;
            }
            bytes.push(id as u8);
        }
        bytes
    }

    #[test]
    fn ids_of_all_lengths_are_counted() {
        let ids = [0, 127, 128, 16_383, 16_384, 2_097_152, 0, 5, 5, 5];
        let counts = count_ids(&encoded(&ids), 3_000_000).unwrap();
        assert_eq!(counts.iter().sum::<u64>(), 10);
        assert_eq!([counts[0], counts[5], counts[16_383], counts[2_097_152]], [2, 3, 1, 1]);
        assert_eq!(count_ids(&[], 2), Ok(vec![0, 0]));
    }

    #[test]
    fn ids_without_a_block_are_errors_and_a_torn_end_is_none() {
        let error = BlockLogError::UnknownBlock { id: 300, blocks: 300 };
        assert_eq!(count_ids(&encoded(&[1, 300]), 300), Err(error));
        assert_eq!(count_ids(&[1, 0x80], 2), Ok(vec![0, 1]));
        assert!(count_ids(&[0xff; 40], 2).is_ok());
        let overlong = [[0xff; 40].as_slice(), &[1]].concat();
        assert!(count_ids(&overlong, 2).is_err());
    }

    proptest! {
        #[test]
        fn counts_are_those_of_one_by_one(ids in prop::collection::vec(0u64..40_000, 0..2000)) {
            let mut expected = vec![0; 40_000];
            ids.iter().for_each(|id| expected[*id as usize] += 1);
            prop_assert_eq!(count_ids(&encoded(&ids), 40_000), Ok(expected));
        }

        #[test]
        fn nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..5000)) {
            let _ = count_ids(&bytes, 1000);
        }
    }
}
