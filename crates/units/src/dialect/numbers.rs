//! Which decimal mark the numbers of a column have, from all cells of a sample.

use super::error::DialectError;
use super::marks::{CellShape, Mark, shape_of, with_point};

/// The decimal mark of a column's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NumberMarks {
    /// Not numbers: cells stay as they are.
    Text,
    /// No cell of the sample has a mark.
    #[default]
    Unseen,
    /// `1.5`; a comma stands between thousands.
    Point,
    /// `1,5`; a point stands between thousands.
    Comma,
    /// Some cells have one, some the other: those that could be thousands are refused.
    Mixed,
}

/// What the cells of a sample say about a column.
#[derive(Debug, Clone, Default)]
pub struct ColumnMarks {
    has_text: bool,
    decimal: [bool; 2],
    grouped: [bool; 2],
    either: [Option<(u64, String)>; 2],
}

impl ColumnMarks {
    /// Takes in a cell of a line.
    pub fn add(&mut self, line: u64, cell: &str) {
        match shape_of(cell) {
            CellShape::Missing | CellShape::Plain => {}
            CellShape::Text => self.has_text = true,
            CellShape::Decimal(mark) => self.decimal[mark as usize] = true,
            CellShape::Grouped(mark) => self.grouped[mark as usize] = true,
            CellShape::Either(mark) => {
                self.either[mark as usize].get_or_insert_with(|| (line, cell.trim().to_owned()));
            }
        }
    }

    /// Whether a cell is a number in any notation.
    pub fn is_number(cell: &str) -> bool {
        !matches!(shape_of(cell), CellShape::Text | CellShape::Missing)
    }

    /// What cells with one meaning say; nothing where there are none.
    pub(crate) fn certain(&self) -> Option<NumberMarks> {
        let is = |decimal: Mark| {
            self.decimal[decimal as usize] || self.grouped[decimal.other() as usize]
        };
        match (self.has_text, is(Mark::Point), is(Mark::Comma)) {
            (true, ..) => Some(NumberMarks::Text),
            (false, true, true) => Some(NumberMarks::Mixed),
            (false, true, false) => Some(NumberMarks::Point),
            (false, false, true) => Some(NumberMarks::Comma),
            (false, false, false) => None,
        }
    }

    /// The column's marks, where other columns have decimal commas for certain, or decimal
    /// points; `has_semicolons` is what goes with decimal commas.
    pub(crate) fn resolved(
        &self,
        title: &str,
        (commas, points): (bool, bool),
        has_semicolons: bool,
    ) -> Result<NumberMarks, DialectError> {
        if let Some(certain) = self.certain() {
            return Ok(certain);
        }
        let ambiguous = |(line, cell): &(u64, String)| DialectError::Thousands {
            line: *line,
            column: title.to_owned(),
            cell: cell.clone(),
        };
        match &self.either {
            [None, None] => Ok(NumberMarks::Unseen),
            [Some(_), Some(comma)] => Err(ambiguous(comma)),
            [Some(point), None] if commas => Err(ambiguous(point)),
            [Some(_), None] => Ok(NumberMarks::Point),
            [None, Some(_)] if commas || (has_semicolons && !points) => Ok(NumberMarks::Comma),
            [None, Some(comma)] => Err(ambiguous(comma)),
        }
    }
}

/// Rewrites a cell with a decimal point, where its column's marks say that it needs it.
/// `commas` says whether decimal commas are what the table has otherwise.
pub(crate) fn plain_cell(
    cell: &str,
    marks: NumberMarks,
    commas: bool,
) -> Result<Option<String>, ()> {
    let decimal = match (marks, shape_of(cell)) {
        (NumberMarks::Text, _) | (_, CellShape::Text | CellShape::Missing) => return Ok(None),
        (_, CellShape::Plain) => Mark::Point,
        (_, CellShape::Decimal(mark)) => mark,
        (_, CellShape::Grouped(mark)) => mark.other(),
        (NumberMarks::Point, CellShape::Either(_)) => Mark::Point,
        (NumberMarks::Comma, CellShape::Either(_)) => Mark::Comma,
        (NumberMarks::Mixed, CellShape::Either(_)) => return Err(()),
        (NumberMarks::Unseen, CellShape::Either(Mark::Comma)) if commas => Mark::Comma,
        (NumberMarks::Unseen, CellShape::Either(Mark::Point)) if !commas => Mark::Point,
        (NumberMarks::Unseen, CellShape::Either(_)) => return Err(()),
    };
    let plain = with_point(cell, decimal);
    Ok((plain != cell).then_some(plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(cells: &[&str]) -> ColumnMarks {
        let mut marks = ColumnMarks::default();
        cells.iter().zip(2..).for_each(|(cell, line)| marks.add(line, cell));
        marks
    }

    #[test]
    fn a_column_has_the_marks_that_its_cells_show() {
        let resolved = |cells: &[&str], others, semicolons| {
            marks(cells).resolved("p", others, semicolons).map_err(|error| error.to_string())
        };
        let none = (false, false);
        assert_eq!(resolved(&["0,5", "1,234"], none, false), Ok(NumberMarks::Comma));
        assert_eq!(resolved(&["0.5", "1,234"], none, true), Ok(NumberMarks::Point));
        assert_eq!(resolved(&["0.5", "0,5"], none, true), Ok(NumberMarks::Mixed));
        assert_eq!(resolved(&["1,234", ""], none, true), Ok(NumberMarks::Comma));
        assert_eq!(resolved(&["1.234", "7"], none, true), Ok(NumberMarks::Point));
        assert_eq!(resolved(&["1,234", "7"], (true, false), false), Ok(NumberMarks::Comma));
        assert_eq!(resolved(&["1", "NA"], none, false), Ok(NumberMarks::Unseen));
        assert_eq!(resolved(&["1,5", "fan"], none, false), Ok(NumberMarks::Text));
        for (cells, others, semicolons) in [
            (["1,234", "5"], none, false),
            (["1,234", "5"], (false, true), true),
            (["5", "1.234"], (true, false), true),
            (["1,234", "1.234"], none, true),
        ] {
            let error = resolved(&cells, others, semicolons).unwrap_err();
            assert!(error.contains("234\" may be") && error.contains("`p`"), "{error}");
        }
    }

    #[test]
    fn cells_after_the_sample_are_held_to_its_marks() {
        let plain = |cell, marks, commas| plain_cell(cell, marks, commas);
        assert_eq!(plain("1,5", NumberMarks::Unseen, true), Ok(Some("1.5".into())));
        assert_eq!(plain("1,5", NumberMarks::Unseen, false), Ok(Some("1.5".into())));
        assert_eq!(plain("1,234", NumberMarks::Unseen, false), Err(()));
        assert_eq!(plain("1.234", NumberMarks::Unseen, true), Err(()));
        assert_eq!(plain("1.234", NumberMarks::Comma, true), Ok(Some("1234".into())));
        assert_eq!(plain("1,234", NumberMarks::Mixed, true), Err(()));
        assert_eq!(plain("a,b", NumberMarks::Comma, true), Ok(None));
        assert_eq!(plain("1,5", NumberMarks::Text, true), Ok(None));
    }
}
