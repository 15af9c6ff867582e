//! Tables that a user names: read in any dialect, with a remark where it is not plain CSV.

use std::path::Path;

use wattline_units::dialect::read_plain_csv;

use crate::failure::Failure;
use crate::input_file;

use super::progress;

/// Reads a table of any dialect as plain CSV.
///
/// # Errors
/// It can't be read, is no table as text, or one with two meanings.
pub fn read_user_table(path: &Path) -> Result<String, Failure> {
    user_table(path, &input_file::read(path).map_err(Failure::io("read", path))?)
}

/// Table of any dialect, from its bytes, as plain CSV.
///
/// # Errors
/// As [`read_user_table`].
pub fn user_table(path: &Path, bytes: &[u8]) -> Result<String, Failure> {
    let (text, dialect) = read_plain_csv(bytes).map_err(|error| Failure::input(path, error))?;
    progress::print_remarks(path, &dialect.remark().into_iter().collect::<Vec<_>>());
    Ok(text)
}

/// Header line of a table from the first bytes of its file, as plain CSV; the first line of the
/// text if it is no table.
pub fn header_line(start: &[u8]) -> String {
    let plain = read_plain_csv(start).map(|(text, _)| text);
    let text = plain.unwrap_or_else(|_| String::from_utf8_lossy(start).into_owned());
    text.trim_start().lines().next().unwrap_or_default().to_owned()
}
