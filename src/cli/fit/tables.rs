//! Files of a table: CSV and Parquet files, folders of them, or Arrow's stream format on standard
//! input.

use std::fmt::Write as _;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use wattline_units::dialect::Compression;
use wattline_units::limits::TABLE_NUMBERS;

use crate::failure::{Failure, message_with_causes};
use crate::folder::{CampaignFolder, names};
use crate::input_file;
use crate::model::table::{
    ColumnChoice, CsvPart, TableError, TablePart, TableRows, UnopenedPart, numbers_in_memory,
};
use crate::toolchain::artifact::{hash_of, hash_of_bytes};

use super::super::progress;

/// File name endings of tables.
const ENDINGS: [&str; 8] = ["parquet", "pq", "csv", "tsv", "csv.gz", "csv.zst", "arrow", "feather"];

/// Name with which Hive writes an empty value in a folder.
const HIVE_NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// Files of a table.
#[derive(Debug, Clone)]
pub struct TableFiles {
    /// First path of the command line.
    pub named: PathBuf,
    files: Vec<TableFile>,
}

/// File of a table, with the columns that the names of its folders give: `device=B1`.
#[derive(Debug, Clone)]
struct TableFile {
    path: PathBuf,
    constants: Vec<(String, String)>,
}

impl TableFiles {
    /// Finds the files of a table: those of a folder in the order of their names; of a campaign's
    /// folder its data set.
    pub fn find(paths: &[PathBuf]) -> Result<Self, Failure> {
        let paths = paths.iter().map(|path| table_path(path)).collect::<Result<Vec<_>, _>>()?;
        let mut files = Vec::new();
        for path in &paths {
            match path.is_dir() {
                true => files.extend(tables_below(path)?),
                false => {
                    check_kind(path)?;
                    files.push(TableFile { path: path.clone(), constants: folder_columns(path) });
                }
            }
        }
        let named = paths.first().cloned().unwrap_or_default();
        let tables = Self { named, files };
        if tables.files.len() > 1 && tables.files.iter().any(|file| is_standard_input(&file.path)) {
            return Err(Failure::Usage("`-` is the only table where it is one".to_owned()));
        }
        Ok(tables)
    }

    /// Whether the table comes on standard input, and so only once.
    pub fn is_stream(&self) -> bool {
        self.files.iter().any(|file| is_standard_input(&file.path))
    }

    /// Path of the only file, if it is text.
    pub fn single_csv(&self) -> Option<&Path> {
        match self.files.as_slice() {
            [file] if FileKind::of(&file.path) == FileKind::Text => Some(&file.path),
            _ => None,
        }
    }

    /// Size of all files in bytes.
    pub fn bytes(&self) -> u64 {
        self.files
            .iter()
            .filter_map(|file| file.path.metadata().ok())
            .map(|facts| facts.len())
            .sum()
    }

    /// Whether the table has more numbers than may be held in memory, as far as that is known
    /// before its rows are read: runs of one value take no bytes in Parquet, and a digit takes
    /// eight in memory.
    pub fn has_too_many_numbers(&self) -> Result<bool, Failure> {
        let mut numbers = 0_u64;
        for file in &self.files {
            let found = self.numbers_of(&file.path).map_err(|error| self.failure(&error))?;
            numbers = numbers.saturating_add(found);
        }
        Ok(TABLE_NUMBERS.check(numbers).is_err())
    }

    /// Number of numbers in a file, or 0 where few bytes make it small or the format does not allow
    /// a count.
    fn numbers_of(&self, path: &Path) -> Result<u64, TableError> {
        let bytes = path.metadata().map_or(0, |facts| facts.len());
        let read = |error: std::io::Error| TableError::Read { message: error.to_string() };
        match FileKind::of(path) {
            FileKind::Stream | FileKind::Arrow => Ok(0),
            FileKind::Parquet => parquet_numbers(path),
            // A cell has a byte at least, and a comma or the end of its line.
            FileKind::Text if numbers_in_memory(bytes / 4, 1) <= TABLE_NUMBERS.most => Ok(0),
            FileKind::Text => text_numbers(input_file::open(path).map_err(read)?).map_err(read),
            FileKind::Packed(compression) => {
                text_numbers(unpacked(path, compression).map_err(read)?).map_err(read)
            }
        }
    }

