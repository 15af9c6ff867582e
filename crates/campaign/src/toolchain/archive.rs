//! Reading zip archives of unknown origin: overlapping entries are refused, sizes are limited, and
//! unsafe entry names are findings.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use wattline_units::limits::{
    ARCHIVE_CONTENT_BYTES, ARCHIVE_ENTRIES, ARCHIVE_ENTRY_BYTES, ARCHIVE_RATIO, InputLimit,
    LimitExceeded,
};
use zip::ZipArchive;
use zip::result::ZipError;

use super::entry_name::{EscapedName, NameFault, relative_path};

/// Error of reading an archive.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveFault {
    /// No zip archive, or a damaged one.
    #[error("{0}")]
    Damaged(#[from] ZipError),
    /// A damaged entry.
    #[error("its entry {entry} can't be read: {message}")]
    DamagedEntry {
        /// The entry's name.
        entry: String,
        /// The zip reader's message.
        message: String,
    },
    /// An archive over a limit.
    #[error("{0}")]
    TooLarge(#[from] LimitExceeded),
    /// An entry over a limit.
    #[error("its entry {entry} has {exceeded}")]
    LargeEntry {
        /// The entry's name.
        entry: String,
        /// The exceeded limit.
        exceeded: LimitExceeded,
    },
    /// Several entries made of the same bytes.
    #[error("its entries overlap, which unpacks the same bytes many times")]
    Overlap,
    /// An unusable entry, where all entries are needed.
    #[error("its entry {0}; make the archive again without it")]
    Refused(#[from] EntryFinding),
}

/// A problem of one entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} is refused: {fault}")]
pub struct EntryFinding {
    /// The entry's name, with control characters escaped.
    pub name: String,
    /// The problem.
    pub fault: EntryFault,
}

/// Reason why an entry is refused or gets a remark.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EntryFault {
    /// A name that is not a path below a folder.
    #[error(transparent)]
    Name(#[from] NameFault),
    /// A symbolic link.
    #[error("it is a link")]
    Link,
    /// A name that several entries have.
    #[error("several entries have this name, and programs differ in which of them they take")]
    Duplicate,
    /// A name that differs from another by case alone.
    #[error("where file systems ignore case, it has the name of {0}")]
    Case(String),
}

impl EntryFault {
    /// Whether the entry is never used. Of several entries with one name the last is used, as by a
    /// JVM, unless all entries are needed.
    pub fn is_refusal(&self) -> bool {
        matches!(self, EntryFault::Name(_) | EntryFault::Link)
    }
}

/// Reader of a zip archive within limits.
pub struct ArchiveReader<R> {
    archive: ZipArchive<R>,
    /// Names that several entries have.
    duplicates: BTreeSet<Vec<u8>>,
    /// Limit on all unpacked bytes.
    content: InputLimit,
    unpacked: u64,
    size: u64,
}

/// File in an archive with a usable name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveFile {
    /// Index among the entries.
    pub index: usize,
    /// Path below a folder, with `/`.
    pub path: String,
}

/// Files of an archive, and its problematic entries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArchiveFiles {
    /// Entries with usable names, in the order of the archive; of several with one path, the last.
    pub files: Vec<ArchiveFile>,
    /// Problems of these and of other entries.
    pub findings: Vec<EntryFinding>,
}

impl<R: Read + Seek> ArchiveReader<R> {
    /// Opens an archive.
    ///
    /// # Errors
    /// No zip archive, overlapping entries, or too many entries.
    pub fn open(mut reader: R) -> Result<Self, ArchiveFault> {
        let size = reader.seek(SeekFrom::End(0)).map_err(ZipError::Io)?;
        let mut archive = ZipArchive::new(reader)?;
        ARCHIVE_ENTRIES.check(archive.len() as u64)?;
        if archive.has_overlapping_files()? {
            return Err(ArchiveFault::Overlap);
        }
        let duplicates = if archive.has_duplicate_names() {
            let start = archive.central_directory_start();
            let mut reader = archive.into_inner();
            let names = duplicate_names(&mut reader, start).map_err(ZipError::Io)?;
            archive = ZipArchive::new(reader)?;
            names
        } else {
            BTreeSet::new()
        };
        Ok(Self { archive, duplicates, content: content_limit(size), unpacked: 0, size })
    }

    /// The archive's files: all entries but folders.
    ///
    /// # Errors
    /// An entry's name can't be read.
    pub fn files(&self) -> Result<ArchiveFiles, ArchiveFault> {
        let mut found = ArchiveFiles::default();
        let mut paths: BTreeMap<String, String> = BTreeMap::new();
        for index in 0..self.archive.len() {
            let entry = self.archive.by_index_data(index)?;
            if entry.is_dir() {
                continue;
            }
            let name = entry.name()?.into_owned();
            let mut find = |fault| {
                found.findings.push(EntryFinding { name: EscapedName(&name).to_string(), fault });
            };
            let path = match relative_path(&name) {
                Err(fault) => {
                    find(fault.into());
                    continue;
                }
                Ok(_) if entry.is_symlink() => {
                    find(EntryFault::Link);
                    continue;
                }
                Ok(path) => path,
            };
            match paths.insert(path.to_lowercase(), path.clone()) {
                Some(other) if other != path => find(EntryFault::Case(other)),
                Some(_) => find(EntryFault::Duplicate),
                None if self.duplicates.contains(entry.name_raw()) => find(EntryFault::Duplicate),
                None => {}
            }
            found.files.push(ArchiveFile { index, path });
        }
        Ok(found)
    }

