//! The rows of a Parquet file of any size, read in blocks of columns: of each column in use
//! a dictionary and a page are held at a time.

use std::sync::Arc;

use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::{Compression, Type};
use parquet::column::page::PageReader;
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::ChunkReader;
use parquet::file::serialized_reader::SerializedPageReader;
use wattline_units::foreign::catch_foreign_panic;
use wattline_units::limits::{
    PARQUET_FOOTER_BYTES, PARQUET_PAGE_BYTES, PARQUET_ROWS_PER_BYTE, TABLE_COLUMNS,
};
use wattline_units::shortened::shortened;

use super::arrow_block::{ArrowColumns, table_column, with_text_views};
use super::block::RowBlock;
use super::columns::{ColumnPositions, TableColumn};
use super::error::TableError;
use super::parquet_deltas::check_lengths;
use super::parquet_pages::{PageHeader, PageKind, states_encryption};
use super::part::{PartBlockHandler, TablePart};
use super::rows::{BLOCK_ROWS, PassColumns};

/// Function that opens the file anew for every pass.
pub(crate) type OpenParquet<'o, R> = Box<dyn Fn() -> std::io::Result<R> + 'o>;

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

/// Files of fewer rows need not have a byte for so many of them.
const FEW_ROWS: u64 = 1 << 20;

fn damage_error(what: impl Into<String>, error: &dyn std::error::Error) -> TableError {
    let message = shortened(&error.to_string()).into_owned();
    TableError::Damaged { what: what.into(), message }
}

/// Words in the decoder's errors for whole files that hold something it does not read.
const UNREAD: [&str; 3] = ["NYI", "not supported", "Disabled feature"];

/// Remedy for a codec that is not read.
const CODECS: &str = "write the file anew, with snappy, gzip, brotli, lz4, zstd or no compression";

/// Converts an error of the decoder: damage, or a feature that it does not have.
fn decoder_error(what: String, error: &ParquetError) -> TableError {
    let text = error.to_string();
    if !UNREAD.iter().any(|words| text.contains(words)) {
        return damage_error(what, error);
    }
    let remedy = "write the file anew with the defaults of pandas, Polars or Spark";
    TableError::Unsupported { what, feature: shortened(&text).into_owned(), remedy }
}

/// Runs the decoder, whose errors and panics are damage of `what`.
fn run_decoder<T>(
    what: impl Fn() -> String,
    decode: impl FnOnce() -> Result<T, ParquetError>,
) -> Result<T, TableError> {
    match catch_foreign_panic(decode) {
        Ok(decoded) => decoded.map_err(|error| decoder_error(what(), &error)),
        Err(panic) => Err(damage_error(what(), &panic)),
    }
}