    /// Rows of all files, with their columns found and compared.
    pub fn rows(&self, choice: &ColumnChoice) -> Result<TableRows<'static>, Failure> {
        let sources = self.files.iter().map(|file| {
            let path = file.path.clone();
            let source = UnopenedPart::new(path.display().to_string(), move || open_part(&path));
            source.with_constants(file.constants.clone())
        });
        TableRows::new(sources.collect(), choice).map_err(|error| self.failure(&error))
    }

    /// Prints remarks on the dialect of the first file, where it is not plain CSV.
    pub fn print_remarks(&self, rows: &TableRows<'_>) -> Result<(), Failure> {
        let remarks = rows.remarks().map_err(|error| self.failure(&error))?;
        progress::print_remarks(&self.named, &remarks);
        Ok(())
    }

    /// Failure for an error of the table, with its causes.
    pub fn failure(&self, error: &TableError) -> Failure {
        let TableError::In { file, error } = error else {
            return Failure::input(&self.named, message_with_causes(error));
        };
        Failure::input(file, message_with_causes(error.as_ref()))
    }

    /// SHA-256 of the file's bytes; of several files, that of the lines `SHA-256, two spaces,
    /// path`.
    pub fn sha256(&self) -> Result<String, Failure> {
        if self.is_stream() {
            return Ok(String::new());
        }
        if let [file] = self.files.as_slice() {
            return Ok(hash_of(&file.path)?);
        }
        let mut lines = String::new();
        for file in &self.files {
            let _ = writeln!(lines, "{}  {}", hash_of(&file.path)?, file.path.display());
        }
        Ok(hash_of_bytes(lines.as_bytes()))
    }
}

/// Path of a table: the path itself, or the data set of a campaign's folder.
fn table_path(path: &Path) -> Result<PathBuf, Failure> {
    let campaign = CampaignFolder::new(path);
    if !campaign.has(names::PLAN) {
        return Ok(path.to_owned());
    }
    if !campaign.has(names::DATASET) {
        let why = "is a campaign's folder without a data set; `wattline dataset FOLDER` makes it";
        return Err(Failure::Usage(format!("{}: {why} of what was measured", path.display())));
    }
    Ok(campaign.file(names::DATASET))
}

/// Whether a path means standard input.
fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Tables below a folder, without files and folders whose names begin with `_` or `.`.
fn tables_below(folder: &Path) -> Result<Vec<TableFile>, Failure> {
    let hidden = |entry: &walkdir::DirEntry| {
        let name = entry.file_name().to_string_lossy();
        entry.depth() > 0 && (name.starts_with('_') || name.starts_with('.'))
    };
    let entries = walkdir::WalkDir::new(folder).follow_links(true).sort_by_file_name();
    let mut files = Vec::new();
    for entry in entries.into_iter().filter_entry(|entry| !hidden(entry)) {
        let entry = entry.map_err(|error| Failure::input(folder, error))?;
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().to_lowercase();
        let ends = |ending: &&str| name.strip_suffix(*ending).is_some_and(|n| n.ends_with('.'));
        let is_table = ENDINGS.iter().any(ends);
        if entry.file_type().is_file() && is_table {
            let below = path.strip_prefix(folder).unwrap_or(path);
            files.push(TableFile { path: path.to_owned(), constants: folder_columns(below) });
        }
    }
    match files.is_empty() {
        false => Ok(files),
        true => {
            let wanted = ENDINGS.map(|ending| format!(".{ending}")).join(", ");
            Err(Failure::input(folder, format!("no file in it ends with {wanted}")))
        }
    }
}

/// Columns from the names of a path's folders: `key=value`, with `%20` for a space.
fn folder_columns(path: &Path) -> Vec<(String, String)> {
    let folders = path.parent().into_iter().flat_map(Path::components);
    let pair = |part: std::path::Component<'_>| {
        let text = part.as_os_str().to_string_lossy().into_owned();
        let (key, value) = text.split_once('=')?;
        let value = if value == HIVE_NULL { String::new() } else { percent_decoded(value) };
        (!key.is_empty()).then(|| (percent_decoded(key), value))
    };
    folders.filter_map(pair).collect()
}