    /// The unpacked bytes of the entry `index`.
    ///
    /// # Errors
    /// The entry is damaged, or exceeds the limit of an entry or the rest of the archive's limit.
    pub fn bytes(&mut self, index: usize) -> Result<Vec<u8>, ArchiveFault> {
        let name = self.escaped_entry_name(index)?;
        let entry = self.archive.by_index_data(index)?;
        let exceeded = |exceeded| ArchiveFault::LargeEntry { entry: name.clone(), exceeded };
        ARCHIVE_ENTRY_BYTES.check(entry.size()).map_err(exceeded)?;
        self.content.check(self.unpacked.saturating_add(entry.size())).map_err(exceeded)?;
        let damaged = |message: String| ArchiveFault::DamagedEntry { entry: name.clone(), message };
        let entry = self.archive.by_index(index).map_err(|error| damaged(error.to_string()))?;
        // The size that an entry states may be less than what it unpacks to.
        let bytes = ARCHIVE_ENTRY_BYTES.read_all(entry).map_err(|e| damaged(e.to_string()))?;
        self.unpacked = self.unpacked.saturating_add(bytes.len() as u64);
        self.content.check(self.unpacked).map_err(exceeded)?;
        Ok(bytes)
    }

    /// At most `bytes` first bytes of an entry; damage ends them early.
    ///
    /// # Errors
    /// The entry can't be opened: encrypted, or of an unknown compression method.
    pub fn head(&mut self, index: usize, bytes: usize) -> Result<Vec<u8>, ArchiveFault> {
        let name = self.escaped_entry_name(index)?;
        let entry = self.archive.by_index(index);
        let entry = entry.map_err(|error| ArchiveFault::DamagedEntry {
            entry: name,
            message: error.to_string(),
        })?;
        let mut start = Vec::new();
        // Damage shows when the entry is unpacked.
        let _ = entry.take(bytes as u64).read_to_end(&mut start);
        Ok(start)
    }

    /// Unpacks an entry into a file, up to a limit and to what an archive of this size may
    /// unpack to.
    ///
    /// # Errors
    /// The entry is damaged or too large; the file can't be written.
    pub fn unpack(
        &mut self,
        index: usize,
        limit: InputLimit,
        into: &mut impl io::Write,
    ) -> Result<u64, ArchiveFault> {
        let name = self.escaped_entry_name(index)?;
        let limit = self.limit_by_size(limit);
        let damaged = |message| ArchiveFault::DamagedEntry { entry: name.clone(), message };
        let entry = self.archive.by_index(index).map_err(|error| damaged(error.to_string()))?;
        let exceeded = |exceeded| ArchiveFault::LargeEntry { entry: name.clone(), exceeded };
        limit.check(entry.size()).map_err(exceeded)?;
        io::copy(&mut limit.reader(entry), into).map_err(|error| damaged(error.to_string()))
    }

    fn escaped_entry_name(&mut self, index: usize) -> Result<String, ArchiveFault> {
        let entry = self.archive.by_index_data(index)?;
        Ok(entry.name().map_or_else(|_| "?".into(), |name| EscapedName(&name).to_string()))
    }

    /// A limit for entries that are read as a stream: an archive of this size has no more.
    fn limit_by_size(&self, limit: InputLimit) -> InputLimit {
        let limit_by_size = content_bytes(self.size);
        match limit_by_size < limit.most {
            true => InputLimit::new("unpacked bytes of an archive of its size", limit_by_size),
            false => limit,
        }
    }

    /// The underlying zip archive, for copying packed entries.
    pub fn inner(&mut self) -> &mut ZipArchive<R> {
        &mut self.archive
    }
}

/// Number of bytes that an archive of `size` bytes may unpack to, before any absolute limit.
fn content_bytes(size: u64) -> u64 {
    size.saturating_mul(ARCHIVE_RATIO.most).max(ARCHIVE_ENTRY_BYTES.most)
}

/// Limit on the unpacked bytes of an archive of `size` bytes.
fn content_limit(size: u64) -> InputLimit {
    let limit_by_size = content_bytes(size);
    match limit_by_size < ARCHIVE_CONTENT_BYTES.most {
        true => InputLimit::new("unpacked bytes of an archive of its size", limit_by_size),
        false => ARCHIVE_CONTENT_BYTES,
    }
}

