//! The rows of an Arrow IPC stream, which can be read once.

use std::cell::RefCell;
use std::io::Read;

use arrow_ipc::reader::StreamReader;
use arrow_schema::ArrowError;

use super::arrow_block::{Reading, column};
use super::block::Block;
use super::columns::{Column, Places};
use super::error::TableError;
use super::part::{Fill, Part};
use super::rows::Wanted;

/// A stream whose schema has been read.
pub struct ArrowStreamPart<R: Read> {
    columns: Vec<Column>,
    rest: RefCell<Option<StreamReader<R>>>,
}

fn broken(error: &ArrowError) -> TableError {
    let message = format!("{error}; what is wanted is a stream in Arrow's IPC format");
    TableError::Read { message }
}

impl<R: Read> ArrowStreamPart<R> {
    /// Reads the schema.
    ///
    /// # Errors
    /// It is no Arrow stream.
    pub fn new(from: R) -> Result<Self, TableError> {
        let rest = StreamReader::try_new(from, None).map_err(|error| broken(&error))?;
        let columns = rest.schema().fields().iter().map(|field| column(field)).collect();
        Ok(Self { columns, rest: RefCell::new(Some(rest)) })
    }
}

impl<R: Read> Part for ArrowStreamPart<R> {
    fn columns(&self) -> Result<Vec<Column>, TableError> {
        Ok(self.columns.clone())
    }

    fn each(&self, places: &Places, wanted: Wanted, fill: Fill<'_>) -> Result<(), TableError> {
        let Some(batches) = self.rest.take() else {
            let message = "a stream can be read once; write the table to a file".to_owned();
            return Err(TableError::Read { message });
        };
        let reading = Reading::new(places, wanted);
        let mut block = Block::default();
        for batch in batches {
            let batch = batch.map_err(|error| broken(&error))?;
            let used = batch.project(&reading.columns).map_err(|error| broken(&error))?;
            if reading.each(&mut block, &used, fill)?.is_break() {
                break;
            }
        }
        Ok(())
    }
}