/// Text with `%XX` escapes replaced.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        let escaped = (*byte == b'%')
            .then(|| after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok()))
            .flatten()
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(escaped.unwrap_or(*byte));
        rest = if escaped.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Format of a table's file, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileKind {
    /// Standard input.
    Stream,
    Parquet,
    Arrow,
    /// Compressed text.
    Packed(Compression),
    Text,
}

/// First bytes of a Parquet file, and of an Arrow file.
const MAGIC_PARQUET: &[u8] = b"PAR1";
const MAGIC_ARROW: &[u8] = b"ARROW1\0\0";

impl FileKind {
    /// Format of a file; one that cannot be read counts as text, so that reading it reports the
    /// error.
    fn of(path: &Path) -> Self {
        if is_standard_input(path) {
            return Self::Stream;
        }
        let mut first = Vec::new();
        let length = MAGIC_ARROW.len() as u64;
        let _ = input_file::open(path).and_then(|file| file.take(length).read_to_end(&mut first));
        match Compression::of(&first) {
            Some(compression) => Self::Packed(compression),
            None if first.starts_with(MAGIC_PARQUET) => Self::Parquet,
            None if first == MAGIC_ARROW => Self::Arrow,
            None => Self::Text,
        }
    }
}

/// Opens a file as a part of a table.
fn open_part(path: &Path) -> Result<Box<dyn TablePart>, TableError> {
    let kind = FileKind::of(path);
    let owned = path.to_owned();
    let open = move || -> std::io::Result<Box<dyn Read>> {
        match kind {
            FileKind::Packed(compression) => unpacked(&owned, compression),
            _ => Ok(Box::new(input_file::open(&owned)?)),
        }
    };
    match kind {
        FileKind::Stream => stream(),
        FileKind::Parquet => parquet(path),
        FileKind::Arrow => arrow(Box::new(open)),
        FileKind::Packed(_) | FileKind::Text => Ok(Box::new(CsvPart::new(Box::new(open)))),
    }
}

/// Decompressed text of a file.
fn unpacked(path: &Path, compression: Compression) -> std::io::Result<Box<dyn Read>> {
    let file = input_file::open(path)?;
    Ok(match compression {
        Compression::Gzip => Box::new(flate2::read::MultiGzDecoder::new(BufReader::new(file))),
        Compression::Zstd => Box::new(zstd::Decoder::new(file)?),
    })
}

/// Arrow stream on standard input as a table.
#[cfg(feature = "parquet")]
fn stream() -> Result<Box<dyn TablePart>, TableError> {
    let input = BufReader::with_capacity(1 << 20, std::io::stdin());
    Ok(Box::new(crate::model::table::ArrowStreamPart::new(input)?))
}

/// Function that opens a file.
type OpenFile = Box<dyn Fn() -> std::io::Result<Box<dyn Read>>>;

/// Arrow file or stream as a part of a table.
#[cfg(feature = "parquet")]
fn arrow(open: OpenFile) -> Result<Box<dyn TablePart>, TableError> {
    Ok(Box::new(crate::model::table::ArrowFilePart::new(open)))
}

/// Parquet file as a part of a table.
#[cfg(feature = "parquet")]
fn parquet(path: &Path) -> Result<Box<dyn TablePart>, TableError> {
    let path = path.to_owned();
    let open = Box::new(move || input_file::open(&path));
    Ok(Box::new(crate::model::table::ParquetPart::new(open)?))
}

/// Number of numbers in a Parquet file.
#[cfg(feature = "parquet")]
fn parquet_numbers(path: &Path) -> Result<u64, TableError> {
    let path = path.to_owned();
    let part = crate::model::table::ParquetPart::new(Box::new(move || input_file::open(&path)))?;
    Ok(numbers_in_memory(part.rows(), part.column_count()))
}

#[cfg(not(feature = "parquet"))]
fn stream() -> Result<Box<dyn TablePart>, TableError> {
    let message = "this wattline was built without Arrow; give a file of CSV".to_owned();
    Err(TableError::Read { message })
}

#[cfg(not(feature = "parquet"))]
fn arrow(_: OpenFile) -> Result<Box<dyn TablePart>, TableError> {
    stream()
}

#[cfg(not(feature = "parquet"))]
fn parquet(_: &Path) -> Result<Box<dyn TablePart>, TableError> {
    let message = "this wattline was built without Parquet; convert the table to CSV".to_owned();
    Err(TableError::Read { message })
}

