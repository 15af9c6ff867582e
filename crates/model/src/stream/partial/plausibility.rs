//! Plausibility of the numbers in a partial. Bytes with a right checksum may have numbers that no
//! partial made here has, and must be refused before anything is computed from them.

use super::super::super::double_double::DoubleDouble;
use super::super::cells::{AllCells, CellSums};
use super::settings::SummedPart;
use super::{StatsBody, SufficientStats};

/// More rows than any table has; sums of thousands of such numbers don't overflow.
const MOST_ROWS: u64 = 1 << 48;

impl SufficientStats {
    /// Whether the numbers can be those of rows.
    pub(super) fn is_plausible(&self) -> bool {
        let rows = self.parts.iter().try_fold(0_u64, |sum, part| sum.checked_add(part.rows));
        let Some(rows) = rows.filter(|rows| *rows <= MOST_ROWS) else { return false };
        let are_parts = self.parts.iter().all(SummedPart::is_plausible);
        are_parts
            && match &self.body {
                StatsBody::Sums(cells) => are_plausible_cells(cells, rows),
                StatsBody::Errors(judged) => {
                    judged.tally.cells.iter().all(|cell| cell.cases <= rows)
                }
            }
    }
}

impl SummedPart {
    fn is_plausible(&self) -> bool {
        self.number.is_none_or(|(number, of)| 1 <= number && number <= of && of <= MOST_ROWS)
    }
}

/// Whether cells can be sums over so many rows.
fn are_plausible_cells(cells: &AllCells, rows: u64) -> bool {
    let found = cells.cells.iter().try_fold(0_u64, |sum, cell| sum.checked_add(cell.rows));
    found == Some(rows)
        && cells.cells.iter().all(is_finite)
        && cells.occurrences.cases.iter().all(|cases| *cases <= rows)
        && cells.occurrences.executions.iter().all(|sum| is_finite_sum(*sum))
}

fn is_finite(cell: &CellSums) -> bool {
    let sums = [cell.energy_j, cell.duration_energy, cell.duration_square];
    cell.durations <= cell.rows
        && sums.into_iter().all(is_finite_sum)
        && cell.products.elements.iter().all(|sum| is_finite_sum(*sum))
}

fn is_finite_sum(sum: DoubleDouble) -> bool {
    sum.hi.is_finite() && sum.lo.is_finite()
}
