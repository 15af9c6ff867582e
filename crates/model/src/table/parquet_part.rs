//! The rows of a Parquet file of any size, read in blocks of columns: of each column in use
//! a dictionary and a page are held at a time.

use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;
use parquet::file::reader::ChunkReader;

use super::arrow_block::{Reading, column};
use super::block::Block;
use super::columns::{Column, Places};
use super::error::TableError;
use super::part::{Fill, Part};
use super::rows::{BLOCK_ROWS, Wanted};

/// Opens the file anew for every pass.
pub type OpenParquet<'o, R> = Box<dyn Fn() -> std::io::Result<R> + 'o>;

/// A Parquet file that can be read again and again.
pub struct ParquetPart<'o, R> {
    open: OpenParquet<'o, R>,
    metadata: ArrowReaderMetadata,
    bytes: u64,
}

/// Decoded numbers that are held (48 MB). Each column has a dictionary of its own, and by the
/// time of its next rows the other columns' have pushed it out of the processor's caches: the
/// more rows are decoded at a time, the less often it is fetched.
const DECODED_BYTES: usize = 48 << 20;

fn damaged(what: impl Into<String>, error: &ParquetError) -> TableError {
    TableError::Damaged { what: what.into(), message: error.to_string() }
}

impl<'o, R: ChunkReader + 'static> ParquetPart<'o, R> {
    /// Reads the footer.
    ///
    /// # Errors
    /// The file can't be opened or is no Parquet file.
    pub fn new(open: OpenParquet<'o, R>) -> Result<Self, TableError> {
        let file = opened(&open)?;
        // What Arrow noted of dictionaries and the like is of no use here: all are numbers.
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let metadata = ArrowReaderMetadata::load(&file, options);
        let metadata = metadata.map_err(|error| damaged("the footer", &error))?;
        Ok(Self { bytes: file.len(), open, metadata })
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        u64::try_from(self.metadata.metadata().file_metadata().num_rows()).unwrap_or(0)
    }

    /// All bytes of the columns must be there.
    fn check_chunks(&self, columns: &[usize]) -> Result<(), TableError> {
        let roots = self.metadata.parquet_schema();
        for (group, about) in self.metadata.metadata().row_groups().iter().enumerate() {
            for (leaf, chunk) in about.columns().iter().enumerate() {
                if !columns.contains(&roots.get_column_root_idx(leaf)) {
                    continue;
                }
                let start = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
                let end = start.min(chunk.data_page_offset()).checked_add(chunk.compressed_size());
                let inside = |end: i64| u64::try_from(end).is_ok_and(|end| end <= self.bytes);
                if start < 0 || chunk.compressed_size() < 0 || !end.is_some_and(inside) {
                    let what = format!("row group {}", group + 1);
                    let message = format!(
                        "column `{}` ends beyond the end of the file",
                        chunk.column_path().string()
                    );
                    return Err(TableError::Damaged { what, message });
                }
            }
        }
        Ok(())
    }
}

fn opened<R>(open: &OpenParquet<'_, R>) -> Result<R, TableError> {
    open().map_err(|error| TableError::Read { message: error.to_string() })
}

impl<R: ChunkReader + 'static> Part for ParquetPart<'_, R> {
    fn columns(&self) -> Result<Vec<Column>, TableError> {
        Ok(self.metadata.schema().fields().iter().map(|field| column(field)).collect())
    }

    fn each(&self, places: &Places, wanted: Wanted, fill: Fill<'_>) -> Result<(), TableError> {
        let reading = Reading::new(places, wanted);
        self.check_chunks(&reading.columns)?;
        let roots =
            ProjectionMask::roots(self.metadata.parquet_schema(), reading.columns.iter().copied());
        let file = opened(&self.open)?;
        let batches =
            ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone())
                .with_projection(roots)
                .with_batch_size(decoded_rows(reading.columns.len()))
                .build()
                .map_err(|error| damaged("the columns", &error))?;
        let mut block = Block::default();
        for batch in batches {
            let batch = batch.map_err(|error| TableError::Damaged {
                what: format!("rows from {} on", block.first + 1),
                message: error.to_string(),
            })?;
            if reading.each(&mut block, &batch, fill)?.is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// Rows that are decoded at a time: whole blocks, at least one and at most sixteen.
fn decoded_rows(columns: usize) -> usize {
    let block_bytes = BLOCK_ROWS * columns * size_of::<f64>();
    BLOCK_ROWS * (DECODED_BYTES / block_bytes.max(1)).clamp(1, 16)
}

#[cfg(test)]
#[path = "parquet_tests.rs"]
mod tests;