#[cfg(not(feature = "parquet"))]
fn parquet_numbers(path: &Path) -> Result<u64, TableError> {
    parquet(path).map(|_| 0)
}

/// Number of separators and lines of a text, about as many as numbers.
fn text_numbers(mut text: impl Read) -> std::io::Result<u64> {
    let (mut buffer, mut lines, mut cells) = (vec![0; 1 << 16], 0, 0);
    loop {
        let count = text.read(&mut buffer)?;
        if count == 0 {
            return Ok(numbers_in_memory(lines, 1).saturating_add(cells));
        }
        let of = |is: fn(u8) -> bool| buffer[..count].iter().filter(|b| is(**b)).count() as u64;
        lines += of(|byte| byte == b'\n');
        cells += of(|byte| matches!(byte, b',' | b';' | b'\t' | b'|' | b' '));
    }
}

/// Refuses a pipe, since a table is read several times.
fn check_kind(path: &Path) -> Result<(), Failure> {
    match path.metadata() {
        Ok(facts) if !facts.is_file() && !is_standard_input(path) => {
            let message = "is no regular file, and a table is read several times; write it to a \
                           file, or pipe it in Arrow's stream format to `-`";
            Err(Failure::input(path, message))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_name_columns() {
        let found = folder_columns(Path::new("t/device=B1/group=a%20b%2Fc/x=y.parquet"));
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(found, [pair("device", "B1"), pair("group", "a b/c")]);
        assert_eq!(
            folder_columns(Path::new("group=__HIVE_DEFAULT_PARTITION__/x")),
            [pair("group", "")]
        );
        assert_eq!(percent_decoded("100%"), "100%");
    }

    #[test]
    fn a_folder_has_tables_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "energy_j,a\n1,2\n").unwrap();
        };
        ["b/y.csv", "b/device=2/z.csv", "a.csv", "_SUCCESS", ".x.csv", "_t/x.csv", "n.txt"]
            .into_iter()
            .for_each(write);
        let tables = TableFiles::find(&[folder.path().to_owned()]).unwrap();
        let names = tables.files.iter().map(|file| file.path.strip_prefix(folder.path()).unwrap());
        let names: Vec<_> = names.map(|name| name.to_string_lossy().into_owned()).collect();
        assert_eq!(names, ["a.csv", "b/device=2/z.csv", "b/y.csv"]);
        assert_eq!(tables.files[1].constants, [("device".to_owned(), "2".to_owned())]);
        assert!(TableFiles::find(&[folder.path().join("_t").join("none")]).is_ok());
        let packed = folder.path().join("b/p.csv.gz");
        let mut gz = flate2::write::GzEncoder::new(
            std::fs::File::create(&packed).unwrap(),
            flate2::Compression::fast(),
        );
        std::io::Write::write_all(&mut gz, b"energy_j;a\n1,5;2\n").unwrap();
        gz.finish().unwrap();
        let tables = TableFiles::find(&[folder.path().join("b")]).unwrap();
        assert_eq!((tables.files.len(), tables.single_csv()), (3, None));
        let tables = TableFiles::find(&[packed]).unwrap();
        let rows = tables.rows(&ColumnChoice::default()).unwrap();
        let table = crate::model::table::Table::from_rows(&rows).unwrap();
        assert_eq!(table.cases[0].energy_j, 1.5);
        std::fs::create_dir(folder.path().join("empty")).unwrap();
        let error = TableFiles::find(&[folder.path().join("empty")]).unwrap_err();
        assert!(error.to_string().contains(".parquet"), "{error}");
        assert!(TableFiles::find(&["-".into(), "a.csv".into()]).is_err());
    }

    #[test]
    fn a_campaigns_folder_is_its_data_set() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str| std::fs::write(folder.path().join(name), "case\n").unwrap();
        write(names::PLAN);
        let error = TableFiles::find(&[folder.path().to_owned()]).unwrap_err();
        assert!(error.to_string().contains("wattline dataset"), "{error}");
        write(names::DATASET);
        let tables = TableFiles::find(&[folder.path().to_owned()]).unwrap();
        assert_eq!(tables.single_csv(), Some(folder.path().join(names::DATASET).as_path()));
    }
}
