//! Notation of a number in a cell, from which the decimal mark of its column is inferred.

/// Notation of a cell: the marks of its number, and whether the decimal mark is certain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CellShape {
    /// Empty, or one of the words for nothing.
    Missing,
    /// No number in any notation.
    Text,
    /// Digits alone, or a notation with one meaning, as `1e-3` or `inf`.
    Plain,
    /// `1.5`: the mark is the decimal one.
    Decimal(PointOrComma),
    /// `1.234`: a decimal, or thousands.
    Either(PointOrComma),
    /// `1.234.567`, `1.234,5`: the mark stands between thousands.
    Grouped(PointOrComma),
}

/// Mark within a number: a decimal mark or one between thousands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PointOrComma {
    Point,
    Comma,
}

impl PointOrComma {
    fn of(byte: u8) -> Self {
        if byte == b',' { Self::Comma } else { Self::Point }
    }

    pub(super) fn byte(self) -> u8 {
        if self == Self::Comma { b',' } else { b'.' }
    }

    pub(super) fn other(self) -> Self {
        if self == Self::Comma { Self::Point } else { Self::Comma }
    }
}

/// Cells that stand for a missing value, in small letters.
const MISSING: [&str; 9] = ["", "na", "n/a", "nan", "null", "none", "-", "--", "\u{2014}"];

/// Characters between thousands that are never decimal marks.
const SPACES: [char; 5] = [' ', '\u{a0}', '\u{202f}', '\'', '\u{2019}'];

/// Classifies a cell by the marks in its number.
pub(super) fn shape_of(cell: &str) -> CellShape {
    let cell = cell.trim();
    if MISSING.iter().any(|word| cell.eq_ignore_ascii_case(word)) {
        return CellShape::Missing;
    }
    let Some(number) = WrittenNumber::of(cell) else {
        let is_plain = cell.parse::<f64>().is_ok();
        return if is_plain { CellShape::Plain } else { CellShape::Text };
    };
    number.shape()
}

/// Parts of a number as written: sign, digits with marks, exponent.
struct WrittenNumber<'c> {
    digits: &'c str,
    has_exponent: bool,
    /// Whether spaces or apostrophes stand between thousands.
    is_spaced: bool,
}

impl<'c> WrittenNumber<'c> {
    fn of(cell: &'c str) -> Option<Self> {
        let unsigned = cell.strip_prefix(['-', '+', '\u{2212}']).unwrap_or(cell);
        let end = unsigned.find(['e', 'E']);
        let (digits, exponent) = match end {
            Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
            None => (unsigned, None),
        };
        let is_digit = |c: char| c.is_ascii_digit();
        let is_part = |c: char| is_digit(c) || matches!(c, '.' | ',') || SPACES.contains(&c);
        let whole = |text: &str| {
            let text = text.strip_prefix(['-', '+']).unwrap_or(text);
            !text.is_empty() && text.chars().all(is_digit)
        };
        let is_number = digits.chars().any(is_digit)
            && digits.chars().all(is_part)
            && exponent.is_none_or(whole);
        let is_spaced = digits.contains(SPACES);
        let number = Self { digits, has_exponent: exponent.is_some(), is_spaced };
        (is_number && (!is_spaced || number.has_spaced_groups())).then_some(number)
    }

    /// Whether digits stand in groups of three up to the decimal mark: `1 234 567,8`.
    fn has_spaced_groups(&self) -> bool {
        let whole = self.digits.split(['.', ',']).next().unwrap_or_default();
        self.digits.matches(['.', ',']).count() <= 1
            && !self.digits[whole.len()..].contains(SPACES)
            && are_groups(&mut whole.split(SPACES))
    }

