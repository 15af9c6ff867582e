//! What numbers every partial made here has. Bytes with a right checksum may have others, and
//! must be refused before anything is computed from them.

use super::super::super::double_double::DoubleDouble;
use super::super::cells::{AllCells, CellSums};
use super::settings::PartOf;
use super::{StatsBody, SufficientStats};

/// More rows than any table has; sums of thousands of such numbers don't overflow.
const MOST_ROWS: u64 = 1 << 48;

impl SufficientStats {
    /// Whether its numbers can be those of rows.
    pub(super) fn makes_sense(&self) -> bool {
        let rows = self.parts.iter().try_fold(0_u64, |sum, part| sum.checked_add(part.rows));
        let Some(rows) = rows.filter(|rows| *rows <= MOST_ROWS) else { return false };
        let are_parts = self.parts.iter().all(PartOf::makes_sense);
        are_parts
            && match &self.body {
                StatsBody::Sums(cells) => are_of(cells, rows),
                StatsBody::Errors(judged) => {
                    judged.tally.cells.iter().all(|cell| cell.cases <= rows)
                }
            }
    }
}

impl PartOf {
    fn makes_sense(&self) -> bool {
        self.number.is_none_or(|(number, of)| 1 <= number && number <= of && of <= MOST_ROWS)
    }
}

/// Whether cells can be sums over so many rows.
fn are_of(cells: &AllCells, rows: u64) -> bool {
    let found = cells.cells.iter().try_fold(0_u64, |sum, cell| sum.checked_add(cell.rows));
    found == Some(rows)
        && cells.cells.iter().all(is_finite)
        && cells.occurrences.cases.iter().all(|cases| *cases <= rows)
        && cells.occurrences.executions.iter().all(|sum| wide_is_finite(*sum))
}

fn is_finite(cell: &CellSums) -> bool {
    let sums = [cell.energy_j, cell.duration_energy, cell.duration_square];
    cell.durations <= cell.rows
        && sums.into_iter().all(wide_is_finite)
        && cell.products.elements.iter().all(|sum| wide_is_finite(*sum))
}

fn wide_is_finite(sum: DoubleDouble) -> bool {
    sum.hi.is_finite() && sum.lo.is_finite()
}
