//! How a table that somebody else wrote is written: its encoding, the separator of its cells,
//! its decimal mark, what stands before its titles. All of it is found in the table's first
//! bytes, and said to the user ([`TableDialect::remark`]). [`PlainCsv`] gives the same table as
//! plain CSV: UTF-8, commas between cells, points in numbers, every row on its own line.

mod dates;
mod encoding;
mod error;
mod foreign_formats;
mod layout;
mod line_text;
mod marks;
mod numbers;
mod plain;
mod row_limit;
mod titles;

pub use dates::{DateTimeError, TimeCell, decimal_nanos, unix_nanos, zone_of};
pub use encoding::TextEncoding;
pub use error::DialectError;
pub use foreign_formats::{Compression, ForeignFormat};
pub use layout::{CellSeparator, TableLayout};
pub(crate) use numbers::plain_cell;
pub use numbers::{ColumnMarks, NumberMarks};
pub use plain::{PlainCsv, SAMPLE_BYTES, TableDialect, plain_text};
pub use row_limit::RowLimited;
pub use titles::{Quantity, TitleError, UnitColumn, quantity_column, title_unit};
pub(crate) use titles::{is_units_row, with_units};
