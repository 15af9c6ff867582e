//! Location of one log: a file of its own, or an entry of an archive.

use std::fs::File;
use std::io::{self, BufRead, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;

use wattline_units::limits::UNPACKED_TRACE_BYTES;

use super::LogFileError;
use crate::attribution::unpack_log;
use crate::input_file;
use crate::toolchain::archive::ArchiveReader;

/// Location of a log's bytes.
#[derive(Debug, Clone)]
pub(crate) enum LogLocation {
    /// File of its own.
    Path(PathBuf),
    /// Part of an open file: an entry of a tar archive, or one that was unpacked.
    Part {
        /// Open file.
        file: Arc<File>,
        /// Offset of the part's first byte.
        start: u64,
        /// Length of the part in bytes.
        length: u64,
    },
    /// Packed entry of a zip archive.
    Zipped {
        /// Open file of the archive.
        file: Arc<File>,
        /// Size of the archive in bytes.
        size: u64,
        /// Index of the entry.
        index: usize,
    },
}

impl LogLocation {
    /// Location of a whole open file.
    pub fn whole(file: File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        Ok(Self::Part { file: Arc::new(file), start: 0, length })
    }

    /// Opens the log, unpacked from gzip and zstd; an entry of a zip archive is unpacked into a
    /// file without a name.
    ///
    /// # Errors
    /// Those of the system; damage; more bytes than an archive of its size may unpack to.
    pub fn open(&self) -> Result<Box<dyn BufRead>, LogFileError> {
        Ok(match self {
            Self::Path(path) => unpack_log(input_file::open(path)?)?,
            Self::Part { file, start, length } => {
                unpack_log(FilePart { file: file.clone(), at: *start, end: start + length })?
            }
            Self::Zipped { .. } => return self.reopenable()?.open(),
        })
    }

    /// Location from which the log can be opened again and again without unpacking an archive.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn reopenable(&self) -> Result<Self, LogFileError> {
        let Self::Zipped { file, size, index } = self else { return Ok(self.clone()) };
        let part = FilePart { file: file.clone(), at: 0, end: *size };
        let mut archive = ArchiveReader::open(part)?;
        let mut plain = tempfile::tempfile()?;
        archive.unpack(*index, UNPACKED_TRACE_BYTES, &mut plain)?;
        Ok(Self::whole(plain)?)
    }
}

/// Reader of a part of a file, with its own position: clones of the open file share one.
#[derive(Debug, Clone)]
pub(super) struct FilePart {
    pub file: Arc<File>,
    pub at: u64,
    pub end: u64,
}

impl Read for FilePart {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let room = left.min(buffer.len());
        let count = self.file.read_at(&mut buffer[..room], self.at)?;
        if count == 0 && room > 0 {
            // The archive says that there is more.
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for FilePart {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.end.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}
