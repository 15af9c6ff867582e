//! The rows of an Arrow IPC stream, which can be read once.

use std::cell::RefCell;
use std::io::{Chain, Cursor, Read};

use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamDecoder;
use arrow_schema::ArrowError;
use wattline_units::foreign::catch_foreign_panic;
use wattline_units::limits::TABLE_COLUMNS;
use wattline_units::shortened::shortened;

use super::arrow_block::{ArrowColumns, table_column};
use super::arrow_messages::{ArrowMessage, ArrowMessages};
use super::block::RowBlock;
use super::columns::{ColumnPositions, TableColumn};
use super::error::TableError;
use super::part::{PartBlockHandler, TablePart};
use super::rows::PassColumns;

/// A stream whose schema has been read.
pub struct ArrowStreamPart<R: Read> {
    columns: Vec<TableColumn>,
    rest: RefCell<Option<BatchReader<R>>>,
}

/// Reader of record batches: messages and their decoder.
struct BatchReader<R> {
    messages: ArrowMessages<R>,
    decoder: StreamDecoder,
}

fn damage_error(error: &dyn std::error::Error) -> TableError {
    let error = error.to_string();
    let error = shortened(&error);
    let message = format!("{error}; what is wanted is a stream in Arrow's IPC format");
    TableError::Read { message }
}

/// Runs the decoder, which panics on some damaged streams.
fn run_decoder<T>(decode: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, TableError> {
    match catch_foreign_panic(decode) {
        Ok(decoded) => decoded.map_err(|error| damage_error(&error)),
        Err(panic) => {
            Err(TableError::Damaged { what: "the stream".to_owned(), message: panic.to_string() })
        }
    }
}

impl<R: Read> BatchReader<R> {
    /// The next batch; `None` at the end.
    fn next(&mut self) -> Result<Option<RecordBatch>, TableError> {
        while let Some(message) = run_decoder(|| self.messages.next())? {
            if let Some(batch) = self.take(message)? {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }

    fn take(&mut self, message: ArrowMessage) -> Result<Option<RecordBatch>, TableError> {
        let ArrowMessage { mut head, mut body } = message;
        run_decoder(|| {
            self.decoder.decode(&mut head)?;
            self.decoder.decode(&mut body)
        })
    }

    /// Reads the schema from the first message.
    fn schema(&mut self) -> Result<Vec<TableColumn>, TableError> {
        let empty = || damage_error(&ArrowError::IpcError("the stream is empty".to_owned()));
        let message = run_decoder(|| self.messages.next())?.ok_or_else(empty)?;
        self.take(message)?;
        let none =
            || damage_error(&ArrowError::IpcError("it does not begin with a schema".to_owned()));
        let schema = self.decoder.schema().ok_or_else(none)?;
        let remedy = "send the columns in use alone";
        TABLE_COLUMNS.check(schema.fields().len() as u64).map_err(TableError::too_large(remedy))?;
        Ok(schema.fields().iter().map(|field| table_column(field)).collect())
    }
}

impl<R: Read> ArrowStreamPart<R> {
    /// Reads the schema.
    ///
    /// # Errors
    /// It is no Arrow stream.
    pub fn new(from: R) -> Result<Self, TableError> {
        let mut rest =
            BatchReader { messages: ArrowMessages::new(from), decoder: StreamDecoder::default() };
        Ok(Self { columns: rest.schema()?, rest: RefCell::new(Some(rest)) })
    }
}

/// First bytes of a file in Arrow's format, which is a stream between them and a footer.
pub const ARROW_FILE: &[u8; 8] = b"ARROW1\0\0";

/// Words of eight bytes between the first one and the stream.
const ALIGNMENT_WORDS: usize = 8;

/// The stream inside a file, with the first bytes that were read.
type FileStream<'o> = Chain<Cursor<[u8; ARROW_FILE.len()]>, Box<dyn Read + 'o>>;

/// Function that opens a file anew for every pass.
pub(crate) type OpenArrow<'o> = Box<dyn Fn() -> std::io::Result<Box<dyn Read + 'o>> + 'o>;

/// A file of Arrow's format (Feather of version 2), which can be read again and again.
pub struct ArrowFilePart<'o> {
    open: OpenArrow<'o>,
}

impl<'o> ArrowFilePart<'o> {
    /// Creates the part; nothing is read yet.
    pub fn new(open: OpenArrow<'o>) -> Self {
        Self { open }
    }

    fn stream(&self) -> Result<ArrowStreamPart<FileStream<'o>>, TableError> {
        let read = |error: std::io::Error| TableError::Read { message: error.to_string() };
        let mut file = (self.open)().map_err(read)?;
        let mut word = [0; ARROW_FILE.len()];
        file.read_exact(&mut word).map_err(read)?;
        // Zeros follow, as many as the stream's alignment asks for.
        for _ in 0..ALIGNMENT_WORDS {
            file.read_exact(&mut word).map_err(read)?;
            if word != [0; ARROW_FILE.len()] {
                break;
            }
        }
        ArrowStreamPart::new(Cursor::new(word).chain(file))
    }
}

impl TablePart for ArrowFilePart<'_> {
    fn columns(&self) -> Result<Vec<TableColumn>, TableError> {
        self.stream()?.columns()
    }

    fn for_each_block(
        &self,
        places: &ColumnPositions,
        wanted: PassColumns,
        fill: PartBlockHandler<'_>,
    ) -> Result<(), TableError> {
        self.stream()?.for_each_block(places, wanted, fill)
    }
}

impl<R: Read> TablePart for ArrowStreamPart<R> {
    fn columns(&self) -> Result<Vec<TableColumn>, TableError> {
        Ok(self.columns.clone())
    }

    fn for_each_block(
        &self,
        places: &ColumnPositions,
        wanted: PassColumns,
        fill: PartBlockHandler<'_>,
    ) -> Result<(), TableError> {
        let Some(mut batches) = self.rest.take() else {
            let message = "a stream can be read once; write the table to a file".to_owned();
            return Err(TableError::Read { message });
        };
        let reading = ArrowColumns::new(places, wanted);
        let mut block = RowBlock::default();
        while let Some(batch) = batches.next()? {
            let used = run_decoder(|| batch.project(&reading.columns))?;
            if reading.for_each_block(&mut block, &used, fill)?.is_break() {
                break;
            }
        }
        Ok(())
    }
}