impl<'o, R: ChunkReader + 'static> ParquetPart<'o, R> {
    /// Reads the footer.
    ///
    /// # Errors
    /// The file can't be opened or is no Parquet file.
    pub fn new(open: OpenParquet<'o, R>) -> Result<Self, TableError> {
        let file = open_file(&open)?;
        check_footer(&file)?;
        // What Arrow noted of dictionaries and the like is of no use here: all are numbers.
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let footer = || "the footer".to_owned();
        let metadata = run_decoder(footer, || ArrowReaderMetadata::load(&file, options.clone()))?;
        let columns = metadata.schema().fields().len() as u64;
        let remedy = "write the columns in use to a table of their own";
        TABLE_COLUMNS.check(columns).map_err(TableError::too_large(remedy))?;
        // A text that many rows share is not copied for each of them.
        let options = options.with_schema(with_text_views(metadata.schema()));
        let metadata = metadata.metadata().clone();
        let metadata = run_decoder(footer, || ArrowReaderMetadata::try_new(metadata, options))?;
        let part = Self { bytes: file.len(), open, metadata };
        part.check_rows()?;
        Ok(part)
    }

    /// Refuses a file that states far more rows than it has bytes: rows in runs of one value take
    /// no bytes, but time.
    fn check_rows(&self) -> Result<(), TableError> {
        let rows = self.rows();
        let remedy = "the file states more rows than it can hold: write it again";
        match rows > FEW_ROWS {
            true => PARQUET_ROWS_PER_BYTE.check(rows / self.bytes.max(1)),
            false => Ok(()),
        }
        .map_err(TableError::too_large(remedy))
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        let metadata = self.metadata.metadata();
        let groups = metadata.row_groups().iter().map(|group| group.num_rows());
        let all = groups.map(|rows| u64::try_from(rows).unwrap_or(0)).fold(0, u64::saturating_add);
        all.max(u64::try_from(metadata.file_metadata().num_rows()).unwrap_or(0))
    }

    /// Number of columns.
    pub fn column_count(&self) -> usize {
        self.metadata.schema().fields().len()
    }

    /// Refuses a file that lacks bytes of the columns.
    fn check_chunks(&self, columns: &[usize]) -> Result<(), TableError> {
        let roots = self.metadata.parquet_schema();
        for (group, about) in self.metadata.metadata().row_groups().iter().enumerate() {
            for (leaf, chunk) in about.columns().iter().enumerate() {
                if !columns.contains(&roots.get_column_root_idx(leaf)) {
                    continue;
                }
                if chunk.compression() == Compression::LZO {
                    let (what, feature) =
                        (chunk_name(group, chunk), "compression by LZO".to_owned());
                    return Err(TableError::Unsupported { what, feature, remedy: CODECS });
                }
                let start = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
                let end = start.min(chunk.data_page_offset()).checked_add(chunk.compressed_size());
                let inside = |end: i64| u64::try_from(end).is_ok_and(|end| end <= self.bytes);
                if start < 0 || chunk.compressed_size() < 0 || !end.is_some_and(inside) {
                    let what = format!("row group {}", group + 1);
                    let message = format!(
                        "column `{}` ends beyond the end of the file",
                        shortened(&chunk.column_path().string())
                    );
                    return Err(TableError::Damaged { what, message });
                }
            }
        }
        Ok(())
    }

    /// Refuses columns whose dictionaries and largest pages, of which one each is unpacked at a
    /// time, exceed the limit.
    fn check_pages(&self, file: R, columns: &[usize]) -> Result<(), TableError> {
        let roots = self.metadata.parquet_schema();
        let mut largest = vec![HeldPages::default(); roots.num_columns()];
        for (group, about) in self.metadata.metadata().row_groups().iter().enumerate() {
            for (leaf, chunk) in about.columns().iter().enumerate() {
                if !columns.contains(&roots.get_column_root_idx(leaf)) {
                    continue;
                }
                let pages = run_decoder(|| chunk_name(group, chunk), || pages_of(&file, chunk))?;
                if let Some(largest) = largest.get_mut(leaf) {
                    *largest = largest.max(pages);
                }
            }
        }
        let held = largest.iter().map(|pages| pages.dictionary.saturating_add(pages.data));
        let remedy = "write the file with smaller pages, or use fewer columns (--features)";
        let held = held.fold(0, u64::saturating_add);
        PARQUET_PAGE_BYTES.check(held).map_err(TableError::too_large(remedy))?;
        self.check_deltas(&Arc::new(file), &largest)
    }

    /// Refuses texts as differences that state too many of them; their pages are unpacked for it.
    fn check_deltas(&self, file: &Arc<R>, largest: &[HeldPages]) -> Result<(), TableError> {
        for (group, about) in self.metadata.metadata().row_groups().iter().enumerate() {
            let rows = usize::try_from(about.num_rows()).unwrap_or(0);
            for (leaf, chunk) in about.columns().iter().enumerate() {
                if !largest.get(leaf).is_some_and(|pages| pages.has_deltas) {
                    continue;
                }
                let level = chunk.column_descr().max_def_level();
                run_decoder(
                    || chunk_name(group, chunk),
                    || {
                        let mut pages = SerializedPageReader::new(file.clone(), chunk, rows, None)?;
                        while let Some(page) = pages.get_next_page()? {
                            check_lengths(&page, level)?;
                        }
                        Ok(())
                    },
                )?;
            }
        }
        Ok(())
    }
}

/// Returns the name of a column chunk for errors.
fn chunk_name(group: usize, chunk: &ColumnChunkMetaData) -> String {
    let column = chunk.column_path().string();
    format!("row group {}, column `{}`", group + 1, shortened(&column))
}

/// Bytes of the largest pages of a column.
#[derive(Debug, Clone, Copy, Default)]
struct HeldPages {
    dictionary: u64,
    data: u64,
    has_deltas: bool,
}

impl HeldPages {
    fn max(self, other: Self) -> Self {
        Self {
            dictionary: self.dictionary.max(other.dictionary),
            data: self.data.max(other.data),
            has_deltas: self.has_deltas || other.has_deltas,
        }
    }
}

