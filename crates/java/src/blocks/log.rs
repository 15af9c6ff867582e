//! Counts the block ids of an execution log: LEB128 numbers, seven bits a byte, low bits
//! first, without a header (docs/probe-runtime.md). Any cut of a log can be counted alone, for
//! a number begins after each byte without the high bit.

use rayon::prelude::*;

/// Why a log can't be counted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// An id that no block has.
    #[error("the log names block {id}, but there are {blocks}; take both from one instrumentation")]
    UnknownBlock {
        /// The id in the log.
        id: u64,
        /// Number of blocks.
        blocks: usize,
    },
}

/// Short numbers, of one or two bytes, have tables of their own. They are indexed by the
/// bytes as they stand.
const SHORT: usize = 1 << 15;

/// The bits of a word's bytes that say that a number goes on.
const MORE: u64 = 0x8080_8080_8080_8080;

/// Streams that one thread decodes side by side, so that it need not wait for a number's
/// length to begin the next.
const STREAMS: usize = 2;

/// Bytes that are counted at a time; counts of so many fit 32 bits.
const PIECE: usize = 4 << 20;

/// The last number of a log cut short in the middle (a killed process) counts nothing.
///
/// # Errors
/// If an id is not below `blocks`.
pub fn count_ids(log: &[u8], blocks: usize) -> Result<Vec<u64>, LogError> {
    let pieces = cuts(log, log.len().div_ceil(PIECE).max(1));
    let counted = pieces.into_par_iter().map(|piece| count_piece(piece, blocks));
    let add = |mut sum: Vec<u64>, counts: Vec<u64>| {
        sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        Ok(sum)
    };
    counted.try_reduce(|| vec![0; blocks], add)
}

/// `log` in about equal parts, cut between numbers.
fn cuts(log: &[u8], parts: usize) -> Vec<&[u8]> {
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

/// One thread's part.
fn count_piece(piece: &[u8], blocks: usize) -> Result<Vec<u64>, LogError> {
    let mut tables: Vec<[u32; SHORT]> = vec![[0; SHORT]; STREAMS];
    let mut counts = vec![0u64; blocks];
    let mut streams = [[].as_slice(); STREAMS];
    streams.copy_from_slice(&cuts(piece, STREAMS));
    while streams.iter().all(|stream| stream.len() >= 8) {
        for (stream, table) in streams.iter_mut().zip(&mut tables) {
            let Some(bytes) = stream.first_chunk() else { break };
            let word = u64::from_le_bytes(*bytes);
            let more = word & MORE;
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

/// Eight numbers of one byte; the bytes that they took.
#[inline]
fn count_bytes(word: u64, table: &mut [u32; SHORT]) -> usize {
    word.to_le_bytes().iter().for_each(|byte| table[usize::from(byte & 0x7f)] += 1);
    8
}

/// The first four numbers of a word of short ones.
#[inline]
fn count_short(mut word: u64, table: &mut [u32; SHORT]) -> usize {
    let mut used = 0;
    for _ in 0..4 {
        let two = word >> 7 & 1;
        let mask = 0x7f | (two << 15).wrapping_sub(two);
        table[(word & mask) as usize & (SHORT - 1)] += 1;
        used += 1 + two as usize;
        word >>= 8 << two;
    }
    used
}

/// The first two numbers of a word of numbers of up to three bytes.
#[inline(never)] // the paths above it lose half their speed with it among them
fn count_middle(mut word: u64, counts: &mut [u64]) -> Result<usize, LogError> {
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

/// The number of any length at the start of `bytes`; its length.
#[inline(never)]
fn count_long(bytes: &[u8], counts: &mut [u64]) -> Result<usize, LogError> {
    let Some(last) = bytes.iter().position(|b| *b < 0x80) else { return Ok(bytes.len()) };
    let digit = |id: u64, b: &u8| id.checked_mul(128).map(|id| id | u64::from(b & 0x7f));
    let id = bytes[..=last].iter().rev().try_fold(0, digit).unwrap_or(u64::MAX);
    add(counts, id, 1)?;
    Ok(last + 1)
}

fn add_tables(tables: &[[u32; SHORT]], counts: &mut [u64]) -> Result<(), LogError> {
    for table in tables {
        for (bytes, count) in (0u64..).zip(table).filter(|(_, count)| **count > 0) {
            add(counts, bytes & 0x7f | bytes >> 1 & 0x3f80, u64::from(*count))?;
        }
    }
    Ok(())
}

fn add(counts: &mut [u64], id: u64, n: u64) -> Result<(), LogError> {
    let blocks = counts.len();
    let count = usize::try_from(id).ok().and_then(|id| counts.get_mut(id));
    *count.ok_or(LogError::UnknownBlock { id, blocks })? += n;
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
        let error = LogError::UnknownBlock { id: 300, blocks: 300 };
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
