//! Decimal mark of a column's numbers, inferred from all its cells in a sample.

use super::cell_shape::{CellShape, PointOrComma, shape_of, with_decimal_point};
use super::error::DialectError;

/// Decimal mark of a column, as inferred from a sample or stated by the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColumnDecimalMark {
    /// The column holds no numbers: its cells stay as they are.
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

/// Evidence from the cells of a sample about the decimal mark of a column.
#[derive(Debug, Clone, Default)]
pub struct DecimalMarkEvidence {
    has_text: bool,
    decimal: [bool; 2],
    grouped: [bool; 2],
    either: [Option<(u64, String)>; 2],
}

impl DecimalMarkEvidence {
    /// Adds the notation of the cell of a line (from 1).
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

    /// Returns the mark that unambiguous cells show; `None` where there are none.
    pub(crate) fn certain_mark(&self) -> Option<ColumnDecimalMark> {
        let is = |decimal: PointOrComma| {
            self.decimal[decimal as usize] || self.grouped[decimal.other() as usize]
        };
        match (self.has_text, is(PointOrComma::Point), is(PointOrComma::Comma)) {
            (true, ..) => Some(ColumnDecimalMark::Text),
            (false, true, true) => Some(ColumnDecimalMark::Mixed),
            (false, true, false) => Some(ColumnDecimalMark::Point),
            (false, false, true) => Some(ColumnDecimalMark::Comma),
            (false, false, false) => None,
        }
    }

    /// Decides on the column's decimal mark, given whether other columns have decimal `commas` or
    /// `points` for certain; semicolons between cells suggest decimal commas.
    pub(crate) fn resolve_mark(
        &self,
        title: &str,
        (commas, points): (bool, bool),
        has_semicolons: bool,
    ) -> Result<ColumnDecimalMark, DialectError> {
        if let Some(certain) = self.certain_mark() {
            return Ok(certain);
        }
        let ambiguous = |(line, cell): &(u64, String)| DialectError::Thousands {
            line: *line,
            column: title.to_owned(),
            cell: cell.clone(),
        };
        match &self.either {
            [None, None] => Ok(ColumnDecimalMark::Unseen),
            [Some(_), Some(comma)] => Err(ambiguous(comma)),
            [Some(point), None] if commas => Err(ambiguous(point)),
            [Some(_), None] => Ok(ColumnDecimalMark::Point),
            [None, Some(_)] if commas || (has_semicolons && !points) => {
                Ok(ColumnDecimalMark::Comma)
            }
            [None, Some(comma)] => Err(ambiguous(comma)),
        }
    }
}

/// Rewrites a cell with a decimal point, where its column's mark requires it; `commas` is whether
/// the table's other columns have decimal commas.
pub(crate) fn plain_cell(
    cell: &str,
    marks: ColumnDecimalMark,
    commas: bool,
) -> Result<Option<String>, ()> {
    let decimal = match (marks, shape_of(cell)) {
        (ColumnDecimalMark::Text, _) | (_, CellShape::Text | CellShape::Missing) => {
            return Ok(None);
        }
        (_, CellShape::Plain) => PointOrComma::Point,
        (_, CellShape::Decimal(mark)) => mark,
        (_, CellShape::Grouped(mark)) => mark.other(),
        (ColumnDecimalMark::Point, CellShape::Either(_)) => PointOrComma::Point,
        (ColumnDecimalMark::Comma, CellShape::Either(_)) => PointOrComma::Comma,
        (ColumnDecimalMark::Mixed, CellShape::Either(_)) => return Err(()),
        (ColumnDecimalMark::Unseen, CellShape::Either(PointOrComma::Comma)) if commas => {
            PointOrComma::Comma
        }
        (ColumnDecimalMark::Unseen, CellShape::Either(PointOrComma::Point)) if !commas => {
            PointOrComma::Point
        }
        (ColumnDecimalMark::Unseen, CellShape::Either(_)) => return Err(()),
    };
    let plain = with_decimal_point(cell, decimal);
    Ok((plain != cell).then_some(plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(cells: &[&str]) -> DecimalMarkEvidence {
        let mut marks = DecimalMarkEvidence::default();
        cells.iter().zip(2..).for_each(|(cell, line)| marks.add(line, cell));
        marks
    }

    #[test]
    fn a_column_has_the_marks_that_its_cells_show() {
        let resolved = |cells: &[&str], others, semicolons| {
            marks(cells).resolve_mark("p", others, semicolons).map_err(|error| error.to_string())
        };
        let none = (false, false);
        assert_eq!(resolved(&["0,5", "1,234"], none, false), Ok(ColumnDecimalMark::Comma));
        assert_eq!(resolved(&["0.5", "1,234"], none, true), Ok(ColumnDecimalMark::Point));
        assert_eq!(resolved(&["0.5", "0,5"], none, true), Ok(ColumnDecimalMark::Mixed));
        assert_eq!(resolved(&["1,234", ""], none, true), Ok(ColumnDecimalMark::Comma));
        assert_eq!(resolved(&["1.234", "7"], none, true), Ok(ColumnDecimalMark::Point));
        assert_eq!(resolved(&["1,234", "7"], (true, false), false), Ok(ColumnDecimalMark::Comma));
        assert_eq!(resolved(&["1", "NA"], none, false), Ok(ColumnDecimalMark::Unseen));
        assert_eq!(resolved(&["1,5", "fan"], none, false), Ok(ColumnDecimalMark::Text));
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
        assert_eq!(plain("1,5", ColumnDecimalMark::Unseen, true), Ok(Some("1.5".into())));
        assert_eq!(plain("1,5", ColumnDecimalMark::Unseen, false), Ok(Some("1.5".into())));
        assert_eq!(plain("1,234", ColumnDecimalMark::Unseen, false), Err(()));
        assert_eq!(plain("1.234", ColumnDecimalMark::Unseen, true), Err(()));
        assert_eq!(plain("1.234", ColumnDecimalMark::Comma, true), Ok(Some("1234".into())));
        assert_eq!(plain("1,234", ColumnDecimalMark::Mixed, true), Err(()));
        assert_eq!(plain("a,b", ColumnDecimalMark::Comma, true), Ok(None));
        assert_eq!(plain("1,5", ColumnDecimalMark::Text, true), Ok(None));
    }
}