    fn shape(&self) -> CellShape {
        let marks: Vec<(usize, u8)> =
            self.digits.bytes().enumerate().filter(|(_, b)| matches!(b, b'.' | b',')).collect();
        let Some(&(last, byte)) = marks.last() else { return CellShape::Plain };
        let (mark, first) = (PointOrComma::of(byte), PointOrComma::of(marks[0].1));
        let of_kind = |mark: PointOrComma| marks.iter().filter(|(_, b)| *b == mark.byte()).count();
        if of_kind(PointOrComma::Point) > 0 && of_kind(PointOrComma::Comma) > 0 {
            let whole = &self.digits[..last];
            let is_fine = of_kind(mark) == 1
                && first != mark
                && are_groups(&mut whole.split(char::from(first.byte())));
            return if is_fine { CellShape::Grouped(first) } else { CellShape::Text };
        }
        if marks.len() > 1 {
            let is_fine = are_groups(&mut self.digits.split(char::from(byte)));
            return if is_fine { CellShape::Grouped(mark) } else { CellShape::Text };
        }
        let (whole, fraction) = (&self.digits[..last], &self.digits[last + 1..]);
        let may_be_group = fraction.len() == 3
            && matches!(whole.len(), 1..=3)
            && !whole.starts_with('0')
            && !self.has_exponent
            && !self.is_spaced;
        if may_be_group { CellShape::Either(mark) } else { CellShape::Decimal(mark) }
    }
}

/// Whether parts between marks have the lengths of groups of thousands.
fn are_groups<'p>(parts: &mut impl Iterator<Item = &'p str>) -> bool {
    let first = parts.next().unwrap_or_default();
    let are_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    (1..=3).contains(&first.len())
        && are_digits(first)
        && parts.all(|part| part.len() == 3 && are_digits(part))
}

/// Rewrites a number whose decimal mark is known with a decimal point and nothing between
/// thousands.
pub(super) fn with_decimal_point(cell: &str, decimal: PointOrComma) -> String {
    let group = char::from(decimal.other().byte());
    let kept = cell.trim().chars().filter(|c| *c != group && !SPACES.contains(c));
    kept.map(|c| match c {
        ',' => '.',
        '\u{2212}' => '-',
        other => other,
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_of_numbers() {
        use CellShape::*;
        for (cell, expected) in [
            ("", Missing),
            (" NaN ", Missing),
            ("12", Plain),
            ("1e-3", Plain),
            ("inf", Plain),
            ("x", Text),
            ("2026-11-28", Text),
            ("10:00:00", Text),
            ("1.2.3", Text),
            ("0,5", Decimal(PointOrComma::Comma)),
            ("0,500", Decimal(PointOrComma::Comma)),
            ("-1,2345", Decimal(PointOrComma::Comma)),
            ("1234,567", Decimal(PointOrComma::Comma)),
            ("1,234e3", Decimal(PointOrComma::Comma)),
            (",5", Decimal(PointOrComma::Comma)),
            ("0.5", Decimal(PointOrComma::Point)),
            ("1767258000.123", Decimal(PointOrComma::Point)),
            ("1,234", Either(PointOrComma::Comma)),
            ("12.345", Either(PointOrComma::Point)),
            ("1,234,567", Grouped(PointOrComma::Comma)),
            ("1,234.5", Grouped(PointOrComma::Comma)),
            ("1.234,5", Grouped(PointOrComma::Point)),
            ("1.234.567,8", Grouped(PointOrComma::Point)),
            ("1.23.456", Text),
            ("1 234,5", Decimal(PointOrComma::Comma)),
            ("1\u{202f}234\u{202f}567", Plain),
            ("1'234.567", Decimal(PointOrComma::Point)),
            ("1 2", Text),
            ("1,2,3", Text),
        ] {
            assert_eq!(shape_of(cell), expected, "{cell:?}");
        }
    }

    #[test]
    fn numbers_are_written_with_points() {
        assert_eq!(with_decimal_point("-1.234,5", PointOrComma::Comma), "-1234.5");
        assert_eq!(with_decimal_point("1'234.567", PointOrComma::Point), "1234.567");
        assert_eq!(
            with_decimal_point("\u{2212}1\u{a0}234,5e-3", PointOrComma::Comma),
            "-1234.5e-3"
        );
    }
}
