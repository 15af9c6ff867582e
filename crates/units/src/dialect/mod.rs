//! Dialect of a table from another program: its encoding, the separator of its cells, its
//! decimal mark, the lines before its titles. It is detected from the table's first bytes and
//! reported to the user ([`TableDialect::remark`]). [`PlainCsv`] reads any such table as plain
//! CSV: UTF-8, commas between cells, points in numbers, every row on its own line.

mod cell_shape;
mod dates;
mod encoding;
mod error;
mod foreign_formats;
mod layout;
mod line_text;
mod numbers;
mod plain;
mod row_limit;
mod titles;

pub use dates::{DateTimeError, TimeCell, decimal_nanos, parse_zone, unix_nanos};
pub use encoding::TextEncoding;
pub use error::DialectError;
pub use foreign_formats::{Compression, ForeignFormat};
pub use layout::{CellSeparator, TableLayout};
pub(crate) use numbers::plain_cell;
pub use numbers::{ColumnDecimalMark, DecimalMarkEvidence};
pub use plain::{PlainCsv, SAMPLE_BYTES, TableDialect, read_plain_csv};
pub use row_limit::RowLimitedReader;
pub use titles::{Quantity, TitleError, UnitColumn, quantity_column, title_unit};
pub(crate) use titles::{is_units_row, with_units};