/// Finds the largest pages of a column chunk, whose bytes are known to be there.
fn pages_of(
    file: &impl ChunkReader,
    chunk: &ColumnChunkMetaData,
) -> Result<HeldPages, ParquetError> {
    let (mut at, length) = chunk.byte_range();
    let end = at.saturating_add(length);
    let mut pages = HeldPages::default();
    while at < end {
        let page = PageHeader::read(file.get_read(at)?)?;
        let after =
            at.checked_add(page.header_bytes).and_then(|at| at.checked_add(page.packed_bytes));
        at = after.filter(|after| *after <= end).ok_or_else(|| {
            ParquetError::General("a page ends beyond the end of its column".to_owned())
        })?;
        let bytes = page.unpacked_bytes.max(page.packed_bytes);
        match page.kind {
            PageKind::Data => {
                pages.data = pages.data.max(bytes);
                pages.has_deltas |= page.has_deltas;
            }
            PageKind::Dictionary => {
                if page.values.saturating_mul(least_bytes(chunk)) > bytes {
                    let message = "a dictionary states more values than its bytes can hold";
                    return Err(ParquetError::General(message.to_owned()));
                }
                // Values are held beside the page that they come from.
                let held = page.values.saturating_mul(size_of::<u128>() as u64);
                pages.dictionary = pages.dictionary.max(bytes.saturating_add(held));
            }
        }
    }
    Ok(pages)
}

/// Returns the least bytes that a value of a dictionary takes.
fn least_bytes(chunk: &ColumnChunkMetaData) -> u64 {
    match chunk.column_type() {
        Type::BOOLEAN => 1,
        Type::INT32 | Type::FLOAT | Type::BYTE_ARRAY => 4,
        Type::INT64 | Type::DOUBLE => 8,
        Type::INT96 => 12,
        Type::FIXED_LEN_BYTE_ARRAY => {
            u64::try_from(chunk.column_descr().type_length()).unwrap_or(0).max(1)
        }
    }
}

/// Refuses a footer that is too long, or states encryption; its length is in the last eight bytes.
fn check_footer(file: &impl ChunkReader) -> Result<(), TableError> {
    let Some(at) = file.len().checked_sub(8) else { return Ok(()) };
    let footer = || "the footer".to_owned();
    let end = run_decoder(footer, || file.get_bytes(at, 8))?;
    let length = end.first_chunk::<4>().map_or(0, |length| u32::from_le_bytes(*length));
    let remedy = "write the table to several files";
    // A footer that is longer than its file is damage, which the decoder tells.
    let length = u64::from(length).min(file.len());
    PARQUET_FOOTER_BYTES.check(length).map_err(TableError::too_large(remedy))?;
    let length = usize::try_from(length.min(at)).unwrap_or(0);
    let metadata = run_decoder(footer, || file.get_bytes(at - length as u64, length))?;
    if &end[4..] == b"PARE" || states_encryption(&metadata) {
        let (what, feature) = (footer(), "encryption".to_owned());
        let remedy = "write the file without it";
        return Err(TableError::Unsupported { what, feature, remedy });
    }
    Ok(())
}

fn open_file<R>(open: &OpenParquet<'_, R>) -> Result<R, TableError> {
    open().map_err(|error| TableError::Read { message: error.to_string() })
}

impl<R: ChunkReader + 'static> TablePart for ParquetPart<'_, R> {
    fn columns(&self) -> Result<Vec<TableColumn>, TableError> {
        Ok(self.metadata.schema().fields().iter().map(|field| table_column(field)).collect())
    }

    fn for_each_block(
        &self,
        places: &ColumnPositions,
        wanted: PassColumns,
        fill: PartBlockHandler<'_>,
    ) -> Result<(), TableError> {
        let reading = ArrowColumns::new(places, wanted);
        self.check_chunks(&reading.columns)?;
        let roots =
            ProjectionMask::roots(self.metadata.parquet_schema(), reading.columns.iter().copied());
        self.check_pages(open_file(&self.open)?, &reading.columns)?;
        let file = open_file(&self.open)?;
        let mut batches = run_decoder(
            || "the columns".to_owned(),
            || {
                ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone())
                    .with_projection(roots)
                    .with_batch_size(decoded_rows(reading.columns.len()))
                    .build()
            },
        )?;
        let mut block = RowBlock::default();
        loop {
            let what = || format!("rows from {} on", block.first + 1);
            let next =
                run_decoder(what, || batches.next().transpose().map_err(ParquetError::from))?;
            let Some(batch) = next else { break };
            if reading.for_each_block(&mut block, &batch, fill)?.is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// Returns the number of rows that are decoded at a time: whole blocks, at least one and at most
/// sixteen.
fn decoded_rows(columns: usize) -> usize {
    let block_bytes = BLOCK_ROWS * columns * size_of::<f64>();
    BLOCK_ROWS * (DECODED_BYTES / block_bytes.max(1)).clamp(1, 16)
}

#[cfg(test)]
#[path = "parquet_tests.rs"]
mod tests;
