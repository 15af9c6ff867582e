//! Tables that a user names: read in any dialect, which is told where it is not plain CSV.

use std::path::Path;

use wattline_units::dialect::plain_text;

use crate::failure::Failure;
use crate::input_file;

use super::progress;

/// The table as plain CSV.
///
/// # Errors
/// It can't be read, is no table as text, or one with two meanings.
pub fn read_user_table(path: &Path) -> Result<String, Failure> {
    user_table(path, &input_file::read(path).map_err(Failure::io("read", path))?)
}

/// The bytes of a table as plain CSV.
///
/// # Errors
/// As [`read_user_table`].
pub fn user_table(path: &Path, bytes: &[u8]) -> Result<String, Failure> {
    let (text, dialect) = plain_text(bytes).map_err(|error| Failure::input(path, error))?;
    progress::remarks(path, &dialect.remark().into_iter().collect::<Vec<_>>());
    Ok(text)
}

/// The first line of a table as plain CSV, as far as its first bytes say it; else of the text.
pub fn first_line(start: &[u8]) -> String {
    let plain = plain_text(start).map(|(text, _)| text);
    let text = plain.unwrap_or_else(|_| String::from_utf8_lossy(start).into_owned());
    text.trim_start().lines().next().unwrap_or_default().to_owned()
}
