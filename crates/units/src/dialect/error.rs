//! Why a text can't be read as a table, before any of its values is asked for.

use thiserror::Error;

use super::foreign_formats::ForeignFormat;
use crate::format::counted;
use crate::limits::LimitExceeded;
use crate::shortened::shortened;

/// A text that is no table, or one of two.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DialectError {
    /// A number that has two meanings.
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
        /// The cell.
        cell: String,
    },
    /// One sign for two things.
    #[error(
        "line {line}: {} below {}, so commas seem to be decimal marks as well as separators; \
         write the table with semicolons between its cells, or with decimal points",
        counted(cells, "cell"),
        counted(titles, "title")
    )]
    CommasTwice {
        /// The line, from 1.
        line: u64,
        /// Cells of that line.
        cells: usize,
        /// Titles.
        titles: usize,
    },
    /// A file of another kind.
    #[error("it is {}, and no table as text; {}", .0.name, .0.remedy)]
    Foreign(ForeignFormat),
    /// A row that is too long.
    #[error("line {line}: {exceeded}; a table has a row for each case")]
    RowTooLong {
        /// The line, from 1.
        line: u64,
        /// The limit.
        exceeded: LimitExceeded,
    },
    /// Rows of different length, or no CSV.
    #[error("{0}")]
    Csv(String),
}
