//! Why a table can't be read: the file, the row, the column, and what to do about it.

use std::io;

use thiserror::Error;
use wattline_units::dialect::{DialectError, TitleError};
use wattline_units::limits::LimitExceeded;
use wattline_units::shortened::shortened;

use super::features::FeaturesError;

/// Reason why a file or stream gives no table.
#[derive(Debug, Error)]
pub enum TableError {
    /// Not CSV, or lines of different length.
    #[error("the table can't be read as CSV")]
    Csv(#[from] csv::Error),
    /// No table as text, or one with two meanings.
    #[error(transparent)]
    Dialect(#[from] DialectError),
    /// Titles that leave a choice.
    #[error(transparent)]
    Title(#[from] TitleError),
    /// The file has a feature that is not supported.
    #[error("{what}: {feature} is not read; {remedy}")]
    Unsupported {
        /// File, or part of it.
        what: String,
        /// The feature that is not supported.
        feature: String,
        /// Remedy for the user.
        remedy: &'static str,
    },
    /// A column that was named, or the energy, is not there.
    #[error("there is no column `{}` ({flag}){}", shortened(name), did_you_mean(nearest))]
    NoColumn {
        /// Name of the column.
        name: String,
        /// The flag that names it.
        flag: &'static str,
        /// The column that is spelled most like it.
        nearest: Option<String>,
    },
    /// Two columns of the same name.
    #[error("column `{}` is there twice; rename one of them", shortened(name))]
    TwoColumns {
        /// The name.
        name: String,
    },
    /// The list of features doesn't fit.
    #[error(transparent)]
    Features(#[from] FeaturesError),
    /// A cell that is not a finite number where one is needed.
    #[error(
        "row {row}{}, column `{}`: {found} is not {wanted}{}",
        place(line),
        shortened(column),
        remedy(column_is)
    )]
    BadCell {
        /// Row without the header, from 1.
        row: usize,
        /// Line of the file, from 1, where it has lines.
        line: Option<u64>,
        /// Name of the column.
        column: String,
        /// Content of the cell, quoted, or `null`.
        found: String,
        /// Content that is needed.
        wanted: &'static str,
        /// Role of the column.
        column_is: &'static str,
    },
    /// A column has values of a type that its role excludes.
    #[error(
        "column `{}` is {}, not {wanted}; leave it out with --features, or write it as {wanted}",
        shortened(column),
        shortened(is)
    )]
    Type {
        /// Name of the column.
        column: String,
        /// Type of the column.
        is: String,
        /// Type that is needed.
        wanted: &'static str,
    },
    /// A file of a table that lacks a column of the first.
    #[error(
        "there is no column `{}`, which {first} has; all files of a table have the same \
         columns: write the files anew, or name --features that all have",
        shortened(column)
    )]
    Lacks {
        /// Name of the column.
        column: String,
        /// The file that has it.
        first: String,
    },
    /// A file of a table that has a feature more than the first.
    #[error(
        "column `{}` is not in {first}; all files of a table have the same columns: write \
         the files anew, or name --features that all have",
        shortened(column)
    )]
    More {
        /// Name of the column.
        column: String,
        /// The file that lacks it.
        first: String,
    },
    /// A column that is not of one type in all files.
    #[error(
        "column `{}` is {}, but {} in {first}; write the files anew with one type, or \
         leave the column out with --features",
        shortened(column),
        shortened(is),
        shortened(was)
    )]
    TypeChanges {
        /// Name of the column.
        column: String,
        /// Type of the column in this file.
        is: String,
        /// Type of the column in the first file.
        was: String,
        /// The first file.
        first: String,
    },
    /// A file that is cut short or damaged.
    #[error("{what}: {message}; the file is cut short or damaged: copy or write it again")]
    Damaged {
        /// File, or part of it.
        what: String,
        /// Message of the reader.
        message: String,
    },
    /// The table exceeds a limit of size.
    #[error("{exceeded}; {remedy}")]
    TooLarge {
        /// The limit and the size.
        exceeded: LimitExceeded,
        /// Remedy for the user.
        remedy: &'static str,
    },
    /// The rows can't be read.
    #[error("the rows could not be read: {message}")]
    Read {
        /// Message of the reader.
        message: String,
    },
    /// One of several files is at fault.
    #[error("{file}")]
    In {
        /// The file.
        file: String,
        /// The error of that file.
        #[source]
        error: Box<TableError>,
    },
    /// A header and nothing else.
    #[error("the table has no rows")]
    NoRows,
    /// Nothing to fit.
    #[error("the table has no feature column; name some with --features")]
    NoFeatures,
}

impl TableError {
    /// Returns a constructor of [`TableError::TooLarge`] with this remedy.
    pub(super) fn too_large(remedy: &'static str) -> impl Fn(LimitExceeded) -> Self {
        move |exceeded| Self::TooLarge { exceeded, remedy }
    }

    /// Converts the error of a text that can't be opened, or is no table.
    pub(super) fn of_text(error: io::Error) -> Self {
        let found = error.get_ref().and_then(|inner| inner.downcast_ref::<DialectError>());
        match found {
            Some(dialect) => Self::Dialect(dialect.clone()),
            None => Self::Read { message: error.to_string() },
        }
    }

    /// Returns the error with the file at fault, where a table has several.
    pub fn of_file(self, file: &str) -> Self {
        Self::In { file: file.to_owned(), error: Box::new(self) }
    }
}

fn did_you_mean(nearest: &Option<String>) -> String {
    nearest.iter().map(|name| format!("; did you mean `{}`?", shortened(name))).collect()
}

fn place(line: &Option<u64>) -> String {
    line.iter().map(|line| format!(" (line {line})")).collect()
}

fn remedy(column_is: &str) -> &'static str {
    if column_is == "a feature" { "; leave the column out with --features" } else { "" }
}