/// The names that occur more than once in the central directory from `start` on; `zip` keeps one
/// entry of each.
fn duplicate_names(reader: &mut (impl Read + Seek), start: u64) -> io::Result<BTreeSet<Vec<u8>>> {
    const SIGNATURE: [u8; 4] = [b'P', b'K', 1, 2];
    reader.seek(SeekFrom::Start(start))?;
    let mut list = BufReader::new(reader);
    let (mut names, mut duplicates) = (BTreeSet::new(), BTreeSet::new());
    let mut header = [0; 46];
    while list.read_exact(&mut header).is_ok() && header.starts_with(&SIGNATURE) {
        let length = |at: usize| usize::from(u16::from_le_bytes([header[at], header[at + 1]]));
        let mut rest = vec![0; length(28) + length(30) + length(32)];
        list.read_exact(&mut rest)?;
        rest.truncate(length(28));
        if !names.insert(rest.clone()) {
            duplicates.insert(rest);
        }
    }
    Ok(duplicates)
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use zip::write::SimpleFileOptions;
    use zip::{CompressionMethod, ZipWriter};

    use super::*;

    fn archive(entries: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in entries {
            writer.start_file(*name, SimpleFileOptions::default()).unwrap();
            writer.write_all(bytes).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    /// Bytes with one text in the place of another of the same length.
    fn replaced(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
        assert_eq!(from.len(), to.len());
        let mut bytes = bytes.to_vec();
        for at in 0..=bytes.len() - from.len() {
            if bytes[at..].starts_with(from.as_bytes()) {
                bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
            }
        }
        bytes
    }

    fn found(bytes: &[u8]) -> (Vec<String>, Vec<String>) {
        let files = ArchiveReader::open(Cursor::new(bytes)).unwrap().files().unwrap();
        let paths = files.files.into_iter().map(|file| file.path).collect();
        (paths, files.findings.iter().map(|finding| finding.name.clone()).collect())
    }

    #[test]
    fn names_that_cannot_be_used_are_findings() {
        let bytes = archive(&[("a/B", b"1"), ("/tmp/x", b"2"), ("../y", b"3"), ("a\nb", b"4")]);
        let expected = ["/tmp/x", "../y", "a\\nb"].map(String::from).to_vec();
        assert_eq!(found(&bytes), (vec!["a/B".to_string()], expected));
    }

    #[test]
    fn links_duplicates_and_names_of_another_case_are_findings() {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        writer.add_symlink("link", "/etc/passwd", SimpleFileOptions::default()).unwrap();
        let linked = writer.finish().unwrap().into_inner();
        assert_eq!(found(&linked), (vec![], vec!["link".to_string()]));
        let twice = replaced(&archive(&[("a/one", b"1"), ("a/two", b"2")]), "a/one", "a/two");
        assert_eq!(found(&twice), (vec!["a/two".to_string()], vec!["a/two".to_string()]));
        let mut read = ArchiveReader::open(Cursor::new(&twice)).unwrap();
        assert_eq!(read.bytes(0).unwrap(), b"2");
        let (paths, findings) = found(&archive(&[("a/x", b"1"), ("A/X", b"2"), ("./a/x", b"3")]));
        assert_eq!(paths, ["a/x", "A/X", "a/x"]);
        assert_eq!(findings, ["A/X", "./a/x"]);
    }

    #[test]
    fn entries_that_share_bytes_are_refused() {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        writer.start_file("a", SimpleFileOptions::default()).unwrap();
        writer.write_all(&[0; 100_000]).unwrap();
        (0..100).for_each(|n| writer.shallow_copy_file("a", &format!("b{n}")).unwrap());
        let bytes = writer.finish().unwrap().into_inner();
        let opened = ArchiveReader::open(Cursor::new(bytes));
        assert!(matches!(opened, Err(ArchiveFault::Overlap)));
    }

    #[test]
    fn what_unpacks_to_too_much_is_refused() {
        let zeros = vec![0; 1 << 20];
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        writer.start_file("large", options.large_file(true)).unwrap();
        (0..=256).for_each(|_| writer.write_all(&zeros).unwrap());
        let honest = writer.finish().unwrap().into_inner();
        let read = |bytes: &[u8]| {
            ArchiveReader::open(Cursor::new(bytes)).unwrap().bytes(0).unwrap_err().to_string()
        };
        assert!(read(&honest).contains("its entry large has 269484032 bytes"), "{}", read(&honest));
        // The same entry, which says that it has one byte.
        let size = (257_u64 << 20).to_le_bytes();
        let mut lying = honest.clone();
        for at in 0..lying.len() - 8 {
            if lying[at..at + 8] == size || lying[at..at + 4] == size[..4] {
                lying[at] = 1;
                lying[at + 1..at + 4].fill(0);
            }
        }
        assert_ne!(lying, honest);
        assert!(read(&lying).contains("large"), "{}", read(&lying));
        assert_eq!(content_limit(1 << 20).most, ARCHIVE_ENTRY_BYTES.most);
        assert_eq!(content_limit(2 << 20).most, 500 << 20);
        assert_eq!(content_limit(1 << 30), ARCHIVE_CONTENT_BYTES);
    }
}
