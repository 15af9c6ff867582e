//! Rows that are read several times, kept packed while they are few: reading is most of a fit.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::rc::Rc;

use crate::table::{Block, Rows, TableError, Take, Wanted};

/// Counts that are kept, in bytes; of more none are.
const BYTES_MAX: usize = 96 << 20;

/// Rows of another source, of which the blocks are kept.
pub(super) struct Kept<'r> {
    rows: &'r dyn Rows,
    kept: RefCell<State>,
}

enum State {
    /// No pass has been made.
    Unread,
    All(Rc<Vec<Packed>>),
    TooMany,
}

/// A block whose counts take as few bytes as their columns need.
struct Packed {
    /// All but the counts.
    block: Block,
    columns: Vec<Column>,
}

/// Numbers as few bytes as hold them.
enum Column {
    U8(Vec<u8>),
    /// The last 16 bits of each, and the bits before them of the few that have any.
    U16(Vec<u16>, Vec<(u32, u16)>),
    U32(Vec<u32>),
    F64(Vec<f64>),
}

/// One in so many may have more than 16 bits.
const FEW: usize = 8;

impl Column {
    fn new(numbers: &[f64]) -> Self {
        let is_whole = |x: &f64| *x >= 0.0 && *x <= f64::from(u32::MAX) && x.trunc() == *x;
        if !numbers.iter().fold(true, |all, x| all & is_whole(x)) {
            return Self::F64(numbers.to_vec());
        }
        let whole: Vec<u32> = numbers.iter().map(|x| *x as u32).collect();
        let most = whole.iter().fold(0, |most, x| most.max(*x));
        if most <= u32::from(u8::MAX) {
            return Self::U8(whole.iter().map(|x| *x as u8).collect());
        }
        let long = whole.iter().filter(|x| **x > u32::from(u16::MAX)).count();
        if long > whole.len() / FEW {
            return Self::U32(whole);
        }
        let high =
            |(i, x): (usize, &u32)| ((*x >> 16) > 0).then_some((i as u32, (*x >> 16) as u16));
        let high = whole.iter().enumerate().filter_map(high).collect();
        Self::U16(whole.iter().map(|x| *x as u16).collect(), high)
    }

    fn bytes(&self) -> usize {
        match self {
            Self::U8(numbers) => numbers.len(),
            Self::U16(numbers, high) => 2 * numbers.len() + 8 * high.len(),
            Self::U32(numbers) => 4 * numbers.len(),
            Self::F64(numbers) => 8 * numbers.len(),
        }
    }

    fn unpack(&self, to: &mut Vec<f64>) {
        let from = to.len();
        match self {
            Self::U8(numbers) => to.extend(numbers.iter().map(|x| f64::from(*x))),
            Self::U16(numbers, high) => {
                to.extend(numbers.iter().map(|x| f64::from(*x)));
                high.iter().for_each(|(i, x)| to[from + *i as usize] += 65536.0 * f64::from(*x));
            }
            Self::U32(numbers) => to.extend(numbers.iter().map(|x| f64::from(*x))),
            Self::F64(numbers) => to.extend_from_slice(numbers),
        }
    }
}

impl Packed {
    fn new(block: &Block, columns: usize) -> Self {
        let columns = (0..columns).map(|j| Column::new(block.column(j))).collect();
        Self { block: block.without_counts(), columns }
    }

    fn bytes(&self) -> usize {
        self.columns.iter().map(Column::bytes).sum()
    }
}

impl<'r> Kept<'r> {
    /// Nothing is read yet.
    pub fn new(rows: &'r dyn Rows) -> Self {
        Self { rows, kept: RefCell::new(State::Unread) }
    }

    /// The first pass over all counts.
    fn read(&self, take: Take<'_>) -> Result<(), TableError> {
        let (mut kept, mut bytes, mut is_whole) = (Vec::new(), 0, true);
        self.rows.each(Wanted::Counts, &mut |block| {
            if bytes <= BYTES_MAX {
                let packed = Packed::new(block, self.features().len());
                bytes += packed.bytes();
                kept.push(packed);
                if bytes > BYTES_MAX {
                    kept = Vec::new();
                }
            }
            let flow = take(block);
            is_whole &= flow.is_continue();
            flow
        })?;
        if is_whole {
            let all = bytes <= BYTES_MAX;
            *self.kept.borrow_mut() = if all { State::All(Rc::new(kept)) } else { State::TooMany };
        }
        Ok(())
    }
}

impl Rows for Kept<'_> {
    fn features(&self) -> &[String] {
        self.rows.features()
    }

    fn each(&self, wanted: Wanted, take: Take<'_>) -> Result<(), TableError> {
        let kept = match &*self.kept.borrow() {
            State::All(kept) => Some(Rc::clone(kept)),
            State::Unread | State::TooMany => None,
        };
        let is_first = matches!(&*self.kept.borrow(), State::Unread);
        let Some(kept) = kept else {
            return match wanted == Wanted::Counts && is_first {
                true => self.read(take),
                false => self.rows.each(wanted, take),
            };
        };
        let mut counts = Vec::new();
        for packed in kept.iter() {
            counts.clear();
            if wanted == Wanted::Counts {
                packed.columns.iter().for_each(|column| column.unpack(&mut counts));
            }
            let mut block = packed.block.clone();
            block.counts = std::mem::take(&mut counts);
            if take(&block) == ControlFlow::Break(()) {
                break;
            }
            counts = block.counts;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Table;
    use crate::testing::table;

    #[test]
    fn what_is_kept_is_what_was_read() {
        let row = |i: usize| {
            let long = if i == 7 { 70_000.0 } else { 300.0 + i as f64 };
            [i as f64, 255.0, long, 4e9 - i as f64, if i == 3 { -1.0 } else { 2.0 }, 0.5]
        };
        let rows: Vec<[f64; 6]> = (0..20).map(row).collect();
        let rows: Vec<&[f64]> = rows.iter().map(<[f64; 6]>::as_slice).collect();
        let data = table(&rows, &[1.0; 20]);
        let kept = Kept::new(&data);
        let read = || {
            let mut counts = Vec::new();
            kept.each(Wanted::Counts, &mut |block| {
                counts.extend(block.counts.iter().map(|x| x.to_bits()));
                ControlFlow::Continue(())
            })
            .unwrap();
            counts
        };
        let first = read();
        assert!(matches!(&*kept.kept.borrow(), State::All(_)));
        assert_eq!((first.len(), read()), (120, first));
        let cases = Table::from_rows(&kept).unwrap().cases;
        assert_eq!(cases, data.cases);
    }
}
