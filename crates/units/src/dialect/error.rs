//! Errors of a text that can't be read as a table, before any of its values is used.

use thiserror::Error;

use super::foreign_formats::ForeignFormat;
use crate::format::counted;
use crate::limits::LimitExceeded;
use crate::shortened::shortened;

/// Reasons why a text is no table, or an ambiguous one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DialectError {
    /// A number whose mark may be a decimal mark or one between thousands.
    #[error(
        "line {line}, column `{}`: \"{}\" may be a decimal or thousands; write the numbers \
         without a mark between thousands",
        shortened(column),
        shortened(cell)
    )]
    Thousands {
        /// The line, from 1.
        line: u64,
        /// The column's title.
        column: String,
        /// The text of the cell.
        cell: String,
    },
    /// Commas both between cells and as decimal marks.
    #[error(
        "line {line}: {} below {}, so commas seem to be decimal marks as well as separators; \
         write the table with semicolons between its cells, or with decimal points",
        counted(cells, "cell"),
        counted(titles, "title")
    )]
    CommasTwice {
        /// The line, from 1.
        line: u64,
        /// Number of cells of that line.
        cells: usize,
        /// Number of titles.
        titles: usize,
    },
    /// A file format other than text.
    #[error("it is {}, and no table as text; {}", .0.name, .0.remedy)]
    Foreign(ForeignFormat),
    /// A row longer than the limit.
    #[error("line {line}: {exceeded}; a table has a row for each case")]
    RowTooLong {
        /// The line, from 1.
        line: u64,
        /// The limit.
        exceeded: LimitExceeded,
    },
    /// Invalid CSV, such as rows of different lengths; the message of the reader.
    #[error("{0}")]
    Csv(String),
}
